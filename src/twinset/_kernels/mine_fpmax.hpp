// FPmax*: G. Grahne, J. Zhu, "Efficiently using prefix-trees in mining frequent itemsets", FIMI 2003.
//
//   FPmax*(T, M):  for i in the header of T, the rarest first:
//                      tail = items frequent together with i
//                      if no set of M holds i + tail:
//                          T' = the tree of the lines with i, of the items of the tail
//                          if T' is one path:  i + path is maximal: report it, insert it into M
//                          else:               FPmax*(T', sets of M with i, as far as they are in T')
//
// The tail comes from the array of pairs where the tree has one, which saves a walk through the tree.
// M is an MFI-tree; what a call finds goes into its caller's M when it ends. A step is one tail.
// Without `prune` M is asked only before a set is reported: all trees are built.
#pragma once
#include "mine_fp_trees.hpp"

namespace twinset::mine {

class FpMax {
  public:
    FpMax(const Transactions& from, int32_t support, bool prune)
        : support_(support), prune_(prune), database_(from, support, Order::commonest_first) {}

    MinedSets run() {
        if (database_.ranks() == 0) return std::move(sets_);
        Call& first = call(0);
        uint64_t pairs = 0;
        for (size_t line = 0; line < database_.lines(); ++line)
            pairs += database_[line].size() * database_[line].size() / 2;
        first.tree.reset(database_.ranks(), worth(pairs));
        for (size_t line = 0; line < database_.lines(); ++line) {
            first.tree.insert(database_[line], database_.weights[line]);
            pace_(database_[line].size() * 4);
        }
        first.found.reset(database_.ranks());
        first.fresh = {};
        if (first.tree.single_path()) {
            for (int32_t rank = 0; rank < database_.ranks(); ++rank) base_.push_back(database_.item_of[rank]);
            report(database_.supports.back());
            ++sets_.steps;
        } else {
            for (int32_t rank = 0; rank < database_.ranks(); ++rank)
                first.item_of.push_back(database_.item_of[rank]);
            mine(0);
        }
        return std::move(sets_);
    }

  private:
    // A call that is not finished: T, M, and the sets it has found, in places of T.
    struct Call {
        FpTree tree;
        MfiTree found;
        struct {
            std::vector<int64_t> offsets{0};
            std::vector<int32_t> items;
        } fresh;
        std::vector<int32_t> item_of;
    };

    static size_t worth(uint64_t pairs) { return std::min<uint64_t>(2 * pairs, size_t{1} << 22); }

    Call& call(size_t depth) {
        if (depth == calls_.size()) calls_.push_back(std::make_unique<Call>());
        return *calls_[depth];
    }

    void mine(size_t depth) {
        Call& here = call(depth);
        Call& deeper = call(depth + 1);
        for (int32_t item = here.tree.size() - 1; item >= 0; --item) {
            ++sets_.steps;
            std::vector<int32_t> tail = frequent_with(here, item);
            ordered_.assign(tail.begin(), tail.end());
            std::sort(ordered_.begin(), ordered_.end());
            ordered_.push_back(item);
            if (prune_ && here.found.holds(ordered_, pace_)) continue;
            base_.push_back(here.item_of[item]);
            condition(here, deeper, item, tail);
            if (deeper.tree.single_path()) end_path(here, deeper, item);
            else {
                project(here, deeper, item);
                deeper.fresh = {};
                mine(depth + 1);
                for (size_t set = 1; set < deeper.fresh.offsets.size(); ++set)
                    insert_above(here, deeper, item,
                                 std::span<const int32_t>(deeper.fresh.items)
                                     .subspan(deeper.fresh.offsets[set - 1],
                                              deeper.fresh.offsets[set] - deeper.fresh.offsets[set - 1]));
            }
            base_.pop_back();
        }
    }

    // The items above that are frequent together with this one, most frequent first.
    std::vector<int32_t> frequent_with(const Call& here, int32_t item) {
        here.tree.counts_above(item, counts_, pace_);
        std::vector<int32_t> tail;
        for (int32_t other = 0; other < item; ++other)
            if (counts_[other] >= support_) tail.push_back(other);
        std::stable_sort(tail.begin(), tail.end(),
                         [&](int32_t a, int32_t b) { return counts_[a] > counts_[b]; });
        return tail;
    }

    // The conditional tree of an item: its pattern base, reduced to the tail.
    void condition(const Call& here, Call& deeper, int32_t item, const std::vector<int32_t>& tail) {
        place_.assign(item, -1);
        deeper.item_of.clear();
        for (size_t at = 0; at < tail.size(); ++at) {
            place_[tail[at]] = static_cast<int32_t>(at);
            deeper.item_of.push_back(here.item_of[tail[at]]);
        }
        uint64_t pairs = 0;
        for (int32_t other : tail) pairs += counts_[other];
        deeper.tree.reset(static_cast<int32_t>(tail.size()), worth(pairs));
        deeper.tree.above = tail;
        if (tail.empty()) return;
        walk(here.tree, item, [&](int32_t count) { deeper.tree.insert(path_, count); });
    }

    // Every path above an item, in places of the deeper tree.
    template <class Visit>
    void walk(const PrefixTree& tree, int32_t item, Visit visit) {
        for (int32_t node = tree.header[item]; node >= 0; node = tree.nodes[node].next) {
            path_.clear();
            for (int32_t up = tree.nodes[node].parent; up >= 0; up = tree.nodes[up].parent)
                if (place_[tree.nodes[up].item] >= 0) path_.push_back(place_[tree.nodes[up].item]);
            pace_(4 * tree.nodes[node].level);
            if (path_.empty()) continue;
            std::sort(path_.begin(), path_.end());
            visit(tree.nodes[node].count);
        }
    }

    void project(const Call& here, Call& deeper, int32_t item) {
        deeper.found.reset(deeper.tree.size());
        walk(here.found, item, [&](int32_t) { deeper.found.insert(path_, 1); });
    }

    // i + path: all items of the conditional tree.
    void end_path(Call& here, const Call& deeper, int32_t item) {
        path_.resize(deeper.tree.header.size());
        std::iota(path_.begin(), path_.end(), 0);
        if (!prune_) {
            if (here.found.holds(ordered_, pace_)) return;
        }
        size_t before = base_.size();
        base_.insert(base_.end(), deeper.item_of.begin(), deeper.item_of.end());
        report(path_.empty() ? here.tree.support(item) : deeper.tree.nodes.back().count);
        base_.resize(before);
        std::vector<int32_t> path = path_;
        insert_above(here, deeper, item, path);
    }

    void insert_above(Call& here, const Call& deeper, int32_t item, std::span<const int32_t> set) {
        path_.clear();
        for (int32_t place : set) path_.push_back(deeper.tree.above[place]);
        std::sort(path_.begin(), path_.end());
        path_.push_back(item);
        here.found.insert(path_, 1);
        here.fresh.items.insert(here.fresh.items.end(), path_.begin(), path_.end());
        here.fresh.offsets.push_back(static_cast<int64_t>(here.fresh.items.size()));
        pace_(8 * path_.size());
    }

    void report(int32_t support) { sets_.add(base_, support); }

    int32_t support_;
    bool prune_;
    Database database_;
    MinedSets sets_;
    std::vector<std::unique_ptr<Call>> calls_;
    std::vector<int32_t> base_;     // the items that the present tree was conditioned on
    std::vector<int32_t> counts_;   // of the items above the present one
    std::vector<int32_t> place_;    // in the deeper tree, by place in the present one
    std::vector<int32_t> ordered_;  // the present item with its tail, ascending
    std::vector<int32_t> path_;
    Pace pace_;
};

inline MinedSets fpmax(const Transactions& from, int32_t support, Target, bool prune) {
    return FpMax(from, support, prune).run();
}

}  // namespace twinset::mine
