// What is known of an N-gram: how often it occurs, and whether the same follows it everywhere.
#pragma once
#include <algorithm>
#include <cstdint>

namespace twinset {

struct GramFacts {
    uint32_t count = 0;
    bool one_next = false;
    bool joins(const GramFacts& following) const { return one_next && count == following.count; }

    // In one number, to be kept.
    uint32_t packed() const { return std::min(count, UINT32_MAX >> 1) << 1 | one_next; }
    static GramFacts unpacked(uint32_t packed) { return {packed >> 1, (packed & 1) != 0}; }
};

}  // namespace twinset
