// Kinds of blocks of N-grams: numbered in the order in which they are seen, and what is counted of each.
// A text that is much like an earlier one has runs of the same numbers, so that what is known of its blocks
// lies together. Numbers are given by group, so that the kinds of a group can be forgotten.
#pragma once
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "gram_scan.hpp"
#include "gram_table.hpp"
#include "large_pages.hpp"

namespace twinset {

// What is counted of the kinds of a group. Any number of threads may add kinds; one at a time changes one.
class BlockKinds {
  public:
    static constexpr size_t kBytes = sizeof(uint64_t) + sizeof(uint32_t);  // of a kind
    static constexpr uint64_t kMost = UINT32_MAX;

    BlockKinds() { chunks_.reserve((kMost >> kBits) + 1); }  // so that they never move

    uint32_t add() {
        std::lock_guard<std::mutex> lock(adding_);
        if ((count_ & kMask) == 0) chunks_.push_back(std::make_unique<Chunk>());
        return count_++;
    }
    uint32_t& count(uint32_t kind) const { return chunks_[kind >> kBits]->count[kind & kMask]; }
    // The sum of what follows its places.
    uint64_t& nexts(uint32_t kind) const { return chunks_[kind >> kBits]->nexts[kind & kMask]; }
    bool holds(uint64_t kind) const { return kind < count_; }
    uint64_t bytes() const { return uint64_t{kBytes} * count_; }
    void clear() { chunks_.clear(), count_ = 0; }

  private:
    static constexpr int kBits = 16;
    static constexpr uint32_t kMask = (1u << kBits) - 1;
    struct Chunk {
        uint64_t nexts[kMask + 1]{};
        uint32_t count[kMask + 1]{};
    };

    std::mutex adding_;
    std::vector<std::unique_ptr<Chunk>> chunks_;
    uint32_t count_ = 0;
};

// The kinds of a part by what they are known by. One thread adds at a time.
class KindTable {
  public:
    struct Seen {
        uint32_t kind;
        bool is_new;
    };

    uint64_t bytes() const { return uint64_t{sizeof(Entry)} * slots_.size(); }

    // The kind of a block, which is added to the kinds if it was not there.
    Seen see(const GramKey& block, BlockKinds& kinds) {
        if (slots_.grow(used_)) publish();
        Entry& entry = slots_[block];
        bool is_new = entry.is_free();
        if (is_new) entry = {block.key, block.check, kinds.add()}, ++used_;
        return {entry.kind, is_new};
    }

    // Room for so many.
    void reserve(size_t count) {
        if (!slots_.size()) slots_ = GramSlots<Entry>(count / 4 * 5 + 64), publish();
    }
    void clear() { slots_ = GramSlots<Entry>(), publish(), used_ = 0; }

    // Its slot may be fetched before it is looked at, also while another thread adds: a wrong place does no
    // harm.
    void fetch(const GramKey& block) const {
        size_t at = GramSlots<Entry>::place(block.key, size_.load(std::memory_order_relaxed));
        uintptr_t address = begin_.load(std::memory_order_relaxed) + at * sizeof(Entry);
        __builtin_prefetch(reinterpret_cast<const void*>(address), 1);
    }

  private:
    struct Entry {
        uint64_t key = 0;
        uint32_t check = 0, kind = UINT32_MAX;
        bool is_free() const { return kind == UINT32_MAX; }
    };

    void publish() { size_ = slots_.size(), begin_ = reinterpret_cast<uintptr_t>(slots_.data()); }

    GramSlots<Entry> slots_;
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
    void fetch(uint64_t sample) const { __builtin_prefetch(&slots_[mix(sample) & (slots_.size() - 1)], 1); }

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
