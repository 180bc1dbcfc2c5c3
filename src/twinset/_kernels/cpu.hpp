// Which vector instructions the kernels use. What the processor has is asked for when the module is
// loaded; a few kernels have variants (wide.hpp), and all variants give the same results. The rest is
// built for the least that every processor of the kind has.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace twinset {

// From the least to the most; `plain` uses none.
enum class Level { plain, sse2, neon, avx2, avx512 };

inline constexpr std::array<std::string_view, 5> kLevelNames = {"plain", "sse2", "neon", "avx2", "avx512"};

// Whether this processor has what the variants of a level are built with.
inline bool has_level(Level level) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    auto has = [](auto... each) { return (each && ...); };
    if (level == Level::sse2) return true;
    if (level == Level::avx2) return has(__builtin_cpu_supports("avx2"), __builtin_cpu_supports("bmi"));
    if (level == Level::avx512)
        return has(__builtin_cpu_supports("avx512f"), __builtin_cpu_supports("avx512bw"),
                   __builtin_cpu_supports("avx512dq"), __builtin_cpu_supports("avx512vl"),
                   __builtin_cpu_supports("avx512vbmi"), __builtin_cpu_supports("avx512vbmi2"));
#elif defined(__aarch64__) && defined(__ARM_NEON) && !defined(__AARCH64EB__)
    if (level == Level::neon) return true;
#endif
    return level == Level::plain;
}

inline std::vector<Level> levels_here() {
    std::vector<Level> levels;
    for (size_t i = 0; i < kLevelNames.size(); ++i)
        if (has_level(static_cast<Level>(i))) levels.push_back(static_cast<Level>(i));
    return levels;
}

inline std::optional<Level> level_named(std::string_view name) {
    for (size_t i = 0; i < kLevelNames.size(); ++i)
        if (kLevelNames[i] == name) return static_cast<Level>(i);
    return std::nullopt;
}

}  // namespace twinset
