// The terms of documents, counted and numbered.
//
// Counting: the hashes of a document's terms are sorted; where each occurrence stands among the
// sorted ones is nearly known, since hashes are spread evenly, so that counts and places come
// from a table of starts.
// Numbering: terms that at least two documents have get numbers in the order of their hashes. The
// hashes are taken in parts by their first bits, each with a table of its own that stays in the
// cache. Neither threads nor the order of documents show in the result.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "growing.hpp"
#include "hash.hpp"
#include "parallel.hpp"
#include "sorted_set.hpp"

namespace twinset {

class TermCounter {
  public:
    // Room for the hashes of the next document's terms, in order.
    uint64_t* room(size_t n) {
        if (terms_.size() < n) terms_.resize(n), sorted_.resize(n);
        return terms_.data();
    }

    // Adds the distinct ones of the n terms in `room`, ascending, and how often each occurs; with
    // `places`, for each occurrence the place of its term among these.
    void count(size_t n, Growing<uint64_t>& distinct, Growing<uint16_t>& times, Growing<uint32_t>* places) {
        if (n == 0) return;
        std::copy_n(terms_.data(), n, sorted_.data());
        uint64_t* unique = distinct.room(n);
        size_t kept = set_.sort(sorted_.data(), n, unique);
        note_starts(unique, kept);
        uint16_t* tf = times.room(kept);
        std::fill_n(tf, kept, uint16_t{0});
        uint32_t* place = places ? places->room(n) : nullptr;
        for (size_t i = 0; i < n; ++i) {
            size_t at = starts_[bucket(terms_[i])];
            while (unique[at] < terms_[i]) ++at;
            tf[at] = static_cast<uint16_t>(tf[at] + (tf[at] < UINT16_MAX));
            if (place) place[i] = static_cast<uint32_t>(at);
        }
        distinct.grow(kept), times.grow(kept);
        if (places) places->grow(n);
    }

  private:
    // The first of the sorted terms that is in each bucket or a later one.
    void note_starts(const uint64_t* sorted, size_t n) {
        buckets_ = 2 * n;
        starts_.assign(buckets_ + 1, 0);
        for (size_t i = n; i-- > 0;) starts_[bucket(sorted[i])] = static_cast<uint32_t>(i);
    }
    size_t bucket(uint64_t term) const { return static_cast<size_t>((term >> 32) * buckets_ >> 32); }

    SortedSet set_;
    std::vector<uint64_t> terms_, sorted_;
    std::vector<uint32_t> starts_;
    uint64_t buckets_ = 0;
};

inline constexpr uint32_t kAlone = 0xFFFFFFFF;  // a term that no other document has

class TermNumbers {
  public:
    std::vector<uint32_t> numbers;  // of each term of each document
    std::vector<int64_t> df;        // by number

    // Document i has the terms [offsets[i], offsets[i+1]), ascending, each once.
    TermNumbers(std::span<const uint64_t> terms, std::span<const int64_t> offsets, int threads)
        : numbers(terms.size()), terms_(terms), offsets_(offsets), parts_(kParts) {
        size_t ranges = static_cast<size_t>(std::clamp(threads, 1, 16));
        parallel_blocks(ranges, 1, threads, [&](size_t range, size_t, int) {
            number_range(range * kParts / ranges, (range + 1) * kParts / ranges);
        });
        std::vector<uint32_t> first(kParts);
        for (size_t p = 0; p < kParts; ++p) {
            first[p] = static_cast<uint32_t>(df.size());
            df.insert(df.end(), parts_[p].begin(), parts_[p].end());
        }
        if (df.size() >= kAlone) throw std::length_error("there are too many terms");
        parallel_blocks(terms.size(), size_t{1} << 16, threads, [&](size_t begin, size_t end, int) {
            for (size_t i = begin; i < end; ++i)
                if (numbers[i] != kAlone) numbers[i] += first[terms_[i] >> kShift];
        });
    }

  private:
    static constexpr size_t kParts = 256;
    static constexpr int kShift = 56;

    struct Entry {
        uint64_t term;
        uint32_t df, number;
    };

    // An open table of the terms of one part; an entry without df is free.
    class Table {
      public:
        void clear() {
            std::fill(slots_.begin(), slots_.end(), Entry{});
            used_ = 0;
        }
        Entry& at(uint64_t term) {
            if (2 * (used_ + 1) > slots_.size()) grow();
            Entry& slot = find(term);
            if (!slot.df) slot.term = term, ++used_;
            return slot;
        }
        Entry& find(uint64_t term) {
            size_t mask = slots_.size() - 1, at = static_cast<size_t>(term >> 16) & mask;
            while (slots_[at].df && slots_[at].term != term) at = (at + 1) & mask;
            return slots_[at];
        }
        std::vector<Entry>& slots() { return slots_; }

      private:
        void grow() {
            std::vector<Entry> before(std::max<size_t>(1024, 2 * slots_.size()));
            before.swap(slots_);
            for (const Entry& entry : before)
                if (entry.df) find(entry.term) = entry;
        }
        std::vector<Entry> slots_;
        size_t used_ = 0;
    };

    void number_range(size_t first_part, size_t last_part) {
        size_t documents = offsets_.size() - 1;
        std::vector<int64_t> next(documents), begin(documents);
        uint64_t least = static_cast<uint64_t>(first_part) << kShift;
        Pace pace;
        for (size_t d = 0; d < documents; ++d, pace(16))
            next[d] =
                std::lower_bound(terms_.begin() + offsets_[d], terms_.begin() + offsets_[d + 1], least) -
                terms_.begin();
        Table table;
        for (size_t part = first_part; part < last_part; ++part) {
            begin = next;
            table.clear();
            for (size_t d = 0; d < documents; ++d, pace(4))
                for (; next[d] < offsets_[d + 1] && terms_[next[d]] >> kShift == part; ++next[d], pace())
                    ++table.at(terms_[next[d]]).df;
            name_part(table, parts_[part]);
            for (size_t d = 0; d < documents; ++d, pace(4))
                for (int64_t i = begin[d]; i < next[d]; ++i, pace())
                    numbers[static_cast<size_t>(i)] = table.find(terms_[i]).number;
        }
    }

    static void name_part(Table& table, std::vector<int64_t>& df) {
        std::vector<Entry*> shared;
        for (Entry& entry : table.slots()) {
            entry.number = kAlone;
            if (entry.df > 1) shared.push_back(&entry);
        }
        std::sort(shared.begin(), shared.end(),
                  [](const Entry* a, const Entry* b) { return a->term < b->term; });
        for (Entry* entry : shared) {
            entry->number = static_cast<uint32_t>(df.size());
            df.push_back(entry->df);
        }
    }

    std::span<const uint64_t> terms_;
    std::span<const int64_t> offsets_;
    std::vector<std::vector<int64_t>> parts_;
};

}  // namespace twinset
