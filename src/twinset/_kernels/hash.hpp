// The hash functions every result depends on. Integer arithmetic only, little-endian loads spelled
// out, so that every CPU gives the same values. Changing anything here changes every feature.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace twinset {

inline constexpr uint64_t kGolden = 0x9E3779B97F4A7C15ull;
inline constexpr uint64_t kWordA = 0xA0761D6478BD642Full;
inline constexpr uint64_t kWordB = 0xE7037ED1A0B428DBull;
inline constexpr uint64_t kShingle = 0xD6E8FEB86659FD95ull;  // odd: the base of the rolling sum

// Bijective finaliser (the constants of Stafford's variant 13).
inline constexpr uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

// High half xor low half of the 128-bit product.
inline uint64_t fold(uint64_t a, uint64_t b) {
    unsigned __int128 p = static_cast<unsigned __int128>(a) * b;
    return static_cast<uint64_t>(p) ^ static_cast<uint64_t>(p >> 64);
}

// Little-endian load of n <= 8 bytes, zero padded.
inline uint64_t load_le(const uint8_t* p, size_t n) {
    uint64_t v = 0;
    for (size_t i = 0; i < n; ++i) v |= static_cast<uint64_t>(p[i]) << (8 * i);
    return v;
}

inline uint64_t load8(const uint8_t* p) {
    uint64_t v;
    std::memcpy(&v, p, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

// Sixteen bytes of a word folded into the running state; hash_word chains these.
inline uint64_t word_step(uint64_t h, uint64_t lo, uint64_t hi) { return fold(lo ^ kWordA ^ h, hi ^ kWordB); }

// Hash of a word's canonical UTF-8 bytes (lower case, NFC): 16 bytes a step, the last step zero
// padded, the length mixed in. A word of 0 bytes does not occur.
inline uint64_t hash_word(const uint8_t* p, size_t n) {
    uint64_t h = n * kGolden;
    size_t left = n;
    while (left > 16) {
        h = word_step(h, load8(p), load8(p + 8));
        p += 16;
        left -= 16;
    }
    uint64_t lo = left >= 8 ? load8(p) : load_le(p, left);
    uint64_t hi = left > 8 ? load_le(p + 8, left - 8) : 0;
    return mix(word_step(h, lo, hi));
}

// A shingle's hash from its rolling sum: sum of word hashes times powers of kShingle, the first
// word with the highest power; `units` is the number of words in it.
inline uint64_t finish_shingle(uint64_t rolling, uint64_t units) { return mix(rolling ^ (units * kGolden)); }

}  // namespace twinset
