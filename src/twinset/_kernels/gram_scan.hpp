// The N-grams of a document from left to right, each with its sample: the k-gram in it whose hash is least,
// the rightmost of equal ones (minimisers, Schleimer et al. 2003, Roberts et al. 2004). Equal N-grams have
// equal samples at the same place in them, so an N-gram whose sample occurs once occurs once itself.
//
// Memory follows N, not the document. Time is linear also in texts of one repeated unit: a new k-gram that
// is not larger takes over, and the window is searched again only when its least leaves it.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gram_units.hpp"
#include "hash.hpp"

namespace twinset {

// Arithmetic modulo the prime 2^61 - 1.
namespace mersenne {
inline constexpr uint64_t kPrime = (uint64_t{1} << 61) - 1;
inline uint64_t reduce(uint64_t x) {
    x = (x & kPrime) + (x >> 61);
    return x >= kPrime ? x - kPrime : x;
}
inline uint64_t times(uint64_t a, uint64_t b) {
    unsigned __int128 p = static_cast<unsigned __int128>(a) * b;
    return reduce((static_cast<uint64_t>(p) & kPrime) + static_cast<uint64_t>(p >> 61));
}
inline uint64_t minus(uint64_t a, uint64_t b) { return a >= b ? a - b : a + kPrime - b; }
}  // namespace mersenne

// What an N-gram is known by: 64 bits of a sum modulo 2^64 and 32 of one modulo a prime.
struct GramKey {
    uint64_t key;
    uint32_t check;
    bool operator==(const GramKey&) const = default;
};

class GramScanner {
  public:
    GramScanner(GramUnit unit, size_t n, size_t k) : reader_(unit), n_(n), k_(k), width_(n - k + 1) {
        for (size_t i = 0; i < k; ++i) power_k_ *= kShingle;
        for (size_t i = 0; i < n; ++i) power_n_ *= kShingle, prime_n_ = mersenne::times(prime_n_, kBase);
    }

    size_t n() const { return n_; }
    GramUnit unit() const { return reader_.unit(); }

    // Calls take(begin, end, sample, is_new) for all N-grams, those from `begin` to `end` with one sample at
    // one place; `is_new` says that it is another than that of the N-gram before. Within `take` the N-grams
    // may be asked for their keys.
    template <class Take>
    void scan(const uint8_t* p, const uint8_t* end, const uint8_t* readable, Take&& take) {
        reader_.begin(p, end, readable);
        units_.clear(), sums_.assign(1, 0), hashes_.clear();
        first_ = 0, done_ = 0, at_ = kNone, checked_ = kNone;
        bool more = true;
        while (more) {
            more = reader_.read(units_);
            extend();
            // the unit behind an N-gram has to be known
            size_t known = first_ + units_.size(), behind = n_ + (more ? 1 : 0);
            size_t ready = known >= behind ? known - behind + 1 : 0;
            go_on(ready, take);
            if (more) forget();
        }
    }

    // What the N-gram is known by; asked for from left to right.
    GramKey key(size_t start) {
        size_t i = start - first_;
        uint64_t sum = sums_[i + n_] - sums_[i] * power_n_;
        check_up_to(start);
        return {mix(sum ^ (n_ * kGolden)), static_cast<uint32_t>(mix(check_) >> 32)};
    }

    // A number for the unit behind an N-gram; the end of the document has one, too.
    uint64_t next(size_t start) const {
        size_t i = start - first_ + n_;
        return i < units_.size() ? mix(units_[i] + kGolden) : kWordA;
    }

  private:
    static constexpr size_t kNone = SIZE_MAX;
    static constexpr size_t kAtOnce = size_t{1} << 14;  // units that are dropped together
    static constexpr uint64_t kBase = 0x0B1D2C3F4A596877ull;

    // The sum modulo the prime rolls on from the N-gram that was asked for last, or begins anew where that
    // is further away than N-grams are long.
    void check_up_to(size_t start) {
        auto add = [&](size_t unit) {
            check_ =
                mersenne::reduce(mersenne::times(check_, kBase) + mersenne::reduce(units_[unit - first_]));
        };
        if (checked_ != kNone && checked_ >= first_ && start - checked_ < n_) {
            for (; checked_ < start; ++checked_) {
                uint64_t old = mersenne::reduce(units_[checked_ - first_]);
                add(checked_ + n_);
                check_ = mersenne::minus(check_, mersenne::times(old, prime_n_));
            }
            return;
        }
        check_ = 0;
        for (size_t unit = start; unit < start + n_; ++unit) add(unit);
        checked_ = start;
    }

    void extend() {
        size_t from = sums_.size() - 1, size = units_.size();
        sums_.resize(size + 1);
        uint64_t sum = sums_[from];
        for (size_t i = from; i < size; ++i) sums_[i + 1] = sum = sum * kShingle + units_[i];
        if (size + 1 <= k_) return;
        size_t grams = size - k_ + 1;
        from = hashes_.size();
        hashes_.resize(grams);
        for (size_t i = from; i < grams; ++i) hashes_[i] = mix(sums_[i + k_] - sums_[i] * power_k_);
    }

    // A stretch ends where the least leaves the window, or where one that is not larger enters it.
    template <class Take>
    void go_on(size_t ready, Take&& take) {
        const uint64_t* hashes = hashes_.data();
        while (done_ < ready) {
            size_t entering = done_ - first_ + width_ - 1;
            bool is_new = at_ == kNone || at_ < done_ || hashes[entering] <= best_;
            if (is_new) {
                size_t least = entering;
                if (at_ == kNone || at_ < done_)
                    for (size_t i = entering, begin = done_ - first_; i-- > begin;)
                        if (hashes[i] < hashes[least]) least = i;
                at_ = first_ + least, best_ = hashes[least];
            }
            size_t stop = std::min(ready, at_ + 1) - first_ + width_ - 1;
            do ++entering;
            while (entering < stop && hashes[entering] > best_);
            size_t end = entering + first_ - width_ + 1;
            take(done_, end, best_, is_new);
            done_ = end;
        }
    }

    // Drops what lies before the next N-gram.
    void forget() {
        // one more stays, from which its check rolls on
        size_t past = done_ > first_ ? done_ - first_ - 1 : 0;
        if (past < kAtOnce) return;
        auto drop = [past](std::vector<uint64_t>& values) {
            values.erase(values.begin(),
                         values.begin() + static_cast<ptrdiff_t>(std::min(past, values.size())));
        };
        drop(units_), drop(sums_), drop(hashes_);
        first_ += past;
    }

    UnitReader reader_;
    size_t n_, k_, width_;
    uint64_t power_k_ = 1, power_n_ = 1, prime_n_ = 1;
    std::vector<uint64_t> units_, sums_, hashes_;  // from unit first_ on; those of all before it, of k-grams
    size_t first_ = 0, done_ = 0, at_ = kNone;
    uint64_t best_ = 0;
    size_t checked_ = kNone;  // the N-gram that check_ belongs to
    uint64_t check_ = 0;
};

}  // namespace twinset
