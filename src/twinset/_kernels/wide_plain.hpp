// The kernels with variants, without vector instructions of our own; and what they share.
#pragma once
#include <algorithm>
#include <bit>
#include <cstring>

#include "bit_places.hpp"
#include "blocks.hpp"
#include "hash.hpp"
#include "scan.hpp"
#include "wide_types.hpp"

namespace twinset::wide {

template <class Block>
inline void read_run(TextRun& run, size_t blocks) {
    TextRun at = run;
    for (; blocks; --blocks) {
        Masks masks = Block::read(at.p, at.out);
        if (masks.high) break;
        at.edge = write_places(masks.word ^ (masks.word << 1 | at.inside), at.place, at.edge);
        at.inside = masks.word >> 63;
        at.p += 64, at.out += 64, at.place += 64;
    }
    run = at;
}

inline size_t copy_plain(const uint8_t* p, size_t room, uint8_t* out, uint8_t& high) {
    size_t n = 0;
    for (; n < room && !stops_string(p[n]); ++n) {
        out[n] = p[n];
        high |= p[n];
    }
    return n;
}

// The permuted value x into its bin.
inline void throw_one(uint64_t x, uint32_t size, uint64_t* sketch) {
    uint64_t& bin = sketch[static_cast<uint64_t>(static_cast<uint32_t>(x >> 32)) * size >> 32];
    bin = std::min<uint64_t>(bin, static_cast<uint32_t>(x));
}

inline void throw_values(const uint64_t* __restrict values, size_t n, uint64_t key, uint32_t size,
                         uint64_t* __restrict sketch) {
    for (size_t i = 0; i < n; ++i) throw_one(mix(values[i] ^ key), size, sketch);
}

inline constexpr WideKernels kPlain{read_run<PlainBlock>, copy_plain, throw_values};

}  // namespace twinset::wide
