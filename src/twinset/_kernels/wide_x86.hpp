// The kernels with variants for x86-64: SSE2, which all have, and AVX2. (AVX-512: wide_avx512.hpp.)
#pragma once
#include "wide_plain.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#define TWINSET_AVX2 __attribute__((target("avx2,bmi")))

namespace twinset::wide {

inline size_t copy_sse2(const uint8_t* p, size_t room, uint8_t* out, uint8_t& high) {
    __m128i seen = _mm_setzero_si128();
    size_t n = 0;
    for (; room - n >= 16; n += 16) {
        __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + n));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + n), v);
        seen = _mm_or_si128(seen, v);
        size_t plain = plain_prefix16(p + n);
        if (plain < 16) {
            n += plain;
            break;
        }
    }
    if (_mm_movemask_epi8(seen)) high |= 0x80;
    return n;
}

inline constexpr WideKernels kSse2{nullptr, copy_sse2, throw_values};

TWINSET_AVX2 inline __m256i load32(const uint8_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
}
TWINSET_AVX2 inline void store32(void* p, __m256i v) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v);
}
TWINSET_AVX2 inline __m256i at_most(__m256i v, char bound) {
    return _mm256_cmpeq_epi8(_mm256_min_epu8(v, _mm256_set1_epi8(bound)), v);
}
TWINSET_AVX2 inline uint64_t bits32(__m256i v) { return static_cast<uint32_t>(_mm256_movemask_epi8(v)); }

// Which of 32 bytes belong to a word; all of them in lower case are written.
TWINSET_AVX2 inline uint64_t classify32(__m256i v, uint8_t* lowered) {
    __m256i small = _mm256_or_si256(v, _mm256_set1_epi8(0x20));
    __m256i letter = at_most(_mm256_sub_epi8(small, _mm256_set1_epi8('a')), 25);
    __m256i digit = at_most(_mm256_sub_epi8(v, _mm256_set1_epi8('0')), 9);
    store32(lowered, _mm256_or_si256(v, _mm256_and_si256(letter, _mm256_set1_epi8(0x20))));
    return bits32(_mm256_or_si256(letter, digit));
}

// Whether there is more in these 64 bytes than ASCII and the common marks of punctuation.
inline bool needs_closer_look(const uint8_t* p) {
    return VectorBlock::high_bits(VectorBlock::load(p), VectorBlock::load(p + 16), VectorBlock::load(p + 32),
                                  VectorBlock::load(p + 48)) != 0;
}

TWINSET_AVX2 inline void read_run_avx2(TextRun& run, size_t blocks) {
    TextRun at = run;
    for (; blocks; --blocks) {
        __m256i a = load32(at.p), b = load32(at.p + 32);
        if (_mm256_movemask_epi8(_mm256_or_si256(a, b)) && needs_closer_look(at.p)) break;
        uint64_t word = classify32(a, at.out) | classify32(b, at.out + 32) << 32;
        uint64_t edges = word ^ (word << 1 | at.inside);
        for (int byte = 0; byte < 8; ++byte, edges >>= 8, at.place += 8) {
            const uint8_t* places = kBytePlaces[edges & 255].data();
            __m256i eight = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(places)));
            store32(at.edge, _mm256_add_epi32(eight, _mm256_set1_epi32(static_cast<int>(at.place))));
            at.edge += kByteCount[edges & 255];
        }
        at.inside = word >> 63;
        at.p += 64, at.out += 64;
    }
    run = at;
}

TWINSET_AVX2 inline size_t copy_avx2(const uint8_t* p, size_t room, uint8_t* out, uint8_t& high) {
    __m256i seen = _mm256_setzero_si256();
    size_t n = 0;
    for (; room - n >= 32; n += 32) {
        __m256i v = load32(p + n);
        store32(out + n, v);
        seen = _mm256_or_si256(seen, v);
        __m256i quote = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('"'));
        __m256i slash = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\\'));
        uint64_t stops = bits32(_mm256_or_si256(_mm256_or_si256(quote, slash), at_most(v, 0x1F)));
        if (stops) {
            n += static_cast<size_t>(std::countr_zero(stops));
            break;
        }
    }
    if (_mm256_movemask_epi8(seen)) high |= 0x80;
    return n;
}

TWINSET_AVX2 inline __m256i multiply(__m256i v, uint64_t by) {
    __m256i low = _mm256_set1_epi64x(static_cast<long long>(by & 0xFFFFFFFF));
    __m256i high = _mm256_set1_epi64x(static_cast<long long>(by >> 32));
    __m256i crossed =
        _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(v, 32), low), _mm256_mul_epu32(v, high));
    return _mm256_add_epi64(_mm256_mul_epu32(v, low), _mm256_slli_epi64(crossed, 32));
}

TWINSET_AVX2 inline __m256i mix_four(__m256i x) {
    x = multiply(_mm256_xor_si256(x, _mm256_srli_epi64(x, 30)), 0xBF58476D1CE4E5B9ull);
    x = multiply(_mm256_xor_si256(x, _mm256_srli_epi64(x, 27)), 0x94D049BB133111EBull);
    return _mm256_xor_si256(x, _mm256_srli_epi64(x, 31));
}

// Values that are permuted at once, then thrown; as many as the first cache holds easily.
inline constexpr size_t kThrown = 128;

TWINSET_AVX2 inline void throw_values_avx2(const uint64_t* values, size_t n, uint64_t key, uint32_t size,
                                           uint64_t* sketch) {
    __m256i keys = _mm256_set1_epi64x(static_cast<long long>(key));
    uint64_t permuted[kThrown];
    while (n >= 4) {
        size_t count = std::min(kThrown, n / 4 * 4);
        for (size_t i = 0; i < count; i += 4) {
            __m256i four = load32(reinterpret_cast<const uint8_t*>(values + i));
            store32(permuted + i, mix_four(_mm256_xor_si256(four, keys)));
        }
        for (size_t i = 0; i < count; ++i) throw_one(permuted[i], size, sketch);
        values += count, n -= count;
    }
    throw_values(values, n, key, size, sketch);
}

inline constexpr WideKernels kAvx2{read_run_avx2, copy_avx2, throw_values_avx2};

}  // namespace twinset::wide
#endif
