// Spot signatures [Theobald, Siddharth, Paepcke 2008]: a stop word (the antecedent) with the `chain`
// words after it that are no stop words, `distance` apart.
#pragma once
#include <cstdint>

#include "hash.hpp"

namespace twinset {

struct Spots {
    size_t chain, distance;

    // `out` has room for n values; an antecedent with too few words after it has no signature.
    size_t write(const uint64_t* words, const uint8_t* antecedent, const uint8_t* stopped, size_t n,
                 uint64_t* out) const {
        size_t made = 0;
        for (size_t i = 0; i < n; ++i) {
            if (!antecedent[i]) continue;
            uint64_t rolling = words[i];
            size_t taken = 0, passed = 0;
            for (size_t j = i + 1; j < n && taken < chain; ++j) {
                if (stopped[j]) continue;
                if (++passed % distance) continue;
                rolling = rolling * kShingle + words[j];
                ++taken;
            }
            if (taken == chain) out[made++] = finish_shingle(rolling, chain + 1);
        }
        return made;
    }
};

}  // namespace twinset
