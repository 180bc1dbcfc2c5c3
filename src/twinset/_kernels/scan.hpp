// Searching bytes many at a time: the next byte that matters inside a JSON string, and UTF-8
// validation that hurries over ASCII. NEON and SSE2 where there are, plain loops elsewhere; all
// give the same answers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(TWINSET_PORTABLE)  // the plain loops, to test them where there is SIMD
#elif defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>
#define TWINSET_NEON 1
#elif defined(__SSE2__)
#include <emmintrin.h>
#define TWINSET_SSE2 1
#endif

namespace twinset {

// A quote, a backslash or a control character: where copying a JSON string has to stop and look.
inline bool stops_string(uint8_t c) { return c == '"' || c == '\\' || c < 0x20; }

#if defined(TWINSET_NEON)
inline uint8x16_t stop_lanes(uint8x16_t v) {
    uint8x16_t quote = vceqq_u8(v, vdupq_n_u8('"')), slash = vceqq_u8(v, vdupq_n_u8('\\'));
    return vorrq_u8(vorrq_u8(quote, slash), vcltq_u8(v, vdupq_n_u8(0x20)));
}
// Four bits a lane: NEON has no movemask.
inline uint64_t lane_bits(uint8x16_t lanes) {
    return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(lanes), 4)), 0);
}
#endif

// How many of the 16 bytes at p come before one that stops a string (16: none of them stops).
inline size_t plain_prefix16(const uint8_t* p) {
#if defined(TWINSET_NEON)
    uint64_t bits = lane_bits(stop_lanes(vld1q_u8(p)));
    return bits ? static_cast<size_t>(__builtin_ctzll(bits)) >> 2 : 16;
#elif defined(TWINSET_SSE2)
    __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    __m128i stop = _mm_or_si128(
        _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'))),
        _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1f)), v));
    unsigned bits = static_cast<unsigned>(_mm_movemask_epi8(stop));
    return bits ? static_cast<size_t>(__builtin_ctz(bits)) : 16;
#else
    size_t i = 0;
    while (i < 16 && !stops_string(p[i])) ++i;
    return i;
#endif
}

// True when one of the 16 bytes at p is not ASCII.
inline bool any_high16(const uint8_t* p) {
    uint64_t lo, hi;
    std::memcpy(&lo, p, 8);
    std::memcpy(&hi, p + 8, 8);
    return ((lo | hi) & 0x8080808080808080ull) != 0;
}

// The first byte in [p, end) that stops a string, or end. `high` is set when a byte passed on the
// way may be non-ASCII (it may also be set by a byte shortly behind the answer).
inline const uint8_t* find_stop(const uint8_t* p, const uint8_t* end, bool& high) {
#if defined(TWINSET_NEON)
    uint8x16_t seen = vdupq_n_u8(0);
    auto at = [](const uint8_t* from, uint64_t bits) { return from + (__builtin_ctzll(bits) >> 2); };
    while (end - p >= 64) {
        uint8x16_t a = vld1q_u8(p), b = vld1q_u8(p + 16);
        uint8x16_t c = vld1q_u8(p + 32), d = vld1q_u8(p + 48);
        uint8x16_t sa = stop_lanes(a), sb = stop_lanes(b), sc = stop_lanes(c), sd = stop_lanes(d);
        seen = vorrq_u8(seen, vorrq_u8(vorrq_u8(a, b), vorrq_u8(c, d)));
        if (lane_bits(vorrq_u8(vorrq_u8(sa, sb), vorrq_u8(sc, sd)))) {
            if (lane_bits(vcgeq_u8(seen, vdupq_n_u8(0x80)))) high = true;
            if (uint64_t bits = lane_bits(sa)) return at(p, bits);
            if (uint64_t bits = lane_bits(sb)) return at(p + 16, bits);
            if (uint64_t bits = lane_bits(sc)) return at(p + 32, bits);
            return at(p + 48, lane_bits(sd));
        }
        p += 64;
    }
    if (lane_bits(vcgeq_u8(seen, vdupq_n_u8(0x80)))) high = true;
#endif
    while (end - p >= 16) {
        size_t n = plain_prefix16(p);
        if (!high) high = any_high16(p);
        p += n;
        if (n < 16) return p;
    }
    while (p < end && !stops_string(*p)) high |= *p++ >= 0x80;
    return p;
}

// Bytes of the well-formed UTF-8 character at p, 0 when there is none (overlong forms, surrogates
// and values above U+10FFFF are not well formed).
inline size_t utf8_length(const uint8_t* p, const uint8_t* end) {
    uint8_t c = p[0];
    size_t left = static_cast<size_t>(end - p);
    auto follows = [&](size_t i) { return (p[i] & 0xC0) == 0x80; };
    if (c < 0x80) return 1;
    if (c < 0xC2 || c > 0xF4) return 0;
    if (c < 0xE0) return left >= 2 && follows(1) ? 2 : 0;
    if (c < 0xF0) {
        if (left < 3 || !follows(1) || !follows(2)) return 0;
        if (c == 0xE0 && p[1] < 0xA0) return 0;
        return c == 0xED && p[1] >= 0xA0 ? 0 : 3;
    }
    if (left < 4 || !follows(1) || !follows(2) || !follows(3)) return 0;
    if (c == 0xF0 && p[1] < 0x90) return 0;
    return c == 0xF4 && p[1] >= 0x90 ? 0 : 4;
}

// The first byte in [p, end) that is not ASCII, or end.
inline const uint8_t* find_high(const uint8_t* p, const uint8_t* end) {
    while (end - p >= 64 && !(any_high16(p) | any_high16(p + 16) | any_high16(p + 32) | any_high16(p + 48)))
        p += 64;
    while (end - p >= 16 && !any_high16(p)) p += 16;
    while (p < end && *p < 0x80) ++p;
    return p;
}

inline bool valid_utf8(const uint8_t* p, const uint8_t* end) {
    while ((p = find_high(p, end)) < end) {
        // The usual neighbours of a foreign character are others and single blanks.
        while (p < end && (*p >= 0x80 || *p == ' ')) {
            size_t n = utf8_length(p, end);
            if (n == 0) return false;
            p += n;
        }
    }
    return true;
}

}  // namespace twinset
