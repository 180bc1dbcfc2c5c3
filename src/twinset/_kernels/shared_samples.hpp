// What is known of the N-grams in kinds of blocks that share a sample with other kinds. Equal N-grams have
// their sample at the same place, so those of one sample are put together by that place and their keys.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "gram_facts.hpp"
#include "gram_scan.hpp"
#include "stop.hpp"

namespace twinset {

// Consecutive N-grams of a kind of block that are together wherever the first of them is. What is known of
// the last is known of all, but that one thing follows each of the others.
struct GramStretch {
    uint32_t number;  // equal ones have equal numbers
    uint32_t facts;   // on the last, packed
    uint32_t size;
};

// A kind of block: its N-grams, what follows one of its places, how many these are, and what follows all.
struct SampledKind {
    uint64_t sample, next;
    uint32_t kind;
    uint16_t size, lead;  // units from its first N-gram to its sample
};

class SharedSamples {
  public:
    // A kind and its N-grams, by their folded keys.
    void add(const SampledKind& one, uint32_t count, uint64_t nexts, std::span<const uint64_t> grams) {
        kinds_.push_back({one, count, nexts, grams_.size()});
        grams_.insert(grams_.end(), grams.begin(), grams.end());
    }

    // Calls take(kind, stretches) with all kinds.
    template <class Take>
    void settle(Take&& take) {
        stoppable_sort(kinds_.begin(), kinds_.end(), [](const Kind& a, const Kind& b) {
            return std::tie(a.own.sample, a.first) < std::tie(b.own.sample, b.first);
        });
        known_.resize(grams_.size());
        for (size_t begin = 0, end; begin < kinds_.size(); begin = end) {
            for (end = begin + 1; end < kinds_.size(); ++end)
                if (kinds_[end].own.sample != kinds_[begin].own.sample) break;
            for (size_t ahead = begin + kFew; ahead < std::min(end + kFew, kinds_.size()); ++ahead)
                fetch(kinds_[ahead]);
            settle_sample(begin, end);
        }
        for (const Kind& one : kinds_) take(one.own.kind, stretches_of(one));
    }

  private:
    struct Kind {
        SampledKind own;
        uint32_t count;
        uint64_t nexts;
        size_t first;  // of its N-grams

        size_t size() const { return own.size; }
        // Units from an N-gram of it to the sample, and the N-gram that has it there.
        int32_t place(size_t at) const { return int32_t{own.lead} - static_cast<int32_t>(at); }
        size_t at(int32_t place) const { return static_cast<size_t>(int32_t{own.lead} - place); }
        bool has(int32_t place) const { return at(place) < size(); }
    };
    struct Known {
        uint32_t number, facts;
    };
    struct Placed {
        uint64_t gram;
        int32_t place;
        uint32_t kind;

        bool is_same(const Placed& other) const { return place == other.place && gram == other.gram; }
    };
    static constexpr size_t kFew = 16;

    // N-grams lie where the kind was seen, not where its sample is.
    void fetch(const Kind& kind) const {
        for (size_t i = 0; i < kind.size(); i += 64 / sizeof(uint64_t))
            __builtin_prefetch(&grams_[kind.first + i]);
        __builtin_prefetch(&known_[kind.first], 1);
    }

    void settle_sample(size_t begin, size_t end) {
        if (end - begin > kFew) return settle_many(begin, end);
        int32_t most = INT32_MIN, least = INT32_MAX;
        for (size_t k = begin; k < end; ++k) {
            most = std::max(most, kinds_[k].place(0));
            least = std::min(least, kinds_[k].place(kinds_[k].size() - 1));
        }
        for (int32_t place = most; place >= least; --place) settle_place(begin, end, place);
    }
    // Where there are few kinds, each is compared with those before it.
    void settle_place(size_t begin, size_t end, int32_t place) {
        uint64_t done = 0;
        for (size_t k = begin; k < end; ++k) {
            if (done >> (k - begin) & 1 || !kinds_[k].has(place)) continue;
            placed_.clear();
            uint64_t own = gram_at(kinds_[k], place);
            for (size_t other = k; other < end; ++other) {
                if (!kinds_[other].has(place) || gram_at(kinds_[other], place) != own) continue;
                placed_.push_back({own, place, static_cast<uint32_t>(other)});
                done |= uint64_t{1} << (other - begin);
            }
            settle_equal(placed_);
        }
    }
    void settle_many(size_t begin, size_t end) {
        placed_.clear();
        for (size_t k = begin; k < end; ++k)
            for (size_t i = 0; i < kinds_[k].size(); ++i)
                placed_.push_back(
                    {grams_[kinds_[k].first + i], kinds_[k].place(i), static_cast<uint32_t>(k)});
        stoppable_sort(placed_.begin(), placed_.end(), [](const Placed& a, const Placed& b) {
            return std::tie(a.place, a.gram, a.kind) < std::tie(b.place, b.gram, b.kind);
        });
        for (size_t from = 0, to; from < placed_.size(); from = to) {
            for (to = from + 1; to < placed_.size() && placed_[to].is_same(placed_[from]);) ++to;
            settle_equal(std::span(placed_).subspan(from, to - from));
        }
    }
    uint64_t gram_at(const Kind& kind, int32_t place) const { return grams_[kind.first + kind.at(place)]; }

    void settle_equal(std::span<const Placed> equal) {
        pace_(equal.size());
        uint64_t count = 0, nexts = 0;
        for (const Placed& one : equal) {
            const Kind& kind = kinds_[one.kind];
            count += kind.count;
            nexts += is_last(one) ? kind.nexts : kind.count * next(one);
        }
        uint32_t shown = static_cast<uint32_t>(std::min<uint64_t>(count, UINT32_MAX));
        GramFacts facts{shown, nexts == count * next(equal[0])};
        for (const Placed& one : equal) {
            const Kind& kind = kinds_[one.kind];
            known_[kind.first + kind.at(one.place)] = {numbers_, facts.packed()};
        }
        ++numbers_;
    }
    bool is_last(const Placed& one) const { return !kinds_[one.kind].has(one.place - 1); }
    uint64_t next(const Placed& one) const {
        const Kind& kind = kinds_[one.kind];
        return is_last(one) ? kind.own.next : GramScanner::following(gram_at(kind, one.place - 1));
    }

    std::span<const GramStretch> stretches_of(const Kind& one) {
        stretches_.clear();
        GramFacts last;
        for (size_t i = 0; i < one.size(); ++i) {
            Known known = known_[one.first + i];
            GramFacts facts = GramFacts::unpacked(known.facts);
            bool goes_on = i > 0 && last.joins(facts);
            if (!goes_on) stretches_.push_back({known.number, 0, 0});
            stretches_.back().facts = known.facts;
            ++stretches_.back().size;
            last = facts;
        }
        return stretches_;
    }

    std::vector<Kind> kinds_;
    std::vector<uint64_t> grams_;
    std::vector<Known> known_;  // of the N-grams
    std::vector<Placed> placed_;
    std::vector<GramStretch> stretches_;
    uint32_t numbers_ = 0;
    Pace pace_;
};

}  // namespace twinset
