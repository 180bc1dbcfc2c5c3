// What a pairing is asked: documents in order of preference, the groups they share, and the threshold.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "group.hpp"
#include "measure.hpp"
#include "store.hpp"

namespace twinset {

struct PairingInput {
    const FeatureStore& store;
    std::vector<uint32_t> order;  // the document of each slot
    std::vector<uint8_t> kept;    // slots that must stay anchors
    std::vector<uint32_t> alone;  // features of each slot that nobody else has, or kUnknownAlone
    Groups groups;                // of slots, rising
    Measure measure;
    double threshold;
    uint64_t dense, crowd;
    int threads;
    std::vector<uint64_t> positions;  // of each slot, in the order of the whole collection

    size_t size(size_t s) const { return store.size(order[s]); }

    uint64_t most_shared(size_t s, size_t other) const {
        return twinset::most_shared(size(s), alone[s], size(other), alone[other]);
    }

    // A document is poor if that bound keeps it from any partner of its own size.
    bool is_poor(size_t s) const {
        if (alone[s] == kUnknownAlone) return false;
        return needed(measure, threshold, size(s), size(s)) > size(s) - alone[s];
    }
};

}  // namespace twinset
