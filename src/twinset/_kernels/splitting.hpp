// A text cut into lines, paragraphs, sentences or windows of words, each with its place in the text.
// - A line ends behind its line end, a paragraph behind all line ends that follow it, if these are two
//   or more or one of them is a form feed or U+2029.
// - A sentence ends with its paragraph and at the ends of sentences.hpp; behind a loose one it takes a
//   blank for the next to begin.
// - A window has so many words, and goes on where letters touch the next word, as before a character of a
//   script without spaces.
// So pieces stay what they are when others between them are taken out: no two grow together.
// A piece without words is none; behind a sentence or window, but in its paragraph, it belongs to that.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "blocks.hpp"
#include "growing.hpp"
#include "normalise.hpp"
#include "sentences.hpp"
#include "stop.hpp"
#include "utf8.hpp"

namespace twinset {

enum class PieceKind : int { line = 0, paragraph = 1, sentence = 2, window = 3 };

// Characters [start, end) of a text, their bytes [first, last), and those without the blanks around them.
struct Piece {
    int64_t start, end;
    const uint8_t *first, *last;
    const uint8_t* bytes;
    int64_t size;
};

// Signs that belong to what follows them.
inline constexpr uint32_t kOpenings[] = {
    '(',    '[',    '{',    0xA1,   0xAB,   0xBF,   0x2018, 0x201A, 0x201C, 0x201E, 0x2039, 0x3008,
    0x300A, 0x300C, 0x300E, 0x3010, 0x3014, 0x3016, 0x3018, 0x301A, 0x301D, 0xFF08, 0xFF3B, 0xFF5B,
};

inline bool opens(uint32_t code) {
    return std::binary_search(std::begin(kOpenings), std::end(kOpenings), code);
}

class Splitter {
  public:
    Splitter(PieceKind kind, int64_t size, Growing<Piece>& pieces)
        : kind_(kind), size_(size), pieces_(pieces) {}

    void read(const uint8_t* p, const uint8_t* end) {
        here_ = begin_ = after_break_ = {p, p, 0};
        Pace pace;
        bool by_lines = kind_ == PieceKind::line || kind_ == PieceKind::paragraph;
        while (here_.p < end) {
            pace();
            if (by_lines && words_ && here_.visible == here_.p) {
                pace(skip(end));
                if (here_.p == end) break;
            } else if (in_word_ && is_ascii_word(*here_.p)) {  // nothing changes inside a word
                pass(1, true);
                continue;
            }
            Decoded one = decode(here_.p, end);
            uint8_t kind = property_of(one.code).kind;
            bool is_break = BlankLines::is_break(one.code);
            bool is_blank = is_break || BlankLines::is_blank(one.code);
            if (kind_ != PieceKind::window) end_lines(one.code, is_break, is_blank);
            if (kind != kMark && kind != kDropped) take(one.code, kind, is_blank);
            pass(one.size, !is_blank);
            if (is_break) after_break_ = here_;
        }
        if (paragraph_ended_) cut(after_break_);  // blanks behind it are no part of it, whatever follows
        cut(here_);
    }

  private:
    // A place between two characters, and the end of the last one before it that is no blank.
    struct Cursor {
        const uint8_t* p;
        const uint8_t* visible;
        int64_t character;
    };

    void pass(uint32_t size, bool visible) {
        here_.p += size, ++here_.character;
        if (visible) here_.visible = here_.p;
    }

    // Behind a visible character of a line with a word, passes what ends no line; about the steps that takes.
    size_t skip(const uint8_t* end) {
        const uint8_t *start = here_.p, *p = start;
        int64_t characters = 0;
        while (p < end) {
            if (end - p >= 8 && eight_printable(p)) {
                p += 8, characters += 8;
            } else if ((*p >= 0x20 && *p < 0x80) || *p == '\t') {
                ++p, ++characters;
            } else if (*p > 0xC2 && *p < 0xE0 && end - p > 1 && is_continuation(p[1])) {
                p += 2, ++characters;  // none of these is a blank
            } else {
                break;
            }
        }
        const uint8_t* visible = p;
        while (visible > start && (visible[-1] == ' ' || visible[-1] == '\t')) --visible;
        here_ = {p, visible, here_.character + characters};
        in_word_ = false;
        return static_cast<size_t>(p - start) / 4;
    }

    // Whether the 8 bytes at p are all ASCII and no control characters below the space.
    static bool eight_printable(const uint8_t* p) {
        uint64_t word;
        std::memcpy(&word, p, 8);
        return (((word - 0x2020202020202020ull) | word) & kHighBits) == 0;
    }

    // Cuts behind line ends.
    void end_lines(uint32_t code, bool is_break, bool is_blank) {
        if (kind_ == PieceKind::line) {
            bool is_one = code == '\n' && was_return_;  // a return and a line feed are one
            if (after_break_.p == here_.p && !is_one) cut(here_);
            was_return_ = code == '\r';
            return;
        }
        if (paragraph_ended_ && !is_blank) {
            cut(after_break_);
            paragraph_ended_ = false;
        }
        if (lines_.read(code) && is_break) paragraph_ended_ = true;
    }

    void take(uint32_t code, uint8_t kind, bool is_blank) {
        bool starts = kind == kSolo || (kind == kWord && !in_word_);
        if (!is_blank) look_for_place(code, starts);
        if (starts) {
            if (candidate_.p && words_) cut(candidate_);
            ++words_;
            ended_ = firm_ = loose_ = false;
            candidate_.p = nullptr;
        } else if (kind_ == PieceKind::sentence) {
            follow_sentence(code, kind);
        }
        in_word_ = kind == kWord;
        after_blank_ = is_blank;
    }

    // Where the next sentence or window may begin: behind a blank, or else as late as its first word.
    void look_for_place(uint32_t code, bool starts) {
        bool may = false;
        if (kind_ == PieceKind::sentence) may = after_blank_ ? ended_ : firm_ && (starts || opens(code));
        if (kind_ == PieceKind::window) may = words_ >= size_ && !in_word_ && (after_blank_ || starts);
        if (may && (after_blank_ || !candidate_.p)) candidate_ = here_;
    }

    void follow_sentence(uint32_t code, uint8_t kind) {
        if (is_loose_end(code)) {
            loose_ = true;
            return;
        }
        if (loose_ && kind != kWord) ended_ = true;
        if (is_firm_end(code)) ended_ = firm_ = true;
        loose_ = false;
    }

    void cut(Cursor at) {
        if (words_) {
            const uint8_t* first = begin_.p;
            for (Decoded one = decode(first, at.p);
                 BlankLines::is_blank(one.code) || BlankLines::is_break(one.code); one = decode(first, at.p))
                first += one.size;
            pieces_.push({begin_.character, at.character, begin_.p, at.p, first, at.visible - first});
        }
        begin_ = at;
        words_ = 0;
        ended_ = firm_ = false;
        candidate_.p = nullptr;
    }

    PieceKind kind_;
    int64_t size_;
    Growing<Piece>& pieces_;
    Cursor here_{}, begin_{}, after_break_{};
    Cursor candidate_{};  // where the piece ends if a word follows
    BlankLines lines_;
    int64_t words_ = 0;
    bool in_word_ = false;
    bool after_blank_ = false;
    bool was_return_ = false;
    bool paragraph_ended_ = false;
    bool loose_ = false, ended_ = false, firm_ = false;
};

}  // namespace twinset
