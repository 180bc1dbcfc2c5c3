// An upper bound of what two documents share, from a few words of each: pages of one template share
// nearly as much as the threshold asks for, by the thousand, and lists are long.
//
// Features that none of the others has are left out. Each of the rest turns over one bit of its document's
// row, so that two rows differ in at most as many bits as the rests differ in features (bits that
// are turned over twice only make it fewer): shared <= (rest + other rest - differing bits) / 2.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "hash.hpp"
#include "large_pages.hpp"
#include "parallel.hpp"
#include "store.hpp"

namespace twinset {

// Hashed bits that tell features of two documents and more from those of one; some of one may pass.
class SharedFeatures {
  public:
    explicit SharedFeatures(uint64_t features)
        : mask_(std::bit_ceil(std::clamp<uint64_t>(4 * features, 64, kMostBits)) / 64 - 1),
          seen_(mask_ + 1, Seen{0, 0}) {}

    // From any thread. Nearly all features of a crowd are known soon, and are only looked up.
    void add(FeatureList list) {
        for (size_t i = 0; i < list.size(); ++i) {
            if (i + kAhead < list.size()) fetch(list[i + kAhead]);
            uint64_t bit = uint64_t{1} << (list[i] & 63);
            Seen& seen = seen_[place(list[i])];
            if (__atomic_load_n(&seen.again, __ATOMIC_RELAXED) & bit) continue;
            if (__atomic_fetch_or(&seen.once, bit, __ATOMIC_RELAXED) & bit)
                __atomic_fetch_or(&seen.again, bit, __ATOMIC_RELAXED);
        }
    }

    void fetch(uint64_t feature) const { __builtin_prefetch(&seen_[place(feature)], 1); }
    // Nobody may add any more.
    bool contains(uint64_t feature) const { return seen_[place(feature)].again >> (feature & 63) & 1; }

  private:
    static constexpr uint64_t kMostBits = uint64_t{1} << 28;
    static constexpr size_t kAhead = 24;
    struct Seen {
        uint64_t once, again;
    };

    size_t place(uint64_t feature) const { return static_cast<size_t>(feature * kGolden >> 32 & mask_); }

    uint64_t mask_;
    LargeVector<Seen> seen_;
};

// How many bits differ, without an instruction that not every processor has: bytes are counted side by
// side, which compilers turn into vector instructions.
inline uint64_t differing_bits(const uint64_t* a, const uint64_t* b, size_t words) {
    constexpr size_t kAtOnce = 8;  // a byte of the sum is 64 at most
    uint64_t all = 0;
    for (size_t at = 0; at < words; at += kAtOnce) {
        uint64_t sum = 0;
        for (size_t k = at; k < at + kAtOnce; ++k) {
            uint64_t x = a[k] ^ b[k];
            x -= x >> 1 & 0x5555555555555555;
            x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
            sum += (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F;
        }
        sum = (sum & 0x00FF00FF00FF00FF) + (sum >> 8 & 0x00FF00FF00FF00FF);
        all += sum * 0x0001000100010001 >> 48;
    }
    return all;
}

class ParityBounds {
  public:
    static constexpr size_t kMostRows = size_t{1} << 20;

    ParityBounds() = default;

    // Rows for the slots `busy` of `order`, which has the document of each slot; `differences` is how many
    // features two of them may differ in, roughly: the more, the longer the rows.
    ParityBounds(const FeatureStore& store, const std::vector<uint32_t>& order,
                 const std::vector<uint32_t>& busy, uint64_t differences, int threads)
        : words_(words_for(differences, busy.size())),
          row_(order.size(), kNone),
          rests_(busy.size()),
          bits_(busy.size() * words_, 0) {
        uint64_t features = 0;
        for (size_t i = 0; i < busy.size(); ++i) {
            row_[busy[i]] = static_cast<uint32_t>(i);
            features += store.size(order[busy[i]]);
        }
        SharedFeatures shared(features);
        auto each = [&](auto use) {
            parallel_blocks(busy.size(), 64, threads, [&](size_t begin, size_t end, int) {
                std::vector<uint64_t> room;
                for (size_t i = begin; i < end; ++i) {
                    stop_point();
                    use(i, store.list(order[busy[i]], room));
                }
            });
        };
        each([&](size_t, FeatureList list) { shared.add(list); });
        each([&](size_t i, FeatureList list) { fill(i, list, shared); });
    }

    // The most features that two slots can share; no bound unless both have a row.
    uint64_t most_shared(uint32_t a, uint32_t b) const {
        if (!known(a) || !known(b)) return ~uint64_t{0};
        return (rests_[row_[a]] + rests_[row_[b]] - differing_bits(bits(a), bits(b), words_)) / 2;
    }
    bool known(uint32_t slot) const { return !row_.empty() && row_[slot] != kNone; }
    void fetch(uint32_t slot) const {
        if (known(slot)) __builtin_prefetch(bits(slot));
    }

  private:
    static constexpr uint32_t kNone = ~0u;
    static constexpr size_t kLeastWords = 8, kMostWords = 64;
    static constexpr size_t kMostBytes = size_t{1} << 26;

    static size_t words_for(uint64_t differences, size_t rows) {
        size_t words = std::bit_ceil(std::clamp<size_t>(differences / 10, kLeastWords, kMostWords));
        while (words > kLeastWords && words * sizeof(uint64_t) * rows > kMostBytes) words /= 2;
        return words;
    }

    const uint64_t* bits(uint32_t slot) const { return bits_.data() + row_[slot] * words_; }

    void fill(size_t i, FeatureList list, const SharedFeatures& shared) {
        constexpr size_t kAhead = 24;
        uint64_t* row = bits_.data() + i * words_;
        uint64_t rest = 0;
        for (size_t k = 0; k < list.size(); ++k) {
            if (k + kAhead < list.size()) shared.fetch(list[k + kAhead]);
            if (!shared.contains(list[k])) continue;
            uint64_t hash = list[k] * kGolden >> 32;
            row[hash / 64 & (words_ - 1)] ^= uint64_t{1} << (hash & 63);
            ++rest;
        }
        rests_[i] = rest;
    }

    size_t words_ = kLeastWords;
    std::vector<uint32_t> row_;    // of each slot
    std::vector<uint64_t> rests_;  // of each row: how many features another of these documents has as well
    LargeVector<uint64_t> bits_;
};

}  // namespace twinset
