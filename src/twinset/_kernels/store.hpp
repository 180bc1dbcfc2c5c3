// The sorted feature lists of all documents, kept for exact verification: in memory up to a limit,
// the rest in temporary files. Documents with equal lists are one class and stored once. Lists
// that arrive in memory stay where they are; the store only holds on to them.
//
// Lists arrive in two steps. `prepare` may run in many threads at a time: it makes a block of lists
// with their digests and, once the memory is used up, writes them to a file. `add` takes the blocks
// in order, and has little left to do but look the digests up.
#pragma once
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "class_table.hpp"
#include "growing.hpp"
#include "parallel.hpp"
#include "spill.hpp"

namespace twinset {

using FeatureList = std::span<const uint64_t>;  // sorted, each feature once
using Offsets = std::span<const int64_t>;       // of lists one after another: one more than lists

inline FeatureList between(std::span<const uint64_t> values, int64_t begin, int64_t end) {
    return values.subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
}

// Lists one after another, with their digests.
struct FeatureBlock {
    std::span<const uint64_t> values;  // of these lists alone; gone once they are in a file
    std::shared_ptr<void> owner;       // keeps the values alive
    std::vector<uint32_t> sizes;
    std::vector<ListDigest> digests;
    std::optional<SpillFiles::Place> file;

    size_t count() const { return sizes.size(); }
    size_t bytes() const { return values.size_bytes(); }
};

class FeatureStore {
  public:
    FeatureStore(size_t memory, const std::string& folder) : memory_(memory), files_(folder) {}

    size_t count() const { return size_.size(); }
    size_t size(size_t document) const { return size_.data()[document]; }
    uint64_t spilled_bytes() const { return files_.size(); }
    std::span<const uint32_t> sizes() const { return {size_.data(), size_.size()}; }
    // The first document with the same list; a document without features is its own class.
    std::span<const uint32_t> classes() const { return table_.classes(); }

    FeatureBlock prepare(std::span<const uint64_t> values, Offsets offsets, std::shared_ptr<void> owner,
                         int threads) {
        FeatureBlock block{between(values, offsets.front(), offsets.back()), std::move(owner), {}, {}, {}};
        block.sizes.resize(offsets.size() - 1);
        block.digests.resize(offsets.size() - 1);
        parallel_blocks(block.count(), 64, threads, [&](size_t begin, size_t end, int) {
            for (size_t i = begin; i < end; ++i) {
                FeatureList list = between(values, offsets[i], offsets[i + 1]);
                if (list.size() > UINT32_MAX) throw std::length_error("too many features in one document");
                block.sizes[i] = static_cast<uint32_t>(list.size());
                block.digests[i] = digest(list);
            }
        });
        // Blocks on their way count as well, or all of them would be left to `add`.
        if (used_ + waiting_.fetch_add(block.bytes()) + block.bytes() > memory_) {
            stop_point();
            block.file = files_.append(block.values.data(), block.bytes());
            waiting_ -= block.bytes();
            block.values = {};
            block.owner.reset();
        }
        return block;
    }

    // The documents that come next. The block is of no use afterwards.
    void add(FeatureBlock& block) {
        if (settled_) throw std::logic_error("documents come after the last one");
        if (block.count() >= UINT32_MAX - count()) throw std::length_error("too many documents for one run");
        constexpr size_t kAhead = 16;
        size_t first = count(), fresh = 0;
        uint32_t* sizes = size_.room(block.count());
        Pace pace;
        for (size_t i = 0; i < block.count(); ++i) {
            pace(16);
            if (i + kAhead < block.count()) table_.prefetch(block.digests[i + kAhead]);
            if (table_.enter(block.digests[i]) == first + i) fresh += block.sizes[i];
            sizes[i] = block.sizes[i];
        }
        size_.grow(block.count());
        keep(block, first, fresh);
        while (count_used() > memory_ && !held_.empty()) evict();
    }

    // No more documents will come: what only serves to find equal lists goes, and lists go to files
    // until the store takes no more than `memory`.
    void settle(size_t memory) {
        settled_ = true;
        table_.settle();
        memory_ = memory;
        size_.shrink();
        place_.shrink();
        while (count_used() > memory_ && !held_.empty()) evict();
    }
    bool settled() const { return settled_; }

    // Lets the lists go, of which no one will ask for another one; sizes and classes stay.
    void release() {
        held_.clear();
        held_bytes_ = 0;
        place_ = Growing<uint64_t>();
    }

    // The list of a document; `room` holds it when it must come from a file.
    FeatureList list(size_t document, std::vector<uint64_t>& room) const {
        size_t n = size(document);
        if (place_.size() == 0) throw std::logic_error("the lists are gone");
        uint64_t place = place_.data()[classes()[document]];
        if (!(place & kInFile)) return {reinterpret_cast<const uint64_t*>(place), n};
        room.resize(n);
        SpillFiles::Place at{static_cast<uint32_t>(place >> kFileAt & kFileMask), place & kWithin};
        if (n > 0) files_.read(at, room.data(), n * sizeof(uint64_t));
        return {room.data(), n};
    }

  private:
    // A place is an address in memory, or the number of a file and the byte in it. Only the first
    // document of a class has one.
    static constexpr uint64_t kInFile = uint64_t{1} << 63, kFileMask = 0x7f;
    static constexpr int kFileAt = 56;
    static constexpr uint64_t kWithin = (uint64_t{1} << kFileAt) - 1;

    // Values in memory that belong to the documents from `first` on.
    struct Held {
        std::span<const uint64_t> values;
        std::shared_ptr<void> owner;
        size_t first, count;
    };

    size_t count_used() {
        return used_ = held_bytes_ + table_.bytes() + count() * (sizeof(uint32_t) + sizeof(uint64_t));
    }

    static uint64_t in_file(SpillFiles::Place place) {
        return kInFile | uint64_t{place.file} << kFileAt | place.at;
    }
    static uint64_t in_memory(const uint64_t* values) { return reinterpret_cast<uint64_t>(values); }

    void keep(FeatureBlock& block, size_t first, size_t fresh) {
        uint64_t* place = place_.room(block.count());
        place_.grow(block.count());
        waiting_ -= block.bytes();
        bool compact = !block.file && 2 * fresh < block.values.size();
        if (compact) copy(block, first, fresh);
        uint64_t at = block.file ? in_file(*block.file) : in_memory(block.values.data());
        for (size_t i = 0; i < block.count(); ++i) {
            place[i] = at;
            if (!compact || classes()[first + i] == first + i) at += block.sizes[i] * sizeof(uint64_t);
        }
        if (block.values.empty()) return;
        held_.push_back({block.values, std::move(block.owner), first, block.count()});
        held_bytes_ += block.bytes();
    }

    // Few of the lists are new: copy these, let the others go.
    void copy(FeatureBlock& block, size_t first, size_t fresh) {
        auto values = std::make_shared<std::vector<uint64_t>>();
        values->reserve(fresh);
        for (size_t i = 0, begin = 0; i < block.count(); begin += block.sizes[i], ++i) {
            if (classes()[first + i] != first + i) continue;
            FeatureList list = block.values.subspan(begin, block.sizes[i]);
            values->insert(values->end(), list.begin(), list.end());
        }
        block.values = *values;
        block.owner = std::move(values);
    }

    // The lists that came first go to a file.
    void evict() {
        stop_point();
        Held& held = held_.front();
        uint64_t at = in_file(files_.append(held.values.data(), held.values.size_bytes()));
        for (size_t i = held.first; i < held.first + held.count; ++i)
            if (classes()[i] == i) place_.data()[i] += at - in_memory(held.values.data());
        held_bytes_ -= held.values.size_bytes();
        held_.pop_front();
    }

    bool settled_ = false;
    size_t memory_, held_bytes_ = 0;
    std::atomic<size_t> used_{0}, waiting_{0};
    SpillFiles files_;
    std::deque<Held> held_;
    Growing<uint64_t> place_;
    Growing<uint32_t> size_;
    ClassTable table_;
};

}  // namespace twinset
