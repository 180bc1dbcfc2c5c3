// The doors of the kernels that find repeated stretches of text: samples, counts of N-grams, runs of them.
// A call works in the thread that called it; others work on other batches meanwhile.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "arrays.hpp"
#include "bindings.hpp"
#include "give_growing.hpp"
#include "gram_counts.hpp"
#include "gram_samples.hpp"
#include "gram_scan.hpp"
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
    require(least - sample <= INT16_MAX + 1, "a sample is too short a part of the least stretch");
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
        scanner.scan<false>(texts.begin(i), texts.end(i), texts.readable,
                            [&](std::span<const GramBlock> blocks) {
                                for (const GramBlock& block : blocks) waiting.push_back(block.sample);
                                if (waiting.size() >= GramSamples::kAtOnce) samples.add(waiting);
                            });
    }
    samples.add(waiting);
}

void finish_samples(GramSamples& samples, int threads) {
    Released unlocked;
    samples.finish(threads);
}

// Marks of the texts, those of a text one behind the other, which tell of its blocks later.
struct MarkedTexts {
    std::vector<int64_t> marks;       // how many each has, none where nothing may be repeated
    std::vector<int64_t> candidates;  // how many of its N-grams may be
    Growing<uint64_t> all;

    explicit MarkedTexts(size_t count) : marks(count, 0), candidates(count, 0) {}

    void begin(size_t text) { text_ = text, past_ = 0; }
    void add(const Candidate& one) {
        while (past_ < one.block.begin) {
            size_t size = std::min(one.block.begin - past_, BlockMark::kMostSize);
            push({BlockMark::kUnique, size});
        }
        size_t size = one.block.end - one.block.begin;
        push({one.number, size});
        candidates[text_] += static_cast<int64_t>(size);
    }

  private:
    void push(const BlockMark& mark) {
        all.push(mark.packed());
        past_ += mark.size;
        ++marks[text_];
    }
    size_t text_ = 0, past_ = 0;
};

auto count_grams(GramCounts& counts, In<uint8_t> data, In<int64_t> offsets, int unit, int64_t least,
                 int64_t sample) {
    Texts texts(data, offsets);
    require(!counts.finished(), "the blocks are counted already");
    GramScanner scanner = scanner_of(unit, least, sample);
    MarkedTexts marked(texts.count);
    {
        Released unlocked;
        auto take = [&](std::vector<Candidate>& found) {
            for (Candidate& one : found) {
                one.key = scanner.key(one.block);
                counts.fetch(one);
            }
            counts.add(found, scanner);
            for (const Candidate& one : found) marked.add(one);
        };
        for (size_t i = 0; i < texts.count; ++i) {
            stop_point();
            marked.begin(i);
            each_candidate(scanner, counts.samples(), texts.begin(i), texts.end(i), texts.readable, take);
        }
    }
    return std::make_tuple(give(std::move(marked.marks)), give(std::move(marked.candidates)),
                           give(std::move(marked.all)));
}

void finish_counts(GramCounts& counts, int threads) {
    require(!counts.finished(), "the blocks are counted already");
    Released unlocked;
    counts.finish(threads);
}

void check_finished(const GramCounts& counts) { require(counts.finished(), "not all blocks are counted"); }

// What is known of the candidates that left these marks, 0 where they were not counted.
auto gram_facts(const GramCounts& counts, In<uint64_t> marks) {
    check_finished(counts);
    Growing<uint32_t> facts;
    {
        Released unlocked;
        Pace pace;
        for (uint64_t packed : view(marks)) {
            pace();
            BlockMark mark = BlockMark::unpacked(packed);
            if (mark.number == BlockMark::kUnique) continue;
            auto whole = [&](const GramFacts& last) {
                GramFacts others{last.count, true};
                for (size_t i = 1; i < mark.size; ++i) facts.push(others.packed());
                facts.push(last.packed());
            };
            auto each = [&](size_t, const GramFacts& known, uint64_t) { facts.push(known.packed()); };
            auto none = [&] {
                for (size_t i = 0; i < mark.size; ++i) facts.push(0);
            };
            counts.tell(mark, whole, each, none);
        }
    }
    return give(std::move(facts));
}

struct RunRows {
    Growing<uint64_t> key;
    Growing<uint32_t> check;
    Growing<int64_t> document, start, end, units;
    Growing<int64_t> lead, lead_units;  // of characters and bytes alone

    void add(size_t number, const SpanRun& run, bool words) {
        key.push(run.first.key), check.push(run.first.check);
        document.push(static_cast<int64_t>(number));
        start.push(run.start), end.push(run.end), units.push(run.units);
        if (!words) lead.push(run.lead), lead_units.push(run.lead_units);
    }
    auto give_all() {
        return std::make_tuple(give(std::move(key)), give(std::move(check)), give(std::move(document)),
                               give(std::move(start)), give(std::move(end)), give(std::move(units)),
                               give(std::move(lead)), give(std::move(lead_units)));
    }
};

void add_runs(RunRows& rows, const Texts& texts, size_t i, GramUnit unit, std::span<SpanRun> runs) {
    if (runs.empty()) return;
    if (unit == GramUnit::word) WordPlaces::set(texts.begin(i), texts.end(i), runs);
    else CharacterPlaces(texts.begin(i), texts.end(i), unit == GramUnit::byte).set(runs);
    for (const SpanRun& run : runs) rows.add(i, run, unit == GramUnit::word);
}

// Runs of repeated N-grams: what tells them from others, their documents, places and units.
auto span_runs(const GramCounts& counts, In<uint8_t> data, In<int64_t> offsets, int unit, int64_t least,
               int64_t sample, In<int64_t> marks_of, In<uint64_t> marks) {
    Texts texts(data, offsets);
    check_finished(counts);
    require(marks_of.size() == texts.count, "every document needs its number of marks");
    GramScanner scanner = scanner_of(unit, least, sample);
    RunRows rows;
    {
        Released unlocked;
        RunBuilder builder(scanner.n());
        std::span<const uint64_t> left = view(marks);
        for (size_t i = 0; i < texts.count; ++i) {
            stop_point();
            size_t own = static_cast<size_t>(marks_of.data()[i]);
            require(own <= left.size(), "marks are missing");
            build_runs(builder, counts, left.first(own));
            add_runs(rows, texts, i, scanner.unit(), builder.runs());
            left = left.subspan(own);
        }
    }
    return rows.give_all();
}

// The same, where the facts on all candidates were collected before.
auto span_runs_of_facts(const GramSamples& samples, In<uint8_t> data, In<int64_t> offsets, int unit,
                        int64_t least, int64_t sample, In<int64_t> candidates, In<uint32_t> facts) {
    Texts texts(data, offsets);
    require(candidates.size() == texts.count, "every document needs its number of candidates");
    GramScanner scanner = scanner_of(unit, least, sample);
    RunRows rows;
    {
        Released unlocked;
        RunBuilder builder(scanner.n());
        size_t at = 0;
        auto take = [&](const std::vector<Candidate>& found) {
            for (const Candidate& one : found)
                for (size_t start = one.block.begin; start < one.block.end; ++start) {
                    require(at < facts.size(), "facts are missing");
                    builder.take(start, GramFacts::unpacked(facts.data()[at++]),
                                 [&] { return scanner.key(start); });
                }
        };
        for (size_t i = 0; i < texts.count; ++i) {
            stop_point();
            if (!candidates.data()[i]) continue;
            builder.begin();
            each_candidate(scanner, samples, texts.begin(i), texts.end(i), texts.readable, take);
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
        .def("runs", &span_runs_of_facts, "data"_a, "offsets"_a, "unit"_a, "least"_a, "sample"_a,
             "candidates"_a, "facts"_a)
        .def_prop_ro("count", &GramSamples::count);
    nb::class_<GramCounts>(m, "GramCounts")
        .def(nb::init<const GramSamples&, size_t, uint64_t, std::string>(), "samples"_a, "first"_a,
             "most_bytes"_a, "folder"_a, nb::keep_alive<1, 2>())
        .def("count", &count_grams, "data"_a, "offsets"_a, "unit"_a, "least"_a, "sample"_a)
        .def("finish", &finish_counts, "threads"_a)
        .def("facts", &gram_facts, "marks"_a)
        .def("runs", &span_runs, "data"_a, "offsets"_a, "unit"_a, "least"_a, "sample"_a, "marks_of"_a,
             "marks"_a)
        .def_prop_ro("end", &GramCounts::end);
    m.def("group_runs", &group_runs, "key"_a, "check"_a);
    m.attr("GRAM_PARTS") = GramCounts::kParts;
}

}  // namespace twinset
