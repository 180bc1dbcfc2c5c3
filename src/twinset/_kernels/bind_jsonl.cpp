#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "digest.hpp"
#include "jsonl_rows.hpp"
#include "lines.hpp"
#include "splice.hpp"

namespace twinset {
namespace {

using Writable = nb::ndarray<uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::dict columns(jsonl::Rows&& rows, bool in_room) {
    nb::dict out;
    out["begin"] = give(std::move(rows.lines.begin));
    out["end"] = give(std::move(rows.lines.end));
    out["line"] = give(std::move(rows.lines.number));
    out["lines"] = rows.lines.total;
    out["odd"] = give(std::move(rows.odd));
    if (!in_room) out["texts"] = give(std::move(rows.texts));
    out["text_offsets"] = give(std::move(rows.text_offsets));
    out["ids"] = give(std::move(rows.ids));
    out["id_offsets"] = give(std::move(rows.id_offsets));
    out["has_id"] = give(std::move(rows.has_id));
    out["order"] = give(std::move(rows.orders));
    return out;
}

nb::dict jsonl_rows(In<uint8_t> block, std::string id, std::string text, std::string order, int threads,
                    std::optional<Writable> room) {
    if (room) {
        require(threads <= 1, "only one thread writes into a room");
        require(room->size() >= block.size(), "the room must be as large as the block");
    }
    const jsonl::Fields fields(std::move(id), std::move(text), std::move(order));
    jsonl::Rows rows;
    {
        Released unlocked;
        rows = jsonl::rows_of(view(block), fields, threads, room ? room->data() : nullptr);
    }
    return columns(std::move(rows), room.has_value());
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
    m.def("spliced", &spliced, nb::arg("block"), nb::arg("begins"), nb::arg("ends"), nb::arg("tails"),
          nb::arg("tail_offsets"), nb::arg("tail_of"), nb::arg("out"),
          "Pieces of the block, each with its tail, into out, which is another place; how many bytes.");
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
