// How many documents have each feature, by 16-bit counters that features share by their hash. They stop at
// their top: beyond that a feature is merely frequent.
//
// Where the counters take more memory than there is, some of them are counted at a time, in rounds over
// all documents, and the counts of every document's features go to a temporary file. So the counts are
// the same whatever the memory. Or they come from outside, counted over a larger collection.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "large_pages.hpp"
#include "parallel.hpp"
#include "spill.hpp"
#include "store.hpp"

namespace twinset {

class FeatureCounts {
  public:
    // `counters` is a power of two; about `memory` bytes are held.
    FeatureCounts(const FeatureStore& store, const std::vector<uint32_t>& documents, size_t counters,
                  size_t memory, const std::string& folder, int threads)
        : store_(&store), documents_(documents), others_(counters - 1), file_(folder) {
        size_t held = counters;
        while (held > kLeast && held * sizeof(uint16_t) > memory) held /= 2;
        within_ = held - 1;
        others_ &= ~within_;
        counts_.assign(held, 0);
        if (others_ == 0) {
            count(threads);
            known_ = counts_;
            return;
        }
        make_places();
        for (round_ = 0; round_ < counters; round_ += held) {
            if (round_ > 0) std::fill(counts_.begin(), counts_.end(), uint16_t{0});
            count(threads);
            keep(threads);
        }
        LargeVector<uint16_t>().swap(counts_);
    }

    // Counts that are known, a power of two of them; they have to live on.
    explicit FeatureCounts(std::span<const uint16_t> known)
        : within_(known.size() - 1), others_(0), known_(known), file_("") {}

    // The counts of the features of the i-th document; `room` serves to read them.
    void look_up(size_t i, FeatureList list, std::vector<uint32_t>& counts,
                 std::vector<uint16_t>& room) const {
        counts.resize(list.size());
        if (others_ == 0) {
            each(list, [&](size_t k, uint64_t at) { counts[k] = std::min(known_[at], kTop); });
            return;
        }
        room.resize(list.size());
        uint64_t place = places_[i / kBlock];
        for (size_t j = i - i % kBlock; j < i; ++j) place += store_->size(documents_[j]);
        file_.read(place * sizeof(uint16_t), room.data(), room.size() * sizeof(uint16_t));
        std::copy(room.begin(), room.end(), counts.begin());
    }

  private:
    static constexpr uint16_t kTop = 60000;
    static constexpr size_t kAhead = 24, kBlock = 64, kLeast = size_t{1} << 10;

    void count(int threads) {
        parallel_blocks(documents_.size(), kBlock, threads, [&](size_t begin, size_t end, int) {
            std::vector<uint64_t> room;
            for (size_t i = begin; i < end; ++i) {
                stop_point();
                each(store_->list(documents_[i], room), [&](size_t, uint64_t at) {
                    // two threads may pass the test at once, so the top leaves room for all of them
                    if (__atomic_load_n(&counts_[at], __ATOMIC_RELAXED) < kTop)
                        __atomic_fetch_add(&counts_[at], uint16_t{1}, __ATOMIC_RELAXED);
                });
            }
        });
    }

    // Adds the counts of this round to the file, where each document's features have their places.
    void keep(int threads) {
        parallel_blocks(documents_.size(), kBlock, threads, [&](size_t begin, size_t end, int) {
            uint64_t place = places_[begin / kBlock];
            std::vector<uint16_t> counts(places_[begin / kBlock + 1] - place);
            size_t bytes = counts.size() * sizeof(uint16_t);
            if (round_ > 0) file_.read(place * sizeof(uint16_t), counts.data(), bytes);
            std::vector<uint64_t> room;
            uint16_t* own = counts.data();
            for (size_t i = begin; i < end; ++i) {
                stop_point();
                FeatureList list = store_->list(documents_[i], room);
                each(list, [&](size_t k, uint64_t at) { own[k] = std::min(counts_[at], kTop); });
                own += list.size();
            }
            file_.write(place * sizeof(uint16_t), counts.data(), bytes);
        });
    }

    // Where the counts of every `kBlock` documents begin, and the end of all.
    void make_places() {
        uint64_t place = 0;
        for (size_t i = 0; i < documents_.size(); ++i) {
            if (i % kBlock == 0) places_.push_back(place);
            place += store_->size(documents_[i]);
        }
        places_.push_back(place);
        file_.reserve(place * sizeof(uint16_t));
    }

    // Calls `use` with the place of each feature that is counted in this round, in the list and among the
    // counters. These lie far apart: they are on their way while others are worked on.
    template <class Use>
    void each(FeatureList list, Use use) const {
        for (size_t k = 0; k < std::min(list.size(), kAhead); ++k) fetch(list[k]);
        for (size_t k = 0; k < list.size(); ++k) {
            if (k + kAhead < list.size()) fetch(list[k + kAhead]);
            if ((list[k] & others_) == round_) use(k, list[k] & within_);
        }
    }
    void fetch(uint64_t feature) const {
        if ((feature & others_) == round_ && !counts_.empty())
            __builtin_prefetch(&counts_[feature & within_], 1);
    }

    const FeatureStore* store_ = nullptr;
    std::span<const uint32_t> documents_;
    // Of the bits of a feature that choose its counter, those of the counters that are held and the others.
    uint64_t within_ = 0, others_, round_ = 0;
    LargeVector<uint16_t> counts_;
    std::span<const uint16_t> known_;  // those that are looked up, where all are held
    std::vector<uint64_t> places_;
    SpillFile file_;
};

}  // namespace twinset
