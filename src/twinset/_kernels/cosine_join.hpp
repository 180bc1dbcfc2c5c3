// Every pair of unit vectors whose scalar product reaches a threshold, or of which one holds enough of
// the other: exactly, and without being quadratic where many are alike.
//
// Bayardo, Ma, Srikant (WWW 2007) with the bound of Anastasiu, Karypis (ICDE 2014): only tails are
// indexed (``cosine_rows.hpp``). A vector meets earlier ones in the lists of its own tail, and what the
// two share there is added up in whole numbers, rounded up. With the lengths of what is beyond the tails
// this bounds their product; the few who may reach the threshold are multiplied out. Containment is met
// in the same lists: whoever holds enough of a vector has nearly all of its rarest features.
//
// Rows are taken in their order, in chunks. A row without an earlier anchor that it is a pair with
// becomes an anchor. An anchor with `dense` pairs is saturated: a later row that is a pair with it is
// absorbed, that is paired with the earlier anchors near it and with nothing else, and not compared
// with later ones. Chunks are a fixed number of rows and threads only share out a chunk: the result
// does not depend on them.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "cosine_rows.hpp"
#include "parallel.hpp"

namespace twinset {

struct WeightedPair {
    uint32_t left, right;
    double score, share;  // `share`: of the lighter row in the other, 0 where nobody asks for it
};

// Lists of which each has room for all that may come.
template <class T>
class GrowingLists {
  public:
    explicit GrowingLists(const std::vector<std::atomic<uint32_t>>& room) : places_(room.size()) {
        uint64_t all = 0;
        for (size_t f = 0; f < room.size(); ++f) {
            places_[f] = {static_cast<uint32_t>(all), 0};
            all += room[f];
        }
        if (all > UINT32_MAX) throw std::length_error("there are too many entries to index");
        values_.resize(all);
    }
    std::span<const T> operator[](uint32_t f) const {
        return {values_.data() + places_[f].start, places_[f].size};
    }
    void append(uint32_t f, T value) { values_[size_t{places_[f].start} + places_[f].size++] = value; }
    void drop_last(uint32_t f) { --places_[f].size; }
    // Lists are looked up in no order: what is asked for early is there in time.
    void expect(uint32_t f) const { __builtin_prefetch(&places_[f]); }
    void expect_values(uint32_t f) const {
        constexpr uint32_t kLine = 64 / sizeof(T), kLines = 4;
        const T* values = values_.data() + places_[f].start;
        uint32_t size = std::min(places_[f].size, kLines * kLine);
        for (uint32_t i = 0; i < size; i += kLine) __builtin_prefetch(values + i);
    }
    void expect_end(uint32_t f) const {
        __builtin_prefetch(values_.data() + places_[f].start + places_[f].size, 1);
    }

  private:
    struct Place {
        uint32_t start, size;
    };
    LargeVector<Place> places_;
    LargeVector<T> values_;
};

// Where each feature of one row stands, in a table that is mostly free.
class PlaceTable {
  public:
    template <class Wanted>
    void fill(std::span<const uint32_t> features, Wanted wanted) {
        size_t room = std::bit_ceil(4 * features.size() + 16);
        slots_.assign(room, Slot{kFree, 0});
        shift_ = 32 - std::countr_zero(room);
        for (uint32_t place = 0; place < features.size(); ++place) {
            if (!wanted(features[place])) continue;
            size_t at = start(features[place]);
            while (slots_[at].feature != kFree) at = (at + 1) & (room - 1);
            slots_[at] = {features[place], place};
        }
    }
    // -1 where the row does not have the feature.
    int64_t find(uint32_t feature) const {
        for (size_t at = start(feature); slots_[at].feature != kFree; at = (at + 1) & (slots_.size() - 1))
            if (slots_[at].feature == feature) return slots_[at].place;
        return -1;
    }

  private:
    static constexpr uint32_t kFree = ~0u;
    struct Slot {
        uint32_t feature, place;
    };
    size_t start(uint32_t feature) const { return feature * 0x9E3779B9u >> shift_; }

    std::vector<Slot> slots_;
    int shift_ = 0;
};

// Sums by row, of which few are not 0.
template <class T>
class SparseSums {
  public:
    void resize(size_t rows) { sums_.resize(rows, 0); }
    void add(uint32_t row, T value) {
        T& sum = sums_[row];
        if (!sum) touched_.push_back(row);
        sum += value;
    }
    // Every row once that has a sum; afterwards none has.
    template <class Use>
    void drain(Use use) {
        for (uint32_t row : touched_) {
            T sum = sums_[row];
            sums_[row] = 0;
            if (sum) use(row, sum);
        }
        touched_.clear();
    }

  private:
    std::vector<T> sums_;
    std::vector<uint32_t> touched_;
};

class CosineJoin {
  public:
    // `frequency` says how many rows have each feature. Rows marked in `kept`, if any are, always become
    // anchors.
    CosineJoin(VectorRows rows, double threshold, ContainmentRule rule, std::span<const uint32_t> frequency,
               std::span<const uint8_t> kept, uint64_t dense, int threads)
        : rows_(rows),
          threshold_(threshold),
          rule_(rule),
          kept_(kept),
          dense_(dense),
          threads_(std::max(threads, 1)),
          rare_(rows_, threshold, rule_, frequency, threads_),
          lists_(rare_.room),
          prefixes_(rare_.prefix_room),
          least_((threshold - RareEntries::kHead * threshold - RareEntries::kSlack) * kUnit),
          degree_(rows.count(), 0),
          anchor_(rows.count(), 0),
          entries_(kChunk),
          desks_(static_cast<size_t>(threads_)) {
        for (Desk& desk : desks_) {
            desk.sums.resize(rows.count());
            if (rule_.is_on()) desk.parts.resize(rows.count());
        }
    }

    void run() {
        for (size_t begin = 0; begin < rows_.count(); begin += kChunk)
            chunk(static_cast<uint32_t>(begin),
                  static_cast<uint32_t>(std::min(rows_.count(), begin + kChunk)));
    }

    std::vector<WeightedPair> pairs;  // by the right, then by the left row
    uint64_t compared = 0;            // pairs that were multiplied out
    uint64_t absorbed = 0;            // rows paired with anchors only
    uint64_t not_enumerated = 0;      // about as many pairs of these were left out

  private:
    static constexpr size_t kChunk = 512;
    static constexpr double kUnit = IndexEntry::kUnit * IndexEntry::kUnit;  // of products
    static constexpr double kRounding = 1e-12;  // a pair at the threshold reaches it

    struct Posting {
        uint32_t row, weight;
    };

    struct Common {
        uint32_t place;  // in the row that others are held against
        double product;
    };

    // A feature of the row that others are held against: looked up once, not for each of them.
    struct LaidOut {
        double idf, weight;
        uint32_t rarity;
    };

    struct Ranked {
        uint64_t rank;
        uint32_t place;
    };

    struct Desk {
        RareEntries::Scratch scratch;
        SparseSums<uint32_t> sums;  // of products, by whole numbers, that no order shows
        SparseSums<uint64_t> parts;
        std::vector<uint32_t> chosen;
        std::vector<Common> common;
        PlaceTable table;               // of the row that others are held against, and of its features
        std::vector<LaidOut> laid_out;  // by place in the row
        std::vector<Ranked> by_rank;    // in order, once a pair asks for it
        std::vector<double> products;   // by place in the row, all of them 0
        Pace pace;
    };

    struct Work {
        std::vector<WeightedPair> found;
        uint64_t compared = 0;
        bool absorbed = false;
    };

    std::span<const uint32_t> features_of(uint32_t d) const {
        return rows_.features.subspan(static_cast<size_t>(rows_.begin(d)), rows_.size(d));
    }

    void chunk(uint32_t begin, uint32_t end) {
        stop_point();
        size_t size = end - begin;
        parallel_blocks(size, 8, threads_, [&](size_t first, size_t last, int worker) {
            for (size_t i = first; i < last; ++i)
                rare_.choose(begin + static_cast<uint32_t>(i), desks_[static_cast<size_t>(worker)].scratch,
                             entries_[i]);
        });
        for (uint32_t d = begin; d < end; ++d) enter(d, entries_[d - begin]);
        std::vector<Work> work(size);
        parallel_blocks(size, 8, threads_, [&](size_t first, size_t last, int worker) {
            for (size_t i = first; i < last; ++i)
                compare(begin + static_cast<uint32_t>(i), begin, work[i],
                        desks_[static_cast<size_t>(worker)]);
        });
        uint64_t before = absorbed;
        for (uint32_t d = begin; d < end; ++d) settle(d, begin, work);
        if (absorbed == before) return;
        for (uint32_t d = end; d-- > begin;) leave(entries_[d - begin]);
        for (uint32_t d = begin; d < end; ++d)
            if (!work[d - begin].absorbed) enter(d, entries_[d - begin]);
    }

    void enter(uint32_t d, const std::vector<IndexEntry>& entries) {
        for (size_t i = 0; i < entries.size(); ++i) {
            const IndexEntry& entry = entries[i];
            if (i + 16 < entries.size()) lists_.expect(entries[i + 16].feature);
            if (i + 8 < entries.size()) lists_.expect_end(entries[i + 8].feature);
            lists_.append(entry.feature, {d, entry.weight});
            if (entry.kinds & IndexEntry::kPrefix) prefixes_.append(entry.feature, d);
        }
    }

    void leave(const std::vector<IndexEntry>& entries) {
        for (const IndexEntry& entry : entries) {
            lists_.drop_last(entry.feature);
            if (entry.kinds & IndexEntry::kPrefix) prefixes_.drop_last(entry.feature);
        }
    }

    bool is_saturated(uint32_t e) const { return anchor_[e] && degree_[e] >= dense_; }

    // Saturated anchors first; if none of them is a pair with the row, everybody else.
    void compare(uint32_t d, uint32_t begin, Work& work, Desk& desk) const {
        desk.chosen.clear();
        choose(d, entries_[d - begin], desk);
        if (desk.chosen.empty()) return;
        lay_out(d, desk);
        auto rest = std::partition(desk.chosen.begin(), desk.chosen.end(),
                                   [&](uint32_t e) { return e < begin && is_saturated(e); });
        for (auto it = desk.chosen.begin(); it != rest; ++it) work.absorbed |= multiply(*it, d, work, desk);
        if (!kept_.empty() && kept_[d]) work.absorbed = false;
        for (auto it = rest; it != desk.chosen.end(); ++it)
            if (!work.absorbed || (*it < begin && anchor_[*it])) multiply(*it, d, work, desk);
        std::sort(work.found.begin(), work.found.end(),
                  [](const WeightedPair& a, const WeightedPair& b) { return a.left < b.left; });
    }

    // Makes a row ready for others to be held against it.
    void lay_out(uint32_t d, Desk& desk) const {
        std::span<const uint32_t> features = features_of(d);
        desk.table.fill(features, [&](uint32_t feature) { return !rare_.is_alone(feature); });
        desk.by_rank.clear();
        desk.laid_out.resize(features.size());
        for (uint32_t place = 0; place < features.size(); ++place) {
            const RareEntries::Facts& known = rare_.facts(features[place]);
            double weight = rows_.plain_weight(rows_.begin(d) + place, known.idf);
            desk.laid_out[place] = {known.idf, weight / rare_.lengths[d], known.rarity};
        }
    }

    // Earlier rows that may be a pair with this one.
    void choose(uint32_t d, const std::vector<IndexEntry>& entries, Desk& desk) const {
        for (size_t i = 0; i < entries.size(); ++i) {
            const IndexEntry& entry = entries[i];
            if (i + 16 < entries.size()) lists_.expect(entries[i + 16].feature);
            if (i + 8 < entries.size()) lists_.expect_values(entries[i + 8].feature);
            std::span<const Posting> list = lists_[entry.feature];
            desk.pace(list.size());
            for (const Posting& other : list) {
                if (other.row >= d) break;
                desk.sums.add(other.row, entry.weight * other.weight);
            }
            if (entry.kinds & IndexEntry::kPrefix)
                for (const Posting& other : list) {
                    if (other.row >= d) break;
                    desk.parts.add(other.row, rule_.rarity[entry.feature]);
                }
        }
        desk.sums.drain([&](uint32_t e, uint32_t product) {
            if (product >= least_ && product / kUnit + product_beyond(rare_.outlines[d], rare_.outlines[e]) >=
                                         threshold_ - RareEntries::kSlack)
                desk.chosen.push_back(e);
        });
        if (!rule_.is_on()) return;
        desk.parts.drain([&](uint32_t e, uint64_t part) {
            if (rare_.sums[d] <= rare_.sums[e] && may_be_contained(d, part)) desk.chosen.push_back(e);
        });
        for (const IndexEntry& entry : entries) {
            if (!(entry.kinds & IndexEntry::kListed)) continue;
            for (uint32_t e : prefixes_[entry.feature]) {
                if (e >= d) break;
                desk.pace();
                desk.parts.add(e, rule_.rarity[entry.feature]);
            }
        }
        desk.parts.drain([&](uint32_t e, uint64_t part) {
            if (rare_.sums[e] <= rare_.sums[d] && may_be_contained(e, part)) desk.chosen.push_back(e);
        });
        std::sort(desk.chosen.begin(), desk.chosen.end());
        desk.chosen.erase(std::unique(desk.chosen.begin(), desk.chosen.end()), desk.chosen.end());
    }

    // `part` is what another row has of the prefix.
    bool may_be_contained(uint32_t row, uint64_t part) const {
        return ContainmentRule::share_of(part + rare_.outlines[row].rest, rare_.sums[row]) >= rule_.share;
    }

    // True where the two are a pair. The features of `e` are looked up in those of `d`.
    bool multiply(uint32_t e, uint32_t d, Work& work, Desk& desk) const {
        desk.pace(rows_.size(e));
        ++work.compared;
        desk.common.clear();
        double about = 0;
        uint64_t part = 0;
        for (int64_t i = rows_.begin(e); i < rows_.end(e); ++i) {
            int64_t place = desk.table.find(rows_.features[i]);
            if (place < 0) continue;
            const LaidOut& mine = desk.laid_out[static_cast<size_t>(place)];
            double product = rows_.plain_weight(i, mine.idf) / rare_.lengths[e] * mine.weight;
            about += product;
            desk.common.push_back({static_cast<uint32_t>(place), product});
            part += mine.rarity;
        }
        double share = 0;
        bool holds = false;
        if (rule_.is_on()) {
            share = ContainmentRule::share_of(part, std::min(rare_.sums[e], rare_.sums[d]));
            holds = share >= rule_.share && may_hold(e, d);
        }
        if (!holds && about < threshold_ - RareEntries::kSlack) return false;
        double product = in_order(d, desk);
        bool is_pair = holds || product >= threshold_ - kRounding;
        if (is_pair) work.found.push_back({e, d, std::min(product, 1.0), share});
        return is_pair;
    }

    // Of two rows the lighter one may be contained, of equal ones either.
    bool may_hold(uint32_t a, uint32_t b) const {
        if (rare_.sums[a] == rare_.sums[b]) return rule_.eligible[a] || rule_.eligible[b];
        return rule_.eligible[rare_.sums[a] < rare_.sums[b] ? a : b];
    }

    // Products added up by the rank of their features, so that the sum is always the same.
    double in_order(uint32_t d, Desk& desk) const {
        std::span<const uint32_t> features = features_of(d);
        if (desk.by_rank.empty()) {
            for (uint32_t place = 0; place < features.size(); ++place)
                if (!rare_.is_alone(features[place]))
                    desk.by_rank.push_back({rows_.rank(features[place]), place});
            auto before = [](const Ranked& a, const Ranked& b) { return a.rank < b.rank; };
            if (!std::is_sorted(desk.by_rank.begin(), desk.by_rank.end(), before))
                std::sort(desk.by_rank.begin(), desk.by_rank.end(), before);
        }
        if (desk.products.size() < features.size()) desk.products.resize(features.size(), 0.0);
        for (const Common& shared : desk.common) desk.products[shared.place] = shared.product;
        double sum = 0;
        for (const Ranked& each : desk.by_rank) sum += desk.products[each.place];
        for (const Common& shared : desk.common) desk.products[shared.place] = 0;
        return sum;
    }

    void settle(uint32_t d, uint32_t begin, const std::vector<Work>& work) {
        const Work& mine = work[d - begin];
        compared += mine.compared;
        bool near_anchor = false;
        uint64_t most = 0;
        for (const WeightedPair& pair : mine.found) {
            // An absorbed row of the same chunk is compared with no later one.
            if (pair.left >= begin && work[pair.left - begin].absorbed) continue;
            pairs.push_back(pair);
            near_anchor |= anchor_[pair.left] != 0;
            most = std::max(most, ++degree_[pair.left]);
        }
        anchor_[d] = !near_anchor || (!kept_.empty() && kept_[d]);
        if (!mine.absorbed) return;
        ++absorbed;
        not_enumerated += most - std::min<uint64_t>(most, mine.found.size());
    }

    VectorRows rows_;
    double threshold_;
    ContainmentRule rule_;
    std::span<const uint8_t> kept_;
    uint64_t dense_;
    int threads_;
    RareEntries rare_;
    GrowingLists<Posting> lists_;
    GrowingLists<uint32_t> prefixes_;
    double least_;  // what the tails of a pair share at least
    std::vector<uint64_t> degree_;
    std::vector<uint8_t> anchor_;
    std::vector<std::vector<IndexEntry>> entries_;  // of the rows of a chunk
    std::vector<Desk> desks_;
};

}  // namespace twinset
