// From groups of documents to verified pairs where no bound is met: every two documents that share a
// group are compared, once. Nothing depends on the order, so documents are shared out over threads, and
// since each is compared with those after it, pairs come out sorted.
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
    PlainPairing(GroupRows rows, const BoundedGroups& bounded, const PairRule& rule, int threads)
        : rows_(rows), rule_(rule), threads_(std::max(threads, 1)) {
        invert(bounded);
        compare_all();
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

    // For each document its places in groups, and how many members follow there.
    void invert(const BoundedGroups& bounded) {
        size_t n = rule_.store.count();
        ends_ = shared_numbers(n + 1);
        auto each_place = [&](auto use) {
            parallel_blocks(rows_.count(), kGroups, threads_, [&](size_t begin, size_t end, int) {
                for (size_t g = begin; g < end; ++g) {
                    if (bounded.has(g)) continue;
                    uint64_t last = rows_.end(g);
                    for (uint64_t k = rows_.begin(g); k + 1 < last; ++k) {
                        __builtin_prefetch(&ends_[rows_.ahead(k, 2 * kAhead)], 1);
                        use(k, (k + 1) << kBits | (last - k - 1));
                    }
                }
            });
        };
        each_place([&](size_t row, uint64_t) {
            ends_[rows_.documents[row]].fetch_add(1, std::memory_order_relaxed);
        });
        uint32_t total = 0;
        for (size_t d = 0; d < n; ++d) {
            uint32_t count = end_of(d);
            ends_[d].store(total, std::memory_order_relaxed);
            total += count;
        }
        ends_[n].store(total);
        places_.resize(total + kAhead);
        std::fill(places_.end() - kAhead, places_.end(), 0);
        each_place([&](size_t row, uint64_t place) {
            __builtin_prefetch(&places_[end_of(rows_.ahead(row, kAhead))], 1);
            places_[ends_[rows_.documents[row]].fetch_add(1, std::memory_order_relaxed)] = place;
        });
    }

    void compare_all() {
        size_t n = rule_.store.count();
        parts.resize((n + kDocuments - 1) / kDocuments);
        std::vector<Desk> desks(static_cast<size_t>(threads_));
        parallel_blocks(n, kDocuments, threads_, [&](size_t begin, size_t end, int worker) {
            uint32_t from = begin ? end_of(begin - 1) : 0;
            for (size_t d = begin; d < end; ++d) {
                uint32_t to = end_of(d);
                if (from < to)
                    compare(static_cast<uint32_t>(d), std::span(places_).subspan(from, to - from),
                            desks[static_cast<size_t>(worker)], parts[begin / kDocuments]);
                from = to;
            }
        });
        for (const Desk& desk : desks) compared += desk.compared;
    }

    // Where the places of a document end, once all are entered.
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
    const PairRule& rule_;
    int threads_;
    SharedNumbers ends_;
    LargeVector<uint64_t> places_;
};

}  // namespace twinset
