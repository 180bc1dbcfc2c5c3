// The fields of all lines of a block as columns.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "jsonl.hpp"
#include "lines.hpp"
#include "raw_bytes.hpp"

namespace twinset::jsonl {

// Where the fields of a record lie.
struct Fields {
    std::string dotted[kFields];
    Path paths[kFields];

    Fields(std::string id, std::string text, std::string order)
        : dotted{std::move(id), std::move(text), std::move(order)} {
        for (int f = 0; f < kFields; ++f) paths[f] = split(dotted[f]);
    }

  private:
    static Path split(const std::string& dotted) {
        Path path(1);
        for (char c : dotted) {
            if (c == '.') path.emplace_back();
            else path.back().push_back(c);
        }
        return path;
    }
};

struct Lines {
    std::vector<int64_t> begin, end, number;
    int64_t total = 0;  // blank ones too
};

// A row for every line that is not blank.
struct Rows {
    Lines lines;
    std::vector<uint8_t> odd, has_id;
    std::vector<double> orders;
    std::vector<int64_t> text_offsets, id_offsets;
    RawBytes texts, ids;  // no texts where they were written to a room of the caller
};

inline Lines full_lines(std::span<const uint8_t> text, int threads) {
    const uint8_t* data = text.data();
    Lines lines;
    int64_t begin = 0, number = 0;
    for (int64_t end : line_ends(text, threads)) {
        ++number;
        if (!blank_line(data + begin, data + end)) {
            lines.begin.push_back(begin);
            lines.end.push_back(end);
            lines.number.push_back(number);
        }
        begin = end;
    }
    lines.total = number;
    return lines;
}

template <class Field>
std::vector<int64_t> offsets_of(const std::vector<Row>& rows, Field field) {
    std::vector<int64_t> offsets(rows.size() + 1);
    for (size_t i = 0; i < rows.size(); ++i)
        offsets[i + 1] = offsets[i] + static_cast<int64_t>((rows[i].*field).size);
    return offsets;
}

template <class Field>
RawBytes gather(const std::vector<Row>& rows, Field field, const std::vector<int64_t>& offsets, int threads) {
    RawBytes bytes(static_cast<size_t>(offsets.back()));
    parallel_blocks(rows.size(), 64, threads, [&](size_t b, size_t e, int) {
        for (size_t i = b; i < e; ++i) unescape(rows[i].*field, bytes.data.data() + offsets[i]);
    });
    return bytes;
}

// One thread writes the texts one after another, into the room if there is one, which is as large as
// the block; of several, each writes where the line has its place.
inline Rows rows_of(std::span<const uint8_t> block, const Fields& fields, int threads, uint8_t* room) {
    Rows found;
    found.lines = full_lines(block, threads);
    const Lines& lines = found.lines;
    std::vector<Row> rows(lines.begin.size());
    if (!room) found.texts = RawBytes(block.size());
    const uint8_t* data = block.data();
    uint8_t* begin = room ? room : found.texts.data.data();
    uint8_t* next = begin;
    parallel_blocks(rows.size(), 16, threads, [&](size_t b, size_t e, int) {
        for (size_t i = b; i < e; ++i) {
            Room place{begin + lines.begin[i], begin + lines.end[i]};
            if (threads <= 1) place = {next, begin + block.size()};
            rows[i] = read_row(data + lines.begin[i], data + lines.end[i], data + block.size(), fields.paths,
                               fields.dotted, place);
            if (threads <= 1) next += rows[i].text.size;
        }
    });
    found.text_offsets = offsets_of(rows, &Row::text);
    found.id_offsets = offsets_of(rows, &Row::id);
    found.ids = gather(rows, &Row::id, found.id_offsets, 1);
    if (threads <= 1) found.texts.size = static_cast<size_t>(found.text_offsets.back());
    else found.texts = gather(rows, &Row::text, found.text_offsets, threads);
    for (const Row& row : rows) {
        found.odd.push_back(row.odd);
        found.has_id.push_back(row.has_id);
        found.orders.push_back(row.order);
    }
    return found;
}

}  // namespace twinset::jsonl
