// MAFIA: maximal sets by vertical bitmaps.
//
// D. Burdick, M. Calimlim, J. Gehrke, "MAFIA: a maximal frequent itemset algorithm for transactional
// databases", ICDE 2001, with the local sets of its study at FIMI 2003. A node of the search is a
// head, a set of items, and a tail, the items that may still be added. A bitmap tells for each item
// of the tail the lines that hold it and the head; the bitmap of a child is an intersection. Four
// things keep the search short:
//   - dynamic reordering: the tail holds frequent items only, the rarest first;
//   - parent equivalence (PEP): an item in all lines of the head joins the head;
//   - FHUT: where head and tail together are frequent, nothing else below the node is maximal;
//   - HUTMFI: where head and tail are part of a known set, nothing below the node is new.
// Bitmaps are projected to the lines of the head, at the first item always and deeper down where the
// counting that it saves is more than it costs. A step is the count of one item with one head.
#pragma once
#include <deque>

#include "mine_focus.hpp"
#include "mine_lines.hpp"

namespace twinset::mine {

class Mafia {
  public:
    Mafia(const Transactions& from, int32_t support, bool prune)
        : data_(from, support, Order::rarest_first),
          support_(support),
          prune_(prune),
          focus_(data_.ranks()),
          lines_(data_) {}

    MinedSets run() {
        counts_.assign(data_.ranks(), 0);
        for (int32_t rank = 0; rank < data_.ranks(); ++rank) search(rank);
        return focus_.finish(data_.item_of, steps_);
    }

  private:
    struct Node {
        std::vector<int32_t> tail;    // places, the rarest first
        std::vector<int32_t> counts;  // of the lines that hold the head and each of them
        std::vector<uint64_t> maps;   // these lines
        std::vector<uint32_t> slots;  // where in `maps`
        size_t words = 0;
        int32_t support = 0;  // of the head
        size_t before = 0;    // length of the head above
        size_t next = 0;      // the child to enter
        bool whole = false;   // no item of the parent's tail was lost
        Focus::List known;    // sets that hold the head
        uint32_t sets = 0;    // how many there were when the search came here

        const uint64_t* map(size_t i) const { return &maps[slots[i] * words]; }
    };

    // All maximal sets whose first item is this one.
    void search(int32_t rank) {
        head_.clear();
        Node& node = node_at(0);
        enter(rank, node);
        size_t depth = 1;
        bool frequent = is_done(node);  // head and tail together are known to be frequent
        if (frequent) return;
        while (depth > 0) {
            Node& here = nodes_[depth - 1];
            if (here.next < here.tail.size()) {
                Node& child = node_at(depth++);
                descend(nodes_[depth - 2], child);
                if (!is_done(child)) continue;
                frequent = true;
            } else {
                frequent = false;
            }
            depth = leave(depth, frequent);
        }
    }

    // Back to a node with children to enter: where a child lost nothing and all of it is frequent,
    // its later siblings lie inside it.
    size_t leave(size_t depth, bool frequent) {
        while (true) {
            Node& child = nodes_[--depth];
            head_.resize(child.before);
            if (depth == 0) return 0;
            Node& parent = nodes_[depth - 1];
            focus_.take_over(child.sets, parent.known);
            if (!(prune_ && frequent && child.whole)) return depth;
            frequent = parent.next == 1;
        }
    }

    Node& node_at(size_t depth) {
        if (nodes_.size() <= depth) nodes_.emplace_back();
        return nodes_[depth];
    }

    // The node of one item: counts what follows it in its lines and projects the bitmaps to these.
    void enter(int32_t rank, Node& node) {
        touched_.clear();
        for (int32_t line : lines_[rank]) {
            auto items = data_[line];
            for (size_t i = items.size(); i-- > 0 && items[i] > rank;) {
                if (counts_[items[i]] == 0) touched_.push_back(items[i]);
                counts_[items[i]] += data_.weights[line];
            }
            pace_(items.size());
        }
        steps_ += touched_.size();
        ranks_.clear();
        for (int32_t item : touched_)
            if (counts_[item] >= support_) ranks_.push_back(item);
        std::ranges::sort(ranks_, {}, [&](int32_t item) { return std::pair(counts_[item], item); });
        node.support = data_.supports[rank];
        node.before = node.next = 0;
        node.words = words_for(node.support);
        node.tail.clear();
        node.counts.clear();
        node.slots.clear();
        for (size_t place = 0; place < ranks_.size(); ++place) {
            int32_t count = counts_[ranks_[place]];
            keep(node, static_cast<int32_t>(place), count, static_cast<uint32_t>(place));
        }
        for (int32_t item : touched_) counts_[item] = 0;
        draw(rank, node);
        focus_.enter(rank, ranks_, above_);
        focus_.narrow(above_, head_, node.known);
        node.sets = focus_.size();
    }

    void keep(Node& node, int32_t place, int32_t count, uint32_t slot) {
        if (prune_ && count == node.support) {
            head_.push_back(place);
            return;
        }
        node.tail.push_back(place);
        node.counts.push_back(count);
        node.slots.push_back(slot);
    }

    // Sets the bits: a line of a certain weight is that many lines.
    void draw(int32_t rank, Node& node) {
        node.maps.assign(node.words * ranks_.size(), 0);
        if (node.tail.empty()) return;
        for (size_t place = 0; place < ranks_.size(); ++place) place_of(ranks_[place]) = place + 1;
        size_t row = 0;
        for (int32_t line : lines_[rank]) {
            auto items = data_[line];
            for (size_t i = items.size(); i-- > 0 && items[i] > rank;) {
                int32_t place = place_of(items[i]) - 1;
                if (place < 0) continue;
                for (int32_t copy = 0; copy < data_.weights[line]; ++copy)
                    set_bit(&node.maps[place * node.words], row + copy);
            }
            row += data_.weights[line];
            pace_(items.size());
        }
        for (int32_t item : ranks_) place_of(item) = 0;
    }
    int32_t& place_of(int32_t rank) { return counts_[rank]; }

    // The next child of a node.
    void descend(Node& node, Node& child) {
        size_t i = node.next++;
        size_t rest = node.tail.size() - i - 1;
        child.before = head_.size();
        child.next = 0;
        child.support = node.counts[i];
        child.words = node.words;
        child.tail.clear();
        child.counts.clear();
        child.slots.clear();
        child.maps.resize(rest * node.words);
        head_.push_back(node.tail[i]);
        order_.clear();
        uint32_t slot = 0;
        for (size_t j = i + 1; j < node.tail.size(); ++j) {
            int32_t count = intersect(node.map(i), node.map(j), &child.maps[slot * node.words], node.words);
            if (count >= support_) order_.push_back({count, node.tail[j], slot++});
        }
        steps_ += rest;
        pace_(rest * (node.words + 4));
        child.whole = order_.size() == rest;
        std::ranges::sort(order_, {}, [](const Counted& item) { return std::pair(item.count, item.place); });
        for (const Counted& item : order_) keep(child, item.place, item.count, item.slot);
        project(node.map(i), child);
        focus_.narrow(node.known, std::span(head_).subspan(child.before), child.known);
        child.sets = focus_.size();
    }

    // Reduces the bitmaps of a node to the lines of its head, where that pays.
    void project(const uint64_t* lines, Node& node) {
        size_t words = words_for(node.support), kept = node.tail.size();
        if ((node.words - words) * kept < 2 * static_cast<size_t>(node.support)) return;
        places_.clear();
        for (size_t w = 0; w < node.words; ++w)
            for (uint64_t bits = lines[w]; bits; bits &= bits - 1)
                places_.push_back(static_cast<int32_t>(64 * w + std::countr_zero(bits)));
        projected_.resize(kept * words);
        for (size_t i = 0; i < kept; ++i) {
            compress(node.map(i), places_, &projected_[i * words]);
            node.slots[i] = static_cast<uint32_t>(i);
        }
        node.words = words;
        node.maps.swap(projected_);
    }

    // Whether nothing is left to search below a node; a set that is found here is taken in.
    bool is_done(const Node& node) {
        if (prune_ && focus_.holds(node.known, node.tail)) return true;
        if (!node.tail.empty()) return false;
        if (node.known.empty()) focus_.add(head_, {}, node.support);
        return true;
    }

    struct Counted {
        int32_t count;
        int32_t place;
        uint32_t slot;
    };

    Database data_;
    int32_t support_;
    bool prune_;
    Focus focus_;
    LinesOf lines_;
    std::vector<int32_t> counts_;  // per rank, 0 between uses
    std::vector<int32_t> touched_, ranks_, places_;
    std::vector<int32_t> head_;  // places, without the first item
    std::vector<Counted> order_;
    std::vector<uint64_t> projected_;
    Focus::List above_;
    std::deque<Node> nodes_;
    uint64_t steps_ = 0;
    Pace pace_;
};

inline MinedSets mine_mafia(const Transactions& from, int32_t support, Target, bool prune) {
    return Mafia(from, support, prune).run();
}

}  // namespace twinset::mine
