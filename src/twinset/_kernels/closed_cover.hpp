// Few sets that hold every class of a component (or every similar pair), each of them maximal.
// A set grows from a seed by the mask that takes in the most of what is still uncovered, until
// nothing fits.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "closed_found.hpp"
#include "closed_local.hpp"
#include "closed_masks.hpp"
#include "stop.hpp"

namespace twinset::closed {

class Grower {
  public:
    // The positions of the neighbours in a maximal set around the seed; `wanted[i]` marks the
    // neighbours still to be covered, `start` one that has to be in (or SIZE_MAX).
    const std::vector<uint32_t>& grow(const Neighbours& near, int may_lose,
                                      const std::vector<uint8_t>& wanted, size_t start) {
        ops_ = {near.words};
        lost_.assign(near.words, 0);
        taken_.clear();
        open_.resize(near.members.size());
        for (uint32_t i = 0; i < open_.size(); ++i) open_[i] = i;
        limit_ = may_lose;
        if (start != SIZE_MAX) {
            limit_ = near.may_lose[start];
            ops_.unite(lost_.data(), near.mask(start), lost_.data());
        }
        for (;;) {
            pace_(3 * open_.size() * near.words);
            take_in(near);
            if (open_.empty()) return taken_;
            ops_.unite(lost_.data(), near.mask(best(near, wanted)), lost_.data());
        }
    }

    int lost() const { return ops_.count(lost_.data()); }

  private:
    static constexpr size_t kTried = 16;      // masks weighed against each other in a step
    static constexpr size_t kWeighed = 1024;  // neighbours they are weighed by

    // Takes what lacks nothing more than is lost already and drops what no longer fits.
    void take_in(const Neighbours& near) {
        int size = ops_.count(lost_.data());
        auto inside = [&](uint32_t i) {
            return size <= near.may_lose[i] && ops_.inside(near.mask(i), lost_.data());
        };
        for (uint32_t i : open_) {
            if (!inside(i)) continue;
            taken_.push_back(i);
            limit_ = std::min(limit_, near.may_lose[i]);
        }
        std::erase_if(open_, inside);
        std::erase_if(open_, [&](uint32_t i) {
            int together = ops_.count_union(lost_.data(), near.mask(i));
            return together > std::min(limit_, near.may_lose[i]);
        });
    }

    uint32_t best(const Neighbours& near, const std::vector<uint8_t>& wanted) {
        struct Choice {
            bool idle;
            int loss;
            uint32_t item;
        };
        std::vector<Choice> choices;
        for (uint32_t i : open_)
            choices.push_back({!wanted[i], ops_.count_union(lost_.data(), near.mask(i)), i});
        size_t tried = std::min(kTried, choices.size());
        auto better = [](const Choice& x, const Choice& y) {
            if (x.idle != y.idle) return y.idle;
            return x.loss != y.loss ? x.loss < y.loss : x.item < y.item;
        };
        std::partial_sort(choices.begin(), choices.begin() + tried, choices.end(), better);
        std::vector<uint64_t> next(near.words);
        uint32_t chosen = choices[0].item;
        int most = -1;
        for (size_t c = 0; c < tried; ++c) {
            pace_(std::min(kWeighed, open_.size()) * near.words);
            ops_.unite(lost_.data(), near.mask(choices[c].item), next.data());
            int gain = 0;
            for (size_t j = 0; j < std::min(kWeighed, open_.size()); ++j)
                gain += wanted[open_[j]] && ops_.inside(near.mask(open_[j]), next.data());
            if (gain > most) most = gain, chosen = choices[c].item;
        }
        return chosen;
    }

    Masks<0> ops_{1};
    int limit_ = 0;
    std::vector<uint64_t> lost_;
    std::vector<uint32_t> open_, taken_;
    Pace pace_;
};

class Coverer {
  public:
    Coverer(Local& local, Found& found) : local_(local), marker_(found) {}

    void documents() {
        std::vector<uint8_t> covered(local_.count());
        std::vector<uint8_t> wanted;
        for (uint32_t a = 0; a < local_.count(); ++a) {
            if (covered[a]) continue;
            local_.neighbours(a, near_);
            wanted.clear();
            for (uint32_t d : near_.members) wanted.push_back(!covered[d]);
            make(a, wanted, SIZE_MAX);
            for (uint32_t c : members_) covered[c] = 1;
        }
    }

    // Above kMostForPairs classes the table of pairs would be too large: false, nothing done.
    bool pairs() {
        size_t n = local_.count();
        if (n > kMostForPairs) return false;
        Pace pace;
        std::vector<std::vector<bool>> together(n, std::vector<bool>(n));
        std::vector<uint8_t> wanted;
        for (uint32_t a = 0; a < n; ++a) {
            local_.neighbours(a, near_);
            for (size_t i = 0; i < near_.members.size(); ++i) {
                if (near_.members[i] < a || together[a][near_.members[i]]) continue;
                wanted.clear();
                for (uint32_t d : near_.members) wanted.push_back(!together[a][d]);
                make(a, wanted, i);
                for (uint32_t x : members_) {
                    pace(members_.size());
                    for (uint32_t y : members_) together[x][y] = true;
                }
            }
        }
        return true;
    }

  private:
    static constexpr size_t kMostForPairs = 20'000;

    void make(uint32_t seed, const std::vector<uint8_t>& wanted, size_t start) {
        int may_lose = local_.size(seed) - local_.least(seed);
        members_.assign(1, seed);
        for (uint32_t i : grower_.grow(near_, may_lose, wanted, start)) members_.push_back(near_.members[i]);
        marker_.add(members_, near_.size - grower_.lost());
    }

    Local& local_;
    CoverMarker marker_;
    Grower grower_;
    Neighbours near_;
    std::vector<uint32_t> members_;
};

}  // namespace twinset::closed
