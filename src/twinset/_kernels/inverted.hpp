// Every pair of documents with its similarity, counted over an inverted table: for each document the
// lists of its terms are walked through and added up. It costs as much whatever the threshold is, so
// it serves low ones, where the joins have nothing left to prune.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "parallel.hpp"

namespace twinset {

class InvertedTable {
  public:
    struct Pair {
        uint32_t left, right;
        double score;
    };

    // Document i has the entries [offsets[i], offsets[i+1]): distinct terms and their weights.
    InvertedTable(std::span<const uint32_t> terms, std::span<const double> weights,
                  std::span<const int64_t> offsets, size_t dimensions)
        : terms_(terms),
          weights_(weights),
          offsets_(offsets),
          count_(offsets.size() - 1),
          lists_(dimensions + 1, 0) {
        for (int64_t e = offsets[0]; e < offsets.back(); ++e) ++lists_[terms[e] + 1];
        for (size_t t = 1; t < lists_.size(); ++t) lists_[t] += lists_[t - 1];
        postings_.resize(static_cast<size_t>(lists_.back()));
        std::vector<int64_t> next(lists_.begin(), lists_.end() - 1);
        Pace pace;
        for (size_t d = 0; d < count_; ++d, pace(8))
            for (int64_t e = offsets[d]; e < offsets[d + 1]; ++e)
                postings_[static_cast<size_t>(next[terms[e]]++)] = {static_cast<uint32_t>(d), weights[e]};
    }

    // What a pair is scored by: the sum of products, or two similarities of sets (weights are 1 there).
    enum Formula { kProducts, kJaccard, kContainment, kFormulas };

    // Pairs whose score reaches `least`.
    std::vector<Pair> pairs(Formula formula, double least, int threads) const {
        size_t blocks = (count_ + kBlock - 1) / kBlock;
        std::vector<std::vector<Pair>> found(blocks);
        std::vector<std::vector<double>> rooms(static_cast<size_t>(std::max(threads, 1)));
        parallel_blocks(blocks, 1, threads, [&](size_t block, size_t, int worker) {
            auto& sums = rooms[static_cast<size_t>(worker)];
            sums.resize(count_);
            for (size_t d = block * kBlock; d < std::min(count_, (block + 1) * kBlock); ++d)
                add_up(d, sums, formula, least, found[block]);
        });
        std::vector<Pair> all;
        for (auto& part : found) all.insert(all.end(), part.begin(), part.end());
        return all;
    }

  private:
    static constexpr size_t kBlock = 32;

    struct Posting {
        uint32_t document;
        double weight;
    };

    void add_up(size_t d, std::vector<double>& sums, Formula formula, double least,
                std::vector<Pair>& found) const {
        Pace pace;
        stop_point();
        std::fill(sums.begin(), sums.begin() + static_cast<ptrdiff_t>(d), 0.0);
        for (int64_t e = offsets_[d]; e < offsets_[d + 1]; ++e) {
            pace(static_cast<size_t>(lists_[terms_[e] + 1] - lists_[terms_[e]]));
            for (int64_t p = lists_[terms_[e]]; p < lists_[terms_[e] + 1]; ++p) {
                const Posting& other = postings_[static_cast<size_t>(p)];
                if (other.document >= d) break;
                sums[other.document] += weights_[e] * other.weight;
            }
        }
        for (size_t other = 0; other < d; ++other) {
            if (sums[other] <= 0) continue;
            double score = sums[other] / divisor(formula, sums[other], size(other), size(d));
            if (score >= least)
                found.push_back(
                    {static_cast<uint32_t>(other), static_cast<uint32_t>(d), std::min(score, 1.0)});
        }
    }

    static double divisor(Formula formula, double shared, double a, double b) {
        if (formula == kJaccard) return a + b - shared;
        return formula == kContainment ? std::min(a, b) : 1.0;
    }

    double size(size_t d) const { return static_cast<double>(offsets_[d + 1] - offsets_[d]); }

    std::span<const uint32_t> terms_;
    std::span<const double> weights_;
    std::span<const int64_t> offsets_;
    size_t count_;
    std::vector<int64_t> lists_;
    std::vector<Posting> postings_;
};

}  // namespace twinset
