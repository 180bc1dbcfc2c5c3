// The doors of the kernels behind signals: counted and numbered terms, what pairs share, neighbours.
#include <nanobind/stl/tuple.h>

#include <bit>
#include <cmath>
#include <tuple>

#include "arrays.hpp"
#include "bindings.hpp"
#include "fold.hpp"
#include "give_growing.hpp"
#include "lcs.hpp"
#include "nearest.hpp"
#include "per_document.hpp"
#include "shared_terms.hpp"
#include "shingles.hpp"
#include "term_counts.hpp"
#include "texts.hpp"

namespace twinset {
namespace {

using Counted = std::tuple<Out<uint64_t>, Out<uint16_t>, Out<int64_t>, Out<uint32_t>>;

// Counts the terms that terms(document, counter, worker) puts into the counter's room, returning their
// number.
template <class Terms>
Counted counted(size_t documents, bool with_places, int threads, Terms&& terms) {
    Gathered<uint64_t> distinct;
    Gathered<uint16_t> times;
    Gathered<uint32_t> places;
    {
        Released unlocked;
        std::vector<TermCounter> counters(std::max(threads, 1));
        PerDocument<uint64_t> all_distinct(documents, threads);
        PerDocument<uint16_t> all_times(documents, threads);
        PerDocument<uint32_t> all_places(documents, threads);
        each_document(documents, threads, [&](size_t i, int worker) {
            TermCounter& counter = counters[static_cast<size_t>(worker)];
            size_t n = terms(i, counter, worker);
            Growing<uint32_t>& place = all_places.begin(i, worker);
            counter.count(n, all_distinct.begin(i, worker), all_times.begin(i, worker),
                          with_places ? &place : nullptr);
            all_distinct.finish(i), all_times.finish(i), all_places.finish(i);
        });
        distinct = all_distinct.gather(), times = all_times.gather(), places = all_places.gather();
    }
    return {give(std::move(distinct.values)), give(std::move(times.values)),
            give(std::move(distinct.offsets)), give(std::move(places.values))};
}

size_t rolled(const uint64_t* units, size_t n, const Shape& shape, TermCounter& counter) {
    return roll_shingles(units, n, shape, counter.room(shingle_count(n, shape)));
}

// The runs of `length` units of each list: sorted, counted, and with places for each run where it stands.
Counted counted_runs(In<uint64_t> units, In<int64_t> offsets, int64_t length, bool places, int threads) {
    ListsOf<uint64_t> lists(units, offsets);
    require(length >= 1, "a run needs at least one unit");
    Shape shape{static_cast<uint64_t>(length), 1};
    return counted(lists.count, places, threads, [&](size_t i, TermCounter& counter, int) {
        return rolled(lists.begin(i), lists.size(i), shape, counter);
    });
}

// Leaves the hashes that are low enough for `most` of n or half as many to stay, in order.
size_t sampled(uint64_t* hashes, size_t n, size_t most) {
    if (n <= most) return n;
    int bits = std::bit_width((n - 1) / most);
    size_t kept = 0;
    for (size_t i = 0; i < n; ++i) {
        uint64_t hash = hashes[i];
        hashes[kept] = hash;
        kept += hash * kGolden >> (64 - bits) == 0;
    }
    return kept;
}

// The same of the folded characters of words with a space after each; of long documents a sample of
// about `most` runs, of which two documents of one length keep the same; 0: all.
Counted counted_folded(In<uint8_t> bytes, In<int64_t> offsets, int64_t length, int64_t most, int threads) {
    ListsOf<uint8_t> lists(bytes, offsets);
    require(length >= 1, "a run needs at least one character");
    Shape shape{static_cast<uint64_t>(length), 1};
    std::vector<Growing<uint32_t>> codes(std::max(threads, 1));
    std::vector<Growing<uint64_t>> hashes(std::max(threads, 1));
    return counted(lists.count, false, threads, [&](size_t i, TermCounter& counter, int worker) {
        Growing<uint32_t>& folded = codes[static_cast<size_t>(worker)];
        Growing<uint64_t>& units = hashes[static_cast<size_t>(worker)];
        folded.clear(), units.clear();
        Folder::fold(lists.begin(i), lists.end(i), folded);
        uint64_t* to = units.room(folded.size());
        for (size_t c = 0; c < folded.size(); ++c) {
            uint32_t code = folded.data()[c];
            to[c] = code < 128 ? kAsciiHashes[code] : hash_character(code);
        }
        stop_point();
        size_t runs = rolled(to, folded.size(), shape, counter);
        return most ? sampled(counter.room(runs), runs, static_cast<size_t>(most)) : runs;
    });
}

// The folded text itself, as UTF-8.
auto folded_text(In<uint8_t> bytes, In<int64_t> offsets, int threads) {
    ListsOf<uint8_t> lists(bytes, offsets);
    Gathered<uint8_t> texts;
    {
        Released unlocked;
        PerDocument<uint8_t> all(lists.count, threads);
        each_document(lists.count, threads, [&](size_t i, int worker) {
            Growing<uint32_t> codes;
            Folder::fold(lists.begin(i), lists.end(i), codes);
            Growing<uint8_t>& out = all.begin(i, worker);
            for (size_t c = 0; c < codes.size(); ++c) {
                uint8_t* to = out.room(4);
                out.grow(static_cast<size_t>(encode(codes.data()[c], to) - to));
            }
            all.finish(i);
        });
        texts = all.gather();
    }
    return std::make_tuple(give(std::move(texts.values)), give(std::move(texts.offsets)));
}

// The number of each term, kAlone for those of one document; and the df of each number.
auto numbered_terms(In<uint64_t> terms, In<int64_t> offsets, int threads) {
    check_offsets(view(offsets), terms.size());
    std::vector<uint32_t> numbers;
    std::vector<int64_t> df;
    {
        Released unlocked;
        TermNumbers all(view(terms), view(offsets), threads);
        numbers = std::move(all.numbers), df = std::move(all.df);
    }
    return std::make_tuple(give(std::move(numbers)), give(std::move(df)));
}

// Weights by_tf[tf] * by_number[number] of each document scaled to the length `scale` and rounded.
auto scaled_weights(In<uint32_t> numbers, In<uint16_t> tf, In<int64_t> offsets, In<double> by_number,
                    double alone, In<double> by_tf, double scale, int threads) {
    ListsOf<uint32_t> lists(numbers, offsets);
    require(tf.size() == numbers.size(), "one count per term is needed");
    require(by_tf.size() == size_t{UINT16_MAX} + 1, "one weight per count is needed");
    for (size_t i = 0; i < numbers.size(); ++i)
        require(numbers.data()[i] < by_number.size() || numbers.data()[i] == kAlone,
                "a term is out of range");
    std::vector<int32_t> weights(numbers.size());
    {
        Released unlocked;
        std::vector<std::vector<double>> rooms(std::max(threads, 1));
        each_document(lists.count, threads, [&](size_t i, int worker) {
            std::vector<double>& room = rooms[static_cast<size_t>(worker)];
            room.resize(lists.size(i));
            double square = 0;
            const uint16_t* times = tf.data() + lists.offsets[i];
            for (size_t t = 0; t < room.size(); ++t) {
                uint32_t number = lists.begin(i)[t];
                room[t] = by_tf.data()[times[t]] * (number == kAlone ? alone : by_number.data()[number]);
                square += room[t] * room[t];
            }
            double factor = square > 0 ? scale / std::sqrt(square) : 0;
            for (size_t t = 0; t < room.size(); ++t)
                weights[static_cast<size_t>(lists.offsets[i]) + t] =
                    static_cast<int32_t>(std::floor(room[t] * factor + 0.5));
        });
    }
    return give(std::move(weights));
}

void check_pairs(const In<uint32_t>& left, const In<uint32_t>& right, size_t documents) {
    require(left.size() == right.size(), "left and right differ in length");
    for (size_t i = 0; i < left.size(); ++i)
        require(left.data()[i] < documents && right.data()[i] < documents,
                "a document number is out of range");
}

// Calls work(pair, room) for every pair, with the room of its thread set to the first document; pairs
// with the same first document had better come one after the other.
template <class Room, class Set, class Work>
void each_pair(const In<uint32_t>& left, std::vector<Room>& rooms, Set&& set, Work&& work) {
    std::vector<int64_t> firsts(rooms.size(), -1);
    parallel_blocks(left.size(), 256, static_cast<int>(rooms.size()),
                    [&](size_t begin, size_t end, int worker) {
                        Room& room = rooms[static_cast<size_t>(worker)];
                        int64_t& first = firsts[static_cast<size_t>(worker)];
                        for (size_t p = begin; p < end; ++p) {
                            if (first != left.data()[p]) set(room, left.data()[p]);
                            first = left.data()[p];
                            work(p, room);
                        }
                    });
}

template <class T>
void check_below(const In<T>& values, int64_t dimensions) {
    require(dimensions >= 0, "dimensions must not be negative");
    for (size_t i = 0; i < values.size(); ++i)
        require(values.data()[i] < dimensions, "a number is out of range");
}

// The common part of each pair: terms, the product of their weights, the sum of the lesser ones.
auto shared_terms(In<uint32_t> terms, In<int32_t> weights, In<int64_t> offsets, int64_t dimensions,
                  In<uint32_t> left, In<uint32_t> right, int threads) {
    ListsOf<uint32_t> lists(terms, offsets);
    require(weights.size() == terms.size(), "one weight per term is needed");
    check_below(terms, dimensions);
    check_pairs(left, right, lists.count);
    size_t pairs = left.size();
    std::vector<int64_t> count(pairs), product(pairs), lesser(pairs);
    {
        Released unlocked;
        std::vector<TermPlaces> rooms(std::max(threads, 1), TermPlaces(static_cast<size_t>(dimensions)));
        each_pair(
            left, rooms,
            [&](TermPlaces& room, uint32_t a) {
                stop_point();
                room.set(lists[a]);
            },
            [&](size_t p, TermPlaces& room) {
                uint32_t a = left.data()[p], b = right.data()[p];
                SharedSums sums = shared_sums(room, weights.data() + lists.offsets[a], lists[b],
                                              weights.data() + lists.offsets[b]);
                count[p] = sums.terms, product[p] = sums.product, lesser[p] = sums.lesser;
                if (p % 16 == 0) stop_point();
            });
    }
    return std::make_tuple(give(std::move(count)), give(std::move(product)), give(std::move(lesser)));
}

// How many words of each pair, of both documents together, lie in common runs of `length` words.
auto covered_words(In<uint32_t> terms, In<int64_t> offsets, int64_t dimensions, In<uint32_t> places,
                   In<int64_t> place_offsets, In<int64_t> words, int64_t length, In<uint32_t> left,
                   In<uint32_t> right, int threads) {
    ListsOf<uint32_t> lists(terms, offsets), in_order(places, place_offsets);
    require(in_order.count == lists.count && words.size() == lists.count, "every document needs its places");
    require(length >= 1, "a run needs at least one word");
    check_below(terms, dimensions);
    for (size_t d = 0; d < lists.count; ++d)
        for (uint32_t place : in_order[d])
            require(place < lists.size(d) || place == Coverage::kNowhere, "a place is out of range");
    check_pairs(left, right, lists.count);
    std::vector<int64_t> covered(left.size());
    struct Room {
        TermPlaces places;
        Coverage coverage;
    };
    {
        Released unlocked;
        Room empty{TermPlaces(static_cast<size_t>(dimensions)), Coverage(static_cast<size_t>(length))};
        std::vector<Room> rooms(std::max(threads, 1), empty);
        each_pair(
            left, rooms, [&](Room& room, uint32_t a) { room.places.set(lists[a]); },
            [&](size_t p, Room& room) {
                uint32_t a = left.data()[p], b = right.data()[p];
                if (p % 16 == 0) stop_point();
                covered[p] = room.coverage.covered(room.places, in_order[a], words.data()[a], lists[b],
                                                   in_order[b], words.data()[b]);
            });
    }
    return give(std::move(covered));
}

// The longest common subsequence of each pair of lists of numbers below `dimensions`.
auto common_subsequences(In<uint32_t> numbers, In<int64_t> offsets, int64_t dimensions, In<uint32_t> left,
                         In<uint32_t> right, int threads) {
    ListsOf<uint32_t> lists(numbers, offsets);
    check_below(numbers, dimensions);
    check_pairs(left, right, lists.count);
    std::vector<int64_t> lengths(left.size());
    {
        Released unlocked;
        CommonSubsequence empty(static_cast<size_t>(dimensions));
        std::vector<CommonSubsequence> rooms(std::max(threads, 1), empty);
        each_pair(
            left, rooms, [&](CommonSubsequence& room, uint32_t a) { room.set_first(lists[a]); },
            [&](size_t p, CommonSubsequence& room) {
                Pace pace;
                stop_point();
                lengths[p] = room.length(lists[right.data()[p]], pace);
            });
    }
    return give(std::move(lengths));
}

// The nearest neighbours of each document, best first, with their scores.
auto nearest_neighbours(In<uint32_t> terms, In<uint16_t> weights, In<int64_t> offsets, In<int64_t> sizes,
                        int64_t dimensions, int64_t least, int64_t most, double above, int threads) {
    check_offsets(view(offsets), terms.size());
    require(weights.size() == terms.size(), "one weight per term is needed");
    require(offsets.size() - 1 < UINT32_MAX, "there are too many documents");
    require(sizes.size() == 0 || sizes.size() == offsets.size() - 1, "one size per document is needed");
    for (size_t i = 0; i < sizes.size(); ++i) require(sizes.data()[i] >= 0, "a size is negative");
    require(1 <= least && least <= most, "least must lie between 1 and most");
    for (size_t i = 0; i < terms.size(); ++i) require(terms.data()[i] < dimensions, "a term is out of range");
    std::vector<int64_t> ends{0};
    std::vector<uint32_t> documents;
    std::vector<double> scores;
    {
        Released unlocked;
        NearestTable table(view(terms), view(weights), view(offsets), view(sizes),
                           static_cast<size_t>(dimensions));
        WantedNeighbours wanted{static_cast<size_t>(least), static_cast<size_t>(most), above};
        BestNeighbours best = table.neighbours(wanted, threads);
        for (size_t document = 0; document + 1 < offsets.size(); ++document) {
            for (const Neighbour& neighbour : best.sorted(document)) {
                documents.push_back(neighbour.document);
                scores.push_back(neighbour.score);
            }
            ends.push_back(static_cast<int64_t>(documents.size()));
        }
    }
    return std::make_tuple(give(std::move(documents)), give(std::move(scores)), give(std::move(ends)));
}

}  // namespace

void bind_signals(nb::module_& m) {
    using namespace nb::literals;
    m.def("counted_runs", &counted_runs, "units"_a, "offsets"_a, "length"_a, "places"_a, "threads"_a);
    m.def("counted_folded", &counted_folded, "bytes"_a, "offsets"_a, "length"_a, "most"_a, "threads"_a);
    m.def("folded_text", &folded_text, "bytes"_a, "offsets"_a, "threads"_a);
    m.def("numbered_terms", &numbered_terms, "terms"_a, "offsets"_a, "threads"_a);
    m.def("scaled_weights", &scaled_weights, "numbers"_a, "tf"_a, "offsets"_a, "by_number"_a, "alone"_a,
          "by_tf"_a, "scale"_a, "threads"_a);
    m.def("shared_terms", &shared_terms, "terms"_a, "weights"_a, "offsets"_a, "dimensions"_a, "left"_a,
          "right"_a, "threads"_a);
    m.def("covered_words", &covered_words, "terms"_a, "offsets"_a, "dimensions"_a, "places"_a,
          "place_offsets"_a, "words"_a, "length"_a, "left"_a, "right"_a, "threads"_a);
    m.def("common_subsequences", &common_subsequences, "numbers"_a, "offsets"_a, "dimensions"_a, "left"_a,
          "right"_a, "threads"_a);
    m.def("nearest_neighbours", &nearest_neighbours, "terms"_a, "weights"_a, "offsets"_a, "sizes"_a,
          "dimensions"_a, "least"_a, "most"_a, "above"_a, "threads"_a);
}

}  // namespace twinset
