// How often N-grams occur, and whether the same always follows them.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gram_scan.hpp"
#include "large_pages.hpp"
#include "stop.hpp"

namespace twinset {

// What is known of an N-gram: how often it occurs, and whether the same follows it everywhere.
struct GramFacts {
    uint32_t count = 0;
    bool one_next = false;
    bool joins(const GramFacts& following) const { return one_next && count == following.count; }

    // In one number, to be kept.
    uint32_t packed() const { return std::min(count, UINT32_MAX >> 1) << 1 | one_next; }
    static GramFacts unpacked(uint32_t packed) { return {packed >> 1, (packed & 1) != 0}; }
};

// Open addressing. One thread adds at a time.
class GramTable {
  public:
    struct Entry {
        uint64_t key;
        uint64_t nexts;  // the sum of what follows
        uint32_t check;
        uint32_t count;   // 0: the slot is free
        uint32_t number;  // in the order in which they were added

        // What is known of it, of which `next` follows one.
        GramFacts facts(uint64_t next) const { return {count, nexts == count * next}; }
    };

    size_t size() const { return used_; }

    void add(const GramKey& gram, uint32_t count, uint64_t nexts) {
        if (5 * (used_ + 1) > 4 * entries_.size()) grow();
        Entry& entry = entries_[slot(gram)];
        if (!entry.count) entry = {gram.key, 0, gram.check, 0, static_cast<uint32_t>(used_++)};
        if (count > UINT32_MAX - entry.count) return;
        entry.count += count;
        entry.nexts += nexts;
    }
    // One that was added.
    const Entry& operator[](const GramKey& gram) const { return entries_[slot(gram)]; }
    // Its slot may be fetched before it is looked at.
    void fetch(const GramKey& gram) const {
        if (!entries_.empty()) __builtin_prefetch(&entries_[place(gram.key)], 1);
    }

  private:
    size_t place(uint64_t key) const {
        return static_cast<size_t>(static_cast<unsigned __int128>(key) * entries_.size() >> 64);
    }
    // That of the gram, or the free one where it would be.
    size_t slot(const GramKey& gram) const {
        size_t at = place(gram.key);
        while (entries_[at].count && (entries_[at].key != gram.key || entries_[at].check != gram.check))
            at = at + 1 == entries_.size() ? 0 : at + 1;
        return at;
    }
    void grow() {
        stop_point();
        LargeVector<Entry> old(entries_.size() + entries_.size() / 2 + 64, Entry{});
        old.swap(entries_);
        for (const Entry& entry : old)
            if (entry.count) entries_[slot({entry.key, entry.check})] = entry;
    }

    LargeVector<Entry> entries_;
    size_t used_ = 0;
};

}  // namespace twinset
