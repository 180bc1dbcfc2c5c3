// Repeated stretches of a document: N-grams that occur elsewhere, those in one run whose places move on
// together. With S(p) the places that begin with the same N units as p, p and p + 1 are in one run when
// S(p) + 1 = S(p + 1): when the same unit follows everywhere in S(p), and both are of one size.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gram_counts.hpp"
#include "gram_facts.hpp"
#include "gram_samples.hpp"
#include "gram_scan.hpp"
#include "span_run.hpp"

namespace twinset {

// Calls take(blocks) with the blocks of a text that may occur elsewhere, since their samples do, those of a
// piece of the text at a time. Within `take` the scanner may be asked for keys.
template <class Take>
void each_candidate(GramScanner& scanner, const GramSamples& samples, const uint8_t* p, const uint8_t* end,
                    const uint8_t* readable, Take&& take) {
    std::vector<GramBlock> found;
    scanner.scan<true>(p, end, readable, [&](std::span<const GramBlock> blocks) {
        for (const GramBlock& block : blocks) samples.fetch(block.sample);
        found.clear();
        for (const GramBlock& block : blocks)
            if (samples.may_repeat(block.sample)) found.push_back(block);
        take(std::span<const GramBlock>(found));
    });
}

// Puts the repeated ones of consecutive N-grams together.
class RunBuilder {
  public:
    explicit RunBuilder(size_t n) : n_(n) {}

    void begin() { runs_.clear(), open_ = false; }
    // An N-gram and what is known of it; first() tells a run that begins with it from others.
    template <class First>
    void take(size_t start, const GramFacts& facts, First&& first) {
        if (facts.count < 2) {
            open_ = false;
            return;
        }
        bool goes_on = open_ && start + n_ == runs_.back().past + 1 && last_.joins(facts);
        if (goes_on) ++runs_.back().past;
        else runs_.push_back({first(), start, start + n_});
        open_ = true, last_ = facts;
    }
    // So many N-grams that are always together: `last` is what is known of the last of them.
    template <class First>
    void take_block(size_t start, size_t size, const GramFacts& last, First&& first) {
        take(start, {last.count, size > 1 || last.one_next}, first);
        if (!open_) return;
        runs_.back().past += size - 1;
        last_ = last;
    }
    std::span<SpanRun> runs() { return runs_; }

  private:
    size_t n_;
    std::vector<SpanRun> runs_;
    GramFacts last_;
    bool open_ = false;
};

// Puts the N-grams of a text together by its marks, so many of those that are left. Numbers tell them apart,
// no two of which mix to one.
inline void build_runs(RunBuilder& builder, const GramCounts& counts, std::span<const uint64_t> marks,
                       size_t own) {
    static constexpr size_t kAhead = 12;
    Pace pace;
    builder.begin();
    size_t start = 0;
    for (size_t i = 0; i < own; ++i) {
        pace();
        if (i + 2 * kAhead < marks.size()) counts.fetch(BlockMark::unpacked(marks[i + 2 * kAhead]));
        if (i + kAhead < marks.size()) counts.fetch_stretches(BlockMark::unpacked(marks[i + kAhead]));
        BlockMark mark = BlockMark::unpacked(marks[i]);
        auto each = [&](uint64_t number, const GramFacts& last, size_t size) {
            builder.take_block(start, size, last, [&] { return GramKey{mix(number), 0}; });
            start += size;
        };
        counts.tell(mark, each, [&] { start += mark.size; });
    }
}

}  // namespace twinset
