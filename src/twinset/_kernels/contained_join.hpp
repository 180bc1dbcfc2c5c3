// Every pair of sets in which one holds enough of the weight of the other, exactly.
//
// Prefixes as in Chaudhuri, Ganti, Kaushik (ICDE 2006): the features that a set shares with one that
// holds the share s of it weigh s of its weight, so that its rarest features of more than 1 - s of the
// weight cannot all be missing there. A set is looked up in the lists of these alone.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "parallel.hpp"

namespace twinset {

struct ContainedPair {
    uint32_t left, right;
    double share;
};

class ContainedJoin {
  public:
    // Set i has the features [offsets[i], offsets[i+1]) in rising order; a feature weighs the same in
    // every set. Sets of fewer than `least` features are not looked for in others.
    ContainedJoin(std::span<const uint32_t> features, std::span<const uint32_t> weights,
                  std::span<const int64_t> offsets, double share, size_t least)
        : features_(features),
          weights_(weights),
          offsets_(offsets),
          count_(offsets.size() - 1),
          share_(share),
          least_(least),
          sums_(count_, 0),
          lists_(weights.size() + 1, 0) {
        build_lists();
    }

    std::vector<ContainedPair> pairs(int threads) const {
        size_t blocks = (count_ + kBlock - 1) / kBlock;
        std::vector<std::vector<ContainedPair>> found(blocks);
        std::vector<Seen> seen(static_cast<size_t>(std::max(threads, 1)));
        parallel_blocks(blocks, 1, threads, [&](size_t block, size_t, int worker) {
            Seen& mine = seen[static_cast<size_t>(worker)];
            mine.stamp.resize(count_, kNever);
            for (size_t d = block * kBlock; d < std::min(count_, (block + 1) * kBlock); ++d)
                look_up(static_cast<uint32_t>(d), mine, found[block]);
        });
        std::vector<ContainedPair> all;
        for (auto& part : found) all.insert(all.end(), part.begin(), part.end());
        std::sort(all.begin(), all.end(), [](const ContainedPair& a, const ContainedPair& b) {
            return a.right != b.right ? a.right < b.right : a.left < b.left;
        });
        return all;
    }

  private:
    static constexpr size_t kBlock = 64;
    static constexpr uint32_t kNever = ~0u;

    struct Seen {
        std::vector<uint32_t> stamp;
        std::vector<uint32_t> order;
    };

    void build_lists() {
        for (size_t d = 0; d < count_; ++d) {
            stop_point();
            for (int64_t e = offsets_[d]; e < offsets_[d + 1]; ++e) {
                ++lists_[features_[e] + 1];
                sums_[d] += weights_[features_[e]];
            }
        }
        std::partial_sum(lists_.begin(), lists_.end(), lists_.begin());
        members_.resize(static_cast<size_t>(lists_.back()));
        std::vector<int64_t> next(lists_.begin(), lists_.end() - 1);
        for (size_t d = 0; d < count_; ++d) {
            stop_point();
            for (int64_t e = offsets_[d]; e < offsets_[d + 1]; ++e)
                members_[static_cast<size_t>(next[features_[e]]++)] = static_cast<uint32_t>(d);
        }
    }

    int64_t frequency(uint32_t feature) const { return lists_[feature + 1] - lists_[feature]; }
    size_t size(uint32_t d) const { return static_cast<size_t>(offsets_[d + 1] - offsets_[d]); }
    // Of two sets the lighter one may be contained, of equal ones the first.
    bool lighter(uint32_t a, uint32_t b) const { return sums_[a] != sums_[b] ? sums_[a] < sums_[b] : a < b; }

    void look_up(uint32_t d, Seen& seen, std::vector<ContainedPair>& found) const {
        if (size(d) < least_) return;
        auto& order = seen.order;
        order.assign(features_.begin() + offsets_[d], features_.begin() + offsets_[d + 1]);
        std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
            return frequency(a) != frequency(b) ? frequency(a) < frequency(b) : a < b;
        });
        Pace pace;
        uint64_t passed = 0;
        for (uint32_t feature : order) {
            // What all features passed so far leave over, if another set has none of them.
            if (reached(sums_[d] - passed, sums_[d]) < share_) return;
            passed += weights_[feature];
            for (int64_t m = lists_[feature]; m < lists_[feature + 1]; ++m) {
                uint32_t other = members_[static_cast<size_t>(m)];
                pace();
                if (seen.stamp[other] == d || !lighter(d, other)) continue;
                seen.stamp[other] = d;
                pace(size(d) + size(other));
                double share = reached(common(d, other), sums_[d]);
                if (share >= share_) found.push_back({std::min(d, other), std::max(d, other), share});
            }
        }
    }

    // Both are whole numbers below 2^53: the quotient is the same on every processor.
    static double reached(uint64_t part, uint64_t whole) {
        return whole ? static_cast<double>(part) / static_cast<double>(whole) : 0;
    }

    uint64_t common(uint32_t a, uint32_t b) const {
        uint64_t sum = 0;
        for (int64_t i = offsets_[a], j = offsets_[b]; i < offsets_[a + 1] && j < offsets_[b + 1];) {
            uint32_t one = features_[i], other = features_[j];
            if (one == other) sum += weights_[one];
            i += one <= other;
            j += other <= one;
        }
        return sum;
    }

    std::span<const uint32_t> features_, weights_;
    std::span<const int64_t> offsets_;
    size_t count_;
    double share_;
    size_t least_;
    std::vector<uint64_t> sums_;
    std::vector<int64_t> lists_;
    std::vector<uint32_t> members_;
};

}  // namespace twinset
