// Stretches of units as characters (code points) of the text they lie in. A stretch of words reaches from the
// beginning of its first to the end of its last, with the marks and joiners behind it. A stretch of
// characters or bytes is shrunk to whole characters, and these to whole grapheme clusters.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "blocks.hpp"
#include "gram_scan.hpp"
#include "gram_units.hpp"
#include "graphemes.hpp"
#include "normalise.hpp"
#include "stop.hpp"
#include "utf8.hpp"
#include "words.hpp"

namespace twinset {

// Consecutive N-grams of one document, and what becomes of them: characters [start, end), `units` of them.
struct SpanRun {
    GramKey first;
    size_t begin;  // the unit that the first of the N-grams begins with
    size_t past;   // the one behind the last of them
    int64_t start = 0, end = 0, units = 0;
    // What lies between `start` and the first whole grapheme cluster: it may be none of equal runs elsewhere.
    int64_t lead = 0, lead_units = 0;
};

// Goes through the words of a text and says where those lie that the runs begin and end with.
class WordPlaces {
  public:
    static void set(const uint8_t* p, const uint8_t* end, std::span<SpanRun> runs) {
        WordPlaces places(runs);
        Pace pace;
        while (p < end && places.ended_ < runs.size()) {
            pace();
            if (end - p >= 64 && is_ascii_block(p)) {
                places.take_block(p);
                p += 64;
                continue;
            }
            if (*p < 0x80) {
                places.take(is_ascii_word(*p) ? kWord : kSeparator);
                ++p;
                continue;
            }
            Decoded one = decode(p, end);
            places.take(property_of(one.code).kind);
            p += one.size;
        }
        places.close();
    }

  private:
    explicit WordPlaces(std::span<SpanRun> runs) : runs_(runs) {}

    static bool is_ascii_block(const uint8_t* p) {
        uint64_t eights[8], all = 0;
        std::memcpy(eights, p, sizeof eights);
        for (uint64_t eight : eights) all |= eight;
        return (all & 0x8080808080808080ull) == 0;
    }

    // 64 ASCII bytes.
    void take_block(const uint8_t* p) {
        if (solo_) close();
        uint8_t lowered[64];
        uint64_t word = VectorBlock::read(p, lowered).word, shifted = word << 1 | uint64_t{inside_};
        uint64_t opened = word & ~shifted, closed = ~word & shifted;
        size_t first = word_ + inside_;  // the word that the first of the opened begins
        for (size_t past = first + std::popcount(opened); is_due(begun_, &SpanRun::begin, past); ++begun_)
            runs_[begun_].start = at_ + nth_bit(opened, runs_[begun_].begin - first);
        size_t before = word_;
        word_ += std::popcount(closed);
        for (; is_due(ended_, &SpanRun::past, word_ + 1); ++ended_)
            end_run(at_ + nth_bit(closed, runs_[ended_].past - before - 1));
        at_ += 64;
        inside_ = word >> 63;
        if (inside_) last_ = at_;
    }
    bool is_due(size_t run, size_t SpanRun::* unit, size_t past) const {
        return run < runs_.size() && runs_[run].*unit < past;
    }
    static int64_t nth_bit(uint64_t bits, size_t n) {
        while (n--) bits &= bits - 1;
        return std::countr_zero(bits);
    }

    void take(uint8_t kind) {
        bool goes_on = kind == kDropped || (kind == kMark && inside_) || (kind == kWord && inside_ && !solo_);
        if (!goes_on) {
            close();
            if (kind == kWord || kind == kSolo) open(kind == kSolo);
        }
        ++at_;
        if (inside_) last_ = at_;
    }
    void open(bool solo) {
        inside_ = true, solo_ = solo;
        for (; begun_ < runs_.size() && runs_[begun_].begin == word_; ++begun_) runs_[begun_].start = at_;
    }
    void close() {
        if (!inside_) return;
        inside_ = false, solo_ = false;
        ++word_;
        for (; is_due(ended_, &SpanRun::past, word_ + 1); ++ended_) end_run(last_);
    }
    void end_run(int64_t at) {
        SpanRun& run = runs_[ended_];
        run.end = at;
        run.units = static_cast<int64_t>(run.past - run.begin);
    }

    std::span<SpanRun> runs_;
    size_t begun_ = 0, ended_ = 0, word_ = 0;
    int64_t at_ = 0, last_ = 0;
    bool inside_ = false, solo_ = false;
};

// The same for runs of characters or bytes. Those that begin within a grapheme cluster keep their start, and
// say how far it is to the next: equal runs have to be shrunk alike.
class CharacterPlaces {
  public:
    CharacterPlaces(const uint8_t* begin, const uint8_t* end, bool bytes)
        : begin_(begin),
          end_(end),
          bytes_(bytes),
          starts_(begin, end),
          ends_(begin, end),
          from_{begin, 0},
          to_{begin, 0} {}

    void set(std::span<SpanRun> runs) {
        for (SpanRun& run : runs) {
            stop_point();
            Cursor first = go_to(from_, run.begin), last = go_to(to_, run.past);
            int64_t lost = 0;
            // a byte within a character: that one is left out
            while (first.p < end_ && is_continuation(*first.p)) ++first.p, lost += bytes_;
            run.start = first.character;
            run.lead_units = pass_rest(first);
            run.lead = first.character - run.start;
            while (last.p > begin_ && last.p < end_ && is_continuation(*last.p)) --last.p, lost += bytes_;
            if (last.p < to_.p) --last.character;
            while (last.p > first.p && ends_.joined(last.p)) {
                const uint8_t* before = last.p;
                last.p = ends_.back(last.p);
                --last.character;
                lost += bytes_ ? before - last.p : 1;
            }
            run.end = std::max(last.character, first.character);
            run.units = std::max<int64_t>(static_cast<int64_t>(run.past - run.begin) - lost, 0);
            if (last.p <= first.p) run.units = 0;
        }
    }

  private:
    struct Cursor {
        const uint8_t* p;
        int64_t character;  // how many begin before p
    };

    // Moves a cursor behind what belongs to a cluster that began before it; how many units that are. Within
    // flags it goes behind all of them: elsewhere the same letters may be others' second ones. What was
    // passed once is not passed again.
    int64_t pass_rest(Cursor& cursor) {
        if (!starts_.joined(cursor.p)) return 0;
        Cursor before = cursor;
        if (cursor.p < passed_ || cursor.p >= rest_.p) {
            passed_ = cursor.p, rest_ = cursor;
            Pace pace;
            while (starts_.joined(rest_.p)) {
                bool in_flags = starts_.is_regional(rest_.p);
                do pace(), step(rest_);
                while (in_flags && starts_.is_regional(rest_.p));
            }
        }
        cursor = rest_;
        return bytes_ ? cursor.p - before.p : cursor.character - before.character;
    }

    // Moves a cursor to a unit, which never lies before the last one asked for.
    Cursor go_to(Cursor& cursor, size_t unit) {
        Pace pace;
        if (bytes_) {
            for (const uint8_t* to = begin_ + unit; cursor.p < to; pace(), ++cursor.p)
                cursor.character += !is_continuation(*cursor.p);
        } else {
            while (static_cast<size_t>(cursor.character) < unit) pace(), step(cursor);
        }
        return cursor;
    }
    void step(Cursor& cursor) const {
        cursor.p += decode(cursor.p, end_).size;
        ++cursor.character;
    }

    const uint8_t *begin_, *end_;
    bool bytes_;
    Graphemes starts_, ends_;
    Cursor from_, to_;
    const uint8_t* passed_ = end_;  // up to `rest_` all is of clusters that began before
    Cursor rest_{end_, 0};
};

}  // namespace twinset
