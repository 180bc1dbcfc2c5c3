// The logarithmic sample of a set: for i = 0, 1, 2, ... the least value divisible by 2^i, while there
// is one. About half as many values as the set has binary digits in its size.
#pragma once
#include <array>
#include <bit>
#include <cstdint>

namespace twinset {

class LogarithmicSample {
  public:
    void add(uint64_t value) {
        size_t zeros = value ? static_cast<size_t>(std::countr_zero(value)) : kLevels - 1;
        if (there_[zeros] && least_[zeros] <= value) return;
        there_[zeros] = true;
        least_[zeros] = value;
    }

    // Takes every value of the sample once, the greatest first: values divisible by a higher power
    // of two are divisible by the lower ones, so that a level keeps its own least value only where
    // it lies below all of them.
    template <class Take>
    void each(Take&& take) const {
        bool any = false;
        uint64_t least = 0;
        for (size_t zeros = kLevels; zeros-- > 0;) {
            if (!there_[zeros] || (any && least <= least_[zeros])) continue;
            any = true;
            least = least_[zeros];
            take(least);
        }
    }

  private:
    static constexpr size_t kLevels = 65;  // 0 is divisible by all powers
    std::array<uint64_t, kLevels> least_{};
    std::array<bool, kLevels> there_{};
};

}  // namespace twinset
