// What two documents have in common, term by term: how many terms, the product of their weights, the
// sum of the lesser weights, and the words that common runs cover. Sums are of whole numbers, so that
// no order and no machine shows in them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "stop.hpp"

namespace twinset {

struct SharedSums {
    int64_t terms = 0, product = 0, lesser = 0;
};

// Both lists ascend; weights run parallel to them, or are null.
inline SharedSums shared_sums(std::span<const uint32_t> a, const int32_t* a_weights,
                              std::span<const uint32_t> b, const int32_t* b_weights) {
    SharedSums sums;
    size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
        uint32_t one = a[i], other = b[j];
        if (one == other) {
            ++sums.terms;
            if (a_weights) {
                sums.product += int64_t{a_weights[i]} * b_weights[j];
                sums.lesser += std::min(a_weights[i], b_weights[j]);
            }
        }
        i += one <= other;
        j += other <= one;
    }
    return sums;
}

// How many words lie in a run of `length` words that both documents have.
class Coverage {
  public:
    static constexpr uint32_t kNowhere = 0xFFFFFFFF;

    explicit Coverage(size_t length) : length_(length) {}

    // `a` and `b` are the documents' runs, ascending; `a_places` has for each run in reading order
    // where it stands in `a`, or kNowhere. A document of fewer words is one run of all of them.
    int64_t covered(std::span<const uint32_t> a, std::span<const uint32_t> a_places, int64_t a_words,
                    std::span<const uint32_t> b, std::span<const uint32_t> b_places, int64_t b_words) {
        in_a_.assign(a.size(), 0);
        in_b_.assign(b.size(), 0);
        size_t i = 0, j = 0;
        bool any = false;
        while (i < a.size() && j < b.size()) {
            uint32_t one = a[i], other = b[j];
            if (one == other) in_a_[i] = in_b_[j] = 1, any = true;
            i += one <= other;
            j += other <= one;
        }
        return any ? words(a_places, in_a_, a_words) + words(b_places, in_b_, b_words) : 0;
    }

  private:
    int64_t words(std::span<const uint32_t> places, const std::vector<uint8_t>& shared, int64_t all) const {
        int64_t length = std::min(static_cast<int64_t>(length_), all), sum = 0, end = 0;
        for (size_t at = 0; at < places.size(); ++at) {
            if (places[at] == kNowhere || !shared[places[at]]) continue;
            int64_t begin = static_cast<int64_t>(at);
            sum += length - std::max<int64_t>(end - begin, 0);
            end = begin + length;
        }
        return sum;
    }

    size_t length_;
    std::vector<uint8_t> in_a_, in_b_;
};

}  // namespace twinset
