// How often N-grams occur, and whether the same unit always follows them. The table is divided by the first
// bits of the key. Where it would take more memory than it may, it gives up the upper half of the parts that
// it has: these are counted in another round.
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "gram_scan.hpp"
#include "large_pages.hpp"
#include "stop.hpp"

namespace twinset {

struct CountedGram {
    GramKey gram;
    uint64_t next;
};

// What is known of an N-gram: how often it occurs, and whether one unit follows it everywhere.
struct GramFacts {
    uint32_t count = 0;
    bool one_next = false;
    bool joins(const GramFacts& following) const { return one_next && count == following.count; }
};

class GramTable {
  public:
    static constexpr size_t kParts = 32, kAtOnce = size_t{1} << 15;

    static constexpr int kBits = 5, kShift = 64 - kBits;

    // Counts the parts from `first` on.
    GramTable(size_t first, uint64_t most_bytes)
        : first_(first), end_(kParts), most_(most_bytes / sizeof(Entry)) {}

    size_t first() const { return first_; }
    size_t end() const { return end_; }  // of the parts that were counted
    bool holds(const GramKey& gram) const {
        size_t part = gram.key >> kShift;
        return part >= first_ && part < end_;
    }

    // Any number of threads may add at a time; empties the list.
    void add(std::vector<CountedGram>& grams) {
        std::array<uint32_t, kParts + 1> begins{};
        for (const CountedGram& one : grams) ++begins[(one.gram.key >> kShift) + 1];
        for (size_t p = 0; p < kParts; ++p) begins[p + 1] += begins[p];
        std::array<uint32_t, kParts + 1> next = begins;
        std::vector<CountedGram> sorted(grams.size());
        for (const CountedGram& one : grams) sorted[next[one.gram.key >> kShift]++] = one;
        for (size_t p = first_; p < end_; ++p) {
            if (begins[p] == begins[p + 1]) continue;
            std::lock_guard<std::mutex> lock(parts_[p].guard);
            if (p >= end_) break;
            Part& part = parts_[p];
            size_t before = part.entries.size();
            for (uint32_t i = begins[p]; i < begins[p + 1]; ++i) {
                if (i + kAhead < begins[p + 1] && !part.entries.empty())
                    __builtin_prefetch(&part.entries[part.place(sorted[i + kAhead].gram.key)], 1);
                part.add(sorted[i]);
            }
            slots_ += part.entries.size() - before;
        }
        grams.clear();
        if (slots_ > most_) give_up();
    }

    // The slot of an N-gram may be fetched before it is looked at.
    void fetch(const GramKey& gram) const {
        const Part& part = parts_[gram.key >> kShift];
        if (!part.entries.empty()) __builtin_prefetch(&part.entries[part.place(gram.key)]);
    }

    GramFacts find(const CountedGram& one) const {
        const Part& part = parts_[one.gram.key >> kShift];
        if (part.entries.empty() || !holds(one.gram)) return {};
        const Entry& entry = part.entries[part.slot(one.gram)];
        return {entry.count, entry.nexts == entry.count * one.next};
    }

  private:
    static constexpr uint32_t kAhead = 8;

    struct Entry {
        uint64_t key;
        uint64_t nexts;  // the sum of what follows
        uint32_t check;
        uint32_t count;  // 0: the slot is free
    };

    struct Part {
        std::mutex guard;
        LargeVector<Entry> entries;
        size_t used = 0;

        size_t place(uint64_t key) const {
            return static_cast<size_t>(static_cast<unsigned __int128>(key << kBits) * entries.size() >> 64);
        }
        // That of the gram, or the free one where it would be.
        size_t slot(const GramKey& gram) const {
            size_t at = place(gram.key);
            while (entries[at].count && (entries[at].key != gram.key || entries[at].check != gram.check))
                at = at + 1 == entries.size() ? 0 : at + 1;
            return at;
        }
        void add(const CountedGram& one) {
            if (5 * (used + 1) > 4 * entries.size()) grow();
            Entry& entry = entries[slot(one.gram)];
            if (!entry.count) entry = {one.gram.key, 0, one.gram.check, 0}, ++used;
            if (entry.count == UINT32_MAX) return;
            ++entry.count;
            entry.nexts += one.next;
        }
        void grow() {
            stop_point();
            LargeVector<Entry> old(entries.size() + entries.size() / 2 + 64, Entry{});
            old.swap(entries);
            for (const Entry& entry : old)
                if (entry.count) entries[slot({entry.key, entry.check})] = entry;
        }
    };

    void give_up() {
        std::lock_guard<std::mutex> lock(giving_up_);
        while (slots_ > most_ && end_ - first_ > 1) {
            size_t end = end_, half = first_ + (end - first_) / 2;
            end_ = half;
            for (size_t p = half; p < end; ++p) {
                std::lock_guard<std::mutex> own(parts_[p].guard);
                slots_ -= parts_[p].entries.size();
                LargeVector<Entry>().swap(parts_[p].entries);
                parts_[p].used = 0;
            }
        }
    }

    size_t first_;
    std::atomic<size_t> end_;
    uint64_t most_;
    std::atomic<uint64_t> slots_{0};
    std::mutex giving_up_;
    std::array<Part, kParts> parts_;
};

}  // namespace twinset
