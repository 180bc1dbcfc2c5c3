// Lists of 64-bit values, one per document, as arrays for Python.
#pragma once
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "arrays.hpp"
#include "give_growing.hpp"
#include "per_document.hpp"
#include "texts.hpp"

namespace twinset {

// Runs write(document, worker, out) for every document and gathers what it wrote.
template <class Write>
std::tuple<Out<uint64_t>, Out<int64_t>> written(size_t count, int threads, Write&& write) {
    Gathered<uint64_t> all;
    {
        Released unlocked;
        PerDocument<uint64_t> lists(count, threads);
        each_document(count, threads, [&](size_t i, int worker) {
            write(i, worker, lists.begin(i, worker));
            lists.finish(i);
        });
        all = lists.gather();
    }
    return {give(std::move(all.values)), give(std::move(all.offsets))};
}

}  // namespace twinset
