// The places of the set bits of a mask, eight at a time by table: no loop that a CPU would have to
// guess the end of.
#pragma once
#include <array>
#include <bit>
#include <cstdint>

#if defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace twinset {

inline constexpr auto kBytePlaces = [] {
    std::array<std::array<uint8_t, 8>, 256> places{};
    for (int byte = 0; byte < 256; ++byte)
        for (int bit = 0, at = 0; bit < 8; ++bit)
            if (byte >> bit & 1) places[byte][at++] = static_cast<uint8_t>(bit);
    return places;
}();

inline constexpr auto kByteCount = [] {
    std::array<uint8_t, 256> counts{};
    for (unsigned byte = 0; byte < 256; ++byte) counts[byte] = std::popcount(byte);
    return counts;
}();

// How many bits are set: by arithmetic, where the compiler may not use the instruction for it.
inline size_t count_bits(uint64_t mask) {
    constexpr uint64_t kTwos = 0x3333333333333333ull, kFours = 0x0F0F0F0F0F0F0F0Full;
    mask -= mask >> 1 & 0x5555555555555555ull;
    mask = (mask & kTwos) + (mask >> 2 & kTwos);
    return (((mask + (mask >> 4)) & kFours) * 0x0101010101010101ull) >> 56;
}

// Writes base + places[i] for eight places.
inline void write_eight(const uint8_t* places, uint32_t base, uint32_t* to) {
#if defined(__ARM_NEON) && defined(__aarch64__)
    uint16x8_t wide = vmovl_u8(vld1_u8(places));
    vst1q_u32(to, vaddw_u16(vdupq_n_u32(base), vget_low_u16(wide)));
    vst1q_u32(to + 4, vaddw_high_u16(vdupq_n_u32(base), wide));
#elif defined(__SSE2__)
    __m128i zero = _mm_setzero_si128(), from = _mm_set1_epi32(static_cast<int>(base));
    __m128i wide = _mm_unpacklo_epi8(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(places)), zero);
    __m128i low = _mm_add_epi32(_mm_unpacklo_epi16(wide, zero), from);
    __m128i high = _mm_add_epi32(_mm_unpackhi_epi16(wide, zero), from);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), low);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 4), high);
#else
    for (int i = 0; i < 8; ++i) to[i] = base + places[i];
#endif
}

// Writes base + i for every bit i of the mask and returns the end; overwrites up to 8 places more.
inline uint32_t* write_places(uint64_t mask, uint32_t base, uint32_t* to) {
    for (int byte = 0; byte < 8; ++byte, mask >>= 8, base += 8) {
        write_eight(kBytePlaces[mask & 255].data(), base, to);
        to += kByteCount[mask & 255];
    }
    return to;
}

}  // namespace twinset
