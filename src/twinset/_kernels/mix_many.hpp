// mix (hash.hpp) of many values while they are made.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

#include "hash.hpp"

#if defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace twinset {

#if defined(__ARM_NEON) && defined(__aarch64__)

// ARM cores multiply 64-bit integers slowly and one at a time, and making the values keeps that
// unit busy. So the vector unit mixes eight values, with products of 32-bit halves, in eight steps
// that the caller puts between the making of eight others.
class EightMixed {
  public:
    static constexpr size_t kValues = 8;

    template <int step>
    void run(uint64_t* values, uint64_t salt) {
        if constexpr (step == 0) load(values, salt);
        if constexpr (step == 1) fold_down<30>();
        if constexpr (step == 2) cross_multiply(0xBF58476D1CE4E5B9ull);
        if constexpr (step == 3) finish_multiply(0xBF58476D1CE4E5B9ull);
        if constexpr (step == 4) fold_down<27>();
        if constexpr (step == 5) cross_multiply(0x94D049BB133111EBull);
        if constexpr (step == 6) finish_multiply(0x94D049BB133111EBull);
        if constexpr (step == 7) store(values);
    }

  private:
    void load(const uint64_t* values, uint64_t salt) {
        for (int i = 0; i < 4; ++i) v_[i] = veorq_u64(vld1q_u64(values + 2 * i), vdupq_n_u64(salt));
    }

    void store(uint64_t* values) {
        fold_down<31>();
        for (int i = 0; i < 4; ++i) vst1q_u64(values + 2 * i, v_[i]);
    }

    template <int shift>
    void fold_down() {
        for (int i = 0; i < 4; ++i) other_[i] = vshrq_n_u64(v_[i], shift);
        for (int i = 0; i < 4; ++i) v_[i] = veorq_u64(v_[i], other_[i]);
    }

    void cross_multiply(uint64_t by) {
        uint32x4_t crossed = vreinterpretq_u32_u64(vdupq_n_u64(by << 32 | by >> 32));
        for (int i = 0; i < 4; ++i) other_[i] = vpaddlq_u32(vmulq_u32(vreinterpretq_u32_u64(v_[i]), crossed));
    }

    void finish_multiply(uint64_t by) {
        uint32x2_t low = vdup_n_u32(static_cast<uint32_t>(by));
        for (int i = 0; i < 4; ++i) other_[i] = vshlq_n_u64(other_[i], 32);
        for (int i = 0; i < 4; ++i) v_[i] = vmlal_u32(other_[i], vmovn_u64(v_[i]), low);
    }

    uint64x2_t v_[4];
    uint64x2_t other_[4];
};

#else

class EightMixed {
  public:
    static constexpr size_t kValues = 8;

    template <int step>
    void run(uint64_t* values, uint64_t salt) {
        values[step] = mix(values[step] ^ salt);
    }
};

#endif

// Sets out[i] to mix(make(i) ^ salt) for i in [0, n), make called in rising order; the mixing
// follows the making eight values behind, so that a CPU works on both at once.
template <class Make>
inline void make_mixed(uint64_t* out, size_t n, uint64_t salt, Make&& make) {
    constexpr size_t kValues = EightMixed::kValues;
    size_t whole = n / kValues * kValues;
    EightMixed mixing;
    auto both = [&]<size_t... step>(uint64_t* behind, size_t at, std::index_sequence<step...>) {
        ((out[at + step] = make(at + step), mixing.template run<step>(behind, salt)), ...);
    };
    auto mix_last = [&]<size_t... step>(uint64_t* behind, std::index_sequence<step...>) {
        (mixing.template run<step>(behind, salt), ...);
    };
    using Steps = std::make_index_sequence<kValues>;
    for (size_t i = 0; i < kValues && i < whole; ++i) out[i] = make(i);
    for (size_t i = kValues; i < whole; i += kValues) both(out + i - kValues, i, Steps{});
    if (whole) mix_last(out + whole - kValues, Steps{});
    for (size_t i = whole; i < n; ++i) out[i] = mix(make(i) ^ salt);
}

}  // namespace twinset
