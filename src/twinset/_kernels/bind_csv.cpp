#include "arrays.hpp"
#include "bindings.hpp"
#include "csv.hpp"
#include "parallel.hpp"
#include "raw_bytes.hpp"

namespace twinset {
namespace {

using csv::Field;
using csv::Record;
using csv::Walker;

// The values of one column, gathered: 0 = missing, 1 = there, 2 = there but not UTF-8.
struct Column {
    std::vector<Field> fields;
    std::vector<uint8_t> state;
    std::vector<int64_t> offsets;
    RawBytes bytes;

    void gather(int threads) {
        offsets.assign(fields.size() + 1, 0);
        for (size_t i = 0; i < fields.size(); ++i) {
            int64_t size = 0;
            value_of(fields[i], [&](const uint8_t*, size_t n) { size += static_cast<int64_t>(n); });
            offsets[i + 1] = offsets[i] + size;
        }
        bytes = RawBytes(static_cast<size_t>(offsets.back()));
        parallel_blocks(fields.size(), 64, threads, [&](size_t b, size_t e, int) {
            for (size_t i = b; i < e; ++i) {
                uint8_t* out = bytes.data.data() + offsets[i];
                value_of(fields[i], [&](const uint8_t* p, size_t n) {
                    std::memcpy(out, p, n);
                    out += n;
                });
                if (state[i] == 1 && !valid_utf8(bytes.data.data() + offsets[i], out)) state[i] = 2;
            }
        });
    }

    nb::dict out() {
        nb::dict found;
        found["state"] = give(std::move(state));
        found["offsets"] = give(std::move(offsets));
        found["bytes"] = give(std::move(bytes));
        return found;
    }
};

nb::tuple csv_rows(In<uint8_t> block, int delimiter, In<int64_t> wanted, int threads) {
    require(delimiter > 0 && delimiter < 128 && delimiter != '"' && delimiter != '\n',
            "the delimiter must be an ASCII character");
    std::vector<int64_t> begin, end, line, count;
    std::vector<uint8_t> closed;
    std::vector<Column> columns(wanted.size());
    {
        Released unlocked;
        Walker walker(block.data(), block.size(), static_cast<uint8_t>(delimiter));
        Record record;
        Pace pace;
        while (walker.next(record)) {
            pace(static_cast<size_t>(record.end - record.begin));
            begin.push_back(record.begin);
            end.push_back(record.end);
            line.push_back(record.line);
            count.push_back(record.fields);
            closed.push_back(record.closed);
            for (size_t c = 0; c < columns.size(); ++c) {
                int64_t at = wanted.data()[c];
                bool there = at >= 0 && at < record.fields;
                columns[c].fields.push_back(there ? walker.fields[static_cast<size_t>(at)] : Field{});
                columns[c].state.push_back(there);
            }
        }
        line.push_back(walker.lines());
        for (Column& column : columns) column.gather(threads);
    }
    nb::dict records;
    records["begin"] = give(std::move(begin));
    records["end"] = give(std::move(end));
    records["line"] = give(std::move(line));
    records["fields"] = give(std::move(count));
    records["closed"] = give(std::move(closed));
    nb::list found;
    for (Column& column : columns) found.append(column.out());
    return nb::make_tuple(records, found);
}

int64_t csv_last_end(In<uint8_t> block, int delimiter) {
    Released unlocked;
    Walker walker(block.data(), block.size(), static_cast<uint8_t>(delimiter));
    Record record;
    int64_t last = 0;
    Pace pace;
    while (walker.next(record)) {
        pace(static_cast<size_t>(record.end - record.begin));
        if (walker.ended_by_line()) last = record.end;
    }
    return last;
}

}  // namespace

void bind_csv(nb::module_& m) {
    m.def("csv_rows", &csv_rows, nb::arg("block"), nb::arg("delimiter"), nb::arg("wanted"),
          nb::arg("threads"), "The records of a block and the values of the wanted columns.");
    m.def("csv_last_end", &csv_last_end, nb::arg("block"), nb::arg("delimiter"),
          "Where the last record that is complete ends.");
}

}  // namespace twinset
