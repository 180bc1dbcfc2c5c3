// The doors of the kernels that an index is made of.
#include <nanobind/stl/tuple.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "parallel.hpp"
#include "sorted_keys.hpp"
#include "texts.hpp"

namespace twinset {
namespace {

auto sorted_keys(In<uint64_t> keys, In<uint32_t> numbers, int threads) {
    require(keys.size() == numbers.size(), "one number per key is needed");
    std::vector<uint64_t> sorted;
    std::vector<uint32_t> owners;
    {
        Released released;
        LargeVector<KeyedNumber> rows(keys.size());
        for (size_t i = 0; i < rows.size(); ++i) rows[i] = {keys.data()[i], numbers.data()[i]};
        sort_keyed(rows, threads);
        sorted.resize(rows.size());
        owners.resize(rows.size());
        for (size_t i = 0; i < rows.size(); ++i) sorted[i] = rows[i].key, owners[i] = rows[i].number;
    }
    return std::make_tuple(give(std::move(sorted)), give(std::move(owners)));
}

void check_bits(int bits) { require(bits >= 0 && bits <= 30, "a directory has 0 to 30 bits"); }

auto key_directory(In<uint64_t> keys, int bits) {
    check_bits(bits);
    require(keys.size() < UINT32_MAX, "too many keys for one file");
    return give(SortedKeys::directory_of(view(keys), bits));
}

// For each wanted key the numbers that have it: rows of `wanted` and numbers, row by row.
auto found_keys(In<uint64_t> keys, In<uint32_t> numbers, In<uint32_t> directory, int bits,
                In<uint64_t> wanted) {
    check_bits(bits);
    require(keys.size() == numbers.size(), "one number per key is needed");
    require(directory.size() == (size_t{1} << bits) + 1, "the directory has another size");
    std::vector<int64_t> rows;
    std::vector<uint32_t> found;
    {
        Released released;
        SortedKeys sorted(view(keys), view(directory), bits);
        Pace pace;
        for (size_t row = 0; row < wanted.size(); ++row) {
            auto [first, last] = sorted.places(wanted.data()[row]);
            pace(last - first + 1);
            for (size_t i = first; i < last; ++i) {
                rows.push_back(static_cast<int64_t>(row));
                found.push_back(numbers.data()[i]);
            }
        }
    }
    return std::make_tuple(give(std::move(rows)), give(std::move(found)));
}

// How many features list left[i] of one collection and list right[i] of another have in common.
auto shared_between(In<uint64_t> first, In<int64_t> first_offsets, In<uint64_t> second,
                    In<int64_t> second_offsets, In<int64_t> left, In<int64_t> right, int threads) {
    ListsOf<uint64_t> ours(first, first_offsets), theirs(second, second_offsets);
    require(left.size() == right.size(), "a pair has two sides");
    auto inside = [](const In<int64_t>& places, size_t count) {
        return std::all_of(places.data(), places.data() + places.size(), [count](int64_t place) {
            return place >= 0 && static_cast<size_t>(place) < count;
        });
    };
    require(inside(left, ours.count) && inside(right, theirs.count), "a pair names no list");
    std::vector<int64_t> shared(left.size());
    {
        Released released;
        parallel_blocks(shared.size(), 256, threads, [&](size_t begin, size_t end, int) {
            Pace pace;
            for (size_t p = begin; p < end; ++p) {
                auto a = ours[left.data()[p]], b = theirs[right.data()[p]];
                pace(a.size() + b.size());
                shared[p] = count_shared(a, b);
            }
        });
    }
    return give(std::move(shared));
}

}  // namespace

void bind_index(nb::module_& m) {
    using namespace nb::literals;
    m.def("sorted_keys", &sorted_keys, "keys"_a, "numbers"_a, "threads"_a);
    m.def("key_directory", &key_directory, "keys"_a, "bits"_a);
    m.def("found_keys", &found_keys, "keys"_a, "numbers"_a, "directory"_a, "bits"_a, "wanted"_a);
    m.def("shared_between", &shared_between, "first"_a, "first_offsets"_a, "second"_a, "second_offsets"_a,
          "left"_a, "right"_a, "threads"_a);
}

}  // namespace twinset
