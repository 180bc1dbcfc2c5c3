// The kernels with variants for AVX-512 as processors since Ice Lake and Zen 4 have it.
#pragma once
#include <array>

#include "wide_x86.hpp"

#if defined(__x86_64__)

#define TWINSET_AVX512 \
    __attribute__((target("avx2,bmi,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,popcnt")))

#if defined(__GNUC__) && !defined(__clang__)  // GCC's own headers leave vectors undefined on purpose
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

namespace twinset::wide {

inline constexpr auto kSixtyFour = [] {
    std::array<uint8_t, 64> places{};
    for (size_t i = 0; i < 64; ++i) places[i] = static_cast<uint8_t>(i);
    return places;
}();

// Writes 16 of the places, from number `first` on, as edges.
template <int first>
TWINSET_AVX512 inline void store_places(__m512i places, uint32_t base, uint32_t* to) {
    __m512i wide = _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(places, first / 16));
    _mm512_storeu_si512(to + first, _mm512_add_epi32(wide, _mm512_set1_epi32(static_cast<int>(base))));
}

TWINSET_AVX512 inline void read_run_avx512(TextRun& run, size_t blocks) {
    TextRun at = run;
    const __m512i all_places = _mm512_loadu_si512(kSixtyFour.data());
    const __m512i blank = _mm512_set1_epi8(0x20);
    for (; blocks; --blocks) {
        __m512i v = _mm512_loadu_si512(at.p);
        if (_mm512_movepi8_mask(v) && needs_closer_look(at.p)) break;
        __m512i small = _mm512_or_si512(v, blank);
        uint64_t letter =
            _mm512_cmplt_epu8_mask(_mm512_sub_epi8(small, _mm512_set1_epi8('a')), _mm512_set1_epi8(26));
        uint64_t digit =
            _mm512_cmplt_epu8_mask(_mm512_sub_epi8(v, _mm512_set1_epi8('0')), _mm512_set1_epi8(10));
        _mm512_storeu_si512(at.out, _mm512_mask_blend_epi8(letter, v, small));
        uint64_t word = letter | digit;
        uint64_t edges = word ^ (word << 1 | at.inside);
        __m512i places = _mm512_maskz_compress_epi8(edges, all_places);
        size_t count = static_cast<size_t>(std::popcount(edges));
        store_places<0>(places, at.place, at.edge);
        store_places<16>(places, at.place, at.edge);
        if (count > 32) [[unlikely]] {
            store_places<32>(places, at.place, at.edge);
            store_places<48>(places, at.place, at.edge);
        }
        at.edge += count;
        at.inside = word >> 63;
        at.p += 64, at.out += 64, at.place += 64;
    }
    run = at;
}

TWINSET_AVX512 inline size_t copy_avx512(const uint8_t* p, size_t room, uint8_t* out, uint8_t& high) {
    __m512i seen = _mm512_setzero_si512();
    size_t n = 0;
    for (; room - n >= 64; n += 64) {
        __m512i v = _mm512_loadu_si512(p + n);
        _mm512_storeu_si512(out + n, v);
        seen = _mm512_or_si512(seen, v);
        uint64_t stops = _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('"')) |
                         _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('\\')) |
                         _mm512_cmplt_epu8_mask(v, _mm512_set1_epi8(0x20));
        if (stops) {
            n += static_cast<size_t>(std::countr_zero(stops));
            break;
        }
    }
    if (_mm512_movepi8_mask(seen)) high |= 0x80;
    return n;
}

TWINSET_AVX512 inline __m512i mix_eight(__m512i x) {
    x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 30));
    x = _mm512_mullo_epi64(x, _mm512_set1_epi64(static_cast<long long>(0xBF58476D1CE4E5B9ull)));
    x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 27));
    x = _mm512_mullo_epi64(x, _mm512_set1_epi64(static_cast<long long>(0x94D049BB133111EBull)));
    return _mm512_xor_si512(x, _mm512_srli_epi64(x, 31));
}

TWINSET_AVX512 inline void throw_values_avx512(const uint64_t* values, size_t n, uint64_t key, uint32_t size,
                                               uint64_t* sketch) {
    __m512i keys = _mm512_set1_epi64(static_cast<long long>(key));
    uint64_t permuted[kThrown];
    while (n >= 8) {
        size_t count = std::min(kThrown, n / 8 * 8);
        for (size_t i = 0; i < count; i += 8)
            _mm512_storeu_si512(permuted + i,
                                mix_eight(_mm512_xor_si512(_mm512_loadu_si512(values + i), keys)));
        for (size_t i = 0; i < count; ++i) throw_one(permuted[i], size, sketch);
        values += count, n -= count;
    }
    throw_values(values, n, key, size, sketch);
}

inline constexpr WideKernels kAvx512{read_run_avx512, copy_avx512, throw_values_avx512};

}  // namespace twinset::wide

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#endif
