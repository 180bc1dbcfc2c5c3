// AFOPT: maximal sets by trees in ascending order of frequency.
//
// G. Liu, H. Lu, J. X. Yu, W. Wei, X. Xiao, "AFOPT: an efficient implementation of pattern growth
// approach", FIMI 2003. Items are taken the rarest first, and the lines of the first item are at
// hand as the first subtree: the tree is gone through from the top, each subtree being counted,
// rebuilt in its own ascending order and searched, and then pushed right, merged into the subtrees
// of its next items. Trees serve dense data, arrays sparse data (mine_afopt_trees.hpp). Maximal sets
// are found with two lookaheads at every head and the items that are frequent with it:
//   - all of them are part of a known set (progressive focusing, mine_focus.hpp): nothing is new;
//   - enough lines hold all of them: they are the only maximal set below this head.
// An item in all lines of the head joins the head. A step is a node of a tree, or the line of an
// array, that is counted or moved.
#pragma once
#include <deque>

#include "mine_afopt_trees.hpp"
#include "mine_focus.hpp"

namespace twinset::mine {

class Afopt {
  public:
    Afopt(const Transactions& from, int32_t support, bool prune)
        : data_(from, support, Order::rarest_first),
          support_(support),
          prune_(prune),
          focus_(data_.ranks()) {}

    MinedSets run() {
        Level& root = level_at(0);
        root.counts = data_.supports;
        root.places.resize(data_.ranks());
        std::iota(root.places.begin(), root.places.end(), 0);
        counts_.assign(data_.ranks(), 0);
        map_.assign(data_.ranks(), -1);
        root.choose(data_.items.size(), data_.lines());
        for (size_t line = 0; line < data_.lines(); ++line) {
            root.insert(data_[line], data_.weights[line]);
            pace_(data_[line].size() + 1);
        }
        search();
        return focus_.finish(data_.item_of, steps_);
    }

  private:
    // The conditional database of a head. Its items go by their order here, the rarest first.
    struct Level {
        bool dense = false;
        AfoptTree tree;
        AfoptArrays arrays;
        std::vector<int32_t> places;  // what the items are called at the first level
        std::vector<int32_t> counts;  // of the lines that hold the head and each item
        size_t before = 0;            // length of the head above
        int32_t next = 0;             // the item to search
        bool whole = false;           // no item of the level above was lost
        Focus::List known;            // sets that hold the head
        uint32_t sets = 0;            // how many there were when the search came here

        // Takes the form for lines of so many items in all.
        void choose(size_t items, size_t lines) {
            dense = items >= lines * places.size() / kSparse && items < INT32_MAX / 2;
            dense ? tree.clear(places.size()) : arrays.clear(places.size());
        }
        void insert(std::span<const int32_t> line, int32_t weight) {
            dense ? tree.insert(line, weight) : arrays.insert(line, weight);
        }
        size_t push_right(int32_t item) { return dense ? tree.push_right(item) : arrays.push_right(item); }
        template <class See>
        size_t count(int32_t item, See see) {
            return dense ? tree.count(item, see) : arrays.count(item, see);
        }
        template <class Line>
        void lines(int32_t item, const std::vector<int32_t>& map, Line line) {
            dense ? tree.lines(item, map, line) : arrays.lines(item, map, line);
        }
        bool finished() const { return static_cast<size_t>(next) == places.size(); }
    };
    static constexpr size_t kSparse = 10;  // a tree is used where a line holds a tenth of the items

    Level& level_at(size_t depth) {
        if (levels_.size() <= depth) levels_.emplace_back();
        return levels_[depth];
    }

    void search() {
        size_t depth = 1;
        while (true) {
            if (levels_[depth - 1].finished()) {
                if (depth == 1) return;
                depth = leave(depth, false);
                continue;
            }
            level_at(depth);
            Level &level = levels_[depth - 1], &child = levels_[depth];
            extend(level, child, depth == 1);
            if (looks_ahead(level, child)) {
                depth = leave(depth + 1, true);
            } else {
                build(child);
                ++depth;
            }
        }
    }

    // Back to the level above, and on where that one is known to be done: if all items that follow
    // are frequent together, none of them begins another maximal set.
    size_t leave(size_t depth, bool frequent) {
        while (true) {
            Level &child = levels_[depth - 1], &level = levels_[depth - 2];
            head_.resize(child.before);
            steps_ += level.push_right(level.next - 1);
            if (--depth == 1) return depth;
            focus_.take_over(child.sets, level.known);
            if (!(prune_ && frequent && child.whole)) return depth;
            frequent = level.next == 1;
        }
    }

    // Adds the next item of a level to the head and finds the items that are frequent with it.
    void extend(Level& level, Level& child, bool first) {
        int32_t item = level.next++;
        touched_.clear();
        size_t entries = 0;
        size_t nodes = level.count(item, [&](int32_t other, int32_t weight) {
            if (counts_[other] == 0) touched_.push_back(other);
            counts_[other] += weight;
            ++entries;
        });
        steps_ += nodes;
        pace_(entries + nodes);
        std::erase_if(touched_, [&](int32_t other) {
            bool rare = counts_[other] < support_;
            if (rare) counts_[other] = 0;
            return rare;
        });
        std::ranges::sort(touched_, {}, [&](int32_t other) { return std::pair(counts_[other], other); });
        child.whole = touched_.size() == level.places.size() - item - 1;
        child.before = head_.size();
        child.next = 0;
        child.places.clear();
        child.counts.clear();
        if (first) focus_.enter(item, touched_, above_);
        else head_.push_back(level.places[item]);
        for (size_t i = 0; i < touched_.size(); ++i) {
            int32_t other = touched_[i], count = std::exchange(counts_[other], 0);
            int32_t place = first ? static_cast<int32_t>(i) : level.places[other];
            if (prune_ && count == level.counts[item]) {
                head_.push_back(place);
            } else {
                map_[other] = static_cast<int32_t>(child.places.size());
                child.places.push_back(place);
                child.counts.push_back(count);
            }
        }
        focus_.narrow(first ? above_ : level.known, std::span(head_).subspan(child.before), child.known);
        child.sets = focus_.size();
    }

    // Whether nothing is left to search below a head; gathers its lines otherwise.
    bool looks_ahead(Level& level, const Level& child) {
        if (prune_ && focus_.holds(child.known, child.places)) return forget();
        int32_t item = level.next - 1;
        if (child.places.empty()) {
            if (child.known.empty()) focus_.add(head_, {}, level.counts[item]);
            return forget();
        }
        lines_.clear();
        gathered_.clear();
        int32_t full = 0;
        level.lines(item, map_, [&](std::span<const int32_t> line, int32_t weight) {
            gathered_.insert(gathered_.end(), line.begin(), line.end());
            std::sort(gathered_.end() - static_cast<ptrdiff_t>(line.size()), gathered_.end());
            lines_.push_back({line.size(), weight});
            if (line.size() == child.places.size()) full += weight;
            pace_(2 * line.size());
        });
        forget();
        if (!prune_ || full < support_) return false;
        focus_.add(head_, child.places, full);
        return true;
    }

    bool forget() {
        for (int32_t other : touched_) map_[other] = -1;
        return true;
    }

    void build(Level& child) {
        child.choose(gathered_.size(), lines_.size());
        size_t begin = 0;
        for (auto [length, weight] : lines_) {
            child.insert(std::span(gathered_).subspan(begin, length), weight);
            begin += length;
        }
        pace_(gathered_.size() + lines_.size());
    }

    Database data_;
    int32_t support_;
    bool prune_;
    Focus focus_;
    std::deque<Level> levels_;
    std::vector<int32_t> counts_, map_;  // per item of a level: 0 and -1 between uses
    std::vector<int32_t> touched_;
    std::vector<int32_t> head_;  // places, without the first item
    std::vector<int32_t> gathered_;
    std::vector<std::pair<size_t, int32_t>> lines_;  // length and weight
    Focus::List above_;
    uint64_t steps_ = 0;
    Pace pace_;
};

inline MinedSets mine_afopt(const Transactions& from, int32_t support, Target, bool prune) {
    return Afopt(from, support, prune).run();
}

}  // namespace twinset::mine
