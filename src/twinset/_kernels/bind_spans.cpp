// The doors of the kernels that find repeated stretches of text: samples, counts of N-grams, runs of them.
// A call works in the thread that called it; others work on other batches meanwhile.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "arrays.hpp"
#include "bindings.hpp"
#include "give_growing.hpp"
#include "gram_samples.hpp"
#include "gram_scan.hpp"
#include "gram_table.hpp"
#include "span_groups.hpp"
#include "span_places.hpp"
#include "span_runs.hpp"
#include "texts.hpp"

namespace twinset {
namespace {

GramScanner scanner_of(int unit, int64_t least, int64_t sample) {
    require(unit >= 0 && unit <= 2, "there is no such unit");
    require(least >= 1 && sample >= 1 && sample <= least, "a sample is a part of the least stretch");
    require(least <= INT32_MAX, "the least stretch is too long");
    return GramScanner(static_cast<GramUnit>(unit), static_cast<size_t>(least), static_cast<size_t>(sample));
}

void add_samples(GramSamples& samples, In<uint8_t> data, In<int64_t> offsets, int unit, int64_t least,
                 int64_t sample) {
    Texts texts(data, offsets);
    GramScanner scanner = scanner_of(unit, least, sample);
    Released unlocked;
    std::vector<uint64_t> waiting;
    for (size_t i = 0; i < texts.count; ++i) {
        stop_point();
        scanner.scan(texts.begin(i), texts.end(i), texts.readable,
                     [&](size_t, size_t, uint64_t value, bool is_new) {
                         if (is_new) waiting.push_back(value);
                     });
        if (waiting.size() >= GramTable::kAtOnce) samples.add(waiting);
    }
    samples.add(waiting);
}

void finish_samples(GramSamples& samples, int threads) {
    Released unlocked;
    samples.finish(threads);
}

// Counts the candidates of the table's parts; how many candidates each document has in all.
auto count_grams(GramTable& table, const GramSamples& samples, In<uint8_t> data, In<int64_t> offsets,
                 int unit, int64_t least, int64_t sample) {
    Texts texts(data, offsets);
    GramScanner scanner = scanner_of(unit, least, sample);
    std::vector<int64_t> candidates(texts.count, 0);
    {
        Released unlocked;
        std::vector<CountedGram> waiting;
        for (size_t i = 0; i < texts.count; ++i) {
            stop_point();
            each_candidate(scanner, samples, texts.begin(i), texts.end(i), texts.readable, [&](size_t start) {
                ++candidates[i];
                GramKey gram = scanner.key(start);
                if (!table.holds(gram)) return;
                waiting.push_back({gram, scanner.next(start)});
                if (waiting.size() == GramTable::kAtOnce) table.add(waiting);
            });
        }
        table.add(waiting);
    }
    return give(std::move(candidates));
}

void check_candidates(const Texts& texts, const In<int64_t>& candidates) {
    require(candidates.size() == texts.count, "every document needs its number of candidates");
}

// What the table knows of the candidates of some documents, 0 where it does not hold their parts.
auto gram_facts(const GramTable& table, const GramSamples& samples, In<uint8_t> data, In<int64_t> offsets,
                int unit, int64_t least, int64_t sample, In<int64_t> candidates) {
    Texts texts(data, offsets);
    check_candidates(texts, candidates);
    GramScanner scanner = scanner_of(unit, least, sample);
    Growing<uint32_t> facts;
    {
        Released unlocked;
        auto take = [&](size_t, const GramKey& gram, const GramFacts& known) {
            facts.push(table.holds(gram) ? packed(known) : 0);
        };
        LookAhead ahead(table, take);
        for (size_t i = 0; i < texts.count; ++i) {
            stop_point();
            if (!candidates.data()[i]) continue;
            each_candidate(scanner, samples, texts.begin(i), texts.end(i), texts.readable, [&](size_t start) {
                ahead.add(start, {scanner.key(start), scanner.next(start)});
            });
        }
        ahead.flush();
    }
    return give(std::move(facts));
}

struct RunRows {
    Growing<uint64_t> key;
    Growing<uint32_t> check;
    Growing<int64_t> document, start, end, units;

    void add(size_t number, const SpanRun& run) {
        key.push(run.first.key), check.push(run.first.check);
        document.push(static_cast<int64_t>(number));
        start.push(run.start), end.push(run.end), units.push(run.units);
    }
    auto give_all() {
        return std::make_tuple(give(std::move(key)), give(std::move(check)), give(std::move(document)),
                               give(std::move(start)), give(std::move(end)), give(std::move(units)));
    }
};

void add_runs(RunRows& rows, const Texts& texts, size_t i, GramUnit unit, std::span<SpanRun> runs) {
    if (runs.empty()) return;
    if (unit == GramUnit::word) WordPlaces::set(texts.begin(i), texts.end(i), runs);
    else CharacterPlaces(texts.begin(i), texts.end(i), unit == GramUnit::byte).set(runs);
    for (const SpanRun& run : runs) rows.add(i, run);
}

// Runs of repeated N-grams: what they begin with, their documents, places and units.
auto span_runs(const GramTable& table, const GramSamples& samples, In<uint8_t> data, In<int64_t> offsets,
               int unit, int64_t least, int64_t sample, In<int64_t> candidates) {
    Texts texts(data, offsets);
    check_candidates(texts, candidates);
    GramScanner scanner = scanner_of(unit, least, sample);
    RunRows rows;
    {
        Released unlocked;
        RunBuilder builder(scanner.n());
        auto take = [&](size_t start, const GramKey& gram, const GramFacts& facts) {
            builder.take(start, gram, facts);
        };
        LookAhead ahead(table, take);
        for (size_t i = 0; i < texts.count; ++i) {
            stop_point();
            if (!candidates.data()[i]) continue;
            builder.begin();
            each_candidate(scanner, samples, texts.begin(i), texts.end(i), texts.readable, [&](size_t start) {
                ahead.add(start, {scanner.key(start), scanner.next(start)});
            });
            ahead.flush();
            add_runs(rows, texts, i, scanner.unit(), builder.runs());
        }
    }
    return rows.give_all();
}

// The same, where the facts on all candidates were collected before.
auto span_runs_of_facts(In<uint32_t> facts, const GramSamples& samples, In<uint8_t> data, In<int64_t> offsets,
                        int unit, int64_t least, int64_t sample, In<int64_t> candidates) {
    Texts texts(data, offsets);
    check_candidates(texts, candidates);
    GramScanner scanner = scanner_of(unit, least, sample);
    RunRows rows;
    {
        Released unlocked;
        RunBuilder builder(scanner.n());
        size_t at = 0;
        for (size_t i = 0; i < texts.count; ++i) {
            stop_point();
            if (!candidates.data()[i]) continue;
            builder.begin();
            each_candidate(scanner, samples, texts.begin(i), texts.end(i), texts.readable, [&](size_t start) {
                require(at < facts.size(), "facts are missing");
                builder.take(start, scanner.key(start), unpacked(facts.data()[at++]));
            });
            add_runs(rows, texts, i, scanner.unit(), builder.runs());
        }
    }
    return rows.give_all();
}

auto group_runs(In<uint64_t> key, In<uint32_t> check) {
    require(key.size() == check.size(), "every key needs its check");
    require(key.size() < UINT32_MAX, "there are too many runs");
    std::vector<int64_t> order, begins;
    {
        Released unlocked;
        RunGroups groups(view(key), view(check));
        order = std::move(groups.order), begins = std::move(groups.begins);
    }
    return std::make_tuple(give(std::move(order)), give(std::move(begins)));
}

}  // namespace

void bind_spans(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<GramSamples>(m, "GramSamples")
        .def(nb::init<uint64_t, std::string>(), "most_bytes"_a, "folder"_a)
        .def("add", &add_samples, "data"_a, "offsets"_a, "unit"_a, "least"_a, "sample"_a)
        .def("finish", &finish_samples, "threads"_a)
        .def_prop_ro("count", &GramSamples::count);
    nb::class_<GramTable>(m, "GramTable")
        .def(nb::init<size_t, uint64_t>(), "first"_a, "most_bytes"_a)
        .def("count", &count_grams, "samples"_a, "data"_a, "offsets"_a, "unit"_a, "least"_a, "sample"_a)
        .def("facts", &gram_facts, "samples"_a, "data"_a, "offsets"_a, "unit"_a, "least"_a, "sample"_a,
             "candidates"_a)
        .def("runs", &span_runs, "samples"_a, "data"_a, "offsets"_a, "unit"_a, "least"_a, "sample"_a,
             "candidates"_a)
        .def_prop_ro("end", &GramTable::end);
    m.def("group_runs", &group_runs, "key"_a, "check"_a);
    m.attr("GRAM_PARTS") = GramTable::kParts;
    m.def("span_runs", &span_runs_of_facts, "facts"_a, "samples"_a, "data"_a, "offsets"_a, "unit"_a,
          "least"_a, "sample"_a, "candidates"_a);
}

}  // namespace twinset
