// The two trees of FPmax*: the FP-tree of lines and the MFI-tree of the sets found. Items are places
// in the tree's own order, 0 for the most frequent, so that they ascend on the way from the root.
#pragma once
#include <memory>

#include "mine_types.hpp"

namespace twinset::mine {

struct PrefixNode {
    int32_t item, parent, level, count;
    int32_t next;  // the node before this one that has the same item
};

// Sets as paths; nodes of one item are linked from the header. Children of the root are found by
// their item, those of other nodes by a hash table: a frequent item has thousands.
class PrefixTree {
  public:
    void reset(int32_t items) {
        nodes.clear();
        header.assign(items, -1);
        first_.assign(items, -1);
        table_.assign(16, -1);
        deepest = 0;
    }

    // Items ascend.
    void insert(std::span<const int32_t> items, int32_t count) {
        int32_t at = -1, level = 0;
        for (int32_t item : items) {
            int32_t& node = at < 0 ? first_[item] : slot_of(at, item);
            ++level;
            if (node < 0) {
                node = static_cast<int32_t>(nodes.size());
                nodes.push_back({item, at, level, 0, header[item]});
                header[item] = node;
            }
            at = node;
            nodes[at].count += count;
            if (2 * nodes.size() > table_.size()) grow();
        }
        deepest = std::max(deepest, level);
    }

    std::vector<PrefixNode> nodes;
    std::vector<int32_t> header;
    int32_t deepest = 0;

  private:
    int32_t& slot_of(int32_t parent, int32_t item) {
        uint64_t key = static_cast<uint64_t>(parent) << 32 | static_cast<uint32_t>(item);
        size_t slot = key * 0x9E3779B97F4A7C15 >> 32 & (table_.size() - 1);
        while (table_[slot] >= 0 &&
               (nodes[table_[slot]].parent != parent || nodes[table_[slot]].item != item))
            slot = (slot + 1) & (table_.size() - 1);
        return table_[slot];
    }

    void grow() {
        table_.assign(4 * table_.size(), -1);
        for (size_t node = 0; node < nodes.size(); ++node)
            if (nodes[node].parent >= 0)
                slot_of(nodes[node].parent, nodes[node].item) = static_cast<int32_t>(node);
    }

    std::vector<int32_t> first_;
    std::vector<int32_t> table_;
};

class FpTree : public PrefixTree {
  public:
    // `pairs` are counted where that costs no more than `worth` cells: the array of the paper.
    void reset(int32_t items, size_t worth) {
        PrefixTree::reset(items);
        size_t cells = static_cast<size_t>(items) * (items - (items > 0)) / 2;
        counting_ = cells <= worth;
        pairs_.assign(counting_ ? cells : 0, 0);
    }

    void insert(std::span<const int32_t> items, int32_t count) {
        PrefixTree::insert(items, count);
        if (!counting_) return;
        for (size_t late = 1; late < items.size(); ++late) {
            int32_t* row = pairs_.data() + row_of(items[late]);
            for (size_t early = 0; early < late; ++early) row[items[early]] += count;
        }
    }

    bool single_path() const { return nodes.size() == header.size() && deepest == size(); }
    int32_t size() const { return static_cast<int32_t>(header.size()); }

    // In how many lines each item above `item` lies together with it; `counts` is longer than needed.
    void counts_above(int32_t item, std::vector<int32_t>& counts, Pace& pace) const {
        counts.assign(item, 0);
        if (counting_) {
            std::copy_n(pairs_.begin() + row_of(item), item, counts.begin());
            pace(item + 1);
            return;
        }
        for (int32_t node = header[item]; node >= 0; node = nodes[node].next) {
            for (int32_t up = nodes[node].parent; up >= 0; up = nodes[up].parent)
                counts[nodes[up].item] += nodes[node].count;
            pace(nodes[node].level);
        }
    }

    int32_t support(int32_t item) const {
        int32_t sum = 0;
        for (int32_t node = header[item]; node >= 0; node = nodes[node].next) sum += nodes[node].count;
        return sum;
    }

    std::vector<int32_t> above;  // for each item its place in the tree this one was taken from

  private:
    static size_t row_of(int32_t item) { return static_cast<size_t>(item) * (item - (item > 0)) / 2; }

    std::vector<int32_t> pairs_;
    bool counting_ = false;
};

class MfiTree : public PrefixTree {
  public:
    // Whether a set of the tree has all these items, which ascend.
    bool holds(std::span<const int32_t> items, Pace& pace) const {
        auto needed = static_cast<int32_t>(items.size());
        for (int32_t node = header[items.back()]; node >= 0; node = nodes[node].next) {
            pace();
            if (nodes[node].level < needed) continue;
            int32_t left = needed - 1;
            for (int32_t up = nodes[node].parent; left > 0 && nodes[up].level >= left;
                 up = nodes[up].parent) {
                pace();
                if (nodes[up].item == items[left - 1]) --left;
                if (nodes[up].parent < 0) break;
            }
            if (left == 0) return true;
        }
        return false;
    }
};

}  // namespace twinset::mine
