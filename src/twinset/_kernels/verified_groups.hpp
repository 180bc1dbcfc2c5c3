// From groups of documents that share a key to verified pairs: `PlainPairing` where every pair can be
// compared, `Pairing` where bounds may be met.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bounded_groups.hpp"
#include "pairing.hpp"
#include "plain_pairing.hpp"

namespace twinset {

class VerifiedGroups {
  public:
    // `order` lists the documents in order of preference, `kept` those of them that stay, `positions` their
    // places among all documents of the collection. `PlainPairing` keeps to `memory`.
    VerifiedGroups(GroupRows rows, PairRule rule, std::span<const uint32_t> order,
                   std::span<const uint8_t> kept, std::span<const uint64_t> positions, uint64_t dense,
                   uint64_t crowd, size_t memory, int threads)
        : rows_(rows), rule_(std::move(rule)), order_(order), kept_(kept), positions_(positions) {
        BoundedGroups bounded(rows, rule_.store.count(), dense, crowd, threads);
        PlainPairing plain(rows, bounded, rule_, memory, threads);
        compared = plain.compared;
        size_t count = 0;
        for (const auto& part : plain.parts) count += part.size();
        pairs.reserve(count);
        for (const auto& part : plain.parts) pairs.insert(pairs.end(), part.begin(), part.end());
        plain.parts = {};
        if (bounded.any()) pair_bounded(bounded, dense, crowd, threads);
    }

    std::vector<VerifiedPair> pairs;  // sorted
    uint64_t compared = 0, absorbed = 0, not_enumerated = 0;

  private:
    static constexpr uint32_t kNoSlot = ~0u;

    // The groups that may meet a bound, with slots of their own.
    void pair_bounded(const BoundedGroups& bounded, uint64_t dense, uint64_t crowd, int threads) {
        std::vector<uint8_t> inside(rule_.store.count(), 0);
        Groups groups;
        Pace pace;
        for (size_t g = 0; g < rows_.count(); ++g) {
            auto members = rows_.members(g);
            pace();
            if (!bounded.has(g)) continue;
            pace(members.size());
            for (uint32_t d : members) inside[d] = 1;
            groups.documents.insert(groups.documents.end(), members.begin(), members.end());
            groups.offsets.push_back(static_cast<int64_t>(groups.documents.size()));
        }
        std::vector<uint32_t> slot(rule_.store.count(), kNoSlot), documents, alone;
        std::vector<uint8_t> kept;
        std::vector<uint64_t> positions;
        for (size_t s = 0; s < order_.size(); ++s) {
            uint32_t d = order_[s];
            if (!inside[d]) continue;
            slot[d] = static_cast<uint32_t>(documents.size());
            documents.push_back(d);
            positions.push_back(positions_[s]);
            kept.push_back(kept_[s]);
            alone.push_back(rule_.alone.empty() ? kUnknownAlone : rule_.alone[d]);
        }
        for (uint32_t& d : groups.documents) d = slot[d];
        for (size_t g = 0; g < groups.count(); pace(8), ++g)
            stoppable_sort(groups.documents.begin() + groups.offsets[g],
                           groups.documents.begin() + groups.offsets[g + 1]);
        Pairing pairing({rule_.store, documents, std::move(kept), std::move(alone), std::move(groups),
                         rule_.measure, rule_.threshold, dense, crowd, threads, std::move(positions)});
        pairing.run();
        compared += pairing.compared;
        absorbed = pairing.absorbed, not_enumerated = pairing.not_enumerated;
        size_t plain = pairs.size();
        pairs.reserve(plain + pairing.matches.size());
        for (const Match& match : pairing.matches) {
            uint32_t a = documents[match.earlier], b = documents[match.later];
            pairs.push_back({std::min(a, b), std::max(a, b), match.shared});
        }
        auto middle = pairs.begin() + static_cast<ptrdiff_t>(plain);
        stoppable_sort(middle, pairs.end());
        std::inplace_merge(pairs.begin(), middle, pairs.end());
    }

    GroupRows rows_;
    PairRule rule_;
    std::span<const uint32_t> order_;
    std::span<const uint8_t> kept_;
    std::span<const uint64_t> positions_;
};

}  // namespace twinset
