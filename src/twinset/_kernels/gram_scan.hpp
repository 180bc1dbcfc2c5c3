// The N-grams of a document from left to right, each with its sample: the k-gram in it whose hash is least,
// the rightmost of equal ones (minimisers, Schleimer et al. 2003, Roberts et al. 2004). Equal N-grams have
// equal samples at the same place in them, so an N-gram whose sample occurs once occurs once itself.
// Neighbours mostly share a sample: they are told of together, as a block.
//
// Memory follows N, not the document. Time is linear also in texts of one repeated unit: a new k-gram that
// is not larger takes over, and the window is searched again only when its least leaves it.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gram_units.hpp"
#include "hash.hpp"
#include "large_pages.hpp"

namespace twinset {

// Arithmetic modulo the prime 2^61 - 1.
namespace mersenne {
inline constexpr uint64_t kPrime = (uint64_t{1} << 61) - 1;
inline uint64_t reduce(uint64_t x) {
    x = (x & kPrime) + (x >> 61);
    return x >= kPrime ? x - kPrime : x;
}
// a * b + c for a and b below the prime and any c.
inline uint64_t times(uint64_t a, uint64_t b, uint64_t c = 0) {
    unsigned __int128 p = static_cast<unsigned __int128>(a) * b + c;
    return reduce((static_cast<uint64_t>(p) & kPrime) + static_cast<uint64_t>(p >> 61));
}
inline uint64_t minus(uint64_t a, uint64_t b) { return a >= b ? a - b : a + kPrime - b; }
}  // namespace mersenne

// What an N-gram is known by: 64 bits of a sum modulo 2^64 and 32 of one modulo a prime.
struct GramKey {
    uint64_t key;
    uint32_t check;
    bool operator==(const GramKey&) const = default;

    // Both in 64 bits, for what is compared with little else.
    uint64_t folded() const { return key + kGolden * check; }
};

// Consecutive N-grams of a document, those that begin with the units [begin, end), with one sample at one
// place. Equal N-grams have equal samples, so all places of these lie in blocks of the same sample.
struct GramBlock {
    size_t begin, end;
    uint64_t sample;
    size_t place;  // the unit that it begins with
};

class GramScanner {
  public:
    GramScanner(GramUnit unit, size_t n, size_t k) : reader_(unit), n_(n), k_(k), width_(n - k + 1) {
        for (size_t i = 0; i < k; ++i) power_k_ *= kShingle;
        for (size_t i = 0; i < n; ++i) power_n_ *= kShingle, prime_n_ = mersenne::times(prime_n_, kBase);
        powers_.push_back({power_n_, prime_n_});
        while (powers_.size() < width_)
            powers_.push_back(
                {powers_.back().plain * kShingle, mersenne::times(powers_.back().prime, kBase)});
    }

    size_t n() const { return n_; }
    GramUnit unit() const { return reader_.unit(); }

    // Calls take(blocks) with all blocks, those of a piece of the document at a time. Within `take` their
    // N-grams may be asked for keys, if the scan is said to need them.
    template <bool keys, class Take>
    void scan(const uint8_t* p, const uint8_t* end, const uint8_t* readable, Take&& take) {
        reader_.begin(p, end, readable);
        units_.clear(), sums_.assign(1, 0), prime_sums_.assign(1, 0), hashes_.clear();
        first_ = 0, done_ = 0, at_ = kNone, open_ = false;
        bool more = true;
        while (more) {
            more = reader_.read(units_);
            extend<keys>();
            // the unit behind an N-gram has to be known
            size_t known = first_ + units_.size(), behind = n_ + (more ? 1 : 0);
            size_t ready = known >= behind ? known - behind + 1 : 0;
            find_blocks(ready, more);
            if (!blocks_.empty()) take(std::span<const GramBlock>(blocks_));
            if (more) forget();
        }
    }

    // What an N-gram is known by.
    GramKey key(size_t start) const { return key(start, n_, power_n_, prime_n_); }

    // What a block is known by: the units of all its N-grams.
    GramKey key(const GramBlock& block) const {
        size_t more = block.end - block.begin - 1;
        return key(block.begin, n_ + more, powers_[more].plain, powers_[more].prime);
    }

    // A number for what follows an N-gram: the one that begins a unit later, or the document's end.
    uint64_t next(size_t start) const {
        bool is_last = start + 1 - first_ + n_ > units_.size();
        return is_last ? kWordA : following(key(start + 1).folded());
    }
    static uint64_t following(uint64_t folded) { return mix(folded + kGolden); }

  private:
    static uint64_t finished(uint64_t sum, size_t units) { return mix(sum ^ (units * kGolden)); }
    GramKey key(size_t start, size_t units, uint64_t power, uint64_t prime) const {
        size_t i = start - first_;
        uint64_t sum = sums_[i + units] - sums_[i] * power;
        uint64_t check = mersenne::minus(prime_sums_[i + units], mersenne::times(prime_sums_[i], prime));
        return {finished(sum, units), static_cast<uint32_t>(mix(check) >> 32)};
    }

    static constexpr size_t kNone = SIZE_MAX;
    static constexpr size_t kAtOnce = size_t{1} << 14;  // units that are dropped together
    static constexpr uint64_t kBase = 0x0B1D2C3F4A596877ull;

    template <bool keys>
    void extend() {
        size_t from = sums_.size() - 1, size = units_.size();
        sums_.resize(size + 1);
        if constexpr (keys) prime_sums_.resize(size + 1);
        uint64_t sum = sums_[from], prime_sum = prime_sums_[keys ? from : 0];
        for (size_t i = from; i < size; ++i) {  // neither sum waits for the other
            sums_[i + 1] = sum = sum * kShingle + units_[i];
            if constexpr (keys) prime_sums_[i + 1] = prime_sum = mersenne::times(prime_sum, kBase, units_[i]);
        }
        if (size + 1 <= k_) return;
        size_t grams = size - k_ + 1;
        from = hashes_.size();
        hashes_.resize(grams);
        for (size_t i = from; i < grams; ++i) hashes_[i] = mix(sums_[i + k_] - sums_[i] * power_k_);
    }

    // A block ends where the least hash leaves the window, or where one that is not larger enters it; the
    // last one of a piece may go on in the next.
    void find_blocks(size_t ready, bool more) {
        blocks_.clear();
        while (open_ || done_ < ready) {
            if (!open_) choose();
            size_t stop = std::min(ready, at_ + 1);
            while (reached_ < stop && hash(reached_ + width_ - 1) > best_) ++reached_;
            if (more && reached_ == ready && reached_ <= at_) return;
            blocks_.push_back({done_, reached_, best_, at_});
            done_ = reached_, open_ = false;
        }
    }

    // The sample of the N-gram that a block begins with.
    void choose() {
        size_t entering = done_ + width_ - 1;
        if (at_ == kNone || at_ < done_) {
            at_ = entering;
            for (size_t i = entering; i-- > done_;)
                if (hash(i) < hash(at_)) at_ = i;
        } else {
            at_ = entering;
        }
        best_ = hash(at_);
        reached_ = done_ + 1, open_ = true;
    }
    uint64_t hash(size_t gram) const { return hashes_[gram - first_]; }

    // Drops what lies before the next block.
    void forget() {
        size_t past = done_ - first_;
        if (past < kAtOnce) return;
        auto drop = [past](auto& values) {
            values.erase(values.begin(),
                         values.begin() + static_cast<ptrdiff_t>(std::min(past, values.size())));
        };
        drop(units_), drop(sums_), drop(prime_sums_), drop(hashes_);
        first_ += past;
    }

    UnitReader reader_;
    size_t n_, k_, width_;
    struct Powers {
        uint64_t plain, prime;
    };
    uint64_t power_k_ = 1, power_n_ = 1, prime_n_ = 1;
    std::vector<Powers> powers_;  // of blocks with one N-gram, two, and so on
    // from unit first_ on: units, sums of all units before each (two kinds), hashes of k-grams
    std::vector<uint64_t> units_;
    LargeVector<uint64_t> sums_, prime_sums_, hashes_;  // which do not fill what they make room for
    std::vector<GramBlock> blocks_;
    size_t first_ = 0;
    size_t done_ = 0, reached_ = 0;  // where the next block begins, how far it was followed
    bool open_ = false;              // whether it was begun
    size_t at_ = kNone;              // its sample
    uint64_t best_ = 0;
};

}  // namespace twinset
