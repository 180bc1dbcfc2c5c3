// Connected components of "shares enough features", without ever holding the list of similar pairs.
//
// Two rows that share o elements share one among their first size - o + 1, rare elements first (the
// prefix filter of Chaudhuri et al. and Xiao et al.), so only rows that meet in a prefix are
// compared, and only while they are not known to be connected.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "closed_types.hpp"
#include "disjoint_sets.hpp"
#include "parallel.hpp"

namespace twinset::closed {

// Whether two ascending rows share at least `wanted` elements; stops when too many are missed.
inline bool share(const uint32_t* x, const uint32_t* x_end, const uint32_t* y, const uint32_t* y_end,
                  int64_t wanted) {
    int64_t x_left = (x_end - x) - wanted, y_left = (y_end - y) - wanted;
    if (x_left < 0 || y_left < 0) return false;
    while (x != x_end && y != y_end) {
        if (*x == *y) {
            ++x, ++y;
        } else if (*x < *y) {
            if (--x_left < 0) return false;
            ++x;
        } else {
            if (--y_left < 0) return false;
            ++y;
        }
    }
    return (x_end - x) <= x_left && (y_end - y) <= y_left;
}

inline size_t overlap(const uint32_t* x, const uint32_t* x_end, const uint32_t* y, const uint32_t* y_end) {
    size_t shared = 0;
    while (x != x_end && y != y_end) {
        uint32_t a = *x, b = *y;
        shared += a == b;
        x += a <= b;
        y += b <= a;
    }
    return shared;
}

class Connector {
  public:
    // A class is compared with at most this many classes outside its group; a class for which that
    // was not enough is counted, and its component may come out in parts.
    static constexpr size_t kMostCandidates = 20'000;

    Connector(const Classes& classes, int threads)
        : classes_(classes), threads_(threads), groups_(classes.count(), threads) {}

    // The name of each class's component.
    std::vector<uint32_t> run() {
        index_prefixes();
        join_neighbours();
        regroup();
        join_rest();
        return names();
    }

    size_t cut() const { return cut_; }

  private:
    size_t prefix(uint32_t c) const {
        return classes_.live[c] ? classes_.rows.size(c) - classes_.least[c] + 1 : 0;
    }

    bool similar(uint32_t a, uint32_t b) const {
        const Lists<uint32_t>& rows = classes_.rows;
        return share(rows.begin(a), rows.end(a), rows.begin(b), rows.end(b),
                     std::max(classes_.least[a], classes_.least[b]));
    }

    void try_unite(uint32_t a, uint32_t b, Pace& pace) {
        pace(classes_.rows.size(a) + classes_.rows.size(b));
        if (groups_.root(a) != groups_.root(b) && similar(a, b)) groups_.unite(a, b);
    }

    std::vector<uint32_t> names() {
        std::vector<uint32_t> found(classes_.count());
        for (uint32_t c = 0; c < found.size(); ++c) found[c] = groups_.root(c);
        return found;
    }

    void index_prefixes() {
        std::vector<size_t>& offsets = holders_.offsets;
        offsets.assign(classes_.elements + 1, 0);
        for (uint32_t c = 0; c < classes_.count(); ++c)
            for (size_t i = 0; i < prefix(c); ++i) ++offsets[classes_.rows.begin(c)[i] + 1];
        for (size_t e = 0; e < classes_.elements; ++e) offsets[e + 1] += offsets[e];
        holders_.items.resize(offsets.back());
        std::vector<size_t> next(offsets.begin(), offsets.end() - 1);
        Pace pace;
        for (uint32_t c = 0; c < classes_.count(); pace(prefix(c) + 1), ++c)
            for (size_t i = 0; i < prefix(c); ++i) holders_.items[next[classes_.rows.begin(c)[i]]++] = c;
    }

    // Neighbours in a list are likely to be similar: this joins nearly everything that belongs
    // together in linear time, however many classes are similar to each other.
    void join_neighbours() {
        parallel_blocks(holders_.count(), 256, threads_, [&](size_t begin, size_t end, int) {
            Pace pace;
            for (size_t e = begin; e < end; ++e)
                for (size_t i = 1; i < holders_.size(e); ++i)
                    try_unite(holders_.begin(e)[i - 1], holders_.begin(e)[i], pace);
        });
        first_groups_ = names();
    }

    // Members of one group stand together in each list, so that they can be passed over at once.
    void regroup() {
        parallel_blocks(holders_.count(), 256, threads_, [&](size_t begin, size_t end, int) {
            for (size_t e = begin; e < end; ++e)
                stoppable_sort(holders_.begin(e), holders_.end(e), [&](uint32_t x, uint32_t y) {
                    uint32_t gx = first_groups_[x], gy = first_groups_[y];
                    return gx != gy ? gx < gy : x < y;
                });
        });
    }

    // What is compared depends on the groups of the first round alone, never on what other threads
    // have joined since; that only saves comparisons.
    void join_rest() {
        std::vector<std::vector<uint32_t>> met(std::max(threads_, 1));
        std::atomic<size_t> cut{0};
        parallel_blocks(classes_.count(), 64, threads_, [&](size_t begin, size_t end, int worker) {
            std::vector<uint32_t>& seen_by = met[worker];
            if (seen_by.empty()) seen_by.assign(classes_.count(), UINT32_MAX);
            Pace pace;
            for (size_t c = begin; c < end; ++c)
                if (!compare_outside(static_cast<uint32_t>(c), seen_by, pace)) ++cut;
        });
        cut_ = cut;
    }

    bool compare_outside(uint32_t c, std::vector<uint32_t>& seen_by, Pace& pace) {
        size_t candidates = 0;
        uint32_t group = first_groups_[c];
        const uint32_t* row = classes_.rows.begin(c);
        for (size_t i = 0; i < prefix(c); ++i) {
            const uint32_t* end = holders_.end(row[i]);
            for (const uint32_t* d = holders_.begin(row[i]); d != end;) {
                uint32_t other = first_groups_[*d];
                pace();
                if (other == group) {
                    d = std::upper_bound(d, end, group,
                                         [&](uint32_t g, uint32_t x) { return g < first_groups_[x]; });
                    continue;
                }
                // Each pair is compared once, by its later class.
                if (*d < c && seen_by[*d] != c) {
                    seen_by[*d] = c;
                    if (++candidates > kMostCandidates) return false;
                    try_unite(c, *d, pace);
                }
                ++d;
            }
        }
        return true;
    }

    const Classes& classes_;
    int threads_;
    DisjointSets groups_;
    Lists<uint32_t> holders_;  // of each element: the classes that have it in their prefix
    std::vector<uint32_t> first_groups_;
    size_t cut_ = 0;
};

}  // namespace twinset::closed
