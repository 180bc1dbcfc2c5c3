// What is known of the N-grams in kinds of blocks that share a sample with other kinds. Equal N-grams have
// their sample at the same place, so those of one sample are put together by that place and their keys.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "block_kinds.hpp"
#include "gram_facts.hpp"
#include "gram_scan.hpp"
#include "large_pages.hpp"
#include "stop.hpp"

namespace twinset {

// Consecutive N-grams of a kind of block that are together wherever the first of them is. What is known of
// the last is known of all, but that one thing follows each of the others.
struct GramStretch {
    uint32_t number;  // equal ones have equal numbers
    uint32_t facts;   // on the last, packed
    uint32_t size;
};

// A kind of block, how many N-grams it has, and its sample.
struct SampledKind {
    uint64_t sample;
    uint32_t kind;
    uint16_t size, lead;  // units from its first N-gram to its sample
};

class SharedSamples {
  public:
    // A kind, what follows the last of its N-grams, and these by their folded keys.
    void add(const SampledKind& one, uint32_t count, uint64_t next, std::span<const uint64_t> grams) {
        kinds_.push_back({one, count, next, grams_.size()});
        grams_.insert(grams_.end(), grams.begin(), grams.end());
    }

    // Calls take(kind, stretches) with all kinds, which are forgotten.
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
        kinds_.clear(), grams_.clear(), known_.clear(), numbers_ = 0;  // room stays for the next
    }

  private:
    struct Kind {
        SampledKind own;
        uint32_t count;
        uint64_t next;
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
    static constexpr uint8_t kAbsent = UINT8_MAX;
    using Equals = std::array<uint8_t, kFew>;

    // N-grams lie where the kind was seen, not where its sample is.
    void fetch(const Kind& kind) const {
        for (size_t i = 0; i < kind.size(); i += 64 / sizeof(uint64_t))
            __builtin_prefetch(&grams_[kind.first + i]);
        __builtin_prefetch(&known_[kind.first], 1);
    }

    void settle_sample(size_t begin, size_t end) {
        if (end - begin > kFew) return settle_many(begin, end);
        std::span<const Kind> kinds = std::span(kinds_).subspan(begin, end - begin);
        int32_t most = INT32_MIN, least = INT32_MAX;
        for (const Kind& kind : kinds) {
            most = std::max(most, kind.place(0));
            least = std::min(least, kind.place(kind.size() - 1));
        }
        Equals before{};
        for (int32_t place = most; place >= least; --place) {
            pace_(kinds.size());
            auto [equals, are_same] = equals_at(kinds, place, before);
            if (place < most && are_same) {
                go_on(kinds, place);
            } else {
                if (place < most) find_nexts(kinds, before, place + 1);
                number(kinds, equals, place);
            }
            before = equals;
        }
        find_nexts(kinds, before, least);
    }
    // Where there are few kinds, each is compared with those before it: the first that has the same N-gram at
    // a place, if it has one there. And whether it is the same as at the place before.
    std::pair<Equals, bool> equals_at(std::span<const Kind> kinds, int32_t place,
                                      const Equals& before) const {
        Equals equals;
        bool are_same = true;
        for (size_t k = 0; k < kinds.size(); ++k) {
            size_t first = kAbsent;
            if (kinds[k].has(place)) {
                uint64_t own = gram_at(kinds[k], place);
                auto is_other = [&](size_t other) {
                    return equals[other] != other || gram_at(kinds[other], place) != own;
                };
                for (first = 0; first < k && is_other(first);) ++first;
            }
            equals[k] = static_cast<uint8_t>(first);
            are_same &= equals[k] == before[k];
        }
        return {equals, are_same};
    }
    // The same are equal as at the place before: what is known there is known here, and one thing follows.
    void go_on(std::span<const Kind> kinds, int32_t place) {
        for (const Kind& kind : kinds) {
            if (!kind.has(place)) continue;
            Known* known = &known_[kind.first + kind.at(place)];
            known[0] = known[-1];
            known[-1].facts |= 1;
        }
    }
    void number(std::span<const Kind> kinds, const Equals& equals, int32_t place) {
        for (size_t first = 0; first < kinds.size(); ++first) {
            if (equals[first] != first) continue;
            uint64_t count = 0;
            for (size_t k = first; k < kinds.size(); ++k)
                if (equals[k] == first) count += kinds[k].count;
            for (size_t k = first; k < kinds.size(); ++k)
                if (equals[k] == first) known_at(kinds[k], place) = {numbers_, facts_of(count, false)};
            ++numbers_;
        }
    }
    // Whether the same follows all equal ones.
    void find_nexts(std::span<const Kind> kinds, const Equals& equals, int32_t place) {
        for (size_t first = 0; first < kinds.size(); ++first) {
            if (equals[first] != first) continue;
            uint64_t own = next(kinds[first], place);
            bool one_next = own != BlockKind::kDiffer;
            for (size_t k = first + 1; k < kinds.size(); ++k)
                if (equals[k] == first) one_next &= next(kinds[k], place) == own;
            for (size_t k = first; k < kinds.size(); ++k)
                if (equals[k] == first) known_at(kinds[k], place).facts |= one_next;
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
        uint64_t count = 0, own = next(kinds_[equal[0].kind], equal[0].place);
        bool one_next = own != BlockKind::kDiffer;
        for (const Placed& one : equal) {
            count += kinds_[one.kind].count;
            one_next &= next(kinds_[one.kind], one.place) == own;
        }
        uint32_t facts = facts_of(count, one_next);
        for (const Placed& one : equal) known_at(kinds_[one.kind], one.place) = {numbers_, facts};
        ++numbers_;
    }
    static uint32_t facts_of(uint64_t count, bool one_next) {
        return GramFacts{static_cast<uint32_t>(std::min<uint64_t>(count, UINT32_MAX)), one_next}.packed();
    }
    Known& known_at(const Kind& kind, int32_t place) { return known_[kind.first + kind.at(place)]; }
    // What follows the places of a kind's N-gram.
    uint64_t next(const Kind& kind, int32_t place) const {
        bool is_last = !kind.has(place - 1);
        return is_last ? kind.next : GramScanner::following(gram_at(kind, place - 1));
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
    LargeVector<uint64_t> grams_;
    LargeVector<Known> known_;  // of the N-grams
    std::vector<Placed> placed_;
    std::vector<GramStretch> stretches_;
    uint32_t numbers_ = 0;
    Pace pace_;
};

}  // namespace twinset
