// How many documents have each feature, by 16-bit counters that features share by their hash. They stop at
// their top: beyond that a feature is merely frequent.
//
// Where the counters take more memory than there is, some of them are counted at a time. What chooses the
// counter of each feature is dealt to a temporary file first, by rounds, so that the lists are not read again
// for every round; and the counts of every document's features go to another. So the counts are the same
// whatever the memory. Or they come from outside, counted over a larger collection.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
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
        : store_(&store), documents_(documents), threads_(threads), file_(folder) {
        size_t held = counters;
        while (held > kLeast && held * sizeof(uint16_t) > memory) held /= 2;
        within_ = held - 1;
        rounds_ = counters / held;
        counts_.assign(held, 0);
        if (rounds_ == 1) {
            count_all();
            known_ = counts_;
            return;
        }
        make_places();
        SpillFile dealt(folder);
        deal(dealt);
        for (size_t round = 0; round < rounds_; ++round) {
            if (round > 0) std::fill(counts_.begin(), counts_.end(), uint16_t{0});
            count(dealt, round);
        }
        LargeVector<uint16_t>().swap(counts_);
        put_in_order(dealt);
    }

    // Counts that are known, a power of two of them; they have to live on.
    explicit FeatureCounts(std::span<const uint16_t> known)
        : within_(known.size() - 1), known_(known), file_("") {}

    // The counts of the features of the i-th document; `room` serves to read them.
    void look_up(size_t i, FeatureList list, std::vector<uint32_t>& counts,
                 std::vector<uint16_t>& room) const {
        counts.resize(list.size());
        if (!known_.empty()) {
            each(list, known_.data(), [&](size_t k, uint64_t at) { counts[k] = std::min(known_[at], kTop); });
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

    // Calls `use` with each block of documents: its number, the first and the end.
    template <class Use>
    void each_block(Use use) const {
        parallel_blocks(documents_.size(), kBlock, threads_,
                        [&](size_t begin, size_t end, int) { use(begin / kBlock, begin, end); });
    }

    template <class Use>
    void each_list(size_t begin, size_t end, Use use) const {
        std::vector<uint64_t> room;
        for (size_t i = begin; i < end; ++i) {
            stop_point();
            use(store_->list(documents_[i], room));
        }
    }

    // Calls `use` with the place of each of these numbers among them and that of its counter. Counters lie
    // far apart: they are on their way while others are worked on.
    template <class Number, class Use>
    void each(std::span<const Number> numbers, const uint16_t* counters, Use use) const {
        auto fetch = [&](size_t k) { __builtin_prefetch(counters + (numbers[k] & within_), 1); };
        for (size_t k = 0; k < std::min(numbers.size(), kAhead); ++k) fetch(k);
        for (size_t k = 0; k < numbers.size(); ++k) {
            if (k + kAhead < numbers.size()) fetch(k + kAhead);
            use(k, numbers[k] & within_);
        }
    }

    template <class Number>
    void count(std::span<const Number> numbers) {
        each(numbers, counts_.data(), [&](size_t, uint64_t at) {
            // two threads may pass the test at once, so the top leaves room for all of them
            if (__atomic_load_n(&counts_[at], __ATOMIC_RELAXED) < kTop)
                __atomic_fetch_add(&counts_[at], uint16_t{1}, __ATOMIC_RELAXED);
        });
    }

    void count_all() {
        each_block([&](size_t, size_t begin, size_t end) {
            each_list(begin, end, [&](FeatureList list) { count(list); });
        });
    }

    // Where the features of every `kBlock` documents begin among all, and the end of all.
    void make_places() {
        uint64_t place = 0;
        for (size_t i = 0; i < documents_.size(); ++i) {
            if (i % kBlock == 0) places_.push_back(place);
            place += store_->size(documents_[i]);
        }
        places_.push_back(place);
        file_.reserve(place * sizeof(uint16_t));
    }

    // A block of the dealt file: for each round how many features it has, then those of one round after the
    // other.
    uint64_t dealt_at(size_t block) const { return (places_[block] + block * rounds_) * sizeof(uint32_t); }
    size_t dealt_size(size_t block) const { return places_[block + 1] - places_[block] + rounds_; }
    size_t round_of(uint64_t feature) const {
        return static_cast<size_t>(feature / (within_ + 1)) & (rounds_ - 1);
    }

    void deal(SpillFile& dealt) const {
        dealt.reserve(dealt_at(places_.size() - 1));
        each_block([&](size_t block, size_t begin, size_t end) {
            std::vector<std::vector<uint32_t>> rounds(rounds_);
            each_list(begin, end, [&](FeatureList list) {
                for (uint64_t feature : list)
                    rounds[round_of(feature)].push_back(static_cast<uint32_t>(feature & within_));
            });
            std::vector<uint32_t> out;
            out.reserve(dealt_size(block));
            for (const auto& round : rounds) out.push_back(static_cast<uint32_t>(round.size()));
            for (const auto& round : rounds) out.insert(out.end(), round.begin(), round.end());
            dealt.write(dealt_at(block), out.data(), out.size() * sizeof(uint32_t));
        });
    }

    // Puts counts in the place of what chose the counters of a round.
    void count(SpillFile& dealt, size_t round) {
        auto each_piece = [&](auto use) {
            each_block([&](size_t block, size_t, size_t) {
                std::vector<uint32_t> sizes(rounds_), piece;
                dealt.read(dealt_at(block), sizes.data(), rounds_ * sizeof(uint32_t));
                piece.resize(sizes[round]);
                uint64_t before = std::accumulate(sizes.begin(), sizes.begin() + round, uint64_t{rounds_});
                uint64_t at = dealt_at(block) + before * sizeof(uint32_t);
                dealt.read(at, piece.data(), piece.size() * sizeof(uint32_t));
                use(piece, at);
            });
        };
        each_piece([&](const std::vector<uint32_t>& piece, uint64_t) { count(std::span(piece)); });
        each_piece([&](std::vector<uint32_t>& piece, uint64_t at) {
            each(std::span<const uint32_t>(piece), counts_.data(),
                 [&](size_t k, uint64_t counter) { piece[k] = std::min(counts_[counter], kTop); });
            dealt.write(at, piece.data(), piece.size() * sizeof(uint32_t));
        });
    }

    // The counts of all rounds, as the features of each document lie in its list.
    void put_in_order(const SpillFile& dealt) {
        each_block([&](size_t block, size_t begin, size_t end) {
            std::vector<uint32_t> counts(dealt_size(block));
            dealt.read(dealt_at(block), counts.data(), counts.size() * sizeof(uint32_t));
            std::vector<size_t> next(rounds_, rounds_);
            for (size_t r = 1; r < rounds_; ++r) next[r] = next[r - 1] + counts[r - 1];
            std::vector<uint16_t> ordered;
            ordered.reserve(counts.size());
            each_list(begin, end, [&](FeatureList list) {
                for (uint64_t feature : list)
                    ordered.push_back(static_cast<uint16_t>(counts[next[round_of(feature)]++]));
            });
            file_.write(places_[block] * sizeof(uint16_t), ordered.data(), ordered.size() * sizeof(uint16_t));
        });
    }

    const FeatureStore* store_ = nullptr;
    std::span<const uint32_t> documents_;
    int threads_ = 1;
    uint64_t within_ = 0;  // the bits of a feature that choose its counter among those that are held,
    size_t rounds_ = 1;    // and how many times these are counted with the bits above
    LargeVector<uint16_t> counts_;
    std::span<const uint16_t> known_;  // those that are looked up, where all are held
    std::vector<uint64_t> places_;
    SpillFile file_;
};

}  // namespace twinset
