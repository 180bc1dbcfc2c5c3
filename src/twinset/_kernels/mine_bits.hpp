// Bitmaps of many words: intersections, and how many bits they keep.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace twinset::mine {

inline size_t words_for(size_t bits) { return (bits + 63) / 64; }
inline bool has_bit(const uint64_t* map, size_t bit) { return map[bit / 64] >> (bit % 64) & 1; }
inline void set_bit(uint64_t* map, size_t bit) { map[bit / 64] |= uint64_t{1} << (bit % 64); }

// Whether every bit of x is in y.
inline bool inside(const uint64_t* x, const uint64_t* y, size_t words) {
    for (size_t w = 0; w < words; ++w)
        if (x[w] & ~y[w]) return false;
    return true;
}

inline int32_t count_bits(const uint64_t* x, size_t words) {
    int32_t bits = 0;
    for (size_t w = 0; w < words; ++w) bits += std::popcount(x[w]);
    return bits;
}

// into = x & y; gives the number of its bits.
inline int32_t intersect_plainly(const uint64_t* x, const uint64_t* y, uint64_t* into, size_t words) {
    int32_t bits = 0;
    for (size_t w = 0; w < words; ++w) bits += std::popcount(into[w] = x[w] & y[w]);
    return bits;
}

#if defined(__x86_64__) && defined(__GNUC__)
// The least x86-64 has no instruction that counts bits; nearly every machine does.
__attribute__((target("popcnt"))) inline int32_t intersect_quickly(const uint64_t* x, const uint64_t* y,
                                                                   uint64_t* into, size_t words) {
    int64_t bits = 0;
    for (size_t w = 0; w < words; ++w) bits += __builtin_popcountll(into[w] = x[w] & y[w]);
    return static_cast<int32_t>(bits);
}
inline int32_t intersect(const uint64_t* x, const uint64_t* y, uint64_t* into, size_t words) {
    static const bool quick = __builtin_cpu_supports("popcnt");
    return quick ? intersect_quickly(x, y, into, words) : intersect_plainly(x, y, into, words);
}
#else
inline int32_t intersect(const uint64_t* x, const uint64_t* y, uint64_t* into, size_t words) {
    return intersect_plainly(x, y, into, words);
}
#endif

// into = the bits of x at these places, moved together.
inline void compress(const uint64_t* x, const std::vector<int32_t>& places, uint64_t* into) {
    uint64_t word = 0;
    size_t at = 0;
    for (int32_t place : places) {
        word |= (x[place / 64] >> (place % 64) & 1) << (at % 64);
        if (++at % 64 == 0) {
            into[at / 64 - 1] = word;
            word = 0;
        }
    }
    if (at % 64) into[at / 64] = word;
}

}  // namespace twinset::mine
