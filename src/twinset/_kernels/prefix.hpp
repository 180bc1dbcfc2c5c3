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
#include "hash.hpp"
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

// The keys of documents: the features of their prefixes.
class PrefixKeys {
  public:
    PrefixKeys(const FeatureStore& store, const std::vector<uint32_t>& documents, Measure measure,
               double threshold, size_t counters, size_t memory, const std::string& folder, int threads)
        : alone(documents.size(), 0),
          store_(store),
          documents_(documents),
          measure_(measure),
          threshold_(threshold),
          threads_(threads),
          counts_(store, documents, counters, memory, folder, threads) {}

    // Adds the keys of all documents to the grouper. A feature whose counter is 1 is in no other document
    // and needs none.
    void add(Grouper& grouper) {
        each(everybody(), grouper, [&](size_t i, Desk& desk, std::vector<uint64_t>& keys) {
            alone[i] = static_cast<uint32_t>(desk.alone);
            keys.swap(desk.rare);
            for (const Frequent& frequent : desk.frequent) keys.push_back(frequent.feature);
        });
    }

    // The same without the keys of frequent features that nobody of a fitting size has. The rows of
    // each key still come with rising documents.
    void add_pruned(Grouper& grouper) {
        CrowdSizes sizes;
        std::vector<uint8_t> crowded(documents_.size(), 0);
        each(everybody(), grouper, [&](size_t i, Desk& desk, std::vector<uint64_t>& keys) {
            alone[i] = static_cast<uint32_t>(desk.alone);
            keys.swap(desk.rare);
            crowded[i] = !desk.frequent.empty();
            for (const Frequent& frequent : desk.frequent) sizes.add(frequent.feature, desk.size);
        });
        std::vector<uint32_t> rows;
        for (uint32_t i = 0; i < crowded.size(); ++i)
            if (crowded[i]) rows.push_back(i);
        each(rows, grouper, [&](size_t i, Desk& desk, std::vector<uint64_t>& keys) {
            std::sort(desk.frequent.begin(), desk.frequent.end());
            uint64_t left = desk.size - desk.alone - desk.rare.size();  // features from this one on
            bool met = false;
            for (const Frequent& frequent : desk.frequent) {
                met |= sizes.several(frequent.feature);
                uint64_t least = desk.needed(measure_, threshold_, desk.size, sizes.least(frequent.feature));
                if (least <= left--) keys.push_back(frequent.feature);
            }
            crowded[i] = met;
        });
        std::erase_if(rows, [&](uint32_t i) { return !crowded[i]; });
        keep_company(rows, grouper);
    }

    std::vector<uint32_t> alone;  // of each document: features that no other one has

  private:
    static constexpr size_t kChunk = 8192;
    static constexpr uint32_t kFrequent = 128;

    struct Frequent {
        uint32_t count;
        uint64_t feature;
        bool operator<(const Frequent& other) const {
            return count != other.count ? count < other.count : feature < other.feature;
        }
    };

    // The prefix of the document in hand, and room to find it.
    struct Desk {
        size_t size = 0, alone = 0;
        std::vector<uint64_t> rare;
        std::vector<Frequent> frequent;
        NeededOverlaps needed;
        std::vector<uint64_t> room;
        std::vector<uint32_t> count;
        std::vector<uint16_t> count_room;
        Rarest rarest;
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
                    find(rows[start + i], desk);
                    keys[i].clear();
                    make(rows[start + i], desk, keys[i]);
                }
            });
            for (size_t i = 0; i < chunk; ++i)
                for (uint64_t key : keys[i]) grouper.add(key, documents_[rows[start + i]]);
        }
    }

    void find(size_t i, Desk& desk) const {
        FeatureList list = store_.list(documents_[i], desk.room);
        counts_.look_up(i, list, desk.count, desk.count_room);
        desk.rare.clear();
        desk.frequent.clear();
        desk.size = list.size();
        desk.alone = static_cast<size_t>(
            std::count_if(desk.count.begin(), desk.count.end(), [](uint32_t c) { return c <= 1; }));
        if (list.size() == 0) return;
        uint64_t least = needed_with_any(measure_, threshold_, list.size());
        if (least + desk.alone > list.size()) return;
        desk.rarest.choose(desk.count, list.size() - static_cast<size_t>(least) + 1 - desk.alone,
                           [&](size_t k) {
                               if (desk.count[k] < kFrequent) desk.rare.push_back(list[k]);
                               else desk.frequent.push_back({desk.count[k], list[k]});
                           });
    }

    // Documents of a crowd stay among those that are worked on though they lose their keys, by groups of two
    // or three: which ones a chunk of `Pairing` holds is not to depend on what was pruned.
    void keep_company(const std::vector<uint32_t>& rows, Grouper& grouper) const {
        for (size_t k = 0; k < rows.size(); ++k) {
            size_t company = std::min(k / 2, rows.size() / 2 - 1);
            grouper.add(mix(~uint64_t{company}), documents_[rows[k]]);
        }
    }

    const FeatureStore& store_;
    const std::vector<uint32_t>& documents_;
    Measure measure_;
    double threshold_;
    int threads_;
    FeatureCounts counts_;
};

}  // namespace twinset
