// Sentences and paragraphs as ranges of word numbers. The rules know no language:
// - a paragraph ends at a blank line (spaces on it do not count), a form feed or U+2029;
// - a sentence ends with its paragraph, at a firm end (U+3002 and kin) and at a loose end
//   (. ! ? ... and kin) unless a letter or digit follows at once, as in 3.14 or example.com;
// - stretches without words are no sentences and no paragraphs.
#pragma once
#include <algorithm>
#include <cstdint>
#include <iterator>

#include "blocks.hpp"
#include "growing.hpp"
#include "normalise.hpp"
#include "utf8.hpp"

namespace twinset {

enum class Parts { kSentences, kParagraphs };

// One dot leader, two dot leader, ellipsis and full-width full stop are full stops as well.
inline bool is_loose_end(uint32_t code) {
    return code == '.' || code == '!' || code == '?' || (code >= 0x2024 && code <= 0x2026) || code == 0xFF0E;
}

// Question and exclamation marks and full stops that no number or name holds inside.
inline constexpr uint32_t kFirmEnds[] = {
    0x0589, 0x061D, 0x061E, 0x061F, 0x06D4, 0x0700, 0x0701, 0x0702, 0x07F9, 0x0964, 0x0965,
    0x104B, 0x1362, 0x1367, 0x1368, 0x166E, 0x17D4, 0x17D5, 0x1803, 0x1809, 0x203C, 0x203D,
    0x2047, 0x2048, 0x2049, 0x2E2E, 0x3002, 0xFE52, 0xFE56, 0xFE57, 0xFF01, 0xFF1F, 0xFF61,
};

inline bool is_firm_end(uint32_t code) {
    return code >= kFirmEnds[0] && std::binary_search(std::begin(kFirmEnds), std::end(kFirmEnds), code);
}

// Counts line ends since the last visible character.
class BlankLines {
  public:
    // Whether a paragraph has ended with this character.
    bool read(uint32_t code) {
        bool after_return = was_return_;
        was_return_ = code == '\r';
        if (code == 0x0C || code == 0x2029) return true;
        if (code == '\n' && after_return) return breaks_ >= 2;
        if (is_break(code)) return ++breaks_ >= 2;
        if (!is_blank(code)) breaks_ = 0;
        return false;
    }

    // Ends of lines, of which form feeds and U+2029 end paragraphs, too.
    static bool is_break(uint32_t code) {
        return code == '\n' || code == '\r' || code == 0x0C || code == 0x85 || code == 0x2028 ||
               code == 0x2029;
    }
    static bool is_blank(uint32_t code) {
        return code == ' ' || code == '\t' || code == 0x0B || code == 0xA0 || code == 0x1680 ||
               (code >= 0x2000 && code <= 0x200B) || code == 0x202F || code == 0x205F || code == 0x3000 ||
               code == 0xFEFF;
    }

  private:
    int breaks_ = 0;
    bool was_return_ = false;
};

// Follows the text character by character and notes the number of every word that begins a part.
class PartFinder {
  public:
    explicit PartFinder(Parts parts) : by_sentence_(parts == Parts::kSentences) {}

    void read(const uint8_t* p, const uint8_t* end, Growing<int64_t>& first_words) {
        while (p < end) {
            if (in_word_ && is_ascii_word(*p)) {  // nothing changes inside a word
                ++p;
                continue;
            }
            Decoded one = decode(p, end);
            p += one.size;
            uint8_t kind = property_of(one.code).kind;
            take(one.code, kind, first_words);
            // inside a word nothing is decided
            if (kind == kWord)
                while (p < end && is_ascii_word(*p)) ++p;
        }
    }

  private:
    void take(uint32_t code, uint8_t kind, Growing<int64_t>& first_words) {
        if (blank_lines_.read(code)) ended_ = true;
        if (kind == kMark || kind == kDropped) return;
        if (by_sentence_) follow_sentence(code, kind);
        bool starts = kind == kSolo || (kind == kWord && !in_word_);
        in_word_ = kind == kWord;
        if (!starts) return;
        if (ended_) first_words.push(words_);
        ended_ = false;
        ++words_;
    }

    void follow_sentence(uint32_t code, uint8_t kind) {
        if (is_loose_end(code)) {
            loose_ = true;
            return;
        }
        if ((loose_ && kind != kWord) || is_firm_end(code)) ended_ = true;
        loose_ = false;
    }

    bool by_sentence_;
    BlankLines blank_lines_;
    bool ended_ = true;   // the next word begins a part
    bool loose_ = false;  // a loose end was just read
    bool in_word_ = false;
    int64_t words_ = 0;
};

}  // namespace twinset
