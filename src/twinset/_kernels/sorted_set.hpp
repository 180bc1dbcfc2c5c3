// Hashes to a sorted list without repeats. Hashes are spread evenly, so the place of one among n of
// them is nearly known: a counting sort over n to 2 n buckets, a power of two, leaves only near
// neighbours out of order, and one pass puts these right and drops repeats. Values that are not spread evenly
// are sorted as anything is.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "stop.hpp"

namespace twinset {

// Swaps the two unless a <= b. Either may be the smaller, by chance, and a branch, of which compilers
// think highly here, would be guessed wrong half of the time.
inline void put_smaller_first(uint64_t& a, uint64_t& b) {
#if defined(__aarch64__)
    uint64_t smaller, larger;
    asm("cmp %2, %3\n\tcsel %0, %2, %3, lo\n\tcsel %1, %3, %2, lo"
        : "=&r"(smaller), "=&r"(larger)
        : "r"(a), "r"(b)
        : "cc");
    a = smaller, b = larger;
#elif defined(__x86_64__)
    uint64_t smaller = a, larger = a;
    asm("cmp %2, %0\n\tcmova %2, %0\n\tcmovb %2, %1" : "+&r"(smaller), "+&r"(larger) : "r"(b) : "cc");
    a = smaller, b = larger;
#else
    uint64_t change = (a ^ b) & -static_cast<uint64_t>(b < a);
    a ^= change;
    b ^= change;
#endif
}

class SortedSet {
  public:
    // Writes n values to `out` (room for n) in order, each once, and returns how many these are;
    // the order of `values` is lost.
    size_t sort(uint64_t* values, size_t n, uint64_t* out) {
        return n > kMany ? sort_many(values, n, out) : sort_some(values, n, 0, out);
    }

  private:
    static constexpr size_t kFew = 8;
    static constexpr size_t kMany = 16384;  // buckets and values stay in the second cache
    static constexpr size_t kPart = 4096;   // values in a part of very many
    typedef uint16_t Eight __attribute__((vector_size(16)));

    static size_t sort_plainly(uint64_t* values, size_t n, uint64_t* out) {
        stoppable_sort(values, values + n);
        return std::unique_copy(values, values + n, out) - out;
    }

    // All values share their upper `skip` bits. (Not inlined: see roll_shingles.)
    [[gnu::noinline]] size_t sort_some(uint64_t* values, size_t n, int skip, uint64_t* out) {
        if (n <= kFew || n > kMany) return sort_plainly(values, n, out);
        if (dealt_.size() < n) dealt_.resize(n);
        deal(values, n, skip, dealt_.data());
        return settle(dealt_.data(), n, out);
    }

    // The values in the order of their buckets; all share their upper `skip` bits.
    void deal(const uint64_t* values, size_t n, int skip, uint64_t* to) {
        int bits = std::bit_width(n);
        size_t groups = (size_t{1} << bits) / 8 + 1;
        if (ends_.size() < groups) ends_.resize(groups);
        std::memset(ends_.data(), 0, groups * sizeof(Eight));
        uint16_t* counts = reinterpret_cast<uint16_t*>(ends_.data());
        count_buckets(values, n, skip, 64 - bits, counts);
        sum_up(groups);
        fill_buckets(values, n, skip, 64 - bits, counts, to);
    }

    [[gnu::noinline]] static void count_buckets(const uint64_t* __restrict values, size_t n, int skip,
                                                int shift, uint16_t* __restrict counts) {
        for (size_t i = 0; i < n; ++i) ++counts[values[i] << skip >> shift];
    }

    [[gnu::noinline]] static void fill_buckets(const uint64_t* __restrict values, size_t n, int skip,
                                               int shift, uint16_t* __restrict ends,
                                               uint64_t* __restrict to) {
        for (size_t i = 0; i < n; ++i) {
            uint64_t value = values[i];
            uint16_t& end = ends[value << skip >> shift];
            to[end] = value;
            ++end;
        }
    }

    // Counts to the number of values in all buckets before.
    [[gnu::noinline]] void sum_up(size_t groups) {
        Eight zero{}, before{};
        for (size_t i = 0; i < groups; ++i) {
            Eight count = ends_[i];
            Eight sum = count + __builtin_shufflevector(zero, count, 0, 8, 9, 10, 11, 12, 13, 14);
            sum += __builtin_shufflevector(zero, sum, 0, 1, 8, 9, 10, 11, 12, 13);
            sum += __builtin_shufflevector(zero, sum, 0, 1, 2, 3, 8, 9, 10, 11);
            ends_[i] = before + sum - count;
            before += __builtin_shufflevector(sum, sum, 7, 7, 7, 7, 7, 7, 7, 7);
        }
    }

    // Puts neighbours in order: the larger of two waits, the smaller is written unless it repeats
    // the last or, which is rare, belongs further back. `values` is left as it was.
    [[gnu::noinline]] static size_t settle(uint64_t* values, size_t n, uint64_t* out) {
        size_t kept = 1, patience = 16 * n;
        uint64_t last = std::min(values[0], values[1]);
        uint64_t waiting = std::max(values[0], values[1]);
        out[0] = last;
        for (size_t i = 2; i < n; ++i) {
            uint64_t value = values[i];
            put_smaller_first(value, waiting);
            if (value < last) [[unlikely]] {
                PutBack put = put_back(value, out, kept);
                if (put.moved > patience) return sort_plainly(values, n, out);
                patience -= put.moved;
                kept = put.kept;
                continue;
            }
            out[kept] = value;
            kept += value != last;
            last = value;
        }
        out[kept] = waiting;
        return kept + (waiting != last);
    }

    struct PutBack {
        size_t kept, moved;
    };

    // Puts a value among those already kept, unless it is one of them. (Not inlined, nor with
    // references: either would cost the loop that calls it registers.)
    [[gnu::noinline]] static PutBack put_back(uint64_t value, uint64_t* out, size_t kept) {
        size_t place = kept;
        while (place && out[place - 1] >= value) --place;
        size_t moved = kept - place;
        if (out[place] == value) return {kept, moved};
        std::memmove(out + place + 1, out + place, moved * sizeof(uint64_t));
        out[place] = value;
        return {kept + 1, moved};
    }

    // Parts by the upper bits first, so that the buckets of a part stay in the cache.
    size_t sort_many(uint64_t* values, size_t n, uint64_t* out) {
        int bits = std::min<int>(12, std::bit_width(n / kPart));
        std::vector<size_t> starts((1u << bits) + 1);
        for (size_t i = 0; i < n; ++i) ++starts[(values[i] >> (64 - bits)) + 1];
        std::partial_sum(starts.begin(), starts.end(), starts.begin());
        std::vector<size_t> next(starts);
        parts_.resize(std::max(parts_.size(), n));
        for (size_t i = 0; i < n; ++i) parts_[next[values[i] >> (64 - bits)]++] = values[i];
        size_t kept = 0;
        Pace pace;
        for (size_t part = 0; part + 1 < starts.size(); pace(starts[part + 1] - starts[part]), ++part)
            kept +=
                sort_some(parts_.data() + starts[part], starts[part + 1] - starts[part], bits, out + kept);
        return kept;
    }

    std::vector<Eight> ends_;  // where the buckets end
    std::vector<uint64_t> dealt_;
    std::vector<uint64_t> parts_;
};

}  // namespace twinset
