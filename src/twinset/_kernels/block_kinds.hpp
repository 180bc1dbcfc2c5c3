// Kinds of blocks of N-grams: numbered in the order in which they are seen, and what is counted of each.
// A text that is much like an earlier one has runs of the same numbers, so that what is known of its blocks
// lies together. Numbers are given by group, so that the kinds of a group can be forgotten.
#pragma once
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "gram_scan.hpp"
#include "large_pages.hpp"
#include "stop.hpp"

namespace twinset {

struct BlockKind {
    static constexpr uint64_t kDiffer = 0;  // in place of `next`

    uint64_t key = 0;                 // with the check, what it is known by
    std::atomic<uint64_t> next{0};    // what follows all its places, if these are alike
    std::atomic<uint64_t> behind{0};  // the number of the kind that was seen behind it last
    uint32_t check = 0;
    std::atomic<uint32_t> count{0};

    bool is(const GramKey& block) const { return key == block.key && check == block.check; }
    void add(uint64_t follows) {
        if (next.load(std::memory_order_relaxed) != follows) next.store(kDiffer, std::memory_order_relaxed);
        if (count.load(std::memory_order_relaxed) == UINT32_MAX) return;
        count.fetch_add(1, std::memory_order_relaxed);
    }
};

// The kinds of a group. Any number of threads may make room for kinds and count.
class BlockKinds {
  public:
    static constexpr uint64_t kMost = UINT32_MAX;

    BlockKinds() { chunks_.reserve((kMost >> kBits) + 1); }  // so that they never move

    // Room for kinds that one thread sees, which lie together; the first of them.
    uint32_t reserve(uint32_t kinds) {
        std::lock_guard<std::mutex> lock(adding_);
        uint32_t first = count_;
        count_ += kinds;
        while ((chunks_.size() << kBits) < count_) chunks_.emplace_back(kMask + 1);
        return first;
    }
    BlockKind& operator[](uint32_t kind) const { return chunks_[kind >> kBits][kind & kMask]; }
    // Kinds that were first seen behind it may be looked at soon.
    void fetch_behind(uint32_t kind) const { __builtin_prefetch(&(*this)[kind] + 2, 1); }
    bool holds(uint64_t kind) const { return kind < count_; }
    uint64_t bytes() const { return uint64_t{sizeof(BlockKind)} * count_; }
    void clear() { chunks_.clear(), count_ = 0; }

  private:
    static constexpr int kBits = 16;  // a large page
    static constexpr uint32_t kMask = (1u << kBits) - 1;

    std::mutex adding_;
    mutable std::vector<LargeVector<BlockKind>> chunks_;
    uint32_t count_ = 0;
};

// The kinds of a part by what they are known by: open addressing, where a slot has half of a key, so that
// it can be moved and nearly every other one told apart without looking at the kinds.
class KindTable {
  public:
    struct Seen {
        uint32_t kind;
        bool is_new;
    };

    uint64_t bytes() const { return uint64_t{sizeof(Slot)} * slots_.size(); }

    // The kind of a block, which is made the one that `make` gives if it was not there.
    template <class Make>
    Seen see(const GramKey& block, const BlockKinds& kinds, Make&& make) {
        if (5 * (used_ + 1) > 4 * slots_.size()) grow();
        uint32_t half = half_of(block);
        size_t at = place(half, slots_.size());
        for (; slots_[at].kind != kFree; at = at + 1 == slots_.size() ? 0 : at + 1)
            if (slots_[at].half == half && kinds[slots_[at].kind].is(block)) return {slots_[at].kind, false};
        slots_[at] = {half, make()};
        ++used_;
        return {slots_[at].kind, true};
    }

    // Room for so many.
    void reserve(size_t count) {
        if (slots_.empty()) slots_.assign(count / 4 * 5 + 64, {}), publish();
    }
    void clear() { LargeVector<Slot>().swap(slots_), publish(), used_ = 0; }

    // Its slot may be fetched before it is looked at, also while another thread adds: a wrong place does no
    // harm.
    void fetch(const GramKey& block) const {
        size_t at = place(half_of(block), size_.load(std::memory_order_relaxed));
        uintptr_t address = begin_.load(std::memory_order_relaxed) + at * sizeof(Slot);
        __builtin_prefetch(reinterpret_cast<const void*>(address), 1);
    }

  private:
    static constexpr uint32_t kFree = UINT32_MAX;
    struct Slot {
        uint32_t half = 0, kind = kFree;
    };

    static uint32_t half_of(const GramKey& block) { return static_cast<uint32_t>(block.key >> 32); }
    static size_t place(uint32_t half, size_t size) {
        return static_cast<size_t>(static_cast<unsigned __int128>(half) * size >> 32);
    }

    void grow() {
        stop_point();
        LargeVector<Slot> larger(slots_.size() + slots_.size() / 2 + 64, Slot{});
        for (const Slot& slot : slots_) {
            if (slot.kind == kFree) continue;
            size_t at = place(slot.half, larger.size());
            while (larger[at].kind != kFree) at = at + 1 == larger.size() ? 0 : at + 1;
            larger[at] = slot;
        }
        slots_.swap(larger);
        publish();
    }
    void publish() { size_ = slots_.size(), begin_ = reinterpret_cast<uintptr_t>(slots_.data()); }

    LargeVector<Slot> slots_;
    size_t used_ = 0;
    std::atomic<size_t> size_{0};
    std::atomic<uintptr_t> begin_{0};
};

// Which samples have blocks of several kinds. Two that share 63 bits are both said to: that costs time and
// changes nothing.
class SampleKinds {
  public:
    // Room for so many kinds, each of which is added with its sample.
    explicit SampleKinds(size_t kinds) : slots_(std::bit_ceil(2 * kinds + 1), 0) {}

    void add(uint64_t sample) {
        uint64_t& slot = slots_[place(sample)];
        slot = slot ? slot | kSeveral : value(sample);
    }
    bool has_several(uint64_t sample) const { return slots_[place(sample)] & kSeveral; }

  private:
    static constexpr uint64_t kSeveral = uint64_t{1} << 63;
    static uint64_t value(uint64_t sample) { return (sample | 1) & ~kSeveral; }
    // That of the sample, or the free one where it would be.
    size_t place(uint64_t sample) const {
        size_t at = mix(sample) & (slots_.size() - 1);
        while (slots_[at] && (slots_[at] & ~kSeveral) != value(sample)) at = (at + 1) & (slots_.size() - 1);
        return at;
    }

    LargeVector<uint64_t> slots_;
};

}  // namespace twinset
