// Groups of documents, and which of them repeat another one.
#pragma once
#include <algorithm>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "growing.hpp"
#include "hash.hpp"
#include "stop.hpp"

namespace twinset {

struct Groups {
    std::vector<int64_t> offsets{0};
    std::vector<uint32_t> documents;

    size_t count() const { return offsets.size() - 1; }
    std::span<const uint32_t> members(size_t g) const {
        return std::span(documents).subspan(static_cast<size_t>(offsets[g]),
                                            static_cast<size_t>(offsets[g + 1] - offsets[g]));
    }
};

// A number that groups of the same members have in common, and hardly any other.
inline uint64_t name_of(std::span<const uint32_t> members) {
    uint64_t name = members.size();
    for (uint32_t d : members) name = (name ^ (name >> 29) ^ d) * kShingle;
    return mix(name);
}

inline std::vector<uint64_t> names_of(const Groups& groups) {
    std::vector<uint64_t> names(groups.count());
    Pace pace;
    for (size_t g = 0; g < names.size(); ++g) {
        pace(groups.members(g).size() + 1);
        names[g] = name_of(groups.members(g));
    }
    return names;
}

// Which groups have the members of an earlier one, nearly all of them: near copies have many rare features
// in common, and so as many groups. Members are in one order in all groups.
class RepeatedGroups {
  public:
    // Calls `keep` with the members of each group that no earlier one has; `kept` gives them again, by their
    // place among those that were kept. The names are those of `names_of`.
    template <class Kept, class Keep>
    void each_new(const Groups& groups, std::span<const uint64_t> names, Kept kept, Keep keep) {
        constexpr size_t kAhead = 16;
        Pace pace;
        for (size_t g = 0; g < names.size(); ++g) {
            std::span<const uint32_t> members = groups.members(g);
            pace(4 * members.size() + 4);
            if (g + kAhead < names.size()) __builtin_prefetch(bucket_of(names[g + kAhead]).data(), 1);
            if (is_new(members, names[g], kept)) keep(members);
        }
    }

  private:
    struct Slot {
        uint32_t mark, group;
    };
    static constexpr uint32_t kFree = ~0u;
    static constexpr size_t kBucket = 8;  // slots of a line of the cache
    static constexpr size_t kMostSlots = size_t{1} << 25;

    // Whether no earlier group has these members; if so, this one has the next place.
    template <class Kept>
    bool is_new(std::span<const uint32_t> members, uint64_t name, Kept kept) {
        for (const Slot& slot : bucket_of(name)) {
            if (slot.group == kFree) break;
            if (slot.mark != mark_of(name)) continue;
            std::span<const uint32_t> earlier = kept(slot.group);
            if (std::equal(members.begin(), members.end(), earlier.begin(), earlier.end())) return false;
        }
        if (8 * size_t{count_} == 5 * slots_.size() && slots_.size() < kMostSlots) grow(kept);
        enter(name, count_++);
        return true;
    }

    std::span<Slot, kBucket> bucket_of(uint64_t name) {
        size_t bucket = static_cast<size_t>(name) & (slots_.size() / kBucket - 1);
        return std::span<Slot, kBucket>(slots_.data() + bucket * kBucket, kBucket);
    }
    static uint32_t mark_of(uint64_t name) { return static_cast<uint32_t>(name >> 32); }

    // In a bucket that is full some other group is forgotten.
    void enter(uint64_t name, uint32_t group) {
        std::span<Slot, kBucket> bucket = bucket_of(name);
        size_t at = 0;
        while (at < kBucket && bucket[at].group != kFree) ++at;
        bucket[at < kBucket ? at : group % kBucket] = {mark_of(name), group};
    }

    template <class Kept>
    void grow(Kept kept) {
        size_t size = 2 * std::exchange(slots_, {}).size();
        slots_.assign(size, {0, kFree});
        Pace pace;
        for (uint32_t g = 0; g < count_; ++g) {
            pace(kept(g).size() + 4);
            enter(name_of(kept(g)), g);
        }
    }

    std::vector<Slot> slots_ = std::vector<Slot>(1024, {0, kFree});
    uint32_t count_ = 0;
};

// Leaves out groups that repeat an earlier one, in place.
inline void drop_repeated(Groups& groups) {
    size_t kept = 0, rows = 0;
    RepeatedGroups().each_new(
        groups, names_of(groups), [&](size_t earlier) { return groups.members(earlier); },
        [&](std::span<const uint32_t> members) {
            std::copy(members.begin(), members.end(),
                      groups.documents.begin() + static_cast<ptrdiff_t>(rows));
            rows += members.size();
            groups.offsets[++kept] = static_cast<int64_t>(rows);
        });
    groups.offsets.resize(kept + 1);
    groups.offsets.shrink_to_fit();
    groups.documents.resize(rows);
    groups.documents.shrink_to_fit();
}

// Groups that several threads make of slices of the keys, one slice after the other, without those that
// repeat an earlier one.
class DistinctGroups {
  public:
    explicit DistinctGroups(size_t slices) : slices_(slices) { offsets.push(0); }

    // The groups of a slice. Who finds that nobody else does so takes in what is ready, up to the first slice
    // that is missing.
    void put(size_t slice, Groups groups) {
        std::vector<uint64_t> names = names_of(groups);
        std::unique_lock locked(lock_);
        slices_[slice] = {std::move(groups), std::move(names), true};
        if (is_taking_) return;
        is_taking_ = true;
        while (next_ < slices_.size() && slices_[next_].ready) {
            Slice ready = std::move(slices_[next_]);
            locked.unlock();
            take(ready);
            locked.lock();
            ++next_;
        }
        is_taking_ = false;
    }

    Growing<int64_t> offsets;
    Growing<uint32_t> documents;

  private:
    struct Slice {
        Groups groups;
        std::vector<uint64_t> names;
        bool ready = false;
    };

    std::span<const uint32_t> members(size_t g) const {
        return {documents.data() + offsets.data()[g], documents.data() + offsets.data()[g + 1]};
    }

    void take(const Slice& slice) {
        repeated_.each_new(
            slice.groups, slice.names, [&](size_t earlier) { return members(earlier); },
            [&](std::span<const uint32_t> more) {
                std::copy(more.begin(), more.end(), documents.room(more.size()));
                documents.grow(more.size());
                offsets.push(static_cast<int64_t>(documents.size()));
            });
    }

    std::mutex lock_;
    std::vector<Slice> slices_;
    size_t next_ = 0;         // the first that was not taken in
    bool is_taking_ = false;  // somebody takes slices in
    RepeatedGroups repeated_;
};

}  // namespace twinset
