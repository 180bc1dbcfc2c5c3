// Keys of sets of hashes: equal sets, equal keys, whatever their order.
#pragma once
#include <cstdint>
#include <vector>

#include "growing.hpp"
#include "hash.hpp"

namespace twinset {

// A set summed up element by element.
struct SetSum {
    uint64_t sum = 0;
    uint64_t count = 0;
    void add(uint64_t hash) {
        sum += mix(hash ^ kWordB);
        ++count;
    }
    // `kind` keeps keys of different kinds apart.
    uint64_t key(uint64_t kind) const { return mix(sum ^ mix(count * kGolden + kind)); }
};

// Whether the word is missing from a lexicon that lacks `share` of the words.
inline bool removed_from(uint64_t lexicon, uint64_t seed, double share, uint64_t hash) {
    uint64_t drawn = mix(hash ^ mix(seed * kGolden + lexicon));
    return static_cast<double>(drawn >> 11) * 0x1p-53 < share;
}

// Keys of the part of a set that lies inside a lexicon (number 0) and inside `lexica` thinned ones
// (1, 2, ...); none for a part of fewer than `least`.
struct LexiconKeys {
    uint64_t lexica, seed, least;
    double share;

    void write(const uint64_t* hashes, const uint8_t* inside, size_t n, std::vector<SetSum>& sums,
               Growing<uint64_t>& out) const {
        sums.assign(lexica + 1, {});
        for (size_t i = 0; i < n; ++i) {
            if (!inside[i]) continue;
            sums[0].add(hashes[i]);
            for (uint64_t k = 1; k <= lexica; ++k)
                if (!removed_from(k, seed, share, hashes[i])) sums[k].add(hashes[i]);
        }
        for (uint64_t k = 0; k <= lexica; ++k)
            if (sums[k].count >= least && sums[k].count) out.push(sums[k].key(k));
    }
};

// Keys of the parts that a set falls into when each element chooses a list by its hash.
struct ListKeys {
    uint64_t lists, seed, least;

    void write(const uint64_t* hashes, size_t n, std::vector<SetSum>& sums, Growing<uint64_t>& out) const {
        sums.assign(lists, {});
        for (size_t i = 0; i < n; ++i) sums[mix(hashes[i] ^ mix(seed)) % lists].add(hashes[i]);
        for (uint64_t k = 0; k < lists; ++k)
            if (sums[k].count >= least && sums[k].count) out.push(sums[k].key(k));
    }
};

}  // namespace twinset
