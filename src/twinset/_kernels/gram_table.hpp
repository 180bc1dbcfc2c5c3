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

// What is known by a key: open addressing, of entries that have a key, a check, and say whether they are
// free.
template <class Entry>
class GramSlots {
  public:
    // Rooms that are free, as a new Entry is.
    explicit GramSlots(size_t count = 0) : entries_(count, Entry{}) {}

    size_t size() const { return entries_.size(); }
    const Entry* data() const { return entries_.data(); }

    // That of a gram, or the free one where it would be.
    const Entry& operator[](const GramKey& gram) const { return entries_[slot(gram)]; }
    Entry& operator[](const GramKey& gram) { return entries_[slot(gram)]; }

    // Makes room where one more than `used` would leave too little: false where there is enough.
    bool grow(size_t used) {
        if (5 * (used + 1) <= 4 * entries_.size()) return false;
        stop_point();
        GramSlots larger(entries_.size() + entries_.size() / 2 + 64);
        for (const Entry& entry : entries_)
            if (!entry.is_free()) larger[{entry.key, entry.check}] = entry;
        entries_.swap(larger.entries_);
        return true;
    }

    // Where a key is looked for first, of so many.
    static size_t place(uint64_t key, size_t size) {
        return static_cast<size_t>(static_cast<unsigned __int128>(key) * size >> 64);
    }

  private:
    size_t slot(const GramKey& gram) const {
        size_t at = place(gram.key, entries_.size());
        auto is_other = [&](const Entry& entry) {
            return !entry.is_free() && (entry.key != gram.key || entry.check != gram.check);
        };
        while (is_other(entries_[at])) at = at + 1 == entries_.size() ? 0 : at + 1;
        return at;
    }

    LargeVector<Entry> entries_;
};

// One thread adds at a time.
class GramTable {
  public:
    struct Entry {
        uint64_t key;
        uint64_t nexts;  // the sum of what follows
        uint32_t check;
        uint32_t count;
        uint32_t number;  // in the order in which they were added

        bool is_free() const { return count == 0; }
        // What is known of it, of which `next` follows one.
        GramFacts facts(uint64_t next) const { return {count, nexts == count * next}; }
    };

    size_t size() const { return used_; }

    void add(const GramKey& gram, uint32_t count, uint64_t nexts) {
        slots_.grow(used_);
        Entry& entry = slots_[gram];
        if (entry.is_free()) entry = {gram.key, 0, gram.check, 0, static_cast<uint32_t>(used_++)};
        if (count > UINT32_MAX - entry.count) return;
        entry.count += count;
        entry.nexts += nexts;
    }
    // One that was added.
    const Entry& operator[](const GramKey& gram) const { return slots_[gram]; }
    // Its slot may be fetched before it is looked at.
    void fetch(const GramKey& gram) const {
        if (slots_.size()) __builtin_prefetch(slots_.data() + slots_.place(gram.key, slots_.size()), 1);
    }

  private:
    GramSlots<Entry> slots_;
    size_t used_ = 0;
};

}  // namespace twinset
