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
        for (size_t i = 0; i < std::min(list.size(), kAhead); ++i) fetch(list[i]);
        for (size_t i = 0; i < list.size(); ++i) {
            if (i + kAhead < list.size()) fetch(list[i + kAhead]);
            counts[i] = std::min<uint32_t>(counts_[list[i] & mask_], kTop);
        }
    }

  private:
    static constexpr uint16_t kTop = 60000;
    static constexpr size_t kAhead = 24;

    void fetch(uint64_t feature) const { __builtin_prefetch(&counts_[feature & mask_], 1); }

    uint64_t mask_;
    LargeVector<uint16_t> counts_;
};

// The rarest features of an ascending list, of those that are counted twice or more.
class Rarest {
  public:
    // Appends the first `most` by count, equal ones by feature, to `chosen`.
    void choose(FeatureList list, const std::vector<uint32_t>& count, size_t most,
                std::vector<uint64_t>& chosen) {
        uint32_t cut = last_count(count, most);
        for (size_t k = 0; k < list.size(); ++k) {
            if (count[k] <= 1 || count[k] > cut) continue;
            if (count[k] == cut) {
                if (!most_at_cut_) continue;
                --most_at_cut_;
            }
            chosen.push_back(list[k]);
        }
    }

  private:
    // The greatest count that is chosen from, and how many of those that have it are chosen.
    uint32_t last_count(const std::vector<uint32_t>& count, size_t most) {
        std::fill(std::begin(features_), std::end(features_), 0);
        for (uint32_t c : count) ++features_[std::min(c, kFrequent)];
        most_at_cut_ = most;
        for (uint32_t c = 2; c < kFrequent; ++c) {
            if (features_[c] >= most_at_cut_) return c;
            most_at_cut_ -= features_[c];
        }
        return last_of_frequent(count);
    }

    uint32_t last_of_frequent(const std::vector<uint32_t>& count) {
        frequent_.clear();
        for (uint32_t c : count)
            if (c >= kFrequent) frequent_.push_back(c);
        if (frequent_.size() <= most_at_cut_) return ~uint32_t{0};
        auto last = frequent_.begin() + static_cast<ptrdiff_t>(most_at_cut_) - 1;
        std::nth_element(frequent_.begin(), last, frequent_.end());
        for (auto it = frequent_.begin(); it != last; ++it) most_at_cut_ -= *it < *last;
        return *last;
    }

    static constexpr uint32_t kFrequent = 64;
    uint32_t features_[kFrequent + 1];
    std::vector<uint32_t> frequent_;
    size_t most_at_cut_ = 0;
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
    constexpr size_t kChunk = 8192;
    std::vector<std::vector<uint64_t>> keys(kChunk);
    std::vector<uint32_t> private_features(documents.size(), 0);
    for (size_t start = 0; start < documents.size(); start += kChunk) {
        size_t chunk = std::min(kChunk, documents.size() - start);
        parallel_blocks(chunk, 64, threads, [&](size_t begin, size_t end, int) {
            std::vector<uint64_t> room;
            Rarest rarest;
            std::vector<uint32_t> count;
            for (size_t i = begin; i < end; ++i) {
                stop_point();
                keys[i].clear();
                FeatureList list = store.list(documents[start + i], room);
                counts.look_up(list, count);
                size_t alone = static_cast<size_t>(
                    std::count_if(count.begin(), count.end(), [](uint32_t c) { return c <= 1; }));
                private_features[start + i] = static_cast<uint32_t>(alone);
                if (list.size() == 0) continue;
                uint64_t least = needed_with_any(measure, threshold, list.size());
                if (least > list.size()) continue;
                size_t prefix = list.size() - static_cast<size_t>(least) + 1;
                if (alone >= prefix) continue;
                rarest.choose(list, count, prefix - alone, keys[i]);
            }
        });
        for (size_t i = 0; i < chunk; ++i)
            for (uint64_t key : keys[i]) grouper.add(key, documents[start + i]);
    }
    return private_features;
}

}  // namespace twinset
