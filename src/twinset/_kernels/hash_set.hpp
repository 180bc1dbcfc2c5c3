// Tables of 64-bit hashes: open addressing, a power of two of slots, half of them free.
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "hash.hpp"

namespace twinset {

// Finds the place of a hash in a list that does not change.
class HashPlaces {
  public:
    HashPlaces() = default;
    explicit HashPlaces(std::span<const uint64_t> hashes)
        : hashes_(hashes.begin(), hashes.end()), slots_(std::bit_ceil(2 * hashes.size() + 2), 0) {
        for (size_t i = 0; i < hashes.size(); ++i) {
            maybe_[hashes[i] >> 52] = 1;
            size_t slot = start(hashes[i]);
            while (slots_[slot]) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = static_cast<uint32_t>(i + 1);
        }
    }

    size_t size() const { return hashes_.size(); }
    // -1 where the hash is not in the list.
    int64_t find(uint64_t hash) const {
        for (size_t slot = start(hash); slots_[slot]; slot = (slot + 1) & (slots_.size() - 1))
            if (hashes_[slots_[slot] - 1] == hash) return slots_[slot] - 1;
        return -1;
    }
    bool holds(uint64_t hash) const { return maybe_[hash >> 52] && find(hash) >= 0; }

  private:
    size_t start(uint64_t hash) const {
        return static_cast<size_t>(hash * kGolden >> 20) & (slots_.size() - 1);
    }

    std::vector<uint64_t> hashes_;
    std::vector<uint32_t> slots_;
    std::array<uint8_t, 4096> maybe_{};  // by the first bits: most hashes are not in a short list
};

}  // namespace twinset
