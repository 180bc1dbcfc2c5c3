// Stretches of characters or bytes as characters (code points) of the text they lie in: shrunk to whole
// characters, and these to whole grapheme clusters.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "graphemes.hpp"
#include "span_run.hpp"
#include "stop.hpp"
#include "utf8.hpp"

namespace twinset {

// Says where runs of characters or bytes lie. Those that begin within a grapheme cluster keep their start,
// and say how far it is to the next: equal runs have to be shrunk alike.
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
