// What follows the reading pass: distinct ids, orders, columns of tables.
#include <nanobind/stl/tuple.h>

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

}  // namespace

void bind_tables(nb::module_& m) {
    using namespace nb::literals;
    m.def("repeated_texts", &repeated_texts, "data"_a, "offsets"_a, "threads"_a);
    m.def("sorted_order", &sorted_order, "first"_a, "second"_a, "threads"_a);
}

}  // namespace twinset
