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

    // What both begin and end with is in a longest one. After a common beginning of p numbers the
    // first p bits are zero and all others set; neither they nor what is common at the end change.
    int64_t length(std::span<const uint32_t> second, Pace& pace) {
        size_t shorter = std::min(first_.size(), second.size()), head = 0, tail = 0;
        while (head < shorter && first_[head] == second[head]) ++head;
        while (tail < shorter - head && first_[first_.size() - 1 - tail] == second[second.size() - 1 - tail])
            ++tail;
        pace(head + tail);
        size_t stop = first_.size() - tail;
        size_t begin = head / 64, end = (stop + 63) / 64;
        v_.assign(end, ~uint64_t{0});
        if (begin < end) v_[begin] <<= head % 64;
        for (size_t at = head; at < second.size() - tail; ++at) {
            pace();
            if (uint32_t slot = slot_[second[at]]) {
                pace(end - begin);
                step(masks_.data() + (slot - 1) * words_, begin, end);
            }
        }
        if (stop % 64 && end) v_[end - 1] |= ~uint64_t{0} << (stop % 64);
        int64_t zeros = 0;
        for (size_t w = begin; w < end; ++w) zeros += 64 - std::popcount(v_[w]);
        if (begin < end) zeros -= static_cast<int64_t>(head % 64);
        return static_cast<int64_t>(head + tail) + zeros;
    }

  private:
    void step(const uint64_t* mask, size_t begin, size_t end) {
        uint64_t* v = v_.data();
        unsigned __int128 carry = 0;
        for (size_t w = begin; w < end; ++w) {
            uint64_t here = v[w] & mask[w];
            carry += v[w];
            carry += here;
            v[w] = static_cast<uint64_t>(carry) | (v[w] & ~mask[w]);
            carry >>= 64;
        }
    }

    std::span<const uint32_t> first_;
    size_t words_ = 0;
    std::vector<uint32_t> slot_;  // 1 and more: the mask of a number
    std::vector<uint64_t> masks_, v_;
};

}  // namespace twinset
