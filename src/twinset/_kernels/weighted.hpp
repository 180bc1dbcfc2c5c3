// Weighted min-wise samples: of each list of weighted features the one of least -log2(u)/weight, with
// u a hash of the feature taken for a number from 0 to 1, under each of n functions.
//
// -log2(u)/weight is exponentially distributed with the rate of the weight, and the least of such
// numbers belongs to each feature with a probability in proportion to its weight. So where a feature
// has one weight in all lists, two lists have the same sample with probability (weight of the common
// features) / (weight of all features of both): the weighted Jaccard similarity.
//
// Whole numbers only: logarithms have 40 binary places, quotients are compared by products, and ties
// go to the lesser hash, so that every processor takes the same samples.
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "sketch.hpp"
#include "stop.hpp"

namespace twinset {

// -log2 of (2^64 - h) / 2^64 with 40 binary places, at least 1 and at most 2^46; by chords between
// 1,024 points of the logarithm, which lie below it, so that it is never below h / 2^24.
class NegativeLogarithm {
  public:
    static constexpr int kPlaces = 40;

    NegativeLogarithm() {
        for (uint64_t i = 0; i < kParts; ++i) points_[i] = logarithm((kParts + i) << (63 - kPartBits));
        points_[kParts] = uint64_t{1} << kPlaces;
    }

    uint64_t operator()(uint64_t h) const {
        uint64_t rest = ~h | 1;
        int zeros = std::countl_zero(rest);
        uint64_t mantissa = rest << zeros;
        size_t part = mantissa >> (63 - kPartBits) & (kParts - 1);
        uint64_t within = mantissa << (1 + kPartBits) >> 32;
        uint64_t chord = (points_[part + 1] - points_[part]) * within >> 32;
        return (static_cast<uint64_t>(zeros + 1) << kPlaces) - points_[part] - chord;
    }

  private:
    static constexpr int kPartBits = 10;
    static constexpr uint64_t kParts = uint64_t{1} << kPartBits;

    // log2 of a mantissa from 1 to 2, 63 of whose bits are binary places: squaring doubles it.
    static uint64_t logarithm(uint64_t mantissa) {
        uint64_t bits = 0;
        for (int place = 0; place < kPlaces; ++place) {
            auto square = static_cast<unsigned __int128>(mantissa) * mantissa >> 63;
            bool above = square >> 64;
            mantissa = static_cast<uint64_t>(above ? square >> 1 : square);
            bits = bits << 1 | above;
        }
        return bits;
    }

    std::array<uint64_t, kParts + 1> points_;
};

class WeightedMinWise {
  public:
    static constexpr uint32_t kMostWeight = (1u << 17) - 1;  // times 2^46 is less than 2^63

    WeightedMinWise(size_t size, uint64_t seed) {
        Stream stream(seed);
        for (size_t i = 0; i < size; ++i) functions_.emplace_back(stream);
    }

    // The sampled features, or kEmptyBin where there is none.
    void operator()(const uint64_t* begin, const uint64_t* end, const uint32_t* weights, uint64_t* sketch) const {
        Pace pace;
        for (size_t i = 0; i < functions_.size(); ++i) {
            pace(static_cast<size_t>(end - begin));
            sketch[i] = sample(functions_[i], begin, end, weights);
        }
    }

  private:
    uint64_t sample(const FastPermutation& permute, const uint64_t* begin, const uint64_t* end,
                    const uint32_t* weight) const {
        uint64_t least = uint64_t{1} << 46, least_weight = 1, least_hash = ~uint64_t{0}, chosen = kEmptyBin;
        uint64_t bound = least + 1;  // above least / least_weight
        for (const uint64_t* x = begin; x != end; ++x, ++weight) {
            uint64_t h = permute(*x);
            if (h >> (64 - NegativeLogarithm::kPlaces) >= bound * *weight) continue;
            uint64_t value = minus_log2_(h);
            uint64_t mine = value * least_weight, other = least * *weight;
            if (mine > other || (mine == other && h > least_hash)) continue;
            least = value, least_weight = *weight, least_hash = h, chosen = *x;
            bound = least / least_weight + 1;
        }
        return chosen;
    }

    NegativeLogarithm minus_log2_;
    std::vector<FastPermutation> functions_;
};

}  // namespace twinset
