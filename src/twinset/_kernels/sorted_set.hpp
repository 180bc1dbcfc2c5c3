// Hashes to a sorted list without repeats.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace twinset {

class SortedSet {
public:
    // Sorts n values in place, drops repeats and returns how many are left.
    size_t sort(uint64_t* values, size_t n) {
        std::sort(values, values + n);
        return std::unique(values, values + n) - values;
    }
};

}  // namespace twinset
