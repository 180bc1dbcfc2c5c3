// Which documents have equal feature lists: a table of the digests of all lists.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

#include "growing.hpp"
#include "hash.hpp"
#include "large_pages.hpp"

namespace twinset {

// 128 bits that stand for a whole list; features are hashes already, so sums of them are uniform.
struct ListDigest {
    uint64_t sum, square;
    bool operator==(const ListDigest&) const = default;
};

inline ListDigest digest(std::span<const uint64_t> list) {
    ListDigest d{list.size() * kGolden, 0};
    for (uint64_t x : list) {
        d.sum += x;
        d.square += (x ^ (x >> 29)) * (x | 1);
    }
    return d;
}

// Open addressing. A slot holds 32 bits of the digest beside the document, so that the digest
// itself is looked at only where lists are equal.
class ClassTable {
  public:
    // The first document of the class of each one.
    std::span<const uint32_t> classes() const { return {class_.data(), class_.size()}; }

    // The next document: returns the first one with its digest, which may be itself. A document
    // without features is nobody's twin.
    uint32_t enter(const ListDigest& d) {
        uint32_t document = static_cast<uint32_t>(class_.size());
        uint32_t first = d == kEmpty ? document : look_up(d, document);
        digests_.push(d);
        class_.push(first);
        return first;
    }

    void prefetch(const ListDigest& d) const {
        if (!slots_.empty()) __builtin_prefetch(&slots_[start(mix(d.sum))]);
    }

    // No more documents will come.
    void settle() {
        slots_ = LargeVector<Slot>();
        digests_ = Growing<ListDigest>();
        class_.shrink();
    }

    size_t bytes() const {
        return class_.size() * sizeof(uint32_t) + digests_.size() * sizeof(ListDigest) +
               slots_.size() * sizeof(Slot);
    }

  private:
    static constexpr uint32_t kFree = ~0u;
    static constexpr size_t kAhead = 16;
    static constexpr ListDigest kEmpty{0, 0};
    struct Slot {
        uint32_t mark, document;
    };

    size_t start(uint64_t hash) const { return static_cast<size_t>(hash >> shift_); }
    static uint32_t mark(uint64_t hash) { return static_cast<uint32_t>(hash); }

    uint32_t look_up(const ListDigest& d, uint32_t document) {
        if (4 * (distinct_ + 1) > 3 * slots_.size()) grow();
        uint64_t hash = mix(d.sum);
        for (size_t at = start(hash);; at = (at + 1) & (slots_.size() - 1)) {
            Slot& slot = slots_[at];
            if (slot.document == kFree) {
                slot = {mark(hash), document};
                ++distinct_;
                return document;
            }
            if (slot.mark == mark(hash) && digests_.data()[slot.document] == d) return slot.document;
        }
    }

    void grow() {
        size_t size = std::max<size_t>(2 * slots_.size(), 1024);
        slots_ = LargeVector<Slot>();  // the smaller table goes first
        slots_.assign(size, {0, kFree});
        shift_ = 64 - std::countr_zero(size);
        const ListDigest* digests = digests_.data();
        const uint32_t* classes = class_.data();
        for (size_t i = 0; i < class_.size(); ++i) {
            if (i + kAhead < class_.size()) prefetch(digests[i + kAhead]);
            if (classes[i] != i || digests[i] == kEmpty) continue;
            uint64_t hash = mix(digests[i].sum);
            size_t at = start(hash);
            while (slots_[at].document != kFree) at = (at + 1) & (size - 1);
            slots_[at] = {mark(hash), static_cast<uint32_t>(i)};
        }
    }

    int shift_ = 64;
    size_t distinct_ = 0;
    LargeVector<Slot> slots_;
    Growing<ListDigest> digests_;
    Growing<uint32_t> class_;
};

}  // namespace twinset
