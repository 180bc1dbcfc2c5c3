// What two weighted lists of features have in common: how many, the scalar product, the lesser weights.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "parallel.hpp"

namespace twinset {

struct Overlaps {
    std::vector<int64_t> shared;
    std::vector<double> product, lesser;

    explicit Overlaps(size_t pairs) : shared(pairs), product(pairs), lesser(pairs) {}
};

// List i has the entries [offsets[i], offsets[i+1]): features in rising order, each once, with weights.
// Sums run in the order of the features, so that no thread count can change them.
class WeightedLists {
  public:
    WeightedLists(std::span<const uint64_t> features, std::span<const double> weights,
                  std::span<const int64_t> offsets)
        : features_(features), weights_(weights), offsets_(offsets) {}

    Overlaps overlaps(std::span<const uint32_t> left, std::span<const uint32_t> right, int threads) const {
        size_t pairs = left.size();
        Overlaps found(pairs);
        parallel_blocks(pairs, 256, threads, [&](size_t begin, size_t end, int) {
            Pace pace;
            for (size_t p = begin; p < end; ++p) {
                pace(size(left[p]) + size(right[p]));
                merge(left[p], right[p], p, found);
            }
        });
        return found;
    }

  private:
    size_t size(uint32_t list) const { return static_cast<size_t>(offsets_[list + 1] - offsets_[list]); }

    void merge(uint32_t a, uint32_t b, size_t pair, Overlaps& found) const {
        int64_t i = offsets_[a], j = offsets_[b], shared = 0;
        double product = 0, lesser = 0;
        while (i < offsets_[a + 1] && j < offsets_[b + 1]) {
            uint64_t one = features_[i], other = features_[j];
            if (one == other) {
                ++shared;
                product += weights_[i] * weights_[j];
                lesser += std::min(weights_[i], weights_[j]);
            }
            i += one <= other;
            j += other <= one;
        }
        found.shared[pair] = shared;
        found.product[pair] = product;
        found.lesser[pair] = lesser;
    }

    std::span<const uint64_t> features_;
    std::span<const double> weights_;
    std::span<const int64_t> offsets_;
};

}  // namespace twinset
