// The doors of the kernels that make keys and features of hashed words.
#include <nanobind/stl/tuple.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "digest.hpp"
#include "logarithmic.hpp"
#include "set_keys.hpp"
#include "shingles.hpp"
#include "simhash.hpp"
#include "sorted_set.hpp"
#include "spots.hpp"
#include "texts.hpp"
#include "written.hpp"

namespace twinset {
namespace {

auto lexicon_keys(In<uint64_t> hashes, In<int64_t> offsets, In<uint8_t> inside, int64_t lexica, double share,
                  uint64_t seed, int64_t least, int threads) {
    ListsOf<uint64_t> lists(hashes, offsets);
    require(inside.size() == hashes.size(), "one mark per word is needed");
    require(lexica >= 0 && least >= 0, "lexica and least must not be negative");
    LexiconKeys keys{static_cast<uint64_t>(lexica), seed, static_cast<uint64_t>(least), share};
    std::vector<std::vector<SetSum>> sums(std::max(threads, 1));
    return written(lists.count, threads, [&](size_t i, int worker, Growing<uint64_t>& out) {
        keys.write(lists.begin(i), inside.data() + lists.offsets[i], lists.size(i), sums[worker], out);
    });
}

auto list_keys(In<uint64_t> hashes, In<int64_t> offsets, int64_t parts, uint64_t seed, int64_t least,
               int threads) {
    ListsOf<uint64_t> lists(hashes, offsets);
    require(parts >= 1 && least >= 0, "at least one list is needed");
    ListKeys keys{static_cast<uint64_t>(parts), seed, static_cast<uint64_t>(least)};
    std::vector<std::vector<SetSum>> sums(std::max(threads, 1));
    return written(lists.count, threads, [&](size_t i, int worker, Growing<uint64_t>& out) {
        keys.write(lists.begin(i), lists.size(i), sums[worker], out);
    });
}

auto logarithmic_keys(In<uint64_t> values, In<int64_t> offsets, int threads) {
    ListsOf<uint64_t> lists(values, offsets);
    return written(lists.count, threads, [&](size_t i, int, Growing<uint64_t>& out) {
        LogarithmicSample sample;
        for (uint64_t value : lists[i]) sample.add(value);
        SetSum sum;
        sample.each([&](uint64_t value) { sum.add(value); });
        if (sum.count) out.push(sum.key(0));
    });
}

// Shingles of hashed units; `wrap` goes on from the end to the beginning, `unique` sorts.
auto unit_shingles(In<uint64_t> units, In<int64_t> offsets, int64_t length, bool wrap, bool unique,
                   int threads) {
    ListsOf<uint64_t> lists(units, offsets);
    require(length >= 1, "length must be at least 1");
    Shape shape{static_cast<uint64_t>(length), 1};
    std::vector<std::vector<uint64_t>> rooms(std::max(threads, 1));
    std::vector<Growing<uint64_t>> rolled(std::max(threads, 1));
    std::vector<SortedSet> sets(std::max(threads, 1));
    return written(lists.count, threads, [&](size_t i, int worker, Growing<uint64_t>& out) {
        const uint64_t* first = lists.begin(i);
        size_t n = lists.size(i);
        if (wrap && n > shape.length) {
            auto& room = rooms[worker];
            room.assign(first, first + n);
            room.insert(room.end(), first, first + shape.length - 1);
            first = room.data();
            n = room.size();
        }
        size_t count = shingle_count(n, shape);
        uint64_t* values = unique ? rolled[worker].room(count) : out.room(count);
        roll_shingles(first, n, shape, values);
        out.grow(unique ? sets[worker].sort(values, count, out.room(count)) : count);
    });
}

// The characters of each text, as hashed units; the space after its last word is none of it.
auto characters(In<uint8_t> bytes, In<int64_t> offsets, int threads) {
    ListsOf<uint8_t> lists(bytes, offsets);
    return written(lists.count, threads, [&](size_t i, int, Growing<uint64_t>& out) {
        const uint8_t* end = lists.end(i);
        if (lists.size(i) && end[-1] == ' ') --end;
        for (const uint8_t* at = lists.begin(i); at < end;) {
            Decoded one = decode(at, end);
            out.push(hash_character(one.code));
            at += one.size;
        }
    });
}

auto spot_signatures(In<uint64_t> hashes, In<uint8_t> antecedent, In<uint8_t> stopped, In<int64_t> offsets,
                     int64_t chain, int64_t distance, int threads) {
    ListsOf<uint64_t> lists(hashes, offsets);
    require(stopped.size() == hashes.size() && antecedent.size() == hashes.size(),
            "one mark per word is needed");
    require(chain >= 1 && distance >= 1, "chain and distance must be at least 1");
    Spots spots{static_cast<size_t>(chain), static_cast<size_t>(distance)};
    std::vector<SortedSet> sets(std::max(threads, 1));
    std::vector<Growing<uint64_t>> found(std::max(threads, 1));
    return written(lists.count, threads, [&](size_t i, int worker, Growing<uint64_t>& out) {
        uint64_t* values = found[worker].room(lists.size(i));
        size_t made = spots.write(lists.begin(i), antecedent.data() + lists.offsets[i],
                                  stopped.data() + lists.offsets[i], lists.size(i), values);
        out.grow(sets[worker].sort(values, made, out.room(made)));
    });
}

auto simhashes(In<uint64_t> features, In<int64_t> offsets, In<int32_t> weights, int threads) {
    ListsOf<uint64_t> lists(features, offsets);
    require(weights.size() == 0 || weights.size() == features.size(), "one weight per feature is needed");
    std::vector<uint64_t> prints(lists.count);
    {
        Released unlocked;
        each_document(lists.count, threads, [&](size_t i, int) {
            std::span<const int32_t> mine;
            if (weights.size()) mine = {weights.data() + lists.offsets[i], lists.size(i)};
            prints[i] = simhash(lists[i], mine);
        });
    }
    return give(std::move(prints));
}

// A digest of the bytes of each document.
auto text_digests(In<uint8_t> data, In<int64_t> offsets, int threads) {
    Texts texts(data, offsets);
    std::vector<uint64_t> digests(texts.count);
    {
        Released unlocked;
        each_document(texts, threads, [&](size_t i, int) {
            Digest digest;
            digest.update(texts.begin(i), static_cast<size_t>(texts.end(i) - texts.begin(i)));
            digests[i] = digest.value();
        });
    }
    return give(std::move(digests));
}

}  // namespace

void bind_keys(nb::module_& m) {
    using namespace nb::literals;
    m.def("lexicon_keys", &lexicon_keys, "hashes"_a, "offsets"_a, "inside"_a, "lexica"_a, "share"_a, "seed"_a,
          "least"_a, "threads"_a);
    m.def("list_keys", &list_keys, "hashes"_a, "offsets"_a, "lists"_a, "seed"_a, "least"_a, "threads"_a);
    m.def("logarithmic_keys", &logarithmic_keys, "values"_a, "offsets"_a, "threads"_a);
    m.def("unit_shingles", &unit_shingles, "units"_a, "offsets"_a, "length"_a, "wrap"_a, "unique"_a,
          "threads"_a);
    m.def("characters", &characters, "bytes"_a, "offsets"_a, "threads"_a);
    m.def("spot_signatures", &spot_signatures, "hashes"_a, "antecedent"_a, "stopped"_a, "offsets"_a,
          "chain"_a, "distance"_a, "threads"_a);
    m.def("simhashes", &simhashes, "features"_a, "offsets"_a, "weights"_a, "threads"_a);
    m.def("text_digests", &text_digests, "data"_a, "offsets"_a, "threads"_a);
}

}  // namespace twinset
