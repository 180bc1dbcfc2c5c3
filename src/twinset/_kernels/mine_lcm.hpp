// LCM: T. Uno, M. Kiyomi, H. Arimura, "LCM ver. 2: efficient mining algorithms for
// frequent/closed/maximal itemsets", FIMI 2004.
//
// Every closed set but the least has one parent, of which it is the prefix-preserving closure
// extension (ppc): the closure of P with an item e beyond the last item that made P, where the
// closure adds nothing before e. So each is reached once, and nothing that was found is kept.
//
//   lcm(P, core):  for e > core, frequent in the lines of P:
//                      Q = closure(P + e);  if Q has no new item before e:  report Q;  lcm(Q, e)
//
// The lines of P are a database of their own (database reduction): frequent items only, lines equal
// beyond core merged; of the items before core, which only that test looks at, a merged line keeps
// those that all its lines have. Where few items are left, lines are masks (mine_lcm_dense.hpp).
// Items are ranked from the rarest, so that most databases are small. A step is one closure.
// Without `prune` all frequent sets are walked through, and those that are closed reported.
#pragma once
#include <memory>

#include "mine_lcm_dense.hpp"

namespace twinset::mine {

class Lcm {
  public:
    Lcm(const Transactions& from, int32_t support, bool prune)
        : task_{support, prune, {}, {}},
          database_(from, support, Order::rarest_first),
          counts_(database_.ranks(), 0),
          code_(database_.ranks(), -1),
          touched_(database_.ranks() + 1),
          one_(task_),
          two_(task_) {}

    MinedSets run() {
        Lines lines;
        lines.offsets = std::move(database_.offsets);
        lines.items = std::move(database_.items);
        lines.weights = std::move(database_.weights);
        extend_nothing(lines);
        return std::move(task_.sets);
    }

  private:
    static constexpr size_t kAhead = 4;  // lines that are fetched before they are counted

    struct Lines {
        std::vector<int64_t> offsets{0};
        std::vector<int32_t> items;
        std::vector<int32_t> weights;
        std::span<const int32_t> operator[](size_t line) const {
            return std::span(items).subspan(offsets[line], offsets[line + 1] - offsets[line]);
        }
    };

    // The items that may be added to a set, and those that its closures must not have, ascending.
    struct Relevant {
        std::vector<int32_t> watch, rest;
    };

    // An item of the lines of another one, and how many lines have both.
    struct Together {
        int32_t item, lines;
    };

    // The same of an item before another one, in a list for each item.
    struct Earlier {
        int32_t item, lines;
        int64_t next;
    };

    void extend(const Lines& lines, int32_t core) {
        std::vector<int32_t> items;
        Lines holders = occurrences(lines, core, items);
        for (size_t at = 0; at < items.size(); ++at) {
            int32_t sum = 0;
            for (int32_t line : holders[at]) sum += lines.weights[line];
            if (sum < task_.support) continue;
            count(lines, holders[at], lines.offsets);
            extend_by(lines, items[at], holders[at], sum);
        }
    }

    // The same for the empty set, whose items are all ranks. Lines are read from the item on: those
    // before it have met it when it was their turn, and are remembered for it. An item that has
    // another one before it in all its lines need not be: that one is remembered wherever it would.
    void extend_nothing(const Lines& lines) {
        std::vector<int32_t> items;
        Lines holders = occurrences(lines, -1, items);
        std::vector<int64_t> places(lines.offsets.begin(), lines.offsets.end() - 1);
        std::vector<int64_t> latest(items.size(), -1);
        std::vector<Earlier> earlier;
        for (int32_t item : items) {
            int32_t sum = database_.supports[item];
            bool reached = false;
            for (int64_t at = latest[item]; at >= 0; at = earlier[at].next)
                reached |= earlier[at].lines == sum;
            for (int32_t line : holders[item]) ++places[line];
            if (reached && task_.prune) {
                ++task_.sets.steps;
                continue;
            }
            count(lines, holders[item], places);
            size_t later = together_.size();
            for (int64_t at = latest[item]; at >= 0; at = earlier[at].next)
                together_.push_back({earlier[at].item, earlier[at].lines});
            for (size_t i = 0; i < later; ++i) {
                int64_t& last = latest[together_[i].item];
                earlier.push_back({item, together_[i].lines, last});
                last = static_cast<int64_t>(earlier.size()) - 1;
            }
            extend_by(lines, item, holders[item], sum);
        }
    }

    // `together_` holds what is frequent in the lines of the item.
    void extend_by(const Lines& lines, int32_t item, std::span<const int32_t> holders, int32_t sum) {
        ++task_.sets.steps;
        size_t before = task_.prefix.size();
        task_.prefix.push_back(database_.item_of[item]);
        Relevant relevant;
        bool preserved = true;
        for (auto [other, together] : together_) {
            if (other == item) continue;
            bool always = together == sum;
            if (always && (other < item || !task_.prune)) preserved = false;
            if (always && other > item && task_.prune) task_.prefix.push_back(database_.item_of[other]);
            else (other < item ? relevant.watch : relevant.rest).push_back(other);
        }
        if (preserved) task_.sets.add(task_.prefix, sum);
        if ((preserved || !task_.prune) && !relevant.rest.empty()) descend(lines, item, holders, relevant);
        task_.prefix.resize(before);
    }

    void descend(const Lines& lines, int32_t item, std::span<const int32_t> holders,
                 const Relevant& relevant) {
        size_t bits = relevant.watch.size() + relevant.rest.size();
        if (bits <= 64) return descend_dense(one_, lines, holders, relevant);
        if (bits <= 128) return descend_dense(two_, lines, holders, relevant);
        extend(reduced(lines, item, holders, relevant), item);
    }

    template <class Dense>
    void descend_dense(Dense& dense, const Lines& lines, std::span<const int32_t> holders,
                       const Relevant& relevant) {
        typename Dense::Bits live, watch;
        std::vector<int32_t> item_of;
        for (const auto* part : {&relevant.watch, &relevant.rest})
            for (int32_t item : *part) {
                (part == &relevant.watch ? watch : live).set(static_cast<int>(item_of.size()));
                code_[item] = static_cast<int32_t>(item_of.size());
                item_of.push_back(database_.item_of[item]);
            }
        typename Dense::Lines masks;
        for (int32_t line : holders) {
            typename Dense::Bits mask;
            for (int32_t item : lines[line])
                if (code_[item] >= 0) mask.set(code_[item]);
            masks.masks.push_back(mask);
            masks.weights.push_back(lines.weights[line]);
        }
        for (const auto* part : {&relevant.watch, &relevant.rest})
            for (int32_t item : *part) code_[item] = -1;
        dense.run(masks, item_of, live, watch);
    }

    // Occurrence deliver: for each item beyond core its lines.
    Lines occurrences(const Lines& lines, int32_t core, std::vector<int32_t>& items) {
        Pace pace;
        for (int32_t item : lines.items)
            if (item > core && counts_[item]++ == 0) items.push_back(item);
        std::sort(items.begin(), items.end());
        Lines holders;
        for (int32_t item : items) {
            holders.offsets.push_back(holders.offsets.back() + counts_[item]);
            counts_[item] = static_cast<int32_t>(holders.offsets.size()) - 2;
        }
        holders.items.resize(holders.offsets.back());
        std::vector<int64_t> next(holders.offsets.begin(), holders.offsets.end() - 1);
        for (size_t line = 0; line < lines.weights.size(); ++line) {
            for (int32_t item : lines[line])
                if (item > core) holders.items[next[counts_[item]]++] = static_cast<int32_t>(line);
            pace(lines[line].size());
        }
        for (int32_t item : items) counts_[item] = 0;
        return holders;
    }

    // What is frequent in these lines, each read from its place on, ascending.
    void count(const Lines& lines, std::span<const int32_t> holders, std::span<const int64_t> places) {
        size_t touched = 0;
        for (size_t at = 0; at < holders.size(); ++at) {
            if (at + kAhead < holders.size())
                __builtin_prefetch(lines.items.data() + places[holders[at + kAhead]]);
            int32_t line = holders[at], weight = lines.weights[line];
            for (int64_t place = places[line]; place < lines.offsets[line + 1]; ++place) {
                int32_t item = lines.items[place];
                touched_[touched] = item;
                touched += counts_[item] == 0;
                counts_[item] += weight;
            }
            pace_(lines.offsets[line + 1] - places[line] + 1);
        }
        together_.clear();
        for (int32_t item : std::span<const int32_t>(touched_).first(touched)) {
            if (counts_[item] >= task_.support) together_.push_back({item, counts_[item]});
            counts_[item] = 0;
        }
        std::ranges::sort(together_, {}, &Together::item);
    }

    Lines reduced(const Lines& lines, int32_t core, std::span<const int32_t> holders,
                  const Relevant& relevant) {
        for (int32_t item : relevant.watch) code_[item] = 0;
        for (int32_t item : relevant.rest) code_[item] = 0;
        size_t slots = 16;
        while (slots < 2 * holders.size()) slots *= 2;
        std::vector<int32_t> table(slots, -1);
        Lines to;
        std::vector<size_t> starts;  // where the items beyond core begin in each new line
        std::vector<int32_t> own;
        for (int32_t line : holders) {
            own.clear();
            size_t start = 0;
            for (int32_t item : lines[line])
                if (code_[item] == 0) {
                    own.push_back(item);
                    start += item < core;
                }
            if (start == own.size()) continue;
            uint64_t hash = own.size() - start;
            for (size_t i = start; i < own.size(); ++i)
                hash = (hash ^ own[i]) * 0x9E3779B97F4A7C15 + (hash >> 29);
            size_t slot = (hash ^ hash >> 32) & (slots - 1);
            std::span<const int32_t> key = std::span<const int32_t>(own).subspan(start);
            auto differs = [&](int32_t other) {
                return !std::ranges::equal(to[other].subspan(starts[other]), key);
            };
            while (table[slot] >= 0 && differs(table[slot])) slot = (slot + 1) & (slots - 1);
            if (table[slot] >= 0) {
                to.weights[table[slot]] += lines.weights[line];
                intersect_prefix(to, table[slot], starts[table[slot]], std::span(own).first(start));
            } else {
                table[slot] = static_cast<int32_t>(to.weights.size());
                to.items.insert(to.items.end(), own.begin(), own.end());
                to.offsets.push_back(static_cast<int64_t>(to.items.size()));
                to.weights.push_back(lines.weights[line]);
                starts.push_back(start);
            }
            pace_(own.size() + 8);
        }
        for (int32_t item : relevant.watch) code_[item] = -1;
        for (int32_t item : relevant.rest) code_[item] = -1;
        drop_gaps(to);
        return to;
    }

    // Items that leave the prefix become -1, since the lines behind stay where they are.
    static void intersect_prefix(Lines& lines, size_t line, size_t size, std::span<const int32_t> other) {
        int32_t* prefix = lines.items.data() + lines.offsets[line];
        for (size_t i = 0; i < size; ++i)
            if (prefix[i] >= 0 && !std::binary_search(other.begin(), other.end(), prefix[i])) prefix[i] = -1;
    }

    static void drop_gaps(Lines& lines) {
        size_t to = 0, from = 0;
        for (size_t line = 0; line < lines.weights.size(); ++line) {
            for (; from < static_cast<size_t>(lines.offsets[line + 1]); ++from)
                if (lines.items[from] >= 0) lines.items[to++] = lines.items[from];
            lines.offsets[line + 1] = static_cast<int64_t>(to);
        }
        lines.items.resize(to);
    }

    LcmTask task_;
    Database database_;
    std::vector<int32_t> counts_;   // by rank, all 0 between uses
    std::vector<int32_t> code_;     // by rank, all -1 between uses
    std::vector<int32_t> touched_;  // ranks whose count is not 0, and room for one more
    std::vector<Together> together_;
    LcmDense<1> one_;
    LcmDense<2> two_;
    Pace pace_;
};

inline MinedSets lcm(const Transactions& from, int32_t support, Target, bool prune) {
    return Lcm(from, support, prune).run();
}

}  // namespace twinset::mine
