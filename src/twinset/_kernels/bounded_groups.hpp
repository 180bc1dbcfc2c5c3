// Which groups may meet a bound of `Pairing`: those with more than `crowd` documents, and those of a
// document that has `dense` others beside it in its groups. What a bound leaves out depends on the
// documents before, and these on theirs, so that whole connected components are marked; in all other
// groups every pair is compared, in any order.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "disjoint_sets.hpp"
#include "parallel.hpp"
#include "seen_set.hpp"

namespace twinset {

// Groups as they came out of the grouper: documents rise within each.
struct GroupRows {
    std::span<const int64_t> offsets;
    std::span<const uint32_t> documents;

    size_t count() const { return offsets.size() - 1; }
    size_t begin(size_t g) const { return static_cast<size_t>(offsets[g]); }
    size_t end(size_t g) const { return static_cast<size_t>(offsets[g + 1]); }
    size_t size(size_t g) const { return end(g) - begin(g); }
    std::span<const uint32_t> members(size_t g) const { return documents.subspan(begin(g), size(g)); }
    // The document some rows further on: what is kept for it can be fetched from memory meanwhile.
    uint32_t ahead(size_t row, size_t by) const {
        return documents[std::min(row + by, documents.size() - 1)];
    }
};

// Numbers that several threads change; all begin at 0.
using SharedNumbers = std::unique_ptr<std::atomic<uint32_t>[]>;

inline SharedNumbers shared_numbers(size_t count) {
    return SharedNumbers(new std::atomic<uint32_t>[count]());
}

class BoundedGroups {
  public:
    // Larger groups, and all of more rows, are left to `Pairing` as well.
    static constexpr size_t kLargest = size_t{1} << 24, kMostRows = size_t{1} << 31;

    BoundedGroups(GroupRows rows, size_t documents, uint64_t dense, uint64_t crowd, int threads)
        : rows_(rows), documents_(documents), threads_(threads) {
        if (rows.documents.size() > kMostRows) {
            marked_.assign(rows.count(), 1);
            return;
        }
        crowd = std::min<uint64_t>(crowd, kLargest - 1);
        std::vector<uint8_t> meets(documents, 0);
        if (!find_crowds(crowd, meets) & !find_dense(std::min<uint64_t>(dense, kLargest), meets)) return;
        spread(meets);
    }

    bool any() const { return !marked_.empty(); }
    bool has(size_t g) const { return any() && marked_[g]; }

  private:
    static constexpr size_t kGrain = 4096, kAhead = 16;
    static constexpr size_t kCounted = 1024, kUsual = 1000;  // documents at a time where `dense` is as usual
    static constexpr size_t kMostScans = 16;
    static constexpr uint32_t kNone = ~0u;

    bool find_crowds(uint64_t crowd, std::vector<uint8_t>& meets) const {
        bool any = false;
        for (size_t g = 0; g < rows_.count(); ++g)
            if (rows_.size(g) > crowd) any = true, meets[rows_.members(g)[0]] = 1;
        return any;
    }

    // A document within the threshold of as many others as `dense` has at least as many beside it. Those of
    // several groups are counted several times at first, and once for the few that seem to have enough.
    bool find_dense(uint64_t dense, std::vector<uint8_t>& meets) const {
        if (dense > rows_.documents.size()) return false;
        SharedNumbers beside = shared_numbers(documents_);
        std::atomic<bool> any{false};
        parallel_blocks(rows_.count(), kGrain, threads_, [&](size_t begin, size_t end, int) {
            for (size_t g = begin; g < end; ++g) {
                uint32_t others = static_cast<uint32_t>(std::min<uint64_t>(rows_.size(g) - 1, dense));
                for (size_t k = rows_.begin(g); k < rows_.end(g); ++k) {
                    uint32_t d = rows_.documents[k];
                    __builtin_prefetch(&beside[rows_.ahead(k, kAhead)], 1);
                    if (beside[d].load(std::memory_order_relaxed) >= dense) continue;  // and never overflows
                    if (beside[d].fetch_add(others, std::memory_order_relaxed) + others >= dense) any = true;
                }
            }
        });
        return any && count_once(dense, beside, meets);
    }

    bool count_once(uint64_t dense, const SharedNumbers& beside, std::vector<uint8_t>& meets) const {
        std::vector<uint32_t> seeming;
        for (uint32_t d = 0; d < documents_; ++d)
            if (beside[d].load(std::memory_order_relaxed) >= dense) seeming.push_back(d);
        bool any = false;
        size_t at_once = std::clamp<size_t>(kCounted * kUsual / std::max<uint64_t>(dense, 1), 1, kCounted);
        for (size_t at = 0; at < seeming.size() && !any; at += at_once) {
            std::span<const uint32_t> rest = std::span(seeming).subspan(at);
            any = rest.size() > kMostScans * at_once ||
                  have_dense(rest.first(std::min(at_once, rest.size())), dense);
            // Where one has enough, others will: nothing is lost if all of them are held for such.
            if (any)
                for (uint32_t d : rest) meets[d] = 1;
        }
        return any;
    }

    // Whether one of these documents has so many different ones beside it.
    bool have_dense(std::span<const uint32_t> documents, uint64_t dense) const {
        std::vector<uint32_t> row(documents_, kNone);
        for (uint32_t r = 0; r < documents.size(); ++r) row[documents[r]] = r;
        std::vector<SeenSet> others(documents.size());
        std::vector<uint64_t> counts(documents.size(), 0);
        Pace pace;
        for (size_t g = 0; g < rows_.count(); ++g) {
            pace(rows_.size(g));
            for (uint32_t d : rows_.members(g)) {
                uint32_t r = row[d];
                if (r == kNone) continue;
                pace(rows_.size(g));
                for (uint32_t other : rows_.members(g)) counts[r] += other != d && others[r].insert(other);
                if (counts[r] >= dense) return true;
            }
        }
        return false;
    }

    void spread(const std::vector<uint8_t>& meets) {
        DisjointSets components(documents_, threads_);
        auto each_group = [&](auto use) {
            parallel_blocks(rows_.count(), kGrain, threads_, [&](size_t begin, size_t end, int) {
                for (size_t g = begin; g < end; ++g) use(g, rows_.members(g));
            });
        };
        each_group([&](size_t, std::span<const uint32_t> members) {
            for (size_t k = 1; k < members.size(); ++k) components.unite(members[0], members[k]);
        });
        std::vector<uint8_t> bounded(documents_, 0);
        for (size_t d = 0; d < documents_; ++d)
            if (meets[d]) bounded[components.root(static_cast<uint32_t>(d))] = 1;
        marked_.resize(rows_.count());
        each_group([&](size_t g, std::span<const uint32_t> members) {
            marked_[g] = !members.empty() && bounded[components.root(members[0])];
        });
    }

    GroupRows rows_;
    size_t documents_;
    int threads_;
    std::vector<uint8_t> marked_;
};

}  // namespace twinset
