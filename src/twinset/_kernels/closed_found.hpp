// The sets found in one component, each once, and how far the search got.
#pragma once
#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "closed_collapse.hpp"
#include "closed_types.hpp"

namespace twinset::closed {

struct Found {
    Lists<uint32_t> sets;  // local numbers of classes, ascending
    std::vector<int32_t> support;
    std::vector<uint8_t> in_cover;
    int64_t work = 0;
    int64_t members = 0;  // documents of all sets found by the search
    bool truncated = false;

    size_t count() const { return support.size(); }

    void add(std::vector<uint32_t>& members, int32_t shared) {
        std::sort(members.begin(), members.end());
        sets.items.insert(sets.items.end(), members.begin(), members.end());
        sets.close();
        support.push_back(shared);
        in_cover.push_back(0);
    }
};

// Adds the sets of a cover to those found, marking the ones that are there already.
class CoverMarker {
  public:
    explicit CoverMarker(Found& found) : found_(found) {
        for (uint32_t i = 0; i < found.count(); ++i)
            by_hash_.emplace(hash_row(found.sets.begin(i), found.sets.end(i), 0), i);
    }

    void add(std::vector<uint32_t>& members, int32_t shared) {
        std::sort(members.begin(), members.end());
        uint64_t hash = hash_row(members.data(), members.data() + members.size(), 0);
        auto [from, to] = by_hash_.equal_range(hash);
        for (; from != to; ++from) {
            uint32_t i = from->second;
            if (std::equal(members.begin(), members.end(), found_.sets.begin(i), found_.sets.end(i))) {
                found_.in_cover[i] = 1;
                return;
            }
        }
        by_hash_.emplace(hash, static_cast<uint32_t>(found_.count()));
        found_.add(members, shared);
        found_.in_cover.back() = 1;
    }

  private:
    Found& found_;
    std::unordered_multimap<uint64_t, uint32_t> by_hash_;
};

}  // namespace twinset::closed
