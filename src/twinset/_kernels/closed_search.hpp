// The search of one component: every maximal (or closed) set once, with its first class as seed.
//
// Classes are taken by falling threshold, then by rising degree. A set is found from its first
// class a. Z is what a has lost so far, P the masks of later classes that still fit, Q those of
// classes that must not fit: earlier ones and those whose branch is done.
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <numeric>
#include <vector>

#include "closed_found.hpp"
#include "closed_local.hpp"
#include "closed_masks.hpp"
#include "stop.hpp"

namespace twinset::closed {

struct Budget {
    int64_t sets, work;
    int64_t members;  // of all sets together, counted in documents
};

// A level of the search; kept between seeds for its memory.
struct Frame {
    std::vector<uint32_t> fit, bar;    // P and Q
    std::vector<uint64_t> lost, rest;  // Z and the suffix unions of P
};
using Frames = std::deque<Frame>;

// What one seed's search works on: the distinct masks of its later neighbours, then those of the
// earlier ones.
struct SeedMasks {
    uint32_t seed;
    int size, may_lose;
    size_t words;
    std::vector<uint64_t> masks;
    std::vector<int> limit;        // may_lose for each mask
    Lists<uint32_t> owners;        // of each later mask
    std::vector<uint32_t> always;  // later classes that lack nothing
    size_t later = 0;
    bool done = false;  // an earlier class goes wherever the seed goes

    const uint64_t* mask(size_t i) const { return masks.data() + i * words; }
    size_t count() const { return limit.size(); }
};

inline void split_neighbours(const Neighbours& near, const std::vector<uint32_t>& place, int may_lose,
                             SeedMasks& out) {
    Masks<0> ops{near.words};
    out.seed = near.seed;
    out.size = near.size;
    out.may_lose = may_lose;
    out.words = near.words;
    out.masks.clear();
    out.limit.clear();
    out.owners = {};
    out.always.clear();
    out.done = false;
    std::vector<uint32_t> later, earlier;
    for (uint32_t i = 0; i < near.members.size(); ++i) {
        bool lacks_nothing = ops.count(near.mask(i)) == 0;
        if (place[near.members[i]] < place[near.seed]) {
            earlier.push_back(i);
            if (lacks_nothing && near.may_lose[i] == may_lose) out.done = true;
        } else if (lacks_nothing) {
            out.always.push_back(near.members[i]);
        } else {
            later.push_back(i);
        }
    }
    if (out.done) return;
    auto by_mask = [&](uint32_t x, uint32_t y) {
        if (!ops.equal(near.mask(x), near.mask(y))) return ops.before(near.mask(x), near.mask(y));
        return near.may_lose[x] != near.may_lose[y] ? near.may_lose[x] > near.may_lose[y] : x < y;
    };
    auto take = [&](uint32_t i, int limit) {
        out.masks.insert(out.masks.end(), near.mask(i), near.mask(i) + near.words);
        out.limit.push_back(limit);
    };
    stoppable_sort(later.begin(), later.end(), by_mask);
    for (size_t j = 0; j < later.size(); ++j) {
        if (j == 0 || !ops.equal(near.mask(later[j]), near.mask(later[j - 1]))) {
            if (j) out.owners.close();
            take(later[j], may_lose);
        }
        out.owners.items.push_back(near.members[later[j]]);
    }
    if (!later.empty()) out.owners.close();
    out.later = out.limit.size();
    stoppable_sort(earlier.begin(), earlier.end(), by_mask);
    for (size_t j = 0; j < earlier.size(); ++j)
        if (j == 0 || !ops.equal(near.mask(earlier[j]), near.mask(earlier[j - 1])))
            take(earlier[j], near.may_lose[earlier[j]]);
}

template <size_t N>
class SeedSearch {
  public:
    SeedSearch(const SeedMasks& seed, const std::vector<uint32_t>& weight, const Budget& budget,
               Frames& frames, Found& found)
        : seed_(seed), ops_{seed.words}, weight_(weight), budget_(budget), frames_(frames), found_(found) {}

    void maximal() {
        Frame& root = frame(0);
        root.lost.assign(words(), 0);
        root.fit.resize(seed_.later);
        std::iota(root.fit.begin(), root.fit.end(), 0u);
        root.bar.resize(seed_.count() - seed_.later);
        std::iota(root.bar.begin(), root.bar.end(), static_cast<uint32_t>(seed_.later));
        if (!root.fit.empty()) return expand(0);
        if (root.bar.empty() && !seed_.always.empty()) emit(root.lost.data());
    }

    // Close-by-one (Kuznetsov): masks are added in order, and a set that an earlier mask would have
    // led to is not made again.
    void closed() {
        Frame& root = frame(0);
        root.lost.assign(words(), 0);
        bool alone = seed_.always.empty() && weight_[seed_.seed] < 2;
        if (!alone && !barred(root.lost.data())) emit(root.lost.data());
        close(0, 0);
    }

  private:
    static constexpr size_t kDeepest = 4000;  // of the recursion, far above what a budget allows

    size_t words() const { return ops_.words(); }
    const uint64_t* mask(size_t i) const { return seed_.mask(i); }
    Frame& frame(size_t depth) {
        while (frames_.size() <= depth) frames_.emplace_back();
        return frames_[depth];
    }

    bool pay(size_t operations) {
        found_.work += static_cast<int64_t>(operations * words());
        pace_(operations * words());
        if (found_.work > budget_.work) found_.truncated = true;
        return !found_.truncated;
    }

    bool fits(const uint64_t* lost, uint32_t i) const {
        return ops_.count_union(lost, mask(i)) <= seed_.limit[i];
    }

    void order_largest_first(Frame& f) {
        std::vector<std::pair<int, uint32_t>> keyed;
        int base = ops_.count(f.lost.data());
        for (uint32_t i : f.fit) keyed.emplace_back(base - ops_.count_union(f.lost.data(), mask(i)), i);
        std::sort(keyed.begin(), keyed.end());
        for (size_t j = 0; j < keyed.size(); ++j) f.fit[j] = keyed[j].second;
    }

    void unite_suffixes(Frame& f) {
        size_t n = f.fit.size();
        f.rest.resize((n + 1) * words());
        std::copy(f.lost.begin(), f.lost.end(), f.rest.begin() + n * words());
        for (size_t j = n; j-- > 0;)
            ops_.unite(&f.rest[(j + 1) * words()], mask(f.fit[j]), &f.rest[j * words()]);
    }

    void expand(size_t depth) {
        Frame& f = frame(depth);
        if (depth >= kDeepest) found_.truncated = true;
        if (!pay(3 * f.fit.size())) return;
        order_largest_first(f);
        unite_suffixes(f);
        for (size_t j = 0; j < f.fit.size(); ++j) {
            const uint64_t* rest = &f.rest[j * words()];
            if (ops_.count(rest) <= seed_.may_lose) {  // all that is left fits together
                if (!pay(f.bar.size())) return;
                for (uint32_t q : f.bar)
                    if (fits(rest, q)) return;
                return emit(rest);
            }
            branch(depth, j);
            if (found_.truncated) return;
            f.bar.push_back(f.fit[j]);
        }
    }

    void branch(size_t depth, size_t j) {
        frame(depth + 1);
        Frame& f = frames_[depth];
        Frame& next = frames_[depth + 1];
        next.lost.resize(words());
        ops_.unite(f.lost.data(), mask(f.fit[j]), next.lost.data());
        const uint64_t* lost = next.lost.data();
        if (!pay(f.bar.size() + f.fit.size() - j)) return;
        next.bar.clear();
        for (uint32_t q : f.bar) {
            if (!fits(lost, q)) continue;
            if (seed_.limit[q] == seed_.may_lose && ops_.inside(mask(q), lost)) return;
            next.bar.push_back(q);
        }
        next.fit.clear();
        for (size_t i = j + 1; i < f.fit.size(); ++i)
            if (fits(lost, f.fit[i]) && !ops_.inside(mask(f.fit[i]), lost)) next.fit.push_back(f.fit[i]);
        if (!next.fit.empty()) return expand(depth + 1);
        if (next.bar.empty()) emit(lost);
    }

    // Whether an earlier class belongs to the set that has lost this.
    bool barred(const uint64_t* lost) {
        int size = ops_.count(lost);
        for (size_t q = seed_.later; q < seed_.count(); ++q)
            if (size <= seed_.limit[q] && ops_.inside(mask(q), lost)) return true;
        return false;
    }

    void close(size_t depth, size_t start) {
        if (depth >= kDeepest) found_.truncated = true;
        frame(depth + 1);
        for (size_t i = start; i < seed_.later && !found_.truncated; ++i) {
            Frame& f = frames_[depth];
            Frame& next = frames_[depth + 1];
            if (!pay(1)) return;
            if (!fits(f.lost.data(), i) || ops_.inside(mask(i), f.lost.data())) continue;
            next.lost.resize(words());
            ops_.unite(f.lost.data(), mask(i), next.lost.data());
            if (!pay(i + seed_.count() - seed_.later)) return;
            if (made_before(f.lost.data(), next.lost.data(), i)) continue;
            if (!barred(next.lost.data())) emit(next.lost.data());
            close(depth + 1, i + 1);
        }
    }

    bool made_before(const uint64_t* lost, const uint64_t* next, size_t i) const {
        for (size_t j = 0; j < i; ++j)
            if (ops_.inside(mask(j), next) && !ops_.inside(mask(j), lost)) return true;
        return false;
    }

    void emit(const uint64_t* lost) {
        if (found_.truncated || !pay(seed_.later)) return;
        members_.assign(1, seed_.seed);
        members_.insert(members_.end(), seed_.always.begin(), seed_.always.end());
        for (size_t i = 0; i < seed_.later; ++i)
            if (ops_.inside(mask(i), lost))
                members_.insert(members_.end(), seed_.owners.begin(i), seed_.owners.end(i));
        for (uint32_t c : members_) found_.members += weight_[c];
        if (static_cast<int64_t>(found_.count()) >= budget_.sets || found_.members > budget_.members) {
            found_.truncated = true;
            return;
        }
        found_.add(members_, seed_.size - ops_.count(lost));
    }

    const SeedMasks& seed_;
    Masks<N> ops_;
    const std::vector<uint32_t>& weight_;
    const Budget& budget_;
    Frames& frames_;
    Found& found_;
    std::vector<uint32_t> members_;
    Pace pace_;
};

}  // namespace twinset::closed
