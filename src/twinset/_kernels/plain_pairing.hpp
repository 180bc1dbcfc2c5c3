// From groups of documents to verified pairs where no bound is met: every two documents that share a
// group are compared, once. Nothing depends on the order, so documents are shared out over threads, and
// since each is compared with those after it, pairs come out sorted. Where the places of all documents in
// groups would take too much memory, the documents are worked through in several parts.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "bounded_groups.hpp"
#include "large_pages.hpp"
#include "measure.hpp"
#include "parallel.hpp"
#include "seen_set.hpp"
#include "store.hpp"

namespace twinset {

struct VerifiedPair {
    uint32_t left, right, shared;  // documents, and how many features they share

    bool operator<(const VerifiedPair& other) const {
        return left != other.left ? left < other.left : right < other.right;
    }
};

// What makes two documents a pair. `alone`, where known, has for each document how many of its features
// no other one has: that many less can be shared.
struct PairRule {
    const FeatureStore& store;
    Measure measure;
    double threshold;
    std::vector<uint32_t> alone;

    uint64_t most_shared(uint32_t a, uint32_t b) const {
        if (alone.empty()) return std::min(store.size(a), store.size(b));
        return twinset::most_shared(store.size(a), alone[a], store.size(b), alone[b]);
    }
};

class PlainPairing {
  public:
    // Places take about `memory` bytes, or those of one document.
    PlainPairing(GroupRows rows, const BoundedGroups& bounded, const PairRule& rule, size_t memory,
                 int threads)
        : rows_(rows), bounded_(bounded), rule_(rule), threads_(std::max(threads, 1)) {
        size_t n = rule_.store.count(), most = std::max<size_t>(memory / sizeof(uint64_t), 1);
        count_places();
        for (size_t begin = 0, end; begin < n; begin = end) {
            uint64_t places = end_of(begin);
            for (end = begin + 1; end < n && places + end_of(end) <= most;) places += end_of(end++);
            if (places == 0) continue;
            invert(begin, end);
            compare_all(begin, end);
        }
    }

    std::vector<std::vector<VerifiedPair>> parts;  // one after the other they are sorted
    uint64_t compared = 0;                         // pairs whose lists were compared

  private:
    static constexpr size_t kGroups = 4096, kDocuments = 1024, kAhead = 8;
    static constexpr int kBits = 24;
    static_assert(BoundedGroups::kLargest <= size_t{1} << kBits);

    struct Desk {
        std::vector<uint32_t> candidates;
        SeenSet seen;
        std::vector<uint64_t> room, other_room;
        uint64_t compared = 0;
        Pace pace;
    };

    // Calls `use` with each row of a group that others follow in it.
    template <class Use>
    void each_row(Use use) const {
        parallel_blocks(rows_.count(), kGroups, threads_, [&](size_t begin, size_t end, int) {
            for (size_t g = begin; g < end; ++g) {
                if (bounded_.has(g)) continue;
                uint64_t last = rows_.end(g);
                for (uint64_t k = rows_.begin(g); k + 1 < last; ++k) use(k, last - k - 1);
            }
        });
    }

    // How many places each document has.
    void count_places() {
        ends_ = shared_numbers(rule_.store.count());
        each_row([&](uint64_t row, uint64_t) {
            __builtin_prefetch(&ends_[rows_.ahead(row, 2 * kAhead)], 1);
            ends_[rows_.documents[row]].fetch_add(1, std::memory_order_relaxed);
        });
    }

    // For each of some documents its places in groups, and how many members follow there.
    void invert(size_t begin, size_t end) {
        uint32_t total = 0;
        for (size_t d = begin; d < end; ++d) total += ends_[d].exchange(total, std::memory_order_relaxed);
        LargeVector<uint64_t>().swap(places_);  // those of the documents before go first
        places_.resize(total + kAhead);
        std::fill(places_.end() - kAhead, places_.end(), 0);
        each_row([&](uint64_t row, uint64_t follow) {
            uint32_t next = rows_.ahead(row, kAhead), document = rows_.documents[row];
            if (next >= begin && next < end) __builtin_prefetch(&places_[end_of(next)], 1);
            if (document < begin || document >= end) return;
            places_[ends_[document].fetch_add(1, std::memory_order_relaxed)] = (row + 1) << kBits | follow;
        });
    }

    void compare_all(size_t first, size_t last) {
        size_t before = parts.size();
        parts.resize(before + (last - first + kDocuments - 1) / kDocuments);
        std::vector<Desk> desks(static_cast<size_t>(threads_));
        parallel_blocks(last - first, kDocuments, threads_, [&](size_t begin, size_t end, int worker) {
            uint32_t from = begin ? end_of(first + begin - 1) : 0;
            for (size_t d = first + begin; d < first + end; ++d) {
                uint32_t to = end_of(d);
                if (from < to)
                    compare(static_cast<uint32_t>(d), std::span(places_).subspan(from, to - from),
                            desks[static_cast<size_t>(worker)], parts[before + begin / kDocuments]);
                from = to;
            }
        });
        for (const Desk& desk : desks) compared += desk.compared;
    }

    // Where the places of a document end, once all are entered; before, how many these are.
    uint32_t end_of(size_t document) const { return ends_[document].load(std::memory_order_relaxed); }

    void compare(uint32_t document, std::span<const uint64_t> places, Desk& desk,
                 std::vector<VerifiedPair>& pairs) const {
        choose(places, desk);
        FeatureList list;
        for (uint32_t other : desk.candidates) {
            uint64_t a = rule_.store.size(document), b = rule_.store.size(other);
            uint64_t least = needed(rule_.measure, rule_.threshold, a, b);
            desk.pace();
            if (least > rule_.most_shared(document, other)) continue;
            desk.pace(std::min(a, b));
            ++desk.compared;
            if (list.empty()) list = rule_.store.list(document, desk.room);
            uint64_t shared = shared_count(list, rule_.store.list(other, desk.other_room), least);
            if (shared >= least) pairs.push_back({document, other, static_cast<uint32_t>(shared)});
        }
    }

    // The documents after one in its groups, each once, rising.
    void choose(std::span<const uint64_t> places, Desk& desk) const {
        desk.candidates.clear();
        desk.seen.clear();
        for (const uint64_t& place : places) {
            __builtin_prefetch(&rows_.documents[(&place)[kAhead] >> kBits]);
            size_t follow = static_cast<size_t>(place & ((uint64_t{1} << kBits) - 1));
            desk.pace(follow);
            for (uint32_t other : rows_.documents.subspan(static_cast<size_t>(place >> kBits), follow))
                if (desk.seen.insert(other)) desk.candidates.push_back(other);
        }
        std::sort(desk.candidates.begin(), desk.candidates.end());
    }

    GroupRows rows_;
    const BoundedGroups& bounded_;
    const PairRule& rule_;
    int threads_;
    SharedNumbers ends_;
    LargeVector<uint64_t> places_;
};

}  // namespace twinset
