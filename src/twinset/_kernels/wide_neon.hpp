// The kernels with variants for NEON, which every 64-bit ARM processor has.
#pragma once
#include "wide_plain.hpp"

#if defined(__aarch64__) && defined(__ARM_NEON) && !defined(__AARCH64EB__)
#include <arm_neon.h>

namespace twinset::wide {

inline size_t copy_neon(const uint8_t* p, size_t room, uint8_t* out, uint8_t& high) {
    uint8x16_t seen = vdupq_n_u8(0);
    size_t n = 0;
    for (; room - n >= 32; n += 32) {
        uint8x16_t a = vld1q_u8(p + n), b = vld1q_u8(p + n + 16);
        uint8x16_t stop_a = stop_lanes(a), stop_b = stop_lanes(b);
        vst1q_u8(out + n, a);
        vst1q_u8(out + n + 16, b);
        seen = vorrq_u8(seen, vorrq_u8(a, b));
        if (lane_bits(vorrq_u8(stop_a, stop_b))) {
            uint64_t first = lane_bits(stop_a), second = lane_bits(stop_b);
            n += first ? std::countr_zero(first) / 4 : 16 + std::countr_zero(second) / 4;
            break;
        }
    }
    high |= vmaxvq_u8(seen);
    return n;
}

// The low half of v times `by`, which is also given with its halves crossed.
inline uint64x2_t multiply(uint64x2_t v, uint64_t by) {
    uint32x4_t crossed = vreinterpretq_u32_u64(vdupq_n_u64(by << 32 | by >> 32));
    uint64x2_t upper = vpaddlq_u32(vmulq_u32(vreinterpretq_u32_u64(v), crossed));
    return vmlal_u32(vshlq_n_u64(upper, 32), vmovn_u64(v), vdup_n_u32(static_cast<uint32_t>(by)));
}

inline uint64x2_t mix_two(uint64x2_t x) {
    x = multiply(veorq_u64(x, vshrq_n_u64(x, 30)), 0xBF58476D1CE4E5B9ull);
    x = multiply(veorq_u64(x, vshrq_n_u64(x, 27)), 0x94D049BB133111EBull);
    return veorq_u64(x, vshrq_n_u64(x, 31));
}

// Of six values the vector unit takes two and the multiplier the others: each alone is slower.
inline void throw_values_neon(const uint64_t* __restrict values, size_t n, uint64_t key, uint32_t size,
                              uint64_t* __restrict sketch) {
    for (; n >= 6; n -= 6, values += 6) {
        uint64x2_t two = mix_two(veorq_u64(vld1q_u64(values), vdupq_n_u64(key)));
        uint64_t four[4];
        for (size_t k = 0; k < 4; ++k) four[k] = mix(values[2 + k] ^ key);
        for (uint64_t x : four) throw_one(x, size, sketch);
        throw_one(vgetq_lane_u64(two, 0), size, sketch);
        throw_one(vgetq_lane_u64(two, 1), size, sketch);
    }
    throw_values(values, n, key, size, sketch);
}

inline constexpr WideKernels kNeon{nullptr, copy_neon, throw_values_neon};

}  // namespace twinset::wide
#endif
