// Repeated stretches of a document: N-grams that occur elsewhere, those in one run whose places move on
// together. With S(p) the places that begin with the same N units as p, p and p + 1 are in one run when
// S(p) + 1 = S(p + 1): when the same unit follows everywhere in S(p), and both are of one size.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gram_counts.hpp"
#include "gram_samples.hpp"
#include "gram_scan.hpp"
#include "gram_table.hpp"
#include "span_places.hpp"

namespace twinset {

// Calls take(candidates) with the blocks of a text that may occur elsewhere, since their samples do, those of
// a piece of the text at a time. Within `take` the scanner may be asked for keys.
template <class Take>
void each_candidate(GramScanner& scanner, GramSamples& samples, const uint8_t* p, const uint8_t* end,
                    const uint8_t* readable, Take&& take) {
    std::vector<Candidate> found;
    scanner.scan<true>(p, end, readable, [&](std::span<const GramBlock> blocks) {
        for (const GramBlock& block : blocks) samples.fetch(block.sample);
        found.clear();
        for (const GramBlock& block : blocks)
            if (auto* sample = samples.find(block.sample)) found.push_back({block, {}, sample});
        take(found);
    });
}

// Puts the repeated ones of consecutive candidates together.
class RunBuilder {
  public:
    explicit RunBuilder(const GramScanner& scanner) : scanner_(scanner) {}

    void begin() { runs_.clear(), open_ = false; }
    void take(size_t start, const GramFacts& facts) {
        if (facts.count < 2) {
            open_ = false;
            return;
        }
        bool goes_on = open_ && start + scanner_.n() == runs_.back().past + 1 && last_.joins(facts);
        if (goes_on) ++runs_.back().past;
        else runs_.push_back({scanner_.key(start), start, start + scanner_.n()});
        open_ = true, last_ = facts;
    }
    // A block whose N-grams are always together: `last` is what is known of the last of them.
    void take(const GramBlock& block, const GramFacts& last) {
        take(block.begin, {last.count, block.end - block.begin > 1 || last.one_next});
        if (!open_) return;
        runs_.back().past += block.end - block.begin - 1;
        last_ = last;
    }
    std::span<SpanRun> runs() { return runs_; }

  private:
    const GramScanner& scanner_;
    std::vector<SpanRun> runs_;
    GramFacts last_;
    bool open_ = false;
};

// Calls take(block, key) with the blocks of a text whose counts are at hand, those of a piece fetched
// together.
template <class Take>
void each_counted(GramScanner& scanner, const GramCounts& counts, const uint8_t* p, const uint8_t* end,
                  const uint8_t* readable, Take&& take) {
    std::vector<GramKey> keys;
    scanner.scan<true>(p, end, readable, [&](std::span<const GramBlock> blocks) {
        keys.clear();
        for (const GramBlock& block : blocks) {
            keys.push_back(scanner.key(block));
            counts.fetch(block, keys.back());
        }
        for (size_t i = 0; i < blocks.size(); ++i) take(blocks[i], keys[i]);
    });
}

}  // namespace twinset
