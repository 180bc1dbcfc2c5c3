// Keys of the exact similarity join (prefix filter; Chaudhuri, Ganti, Kaushik 2006; Bayardo, Ma,
// Srikant 2007): order all features rare first; two sets that share enough must share one of the
// first size - needed + 1 features of each. Any total order is right; this one is by the counts of
// `feature_counts.hpp`.
//
// How long a prefix is depends on the partner: the smaller it is, the less has to be shared. Of thousands
// of pages of one template, all prefixes that are long enough for the smallest partner reach into the
// template, though no such partner may be there. So the keys of frequent features can be pruned
// (`crowd_sizes.hpp`; the positional filter of Xiao et al. 2008).
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "crowd_sizes.hpp"
#include "feature_counts.hpp"
#include "group.hpp"
#include "measure.hpp"
#include "parallel.hpp"
#include "store.hpp"

namespace twinset {

// The rarest features of an ascending list, of those that are counted twice or more.
class Rarest {
  public:
    // Calls `use` with the places of the first `most` by count, equal ones by feature.
    template <class Use>
    void choose(const std::vector<uint32_t>& count, size_t most, Use use) {
        uint32_t cut = last_count(count, most);
        for (size_t k = 0; k < count.size(); ++k) {
            if (count[k] <= 1 || count[k] > cut) continue;
            if (count[k] == cut) {
                if (!most_at_cut_) continue;
                --most_at_cut_;
            }
            use(k);
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

// The prefix of one document, and room to find it. A feature whose counter is 1 is in no other document and
// is left out.
class Prefix {
  public:
    struct Frequent {
        uint32_t count;
        uint64_t feature;
        bool operator<(const Frequent& other) const {
            return count != other.count ? count < other.count : feature < other.feature;
        }
    };

    // That of the i-th document of those that were counted, which has this list.
    void find(FeatureList list, size_t i, const FeatureCounts& counts, Measure measure, double threshold) {
        counts.look_up(i, list, count_, count_room_);
        rare.clear();
        frequent.clear();
        size = list.size();
        alone = static_cast<size_t>(
            std::count_if(count_.begin(), count_.end(), [](uint32_t c) { return c <= 1; }));
        if (size == 0) return;
        uint64_t least = needed_with_any(measure, threshold, size);
        if (least + alone > size) return;
        rarest_.choose(count_, size - static_cast<size_t>(least) + 1 - alone, [&](size_t k) {
            if (count_[k] < kFrequent) rare.push_back(list[k]);
            else frequent.push_back({count_[k], list[k]});
        });
    }

    template <class Use>
    void each(Use use) const {
        for (uint64_t feature : rare) use(feature);
        for (const Frequent& one : frequent) use(one.feature);
    }

    size_t size = 0, alone = 0;  // features of the document, and those that no other one has
    std::vector<uint64_t> rare;
    std::vector<Frequent> frequent;

  private:
    static constexpr uint32_t kFrequent = 128;
    std::vector<uint32_t> count_;
    std::vector<uint16_t> count_room_;
    Rarest rarest_;
};

// The keys of documents: the features of their prefixes.
class PrefixKeys {
  public:
    PrefixKeys(const FeatureStore& store, const std::vector<uint32_t>& documents, const FeatureCounts& counts,
               Measure measure, double threshold, int threads)
        : alone(documents.size(), 0),
          store_(store),
          documents_(documents),
          counts_(counts),
          measure_(measure),
          threshold_(threshold),
          threads_(threads) {}

    // Adds the keys of all documents to the grouper.
    void add(Grouper& grouper) {
        each(everybody(), grouper, [&](size_t i, Desk& desk, std::vector<uint64_t>& keys) {
            alone[i] = static_cast<uint32_t>(desk.prefix.alone);
            desk.prefix.each([&](uint64_t feature) { keys.push_back(feature); });
        });
    }

    // The same without the keys of frequent features that nobody of a fitting size has. The rows of
    // each key still come with rising documents.
    void add_pruned(Grouper& grouper) {
        CrowdSizes sizes;
        std::vector<uint8_t> crowded(documents_.size(), 0);
        each(everybody(), grouper, [&](size_t i, Desk& desk, std::vector<uint64_t>& keys) {
            Prefix& prefix = desk.prefix;
            alone[i] = static_cast<uint32_t>(prefix.alone);
            keys.swap(prefix.rare);
            crowded[i] = !prefix.frequent.empty();
            for (const auto& frequent : prefix.frequent) sizes.add(frequent.feature, prefix.size);
        });
        std::vector<uint32_t> rows;
        for (uint32_t i = 0; i < crowded.size(); ++i)
            if (crowded[i]) rows.push_back(i);
        each(rows, grouper, [&](size_t, Desk& desk, std::vector<uint64_t>& keys) {
            Prefix& prefix = desk.prefix;
            std::sort(prefix.frequent.begin(), prefix.frequent.end());
            uint64_t left = prefix.size - prefix.alone - prefix.rare.size();  // features from this one on
            for (const auto& frequent : prefix.frequent) {
                uint64_t least =
                    desk.needed(measure_, threshold_, prefix.size, sizes.least(frequent.feature));
                if (least <= left--) keys.push_back(frequent.feature);
            }
        });
    }

    std::vector<uint32_t> alone;  // of each document: features that no other one has

  private:
    static constexpr size_t kChunk = 8192;

    struct Desk {
        Prefix prefix;
        NeededOverlaps needed;
        std::vector<uint64_t> room;
    };

    std::vector<uint32_t> everybody() const {
        std::vector<uint32_t> rows(documents_.size());
        std::iota(rows.begin(), rows.end(), 0);
        return rows;
    }

    // Calls `make` with each row, its prefix and room for its keys, and adds these.
    template <class Make>
    void each(const std::vector<uint32_t>& rows, Grouper& grouper, Make make) {
        std::vector<std::vector<uint64_t>> keys(std::min(kChunk, rows.size()));
        std::vector<Desk> desks(static_cast<size_t>(std::max(threads_, 1)));
        for (size_t start = 0; start < rows.size(); start += kChunk) {
            size_t chunk = std::min(kChunk, rows.size() - start);
            parallel_blocks(chunk, 64, threads_, [&](size_t begin, size_t end, int worker) {
                Desk& desk = desks[static_cast<size_t>(worker)];
                for (size_t i = begin; i < end; ++i) {
                    stop_point();
                    size_t row = rows[start + i];
                    desk.prefix.find(store_.list(documents_[row], desk.room), row, counts_, measure_,
                                     threshold_);
                    keys[i].clear();
                    make(row, desk, keys[i]);
                }
            });
            for (size_t i = 0; i < chunk; ++i)
                for (uint64_t key : keys[i]) grouper.add(key, documents_[rows[start + i]]);
        }
    }

    const FeatureStore& store_;
    const std::vector<uint32_t>& documents_;
    const FeatureCounts& counts_;
    Measure measure_;
    double threshold_;
    int threads_;
};

}  // namespace twinset
