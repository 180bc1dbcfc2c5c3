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
        size_t words = (size_t{1} << bits) / 64;
        once_ = std::make_unique<std::atomic<uint64_t>[]>(words);
        again_ = std::make_unique<std::atomic<uint64_t>[]>(words);
    }

    // Counts each value as met `times` times.
    void add(const uint64_t* begin, const uint64_t* end, uint32_t times) {
        constexpr ptrdiff_t ahead = 16;  // the maps do not fit the cache
        for (const uint64_t* p = begin; p != end; ++p) {
            if (end - p > ahead) __builtin_prefetch(&once_[place(p[ahead]) / 64], 1);
            size_t at = place(*p);
            uint64_t bit = uint64_t{1} << (at % 64);
            if (set(once_[at / 64], bit) || times > 1) set(again_[at / 64], bit);
        }
    }

    bool met_again(uint64_t value) const {
        size_t at = place(value);
        return again_[at / 64].load(std::memory_order_relaxed) >> (at % 64) & 1;
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
    std::unique_ptr<std::atomic<uint64_t>[]> once_, again_;
};

// Gives equal keys equal numbers 0, 1, 2, ... in the order of their first place, partition by
// partition. The partitions depend on the keys alone, so the numbers do not depend on the threads.
class Numbering {
public:
    // keys[i] becomes numbers[i]; returns how many numbers there are. `keys` is used up.
    static size_t run(std::vector<uint64_t>& keys, std::vector<uint32_t>& numbers, int threads) {
        int bits = 0;
        while (bits < 10 && (keys.size() >> bits) > (size_t{1} << 16)) ++bits;
        size_t parts = size_t{1} << bits;
        auto part_of = [&](uint64_t key) { return bits ? mix(key ^ kWordB) >> (64 - bits) : 0; };
        std::vector<size_t> starts(parts + 1);
        for (uint64_t key : keys) ++starts[part_of(key) + 1];
        for (size_t p = 0; p < parts; ++p) starts[p + 1] += starts[p];
        std::vector<uint32_t> places(keys.size());
        std::vector<size_t> next(starts.begin(), starts.end() - 1);
        for (size_t i = 0; i < keys.size(); ++i)
            places[next[part_of(keys[i])]++] = static_cast<uint32_t>(i);

        numbers.resize(keys.size());
        std::vector<size_t> distinct(parts + 1);
        parallel_blocks(parts, 1, threads, [&](size_t begin, size_t end, int) {
            std::vector<uint32_t> table;
            for (size_t p = begin; p < end; ++p)
                distinct[p + 1] = number_part(keys, places.data() + starts[p],
                                              places.data() + starts[p + 1], table, numbers);
        });
        for (size_t p = 0; p < parts; ++p) distinct[p + 1] += distinct[p];
        parallel_blocks(parts, 1, threads, [&](size_t begin, size_t end, int) {
            for (size_t p = begin; p < end; ++p)
                for (size_t i = starts[p]; i < starts[p + 1]; ++i)
                    numbers[places[i]] += static_cast<uint32_t>(distinct[p]);
        });
        return distinct[parts];
    }

private:
    static size_t number_part(const std::vector<uint64_t>& keys, const uint32_t* begin,
                              const uint32_t* end, std::vector<uint32_t>& table,
                              std::vector<uint32_t>& numbers) {
        size_t room = 16;
        while (room < 2 * static_cast<size_t>(end - begin)) room *= 2;
        constexpr uint32_t none = UINT32_MAX;
        table.assign(room, none);  // place of the first key of each number
        uint32_t count = 0;
        for (const uint32_t* p = begin; p != end; ++p) {
            size_t at = mix(keys[*p]) & (room - 1);
            while (table[at] != none && keys[table[at]] != keys[*p]) at = (at + 1) & (room - 1);
            if (table[at] == none) {
                table[at] = *p;
                numbers[*p] = count++;
            } else {
                numbers[*p] = numbers[table[at]];
            }
        }
        return count;
    }
};

}  // namespace twinset::closed
