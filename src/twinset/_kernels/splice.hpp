// Pieces of a block put together to one text, each with a tail behind it where there are tails.
#pragma once
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>

#include "stop.hpp"

namespace twinset {

// The tails, one after the other, and which of them stands behind each piece; `of` may be empty.
struct Tails {
    std::span<const uint8_t> data;
    std::span<const int64_t> offsets;
    std::span<const int64_t> of;
};

// Copies a piece to the front of `out`, which gets shorter by it.
inline void move_on(std::span<uint8_t>& out, std::span<const uint8_t> piece) {
    if (piece.size() > out.size()) throw std::invalid_argument("there is no room for all pieces");
    if (!piece.empty()) std::memcpy(out.data(), piece.data(), piece.size());
    out = out.subspan(piece.size());
}

// Writes block[begins[i], ends[i]) and its tail for every i; how many bytes these are.
inline int64_t splice(std::span<const uint8_t> block, std::span<const int64_t> begins,
                      std::span<const int64_t> ends, const Tails& tails, std::span<uint8_t> out) {
    auto all = static_cast<int64_t>(block.size()), count = static_cast<int64_t>(tails.offsets.size()) - 1;
    size_t room = out.size();
    Pace pace;
    for (size_t i = 0; i < begins.size(); ++i) {
        pace();
        int64_t begin = begins[i], end = ends[i];
        if (begin < 0 || end < begin || end > all) throw std::invalid_argument("a piece is not in the block");
        move_on(out, block.subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin)));
        if (tails.of.empty()) continue;
        int64_t tail = tails.of[i];
        if (tail < 0 || tail >= count) throw std::invalid_argument("there is no such tail");
        auto at = static_cast<size_t>(tail), from = static_cast<size_t>(tails.offsets[at]);
        move_on(out, tails.data.subspan(from, static_cast<size_t>(tails.offsets[at + 1]) - from));
    }
    return static_cast<int64_t>(room - out.size());
}

}  // namespace twinset
