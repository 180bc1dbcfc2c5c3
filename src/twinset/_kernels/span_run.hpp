// A run of N-grams that are repeated together, in units and in characters of its text.
#pragma once
#include <cstddef>
#include <cstdint>

#include "gram_scan.hpp"

namespace twinset {

// Consecutive N-grams of one document, and what becomes of them: characters [start, end), `units` of them.
struct SpanRun {
    GramKey first;
    size_t begin;  // the unit that the first of the N-grams begins with
    size_t past;   // the one behind the last of them
    int64_t start = 0, end = 0, units = 0;
    // What lies between `start` and the first whole grapheme cluster: it may be none of equal runs elsewhere.
    int64_t lead = 0, lead_units = 0;
};

}  // namespace twinset
