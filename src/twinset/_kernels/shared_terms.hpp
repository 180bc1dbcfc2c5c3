// What two documents have in common, term by term: how many terms, the product of their weights, the
// sum of the lesser weights, and the words that common runs cover. Sums are of whole numbers, so that
// no order and no machine shows in them.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "large_pages.hpp"
#include "stop.hpp"

namespace twinset {

struct SharedSums {
    int64_t terms = 0, product = 0, lesser = 0;
};

// Where the terms of one document stand, by term: others are held against it one after the other,
// each at the cost of its own terms. Most of these are not in the first one: a few bits that stay in
// the nearest cache tell nearly all of them apart before the table is asked.
class TermPlaces {
  public:
    static constexpr uint32_t kNowhere = 0xFFFFFFFF;

    explicit TermPlaces(size_t dimensions) : place_(dimensions, kNowhere) {}

    // The document that others are held against next. Terms are below `dimensions`, each once.
    void set(std::span<const uint32_t> terms) {
        for (uint32_t term : terms_) place_[term] = kNowhere;
        terms_ = terms;
        for (size_t i = 0; i < terms.size(); ++i) place_[terms[i]] = static_cast<uint32_t>(i);
        size_t words = std::bit_ceil(terms.size() / 8 + 1);  // 8 bits or more for each term
        bits_.assign(words, 0);
        for (uint32_t term : terms) bits_[term / 64 & (words - 1)] |= uint64_t{1} << (term % 64);
    }
    // The places in another document's list of terms that may be shared, ascending, among them all that
    // are; good until the next call.
    std::span<const uint32_t> maybe_shared(std::span<const uint32_t> terms) {
        if (maybe_.size() < terms.size()) maybe_.resize(terms.size());
        size_t mask = bits_.size() - 1, kept = 0;
        for (size_t j = 0; j < terms.size(); ++j) {
            maybe_[kept] = static_cast<uint32_t>(j);
            kept += bits_[terms[j] / 64 & mask] >> (terms[j] % 64) & 1;
        }
        return {maybe_.data(), kept};
    }
    uint32_t operator[](uint32_t term) const { return place_[term]; }
    size_t size() const { return terms_.size(); }

  private:
    std::span<const uint32_t> terms_;
    LargeVector<uint32_t> place_;
    std::vector<uint32_t> maybe_;
    std::vector<uint64_t> bits_{0};
};

// What a document shares with the one in `places`; weights run parallel to the terms of each.
inline SharedSums shared_sums(TermPlaces& places, const int32_t* first_weights,
                              std::span<const uint32_t> terms, const int32_t* weights) {
    SharedSums sums;
    for (uint32_t j : places.maybe_shared(terms)) {
        uint32_t place = places[terms[j]];
        if (place == TermPlaces::kNowhere) continue;
        ++sums.terms;
        sums.product += int64_t{first_weights[place]} * weights[j];
        sums.lesser += std::min(first_weights[place], weights[j]);
    }
    return sums;
}

// How many words lie in a run of `length` words that both documents have.
class Coverage {
  public:
    static constexpr uint32_t kNowhere = TermPlaces::kNowhere;

    explicit Coverage(size_t length) : length_(length) {}

    // `a` has the first document's runs, `b` are those of the second; `a_places` has for each run in
    // reading order where it stands, or kNowhere. A document of fewer words is one run of all of them.
    int64_t covered(TermPlaces& a, std::span<const uint32_t> a_places, int64_t a_words,
                    std::span<const uint32_t> b, std::span<const uint32_t> b_places, int64_t b_words) {
        in_a_.assign(a.size() + 1, 0);
        in_b_.assign(b.size(), 0);
        bool any = false;
        for (uint32_t j : a.maybe_shared(b)) {
            uint32_t place = a[b[j]];
            bool shared = place != kNowhere;
            in_b_[j] = shared;
            in_a_[std::min<size_t>(place, a.size())] = 1;
            any |= shared;
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
