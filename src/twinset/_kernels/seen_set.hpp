// A set of 32-bit numbers that is emptied at once and grows with what is in it, not with what could be:
// each worker has one, so that none needs an entry per document.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hash.hpp"

namespace twinset {

class SeenSet {
  public:
    void clear() {
        count_ = 0;
        if (++round_ != 0) return;
        slots_.assign(slots_.size(), 0);
        round_ = 1;
    }

    // False where the number is there already.
    bool insert(uint32_t number) {
        uint64_t entry = uint64_t{round_} << 32 | number;
        size_t slot = place(entry);
        if (slots_[slot] == entry) return false;
        slots_[slot] = entry;
        if (2 * ++count_ > slots_.size()) grow();
        return true;
    }

  private:
    // The slot of an entry, or the one that it would have. Entries of earlier rounds are free slots.
    size_t place(uint64_t entry) const {
        size_t mask = slots_.size() - 1;
        size_t slot = static_cast<size_t>(static_cast<uint32_t>(entry) * kGolden >> 32) & mask;
        while (slots_[slot] != entry && slots_[slot] >> 32 == round_) slot = (slot + 1) & mask;
        return slot;
    }

    void grow() {
        std::vector<uint64_t> old(2 * slots_.size(), 0);
        old.swap(slots_);
        for (uint64_t entry : old)
            if (entry >> 32 == round_) slots_[place(entry)] = entry;
    }

    std::vector<uint64_t> slots_ = std::vector<uint64_t>(64, 0);  // round and number; the round is never 0
    uint32_t round_ = 1;
    size_t count_ = 0;
};

}  // namespace twinset
