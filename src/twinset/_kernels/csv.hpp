// Records of delimited text. A field that begins with a quote ends at the next single quote, two
// of them standing for one; what follows a closing quote up to the delimiter belongs to the field.
// Anywhere else a quote is an ordinary character. A record ends at a line feed outside quotes.
#pragma once
#include <cstdint>
#include <cstring>
#include <vector>

#include "scan.hpp"

namespace twinset::csv {

struct Field {
    const uint8_t* begin = nullptr;  // of a quoted one: behind the opening quote
    const uint8_t* end = nullptr;
    bool quoted = false;
};

struct Record {
    int64_t begin = 0, end = 0;
    int64_t line = 0;    // of its first byte, from 1
    int64_t fields = 0;  // 0: a blank line
    bool closed = true;  // false: the data end inside its quotes
};

// Walks the records of a block; `fields` keeps those of the last one.
class Walker {
  public:
    std::vector<Field> fields;

    Walker(const uint8_t* data, size_t size, uint8_t delimiter)
        : data_(data), p_(data), end_(data + size), delimiter_(delimiter) {}

    // The next record; false at the end. A last one without line feed is a record too.
    bool next(Record& record) {
        if (p_ == end_) return false;
        fields.clear();
        record = Record{};
        record.begin = p_ - data_;
        record.line = line_ + 1;
        bool more = true;
        while (more) more = field(record);
        record.end = p_ - data_;
        record.fields = static_cast<int64_t>(fields.size());
        if (record.fields == 1 && !fields[0].quoted && fields[0].begin == fields[0].end) record.fields = 0;
        return true;
    }
    int64_t lines() const { return line_; }
    // Whether the last record ended with a line feed rather than with the data.
    bool ended_by_line() const { return by_line_; }

  private:
    const uint8_t* data_;
    const uint8_t* p_;
    const uint8_t* end_;
    uint8_t delimiter_;
    int64_t line_ = 0;
    bool by_line_ = true;

    // Takes a field and what ends it; true when a delimiter promises another.
    bool field(Record& record) {
        Field field;
        if (p_ < end_ && *p_ == '"') {
            field.quoted = true;
            field.begin = ++p_;
            if (!close_quote()) record.closed = false;
        } else {
            field.begin = p_;
        }
        while (p_ < end_ && *p_ != delimiter_ && *p_ != '\n') ++p_;
        field.end = p_;
        bool more = p_ < end_ && *p_ == delimiter_;
        if (!more) {
            if (field.end > field.begin && field.end[-1] == '\r') --field.end;
            by_line_ = p_ < end_;
            line_ += 1;
        }
        fields.push_back(field);
        if (p_ < end_) ++p_;
        return more;
    }

    bool close_quote() {
        for (;;) {
            auto* quote = static_cast<const uint8_t*>(std::memchr(p_, '"', end_ - p_));
            const uint8_t* until = quote ? quote : end_;
            for (const uint8_t* q = p_; (q = static_cast<const uint8_t*>(std::memchr(q, '\n', until - q)));
                 ++q)
                ++line_;
            p_ = quote ? quote + 1 : end_;
            if (!quote) return false;
            if (p_ == end_ || *p_ != '"') return true;
            ++p_;
        }
    }
};

// Calls put(piece, length) for the runs of bytes that make up the field's value.
template <class Put>
void value_of(const Field& field, Put&& put) {
    const uint8_t* p = field.begin;
    bool inside = field.quoted;
    while (inside && p < field.end) {
        auto* quote = static_cast<const uint8_t*>(std::memchr(p, '"', field.end - p));
        if (!quote) break;
        put(p, static_cast<size_t>(quote - p));
        p = quote + 1;
        if (p < field.end && *p == '"') {
            put(p, 1);
            ++p;
        } else {
            inside = false;
        }
    }
    if (p < field.end) put(p, static_cast<size_t>(field.end - p));
}

}  // namespace twinset::csv
