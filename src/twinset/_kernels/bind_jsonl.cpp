#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "digest.hpp"
#include "file_range.hpp"
#include "jsonl.hpp"
#include "lines.hpp"
#include "raw_bytes.hpp"
#include "splice.hpp"

namespace twinset {
namespace {

using jsonl::Path;
using jsonl::Room;
using jsonl::Row;

Path split_path(const std::string& dotted) {
    Path path(1);
    for (char c : dotted) {
        if (c == '.') path.emplace_back();
        else path.back().push_back(c);
    }
    return path;
}

struct Lines {
    std::vector<int64_t> begin, end, number;
    int64_t total = 0;  // blank ones too
};

Lines full_lines(std::span<const uint8_t> text, int threads) {
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

using Writable = nb::ndarray<uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::dict jsonl_rows(In<uint8_t> block, std::string id, std::string text, std::string order, int threads,
                    std::optional<Writable> room) {
    if (room) {
        require(threads <= 1, "only one thread writes into a room");
        require(room->size() >= block.size(), "the room must be as large as the block");
    }
    const uint8_t* data = block.data();
    const std::string dotted[] = {id, text, order};
    const Path paths[] = {split_path(id), split_path(text), split_path(order)};
    Lines lines;
    std::vector<Row> rows;
    std::vector<int64_t> text_offsets, id_offsets;
    std::vector<uint8_t> odd, has_id;
    std::vector<double> orders;
    RawBytes texts, ids;
    {
        Released unlocked;
        lines = full_lines(view(block), threads);
        rows.resize(lines.begin.size());
        if (!room) texts = RawBytes(block.size());
        // One thread writes the texts one after another; of several, each where the line has its place.
        uint8_t* begin = room ? room->data() : texts.data.data();
        uint8_t* next = begin;
        parallel_blocks(rows.size(), 16, threads, [&](size_t b, size_t e, int) {
            for (size_t i = b; i < e; ++i) {
                Room place{begin + lines.begin[i], begin + lines.end[i]};
                if (threads <= 1) place = {next, begin + block.size()};
                rows[i] = jsonl::read_row(data + lines.begin[i], data + lines.end[i], data + block.size(),
                                          paths, dotted, place);
                if (threads <= 1) next += rows[i].text.size;
            }
        });
        text_offsets = offsets_of(rows, &Row::text);
        id_offsets = offsets_of(rows, &Row::id);
        ids = gather(rows, &Row::id, id_offsets, 1);
        if (threads <= 1) texts.size = static_cast<size_t>(text_offsets.back());
        else texts = gather(rows, &Row::text, text_offsets, threads);
        for (const Row& row : rows) {
            odd.push_back(row.odd);
            has_id.push_back(row.has_id);
            orders.push_back(row.order);
        }
    }
    nb::dict out;
    out["begin"] = give(std::move(lines.begin));
    out["end"] = give(std::move(lines.end));
    out["line"] = give(std::move(lines.number));
    out["lines"] = lines.total;
    out["odd"] = give(std::move(odd));
    if (!room) out["texts"] = give(std::move(texts));
    out["text_offsets"] = give(std::move(text_offsets));
    out["ids"] = give(std::move(ids));
    out["id_offsets"] = give(std::move(id_offsets));
    out["has_id"] = give(std::move(has_id));
    out["order"] = give(std::move(orders));
    return out;
}

int64_t spliced(In<uint8_t> block, In<int64_t> begins, In<int64_t> ends, In<uint8_t> tails,
                In<int64_t> tail_offsets, In<int64_t> tail_of, Writable out) {
    require(begins.size() == ends.size(), "there must be as many ends as beginnings");
    require(!tail_of.size() || tail_of.size() == begins.size(), "there must be a tail for every piece");
    check_offsets(view(tail_offsets), tails.size());
    Released unlocked;
    return splice(view(block), view(begins), view(ends), {view(tails), view(tail_offsets), view(tail_of)},
                  {out.data(), out.size()});
}

size_t read_file(int file, uint64_t at, Writable out, int threads) {
    Released unlocked;
    return read_range(file, at, {out.data(), out.size()}, threads);
}

}  // namespace

void bind_jsonl(nb::module_& m) {
    m.def("jsonl_rows", &jsonl_rows, nb::arg("block"), nb::arg("id"), nb::arg("text"), nb::arg("order"),
          nb::arg("threads"), nb::arg("room") = nb::none(),
          "The id, text and order fields of every line that is not blank; odd lines are left out.\n\n"
          "The texts are written one after another into the room, where there is one.");
    m.def(
        "line_ends",
        [](In<uint8_t> block, int threads) {
            std::vector<int64_t> ends;
            {
                Released unlocked;
                ends = line_ends(view(block), threads);
            }
            return give(std::move(ends));
        },
        nb::arg("block"), nb::arg("threads"), "Where each line of the block ends.");
    m.def(
        "line_count",
        [](In<uint8_t> block) {
            Released unlocked;
            return count_lines(view(block));
        },
        nb::arg("block"), "How many lines the block has.");
    m.def(
        "blank_lines",
        [](In<uint8_t> block, In<int64_t> ends) {
            check_offsets(view(ends), block.size());
            std::vector<uint8_t> blank(ends.size());
            {
                Released unlocked;
                Pace pace;
                for (size_t i = 0; i < ends.size(); pace(), ++i)
                    blank[i] = blank_line(block.data() + (i ? ends.data()[i - 1] : 0),
                                          block.data() + ends.data()[i]);
            }
            return give(std::move(blank));
        },
        nb::arg("block"), nb::arg("ends"), "Which lines hold nothing but white space.");
    m.def(
        "annotated_lines",
        [](In<uint8_t> block, In<int64_t> ends, int threads) {
            check_offsets(view(ends), block.size());
            std::vector<uint8_t> marked(ends.size());
            {
                Released unlocked;
                parallel_blocks(ends.size(), 64, threads, [&](size_t b, size_t e, int) {
                    for (size_t i = b; i < e; ++i)
                        marked[i] = names_annotation(block.data() + (i ? ends.data()[i - 1] : 0),
                                                     block.data() + ends.data()[i]);
                });
            }
            return give(std::move(marked));
        },
        nb::arg("block"), nb::arg("ends"), nb::arg("threads"),
        "Which lines hold the beginning of the names of an annotation, twinset_.");
    m.def("spliced", &spliced, nb::arg("block"), nb::arg("begins"), nb::arg("ends"), nb::arg("tails"),
          nb::arg("tail_offsets"), nb::arg("tail_of"), nb::arg("out"),
          "Pieces of the block, each with its tail, into out, which is another place; how many bytes.");
    m.def("read_range", &read_file, nb::arg("file"), nb::arg("at"), nb::arg("out"), nb::arg("threads"),
          "Fills out with the bytes of a file from a place on; how many there were before its end.");
    nb::class_<Digest>(m, "Digest", "A 64-bit digest of bytes as they stream by; not cryptographic.")
        .def(nb::init<>())
        .def(
            "update",
            [](Digest& digest, In<uint8_t> bytes) {
                Released unlocked;
                digest.update(bytes.data(), bytes.size());
            },
            nb::arg("bytes"))
        .def("value", &Digest::value)
        .def(
            "state", [](const Digest& digest) { return give(digest.state()); },
            "What was learnt so far, to go on with.")
        .def_static(
            "of_state",
            [](In<uint8_t> state) {
                std::optional<Digest> digest = Digest::of_state(state.data(), state.size());
                if (!digest) throw std::invalid_argument("this is no state of a digest");
                return *digest;
            },
            nb::arg("state"), "A digest that goes on where another one was.");
}

}  // namespace twinset
