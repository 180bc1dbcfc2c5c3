// Document images from a sorted list of features: one-permutation hashing, min-wise, bottom-n,
// divisible-by-m and logarithmic; and the band keys made of a sketch.
//
// Permutations of 64-bit values come in two families. `fast`: mix(x ^ s), a bijection, one s per
// function. `matrix`: the papers' multiplication by a random invertible binary matrix over GF(2),
// as eight byte tables.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "hash.hpp"
#include "logarithmic.hpp"
#include "stop.hpp"
#include "wide.hpp"

namespace twinset {

// A stream of seeded 64-bit numbers (a counter through the finaliser).
class Stream {
  public:
    explicit Stream(uint64_t seed) : state_(mix(seed ^ 0x6A09E667F3BCC909ull)) {}
    uint64_t next() { return mix(state_ += kGolden); }

  private:
    uint64_t state_;
};

struct FastPermutation {
    uint64_t key;
    explicit FastPermutation(Stream& stream) : key(stream.next()) {}
    uint64_t operator()(uint64_t x) const { return mix(x ^ key); }
};

// Random matrices are drawn until one is invertible (about 29 in 100 are).
struct MatrixPermutation {
    std::array<std::array<uint64_t, 256>, 8> table;

    explicit MatrixPermutation(Stream& stream) {
        std::array<uint64_t, 64> columns;
        do {
            for (auto& c : columns) c = stream.next();
        } while (!invertible(columns));
        for (int byte = 0; byte < 8; ++byte)
            for (int value = 0; value < 256; ++value) {
                uint64_t sum = 0;
                for (int bit = 0; bit < 8; ++bit)
                    if (value >> bit & 1) sum ^= columns[8 * byte + bit];
                table[byte][value] = sum;
            }
    }

    uint64_t operator()(uint64_t x) const {
        uint64_t y = 0;
        for (int byte = 0; byte < 8; ++byte) y ^= table[byte][x >> (8 * byte) & 255];
        return y;
    }

    static bool invertible(std::array<uint64_t, 64> columns) {
        for (int bit = 0; bit < 64; ++bit) {
            int pivot = bit;
            while (pivot < 64 && !(columns[pivot] >> bit & 1)) ++pivot;
            if (pivot == 64) return false;
            std::swap(columns[bit], columns[pivot]);
            for (int other = 0; other < 64; ++other)
                if (other != bit && columns[other] >> bit & 1) columns[other] ^= columns[bit];
        }
        return true;
    }
};

// `size` is below 2^32: products of 32-bit factors are quick everywhere.
inline size_t bin_of(uint64_t h, size_t size) {
    return static_cast<uint64_t>(static_cast<uint32_t>(h >> 32)) * static_cast<uint32_t>(size) >> 32;
}

inline constexpr uint64_t kEmptyBin = ~0ull;
inline constexpr uint64_t kLowHalf = 0xFFFFFFFFull;

// One-permutation hashing: the top half of the permuted value chooses the bin, the bottom half
// competes in it. Bins that stay empty take a value in one of two ways.
template <class Permutation>
class OnePermutation {
  public:
    OnePermutation(size_t size, uint64_t seed, bool rounds)
        : size_(size), rounds_(rounds), first_(stream(seed)), probe_(mix(seed + 0x51ED270B9F64A1D3ull)) {}

    // `sketch` has room for `size` values; a document without features gets all kEmptyBin.
    void operator()(const uint64_t* begin, const uint64_t* end, uint64_t* sketch) const {
        std::fill(sketch, sketch + size_, kEmptyBin);
        if (begin == end) return;
        throw_once(begin, static_cast<size_t>(end - begin), sketch);
        size_t empty = static_cast<size_t>(std::count(sketch, sketch + size_, kEmptyBin));
        if (empty == 0) return;
        if (rounds_) fill_by_rounds(begin, end, sketch, empty);
        else fill_from_bins(sketch);
    }

  private:
    static Permutation stream(uint64_t seed) {
        Stream s(seed);
        return Permutation(s);
    }

    // Every feature into the bin of its permuted value.
    void throw_once(const uint64_t* values, size_t n, uint64_t* sketch) const {
        if constexpr (std::is_same_v<Permutation, FastPermutation>) {
            wide_kernels().throw_values(values, n, first_.key, static_cast<uint32_t>(size_), sketch);
        } else {
            for (size_t i = 0; i < n; ++i) {
                uint64_t h = first_(values[i]);
                uint64_t& bin = sketch[bin_of(h, size_)];
                bin = std::min(bin, h & kLowHalf);
            }
        }
    }

    // Shrivastava (2017), optimal densification: every empty bin probes its own random sequence
    // of bins until it meets one that was filled by a feature, and copies that.
    void fill_from_bins(uint64_t* sketch) const {
        std::vector<uint64_t> filled(sketch, sketch + size_);
        for (size_t bin = 0; bin < size_; ++bin) {
            if (filled[bin] != kEmptyBin) continue;
            for (uint64_t attempt = 1;; ++attempt) {
                size_t from = bin_of(mix(probe_ ^ (bin * kGolden + attempt)), size_);
                if (filled[from] != kEmptyBin) {
                    sketch[bin] = filled[from];
                    break;
                }
            }
        }
    }

    // Dahlgaard, Knudsen, Thorup (2017), fast similarity sketching: every feature is thrown again,
    // round after round, until no bin is empty; earlier rounds win. Short documents keep the
    // variance of independent min-wise functions. After `size` rounds a bin takes the minimum of
    // its own function, so the loop ends.
    void fill_by_rounds(const uint64_t* begin, const uint64_t* end, uint64_t* sketch, size_t empty) const {
        Pace pace;
        for (uint64_t round = 1; empty > 0; ++round) {
            uint64_t stage = round << 32;
            pace(static_cast<size_t>(end - begin));
            if (round > size_) {
                size_t bin = static_cast<size_t>(round - size_ - 1);
                if (sketch[bin] != kEmptyBin) continue;
                for (const uint64_t* x = begin; x != end; ++x)
                    sketch[bin] = std::min(sketch[bin], stage | (again(*x, round) & kLowHalf));
                --empty;
                continue;
            }
            for (const uint64_t* x = begin; x != end; ++x) {
                uint64_t h = again(*x, round);
                uint64_t& bin = sketch[bin_of(h, size_)];
                if (bin == kEmptyBin) --empty;
                bin = std::min(bin, stage | (h & kLowHalf));
            }
        }
    }

    uint64_t again(uint64_t x, uint64_t round) const { return mix(first_(x) ^ (probe_ + round * kGolden)); }

    size_t size_;
    bool rounds_;
    Permutation first_;
    uint64_t probe_;
};

// n min-wise functions. The matrix family uses n matrices; the fast one hashes once and then takes
// a*x+b mod 2^32 with odd a, which the compiler turns into vector code.
template <class Permutation>
class MinWise {
  public:
    MinWise(size_t size, uint64_t seed) {
        Stream stream(seed);
        for (size_t i = 0; i < size; ++i) functions_.emplace_back(stream);
    }
    void operator()(const uint64_t* begin, const uint64_t* end, uint64_t* sketch) const {
        Pace pace;
        for (size_t i = 0; i < functions_.size(); ++i) {
            pace(static_cast<size_t>(end - begin));
            uint64_t least = kEmptyBin;
            for (const uint64_t* x = begin; x != end; ++x) least = std::min(least, functions_[i](*x));
            sketch[i] = least;
        }
    }

  private:
    std::vector<Permutation> functions_;
};

template <>
class MinWise<FastPermutation> {
  public:
    MinWise(size_t size, uint64_t seed) : size_(size), factor_(padded(size)), addend_(padded(size)) {
        Stream stream(seed);
        base_ = stream.next();
        for (size_t i = 0; i < size; ++i) {
            uint64_t word = stream.next();
            factor_[i] = static_cast<uint32_t>(word) | 1u;
            addend_[i] = static_cast<uint32_t>(word >> 32);
        }
    }
    void operator()(const uint64_t* begin, const uint64_t* end, uint64_t* sketch) const {
        constexpr size_t kBlock = 16;
        Pace pace;
        for (size_t start = 0; start < size_; start += kBlock) {
            pace(kBlock * static_cast<size_t>(end - begin));
            uint32_t least[kBlock];
            std::fill(least, least + kBlock, ~0u);
            const uint32_t* a = factor_.data() + start;
            const uint32_t* b = addend_.data() + start;
            for (const uint64_t* x = begin; x != end; ++x) {
                uint32_t h = static_cast<uint32_t>(mix(*x ^ base_) >> 32);
                for (size_t i = 0; i < kBlock; ++i) least[i] = std::min(least[i], h * a[i] + b[i]);
            }
            for (size_t i = start; i < std::min(size_, start + kBlock); ++i)
                sketch[i] = begin == end ? kEmptyBin : least[i - start];
        }
    }

  private:
    static size_t padded(size_t size) { return (size + 15) / 16 * 16; }
    size_t size_;
    uint64_t base_ = 0;
    std::vector<uint32_t> factor_, addend_;
};

// The `size` smallest permuted values, sorted.
template <class Permutation>
class Bottom {
  public:
    Bottom(size_t size, uint64_t seed) : size_(size), permute_(first(seed)) {}
    void operator()(const uint64_t* begin, const uint64_t* end, std::vector<uint64_t>& image) const {
        size_t count = static_cast<size_t>(end - begin);
        if (count >= 2 * size_ && smallest_below(likely_bound(count), begin, end, image)) return;
        image.clear();
        for (const uint64_t* x = begin; x != end; ++x) image.push_back(permute_(*x));
        size_t kept = std::min(size_, image.size());
        std::nth_element(image.begin(), image.begin() + static_cast<ptrdiff_t>(kept), image.end());
        image.resize(kept);
        std::sort(image.begin(), image.end());
    }

  protected:
    static Permutation first(uint64_t seed) {
        Stream s(seed);
        return Permutation(s);
    }

    // Permuted values are spread evenly: `size` of `count` and some more are below this as a rule.
    uint64_t likely_bound(size_t count) const {
        size_t room = size_ + 4 * static_cast<size_t>(std::sqrt(static_cast<double>(size_))) + 8;
        return room >= count ? ~uint64_t{0} : ~uint64_t{0} / count * room;
    }

    // The image, if enough values are below the bound: only these are put in order.
    bool smallest_below(uint64_t bound, const uint64_t* begin, const uint64_t* end,
                        std::vector<uint64_t>& image) const {
        image.resize(static_cast<size_t>(end - begin) + 1);
        size_t count = 0;
        for (const uint64_t* x = begin; x != end; ++x) {
            uint64_t h = permute_(*x);
            image[count] = h;
            count += h < bound;
        }
        if (count < size_) return false;
        sort_evenly_spread(image.data(), count, bound);
        image.resize(size_);
        return true;
    }

    // Values spread evenly below `bound`: counting brings each next to its place.
    static void sort_evenly_spread(uint64_t* values, size_t count, uint64_t bound) {
        constexpr size_t kMost = 512;
        if (count > kMost) return std::sort(values, values + count);
        int skip = std::countl_zero(bound);
        uint16_t ends[kMost + 1] = {};
        uint64_t dealt[kMost];
        auto bucket = [&](uint64_t value) { return (value << skip >> 32) * kMost >> 32; };
        for (size_t i = 0; i < count; ++i) ++ends[bucket(values[i]) + 1];
        for (size_t b = 1; b < kMost; ++b) ends[b] += ends[b - 1];
        for (size_t i = 0; i < count; ++i) dealt[ends[bucket(values[i])]++] = values[i];
        for (size_t i = 0; i < count; ++i) {
            size_t at = i;
            for (; at > 0 && values[at - 1] > dealt[i]; --at) values[at] = values[at - 1];
            values[at] = dealt[i];
        }
    }

    size_t size_;
    Permutation permute_;
};

// The permuted values divisible by `size`, sorted.
template <class Permutation>
class Mod : public Bottom<Permutation> {
  public:
    using Bottom<Permutation>::Bottom;
    void operator()(const uint64_t* begin, const uint64_t* end, std::vector<uint64_t>& image) const {
        image.clear();
        for (const uint64_t* x = begin; x != end; ++x) {
            uint64_t h = this->permute_(*x);
            if (h % this->size_ == 0) image.push_back(h);
        }
        std::sort(image.begin(), image.end());
    }
};

// The logarithmic sample of the permuted values, sorted.
template <class Permutation>
class Logarithmic : public Bottom<Permutation> {
  public:
    explicit Logarithmic(uint64_t seed) : Bottom<Permutation>(0, seed) {}
    void operator()(const uint64_t* begin, const uint64_t* end, std::vector<uint64_t>& image) const {
        LogarithmicSample sample;
        for (const uint64_t* x = begin; x != end; ++x) sample.add(this->permute_(*x));
        image.clear();
        sample.each([&](uint64_t value) { image.push_back(value); });
        std::reverse(image.begin(), image.end());
    }
};

// Key of one band: its rows chained, the band's number mixed in so that bands never meet.
inline uint64_t band_key(std::span<const uint64_t> rows, uint64_t band) {
    uint64_t h = mix(band + kGolden);
    for (uint64_t row : rows) h = mix(h ^ row);
    return h;
}

}  // namespace twinset
