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
    static constexpr uint32_t kNone = UINT32_MAX;
    struct Slot {
        uint64_t key = 0;
        uint32_t check = 0, group = kNone;
    };
    std::vector<int64_t> order;   // the runs group by group, those of a group as they come
    std::vector<int64_t> begins;  // where each group begins in it, and the end of all

    RunGroups(std::span<const uint64_t> key, std::span<const uint32_t> check) : order(key.size()) {
        size_t mask = std::bit_ceil(2 * key.size() + 1) - 1;
        LargeVector<Slot> slots(mask + 1, Slot{});
        std::vector<uint32_t> group(key.size());
        std::vector<int64_t> counts;
        Pace pace;
        for (size_t i = 0; i < key.size(); pace(8), ++i) {
            if (i + kAhead < key.size()) __builtin_prefetch(&slots[key[i + kAhead] & mask], 1);
            size_t slot = static_cast<size_t>(key[i]) & mask;
            auto is_other = [&](const Slot& one) { return one.key != key[i] || one.check != check[i]; };
            while (slots[slot].group != kNone && is_other(slots[slot])) slot = (slot + 1) & mask;
            if (slots[slot].group == kNone) {
                slots[slot] = {key[i], check[i], static_cast<uint32_t>(counts.size())};
                counts.push_back(0);
            }
            group[i] = slots[slot].group;
            ++counts[group[i]];
        }
        begins.assign(counts.size() + 1, 0);
        for (size_t g = 0; g < counts.size(); ++g) begins[g + 1] = begins[g] + counts[g];
        std::vector<int64_t> next(begins.begin(), begins.end() - 1);
        for (size_t i = 0; i < key.size(); pace(), ++i) order[next[group[i]]++] = static_cast<int64_t>(i);
    }
};

}  // namespace twinset
