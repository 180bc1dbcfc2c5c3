// Groups equal sequences: documents with equal images, classes with equal rows.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "hash.hpp"
#include "stop.hpp"

namespace twinset::closed {

struct Hashed {
    uint64_t hash;
    uint32_t item;
};

// Four sums side by side, because each waits for its own multiplication.
template <class T>
uint64_t hash_row(const T* begin, const T* end, uint64_t seed) {
    uint64_t sums[4] = {seed, seed ^ kWordA, seed ^ kWordB, seed ^ kGolden};
    const T* p = begin;
    for (; end - p >= 4; p += 4)
        for (int i = 0; i < 4; ++i) sums[i] = (sums[i] ^ (sums[i] >> 29) ^ p[i]) * kShingle;
    for (; p != end; ++p) sums[0] = (sums[0] ^ (sums[0] >> 29) ^ *p) * kShingle;
    uint64_t h = static_cast<uint64_t>(end - begin);
    for (uint64_t sum : sums) h = mix(h ^ sum) + sum;
    return h;
}

// Sets leader_of[item] to the first equal item, for the items of `keys`. Hashes only bring
// candidates together; `equal(a, b)` decides, so a collision never makes a wrong answer.
template <class Equal>
void find_leaders(std::vector<Hashed>& keys, std::vector<uint32_t>& leader_of, Equal&& equal) {
    stoppable_sort(keys.begin(), keys.end(), [](const Hashed& x, const Hashed& y) {
        return x.hash != y.hash ? x.hash < y.hash : x.item < y.item;
    });
    std::vector<uint32_t> leaders;
    Pace pace;
    for (size_t i = 0; i < keys.size();) {
        size_t end = i;
        leaders.clear();
        for (; end < keys.size() && keys[end].hash == keys[i].hash; ++end) {
            uint32_t item = keys[end].item;
            pace(256);
            auto same = [&](uint32_t leader) { return equal(leader, item); };
            auto found = std::find_if(leaders.begin(), leaders.end(), same);
            leader_of[item] = found == leaders.end() ? item : *found;
            if (leader_of[item] == item) leaders.push_back(item);
        }
        i = end;
    }
}

}  // namespace twinset::closed
