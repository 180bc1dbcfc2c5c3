#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "give_growing.hpp"
#include "group.hpp"
#include "measure.hpp"
#include "prefix.hpp"
#include "store.hpp"
#include "verified_groups.hpp"
#include "written.hpp"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace twinset {
namespace {

std::vector<uint8_t> bytes(const In<uint8_t>& in) { return {in.data(), in.data() + in.size()}; }

std::vector<uint32_t> numbers(const In<uint32_t>& in, size_t below) {
    std::vector<uint32_t> out(in.data(), in.data() + in.size());
    for (uint32_t x : out) require(x < below, "a document number is out of range");
    return out;
}

Measure measure_of(int number) {
    require(number >= 0 && number <= 4, "unknown measure");
    return static_cast<Measure>(number);
}

Out<int64_t> widened(std::span<const uint32_t> values) {
    return give(std::vector<int64_t>(values.begin(), values.end()));
}

// A copy while documents still come, the store's own column afterwards.
nb::ndarray<nb::numpy, const uint32_t, nb::ndim<1>> sizes_of(nb::handle_t<FeatureStore> self) {
    const FeatureStore& store = nb::cast<const FeatureStore&>(self);
    std::span<const uint32_t> sizes = store.sizes();
    if (store.settled()) return {sizes.data(), {sizes.size()}, self};
    auto* held = new std::vector<uint32_t>(sizes.begin(), sizes.end());
    nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<uint32_t>*>(p); });
    return {held->data(), {held->size()}, owner};
}

// Holds on to an array, and lets it go under the GIL, whoever lets it go.
std::shared_ptr<void> owner_of(const In<uint64_t>& values) {
    return {new In<uint64_t>(values), [](In<uint64_t>* held) {
                nb::gil_scoped_acquire locked;
                delete held;
            }};
}

FeatureBlock prepare(FeatureStore& store, In<uint64_t> values, In<int64_t> offsets, int threads) {
    check_offsets(view(offsets), values.size());
    std::shared_ptr<void> owner = owner_of(values);
    Released unlocked;
    return store.prepare(view(values), view(offsets), std::move(owner), threads);
}

void add_block(FeatureStore& store, FeatureBlock& block) {
    FeatureBlock taken = std::exchange(block, FeatureBlock{});
    Released unlocked;
    store.add(taken);
}

void append(FeatureStore& store, In<uint64_t> values, In<int64_t> offsets, int threads) {
    FeatureBlock block = prepare(store, values, offsets, threads);
    add_block(store, block);
}

// Shared features of each pair (left[i], right[i]), exactly.
Out<int64_t> shared(const FeatureStore& store, In<uint32_t> left, In<uint32_t> right, int threads) {
    require(left.size() == right.size(), "left and right differ in length");
    std::vector<uint32_t> a = numbers(left, store.count()), b = numbers(right, store.count());
    std::vector<int64_t> out(a.size());
    {
        Released unlocked;
        parallel_blocks(a.size(), 256, threads, [&](size_t begin, size_t end, int) {
            std::vector<uint64_t> room, other;
            Pace pace;
            for (size_t i = begin; i < end; pace(store.size(a[i]) + store.size(b[i])), ++i)
                out[i] =
                    static_cast<int64_t>(shared_count(store.list(a[i], room), store.list(b[i], other), 0));
        });
    }
    return give(std::move(out));
}

Out<uint64_t> features_of(const FeatureStore& store, size_t document) {
    require(document < store.count(), "a document number is out of range");
    std::vector<uint64_t> room;
    FeatureList list = store.list(document, room);
    return give(std::vector<uint64_t>(list.begin(), list.end()));
}

// Rows of keys, one per document.
void make_key_block(KeyBlock* block, In2<uint64_t> keys) {
    size_t count = keys.shape(0), width = keys.shape(1);
    require(count <= UINT32_MAX, "too many documents in a block");
    Released unlocked;
    new (block) KeyBlock(count * width, [&](const auto& row) {
        const uint64_t* key = keys.data();
        for (size_t i = 0; i < count; ++i)
            for (size_t k = 0; k < width; ++k) row(*key++, static_cast<uint32_t>(i));
    });
}

void add_keys(Grouper& grouper, KeyBlock& block, uint32_t first, int threads) {
    KeyBlock taken = std::move(block);
    Released unlocked;
    grouper.add(std::move(taken), first, threads);
}

// For pickle: the rows as they were dealt.
using KeyRows = std::tuple<Out<uint64_t>, Out<uint32_t>>;
KeyRows rows_of(const KeyBlock& block) {
    std::span<const uint64_t> keys = block.keys();
    std::span<const uint32_t> documents = block.documents();
    return {give(std::vector<uint64_t>(keys.begin(), keys.end())),
            give(std::vector<uint32_t>(documents.begin(), documents.end()))};
}

void restore_key_block(KeyBlock& block, const std::tuple<In<uint64_t>, In<uint32_t>>& rows) {
    const auto& [keys, documents] = rows;
    require(keys.size() == documents.size(), "one document per key is needed");
    Released unlocked;
    new (&block) KeyBlock(keys.size(), [&](const auto& row) {
        for (size_t i = 0; i < keys.size(); ++i) row(keys.data()[i], documents.data()[i]);
    });
}

void check_counters(size_t counters) {
    require(counters > 0 && (counters & (counters - 1)) == 0, "counters must be a power of two");
}

// `counts` are those of a larger collection; where it is empty, as many counters as asked for count these
// documents.
Out<uint32_t> add_prefix_keys(Grouper& grouper, const FeatureStore& store, In<uint32_t> documents,
                              int measure, double threshold, size_t counters, In<uint16_t> counts,
                              size_t memory, const std::string& folder, bool prune, int threads) {
    check_counters(counts.size() ? counts.size() : counters);
    std::vector<uint32_t> all = numbers(documents, store.count());
    Measure m = measure_of(measure);
    std::vector<uint32_t> alone;
    auto add = [&](const FeatureCounts& known) {
        PrefixKeys keys(store, all, known, m, threshold, threads);
        if (prune) keys.add_pruned(grouper);
        else keys.add(grouper);
        alone = std::move(keys.alone);
    };
    {
        Released unlocked;
        if (counts.size()) add(FeatureCounts(view(counts)));
        else add(FeatureCounts(store, all, counters, memory, folder, threads));
    }
    return give(std::move(alone));
}

// The features of the prefixes of lists, for whoever groups by them elsewhere; those of one list in any
// order.
auto prefix_keys(In<uint64_t> values, In<int64_t> offsets, In<uint16_t> counts, int measure, double threshold,
                 int threads) {
    ListsOf<uint64_t> lists(values, offsets);
    check_counters(counts.size());
    Measure m = measure_of(measure);
    FeatureCounts known(view(counts));
    std::vector<Prefix> prefixes(static_cast<size_t>(std::max(threads, 1)));
    return written(lists.count, threads, [&](size_t i, int worker, Growing<uint64_t>& out) {
        Prefix& prefix = prefixes[static_cast<size_t>(worker)];
        prefix.find(lists[i], i, known, m, threshold);
        prefix.each([&](uint64_t feature) { out.push(feature); });
    });
}

std::tuple<Out<int64_t>, Out<uint32_t>> finish(Grouper& grouper, In<uint8_t> use, bool distinct,
                                               int threads) {
    if (distinct) {
        std::unique_ptr<DistinctGroups> groups;
        {
            Released unlocked;
            groups = grouper.finish_distinct(bytes(use), threads);
        }
        return {give(std::move(groups->offsets)), give(std::move(groups->documents))};
    }
    Groups groups;
    {
        Released unlocked;
        groups = grouper.finish(bytes(use), threads);
    }
    return {give(std::move(groups.offsets)), give(std::move(groups.documents))};
}

// Groups hold documents of the order alone, rising.
void check_groups(GroupRows rows, std::span<const uint32_t> order, size_t documents, int threads) {
    std::vector<uint8_t> listed(documents, 0);
    for (uint32_t d : order) {
        require(d < documents, "a document number is out of range");
        listed[d] = 1;
    }
    parallel_blocks(rows.count(), 4096, threads, [&](size_t begin, size_t end, int) {
        for (size_t g = begin; g < end; ++g) {
            auto members = rows.members(g);
            for (size_t k = 0; k < members.size(); ++k) {
                require(members[k] < documents, "a document number is out of range");
                require(listed[members[k]], "a grouped document has no place in the order");
                require(k == 0 || members[k - 1] < members[k], "the documents of a group must rise");
            }
        }
    });
}

// `alone` per slot, as it is by document; empty where it is not known.
std::vector<uint32_t> alone_by_document(const FeatureStore& store, std::span<const uint32_t> order,
                                        std::span<const uint32_t> alone) {
    if (alone.empty()) return {};
    std::vector<uint32_t> known(store.count(), kUnknownAlone);
    for (size_t s = 0; s < alone.size(); ++s) {
        require(alone[s] == kUnknownAlone || alone[s] <= store.size(order[s]),
                "more features alone than there are");
        known[order[s]] = alone[s];
    }
    return known;
}

// Verified pairs out of groups of documents, sorted. `order` lists the documents in order of preference,
// `positions` their places in that order among all documents of the collection, of which these may be a part;
// `alone`, where it is known, has for each how many of its features no other one has.
std::tuple<Out<uint32_t>, Out<uint32_t>, Out<int64_t>, uint64_t, uint64_t, uint64_t> verified_pairs(
    const FeatureStore& store, In<uint32_t> order, In<uint8_t> kept, In<uint64_t> positions,
    In<uint32_t> alone, In<int64_t> group_offsets, In<uint32_t> group_documents, int measure,
    double threshold, uint64_t dense, uint64_t crowd, size_t memory, int threads) {
    check_offsets(view(group_offsets), group_documents.size());
    require(kept.size() == order.size(), "kept needs one entry per slot");
    require(positions.size() == order.size(), "positions needs one entry per slot");
    for (size_t s = 1; s < positions.size(); ++s)
        require(positions.data()[s - 1] < positions.data()[s], "positions must rise");
    require(alone.size() == 0 || alone.size() == order.size(), "alone needs one entry per slot, or none");
    Measure m = measure_of(measure);
    GroupRows rows{view(group_offsets), view(group_documents)};
    std::vector<uint32_t> left, right;
    std::vector<int64_t> common;
    uint64_t compared, absorbed, not_enumerated;
    {
        Released unlocked;
        check_groups(rows, view(order), store.count(), threads);
        VerifiedGroups verified(rows,
                                {store, m, threshold, alone_by_document(store, view(order), view(alone))},
                                view(order), view(kept), view(positions), dense, crowd, memory, threads);
        compared = verified.compared, absorbed = verified.absorbed, not_enumerated = verified.not_enumerated;
        left.reserve(verified.pairs.size());
        right.reserve(verified.pairs.size());
        common.reserve(verified.pairs.size());
        for (const VerifiedPair& pair : verified.pairs) {
            left.push_back(pair.left);
            right.push_back(pair.right);
            common.push_back(pair.shared);
        }
    }
    return {give(std::move(left)), give(std::move(right)), give(std::move(common)), compared, absorbed,
            not_enumerated};
}

// Gives memory that was freed back to the system, so that other threads and libraries can have it.
void give_back_memory() {
#if defined(__GLIBC__)
    Released unlocked;
    malloc_trim(0);
#endif
}

// Arrays of so many bytes or more get memory of their own, which goes back to the system with them.
// Left alone the C library raises this bound to 32 MB, and what lives long lies between what does not.
void keep_arrays_apart(size_t bytes) {
#if defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, static_cast<int>(std::min<size_t>(bytes, 32 << 20)));
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
#else
    (void)bytes;
#endif
}

Out<int64_t> needed_overlap(In<int64_t> a, In<int64_t> b, int measure, double threshold) {
    require(a.size() == b.size(), "sizes differ in length");
    Measure m = measure_of(measure);
    std::vector<int64_t> out(a.size());
    for (size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<int64_t>(
            needed(m, threshold, static_cast<uint64_t>(a.data()[i]), static_cast<uint64_t>(b.data()[i])));
    return give(std::move(out));
}

}  // namespace

void bind_pairs(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<FeatureBlock>(m, "FeatureBlock").def("__len__", &FeatureBlock::count);
    nb::class_<FeatureStore>(m, "FeatureStore")
        .def(nb::init<size_t, std::string>(), "memory"_a, "folder"_a)
        .def("prepare", &prepare, "values"_a, "offsets"_a, "threads"_a)
        .def("add", &add_block, "block"_a)
        .def("append", &append, "values"_a, "offsets"_a, "threads"_a)
        .def(
            "settle",
            [](FeatureStore& store, size_t memory) {
                Released unlocked;
                store.settle(memory);
            },
            "memory"_a)
        .def("release",
             [](FeatureStore& store) {
                 Released unlocked;
                 store.release();
             })
        .def("__len__", &FeatureStore::count)
        .def_prop_ro("sizes", &sizes_of, nb::rv_policy::automatic)
        .def_prop_ro(
            "classes", [](const FeatureStore& s) { return widened(s.classes()); }, nb::rv_policy::automatic)
        .def_prop_ro("spilled_bytes", &FeatureStore::spilled_bytes)
        .def("features", &features_of, "document"_a)
        .def("shared", &shared, "left"_a, "right"_a, "threads"_a);
    nb::class_<KeyBlock>(m, "KeyBlock")
        .def("__init__", &make_key_block, "keys"_a)
        .def("__getstate__", &rows_of)
        .def("__setstate__", &restore_key_block, "rows"_a);
    nb::class_<Grouper>(m, "Grouper")
        .def(nb::init<size_t, std::string>(), "memory"_a, "folder"_a)
        .def_prop_ro("spilled_bytes", &Grouper::spilled_bytes)
        .def("add", &add_keys, "block"_a, "first"_a, "threads"_a)
        .def("add_prefixes", &add_prefix_keys, "store"_a, "documents"_a, "measure"_a, "threshold"_a,
             "counters"_a, "counts"_a, "memory"_a, "folder"_a, "prune"_a, "threads"_a)
        .def("finish", &finish, "use"_a, "distinct"_a, "threads"_a);
    m.def("prefix_keys", &prefix_keys, "values"_a, "offsets"_a, "counts"_a, "measure"_a, "threshold"_a,
          "threads"_a);
    m.def("verified_pairs", &verified_pairs, "store"_a, "order"_a, "kept"_a, "positions"_a, "alone"_a,
          "group_offsets"_a, "group_documents"_a, "measure"_a, "threshold"_a, "dense"_a, "crowd"_a,
          "memory"_a, "threads"_a);
    m.def("give_back_memory", &give_back_memory);
    m.def("keep_arrays_apart", &keep_arrays_apart, "bytes"_a);
    m.def("needed_overlap", &needed_overlap, "a"_a, "b"_a, "measure"_a, "threshold"_a);
}

}  // namespace twinset
