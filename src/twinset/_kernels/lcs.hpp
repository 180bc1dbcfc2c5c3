// The length of a longest common subsequence of two lists of numbers, bit by bit.
//
// Crochemore, Iliopoulos, Pinzon, Reid: A fast and practical bit-vector algorithm for the longest
// common subsequence problem (2001), in the form of Hyyrö (2004): a bit of V for each place of the
// first list, all set; for each number of the second list with the places M where the first has it
//     V = (V + (V & M)) | (V & ~M)
// and the zeros of V count the subsequence. 64 places are one step. The places of a number are
// looked up in masks that are made once for all pairs with the same first list.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "stop.hpp"

namespace twinset {

class CommonSubsequence {
  public:
    explicit CommonSubsequence(size_t dimensions) : slot_(dimensions, 0) {}

    // The list that others are compared with next. Numbers are below `dimensions`.
    void set_first(std::span<const uint32_t> first) {
        for (uint32_t number : first_) slot_[number] = 0;
        first_ = first;
        words_ = (first.size() + 63) / 64;
        masks_.clear();
        uint32_t slots = 0;
        for (size_t i = 0; i < first.size(); ++i) {
            uint32_t& slot = slot_[first[i]];
            if (!slot) {
                slot = ++slots;
                masks_.resize(slots * words_, 0);
            }
            masks_[(slot - 1) * words_ + i / 64] |= uint64_t{1} << (i % 64);
        }
    }

    int64_t length(std::span<const uint32_t> second, Pace& pace) {
        v_.assign(words_, ~uint64_t{0});
        uint64_t* v = v_.data();
        for (uint32_t number : second) {
            pace();
            if (!slot_[number]) continue;
            pace(words_);
            const uint64_t* mask = masks_.data() + (slot_[number] - 1) * words_;
            uint64_t carry = 0;
            for (size_t w = 0; w < words_; ++w) {
                uint64_t here = v[w] & mask[w], sum, with;
                carry = __builtin_add_overflow(v[w], here, &sum) | __builtin_add_overflow(sum, carry, &with);
                v[w] = with | (v[w] & ~mask[w]);
            }
        }
        // Bits beyond the list are never cleared: no mask has them, and a carry into them is or-ed away.
        int64_t zeros = 0;
        for (size_t w = 0; w < words_; ++w) zeros += 64 - std::popcount(v[w]);
        return zeros;
    }

  private:
    std::span<const uint32_t> first_;
    size_t words_ = 0;
    std::vector<uint32_t> slot_;  // 1 and more: the mask of a number
    std::vector<uint64_t> masks_, v_;
};

}  // namespace twinset
