// The two forms of AFOPT's conditional databases: prefix trees and arrays.
//
// Both hold lines of places, ascending, so that the lines of the first item are at hand as they
// are. Once that item is done, its lines go over to their next item: they are pushed right.
#pragma once
#include "mine_types.hpp"

namespace twinset::mine {

// For dense data. A branch that does not fork is an array; a node is such an array with what
// follows it. `sibling` leads to the nodes beside, ascending by their first place.
class AfoptTree {
  public:
    void clear(size_t places) {
        nodes_.clear();
        run_.clear();
        first_.assign(places, kNone);
    }

    void insert(std::span<const int32_t> line, int32_t weight) {
        auto begin = static_cast<int32_t>(run_.size());
        run_.insert(run_.end(), line.begin(), line.end());
        auto number = static_cast<int32_t>(nodes_.size());
        nodes_.push_back({begin, static_cast<int32_t>(line.size()), weight, kNone, kNone});
        absorbed_ = kNone;
        plant(number);
        if (absorbed_ == number && nodes_.size() == static_cast<size_t>(number) + 1) {  // it left nothing
            nodes_.pop_back();
            run_.resize(begin);
        }
    }

    // Calls see(place, weight) for all places after `place` in its lines; gives the nodes seen.
    template <class See>
    size_t count(int32_t place, See see) {
        size_t nodes = 0;
        for_all_below(place, [&](const Node& node, int32_t skip) {
            for (int32_t i = skip; i < node.length; ++i) see(run_[node.begin + i], node.weight);
            ++nodes;
        });
        return nodes;
    }

    // Calls line(places, weight) for the lines of a place, reduced and renumbered by `map`.
    template <class Line>
    void lines(int32_t place, const std::vector<int32_t>& map, Line line) {
        path_.clear();
        stack_.clear();
        if (first_[place] != kNone) stack_.push_back({first_[place], 0});
        bool at_top = true;
        while (!stack_.empty()) {
            auto [number, length] = stack_.back();
            stack_.pop_back();
            path_.resize(length);
            const Node& node = nodes_[number];
            for (int32_t i = at_top ? 1 : 0; i < node.length; ++i)
                if (map[run_[node.begin + i]] >= 0) path_.push_back(map[run_[node.begin + i]]);
            at_top = false;
            int32_t ending = node.weight;
            for (int32_t child = node.child; child != kNone; child = nodes_[child].sibling) {
                ending -= nodes_[child].weight;
                stack_.push_back({child, path_.size()});
            }
            if (ending > 0 && !path_.empty()) line(path_, ending);
        }
    }

    // Gives the number of nodes that moved or met another.
    size_t push_right(int32_t place) {
        int32_t top = first_[place];
        if (top == kNone) return 0;
        moved_ = 0;
        first_[place] = kNone;
        Node& node = nodes_[top];
        if (node.length > 1) {
            ++node.begin;
            --node.length;
            plant(top);
        } else {
            for (int32_t child = node.child; child != kNone;) {
                int32_t after = std::exchange(nodes_[child].sibling, kNone);
                plant(child);
                child = after;
            }
        }
        return moved_;
    }

  private:
    static constexpr int32_t kNone = -1;

    struct Node {
        int32_t begin, length;  // in run_
        int32_t weight;         // of the lines through here
        int32_t child, sibling;
    };

    int32_t first_place(int32_t node) const { return run_[nodes_[node].begin]; }

    template <class See>
    void for_all_below(int32_t place, See see) {
        stack_.clear();
        if (first_[place] == kNone) return;
        const Node& top = nodes_[first_[place]];
        see(top, 1);
        stack_.push_back({top.child, 0});
        while (!stack_.empty()) {
            int32_t number = stack_.back().first;
            stack_.pop_back();
            for (; number != kNone; number = nodes_[number].sibling) {
                see(nodes_[number], 0);
                if (nodes_[number].child != kNone) stack_.push_back({nodes_[number].child, 0});
            }
        }
    }

    // Puts a node without siblings at the top, or merges it with the node there.
    void plant(int32_t number) {
        ++moved_;
        int32_t& top = first_[first_place(number)];
        if (top == kNone) {
            top = number;
            return;
        }
        todo_.clear();
        merge(top, number);
        while (!todo_.empty()) {
            auto [parent, list] = todo_.back();
            todo_.pop_back();
            merge_children(parent, list);
        }
    }

    // Merges two nodes with the same first place; what is left of the other becomes a child.
    void merge(int32_t into, int32_t other) {
        ++moved_;
        int32_t length = std::min(nodes_[into].length, nodes_[other].length), same = 1;
        const int32_t *a = &run_[nodes_[into].begin], *b = &run_[nodes_[other].begin];
        while (same < length && a[same] == b[same]) ++same;
        int32_t rest = nodes_[other].child;
        if (same < nodes_[other].length) {
            nodes_[other].begin += same;
            nodes_[other].length -= same;
            rest = other;
        }
        if (same < nodes_[into].length) {
            Node end = nodes_[into];
            nodes_.push_back({end.begin + same, end.length - same, end.weight, end.child, kNone});
            nodes_[into].length = same;
            nodes_[into].child = static_cast<int32_t>(nodes_.size()) - 1;
        }
        nodes_[into].weight += nodes_[other].weight;
        if (rest != kNone) todo_.push_back({into, rest});
        else absorbed_ = other;
    }

    void merge_children(int32_t parent, int32_t list) {
        int32_t before = kNone, at = nodes_[parent].child;
        while (list != kNone) {
            int32_t after = std::exchange(nodes_[list].sibling, kNone);
            int32_t place = first_place(list);
            while (at != kNone && first_place(at) < place) {
                before = at;
                at = nodes_[at].sibling;
                ++moved_;
            }
            if (at != kNone && first_place(at) == place) {
                merge(at, list);
            } else {
                nodes_[list].sibling = at;
                (before == kNone ? nodes_[parent].child : nodes_[before].sibling) = list;
                before = list;
            }
            list = after;
        }
    }

    std::vector<Node> nodes_;
    std::vector<int32_t> run_;
    std::vector<int32_t> first_;  // place -> the node at the top that begins with it
    std::vector<std::pair<int32_t, size_t>> stack_;
    std::vector<std::pair<int32_t, int32_t>> todo_;
    std::vector<int32_t> path_;
    size_t moved_ = 0;
    int32_t absorbed_ = kNone;  // the last node of which nothing was left
};

// For sparse data, where branches hardly meet: each line an array, listed under its first place.
class AfoptArrays {
  public:
    void clear(size_t places) {
        lines_.clear();
        run_.clear();
        first_.assign(places, kNone);
    }

    void insert(std::span<const int32_t> line, int32_t weight) {
        auto begin = static_cast<int64_t>(run_.size());
        run_.insert(run_.end(), line.begin(), line.end());
        lines_.push_back({begin, static_cast<int64_t>(run_.size()), weight, kNone});
        list(static_cast<int32_t>(lines_.size()) - 1);
    }

    template <class See>
    size_t count(int32_t place, See see) {
        size_t lines = 0;
        for (int32_t number = first_[place]; number != kNone; number = lines_[number].sibling) {
            const Line& line = lines_[number];
            for (int64_t i = line.begin + 1; i < line.end; ++i) see(run_[i], line.weight);
            ++lines;
        }
        return lines;
    }

    template <class Visit>
    void lines(int32_t place, const std::vector<int32_t>& map, Visit visit) {
        for (int32_t number = first_[place]; number != kNone; number = lines_[number].sibling) {
            const Line& line = lines_[number];
            path_.clear();
            for (int64_t i = line.begin + 1; i < line.end; ++i)
                if (map[run_[i]] >= 0) path_.push_back(map[run_[i]]);
            if (!path_.empty()) visit(path_, line.weight);
        }
    }

    size_t push_right(int32_t place) {
        size_t moved = 0;
        for (int32_t number = std::exchange(first_[place], kNone); number != kNone; ++moved) {
            int32_t after = lines_[number].sibling;
            if (++lines_[number].begin < lines_[number].end) list(number);
            number = after;
        }
        return moved;
    }

  private:
    static constexpr int32_t kNone = -1;

    struct Line {
        int64_t begin, end;  // in run_
        int32_t weight;
        int32_t sibling;
    };

    void list(int32_t number) {
        int32_t& top = first_[run_[lines_[number].begin]];
        lines_[number].sibling = std::exchange(top, number);
    }

    std::vector<Line> lines_;
    std::vector<int32_t> run_;
    std::vector<int32_t> first_;
    std::vector<int32_t> path_;
};

}  // namespace twinset::mine
