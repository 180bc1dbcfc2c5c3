// 64 bytes of text at a time: which are ASCII letters or digits, which are not ASCII, and all of
// them in lower case. VectorBlock and PlainBlock give the same answers.
#pragma once
#include <cstdint>
#include <cstring>

#if defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace twinset {

struct Masks {
    uint64_t word;  // bit i: byte i is an ASCII letter or digit
    uint64_t high;  // bit i: byte i is not ASCII, nor part of a common mark of punctuation
};

// Given where these bytes are, the bytes of U+2010..U+203F (quotes, dashes, the ellipsis) and of
// the no-break space: they separate words, as a space does, and need no closer look.
inline uint64_t punctuation(uint64_t e2, uint64_t x80, uint64_t x90_xbf, uint64_t c2, uint64_t a0) {
    uint64_t three = e2 & x80 >> 1 & x90_xbf >> 2;
    uint64_t two = c2 & a0 >> 1;
    return three | three << 1 | three << 2 | two | two << 1;
}

inline bool is_ascii_word(uint8_t byte) {
    return static_cast<uint8_t>((byte | 0x20) - 'a') < 26 || static_cast<uint8_t>(byte - '0') < 10;
}

inline uint8_t ascii_lower(uint8_t byte) {
    return static_cast<uint8_t>(byte - 'A') < 26 ? byte | 0x20 : byte;
}

struct PlainBlock {
    template <class Test>
    static uint64_t bits(const uint8_t* p, Test&& test) {
        uint64_t found = 0;
        for (int i = 0; i < 64; ++i) found |= static_cast<uint64_t>(test(p[i])) << i;
        return found;
    }

    static uint64_t same(const uint8_t* p, uint8_t wanted) {
        return bits(p, [=](uint8_t byte) { return byte == wanted; });
    }

    static Masks read(const uint8_t* p, uint8_t* lowered) {
        for (int i = 0; i < 64; ++i) lowered[i] = ascii_lower(p[i]);
        uint64_t third = bits(p, [](uint8_t byte) { return byte >= 0x90 && byte <= 0xBF; });
        uint64_t known = punctuation(same(p, 0xE2), same(p, 0x80), third, same(p, 0xC2), same(p, 0xA0));
        uint64_t high = bits(p, [](uint8_t byte) { return byte >= 0x80; });
        return {bits(p, is_ascii_word), high & ~known};
    }
};

#if (defined(__ARM_NEON) && defined(__aarch64__) && !defined(__AARCH64EB__)) || defined(__SSE2__)

struct VectorBlock {
    typedef uint8_t Sixteen __attribute__((vector_size(16)));

#if defined(__SSE2__)
    static uint64_t bits(Sixteen a, Sixteen b, Sixteen c, Sixteen d) {
        auto one = [](Sixteen v) {
            return static_cast<uint64_t>(_mm_movemask_epi8(reinterpret_cast<__m128i>(v)));
        };
        return one(a) | one(b) << 16 | one(c) << 32 | one(d) << 48;
    }
#else
    // Every byte is all ones or all zeros: keep one bit of each and add neighbours thrice.
    static uint64_t bits(Sixteen a, Sixteen b, Sixteen c, Sixteen d) {
        const Sixteen place = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
        auto one = [&](Sixteen v) { return reinterpret_cast<uint8x16_t>(v & place); };
        uint8x16_t halves = vpaddq_u8(vpaddq_u8(one(a), one(b)), vpaddq_u8(one(c), one(d)));
        return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(halves, halves)), 0);
    }
#endif

    static Sixteen load(const uint8_t* p) {
        Sixteen v;
        std::memcpy(&v, p, 16);
        return v;
    }

    static Sixteen below(Sixteen v, uint8_t bound) { return reinterpret_cast<Sixteen>(v < bound); }

    static Sixteen high(Sixteen v) { return reinterpret_cast<Sixteen>(v > 127); }

    // The word bytes of v; lower case is written beside it.
    static Sixteen classify(Sixteen v, uint8_t* lowered) {
        Sixteen letter = below((v | 0x20) - 'a', 26);
        Sixteen small = v | (letter & 0x20);
        std::memcpy(lowered, &small, 16);
        return letter | below(v - '0', 10);
    }

    static Sixteen equal(Sixteen v, uint8_t byte) { return reinterpret_cast<Sixteen>(v == byte); }

    static uint64_t high_bits(Sixteen a, Sixteen b, Sixteen c, Sixteen d) {
        Sixteen any = a | b | c | d;
        uint64_t half[2];
        std::memcpy(half, &any, 16);
        if (((half[0] | half[1]) & 0x8080808080808080ull) == 0) return 0;
        auto all = [&](auto&& test) { return bits(test(a), test(b), test(c), test(d)); };
        auto same = [&](uint8_t byte) { return all([=](Sixteen v) { return equal(v, byte); }); };
        uint64_t third = all([](Sixteen v) { return below(v - 0x90, 0x30); });
        uint64_t known = punctuation(same(0xE2), same(0x80), third, same(0xC2), same(0xA0));
        return all([](Sixteen v) { return high(v); }) & ~known;
    }

    [[gnu::always_inline]] static Masks read(const uint8_t* p, uint8_t* lowered) {
        Sixteen a = load(p), b = load(p + 16), c = load(p + 32), d = load(p + 48);
        Sixteen wa = classify(a, lowered), wb = classify(b, lowered + 16);
        Sixteen wc = classify(c, lowered + 32), wd = classify(d, lowered + 48);
        return {bits(wa, wb, wc, wd), high_bits(a, b, c, d)};
    }
};

#else
using VectorBlock = PlainBlock;
#endif

}  // namespace twinset
