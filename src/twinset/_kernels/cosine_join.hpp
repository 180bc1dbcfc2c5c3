// Every pair of unit vectors whose scalar product reaches a threshold, exactly.
//
// Bayardo, Ma, Srikant (WWW 2007) with the bound of Anastasiu, Karypis (ICDE 2014): the entries of a
// vector lie with the most frequent features first; the head whose length stays below the threshold
// is left out, because by Cauchy and Schwarz it cannot reach the threshold alone.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "parallel.hpp"

namespace twinset {

struct WeightedPair {
    uint32_t left, right;
    double score;
};

class CosineJoin {
  public:
    // Vector i has the entries [offsets[i], offsets[i+1]): features in rising order, weights.
    CosineJoin(std::span<const uint32_t> features, std::span<const double> weights,
               std::span<const int64_t> offsets, size_t dimensions, double threshold)
        : features_(features),
          weights_(weights),
          offsets_(offsets),
          count_(offsets.size() - 1),
          threshold_(threshold),
          frequency_(dimensions, 0),
          lists_(dimensions + 1, 0) {
        for (int64_t e = offsets[0]; e < offsets.back(); ++e) ++frequency_[features[e]];
        build_index();
    }

    std::vector<WeightedPair> pairs(int threads) const {
        size_t blocks = (count_ + kBlock - 1) / kBlock;
        std::vector<std::vector<WeightedPair>> found(blocks);
        std::vector<std::vector<uint32_t>> stamps(static_cast<size_t>(std::max(threads, 1)));
        parallel_blocks(blocks, 1, threads, [&](size_t block, size_t, int worker) {
            auto& stamp = stamps[static_cast<size_t>(worker)];
            stamp.resize(count_, kNever);
            for (size_t d = block * kBlock; d < std::min(count_, (block + 1) * kBlock); ++d)
                query(static_cast<uint32_t>(d), stamp, found[block]);
        });
        std::vector<WeightedPair> all;
        for (auto& part : found) all.insert(all.end(), part.begin(), part.end());
        return all;
    }

  private:
    static constexpr size_t kBlock = 64;
    static constexpr uint32_t kNever = ~0u;
    static constexpr double kSlack = 1e-9;  // sums are rounded; the bound must not be
    static constexpr double kFloatSlack = 1e-5;
    static constexpr double kRounding = 1e-12;  // a pair at the threshold reaches it

    struct Posting {
        uint32_t document;
        float upto;
    };

    // Entries of a document by falling frequency of the feature.
    std::vector<int64_t> by_frequency(size_t d) const {
        std::vector<int64_t> order(static_cast<size_t>(offsets_[d + 1] - offsets_[d]));
        std::iota(order.begin(), order.end(), offsets_[d]);
        std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
            uint32_t fa = features_[a], fb = features_[b];
            return frequency_[fa] != frequency_[fb] ? frequency_[fa] > frequency_[fb] : fa < fb;
        });
        return order;
    }

    // The entries after the head, most frequent first, each with the length of the vector up to it.
    template <class Use>
    void tail(size_t d, Use use) const {
        double squares = 0;
        for (int64_t e : by_frequency(d)) {
            squares += weights_[e] * weights_[e];
            double upto = std::sqrt(squares);
            if (upto >= threshold_ - kSlack) use(features_[e], upto);
        }
    }

    void build_index() {
        for (size_t d = 0; d < count_; ++d) {
            stop_point();
            tail(d, [&](uint32_t f, double) { ++lists_[f + 1]; });
        }
        for (size_t f = 1; f < lists_.size(); ++f) lists_[f] += lists_[f - 1];
        postings_.resize(static_cast<size_t>(lists_.back()));
        std::vector<int64_t> next(lists_.begin(), lists_.end() - 1);
        for (size_t d = 0; d < count_; ++d) {
            stop_point();
            tail(d, [&](uint32_t f, double upto) {
                postings_[static_cast<size_t>(next[f]++)] = {static_cast<uint32_t>(d),
                                                             static_cast<float>(upto)};
            });
        }
    }

    // The rarest feature that two vectors share is in the tails of both, if they reach the threshold.
    // Met there first, everything they share lies up to it, which bounds the product once more.
    void query(uint32_t d, std::vector<uint32_t>& stamp, std::vector<WeightedPair>& found) const {
        std::vector<std::pair<uint32_t, double>> mine;
        tail(d, [&](uint32_t f, double upto) { mine.push_back({f, upto}); });
        size_t before = found.size();
        Pace pace;
        stop_point();
        for (auto it = mine.rbegin(); it != mine.rend(); ++it)
            for (int64_t p = lists_[it->first]; p < lists_[it->first + 1]; ++p) {
                Posting other = postings_[static_cast<size_t>(p)];
                if (other.document >= d) break;
                pace();
                if (stamp[other.document] == d) continue;
                stamp[other.document] = d;
                if (it->second * other.upto < threshold_ - kFloatSlack) continue;
                pace(size(d) + size(other.document));
                double score = product(other.document, d);
                if (score >= threshold_ - kRounding)
                    found.push_back({other.document, d, std::min(score, 1.0)});
            }
        std::sort(found.begin() + static_cast<ptrdiff_t>(before), found.end(),
                  [](const WeightedPair& a, const WeightedPair& b) { return a.left < b.left; });
    }

    size_t size(uint32_t d) const { return static_cast<size_t>(offsets_[d + 1] - offsets_[d]); }

    double product(size_t a, size_t b) const {
        double sum = 0;
        for (int64_t i = offsets_[a], j = offsets_[b]; i < offsets_[a + 1] && j < offsets_[b + 1];) {
            if (features_[i] == features_[j]) sum += weights_[i++] * weights_[j++];
            else if (features_[i] < features_[j]) ++i;
            else ++j;
        }
        return sum;
    }

    std::span<const uint32_t> features_;
    std::span<const double> weights_;
    std::span<const int64_t> offsets_;
    size_t count_;
    double threshold_;
    std::vector<int64_t> frequency_, lists_;
    std::vector<Posting> postings_;
};

}  // namespace twinset
