#include <nanobind/stl/tuple.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "parallel.hpp"
#include "sketch.hpp"
#include "weighted.hpp"

namespace twinset {
namespace {

constexpr size_t kGrain = 64;

struct Lists {
    const uint64_t* values;
    const int64_t* offsets;
    size_t count;
    const uint64_t* begin(size_t i) const { return values + offsets[i]; }
    const uint64_t* end(size_t i) const { return values + offsets[i + 1]; }
};

Lists lists(const In<uint64_t>& values, const In<int64_t>& offsets) {
    check_offsets(view(offsets), values.size());
    return {values.data(), offsets.data(), offsets.size() - 1};
}

// A sketch of fixed width per document.
template <class Sketcher>
Out2<uint64_t> fixed(const Lists& in, size_t size, int threads, const Sketcher& sketcher) {
    std::vector<uint64_t> sketches;
    {
        Released unlocked;
        sketches.resize(in.count * size);
        parallel_blocks(in.count, kGrain, threads, [&](size_t begin, size_t end, int) {
            for (size_t i = begin; i < end; ++i) {
                stop_point();
                sketcher(in.begin(i), in.end(i), &sketches[i * size]);
            }
        });
    }
    return give(std::move(sketches), in.count, size);
}

// A set of varying size per document, as one list with offsets.
template <class Sketcher>
std::tuple<Out<uint64_t>, Out<int64_t>> varying(const Lists& in, int threads, const Sketcher& sketcher) {
    std::vector<uint64_t> values;
    std::vector<int64_t> offsets(in.count + 1, 0);
    {
        Released unlocked;
        std::vector<std::vector<uint64_t>> images(in.count);
        parallel_blocks(in.count, kGrain, threads, [&](size_t begin, size_t end, int) {
            for (size_t i = begin; i < end; ++i) {
                stop_point();
                sketcher(in.begin(i), in.end(i), images[i]);
                images[i].shrink_to_fit();
            }
        });
        for (size_t i = 0; i < in.count; ++i)
            offsets[i + 1] = offsets[i] + static_cast<int64_t>(images[i].size());
        values.reserve(static_cast<size_t>(offsets.back()));
        Pace pace;
        for (const auto& image : images) {
            pace(image.size());
            values.insert(values.end(), image.begin(), image.end());
        }
    }
    return {give(std::move(values)), give(std::move(offsets))};
}

Out2<uint64_t> oph(In<uint64_t> values, In<int64_t> offsets, size_t size, uint64_t seed, bool matrix,
                   bool rounds, int threads) {
    require(size >= 1 && size <= UINT32_MAX, "size must be at least 1 and below 2^32");
    Lists in = lists(values, offsets);
    if (matrix) return fixed(in, size, threads, OnePermutation<MatrixPermutation>(size, seed, rounds));
    return fixed(in, size, threads, OnePermutation<FastPermutation>(size, seed, rounds));
}

Out2<uint64_t> minwise(In<uint64_t> values, In<int64_t> offsets, size_t size, uint64_t seed, bool matrix,
                       int threads) {
    require(size >= 1, "size must be at least 1");
    Lists in = lists(values, offsets);
    if (matrix) return fixed(in, size, threads, MinWise<MatrixPermutation>(size, seed));
    return fixed(in, size, threads, MinWise<FastPermutation>(size, seed));
}

Out2<uint64_t> weighted_minwise(In<uint64_t> values, In<uint32_t> weights, In<int64_t> offsets, size_t size,
                                uint64_t seed, int threads) {
    require(size >= 1, "size must be at least 1");
    require(weights.size() == values.size(), "every value must have a weight");
    for (uint32_t weight : view(weights))
        require(weight >= 1 && weight <= WeightedMinWise::kMostWeight, "weights must be from 1 to 131071");
    WeightedMinWise sketcher(size, seed);
    return fixed(lists(values, offsets), size, threads,
                 [&](const uint64_t* begin, const uint64_t* end, uint64_t* sketch) {
                     sketcher(begin, end, weights.data() + (begin - values.data()), sketch);
                 });
}

std::tuple<Out<uint64_t>, Out<int64_t>> bottom(In<uint64_t> values, In<int64_t> offsets, size_t size,
                                               uint64_t seed, bool matrix, int threads) {
    require(size >= 1, "size must be at least 1");
    Lists in = lists(values, offsets);
    if (matrix) return varying(in, threads, Bottom<MatrixPermutation>(size, seed));
    return varying(in, threads, Bottom<FastPermutation>(size, seed));
}

std::tuple<Out<uint64_t>, Out<int64_t>> mod(In<uint64_t> values, In<int64_t> offsets, size_t size,
                                            uint64_t seed, bool matrix, int threads) {
    require(size >= 1, "size must be at least 1");
    Lists in = lists(values, offsets);
    if (matrix) return varying(in, threads, Mod<MatrixPermutation>(size, seed));
    return varying(in, threads, Mod<FastPermutation>(size, seed));
}

std::tuple<Out<uint64_t>, Out<int64_t>> logarithmic(In<uint64_t> values, In<int64_t> offsets, uint64_t seed,
                                                    bool matrix, int threads) {
    Lists in = lists(values, offsets);
    if (matrix) return varying(in, threads, Logarithmic<MatrixPermutation>(seed));
    return varying(in, threads, Logarithmic<FastPermutation>(seed));
}

Out2<uint64_t> band_keys(In2<uint64_t> sketches, size_t bands, size_t rows) {
    require(bands >= 1 && rows >= 1, "bands and rows must be at least 1");
    require(bands * rows <= sketches.shape(1), "bands times rows must not exceed the sketch");
    size_t count = sketches.shape(0), width = sketches.shape(1);
    std::vector<uint64_t> keys;
    {
        Released unlocked;
        keys.resize(count * bands);
        const uint64_t* sketch = sketches.data();
        Pace pace;
        for (size_t i = 0; i < count; pace(bands * rows), ++i)
            for (size_t b = 0; b < bands; ++b)
                keys[i * bands + b] = band_key({sketch + i * width + b * rows, rows}, b);
    }
    return give(std::move(keys), count, bands);
}

}  // namespace

void bind_sketch(nb::module_& m) {
    using namespace nb::literals;
    m.def("oph", &oph, "values"_a, "offsets"_a, "size"_a, "seed"_a, "matrix"_a, "rounds"_a, "threads"_a);
    m.def("minwise", &minwise, "values"_a, "offsets"_a, "size"_a, "seed"_a, "matrix"_a, "threads"_a);
    m.def("weighted_minwise", &weighted_minwise, "values"_a, "weights"_a, "offsets"_a, "size"_a, "seed"_a,
          "threads"_a);
    m.def("bottom", &bottom, "values"_a, "offsets"_a, "size"_a, "seed"_a, "matrix"_a, "threads"_a);
    m.def("mod", &mod, "values"_a, "offsets"_a, "size"_a, "seed"_a, "matrix"_a, "threads"_a);
    m.def("logarithmic", &logarithmic, "values"_a, "offsets"_a, "seed"_a, "matrix"_a, "threads"_a);
    m.def("band_keys", &band_keys, "sketches"_a, "bands"_a, "rows"_a);
}

}  // namespace twinset
