// Every pair of unit vectors whose scalar product reaches a threshold, or of which one holds enough of
// the other: exactly, and without being quadratic where many are alike.
//
// Bayardo, Ma, Srikant (WWW 2007) with the bounds of Anastasiu, Karypis (ICDE 2014): only tails are
// indexed (``cosine_rows.hpp``). A vector meets earlier ones in the lists of its own tail, rarest
// feature first; what the two share so far and the lengths up to the feature in hand bound their
// product, and whoever stays below the threshold is not looked at again. The rest is multiplied out in
// the order of the features.
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
#include <numeric>
#include <span>
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
    explicit GrowingLists(const std::vector<uint32_t>& room) : places_(room.size()) {
        uint64_t all = 0;
        for (size_t f = 0; f < room.size(); ++f) {
            places_[f] = {all, 0};
            all += room[f];
        }
        values_.resize(all);
    }
    std::span<const T> operator[](uint32_t f) const {
        return {values_.data() + places_[f].start, places_[f].size};
    }
    void append(uint32_t f, T value) { values_[places_[f].start + places_[f].size++] = value; }
    void drop_last(uint32_t f) { --places_[f].size; }
    // Lists are looked up in no order: what is asked for early is there in time.
    void expect(uint32_t f) const { __builtin_prefetch(&places_[f]); }
    void expect_values(uint32_t f) const { __builtin_prefetch(values_.data() + places_[f].start); }

  private:
    struct Place {
        uint64_t start, size;
    };
    LargeVector<Place> places_;
    LargeVector<T> values_;
};

// Where each feature of one row stands, in a table that is mostly free.
class PlaceTable {
  public:
    void fill(std::span<const uint32_t> features) {
        size_t room = std::bit_ceil(4 * features.size() + 16);
        slots_.assign(room, Slot{kFree, 0});
        shift_ = 32 - std::countr_zero(room);
        for (uint32_t place = 0; place < features.size(); ++place) {
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

class CosineJoin {
  public:
    static constexpr uint64_t kEndless = ~uint64_t{0};

    // Rows marked in `kept`, if any are, always become anchors.
    CosineJoin(VectorRows rows, double threshold, ContainmentRule rule, std::span<const uint8_t> kept,
               uint64_t dense, int threads)
        : rows_(rows),
          threshold_(threshold),
          rule_(rule),
          kept_(kept),
          dense_(dense),
          threads_(std::max(threads, 1)),
          rare_(rows_, threshold, rule_, threads_),
          tails_(room(rare_.tails.values, [](const TailEntry& entry) { return entry.feature; })),
          prefixes_(room(rare_.prefixes.values, [](uint32_t feature) { return feature; })),
          members_(room(rare_.members.values, [](uint32_t feature) { return feature; })),
          degree_(rows.count(), 0),
          anchor_(rows.count(), 0),
          desks_(static_cast<size_t>(threads_)) {
        for (Desk& desk : desks_) desk.met.resize(rows.count());
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
    static constexpr uint32_t kNever = ~0u;
    static constexpr float kOut = -1e9f;
    static constexpr double kFloatSlack = 1e-5;
    static constexpr double kRounding = 1e-12;  // a pair at the threshold reaches it

    struct Posting {
        uint32_t row;
        float weight, before;
    };

    // What is known of an earlier row: for whom it was met, what is shared so far, and the bound.
    struct Met {
        uint32_t by_tail = kNever, by_prefix = kNever;
        float bound = 0;
        double shared = 0;
    };

    struct Desk {
        std::vector<Met> met;
        std::vector<uint32_t> chosen;
        PlaceTable table;
        Pace pace;
    };

    struct Work {
        std::vector<WeightedPair> found;
        uint64_t compared = 0;
        bool absorbed = false;
    };

    template <class T, class Feature>
    std::vector<uint32_t> room(const std::vector<T>& entries, Feature feature) const {
        std::vector<uint32_t> room(rows_.dimensions, 0);
        for (const T& entry : entries) ++room[feature(entry)];
        return room;
    }

    void chunk(uint32_t begin, uint32_t end) {
        stop_point();
        for (uint32_t d = begin; d < end; ++d) enter(d);
        std::vector<Work> work(end - begin);
        parallel_blocks(work.size(), 8, threads_, [&](size_t first, size_t last, int worker) {
            for (size_t i = first; i < last; ++i)
                compare(begin + static_cast<uint32_t>(i), begin, work[i],
                        desks_[static_cast<size_t>(worker)]);
        });
        uint64_t before = absorbed;
        for (uint32_t d = begin; d < end; ++d) settle(d, begin, work);
        if (absorbed == before) return;
        for (uint32_t d = end; d-- > begin;) leave(d);
        for (uint32_t d = begin; d < end; ++d)
            if (!work[d - begin].absorbed) enter(d);
    }

    void enter(uint32_t d) {
        for (const TailEntry& entry : rare_.tails[d])
            tails_.append(entry.feature, {d, entry.weight, entry.before});
        for (uint32_t feature : rare_.prefixes[d]) prefixes_.append(feature, d);
        if (rule_.is_on())
            for (uint32_t feature : rare_.members[d]) members_.append(feature, d);
    }

    void leave(uint32_t d) {
        for (const TailEntry& entry : rare_.tails[d]) tails_.drop_last(entry.feature);
        for (uint32_t feature : rare_.prefixes[d]) prefixes_.drop_last(feature);
        if (rule_.is_on())
            for (uint32_t feature : rare_.members[d]) members_.drop_last(feature);
    }

    bool is_saturated(uint32_t e) const { return anchor_[e] && degree_[e] >= dense_; }

    // Saturated anchors first; if none of them is a pair with the row, everybody else.
    void compare(uint32_t d, uint32_t begin, Work& work, Desk& desk) const {
        desk.chosen.clear();
        choose_by_cosine(d, desk);
        if (rule_.is_on()) choose_by_containment(d, desk);
        if (desk.chosen.empty()) return;
        desk.table.fill(rows_.features.subspan(static_cast<size_t>(rows_.offsets[d]), rows_.size(d)));
        auto rest = std::partition(desk.chosen.begin(), desk.chosen.end(),
                                   [&](uint32_t e) { return e < begin && is_saturated(e); });
        for (auto it = desk.chosen.begin(); it != rest; ++it) work.absorbed |= multiply(*it, d, work, desk);
        if (!kept_.empty() && kept_[d]) work.absorbed = false;
        for (auto it = rest; it != desk.chosen.end(); ++it)
            if (!work.absorbed || (*it < begin && anchor_[*it])) multiply(*it, d, work, desk);
        std::sort(work.found.begin(), work.found.end(),
                  [](const WeightedPair& a, const WeightedPair& b) { return a.left < b.left; });
    }

    void choose_by_cosine(uint32_t d, Desk& desk) const {
        std::span<const TailEntry> mine = rare_.tails[d];
        for (size_t at = mine.size(); at-- > 0;) {
            const TailEntry& entry = mine[at];
            if (at >= 16) tails_.expect(mine[at - 16].feature);
            if (at >= 8) tails_.expect_values(mine[at - 8].feature);
            for (const Posting& other : tails_[entry.feature]) {
                if (other.row >= d) break;
                desk.pace();
                Met& met = desk.met[other.row];
                bool first = met.by_tail != d;
                if (first) met.by_tail = d, met.shared = 0, met.bound = 0;
                if (met.bound == kOut) continue;
                met.shared += double{entry.weight} * other.weight;
                double bound = met.shared + double{entry.before} * other.before;
                met.bound = bound < threshold_ - kFloatSlack ? kOut : static_cast<float>(bound);
                if (first && met.bound != kOut) desk.chosen.push_back(other.row);
            }
        }
        std::erase_if(desk.chosen, [&](uint32_t e) { return desk.met[e].bound == kOut; });
    }

    void choose_by_containment(uint32_t d, Desk& desk) const {
        auto take = [&](uint32_t e) {
            Met& met = desk.met[e];
            if (met.by_prefix == d) return;
            met.by_prefix = d;
            if (met.by_tail != d || met.bound == kOut) desk.chosen.push_back(e);
        };
        for (uint32_t feature : rare_.prefixes[d])
            for (uint32_t e : members_[feature]) {
                if (e >= d) break;
                desk.pace();
                if (rule_.sums[d] <= rule_.sums[e]) take(e);
            }
        for (uint32_t feature : rare_.members[d])
            for (uint32_t e : prefixes_[feature]) {
                if (e >= d) break;
                desk.pace();
                if (rule_.sums[e] <= rule_.sums[d]) take(e);
            }
    }

    // True where the two are a pair. The features of `e` are looked up in those of `d`, in their order.
    bool multiply(uint32_t e, uint32_t d, Work& work, Desk& desk) const {
        desk.pace(rows_.size(e));
        ++work.compared;
        double product = 0;
        uint64_t common = 0;
        for (int64_t i = rows_.offsets[e]; i < rows_.offsets[e + 1]; ++i) {
            uint32_t feature = rows_.features[i];
            int64_t place = desk.table.find(feature);
            if (place < 0) continue;
            product += rows_.weights[i] * rows_.weights[rows_.offsets[d] + place];
            if (rule_.is_on()) common += rule_.rarity[feature];
        }
        double share = 0;
        bool is_pair = product >= threshold_ - kRounding;
        if (rule_.is_on()) {
            share = rule_.share_of(common, std::min(rule_.sums[e], rule_.sums[d]));
            is_pair |= share >= rule_.share && rule_.may_hold(e, d);
        }
        if (is_pair) work.found.push_back({e, d, std::min(product, 1.0), share});
        return is_pair;
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
    GrowingLists<Posting> tails_;
    GrowingLists<uint32_t> prefixes_, members_;
    std::vector<uint64_t> degree_;
    std::vector<uint8_t> anchor_;
    std::vector<Desk> desks_;
};

}  // namespace twinset
