// The kernels that have variants, of the level in use: the best that the processor has, unless another
// one is chosen before work begins (TWINSET_INSTRUCTIONS; the tests compare all of them).
#pragma once
#include <atomic>

#include "cpu.hpp"
#include "wide_avx512.hpp"
#include "wide_neon.hpp"
#include "wide_plain.hpp"
#include "wide_x86.hpp"

namespace twinset {

inline const WideKernels* kernels_of(Level level) {
#if defined(__x86_64__)
    if (level == Level::avx512) return &wide::kAvx512;
    if (level == Level::avx2) return &wide::kAvx2;
    if (level == Level::sse2) return &wide::kSse2;
#elif defined(__aarch64__) && defined(__ARM_NEON) && !defined(__AARCH64EB__)
    if (level == Level::neon) return &wide::kNeon;
#endif
    return &wide::kPlain;
}

inline std::atomic<Level> level_in_use = levels_here().back();
inline std::atomic<const WideKernels*> kernels_in_use = kernels_of(level_in_use);

inline const WideKernels& wide_kernels() { return *kernels_in_use.load(std::memory_order_relaxed); }

inline void use_level(Level level) {
    level_in_use = level;
    kernels_in_use = kernels_of(level);
}

}  // namespace twinset
