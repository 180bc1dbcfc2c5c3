// The kernels with variants, without vector instructions of our own; and what they share.
#pragma once
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

inline void choose_bin(uint64_t value, uint64_t key, uint32_t size, uint32_t* low, uint32_t* bin) {
    uint64_t x = mix(value ^ key);
    *low = static_cast<uint32_t>(x);
    *bin = static_cast<uint32_t>((x >> 32) * size >> 32);
}

inline void choose_bins(const uint64_t* values, size_t n, uint64_t key, uint32_t size, uint32_t* low,
                        uint32_t* bin) {
    for (size_t i = 0; i < n; ++i) choose_bin(values[i], key, size, low + i, bin + i);
}

inline constexpr WideKernels kPlain{read_run<PlainBlock>, copy_plain, choose_bins};

}  // namespace twinset::wide
