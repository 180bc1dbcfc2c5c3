// Equal runs of several documents put together: numbers in the order of their first ones.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "large_pages.hpp"
#include "stop.hpp"

namespace twinset {

struct RunGroups {
    static constexpr size_t kAhead = 16;
    std::vector<int64_t> order;   // the runs group by group, those of a group as they come
    std::vector<int64_t> begins;  // where each group begins in it, and the end of all

    RunGroups(std::span<const uint64_t> key, std::span<const uint32_t> check) : order(key.size()) {
        size_t mask = std::bit_ceil(2 * key.size() + 1) - 1;
        LargeVector<uint64_t> slots(mask + 1, 0);  // the first run of a group, from 1
        std::vector<uint32_t> group(key.size());
        std::vector<int64_t> counts;
        Pace pace;
        for (size_t i = 0; i < key.size(); pace(8), ++i) {
            if (i + kAhead < key.size()) __builtin_prefetch(&slots[key[i + kAhead] & mask], 1);
            size_t slot = static_cast<size_t>(key[i]) & mask;
            auto same = [&](size_t other) { return key[i] == key[other] && check[i] == check[other]; };
            while (slots[slot] && !same(slots[slot] - 1)) slot = (slot + 1) & mask;
            if (!slots[slot]) {
                slots[slot] = i + 1;
                group[i] = static_cast<uint32_t>(counts.size());
                counts.push_back(0);
            } else {
                group[i] = group[slots[slot] - 1];
            }
            ++counts[group[i]];
        }
        begins.assign(counts.size() + 1, 0);
        for (size_t g = 0; g < counts.size(); ++g) begins[g + 1] = begins[g] + counts[g];
        std::vector<int64_t> next(begins.begin(), begins.end() - 1);
        for (size_t i = 0; i < key.size(); pace(), ++i) order[next[group[i]]++] = static_cast<int64_t>(i);
    }
};

}  // namespace twinset
