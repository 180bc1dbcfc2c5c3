// Which texts of a long list repeat an earlier one. Rising texts are all distinct, which a look at each
// and the next one shows. Others are dealt by their hashes into parts that fit the cache, eight bytes
// each, and every part has a table of its own.
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "hash.hpp"
#include "parallel.hpp"

namespace twinset {

struct Repeat {
    uint32_t row, first;  // the first row with the same text
};

// `List` has `count`, `begin(i)` and `end(i)`, as `Texts` has.
template <class List>
class RepeatedTexts {
  public:
    RepeatedTexts(const List& texts, int threads) : texts_(texts), threads_(std::max(threads, 1)) {
        if (rises()) return;
        deal();
        std::vector<std::vector<Repeat>> found(kParts);
        parallel_blocks(kParts, 1, threads_, [&](size_t part, size_t, int) { search(part, found[part]); });
        for (const auto& some : found) repeats.insert(repeats.end(), some.begin(), some.end());
        stoppable_sort(repeats.begin(), repeats.end(),
                       [](const Repeat& a, const Repeat& b) { return a.row < b.row; });
    }

    std::vector<Repeat> repeats;  // rows rise

  private:
    static constexpr size_t kParts = 256, kBlock = size_t{1} << 14;

    size_t size(size_t i) const { return static_cast<size_t>(texts_.end(i) - texts_.begin(i)); }
    int order(size_t a, size_t b) const {
        size_t shorter = std::min(size(a), size(b));
        int way = shorter ? std::memcmp(texts_.begin(a), texts_.begin(b), shorter) : 0;
        return way ? way : size(a) < size(b) ? -1 : size(a) > size(b);
    }

    uint64_t hash(size_t i) const { return hash_word(texts_.begin(i), size(i)); }

    bool rises() const {
        std::atomic<bool> rising{true};
        parallel_blocks(texts_.count, kBlock, threads_, [&](size_t begin, size_t end, int) {
            Pace pace;
            for (size_t i = std::max<size_t>(begin, 1); i < end && rising; pace(size(i)), ++i)
                if (order(i - 1, i) >= 0) rising = false;
        });
        return rising;
    }

    // Rows stay in order within each part: blocks of rows have a place each there.
    void deal() {
        size_t blocks = (texts_.count + kBlock - 1) / kBlock;
        std::vector<std::array<uint32_t, kParts>> next(blocks);
        parallel_blocks(texts_.count, kBlock, threads_, [&](size_t begin, size_t end, int) {
            auto& count = next[begin / kBlock];
            count.fill(0);
            Pace pace;
            for (size_t i = begin; i < end; pace(size(i)), ++i) ++count[hash(i) >> 56];
        });
        uint32_t total = 0;
        for (size_t part = 0; part < kParts; ++part) {
            begins_[part] = total;
            for (auto& count : next) total += std::exchange(count[part], total);
        }
        begins_[kParts] = total;
        entries_.resize(texts_.count);
        parallel_blocks(texts_.count, kBlock, threads_, [&](size_t begin, size_t end, int) {
            auto& place = next[begin / kBlock];
            Pace pace;
            for (size_t i = begin; i < end; pace(size(i)), ++i) {
                uint64_t full = hash(i);
                entries_[place[full >> 56]++] = full << 32 | static_cast<uint32_t>(i);
            }
        });
    }

    void search(size_t part, std::vector<Repeat>& found) const {
        size_t count = begins_[part + 1] - begins_[part], mask = std::bit_ceil(2 * count + 1) - 1;
        std::vector<uint32_t> table(mask + 1, 0);  // places in the part, from 1
        const uint64_t* entries = entries_.data() + begins_[part];
        Pace pace;
        for (size_t k = 0; k < count; pace(4), ++k) {
            size_t slot = static_cast<size_t>(entries[k] >> 32) & mask;
            auto same = [&](size_t other) {
                return entries[k] >> 32 == entries[other] >> 32 &&
                       order(row(entries[k]), row(entries[other])) == 0;
            };
            while (table[slot] && !same(table[slot] - 1)) slot = (slot + 1) & mask;
            if (table[slot]) found.push_back({row(entries[k]), row(entries[table[slot] - 1])});
            else table[slot] = static_cast<uint32_t>(k + 1);
        }
    }
    static uint32_t row(uint64_t entry) { return static_cast<uint32_t>(entry); }

    const List& texts_;
    int threads_;
    std::array<uint32_t, kParts + 1> begins_{};
    std::vector<uint64_t> entries_;  // the low half of the hash, and the row
};

}  // namespace twinset
