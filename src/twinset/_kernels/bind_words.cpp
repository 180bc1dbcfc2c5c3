// The doors of the word kernels: cleaned words, their counts, the heaviest of them, collection counts.
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "choose.hpp"
#include "give_growing.hpp"
#include "hash_set.hpp"
#include "per_document.hpp"
#include "rewrite.hpp"
#include "term_table.hpp"
#include "texts.hpp"
#include "tokens.hpp"
#include "utf8.hpp"
#include "word_counts.hpp"

namespace twinset {
namespace {

// Adds the start of its document to every value.
template <class T>
void from_whole(Gathered<T>& lists, const int64_t* starts) {
    const int64_t* offsets = lists.offsets.data();
    for (size_t d = 0; d + 1 < lists.offsets.size(); ++d)
        for (int64_t i = offsets[d]; i < offsets[d + 1]; ++i) lists.values.data()[i] += starts[d];
}

auto tokens(In<uint8_t> data, In<int64_t> offsets, int64_t least_letters, In<uint64_t> stop,
            bool keep_stopped, bool sentences, int threads) {
    Texts texts(data, offsets);
    Cleaning cleaning{static_cast<size_t>(std::max<int64_t>(least_letters, 0)), HashPlaces(view(stop)),
                      keep_stopped};
    Gathered<uint8_t> bytes, stopped;
    Gathered<int64_t> ends, firsts;
    Gathered<uint64_t> hashes;
    Gathered<int32_t> letters;
    {
        Released unlocked;
        std::vector<TokenReader> readers(std::max(threads, 1));
        PerDocument<uint8_t> all_bytes(texts.count, threads), all_stopped(texts.count, threads);
        PerDocument<int64_t> all_ends(texts.count, threads), all_firsts(texts.count, threads);
        PerDocument<uint64_t> all_hashes(texts.count, threads);
        PerDocument<int32_t> all_letters(texts.count, threads);
        each_document(texts, threads, [&](size_t i, int worker) {
            TokenLists lists{all_bytes.begin(i, worker), all_ends.begin(i, worker),
                             all_hashes.begin(i, worker), all_letters.begin(i, worker),
                             all_stopped.begin(i, worker)};
            Growing<int64_t>& starts = all_firsts.begin(i, worker);
            readers[worker].read(texts.begin(i), texts.end(i), texts.readable, cleaning, lists);
            if (sentences) readers[worker].sentences(texts.begin(i), texts.end(i), starts);
            all_bytes.finish(i), all_ends.finish(i), all_hashes.finish(i), all_letters.finish(i);
            all_stopped.finish(i), all_firsts.finish(i);
        });
        bytes = all_bytes.gather(), ends = all_ends.gather(), hashes = all_hashes.gather();
        letters = all_letters.gather(), stopped = all_stopped.gather(), firsts = all_firsts.gather();
        from_whole(ends, bytes.offsets.data());
        from_whole(firsts, hashes.offsets.data());
    }
    return std::make_tuple(give(std::move(bytes.values)), give(std::move(ends.values)),
                           give(std::move(hashes.values)), give(std::move(letters.values)),
                           give(std::move(stopped.values)), give(std::move(hashes.offsets)),
                           give(std::move(firsts.values)), give(std::move(firsts.offsets)));
}

// Distinct values of each list: where each appears first, how often, and for each value its entry.
auto distinct(In<uint64_t> values, In<int64_t> offsets, bool entries, int threads) {
    ListsOf<uint64_t> lists(values, offsets);
    Gathered<int64_t> first;
    Gathered<int32_t> times;
    std::vector<int64_t> entry(entries ? values.size() : 0);
    {
        Released unlocked;
        std::vector<DistinctCounter> counters(std::max(threads, 1));
        PerDocument<int64_t> firsts(lists.count, threads);
        PerDocument<int32_t> counts(lists.count, threads);
        each_document(lists.count, threads, [&](size_t i, int worker) {
            counters[worker].count(lists.begin(i), lists.size(i), lists.offsets[i], firsts.begin(i, worker),
                                   counts.begin(i, worker),
                                   entries ? entry.data() + lists.offsets[i] : nullptr);
            firsts.finish(i);
            counts.finish(i);
        });
        first = firsts.gather(), times = counts.gather();
        if (entries)
            each_document(lists.count, threads, [&](size_t d, int) {
                for (int64_t i = lists.offsets[d]; i < lists.offsets[d + 1]; ++i)
                    entry[i] += first.offsets.data()[d];
            });
    }
    return std::make_tuple(give(std::move(first.values)), give(std::move(times.values)),
                           give(std::move(first.offsets)), give(std::move(entry)));
}

Slices slices(const In<uint8_t>& bytes, const In<int64_t>& starts, const In<int64_t>& stops) {
    require(starts.size() == stops.size(), "starts and stops differ in length");
    for (size_t i = 0; i < starts.size(); ++i)
        require(starts.data()[i] >= 0 && starts.data()[i] <= stops.data()[i] &&
                    static_cast<size_t>(stops.data()[i]) <= bytes.size(),
                "an item lies outside the bytes");
    return {bytes.data(), starts.data(), stops.data()};
}

auto heaviest(In<uint8_t> bytes, In<int64_t> starts, In<int64_t> stops, In<int64_t> offsets,
              In<double> weights, In<uint64_t> ties, int64_t most, int threads) {
    Slices items = slices(bytes, starts, stops);
    ListsOf<int64_t> lists(starts, offsets);
    require(most >= 1, "at least one item must be chosen");
    require(weights.size() == starts.size(), "one weight per item is needed");
    require(ties.size() == 0 || ties.size() == starts.size(), "one tie-breaker per item is needed");
    Gathered<int64_t> chosen;
    {
        Released unlocked;
        Chooser chooser(items, weights.data(), ties.size() ? ties.data() : nullptr);
        PerDocument<int64_t> all(lists.count, threads);
        each_document(lists.count, threads, [&](size_t i, int worker) {
            std::vector<int64_t> best;
            chooser.choose(lists.offsets[i], lists.offsets[i + 1], static_cast<size_t>(most), best);
            Growing<int64_t>& out = all.begin(i, worker);
            for (int64_t item : best) out.push(item);
            all.finish(i);
        });
        chosen = all.gather();
    }
    return std::make_tuple(give(std::move(chosen.values)), give(std::move(chosen.offsets)));
}

// The items of each list in alphabetical order, joined by spaces, as one checksum.
auto joined_keys(In<uint8_t> bytes, In<int64_t> starts, In<int64_t> stops, In<int64_t> chosen,
                 In<int64_t> offsets, bool crc) {
    Slices items = slices(bytes, starts, stops);
    ListsOf<int64_t> lists(chosen, offsets);
    for (size_t i = 0; i < chosen.size(); ++i)
        require(chosen.data()[i] >= 0 && static_cast<size_t>(chosen.data()[i]) < starts.size(),
                "there is no such item");
    std::vector<uint64_t> keys(lists.count);
    {
        Released unlocked;
        std::vector<int64_t> order;
        std::vector<uint8_t> text;
        for (size_t d = 0; d < lists.count; ++d) {
            stop_point();
            order.assign(lists.begin(d), lists.end(d));
            std::sort(order.begin(), order.end(),
                      [&](int64_t a, int64_t b) { return items.compare(a, b) < 0; });
            text.clear();
            for (int64_t i : order) {
                if (!text.empty()) text.push_back(' ');
                text.insert(text.end(), items.bytes + items.starts[i], items.bytes + items.stops[i]);
            }
            size_t size = text.size();
            text.resize(size + 16);  // a hash may load more than the text
            keys[d] = crc ? crc32({text.data(), size}) : hash_word(text.data(), size);
        }
    }
    return give(std::move(keys));
}

// The hash of each item, as if it were a word.
auto slice_hashes(In<uint8_t> bytes, In<int64_t> starts, In<int64_t> stops, int threads) {
    Slices items = slices(bytes, starts, stops);
    std::vector<uint64_t> hashes(starts.size());
    {
        Released unlocked;
        parallel_blocks(hashes.size(), 1024, threads, [&](size_t begin, size_t end, int) {
            for (size_t i = begin; i < end; ++i)
                hashes[i] = hash_word(items.bytes + items.starts[i], items.size(static_cast<int64_t>(i)));
        });
    }
    return give(std::move(hashes));
}

void add_words(WordCounts& counts, In<uint8_t> bytes, In<int64_t> starts, In<int64_t> stops,
               In<uint64_t> hashes, In<int32_t> times, int threads) {
    Slices words = slices(bytes, starts, stops);
    require(hashes.size() == starts.size() && times.size() == starts.size(),
            "one hash and count per word is needed");
    Released unlocked;
    counts.add(words, hashes.data(), times.data(), hashes.size(), threads);
}

auto counted_words(const WordCounts& counts) {
    WordCounts::All all;
    {
        Released unlocked;
        all = counts.all();
    }
    return std::make_tuple(give(std::move(all.hashes)), give(std::move(all.df)), give(std::move(all.cf)),
                           give(std::move(all.bytes)), give(std::move(all.offsets)));
}

auto find_places(const HashPlaces& places, In<uint64_t> hashes, int threads) {
    std::vector<int64_t> found(hashes.size(), -1);
    if (places.size()) {
        Released unlocked;
        parallel_blocks(found.size(), 4096, threads, [&](size_t begin, size_t end, int) {
            for (size_t i = begin; i < end; ++i) found[i] = places.find(hashes.data()[i]);
        });
    }
    return give(std::move(found));
}

// Documents whose words have these numbers in a vocabulary, as texts.
auto written_words(In<uint8_t> bytes, In<int64_t> ends, In<int64_t> numbers, In<int64_t> offsets,
                   In<int64_t> sentence_first, In<int64_t> sentence_offsets, int threads) {
    Texts vocabulary(bytes, ends);
    ListsOf<int64_t> documents(numbers, offsets), sentences(sentence_first, sentence_offsets);
    require(sentences.count == documents.count, "every document needs its sentences");
    for (size_t i = 0; i < numbers.size(); ++i)
        require(numbers.data()[i] >= 0 && static_cast<size_t>(numbers.data()[i]) < vocabulary.count,
                "there is no such word");
    Gathered<uint8_t> texts;
    {
        Released unlocked;
        PerDocument<uint8_t> all(documents.count, threads);
        each_document(documents.count, threads, [&](size_t i, int worker) {
            write_document({vocabulary.data, vocabulary.offsets}, documents.values, documents.offsets[i],
                           documents.offsets[i + 1], sentences.begin(i), sentences.end(i),
                           all.begin(i, worker));
            all.finish(i);
        });
        texts = all.gather();
    }
    return std::make_tuple(give(std::move(texts.values)), give(std::move(texts.offsets)));
}

// Texts with each character codes[i] written as the i-th of `written`; others stay as they are.
auto replaced_characters(In<uint8_t> data, In<int64_t> offsets, In<uint32_t> codes, In<uint8_t> written,
                         In<int64_t> ends, int threads) {
    Texts texts(data, offsets), instead(written, ends);
    require(instead.count == codes.size(), "every character needs what is written for it");
    uint32_t top = 0;
    for (uint32_t code : view(codes)) top = std::max(top, code);
    require(top < 0x110000, "there is no such character");
    std::vector<uint32_t> place(size_t{top} + 1, 0);
    for (size_t i = 0; i < codes.size(); ++i) place[codes.data()[i]] = static_cast<uint32_t>(i + 1);
    Gathered<uint8_t> all_texts;
    {
        Released unlocked;
        PerDocument<uint8_t> all(texts.count, threads);
        each_document(texts.count, threads, [&](size_t i, int worker) {
            Growing<uint8_t>& out = all.begin(i, worker);
            auto copy = [&](const uint8_t* from, const uint8_t* to) {
                std::copy(from, to, out.room(static_cast<size_t>(to - from)));
                out.grow(static_cast<size_t>(to - from));
            };
            const uint8_t *p = texts.begin(i), *end = texts.end(i), *done = p;
            while ((p = std::find_if(p, end, [](uint8_t byte) { return byte >= 0x80; })) < end) {
                Decoded one = decode(p, end);
                uint32_t at = one.code <= top ? place[one.code] : 0;
                if (at) {
                    copy(done, p);
                    copy(instead.begin(at - 1), instead.end(at - 1));
                    done = p + one.size;
                }
                p += one.size;
            }
            copy(done, end);
            stop_point();
            all.finish(i);
        });
        all_texts = all.gather();
    }
    return std::make_tuple(give(std::move(all_texts.values)), give(std::move(all_texts.offsets)));
}

auto add_terms(TermTable& table, In<uint64_t> hashes, int threads) {
    std::vector<uint32_t> numbers(hashes.size());
    {
        Released unlocked;
        table.add(view(hashes), numbers, threads);
    }
    return give(std::move(numbers));
}

auto all_terms(const TermTable& table) {
    std::vector<uint64_t> names(table.dimensions(), 0);
    std::vector<uint32_t> frequencies(table.dimensions(), 0);
    {
        Released unlocked;
        table.write(names, frequencies);
    }
    return std::make_tuple(give(std::move(names)), give(std::move(frequencies)));
}

void make_places(HashPlaces* self, In<uint64_t> hashes) { new (self) HashPlaces(view(hashes)); }

}  // namespace

void bind_words(nb::module_& m) {
    using namespace nb::literals;
    m.def("tokens", &tokens, "data"_a, "offsets"_a, "least_letters"_a, "stop"_a, "keep_stopped"_a,
          "sentences"_a, "threads"_a);
    m.def("distinct", &distinct, "values"_a, "offsets"_a, "entries"_a, "threads"_a);
    m.def("heaviest", &heaviest, "bytes"_a, "starts"_a, "stops"_a, "offsets"_a, "weights"_a, "ties"_a,
          "most"_a, "threads"_a);
    m.def("joined_keys", &joined_keys, "bytes"_a, "starts"_a, "stops"_a, "chosen"_a, "offsets"_a, "crc"_a);
    m.def("replaced_characters", &replaced_characters, "data"_a, "offsets"_a, "codes"_a, "written"_a,
          "ends"_a, "threads"_a);
    m.def("written_words", &written_words, "bytes"_a, "ends"_a, "numbers"_a, "offsets"_a, "sentence_first"_a,
          "sentence_offsets"_a, "threads"_a);
    m.def("slice_hashes", &slice_hashes, "bytes"_a, "starts"_a, "stops"_a, "threads"_a);
    nb::class_<WordCounts>(m, "WordCounts")
        .def(nb::init<>())
        .def("add", &add_words, "bytes"_a, "starts"_a, "stops"_a, "hashes"_a, "times"_a, "threads"_a)
        .def("all", &counted_words);
    nb::class_<TermTable>(m, "TermTable")
        .def(nb::init<>())
        .def("add", &add_terms, "hashes"_a, "threads"_a)
        .def("all", &all_terms);
    nb::class_<HashPlaces>(m, "HashPlaces")
        .def("__init__", &make_places, "hashes"_a)
        .def("find", &find_places, "hashes"_a, "threads"_a);
}

}  // namespace twinset
