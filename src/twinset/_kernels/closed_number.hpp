// Equal 64-bit keys brought together: features become small numbers.
#pragma once
#include <cstdint>
#include <vector>

#include "hash.hpp"
#include "large_pages.hpp"
#include "parallel.hpp"

namespace twinset::closed {

// Key and owner; what is done with equal keys is done partition by partition, each of which fits
// the cache. The partitions depend on the keys alone, so results do not depend on the threads.
struct Entry {
    uint64_t key;
    uint32_t owner, number;
};

class Partitions {
  public:
    // `each(take)` calls take(key, owner) for all entries, twice in the same order.
    template <class Each>
    Partitions(size_t expected, Each&& each) {
        while (bits_ < 12 && (expected >> bits_) > (size_t{1} << 14)) ++bits_;
        starts_.assign((size_t{1} << bits_) + 1, 0);
        Pace pace;
        each([&](uint64_t key, uint32_t) {
            pace();
            ++starts_[part_of(key) + 1];
        });
        for (size_t p = 0; p < count(); ++p) starts_[p + 1] += starts_[p];
        entries_.resize(starts_.back());
        std::vector<size_t> next(starts_.begin(), starts_.end() - 1);
        each([&](uint64_t key, uint32_t owner) {
            pace();
            entries_[next[part_of(key)]++] = {key, owner, 0};
        });
    }

    size_t count() const { return starts_.size() - 1; }
    Entry* begin(size_t p) { return entries_.data() + starts_[p]; }
    Entry* end(size_t p) { return entries_.data() + starts_[p + 1]; }

    // Calls met(first, entry) for every entry of a partition, `first` being the first with its key
    // (which may be the entry itself).
    template <class Met>
    void match(size_t p, std::vector<uint32_t>& table, Met&& met) {
        constexpr uint32_t kFree = ~0u;
        Entry* entries = begin(p);
        size_t count = static_cast<size_t>(end(p) - entries), room = 16;
        while (room < 2 * count) room *= 2;
        table.assign(room, kFree);
        Pace pace;
        for (size_t i = 0; i < count; ++i) {
            pace();
            size_t at = mix(entries[i].key) & (room - 1);
            while (table[at] != kFree && entries[table[at]].key != entries[i].key) at = (at + 1) & (room - 1);
            if (table[at] == kFree) table[at] = static_cast<uint32_t>(i);
            met(entries[table[at]], entries[i]);
        }
    }

  private:
    size_t part_of(uint64_t key) const { return bits_ ? mix(key ^ kWordB) >> (64 - bits_) : 0; }

    int bits_ = 0;
    std::vector<size_t> starts_;
    LargeVector<Entry> entries_;
};

// Gives equal keys equal numbers 0, 1, 2, ...: numbers[i] belongs to the key of place i. Returns how
// many there are. `each(take)` calls take(key, place) for all `count` places, twice in the same order.
template <class Each>
size_t number_keys(size_t count, Each&& each, LargeVector<uint32_t>& numbers, int threads) {
    Partitions parts(count, each);
    numbers.resize(count);
    std::vector<size_t> distinct(parts.count() + 1);
    parallel_blocks(parts.count(), 1, threads, [&](size_t p, size_t, int) {
        std::vector<uint32_t> table;
        parts.match(p, table, [&](Entry& first, Entry& entry) {
            if (&first == &entry) entry.number = static_cast<uint32_t>(distinct[p + 1]++);
            entry.number = first.number;
        });
    });
    for (size_t p = 0; p < parts.count(); ++p) distinct[p + 1] += distinct[p];
    parallel_blocks(parts.count(), 1, threads, [&](size_t p, size_t, int) {
        for (const Entry* e = parts.begin(p); e != parts.end(p); ++e)
            numbers[e->owner] = e->number + static_cast<uint32_t>(distinct[p]);
    });
    return distinct.back();
}

}  // namespace twinset::closed
