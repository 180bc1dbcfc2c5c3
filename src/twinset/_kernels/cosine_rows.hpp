// What a weighted join knows of each vector before it compares any: its rarest entries.
//
// The entries of a vector are taken with the most frequent features first. The head whose length stays
// below the threshold t is left out of the index, because by Cauchy and Schwarz it cannot reach t
// alone: the rest is the tail. For containment, the rarest features of more than 1 - s of the weight
// are the prefix: a set that holds the share s of the weight has one of them.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "large_pages.hpp"
#include "parallel.hpp"

namespace twinset {

// Vector i has the entries [offsets[i], offsets[i+1]): features in rising order, weights.
struct VectorRows {
    std::span<const uint32_t> features;
    std::span<const double> weights;
    std::span<const int64_t> offsets;
    size_t dimensions;

    size_t count() const { return offsets.size() - 1; }
    size_t size(uint32_t d) const { return static_cast<size_t>(offsets[d + 1] - offsets[d]); }
};

// When one row holds another: `rarity` is what a feature weighs, `sums` what all features of a row
// weigh, with those that are left out of the rows; only an `eligible` row can be contained.
struct ContainmentRule {
    double share = 0;  // 0: no row contains another
    std::span<const uint32_t> rarity;
    std::span<const uint64_t> sums;
    std::span<const uint8_t> eligible;

    bool is_on() const { return share > 0; }
    // Both are whole numbers below 2^53: the quotient is the same on every processor.
    static double share_of(uint64_t part, uint64_t whole) {
        return whole ? static_cast<double>(part) / static_cast<double>(whole) : 0;
    }
    // Of two rows the lighter one may be contained, of equal ones either.
    bool may_hold(uint32_t a, uint32_t b) const {
        if (sums[a] == sums[b]) return eligible[a] || eligible[b];
        return eligible[sums[a] < sums[b] ? a : b];
    }
};

struct TailEntry {
    uint32_t feature;
    float weight, before;  // `before`: the length of the vector up to here, without this entry
};

// Lists one after the other, in the order of the rows.
template <class T>
struct RowLists {
    std::vector<T> values;
    std::vector<int64_t> offsets;

    std::span<const T> operator[](size_t row) const {
        return {values.data() + offsets[row], static_cast<size_t>(offsets[row + 1] - offsets[row])};
    }
};

class RareEntries {
  public:
    // A part of the head is indexed, too: products are known further, so that fewer are multiplied out.
    static constexpr double kAccumulated = 0.8;
    static constexpr double kSlack = 1e-9;  // sums are rounded; the bound must not be

    RareEntries(const VectorRows& rows, double threshold, const ContainmentRule& rule, int threads)
        : rows_(rows), threshold_(threshold), rule_(rule) {
        known_.assign(rows.dimensions, Known{0, 0});
        uint32_t names = 0;
        Pace pace;
        for (int64_t e = rows.offsets[0]; e < rows.offsets.back(); ++e) {
            pace();
            Known& known = known_[rows.features[e]];
            if (!known.frequency++) known.name = names++;
        }
        size_t blocks = (rows.count() + kBlock - 1) / kBlock;
        std::vector<Part> parts(blocks);
        parallel_blocks(blocks, 1, threads, [&](size_t block, size_t, int) {
            std::vector<Ranked> order;
            for (size_t d = block * kBlock; d < std::min(rows.count(), (block + 1) * kBlock); ++d)
                choose(static_cast<uint32_t>(d), order, parts[block]);
        });
        gather(parts, &Part::tails, &Part::tail_ends, tails);
        gather(parts, &Part::prefixes, &Part::prefix_ends, prefixes);
        if (rule.is_on()) find_members(threads);
    }

    // In these lists features are called by the order of their first appearance: what a row and its like
    // look up lies together.
    RowLists<TailEntry> tails;    // most frequent first, without features that one row alone has
    RowLists<uint32_t> prefixes;  // rarest first, likewise
    RowLists<uint32_t> members;   // the features of each row that are in the prefix of any

  private:
    static constexpr size_t kBlock = 64;
    static constexpr uint64_t kMost = std::numeric_limits<uint32_t>::max();

    struct Known {
        uint32_t frequency, name;  // how many rows have a feature, and what it is called in the lists
    };

    struct Ranked {
        uint64_t rank;
        double weight;
        uint32_t feature() const { return static_cast<uint32_t>(rank); }
        bool is_alone() const { return rank >> 32 == kMost - 1; }
    };

    struct Part {
        std::vector<TailEntry> tails;
        std::vector<uint32_t> prefixes, members;
        std::vector<size_t> tail_ends, prefix_ends, member_ends;
    };

    void find_members(int threads) {
        std::vector<uint8_t> listed(rows_.dimensions, 0);
        for (uint32_t feature : prefixes.values) listed[feature] = 1;
        std::vector<Part> parts((rows_.count() + kBlock - 1) / kBlock);
        parallel_blocks(parts.size(), 1, threads, [&](size_t block, size_t, int) {
            Part& part = parts[block];
            for (size_t d = block * kBlock; d < std::min(rows_.count(), (block + 1) * kBlock); ++d) {
                for (int64_t e = rows_.offsets[d]; e < rows_.offsets[d + 1]; ++e)
                    if (uint32_t name = known_[rows_.features[e]].name; listed[name])
                        part.members.push_back(name);
                part.member_ends.push_back(part.members.size());
            }
        });
        gather(parts, &Part::members, &Part::member_ends, members);
    }

    void choose(uint32_t d, std::vector<Ranked>& order, Part& part) const {
        order.clear();
        for (int64_t e = rows_.offsets[d]; e < rows_.offsets[d + 1]; ++e) {
            uint32_t f = rows_.features[e];
            order.push_back({(kMost - known_[f].frequency) << 32 | f, rows_.weights[e]});
        }
        std::sort(order.begin(), order.end(),
                  [](const Ranked& a, const Ranked& b) { return a.rank < b.rank; });
        double squares = 0;
        for (const Ranked& entry : order) {
            if (entry.is_alone()) break;
            double before = std::sqrt(squares);
            squares += entry.weight * entry.weight;
            if (std::sqrt(squares) >= kAccumulated * threshold_ - kSlack)
                part.tails.push_back({known_[entry.feature()].name, static_cast<float>(entry.weight),
                                      static_cast<float>(before)});
        }
        part.tail_ends.push_back(part.tails.size());
        if (rule_.is_on() && rule_.eligible[d]) add_prefix(d, order, part);
        part.prefix_ends.push_back(part.prefixes.size());
    }

    void add_prefix(uint32_t d, const std::vector<Ranked>& order, Part& part) const {
        uint64_t left = 0;  // the weight of what has not been passed
        for (const Ranked& entry : order)
            if (!entry.is_alone()) left += rule_.rarity[entry.feature()];
        for (auto it = order.rbegin(); it != order.rend(); ++it) {
            if (it->is_alone()) continue;
            if (ContainmentRule::share_of(left, rule_.sums[d]) < rule_.share) return;
            part.prefixes.push_back(known_[it->feature()].name);
            left -= rule_.rarity[it->feature()];
        }
    }

    template <class T>
    void gather(std::vector<Part>& parts, std::vector<T> Part::* values, std::vector<size_t> Part::* ends,
                RowLists<T>& lists) {
        lists.offsets.push_back(0);
        size_t all = 0;
        for (const Part& part : parts) all += (part.*values).size();
        lists.values.reserve(all);
        for (Part& part : parts) {
            stop_point();
            size_t before = lists.values.size();
            for (size_t end : part.*ends) lists.offsets.push_back(static_cast<int64_t>(before + end));
            lists.values.insert(lists.values.end(), (part.*values).begin(), (part.*values).end());
            std::vector<T>().swap(part.*values);
        }
    }

    const VectorRows& rows_;
    double threshold_;
    const ContainmentRule& rule_;
    LargeVector<Known> known_;
};

}  // namespace twinset
