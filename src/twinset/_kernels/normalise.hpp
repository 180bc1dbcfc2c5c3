// The slow path of a word: decompose, lower case, put marks in order, compose (NFC). Only words
// that hold a character NFC might change come here.
#pragma once
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "unicode_tables.hpp"
#include "utf8.hpp"

namespace twinset {

inline constexpr Property kDroppedRecord{0, kDropped, 0, 0};

inline const Property& property_of(uint32_t code) {
    if (code < kTableTop) return kRecords[kRecordOf[kBlockOf[code >> 7] * 128 + (code & 127)]];
    return code >= 0xE0100 && code < 0xE01F0 ? kDroppedRecord : kRecords[0];
}

namespace hangul {
inline constexpr uint32_t kSyllable = 0xAC00, kLead = 0x1100, kVowel = 0x1161, kTail = 0x11A7;
inline constexpr uint32_t kLeads = 19, kVowels = 21, kTails = 28;
inline constexpr uint32_t kSyllables = kLeads * kVowels * kTails;

// 0 where the two do not compose.
inline uint32_t compose(uint32_t first, uint32_t second) {
    if (first - kLead < kLeads && second - kVowel < kVowels)
        return kSyllable + ((first - kLead) * kVowels + (second - kVowel)) * kTails;
    bool open = first - kSyllable < kSyllables && (first - kSyllable) % kTails == 0;
    if (open && second > kTail && second - kTail < kTails) return first + (second - kTail);
    return 0;
}
}  // namespace hangul

// 0 where the two do not compose.
inline uint32_t compose(uint32_t first, uint32_t second) {
    if (uint32_t syllable = hangul::compose(first, second)) return syllable;
    const uint32_t* end = std::end(kComposeFirst);
    const uint32_t* at = std::lower_bound(kComposeFirst, end, first);
    for (; at != end && *at == first; ++at)
        if (kComposeSecond[at - kComposeFirst] == second) return kComposeTo[at - kComposeFirst];
    return 0;
}

class Normaliser {
  public:
    void clear() { codes_.clear(); }

    // Adds one character of the word, decomposed and in lower case.
    void add(uint32_t code) {
        if (code - hangul::kSyllable < hangul::kSyllables) return add_syllable(code);
        const uint32_t* end = std::end(kExpandFrom);
        const uint32_t* at = std::lower_bound(kExpandFrom, end, code);
        if (at == end || *at != code) {
            const Property& one = property_of(code);
            codes_.push_back(one.slow ? code : code + one.to_lower);
            return;
        }
        size_t place = at - kExpandFrom;
        codes_.insert(codes_.end(), kExpandTo + kExpandStart[place], kExpandTo + kExpandStart[place + 1]);
    }

    // Writes the word in NFC; at most 4 bytes a character of size().
    uint8_t* write(uint8_t* out) {
        reorder();
        join();
        for (uint32_t code : codes_) out = encode(code, out);
        return out;
    }

    size_t size() const { return codes_.size(); }

  private:
    void add_syllable(uint32_t code) {
        uint32_t place = code - hangul::kSyllable;
        codes_.push_back(hangul::kLead + place / (hangul::kVowels * hangul::kTails));
        codes_.push_back(hangul::kVowel + place / hangul::kTails % hangul::kVowels);
        if (place % hangul::kTails) codes_.push_back(hangul::kTail + place % hangul::kTails);
    }

    static uint8_t rank(uint32_t code) { return property_of(code).combining; }

    // Stable by combining class inside every run of characters that have one.
    void reorder() {
        for (auto at = codes_.begin(); at != codes_.end();) {
            if (!rank(*at)) {
                ++at;
                continue;
            }
            auto run = std::find_if(at, codes_.end(), [](uint32_t code) { return !rank(code); });
            std::stable_sort(at, run, [](uint32_t a, uint32_t b) { return rank(a) < rank(b); });
            at = run;
        }
    }

    // Joins every mark to its starter unless something between them has the same or a higher rank.
    void join() {
        size_t kept = 0, starter = 0;
        bool has_starter = false;
        int last = -1;  // rank of what was kept since the starter; -1: nothing
        for (uint32_t code : codes_) {
            int here = rank(code);
            if (has_starter && last < here) {
                if (uint32_t whole = compose(codes_[starter], code)) {
                    codes_[starter] = whole;
                    continue;
                }
            }
            if (here == 0) {
                starter = kept;
                has_starter = true;
                last = -1;
            } else {
                last = here;
            }
            codes_[kept++] = code;
        }
        codes_.resize(kept);
    }

    std::vector<uint32_t> codes_;
};

}  // namespace twinset
