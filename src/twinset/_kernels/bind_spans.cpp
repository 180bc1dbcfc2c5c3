// The doors of the kernels that find repeated stretches of text: samples, counts of N-grams, runs of them.
// A call works in the thread that called it; others work on other batches meanwhile.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <cstring>
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
#include "word_places.hpp"

namespace twinset {
namespace {

GramScanner scanner_of(int unit, int64_t least, int64_t sample) {
    require(unit >= 0 && unit <= 2, "there is no such unit");
    require(least >= 1 && sample >= 1 && sample <= least, "a sample is a part of the least stretch");
    require(least <= INT32_MAX, "the least stretch is too long");
    require(least - sample <= INT16_MAX + 1, "a sample is too short a part of the least stretch");
    return GramScanner(static_cast<GramUnit>(unit), static_cast<size_t>(least), static_cast<size_t>(sample));
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
    void add(const GramBlock& block, uint64_t number) {
        while (past_ < block.begin) {
            size_t size = std::min(block.begin - past_, BlockMark::kMostSize);
            push({BlockMark::kUnique, size});
        }
        size_t size = block.end - block.begin;
        push({number, size});
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

// The first pass takes the samples of the texts, and counts their blocks as long as there is room for that.
class FirstPass {
  public:
    FirstPass(GramCounts& counts, GramScanner& scanner) : counts_(counts), scanner_(scanner) {}

    template <class Take>
    void scan(const uint8_t* p, const uint8_t* end, const uint8_t* readable, Take&& take) {
        auto take_both = [&](std::span<const GramBlock> blocks) {
            take(blocks);
            take_samples(blocks);
        };
        if (counts_.end()) scanner_.scan<true>(p, end, readable, take_both);
        else
            scanner_.scan<false>(p, end, readable,
                                 [&](std::span<const GramBlock> blocks) { take_samples(blocks); });
    }
    void finish() { counts_.samples().add(waiting_); }

  private:
    void take_samples(std::span<const GramBlock> blocks) {
        for (const GramBlock& block : blocks) waiting_.push_back(block.sample);
        if (waiting_.size() >= GramSamples::kAtOnce) finish();
    }

    GramCounts& counts_;
    GramScanner& scanner_;
    std::vector<uint64_t> waiting_;
};

// Counts the blocks of some texts; marks are of no use where the first pass found no room.
auto count_grams(GramCounts& counts, In<uint8_t> data, In<int64_t> offsets, int unit, int64_t least,
                 int64_t sample) {
    Texts texts(data, offsets);
    require(!counts.finished(), "the blocks are counted already");
    require(counts.is_first_pass() != counts.samples().finished(), "the samples are taken already");
    GramScanner scanner = scanner_of(unit, least, sample);
    MarkedTexts marked(texts.count);
    {
        Released unlocked;
        FirstPass first(counts, scanner);
        GramCounts::Counter counter(counts, scanner);
        for (size_t i = 0; i < texts.count; ++i) {
            stop_point();
            marked.begin(i);
            counter.begin_text();
            auto mark = [&](const GramBlock& block, uint64_t number) { marked.add(block, number); };
            auto take = [&](std::span<const GramBlock> blocks) { counter.add(blocks, mark); };
            const uint8_t *begin = texts.begin(i), *end = texts.end(i);
            if (counts.is_first_pass()) first.scan(begin, end, texts.readable, take);
            else each_candidate(scanner, counts.samples(), begin, end, texts.readable, take);
        }
        first.finish();
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
            auto each = [&](uint64_t, const GramFacts& last, size_t size) {
                GramFacts others{last.count, true};
                for (size_t i = 1; i < size; ++i) facts.push(others.packed());
                facts.push(last.packed());
            };
            auto none = [&] {
                for (size_t i = 0; i < mark.size; ++i) facts.push(0);
            };
            counts.tell(mark, each, none);
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

// Builds the runs of documents one after the other, each by its own of their marks.
class RunsOfMarks {
  public:
    RunsOfMarks(const GramCounts& counts, size_t least, In<int64_t> marks_of, In<uint64_t> marks)
        : counts_(counts), builder_(least), marks_of_(view(marks_of)), left_(view(marks)) {
        check_finished(counts);
    }

    std::span<SpanRun> next(size_t document) {
        stop_point();
        size_t own = static_cast<size_t>(marks_of_[document]);
        require(own <= left_.size(), "marks are missing");
        build_runs(builder_, counts_, left_, own);
        left_ = left_.subspan(own);
        return builder_.runs();
    }

  private:
    const GramCounts& counts_;
    RunBuilder builder_;
    std::span<const int64_t> marks_of_;
    std::span<const uint64_t> left_;
};

// Runs of repeated N-grams: what tells them from others, their documents, places and units.
auto span_runs(const GramCounts& counts, In<uint8_t> data, In<int64_t> offsets, int unit, int64_t least,
               int64_t sample, In<int64_t> marks_of, In<uint64_t> marks) {
    Texts texts(data, offsets);
    require(marks_of.size() == texts.count, "every document needs its number of marks");
    GramScanner scanner = scanner_of(unit, least, sample);
    RunsOfMarks runs(counts, scanner.n(), marks_of, marks);
    RunRows rows;
    {
        Released unlocked;
        for (size_t i = 0; i < texts.count; ++i) add_runs(rows, texts, i, scanner.unit(), runs.next(i));
    }
    return rows.give_all();
}

// The same for words, whose places are known without the texts.
auto word_span_runs(const GramCounts& counts, int64_t least, In<int64_t> marks_of, In<uint64_t> marks,
                    In<int64_t> characters, In<uint64_t> word_masks) {
    require(characters.size() == marks_of.size(), "every document needs its number of marks");
    RunsOfMarks runs(counts, static_cast<size_t>(least), marks_of, marks);
    RunRows rows;
    {
        Released unlocked;
        std::vector<WordMask> own;
        std::span<const uint64_t> left = view(word_masks);
        for (size_t i = 0; i < characters.size(); ++i) {
            std::span<SpanRun> found = runs.next(i);
            size_t masks = masks_of(static_cast<size_t>(characters.data()[i]));
            require(masks <= left.size() / 2, "places of words are missing");
            own.resize(masks);
            if (!found.empty()) std::memcpy(own.data(), left.data(), own.size() * sizeof(WordMask));
            WordPlaces::set(own, found);
            left = left.subspan(2 * own.size());
            for (const SpanRun& run : found) rows.add(i, run, true);
        }
    }
    return rows.give_all();
}

// How many characters the texts have, and the masks of their words, two numbers each.
auto word_masks(In<uint8_t> data, In<int64_t> offsets) {
    Texts texts(data, offsets);
    std::vector<int64_t> characters(texts.count);
    Growing<uint64_t> masks;
    {
        Released unlocked;
        auto give = [&](const WordMask& mask) { masks.push(mask.begins), masks.push(mask.ends); };
        for (size_t i = 0; i < texts.count; ++i)
            characters[i] = WordMasks<decltype(give)>::make(texts.begin(i), texts.end(i), give);
    }
    return std::make_tuple(give(std::move(characters)), give(std::move(masks)));
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
        auto take = [&](std::span<const GramBlock> found) {
            for (const GramBlock& block : found)
                for (size_t start = block.begin; start < block.end; ++start) {
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
        .def("finish", &finish_samples, "threads"_a)
        .def("runs", &span_runs_of_facts, "data"_a, "offsets"_a, "unit"_a, "least"_a, "sample"_a,
             "candidates"_a, "facts"_a)
        .def_prop_ro("count", &GramSamples::count);
    nb::class_<GramCounts>(m, "GramCounts")
        .def(nb::init<GramSamples&, size_t, uint64_t, std::string>(), "samples"_a, "first"_a, "most_bytes"_a,
             "folder"_a, nb::keep_alive<1, 2>())
        .def("count", &count_grams, "data"_a, "offsets"_a, "unit"_a, "least"_a, "sample"_a)
        .def("finish", &finish_counts, "threads"_a)
        .def("facts", &gram_facts, "marks"_a)
        .def("runs", &span_runs, "data"_a, "offsets"_a, "unit"_a, "least"_a, "sample"_a, "marks_of"_a,
             "marks"_a)
        .def("word_runs", &word_span_runs, "least"_a, "marks_of"_a, "marks"_a, "characters"_a, "masks"_a)
        .def_prop_ro("end", &GramCounts::end);
    m.def("word_masks", &word_masks, "data"_a, "offsets"_a);
    m.def("group_runs", &group_runs, "key"_a, "check"_a);
    m.attr("GRAM_PARTS") = GramCounts::kParts;
}

}  // namespace twinset
