// The doors of the kernels that an index is made of.
#include <nanobind/stl/tuple.h>

#include "arrays.hpp"
#include "bindings.hpp"
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
    // those that are gone: rows of the lists, numbers, and how many of the keys each has. Of more than
    // `dense` only the `few` that have the most keys, of equal ones the first; the last array says how
    // many there were for each list.
    auto find(In<uint64_t> wanted, In<int64_t> offsets, In<uint8_t> gone, uint64_t dense,
              uint64_t few) const {
        ListsOf<uint64_t> lists(wanted, offsets);
        std::vector<int64_t> rows, totals(lists.count);
        std::vector<uint32_t> found, times, counters;
        {
            Released released;
            Pace pace;
            std::vector<uint32_t> owners;
            std::vector<Sharer> sharers;
            for (size_t row = 0; row < lists.count; ++row) {
                owners.clear(), sharers.clear();
                look_up(lists[row], view(gone), owners, pace, [&] { count(owners, counters, sharers); });
                finish(owners, counters, sharers);
                totals[row] = static_cast<int64_t>(sharers.size());
                if (sharers.size() > dense) keep_nearest(sharers, few);
                auto by_number = [](const Sharer& a, const Sharer& b) { return a.number < b.number; };
                if (!std::is_sorted(sharers.begin(), sharers.end(), by_number))
                    std::sort(sharers.begin(), sharers.end(), by_number);
                for (const Sharer& one : sharers) found.push_back(one.number), times.push_back(one.times);
                rows.resize(found.size(), static_cast<int64_t>(row));
            }
        }
        return std::make_tuple(give(std::move(rows)), give(std::move(found)), give(std::move(times)),
                               give(std::move(totals)));
    }

  private:
    struct File {
        In<uint64_t> keys;
        In<uint32_t> numbers, directory;
        int bits;
    };
    struct Sharer {
        uint32_t number, times;
    };

    template <class Full>
    void look_up(std::span<const uint64_t> keys, std::span<const uint8_t> gone, std::vector<uint32_t>& found,
                 Pace& pace, Full&& full) const {
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
                const uint32_t* numbers = file.numbers.data();
                if (gone.empty()) found.insert(found.end(), numbers + first, numbers + last);
                for (size_t i = gone.empty() ? last : first; i < last; ++i)
                    if (numbers[i] >= gone.size() || !gone[numbers[i]]) found.push_back(numbers[i]);
                if (found.size() > kCrowd) full();
            }
        });
    }

    // Owners are counted and not sorted where they are many: the keys of a crowd have the same documents
    // again and again. Sharers begin with no times, which the counters have; they are zero otherwise.
    static void count(std::vector<uint32_t>& owners, std::vector<uint32_t>& counters,
                      std::vector<Sharer>& sharers) {
        size_t left = 0;
        for (uint32_t number : owners) {
            if (number >= kMost) {
                owners[left++] = number;
                continue;
            }
            if (number >= counters.size()) counters.resize(number + size_t{1});
            if (counters[number]++ == 0) sharers.push_back({number, 0});
        }
        owners.resize(left);
    }

    // Takes the counts over, and those of the owners that were not counted.
    static void finish(std::vector<uint32_t>& owners, std::vector<uint32_t>& counters,
                       std::vector<Sharer>& sharers) {
        if (!sharers.empty()) count(owners, counters, sharers);
        for (Sharer& one : sharers) one.times = std::exchange(counters[one.number], 0);
        if (!std::is_sorted(owners.begin(), owners.end())) std::sort(owners.begin(), owners.end());
        for (size_t i = 0; i < owners.size(); ++i) {
            if (i == 0 || owners[i] != owners[i - 1]) sharers.push_back({owners[i], 0});
            ++sharers.back().times;
        }
    }

    // Those of the most keys, and of equal ones the first.
    static void keep_nearest(std::vector<Sharer>& sharers, size_t few) {
        few = std::min(few, sharers.size());
        std::vector<size_t> with;  // so many of them have so many keys
        for (const Sharer& one : sharers) {
            if (one.times >= with.size()) with.resize(one.times + size_t{1});
            ++with[one.times];
        }
        size_t least = with.size(), above = 0;
        while (least > 0 && above < few) above += with[--least];
        std::erase_if(sharers, [least](const Sharer& one) { return one.times < least; });
        auto nearer = [](const Sharer& a, const Sharer& b) {
            return a.times != b.times ? a.times > b.times : a.number < b.number;
        };
        std::nth_element(sharers.begin(), sharers.begin() + few, sharers.end(), nearer);
        sharers.resize(few);
    }

    template <class Work>
    void each_file(Work&& work) const {
        for (const File& file : files_)
            work(file, SortedKeys(view(file.keys), view(file.directory), file.bits));
    }

    static constexpr size_t kCrowd = 1000;       // owners from which on they are counted
    static constexpr uint32_t kMost = 1u << 28;  // numbers that have a counter: a damaged one has none
    std::vector<File> files_;
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
        .def("find", &KeySearch::find, "wanted"_a, "offsets"_a, "gone"_a, "dense"_a, "few"_a);
    m.def("matches_between", &matches_between, "first"_a, "first_offsets"_a, "second"_a, "second_offsets"_a,
          "left"_a, "right"_a, "measure"_a, "threshold"_a, "threads"_a);
}

}  // namespace twinset
