// Bit masks of one, two, four or any number of words, kept in flat tables.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

namespace twinset::closed {

// N words, or as many as told when N is 0: the compiler unrolls the fixed sizes.
template <size_t N>
struct Masks {
    size_t told;

    size_t words() const { return N ? N : told; }

    int count(const uint64_t* x) const {
        int bits = 0;
        for (size_t w = 0; w < words(); ++w) bits += std::popcount(x[w]);
        return bits;
    }
    int count_union(const uint64_t* x, const uint64_t* y) const {
        int bits = 0;
        for (size_t w = 0; w < words(); ++w) bits += std::popcount(x[w] | y[w]);
        return bits;
    }
    bool inside(const uint64_t* x, const uint64_t* y) const {
        uint64_t outside = 0;
        for (size_t w = 0; w < words(); ++w) outside |= x[w] & ~y[w];
        return outside == 0;
    }
    void unite(const uint64_t* x, const uint64_t* y, uint64_t* into) const {
        for (size_t w = 0; w < words(); ++w) into[w] = x[w] | y[w];
    }
    bool equal(const uint64_t* x, const uint64_t* y) const {
        uint64_t differ = 0;
        for (size_t w = 0; w < words(); ++w) differ |= x[w] ^ y[w];
        return differ == 0;
    }
    bool before(const uint64_t* x, const uint64_t* y) const {
        for (size_t w = 0; w < words(); ++w)
            if (x[w] != y[w]) return x[w] < y[w];
        return false;
    }
};

}  // namespace twinset::closed
