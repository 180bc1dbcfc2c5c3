// The vectors of a weighted join, and what bounds the product of two of them before it is computed.
//
// Features are put into classes by how many vectors have them, and are in order by class and number. The
// last, most frequent features of a vector whose length together stays below the threshold t cannot reach
// t alone, by Cauchy and Schwarz: they are its head and stay out of the index, the rest is its tail. Two
// vectors that reach t share a feature of both tails. What they share beyond those comes after the end of
// a tail, and is at most the product of the lengths of what comes there. For containment, the rarest features
// of more than 1 - s of the weight are the prefix: a set that holds the share s of the weight has most of
// them.
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "large_pages.hpp"
#include "parallel.hpp"

namespace twinset {

// Row i is document documents[i], which has the entries [offsets[i], offsets[i+1]), no feature twice.
// An entry weighs what `weights` says or, where there are none, by_tf[tf] * idf over the row's length.
struct VectorRows {
    std::span<const uint32_t> features;
    std::span<const int64_t> offsets;
    std::span<const uint32_t> documents;
    size_t dimensions;
    std::span<const double> weights = {};
    std::span<const int32_t> tf = {};
    std::span<const double> by_tf = {}, idf = {};
    std::span<const uint64_t> names = {};  // products are added in their order, or in that of the features

    size_t count() const { return documents.size(); }
    int64_t begin(uint32_t d) const { return offsets[documents[d]]; }
    int64_t end(uint32_t d) const { return offsets[documents[d] + size_t{1}]; }
    size_t size(uint32_t d) const { return static_cast<size_t>(end(d) - begin(d)); }

    double plain_weight(int64_t e) const { return plain_weight(e, idf.empty() ? 0 : idf[features[e]]); }
    // The same where the idf of its feature is at hand.
    double plain_weight(int64_t e, double of_feature) const {
        return weights.empty() ? by_tf[static_cast<size_t>(tf[e])] * of_feature : weights[e];
    }
    // What the plain weights of a row are divided by.
    double length(std::span<const double> plain) const {
        if (!weights.empty()) return 1;
        double squares = 0;
        for (double weight : plain) squares += weight * weight;
        return std::sqrt(squares);
    }
    uint64_t rank(uint32_t feature) const { return names.empty() ? feature : names[feature]; }
};

// When one row holds another: `rarity` is what a feature weighs, `sums` what all features of a row
// weigh, with those that are left out of the rows, and are made here where nobody gives them; only an
// `eligible` row can be contained.
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
};

// Features that as many rows have are of one class: 0 for those that one row has alone, then exact up to
// 31 rows, then eight classes for each doubling.
inline uint8_t rarity_class(uint32_t rows) {
    if (rows < 32) return static_cast<uint8_t>(std::max(rows, 1u) - 1);
    int octave = std::bit_width(rows) - 6;
    return static_cast<uint8_t>(31 + 8 * octave + static_cast<int>(rows >> (octave + 2) & 7));
}

// Where a feature is in order: by its class, then by its number.
struct FeatureRank {
    uint8_t rarity;
    uint32_t feature;
    auto operator<=>(const FeatureRank&) const = default;
};

// The bounds of one row. Lengths are rounded up.
struct RowOutline {
    static constexpr double kUnit = 250;  // of `lengths`
    std::array<uint8_t, 32> lengths;      // of the classes from 8 i on
    float head;                           // the length of what comes after `last`
    FeatureRank last;                     // of the tail; of class 0 where there is no tail
    uint32_t prefix;                      // how many features are in the prefix
    uint64_t rest;                        // what shared features beyond the prefix weigh

    double length_beyond(FeatureRank edge) const {
        double coarse = lengths[edge.rarity / 8u] / kUnit;
        return edge == last ? std::min(coarse, double{head}) : coarse;
    }
};

// At most what two rows share beyond the features that are in both of their tails.
inline double product_beyond(const RowOutline& a, const RowOutline& b) {
    FeatureRank edge = std::min(a.last, b.last);
    return a.length_beyond(edge) * b.length_beyond(edge);
}

// What the index has of a row: its tail, and the features that are in the prefix of any row.
struct IndexEntry {
    uint32_t feature;
    uint16_t weight;  // in whole numbers of 1/kUnit, rounded up
    uint8_t kinds;
    static constexpr double kUnit = 1 << 15;
    static constexpr uint8_t kPrefix = 1, kListed = 2;  // in the prefix of this row, of any row

    static uint16_t whole(double weight) {
        double units = std::min(weight * kUnit, 65535.0);
        auto below = static_cast<uint16_t>(units);
        return static_cast<uint16_t>(below + (units > below));  // std::ceil is a call on older processors
    }
};

class RareEntries {
  public:
    // Tails go on until the head is shorter than this part of the threshold: what the tails share must
    // then reach the rest of it.
    static constexpr double kHead = 0.95;
    static constexpr double kSlack = 1e-9;  // sums are rounded; the bound must not be

    std::vector<uint64_t> sums;   // of containment: what all features of each row weigh
    std::vector<double> lengths;  // what the weights of each row are divided by
    std::vector<RowOutline> outlines;
    std::vector<std::atomic<uint32_t>> room;         // by feature: rows that the index has it of
    std::vector<std::atomic<uint32_t>> prefix_room;  // and those that have it in their prefix

    // `frequency` says how many rows have each feature.
    RareEntries(const VectorRows& rows, double threshold, const ContainmentRule& rule,
                std::span<const uint32_t> frequency, int threads)
        : sums(rule.sums.begin(), rule.sums.end()),
          lengths(rows.count()),
          outlines(rows.count()),
          room(rows.dimensions),
          prefix_room(rule.is_on() ? rows.dimensions : 0),
          rows_(rows),
          threshold_(threshold),
          rule_(rule),
          facts_(rows.dimensions) {
        if (rule.is_on()) sums.resize(rows.count());
        for (size_t f = 0; f < rows.dimensions; ++f)
            facts_[f] = {rows.idf.empty() ? 0 : rows.idf[f], rule.is_on() ? rule.rarity[f] : 0,
                         rarity_class(frequency[f])};
        std::vector<Scratch> scratch(static_cast<size_t>(std::max(threads, 1)));
        parallel_blocks(rows.count(), 64, threads, [&](size_t begin, size_t end, int worker) {
            for (size_t d = begin; d < end; ++d)
                outline(static_cast<uint32_t>(d), scratch[static_cast<size_t>(worker)]);
        });
        // Whoever has a feature of a prefix is listed with it.
        for (size_t f = 0; f < prefix_room.size(); ++f)
            if (prefix_room[f]) room[f] = frequency[f], facts_[f].rarity_class |= kListed;
    }

    // What is known of a feature, side by side: features are looked up in no order.
    struct Facts {
        double idf;             // 0 where the rows have weights of their own
        uint32_t rarity;        // of containment
        uint16_t rarity_class;  // and perhaps kListed
    };
    const Facts& facts(uint32_t feature) const { return facts_[feature]; }

    struct Scratch {
        std::vector<double> weights;    // of the features of a row
        std::vector<uint16_t> classes;  // of these
        std::vector<uint8_t> kinds;
        std::vector<uint32_t> order;
        Pace pace;
    };

    // The entries of a row for the index.
    void choose(uint32_t d, Scratch& scratch, std::vector<IndexEntry>& entries) const {
        look_up(d, scratch);
        scratch.kinds.assign(rows_.size(d), 0);
        if (uint32_t size = outlines[d].prefix) {
            rank(scratch);
            for (uint32_t i = 0; i < size; ++i) scratch.kinds[scratch.order[i]] = IndexEntry::kPrefix;
        }
        entries.clear();
        for (size_t i = 0; i < rows_.size(d); ++i) {
            uint32_t feature = rows_.features[rows_.begin(d) + static_cast<int64_t>(i)];
            uint16_t rarity = scratch.classes[i];
            if (rarity == 0 || (rarity < kListed && !is_in_tail(d, rarity, feature))) continue;
            uint8_t kinds = scratch.kinds[i];
            if (rarity >= kListed) kinds |= IndexEntry::kListed;
            entries.push_back({feature, IndexEntry::whole(scratch.weights[i] / lengths[d]), kinds});
        }
    }

    bool is_alone(uint32_t feature) const { return facts_[feature].rarity_class == 0; }

  private:
    static constexpr double kMore = 0.05;        // of the weight that is in a prefix beyond what it needs
    static constexpr uint16_t kListed = 1 << 8;  // beside a class: in the prefix of any row

    // The weights and classes of a row's features, and what those weigh in all that it shares.
    uint64_t look_up(uint32_t d, Scratch& scratch) const {
        size_t size = rows_.size(d);
        scratch.pace(size);
        scratch.weights.resize(size), scratch.classes.resize(size);
        uint64_t shared = 0;
        for (size_t i = 0; i < size; ++i) {
            int64_t e = rows_.begin(d) + static_cast<int64_t>(i);
            const Facts& known = facts_[rows_.features[e]];
            scratch.weights[i] = rows_.plain_weight(e, known.idf);
            scratch.classes[i] = known.rarity_class;
            shared += known.rarity_class ? known.rarity : 0;
        }
        return shared;
    }

    void outline(uint32_t d, Scratch& scratch) {
        size_t size = rows_.size(d);
        std::span<const uint32_t> features =
            rows_.features.subspan(static_cast<size_t>(rows_.begin(d)), size);
        outlines[d].rest = look_up(d, scratch);
        lengths[d] = rows_.length(scratch.weights);
        std::array<double, 256> squares{};
        for (size_t i = 0; i < size; ++i) {
            double weight = scratch.weights[i] / lengths[d];
            squares[scratch.classes[i]] += weight * weight;
        }
        double beyond = outline_lengths(outlines[d], squares);
        if (outlines[d].last.rarity) end_tail(d, features, beyond, scratch);
        for (size_t i = 0; i < size; ++i)
            if (scratch.classes[i] && is_in_tail(d, scratch.classes[i], features[i]))
                room[features[i]].fetch_add(1, std::memory_order_relaxed);
        if (rule_.is_on()) outline_prefix(d, features, scratch);
    }

    // The class in which the tail ends, and the squares of all classes after it.
    double outline_lengths(RowOutline& mine, const std::array<double, 256>& squares) const {
        double beyond = 0, after = 0;
        for (size_t c = 255; c >= 1; --c) {
            double with = std::sqrt(beyond + squares[c]);
            if (!mine.last.rarity && squares[c] > 0 && reaches(with))
                mine.last.rarity = static_cast<uint8_t>(c), after = beyond;
            beyond += squares[c];
            if (c % 8 == 0) mine.lengths[c / 8] = coarse(with);
        }
        double shared = std::sqrt(beyond);
        mine.lengths[0] = coarse(shared);
        if (shared >= threshold_ - kSlack) return after;
        mine.last.rarity = 0, mine.head = rounded_up(shared);
        return beyond;
    }

    // The feature of its last class that a tail ends with.
    void end_tail(uint32_t d, std::span<const uint32_t> features, double beyond, Scratch& scratch) {
        RowOutline& mine = outlines[d];
        scratch.order.clear();
        for (size_t i = 0; i < features.size(); ++i)
            if (scratch.classes[i] == mine.last.rarity) scratch.order.push_back(static_cast<uint32_t>(i));
        std::sort(scratch.order.begin(), scratch.order.end(),
                  [&](uint32_t a, uint32_t b) { return features[a] > features[b]; });
        for (uint32_t place : scratch.order) {
            double weight = scratch.weights[place] / lengths[d];
            mine.last.feature = features[place], mine.head = rounded_up(std::sqrt(beyond));
            beyond += weight * weight;
            if (reaches(std::sqrt(beyond))) return;
        }
    }

    // Whether a head of this length is too long.
    bool reaches(double length) const { return length >= kHead * threshold_ - kSlack; }

    bool is_in_tail(uint32_t d, uint16_t rarity, uint32_t feature) const {
        return FeatureRank{static_cast<uint8_t>(rarity), feature} <= outlines[d].last;
    }

    void outline_prefix(uint32_t d, std::span<const uint32_t> features, Scratch& scratch) {
        RowOutline& mine = outlines[d];
        if (rule_.sums.empty()) {
            sums[d] = mine.rest;
            for (size_t i = 0; i < features.size(); ++i)
                if (!scratch.classes[i]) sums[d] += rule_.rarity[features[i]];
        }
        if (!rule_.eligible[d] || ContainmentRule::share_of(mine.rest, sums[d]) < rule_.share) return;
        rank(scratch);
        for (uint32_t place : scratch.order) {
            if (ContainmentRule::share_of(mine.rest, sums[d]) < rule_.share - kMore) return;
            prefix_room[features[place]].fetch_add(1, std::memory_order_relaxed);
            mine.rest -= facts_[features[place]].rarity;
            ++mine.prefix;
        }
    }

    // The places of the shared features that were looked up last, the rarest class first.
    static void rank(Scratch& scratch) {
        std::array<uint32_t, 257> next{};
        for (uint16_t rarity : scratch.classes) ++next[static_cast<uint8_t>(rarity) + size_t{1}];
        next[1] = 0;  // those that are alone are left out
        for (size_t c = 1; c < 257; ++c) next[c] += next[c - 1];
        scratch.order.resize(next[256]);
        for (size_t i = 0; i < scratch.classes.size(); ++i)
            if (auto c = static_cast<uint8_t>(scratch.classes[i]))
                scratch.order[next[c]++] = static_cast<uint32_t>(i);
    }

    static float rounded_up(double length) { return static_cast<float>(length * (1 + 1e-6) + 1e-9); }
    static uint8_t coarse(double length) {
        return static_cast<uint8_t>(std::min(std::ceil((length + 1e-9) * RowOutline::kUnit), 255.0));
    }

    const VectorRows& rows_;
    double threshold_;
    const ContainmentRule& rule_;
    LargeVector<Facts> facts_;  // by feature
};

}  // namespace twinset
