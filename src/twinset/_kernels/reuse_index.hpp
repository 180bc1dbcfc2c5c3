// Where runs of `seed` words stand in the documents of one side, to be looked up for those of the other.
// Words are whole numbers (hashes); a run is looked up by a hash of its words, and compared word by word
// afterwards.
//
// All places of a run lie together, in reading order. A run that stands in more than `most` documents of
// both sides is dropped: what is left leads to at most `most` places for every word of both sides.
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "hash.hpp"
#include "large_pages.hpp"
#include "parallel.hpp"
#include "stop.hpp"

namespace twinset {

using Words = std::span<const uint64_t>;

// Calls take(place, key) for the runs of `seed` words of a document.
template <class Take>
void each_seed(Words words, size_t seed, Take&& take) {
    if (words.size() < seed) return;
    uint64_t power = 1, sum = 0;
    for (size_t i = 0; i < seed; ++i) power *= kShingle, sum = sum * kShingle + words[i];
    for (size_t i = 0;; ++i) {
        take(i, std::max<uint64_t>(mix(sum + kGolden), 1));
        if (i + seed == words.size()) return;
        sum = sum * kShingle + words[i + seed] - words[i] * power;
    }
}

// Words of the indexed side, at most: a third more slots than these, all in one shard, have numbers of 32
// bits.
inline constexpr size_t kMostWords = 3'000'000'000;

class SeedIndex {
  public:
    struct Entry {
        uint64_t key = 0;
        uint32_t begin = 0, places = 0;  // no places: the slot is free
    };

    // Offsets are those of the documents in `words`.
    SeedIndex(Words words, std::span<const int64_t> offsets, size_t seed, uint32_t most, int threads)
        : words_(words), offsets_(offsets), seed_(seed), most_(most), crowded_(words.size(), 0) {
        std::vector<uint64_t> keys(words.size(), 0);  // 0: none begins here
        parallel_blocks(documents(), 16, threads, [&](size_t first, size_t past, int) {
            for (size_t d = first; d < past; ++d) {
                size_t at = begin(d);
                each_seed(document(d), seed_, [&](size_t i, uint64_t key) { keys[at + i] = key; });
            }
        });
        places_.resize(words.size());
        std::vector<uint32_t> slots(words.size());
        std::array<size_t, kShards + 1> sizes{};
        for (uint64_t key : keys) sizes[shard_of(key) + 1] += key != 0;
        for (size_t s = 0; s < kShards; ++s) sizes[s + 1] += sizes[s];
        size_t groups = static_cast<size_t>(std::clamp(threads, 1, static_cast<int>(kShards)));
        parallel_blocks(groups, 1, threads, [&](size_t group, size_t, int) {
            size_t first = group * kShards / groups, past = (group + 1) * kShards / groups;
            fill(keys, slots, sizes, first, past);
        });
        std::sort(frequent_.begin(), frequent_.end());
        counts_ = std::vector<std::atomic<uint32_t>>(frequent_.size());
    }

    size_t seed() const { return seed_; }
    size_t documents() const { return offsets_.size() - 1; }
    size_t begin(size_t d) const { return static_cast<size_t>(offsets_[d] - offsets_[0]); }
    Words document(size_t d) const { return words_.subspan(begin(d), begin(d + 1) - begin(d)); }
    size_t document_of(uint32_t place) const {
        auto after = std::upper_bound(offsets_.begin(), offsets_.end(), offsets_[0] + int64_t{place});
        return static_cast<size_t>(after - offsets_.begin()) - 1;
    }
    std::span<const uint32_t> places(const Entry& entry) const {
        return {places_.data() + entry.begin, entry.places};
    }

    // A run that stands more often than this in one document is held against others by rank only.
    static constexpr size_t kCrowd = 8;
    bool crowded(size_t place) const { return crowded_[place]; }

    void fetch(uint64_t key) const {
        const Shard& shard = shards_[shard_of(key)];
        if (!shard.empty()) __builtin_prefetch(&shard[place(shard, key)]);
    }
    const Entry* find(uint64_t key) const {
        const Shard& shard = shards_[shard_of(key)];
        if (shard.empty()) return nullptr;
        const Entry& entry = shard[slot(shard, key)];
        return entry.places ? &entry : nullptr;
    }

    // Runs in more than `most` documents of this side: whether they are dropped, the other side decides.
    bool needs_count() const { return !frequent_.empty(); }
    bool is_frequent(const Entry& entry) const {
        return entry.places > most_ && number(entry) < counts_.size();
    }
    void count(const Entry& entry) { counts_[number(entry)].fetch_add(1, std::memory_order_relaxed); }
    bool dropped(const Entry& entry) const { return is_frequent(entry) && counts_[number(entry)] > most_; }
    int64_t dropped() const {
        return std::count_if(counts_.begin(), counts_.end(), [&](const auto& n) { return n > most_; });
    }

  private:
    static constexpr size_t kShards = 16;
    using Shard = LargeVector<Entry>;

    static size_t shard_of(uint64_t key) { return key >> 60; }
    static size_t place(const Shard& shard, uint64_t key) {
        return static_cast<size_t>(static_cast<unsigned __int128>(key << 4) * shard.size() >> 64);
    }
    static size_t slot(const Shard& shard, uint64_t key) {
        size_t at = place(shard, key);
        while (shard[at].places && shard[at].key != key) at = at + 1 == shard.size() ? 0 : at + 1;
        return at;
    }

    // Some shards: counts the places of each run, then puts them down.
    void fill(const std::vector<uint64_t>& keys, std::vector<uint32_t>& slots,
              const std::array<size_t, kShards + 1>& sizes, size_t first, size_t past) {
        Pace pace;
        auto each = [&](auto&& take) {
            for (size_t i = 0; i < keys.size(); pace(), ++i)
                if (size_t s = shard_of(keys[i]); keys[i] && s >= first && s < past) take(i, shards_[s]);
        };
        for (size_t s = first; s < past; ++s)
            if (size_t count = sizes[s + 1] - sizes[s]) shards_[s].assign(count + count / 3 + 1, Entry{});
        each([&](size_t i, Shard& shard) {
            if (i + kAhead < keys.size()) {
                size_t ahead = shard_of(keys[i + kAhead]);  // those of other threads are not touched
                if (ahead >= first && ahead < past) fetch(keys[i + kAhead]);
            }
            slots[i] = static_cast<uint32_t>(slot(shard, keys[i]));
            Entry& entry = shard[slots[i]];
            entry.key = keys[i];
            ++entry.places;
        });
        for (size_t s = first; s < past; ++s) {
            auto at = static_cast<uint32_t>(sizes[s]);
            for (Entry& entry : shards_[s]) entry.begin = at, at += entry.places;
        }
        each([&](size_t i, Shard& shard) { places_[shard[slots[i]].begin++] = static_cast<uint32_t>(i); });
        for (size_t s = first; s < past; ++s)
            for (Entry& entry : shards_[s]) {
                entry.begin -= entry.places;
                pace();
                if (entry.places > 1) look_at_documents(entry);
            }
    }

    void look_at_documents(const Entry& entry) {
        std::span<const uint32_t> all = places(entry);
        if (all.size() <= kCrowd && all.size() <= most_) return;
        size_t documents = 0;
        for (size_t i = 0; i < all.size(); ++documents) {
            size_t end = begin(document_of(all[i]) + 1), j = i + 1;
            while (j < all.size() && all[j] < end) ++j;
            if (j - i > kCrowd)
                for (size_t k = i; k < j; ++k) crowded_[all[k]] = 1;
            i = j;
        }
        if (documents <= most_) return;
        std::lock_guard<std::mutex> lock(guard_);
        frequent_.push_back(entry.begin);
    }

    // Its number among the frequent ones, or how many there are.
    size_t number(const Entry& entry) const {
        auto at = std::lower_bound(frequent_.begin(), frequent_.end(), entry.begin);
        return at != frequent_.end() && *at == entry.begin ? static_cast<size_t>(at - frequent_.begin())
                                                           : frequent_.size();
    }

    static constexpr size_t kAhead = 8;

    Words words_;
    std::span<const int64_t> offsets_;
    size_t seed_;
    uint32_t most_;
    std::array<Shard, kShards> shards_;
    std::vector<uint32_t> places_;
    std::vector<uint8_t> crowded_;
    std::mutex guard_;
    std::vector<uint32_t> frequent_;             // where the places of these begin
    std::vector<std::atomic<uint32_t>> counts_;  // documents of the other side
};

}  // namespace twinset
