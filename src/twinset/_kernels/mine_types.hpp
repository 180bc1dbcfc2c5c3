// What the miners share: transactions in, sets out, and the database that most of them start from.
//
// A miner is a function MinedSets mine_X(const Transactions&, int32_t support, Target, bool prune).
// It gives every set of one or more items that lies in `support` lines or more and is closed (no
// further item lies in all its lines) or maximal (no superset lies in as many lines), each once and
// in any order. Supports are exact. `steps` counts the algorithm's own steps; without `prune` its
// own pruning is off: the same sets, more steps.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <unordered_map>
#include <vector>

#include "stop.hpp"

namespace twinset::mine {

enum class Target { closed, maximal };

// Lines of items 0 .. n_items - 1, ascending and each once in a line.
struct Transactions {
    std::span<const int64_t> offsets;
    std::span<const int32_t> items;
    int32_t n_items;

    size_t lines() const { return offsets.size() - 1; }
    std::span<const int32_t> operator[](size_t line) const {
        return items.subspan(offsets[line], offsets[line + 1] - offsets[line]);
    }
};

struct MinedSets {
    std::vector<int64_t> offsets{0};
    std::vector<int32_t> items;
    std::vector<int32_t> supports;
    uint64_t steps = 0;

    size_t size() const { return supports.size(); }

    void add(std::span<const int32_t> set, int32_t support) {
        items.insert(items.end(), set.begin(), set.end());
        close(support);
    }

    // Ends the set whose items were appended to `items` one by one.
    void close(int32_t support) {
        offsets.push_back(static_cast<int64_t>(items.size()));
        supports.push_back(support);
    }
};

enum class Order { rarest_first, commonest_first };

// The frequent items of the lines, renumbered by their support (ties by item), each line ascending
// in the new numbers, which are called ranks. Equal lines are one, with their number as its weight;
// lines stand in the order in which they first appear, empty ones are left out.
struct Database {
    std::vector<int64_t> offsets{0};
    std::vector<int32_t> items;
    std::vector<int32_t> weights;
    std::vector<int32_t> item_of;   // rank -> item
    std::vector<int32_t> supports;  // rank -> lines that hold it

    size_t lines() const { return weights.size(); }
    int32_t ranks() const { return static_cast<int32_t>(item_of.size()); }
    std::span<const int32_t> operator[](size_t line) const {
        return std::span(items).subspan(offsets[line], offsets[line + 1] - offsets[line]);
    }

    Database(const Transactions& from, int32_t support, Order order) {
        std::vector<int32_t> counts(from.n_items, 0);
        for (int32_t item : from.items.subspan(from.offsets[0], from.offsets.back() - from.offsets[0]))
            ++counts[item];
        for (int32_t item = 0; item < from.n_items; ++item)
            if (counts[item] >= support) item_of.push_back(item);
        bool rarest = order == Order::rarest_first;
        std::stable_sort(item_of.begin(), item_of.end(), [&](int32_t a, int32_t b) {
            return rarest ? counts[a] < counts[b] : counts[a] > counts[b];
        });
        std::vector<int32_t> rank_of(from.n_items, -1);
        for (int32_t rank = 0; rank < ranks(); ++rank) {
            rank_of[item_of[rank]] = rank;
            supports.push_back(counts[item_of[rank]]);
        }
        merge_lines(from, rank_of);
    }

  private:
    void merge_lines(const Transactions& from, const std::vector<int32_t>& rank_of) {
        size_t slots = 16;
        while (slots < 2 * from.lines()) slots *= 2;
        std::vector<int32_t> table(slots, -1);
        Pace pace;
        for (size_t number = 0; number < from.lines(); ++number) {
            size_t begin = items.size();
            for (int32_t item : from[number])
                if (rank_of[item] >= 0) items.push_back(rank_of[item]);
            size_t length = items.size() - begin;
            pace(from[number].size() + 1);
            if (length == 0) continue;
            std::sort(items.begin() + begin, items.end());
            uint64_t hash = length;
            for (size_t i = begin; i < items.size(); ++i)
                hash = (hash ^ static_cast<uint64_t>(items[i])) * 0x9E3779B97F4A7C15 + (hash >> 29);
            size_t slot = (hash ^ hash >> 32) & (slots - 1);
            while (table[slot] >= 0 &&
                   !std::ranges::equal((*this)[table[slot]], std::span(items).subspan(begin)))
                slot = (slot + 1) & (slots - 1);
            if (table[slot] >= 0) {
                ++weights[table[slot]];
                items.resize(begin);
            } else {
                table[slot] = static_cast<int32_t>(lines());
                weights.push_back(1);
                offsets.push_back(static_cast<int64_t>(items.size()));
            }
        }
    }
};

}  // namespace twinset::mine
