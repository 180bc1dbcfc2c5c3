// Bytes without the zeroes that a vector would write first, for outputs of a known size.
#pragma once
#include <utility>

#include "arrays.hpp"
#include "large_pages.hpp"

namespace twinset {

// Texts of a batch are many megabytes of fresh memory: on large pages there are few faults to serve.
struct RawBytes {
    LargeVector<uint8_t> data;
    size_t size = 0;  // those in use

    RawBytes() : RawBytes(0) {}
    explicit RawBytes(size_t n) : data(n ? n : 1), size(n) {}
};

inline Out<uint8_t> give(RawBytes&& bytes) {
    auto* held = new LargeVector<uint8_t>(std::move(bytes.data));
    nb::capsule owner(held, [](void* p) noexcept { delete static_cast<LargeVector<uint8_t>*>(p); });
    return Out<uint8_t>(held->data(), {bytes.size}, owner);
}

}  // namespace twinset
