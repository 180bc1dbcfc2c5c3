// Rows (key, document) dealt to partitions by the top bits of the key, and the sort of one partition.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "growing.hpp"
#include "stop.hpp"

namespace twinset {

inline constexpr int kPartitionBits = 8;
inline constexpr size_t kPartitions = size_t{1} << kPartitionBits;

#pragma pack(push, 4)  // 12 bytes, not 16
struct KeyRow {
    uint64_t key;
    uint32_t document;
};
#pragma pack(pop)

// Made by one counting sort, in any thread. The rows of a partition stay in their order.
class KeyBlock {
  public:
    // `each` calls what it is given with the key and the document of every row, twice the same.
    template <class Each>
    KeyBlock(size_t count, const Each& each) {
        Pace pace;
        each([&](uint64_t key, uint32_t) {
            pace();
            ++start_[partition(key) + 1];
        });
        for (size_t p = 1; p <= kPartitions; ++p) start_[p] += start_[p - 1];
        uint64_t* keys = keys_.room(count);
        uint32_t* documents = documents_.room(count);
        std::array<size_t, kPartitions + 1> next = start_;
        each([&](uint64_t key, uint32_t document) {
            pace();
            size_t at = next[partition(key)]++;
            keys[at] = key;
            documents[at] = document;
        });
        keys_.grow(count);
        documents_.grow(count);
    }

    size_t rows() const { return keys_.size(); }
    std::span<const uint64_t> keys() const { return {keys_.data(), keys_.size()}; }
    std::span<const uint32_t> documents() const { return {documents_.data(), documents_.size()}; }
    size_t rows(size_t p) const { return start_[p + 1] - start_[p]; }
    std::span<const uint64_t> keys(size_t p) const { return {keys_.data() + start_[p], rows(p)}; }
    std::span<const uint32_t> documents(size_t p) const { return {documents_.data() + start_[p], rows(p)}; }

  private:
    static size_t partition(uint64_t key) { return static_cast<size_t>(key >> (64 - kPartitionBits)); }

    std::array<size_t, kPartitions + 1> start_{};
    Growing<uint64_t> keys_;
    Growing<uint32_t> documents_;
};

// Which keys may occur more than once: none is missed, and about one in eight that does not is among
// them. The keys have their first bits in common and are spread evenly in the next ones.
class RepeatedKeys {
  public:
    // For so many keys, which have `equal_bits` in common.
    void begin(size_t keys, int equal_bits) {
        bits_ = std::clamp<int>(std::bit_width(8 * keys), 6, 26);
        equal_bits_ = equal_bits;
        words_.assign(size_t{1} << (bits_ - 5), 0);
    }
    void add(uint64_t key) {
        auto [word, shift] = place(key);
        // the higher bit: seen again
        words_[word] |= (words_[word] & uint64_t{1} << shift) << 1 | uint64_t{1} << shift;
    }
    bool has(uint64_t key) const {
        auto [word, shift] = place(key);
        return words_[word] >> (shift + 1) & 1;
    }

  private:
    struct Place {
        size_t word;
        int shift;
    };
    Place place(uint64_t key) const {
        size_t at = static_cast<size_t>(key << equal_bits_ >> (64 - bits_));
        return {at >> 5, static_cast<int>(at & 31) * 2};
    }

    int bits_ = 6, equal_bits_ = 0;
    std::vector<uint64_t> words_;  // two bits for each place
};

// By key, then document, of rows that have their first `equal_bits` of the key in common. One
// stable scatter on the bits below these into buckets of about four rows, then a small sort in each:
// rows arrive with rising documents, and both steps keep that order. `scattered` and `place` are room.
inline void sort_rows(std::vector<KeyRow>& rows, std::vector<KeyRow>& scattered, std::vector<uint32_t>& place,
                      int equal_bits) {
    auto less = [](const KeyRow& a, const KeyRow& b) {
        return a.key != b.key ? a.key < b.key : a.document < b.document;
    };
    if (rows.size() < 64) return std::sort(rows.begin(), rows.end(), less);
    int bits = 1;
    while (bits < 20 && (size_t{4} << bits) < rows.size()) ++bits;
    auto bucket = [=](uint64_t key) { return static_cast<size_t>(key << equal_bits >> (64 - bits)); };
    // counts, then where each bucket begins, and after the scatter where it ends
    place.assign((size_t{1} << bits) + 1, 0);
    stop_point();
    for (const KeyRow& r : rows) ++place[bucket(r.key) + 1];
    for (size_t b = 1; b < place.size(); ++b) place[b] += place[b - 1];
    Pace pace;
    scattered.resize(rows.size());
    for (const KeyRow& r : rows) {
        pace();
        scattered[place[bucket(r.key)]++] = r;
    }
    rows.swap(scattered);
    for (size_t b = 0; b + 1 < place.size(); ++b) {
        size_t begin = b ? place[b - 1] : 0, size = place[b] - begin;
        if (size < 2) continue;
        auto first = rows.begin() + static_cast<ptrdiff_t>(begin);
        auto last = first + static_cast<ptrdiff_t>(size);
        pace(4 * size);
        // equal keys are in order already, and a bucket of nothing but one key may be large
        if (!std::is_sorted(first, last, less)) stoppable_sort(first, last, less);
    }
}

}  // namespace twinset
