// What follows the reading pass: distinct ids, orders, columns of tables.
#include <nanobind/stl/tuple.h>

#include <algorithm>

#include "arrays.hpp"
#include "bindings.hpp"
#include "parallel_sort.hpp"
#include "repeated_texts.hpp"
#include "texts.hpp"

namespace twinset {
namespace {

// The rows whose text is that of an earlier row, rising, and the first row of each of these texts.
std::tuple<Out<uint32_t>, Out<uint32_t>> repeated_texts(In<uint8_t> data, In<int64_t> offsets, int threads) {
    Texts texts(data, offsets);
    std::vector<uint32_t> rows, firsts;
    {
        Released unlocked;
        RepeatedTexts repeated(texts, threads);
        rows.reserve(repeated.repeats.size());
        firsts.reserve(repeated.repeats.size());
        for (const Repeat& repeat : repeated.repeats) {
            rows.push_back(repeat.row);
            firsts.push_back(repeat.first);
        }
    }
    return {give(std::move(rows)), give(std::move(firsts))};
}

Out<uint32_t> sorted_order(In<uint32_t> first, In<uint32_t> second, int threads) {
    require(first.size() == second.size(), "first and second differ in length");
    std::vector<uint32_t> order;
    {
        Released unlocked;
        order = sorted_rows(view(first), view(second), threads);
    }
    return give(std::move(order));
}

// Where each pair of `first` and `second`, whichever way round, stands in a list of pairs; -1 where it does
// not. The list is sorted, and the left of its pairs is the lesser.
Out<int64_t> listed_pairs(In<uint32_t> left, In<uint32_t> right, In<uint32_t> first, In<uint32_t> second,
                          int threads) {
    require(left.size() == right.size(), "left and right differ in length");
    require(first.size() == second.size(), "first and second differ in length");
    std::vector<int64_t> places(first.size(), -1);
    {
        Released unlocked;
        std::span<const uint32_t> lefts = view(left), rights = view(right);
        parallel_blocks(places.size(), 4096, threads, [&](size_t begin, size_t end, int) {
            for (size_t i = begin; i < end; ++i) {
                auto [a, b] = std::minmax(first.data()[i], second.data()[i]);
                auto [from, to] = std::equal_range(lefts.begin(), lefts.end(), a);
                auto of_left =
                    rights.subspan(static_cast<size_t>(from - lefts.begin()), static_cast<size_t>(to - from));
                auto place = std::lower_bound(of_left.begin(), of_left.end(), b);
                if (place != of_left.end() && *place == b) places[i] = &*place - rights.data();
            }
        });
    }
    return give(std::move(places));
}

}  // namespace

void bind_tables(nb::module_& m) {
    using namespace nb::literals;
    m.def("repeated_texts", &repeated_texts, "data"_a, "offsets"_a, "threads"_a);
    m.def("listed_pairs", &listed_pairs, "left"_a, "right"_a, "first"_a, "second"_a, "threads"_a);
    m.def("sorted_order", &sorted_order, "first"_a, "second"_a, "threads"_a);
}

}  // namespace twinset
