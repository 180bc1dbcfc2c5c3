// Repeated stretches of a document: N-grams that occur elsewhere, those in one run whose places move on
// together. With S(p) the places that begin with the same N units as p, p and p + 1 are in one run when
// S(p) + 1 = S(p + 1): when the same unit follows everywhere in S(p), and both are of one size.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gram_samples.hpp"
#include "gram_scan.hpp"
#include "gram_table.hpp"
#include "span_places.hpp"

namespace twinset {

// Calls take(start) for the N-grams of a text that may occur elsewhere, since their samples do.
template <class Take>
void each_candidate(GramScanner& scanner, const GramSamples& samples, const uint8_t* p, const uint8_t* end,
                    const uint8_t* readable, Take&& take) {
    bool repeated = false;
    scanner.scan(p, end, readable, [&](size_t first, size_t past, uint64_t sample, bool is_new) {
        if (is_new) repeated = samples.is_repeated(sample);
        if (repeated)
            for (size_t start = first; start < past; ++start) take(start);
    });
}

// Facts on N-grams in one number, to be kept until those of all are known.
inline uint32_t packed(const GramFacts& facts) {
    return std::min<uint32_t>(facts.count, UINT32_MAX >> 1) << 1 | facts.one_next;
}
inline GramFacts unpacked(uint32_t facts) { return {facts >> 1, (facts & 1) != 0}; }

// Puts the repeated ones of consecutive candidates together.
class RunBuilder {
  public:
    explicit RunBuilder(size_t n) : n_(n) {}

    void begin() { runs_.clear(), open_ = false; }
    void take(size_t start, const GramKey& gram, const GramFacts& facts) {
        if (facts.count < 2) {
            open_ = false;
            return;
        }
        bool goes_on = open_ && start + n_ == runs_.back().past + 1 && last_.joins(facts);
        if (goes_on) ++runs_.back().past;
        else runs_.push_back({gram, start, start + n_});
        open_ = true, last_ = facts;
    }
    std::span<SpanRun> runs() { return runs_; }

  private:
    size_t n_;
    std::vector<SpanRun> runs_;
    GramFacts last_;
    bool open_ = false;
};

// Candidates wait for each other, so that what the table has on them comes from memory side by side.
template <class Take>
class LookAhead {
  public:
    LookAhead(const GramTable& table, Take take) : table_(table), take_(take) {}

    void add(size_t start, const CountedGram& one) {
        table_.fetch(one.gram);
        waiting_[filled_++] = {start, one};
        if (filled_ == kWaiting) flush();
    }
    void flush() {
        for (size_t i = 0; i < filled_; ++i)
            take_(waiting_[i].start, waiting_[i].one.gram, table_.find(waiting_[i].one));
        filled_ = 0;
    }

  private:
    static constexpr size_t kWaiting = 32;
    struct Waiting {
        size_t start;
        CountedGram one;
    };
    const GramTable& table_;
    Take take_;
    Waiting waiting_[kWaiting];
    size_t filled_ = 0;
};

}  // namespace twinset
