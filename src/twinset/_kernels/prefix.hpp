// Keys of the exact similarity join (prefix filter; Chaudhuri, Ganti, Kaushik 2006; Bayardo, Ma,
// Srikant 2007): order all features rare first; two sets that share enough must share one of the
// first size - needed + 1 features of each. Any total order is right; this one counts features in
// a table of hashed counters, so its size (a matter of memory) never changes which pairs are found.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "group.hpp"
#include "large_pages.hpp"
#include "measure.hpp"
#include "parallel.hpp"
#include "store.hpp"

namespace twinset {

// 16-bit counters that stop at their top: beyond that a feature is merely frequent.
class FeatureCounts {
  public:
    explicit FeatureCounts(size_t counters) : mask_(counters - 1), counts_(counters, 0) {}

    // Counters lie far apart: they are on their way while others are worked on.
    void add(FeatureList list) {
        for (size_t i = 0; i < std::min(list.size(), kAhead); ++i) fetch(list[i]);
        for (size_t i = 0; i < list.size(); ++i) {
            if (i + kAhead < list.size()) fetch(list[i + kAhead]);
            uint16_t* counter = &counts_[list[i] & mask_];
            // two threads may pass the test at once, so the top leaves room for all of them
            if (__atomic_load_n(counter, __ATOMIC_RELAXED) < kTop)
                __atomic_fetch_add(counter, uint16_t{1}, __ATOMIC_RELAXED);
        }
    }

    // The count of each feature of the list; nobody may add any more.
    void look_up(FeatureList list, std::vector<uint32_t>& counts) const {
        counts.resize(list.size());
        for (size_t i = 0; i < list.size(); ++i)
            counts[i] = std::min<uint32_t>(counts_[list[i] & mask_], kTop);
    }

  private:
    static constexpr uint16_t kTop = 60000;
    static constexpr size_t kAhead = 24;

    void fetch(uint64_t feature) const { __builtin_prefetch(&counts_[feature & mask_], 1); }

    uint64_t mask_;
    LargeVector<uint16_t> counts_;
};

// Adds the prefix of each document in `documents` to the grouper. A feature whose counter is 1 is
// in no other document and needs no key; returns how many such features each document has.
inline std::vector<uint32_t> add_prefixes(const FeatureStore& store, const std::vector<uint32_t>& documents,
                                          Measure measure, double threshold, size_t counters,
                                          Grouper& grouper, int threads) {
    FeatureCounts counts(counters);
    parallel_blocks(documents.size(), 256, threads, [&](size_t begin, size_t end, int) {
        std::vector<uint64_t> room;
        for (size_t i = begin; i < end; ++i) {
            stop_point();
            counts.add(store.list(documents[i], room));
        }
    });
    struct Ranked {
        uint32_t count;
        uint64_t feature;
        bool operator<(const Ranked& o) const {
            return count != o.count ? count < o.count : feature < o.feature;
        }
    };
    constexpr size_t kChunk = 8192;
    std::vector<std::vector<uint64_t>> keys(kChunk);
    std::vector<uint32_t> private_features(documents.size(), 0);
    for (size_t start = 0; start < documents.size(); start += kChunk) {
        size_t chunk = std::min(kChunk, documents.size() - start);
        parallel_blocks(chunk, 64, threads, [&](size_t begin, size_t end, int) {
            std::vector<uint64_t> room;
            std::vector<Ranked> ranked;
            std::vector<uint32_t> count;
            for (size_t i = begin; i < end; ++i) {
                stop_point();
                keys[i].clear();
                FeatureList list = store.list(documents[start + i], room);
                counts.look_up(list, count);
                ranked.resize(list.size());
                size_t met = 0;
                for (size_t k = 0; k < list.size(); ++k) {
                    ranked[met] = {count[k], list[k]};
                    met += count[k] > 1;
                }
                ranked.resize(met);
                size_t alone = list.size() - ranked.size();
                private_features[start + i] = static_cast<uint32_t>(alone);
                if (list.size() == 0) continue;
                uint64_t least = needed_with_any(measure, threshold, list.size());
                if (least > list.size()) continue;
                size_t prefix = list.size() - static_cast<size_t>(least) + 1;
                if (alone >= prefix) continue;
                size_t wanted = std::min(prefix - alone, ranked.size());
                if (wanted < ranked.size())
                    std::nth_element(ranked.begin(), ranked.begin() + static_cast<ptrdiff_t>(wanted),
                                     ranked.end());
                for (size_t k = 0; k < wanted; ++k) keys[i].push_back(ranked[k].feature);
            }
        });
        for (size_t i = 0; i < chunk; ++i)
            for (uint64_t key : keys[i]) grouper.add(key, documents[start + i]);
    }
    return private_features;
}

}  // namespace twinset
