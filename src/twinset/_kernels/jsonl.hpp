// Fields out of JSON lines. Every line is checked in full (RFC 8259, UTF-8 included); whatever is
// not plain sailing (broken syntax, a key twice, an escaped key, half of a surrogate pair, another type,
// deep nesting, numbers that need care) is marked `odd` and left to a slower reader, so nothing broken
// passes.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "json_text.hpp"
#include "parallel.hpp"
#include "scan.hpp"
#include "wide.hpp"

namespace twinset::jsonl {

enum class Kind : uint8_t { missing, null, string, number, other };

struct Value {
    Kind kind = Kind::missing;
    Text text;  // of a string: inside the quotes; of a number: its digits
};

using Path = std::vector<std::string>;
inline constexpr int kFields = 3;  // id, text, order
inline constexpr int kText = 1;
inline constexpr unsigned kAll = 7;  // a bit for each of them
inline constexpr int kDeepest = 64;  // deeper values are odd

// Where the text of a line goes: memory of at least so many bytes as the line has.
struct Room {
    uint8_t* begin;
    uint8_t* end;
};

// One line under the cursor; every step returns false on the first thing that is odd.
class Line {
  public:
    // Memory may be read up to `readable` >= end.
    Line(const uint8_t* begin, const uint8_t* end, const uint8_t* readable, const Path* paths,
         const std::string* dotted, Room room)
        : p_(begin), end_(end), readable_(readable), paths_(paths), dotted_(dotted), room_(room) {}

    bool read(Value* values) {
        space();
        if (!object(0, kAll, values)) return false;
        space();
        return p_ == end_;
    }

  private:
    const uint8_t* p_;
    const uint8_t* end_;
    const uint8_t* readable_;
    const Path* paths_;
    const std::string* dotted_;
    Room room_;

    void space() {
        while (p_ < end_ && (*p_ == ' ' || *p_ == '\t' || *p_ == '\r' || *p_ == '\n')) ++p_;
    }
    bool take(uint8_t c) {
        if (p_ == end_ || *p_ != c) return false;
        ++p_;
        return true;
    }

    bool string(Text& text) {
        if (!take('"')) return false;
        text = Text{p_, p_, 0, false};
        bool high = false;
        uint64_t lost = 0;  // bytes that unescaping takes away
        for (;;) {
            p_ = find_stop(p_, end_, high);
            if (p_ == end_ || *p_ < 0x20) return false;
            if (*p_ == '"') break;
            text.escaped = true;
            while (p_ < end_ && *p_ == '\\') {
                if (end_ - p_ < 2) return false;
                if (p_[1] == 'u') {
                    const uint8_t* from = p_;
                    uint32_t code = 0;
                    if (!read_unicode(p_, end_, code)) return false;
                    lost += static_cast<uint64_t>(p_ - from) - utf8_size(code);
                } else {
                    if (plain_escape(p_[1]) < 0) return false;
                    lost += 1;
                    p_ += 2;
                }
            }
        }
        text.end = p_++;
        text.size = static_cast<uint64_t>(text.end - text.begin) - lost;
        return !high || valid_utf8(text.begin, text.end);
    }

    // A string that is written unescaped while it is checked; `text` is what was written.
    bool written_string(Text& text) {
        if (!take('"')) return false;
        const uint8_t* from = p_;
        uint8_t* out = room_.begin;
        uint8_t high = 0;
        for (;;) {
            // A line end stops a string, too, so that no step goes beyond the line.
            size_t most = static_cast<size_t>(std::min<ptrdiff_t>(readable_ - p_, room_.end - out));
            size_t plain = wide_kernels().copy_plain(p_, most, out, high);
            p_ += plain, out += plain;
            for (; p_ < end_ && !stops_string(*p_); ++p_) {
                high |= *p_;
                *out++ = *p_;
            }
            if (p_ >= end_ || *p_ < 0x20) return false;
            if (*p_ == '"') break;
            while (p_ < end_ && *p_ == '\\') {
                if (end_ - p_ < 2) return false;
                if (p_[1] == 'u') {
                    uint32_t code = 0;
                    if (!read_unicode(p_, end_, code)) return false;
                    out = put_utf8(out, code);
                } else {
                    int code = plain_escape(p_[1]);
                    if (code < 0) return false;
                    *out++ = static_cast<uint8_t>(code);
                    p_ += 2;
                }
            }
        }
        if ((high & 0x80) && !valid_utf8(from, p_)) return false;
        ++p_;
        text = Text{room_.begin, out, static_cast<uint64_t>(out - room_.begin), false};
        return true;
    }

    bool digits() {
        const uint8_t* from = p_;
        while (p_ < end_ && *p_ >= '0' && *p_ <= '9') ++p_;
        return p_ > from;
    }
    bool number() {
        take('-');
        if (!take('0') && !digits()) return false;
        if (take('.') && !digits()) return false;
        if (p_ < end_ && (*p_ | 0x20) == 'e') {
            ++p_;
            if (!take('+')) take('-');
            return digits();
        }
        return true;
    }
    bool word(std::string_view text) {
        if (static_cast<size_t>(end_ - p_) < text.size()) return false;
        if (std::memcmp(p_, text.data(), text.size()) != 0) return false;
        p_ += text.size();
        return true;
    }

    bool scalar(Value& value) {
        if (p_ == end_) return false;
        switch (*p_) {
            case '"':
                value.kind = Kind::string;
                return string(value.text);
            case 'n':
                value.kind = Kind::null;
                return word("null");
            case 't':
                value.kind = Kind::other;
                return word("true");
            case 'f':
                value.kind = Kind::other;
                return word("false");
            default:
                value.kind = Kind::number;
                value.text.begin = p_;
                if (!number()) return false;
                value.text.end = p_;
                return true;
        }
    }

    // Any value that nobody asked for: checked, not kept. Bit i of `lists` says that level i of the
    // nesting is a list.
    bool skip() {
        uint64_t lists = 0;
        int depth = 0;
        Text key;
        Value ignored;
        for (;;) {
            space();
            bool opened = false;
            if (p_ < end_ && (*p_ == '{' || *p_ == '[')) {
                if (depth == kDeepest) return false;
                bool list = *p_++ == '[';
                lists = list ? lists | (1ull << depth) : lists & ~(1ull << depth);
                ++depth;
                opened = true;
            } else if (!scalar(ignored)) {
                return false;
            }
            for (;;) {  // close what ends here, then go on to the next value
                if (depth == 0) return true;
                bool list = lists >> (depth - 1) & 1;
                space();
                if (take(list ? ']' : '}')) {
                    --depth;
                    opened = false;
                    continue;
                }
                if (!opened && !take(',')) return false;
                if (!list) {
                    space();
                    if (!string(key)) return false;
                    space();
                    if (!take(':')) return false;
                }
                break;
            }
        }
    }

    // An object on the way to wanted fields; `wanted` has a bit for each field it may hold.
    bool object(size_t depth, unsigned wanted, Value* values) {
        if (!take('{')) return false;
        space();
        if (take('}')) return true;
        unsigned met = 0;
        do {
            space();
            Text key;
            if (!string(key) || key.escaped) return false;
            space();
            if (!take(':')) return false;
            space();
            unsigned here = 0, below = 0;
            for (int f = 0; f < kFields; ++f) {
                if (!(wanted >> f & 1)) continue;
                if (depth == 0 && paths_[f].size() > 1 && same(key, dotted_[f])) return false;
                if (!same(key, paths_[f][depth])) continue;
                (depth + 1 == paths_[f].size() ? here : below) |= 1u << f;
            }
            if ((here | below) & met) return false;  // the last of equal keys counts: not ours to say
            met |= here | below;
            if (!value(depth, here, below, values)) return false;
            space();
        } while (take(','));
        return take('}');
    }

    bool value(size_t depth, unsigned here, unsigned below, Value* values) {
        bool opens = p_ < end_ && (*p_ == '{' || *p_ == '[');
        if (here && below) return false;
        if (below && opens && *p_ == '{') return object(depth + 1, below, values);
        Value found;
        found.kind = Kind::other;
        bool writes = here >> kText & 1 && p_ < end_ && *p_ == '"';
        if (writes) found.kind = Kind::string;
        if (opens ? !skip() : writes ? !written_string(found.text) : !scalar(found)) return false;
        for (int f = 0; f < kFields; ++f)
            if (here >> f & 1) values[f] = found;
        return true;
    }

    static bool same(const Text& key, const std::string& name) {
        return key.size == name.size() && std::memcmp(key.begin, name.data(), name.size()) == 0;
    }
};

// A number as a double where that is exact arithmetic (at most 2^53 times a small power of ten).
inline bool exact_double(const Text& number, double& out) {
    static constexpr double kPower[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                        1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const uint8_t* p = number.begin;
    bool negative = p < number.end && *p == '-';
    p += negative;
    uint64_t value = 0;
    int count = 0, after = 0;
    bool point = false;
    for (; p < number.end; ++p) {
        if (*p == '.') {
            point = true;
            continue;
        }
        if (*p < '0' || *p > '9' || ++count > 15) return false;
        value = value * 10 + (*p - '0');
        after += point;
    }
    out = static_cast<double>(value) / kPower[after];
    if (negative) out = -out;
    return true;
}

// A whole number that Python would print as it stands.
inline bool plain_integer(const Text& number) {
    size_t n = static_cast<size_t>(number.end - number.begin);
    if (n > 19 || (n == 2 && number.begin[0] == '-' && number.begin[1] == '0')) return false;
    for (const uint8_t* p = number.begin; p < number.end; ++p)
        if (!(*p >= '0' && *p <= '9') && *p != '-') return false;
    return true;
}

struct Row {
    Text id, text;
    double order = std::numeric_limits<double>::quiet_NaN();
    bool odd = false;
    bool has_id = false;
};

// The text is written to `room`.
inline Row read_row(const uint8_t* begin, const uint8_t* end, const uint8_t* readable, const Path* paths,
                    const std::string* dotted, Room room) {
    Value values[kFields];
    Row row;
    Value &id = values[0], &text = values[1], &order = values[2];
    row.odd = !Line(begin, end, readable, paths, dotted, room).read(values) || text.kind != Kind::string;
    if (id.kind == Kind::number) {
        row.odd |= !plain_integer(id.text);
        id.text.size = static_cast<uint64_t>(id.text.end - id.text.begin);
    }
    row.odd |= id.kind == Kind::other || order.kind == Kind::other || order.kind == Kind::string;
    if (!row.odd && order.kind == Kind::number) row.odd = !exact_double(order.text, row.order);
    if (row.odd) return row;
    row.text = text.text;
    row.has_id = id.text.size > 0;
    if (row.has_id) row.id = id.text;
    return row;
}

}  // namespace twinset::jsonl
