// Keys of documents in rising order, as an index keeps them on the disk: made, and looked up.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "parallel_sort.hpp"
#include "stop.hpp"

namespace twinset {

struct KeyedNumber {
    uint64_t key;
    uint32_t number;
};

// The rows by key, and of equal keys by number; a row that is there twice is kept once.
inline void sort_keyed(LargeVector<KeyedNumber>& rows, int threads) {
    auto by_number = [](const KeyedNumber& a, const KeyedNumber& b) { return a.number < b.number; };
    if (!std::is_sorted(rows.begin(), rows.end(), by_number))
        radix_sort(rows, 32, threads, [](const KeyedNumber& row) { return uint64_t{row.number}; });
    radix_sort(rows, 64, threads, [](const KeyedNumber& row) { return row.key; });
    auto same = [](const KeyedNumber& a, const KeyedNumber& b) {
        return a.key == b.key && a.number == b.number;
    };
    rows.erase(std::unique(rows.begin(), rows.end(), same), rows.end());
}

// Sorted keys with a directory by their first bits: those that begin with the bits d are at
// [directory[d], directory[d+1]).
class SortedKeys {
  public:
    SortedKeys(std::span<const uint64_t> keys, std::span<const uint32_t> directory, int bits)
        : keys_(keys), directory_(directory), bits_(bits) {}

    // Where this key stands, first and behind the last.
    std::pair<size_t, size_t> places(uint64_t key) const {
        auto [first, last] = stretch(key);
        auto found = std::equal_range(keys_.begin() + first, keys_.begin() + last, key);
        return {found.first - keys_.begin(), found.second - keys_.begin()};
    }

    // Nearly every look-up waits for memory twice. Whoever looks many keys up says so beforehand: first all
    // keys to the one, then all to the other, so that they wait together.
    void expect(uint64_t key) const { __builtin_prefetch(&directory_[slot_of(key)]); }
    void expect_keys(uint64_t key) const {
        auto [first, last] = stretch(key);
        if (first == last) return;
        __builtin_prefetch(&keys_[first]);
        __builtin_prefetch(&keys_[last - 1]);
    }

    static std::vector<uint32_t> directory_of(std::span<const uint64_t> keys, int bits) {
        std::vector<uint32_t> directory((size_t{1} << bits) + 1);
        size_t slot = 0;
        for (size_t i = 0; i < keys.size(); ++i) {
            size_t own = bits == 0 ? 0 : static_cast<size_t>(keys[i] >> (64 - bits));
            while (slot <= own) directory[slot++] = static_cast<uint32_t>(i);
        }
        while (slot < directory.size()) directory[slot++] = static_cast<uint32_t>(keys.size());
        return directory;
    }

  private:
    size_t slot_of(uint64_t key) const { return bits_ == 0 ? 0 : static_cast<size_t>(key >> (64 - bits_)); }

    // The keys that begin with the same bits. A damaged directory must not lead outside.
    std::pair<size_t, size_t> stretch(uint64_t key) const {
        size_t slot = slot_of(key);
        size_t first = std::min<size_t>(directory_[slot], keys_.size());
        return {first, std::clamp<size_t>(directory_[slot + 1], first, keys_.size())};
    }

    std::span<const uint64_t> keys_;
    std::span<const uint32_t> directory_;
    int bits_;
};

}  // namespace twinset
