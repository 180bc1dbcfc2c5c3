// Stable sorting of long arrays by a whole number, shared out over threads: digit by digit from the least,
// each thread in a stretch of its own. The result does not depend on how many there are.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "large_pages.hpp"
#include "parallel.hpp"

namespace twinset {

namespace sorting {
inline constexpr int kDigit = 11;
inline constexpr size_t kValues = size_t{1} << kDigit, kSmall = 2048, kStretch = size_t{1} << 15;
}  // namespace sorting

// Sorts `rows` by key(row), of which only the lowest `bits` are set. Rows of equal keys stay in order.
template <class Row, class Key>
void radix_sort(LargeVector<Row>& rows, int bits, int threads, Key key) {
    using namespace sorting;
    auto less = [&](const Row& a, const Row& b) { return key(a) < key(b); };
    if (rows.size() < kSmall) return std::stable_sort(rows.begin(), rows.end(), less);
    size_t stretches =
        std::clamp<size_t>(rows.size() / kStretch, 1, static_cast<size_t>(std::max(threads, 1)));
    size_t length = (rows.size() + stretches - 1) / stretches;
    std::vector<std::array<size_t, kValues>> next(stretches);
    LargeVector<Row> sorted(rows.size());
    for (int shift = 0; shift < bits; shift += kDigit) {
        auto digit = [&](const Row& row) { return static_cast<size_t>(key(row) >> shift) & (kValues - 1); };
        parallel_blocks(rows.size(), length, threads, [&](size_t begin, size_t end, int) {
            auto& count = next[begin / length];
            count.fill(0);
            Pace pace;
            for (size_t i = begin; i < end; pace(), ++i) ++count[digit(rows[i])];
        });
        size_t total = 0, fullest = 0;
        for (size_t value = 0; value < kValues; ++value) {
            size_t before = total;
            for (auto& count : next) total += std::exchange(count[value], total);
            fullest = std::max(fullest, total - before);
        }
        if (fullest == rows.size()) continue;  // all have the same digit
        parallel_blocks(rows.size(), length, threads, [&](size_t begin, size_t end, int) {
            auto& place = next[begin / length];
            Pace pace;
            for (size_t i = begin; i < end; pace(), ++i) sorted[place[digit(rows[i])]++] = rows[i];
        });
        rows.swap(sorted);
    }
}

// The numbers of the rows (first[i], second[i]) in rising order, equal ones in the order they have.
inline std::vector<uint32_t> sorted_rows(std::span<const uint32_t> first, std::span<const uint32_t> second,
                                         int threads) {
    struct Row {
        uint64_t key;
        uint32_t number;
    };
    size_t n = first.size();
    uint32_t most_first = 0, most_second = 0;
    for (uint32_t value : first) most_first = std::max(most_first, value);
    for (uint32_t value : second) most_second = std::max(most_second, value);
    int low = std::bit_width(most_second), high = std::bit_width(most_first);
    LargeVector<Row> rows(n);
    std::vector<uint32_t> numbers(n);
    bool in_order = true, second_in_order = true;
    for (size_t i = 0; i < n; ++i) {
        rows[i] = {uint64_t{first[i]} << low | second[i], static_cast<uint32_t>(i)};
        in_order = in_order && (i == 0 || rows[i - 1].key <= rows[i].key);
        second_in_order = second_in_order && (i == 0 || second[i - 1] <= second[i]);
    }
    int sorted = second_in_order ? low : 0;  // bits
    if (!in_order)
        radix_sort(rows, low + high - sorted, threads,
                   [sorted](const Row& row) { return row.key >> sorted; });
    for (size_t i = 0; i < n; ++i) numbers[i] = rows[i].number;
    return numbers;
}

}  // namespace twinset
