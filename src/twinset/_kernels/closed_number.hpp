// Features (64-bit) to small numbers, and a cheap test of which ones nobody else has.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "hash.hpp"
#include "parallel.hpp"

namespace twinset::closed {

// Two maps of bits, "met" and "met again": a feature whose second bit is clear is certainly private.
// Features that fall on one bit look shared; the exact count sorts that out.
class Sieve {
public:
    Sieve(size_t expected, uint64_t seed) : seed_(seed) {
        int bits = 16;
        while (bits < 30 && (size_t{1} << bits) < 16 * expected) ++bits;
        shift_ = 64 - bits;
        words_ = std::make_unique<std::atomic<uint64_t>[]>((size_t{1} << bits) / 64 * 2);
    }

    // Counts the value as met `times` times.
    void add(uint64_t value, uint32_t times) {
        size_t at = place(value);
        uint64_t bit = uint64_t{1} << (at % 64);
        if (set(words_[at / 64 * 2], bit) || times > 1) set(words_[at / 64 * 2 + 1], bit);
    }

    bool met_again(uint64_t value) const {
        size_t at = place(value);
        return words_[at / 64 * 2 + 1].load(std::memory_order_relaxed) >> (at % 64) & 1;
    }

    // The maps do not fit the cache: says early what will be asked for.
    void expect(const uint64_t* begin, const uint64_t* end) const {
        for (; begin != end; ++begin) __builtin_prefetch(&words_[place(*begin) / 64 * 2], 1);
    }

private:
    size_t place(uint64_t value) const { return mix(value ^ seed_) >> shift_; }

    // Whether the bit was set before. Most are not, so look before the costly exchange.
    static bool set(std::atomic<uint64_t>& word, uint64_t bit) {
        if (word.load(std::memory_order_relaxed) & bit) return true;
        return word.fetch_or(bit, std::memory_order_relaxed) & bit;
    }

    uint64_t seed_;
    int shift_;
    std::unique_ptr<std::atomic<uint64_t>[]> words_;  // of the two maps in turn
};

// Gives equal keys equal numbers 0, 1, 2, ... in the order of their first place, partition by
// partition. The partitions depend on the keys alone, so the numbers do not depend on the threads.
class Numbering {
public:
    // keys[i] becomes numbers[i]; returns how many numbers there are. `keys` is used up.
    static size_t run(std::vector<uint64_t>& keys, std::vector<uint32_t>& numbers, int threads) {
        int bits = 0;
        while (bits < 12 && (keys.size() >> bits) > (size_t{1} << 14)) ++bits;
        size_t parts = size_t{1} << bits;
        auto part_of = [&](uint64_t key) { return bits ? mix(key ^ kWordB) >> (64 - bits) : 0; };
        std::vector<size_t> starts(parts + 1);
        for (uint64_t key : keys) ++starts[part_of(key) + 1];
        for (size_t p = 0; p < parts; ++p) starts[p + 1] += starts[p];
        std::vector<Entry> entries(keys.size());
        std::vector<size_t> next(starts.begin(), starts.end() - 1);
        for (size_t i = 0; i < keys.size(); ++i)
            entries[next[part_of(keys[i])]++] = {keys[i], static_cast<uint32_t>(i), 0};
        keys = {};

        numbers.resize(entries.size());
        std::vector<size_t> distinct(parts + 1);
        parallel_blocks(parts, 1, threads, [&](size_t p, size_t, int) {
            distinct[p + 1] = number_part(entries.data() + starts[p], entries.data() + starts[p + 1]);
        });
        for (size_t p = 0; p < parts; ++p) distinct[p + 1] += distinct[p];
        parallel_blocks(parts, 1, threads, [&](size_t p, size_t, int) {
            for (size_t i = starts[p]; i < starts[p + 1]; ++i)
                numbers[entries[i].place] = entries[i].number + static_cast<uint32_t>(distinct[p]);
        });
        return distinct[parts];
    }

private:
    struct Entry {
        uint64_t key;
        uint32_t place, number;
    };

    static size_t number_part(Entry* begin, Entry* end) {
        size_t room = 16;
        while (room < 2 * static_cast<size_t>(end - begin)) room *= 2;
        std::vector<Entry*> table(room);  // the first entry of each number
        uint32_t count = 0;
        for (Entry* entry = begin; entry != end; ++entry) {
            size_t at = mix(entry->key) & (room - 1);
            while (table[at] && table[at]->key != entry->key) at = (at + 1) & (room - 1);
            if (!table[at]) {
                table[at] = entry;
                entry->number = count++;
            } else {
                entry->number = table[at]->number;
            }
        }
        return count;
    }
};

}  // namespace twinset::closed
