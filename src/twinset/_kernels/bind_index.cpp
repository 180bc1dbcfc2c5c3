// The doors of the kernels that an index is made of.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include <cstring>
#include <memory>

#include "arrays.hpp"
#include "bindings.hpp"
#include "file_range.hpp"
#include "measure.hpp"
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

// Sorted keys of several files, which stay where they are: mapped into memory by whoever hands them over.
class KeySearch {
  public:
    void add(In<uint64_t> keys, In<uint32_t> numbers, In<uint32_t> directory, int bits) {
        check_bits(bits);
        require(keys.size() == numbers.size(), "one number per key is needed");
        require(directory.size() == (size_t{1} << bits) + 1, "the directory has another size");
        files_.push_back({keys, numbers, directory, bits});
    }

    // For each list of wanted keys the numbers that have one of them, ascending and each once, without
    // those that are gone: rows of the lists, and numbers.
    auto find(In<uint64_t> wanted, In<int64_t> offsets, In<uint8_t> gone) const {
        ListsOf<uint64_t> lists(wanted, offsets);
        std::vector<int64_t> rows;
        std::vector<uint32_t> found;
        {
            Released released;
            Pace pace;
            for (size_t row = 0; row < lists.count; ++row) {
                size_t first = found.size();
                look_up(lists[row], view(gone), found, pace);
                settle(found, first);
                rows.resize(found.size(), static_cast<int64_t>(row));
            }
        }
        return std::make_tuple(give(std::move(rows)), give(std::move(found)));
    }

  private:
    struct File {
        In<uint64_t> keys;
        In<uint32_t> numbers, directory;
        int bits;
    };

    void look_up(std::span<const uint64_t> keys, std::span<const uint8_t> gone, std::vector<uint32_t>& found,
                 Pace& pace) const {
        size_t begin = found.size();
        each_file([&](const File&, const SortedKeys& sorted) {
            for (uint64_t key : keys) sorted.expect(key);
        });
        each_file([&](const File&, const SortedKeys& sorted) {
            for (uint64_t key : keys) sorted.expect_keys(key);
        });
        each_file([&](const File& file, const SortedKeys& sorted) {
            for (uint64_t key : keys) {
                auto [first, last] = sorted.places(key);
                pace(last - first + 1);
                bool is_crowd = last - first > kCrowd;
                if (is_crowd) settle(found, begin);
                size_t middle = found.size();
                for (size_t i = first; i < last; ++i) {
                    uint32_t number = file.numbers.data()[i];
                    if (number >= gone.size() || !gone[number]) found.push_back(number);
                }
                // The keys of a crowd have the same documents again and again, each time in order.
                if (is_crowd) std::inplace_merge(found.begin() + begin, found.begin() + middle, found.end());
                if (is_crowd) settle(found, begin);
            }
        });
    }

    // What was found from `begin` on, in order and each once.
    static void settle(std::vector<uint32_t>& found, size_t begin) {
        if (!std::is_sorted(found.begin() + begin, found.end()))
            std::sort(found.begin() + begin, found.end());
        found.erase(std::unique(found.begin() + begin, found.end()), found.end());
    }

    template <class Work>
    void each_file(Work&& work) const {
        for (const File& file : files_)
            work(file, SortedKeys(view(file.keys), view(file.directory), file.bits));
    }

    static constexpr size_t kCrowd = 1000;  // documents with one key from which on they are merged
    std::vector<File> files_;
};

// Documents of several packs, which stay where they are as well. Bodies are read and not mapped: what was
// looked at once would count as memory of this process.
class PackedDocuments {
  public:
    // Packs come in the order of the numbers of their documents.
    void add(In<uint32_t> numbers, In<uint64_t> digests, In<uint32_t> sizes, In<uint8_t> ids,
             In<int64_t> id_offsets, std::shared_ptr<HeldFile> file, uint64_t begin, uint64_t size,
             In<int64_t> body_offsets) {
        size_t count = numbers.size();
        require(digests.size() == count && sizes.size() == count, "a document has one of each");
        require(id_offsets.size() == count + 1 && body_offsets.size() == count + 1, "offsets are missing");
        if (count == 0) return;
        uint32_t first = numbers.data()[0], last = numbers.data()[count - 1];
        packs_.push_back({first, last, numbers, digests, sizes, ids, id_offsets, body_offsets,
                          std::move(file), begin, size});
    }

    // Ids, digests, sizes and bodies of these documents. What is read was checked when it was written: keys
    // or offsets that lead nowhere are damaged.
    auto fetch(In<uint32_t> numbers, bool with_bodies) const {
        size_t count = numbers.size();
        std::vector<uint64_t> digests(count);
        std::vector<uint32_t> sizes(count);
        Stretches ids(count), bodies(count);
        {
            Released released;
            std::vector<Place> places(count);
            Pace pace;
            for (size_t i = 0; i < count; pace(16), ++i) {
                auto [pack, row] = places[i] = place_of(numbers.data()[i]);
                digests[i] = pack->digests.data()[row];
                sizes[i] = pack->sizes.data()[row];
                ids.measure(i, pack->id_offsets, row, pack->ids.size());
                if (with_bodies) bodies.measure(i, pack->body_offsets, row, pack->size);
            }
            ids.fill(pace, [&](size_t i, int64_t begin, std::span<uint8_t> out) {
                std::memcpy(out.data(), places[i].pack->ids.data() + begin, out.size());
            });
            bodies.fill(pace, [&](size_t i, int64_t begin, std::span<uint8_t> out) {
                const Pack& pack = *places[i].pack;
                require(pack.file->read(pack.begin + static_cast<uint64_t>(begin), out), "a pack is cut off");
            });
        }
        return std::make_tuple(give(std::move(ids.values)), give(std::move(ids.offsets)),
                               give(std::move(digests)), give(std::move(sizes)),
                               give(std::move(bodies.values)), give(std::move(bodies.offsets)));
    }

  private:
    struct Pack {
        uint32_t first, last;  // of the numbers, which lie elsewhere
        In<uint32_t> numbers;
        In<uint64_t> digests;
        In<uint32_t> sizes;
        In<uint8_t> ids;
        In<int64_t> id_offsets, body_offsets;
        std::shared_ptr<HeldFile> file;
        uint64_t begin, size;  // of the bodies in it
    };
    struct Place {
        const Pack* pack;
        size_t row;
    };

    // Stretches of bytes that are put one after the other.
    struct Stretches {
        explicit Stretches(size_t count) : begins(count), offsets(count + 1) {}

        void measure(size_t i, const In<int64_t>& ends, size_t row, uint64_t size) {
            int64_t begin = ends.data()[row], end = ends.data()[row + 1];
            require(begin >= 0 && begin <= end && static_cast<uint64_t>(end) <= size,
                    "offsets lead outside of a pack");
            begins[i] = begin;
            offsets[i + 1] = end - begin;
        }

        template <class Get>
        void fill(Pace& pace, Get&& get) {
            for (size_t i = 0; i < begins.size(); ++i) offsets[i + 1] += offsets[i];
            values.resize(static_cast<size_t>(offsets.back()));
            for (size_t i = 0; i < begins.size(); ++i) {
                size_t size = static_cast<size_t>(offsets[i + 1] - offsets[i]);
                pace(size / 64 + 1);
                if (size > 0) get(i, begins[i], std::span(values.data() + offsets[i], size));
            }
        }

        std::vector<int64_t> begins, offsets;
        std::vector<uint8_t> values;
    };

    Place place_of(uint32_t number) const {
        auto pack = std::partition_point(packs_.begin(), packs_.end(),
                                         [&](const Pack& each) { return each.last < number; });
        if (pack != packs_.end() && pack->first <= number) {
            std::span<const uint32_t> numbers = view(pack->numbers);
            // without gaps it stands where it would be counted to
            size_t row = number - pack->first;
            if (row >= numbers.size() || numbers[row] != number)
                row = std::lower_bound(numbers.begin(), numbers.end(), number) - numbers.begin();
            if (row < numbers.size() && numbers[row] == number) return {&*pack, row};
        }
        throw std::invalid_argument("keys name documents that are not there");
    }

    std::vector<Pack> packs_;
};

// The pairs of a list of one collection and one of another that reach the threshold: both sides, similarity,
// number of common features, and size of the first.
auto matches_between(In<uint64_t> first, In<int64_t> first_offsets, In<uint64_t> second,
                     In<int64_t> second_offsets, In<int64_t> left, In<int64_t> right, int measure,
                     double threshold, int threads) {
    ListsOf<uint64_t> ours(first, first_offsets), theirs(second, second_offsets);
    require(left.size() == right.size(), "a pair has two sides");
    auto inside = [](const In<int64_t>& places, size_t count) {
        return std::all_of(places.data(), places.data() + places.size(), [count](int64_t place) {
            return place >= 0 && static_cast<size_t>(place) < count;
        });
    };
    require(inside(left, ours.count) && inside(right, theirs.count), "a pair names no list");
    require(measure >= 0 && measure <= static_cast<int>(Measure::overlap), "there is no such measure");
    std::vector<int64_t> lefts, rights, shared(left.size()), sizes;
    std::vector<double> scores(left.size());
    {
        Released released;
        parallel_blocks(shared.size(), 256, threads, [&](size_t begin, size_t end, int) {
            Pace pace;
            for (size_t p = begin; p < end; ++p) {
                auto a = ours[left.data()[p]], b = theirs[right.data()[p]];
                pace(a.size() + b.size());
                uint64_t common = shared_count(a, b, 0);
                shared[p] = static_cast<int64_t>(common);
                scores[p] = similarity(static_cast<Measure>(measure), common, a.size(), b.size());
            }
        });
        size_t matches = 0;
        for (size_t p = 0; p < shared.size(); ++p) {
            if (ours.size(left.data()[p]) == 0 || !(scores[p] >= threshold)) continue;
            lefts.push_back(left.data()[p]);
            rights.push_back(right.data()[p]);
            sizes.push_back(static_cast<int64_t>(ours.size(left.data()[p])));
            scores[matches] = scores[p];
            shared[matches++] = shared[p];
        }
        scores.resize(matches);
        shared.resize(matches);
    }
    return std::make_tuple(give(std::move(lefts)), give(std::move(rights)), give(std::move(scores)),
                           give(std::move(shared)), give(std::move(sizes)));
}

}  // namespace

void bind_index(nb::module_& m) {
    using namespace nb::literals;
    m.def("sorted_keys", &sorted_keys, "keys"_a, "numbers"_a, "threads"_a);
    m.def("key_directory", &key_directory, "keys"_a, "bits"_a);
    nb::class_<KeySearch>(m, "KeySearch")
        .def(nb::init<>())
        .def("add", &KeySearch::add, "keys"_a, "numbers"_a, "directory"_a, "bits"_a)
        .def("find", &KeySearch::find, "wanted"_a, "offsets"_a, "gone"_a);
    nb::class_<HeldFile>(m, "HeldFile").def(nb::init<int>(), "file"_a);
    nb::class_<PackedDocuments>(m, "PackedDocuments")
        .def(nb::init<>())
        .def("add", &PackedDocuments::add, "numbers"_a, "digests"_a, "sizes"_a, "ids"_a, "id_offsets"_a,
             "file"_a, "begin"_a, "size"_a, "body_offsets"_a)
        .def("fetch", &PackedDocuments::fetch, "numbers"_a, "with_bodies"_a);
    m.def("matches_between", &matches_between, "first"_a, "first_offsets"_a, "second"_a, "second_offsets"_a,
          "left"_a, "right"_a, "measure"_a, "threshold"_a, "threads"_a);
}

}  // namespace twinset
