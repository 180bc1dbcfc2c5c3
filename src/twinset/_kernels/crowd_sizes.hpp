// How small the documents are that have a frequent feature in their prefixes. In the order of the join,
// let f be the first feature that two documents share: all that they share is f and what comes after it,
// in both. So a document needs f as a key only if that much is enough for a partner of the least size
// with this key; for larger ones more has to be shared.
//
// Features are hashed to places. Where two meet, the lesser size is known of both, and less is pruned.
#pragma once
#include <algorithm>
#include <cstdint>

#include "hash.hpp"
#include "large_pages.hpp"

namespace twinset {

class CrowdSizes {
  public:
    CrowdSizes() : least_(kPlaces, kNobody) {}

    // From any thread: a document of this size has the feature in its prefix.
    void add(uint64_t feature, uint64_t size) {
        uint32_t* least = &least_[place(feature)];
        uint32_t mine = static_cast<uint32_t>(std::min<uint64_t>(size, kNobody - 1));
        uint32_t now = __atomic_load_n(least, __ATOMIC_RELAXED);
        while (mine < now &&
               !__atomic_compare_exchange_n(least, &now, mine, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        }
    }

    uint64_t least(uint64_t feature) const { return least_[place(feature)]; }

  private:
    static constexpr size_t kPlaces = size_t{1} << 20;
    static constexpr uint32_t kNobody = ~0u;

    static size_t place(uint64_t feature) { return static_cast<size_t>(mix(feature)) & (kPlaces - 1); }

    LargeVector<uint32_t> least_;
};

}  // namespace twinset
