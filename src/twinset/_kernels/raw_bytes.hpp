// Bytes without the zeroes that a vector would write first, for outputs of a known size.
#pragma once
#include <memory>

#include "arrays.hpp"

namespace twinset {

struct RawBytes {
    std::unique_ptr<uint8_t[]> data;
    size_t size = 0;
    explicit RawBytes(size_t n = 0) : data(new uint8_t[n ? n : 1]), size(n) {}
};

inline Out<uint8_t> give(RawBytes&& bytes) {
    uint8_t* raw = bytes.data.release();
    nb::capsule owner(raw, [](void* p) noexcept { delete[] static_cast<uint8_t*>(p); });
    return Out<uint8_t>(raw, {bytes.size}, owner);
}

}  // namespace twinset
