// Tables around the miners: the other direction of a table, and sets in order.
#pragma once
#include "mine_types.hpp"

namespace twinset::mine {

struct Transposed {
    std::vector<int64_t> offsets;
    std::vector<uint64_t> lines;
};

// For each item the numbers of its lines, ascending.
inline Transposed transposed(const Transactions& from) {
    Transposed to;
    to.offsets.assign(static_cast<size_t>(from.n_items) + 1, 0);
    for (size_t line = 0; line < from.lines(); ++line)
        for (int32_t item : from[line]) ++to.offsets[item + 1];
    std::partial_sum(to.offsets.begin(), to.offsets.end(), to.offsets.begin());
    to.lines.resize(to.offsets.back());
    std::vector<int64_t> next(to.offsets.begin(), to.offsets.end() - 1);
    Pace pace;
    for (size_t line = 0; line < from.lines(); ++line) {
        for (int32_t item : from[line]) to.lines[next[item]++] = line;
        pace(from[line].size() + 1);
    }
    return to;
}

// Which items are closed on their own: no other item lies in all their lines.
inline std::vector<uint8_t> closed_items(const Transactions& from) {
    Transposed of_item = transposed(from);
    std::vector<uint8_t> closed(from.n_items, 0);
    std::vector<int32_t> others, kept;
    Pace pace;
    for (int32_t item = 0; item < from.n_items; ++item) {
        auto begin = of_item.lines.begin() + of_item.offsets[item],
             end = of_item.lines.begin() + of_item.offsets[item + 1];
        if (begin == end) continue;
        auto shortest = std::min_element(
            begin, end, [&](uint64_t a, uint64_t b) { return from[a].size() < from[b].size(); });
        others.assign(from[*shortest].begin(), from[*shortest].end());
        for (auto line = begin; line != end && others.size() > 1; ++line) {
            kept.clear();
            std::ranges::set_intersection(others, from[*line], std::back_inserter(kept));
            pace(others.size() + from[*line].size());
            others.swap(kept);
        }
        closed[item] = others.size() == 1;
    }
    return closed;
}

// The sets of at least so many items in ascending order, item by item.
inline MinedSets in_order(std::span<const int64_t> offsets, std::span<const int32_t> items,
                          std::span<const int32_t> supports, int64_t least) {
    struct Place {
        uint64_t head;  // the first items, as many as fit, so that few comparisons look further
        uint32_t set;
    };
    std::vector<int32_t> ascending(items.begin(), items.end());
    auto row = [&](size_t set) {
        return std::span<const int32_t>(ascending).subspan(offsets[set], offsets[set + 1] - offsets[set]);
    };
    uint32_t largest = items.empty() ? 0 : *std::ranges::max_element(items);
    int bits = std::bit_width(largest + uint64_t{1});
    size_t heads = 64 / bits;
    std::vector<Place> places;
    Pace pace;
    for (size_t set = 0; set < supports.size(); ++set) {
        if (offsets[set + 1] - offsets[set] < least) continue;
        std::sort(ascending.begin() + offsets[set], ascending.begin() + offsets[set + 1]);
        auto ranked = row(set);
        uint64_t head = 0;
        for (size_t i = 0; i < heads; ++i)
            head = head << bits | (i < ranked.size() ? ranked[i] + uint64_t{1} : 0);
        places.push_back({head, static_cast<uint32_t>(set)});
        pace(ranked.size() + 1);
    }
    stoppable_sort(places.begin(), places.end(), [&](const Place& a, const Place& b) {
        if (a.head != b.head) return a.head < b.head;
        auto left = row(a.set), right = row(b.set);
        auto order =
            std::lexicographical_compare_three_way(left.begin(), left.end(), right.begin(), right.end());
        return order < 0 || (order == 0 && a.set < b.set);
    });
    MinedSets sorted;
    sorted.items.reserve(ascending.size());
    sorted.offsets.reserve(places.size() + 1);
    for (const Place& place : places) sorted.add(row(place.set), supports[place.set]);
    return sorted;
}

}  // namespace twinset::mine
