#include "arrays.hpp"
#include "bindings.hpp"
#include "mine_addintent.hpp"
#include "mine_afopt.hpp"
#include "mine_fimi.hpp"
#include "mine_fpmax.hpp"
#include "mine_lcm.hpp"
#include "mine_mafia.hpp"
#include "mine_tables.hpp"

namespace twinset {

namespace {

using MinedArrays = nb::tuple;

mine::Transactions checked(const In<int64_t>& offsets, const In<int32_t>& items, int64_t n_items) {
    check_offsets(view(offsets), items.size());
    require(n_items >= 0 && n_items < INT32_MAX, "the number of items must be from 0 to 2 billion");
    require(offsets.size() - 1 < INT32_MAX, "more than 2 billion lines");
    mine::Transactions transactions{view(offsets), view(items), static_cast<int32_t>(n_items)};
    for (size_t line = 0; line < transactions.lines(); ++line) {
        int64_t before = -1;
        bool good = true;
        for (int32_t item : transactions[line]) {
            good &= item > before;
            before = item;
        }
        require(good && before < n_items, "the items of a line must be ascending, unique and below n_items");
    }
    return transactions;
}

MinedArrays given(mine::MinedSets&& sets) {
    return nb::make_tuple(give(std::move(sets.offsets)), give(std::move(sets.items)),
                          give(std::move(sets.supports)), sets.steps);
}

// The door of every miner: offsets, items and supports of the sets, and the steps.
template <auto miner>
MinedArrays mined(In<int64_t> offsets, In<int32_t> items, int64_t n_items, int64_t support, bool maximal,
                  bool prune) {
    mine::Transactions transactions = checked(offsets, items, n_items);
    require(support >= 1, "the support must be at least 1");
    auto least = static_cast<int32_t>(std::min<int64_t>(support, INT32_MAX));
    mine::MinedSets sets;
    {
        Released unlocked;
        sets = miner(transactions, least, maximal ? mine::Target::maximal : mine::Target::closed, prune);
    }
    return given(std::move(sets));
}

template <auto miner>
void bind_miner(nb::module_& m, const char* name) {
    m.def(name, &mined<miner>, nb::arg("offsets"), nb::arg("items"), nb::arg("n_items"), nb::arg("support"),
          nb::arg("maximal"), nb::arg("prune"));
}

nb::tuple transpose_lines(In<int64_t> offsets, In<int32_t> items, int64_t n_items) {
    mine::Transactions transactions = checked(offsets, items, n_items);
    mine::Transposed to;
    {
        Released unlocked;
        to = mine::transposed(transactions);
    }
    return nb::make_tuple(give(std::move(to.offsets)), give(std::move(to.lines)));
}

Out<uint8_t> closed_items(In<int64_t> offsets, In<int32_t> items, int64_t n_items) {
    mine::Transactions transactions = checked(offsets, items, n_items);
    std::vector<uint8_t> closed;
    {
        Released unlocked;
        closed = mine::closed_items(transactions);
    }
    return give(std::move(closed));
}

MinedArrays sort_sets(In<int64_t> offsets, In<int32_t> items, In<int32_t> supports, int64_t least) {
    check_offsets(view(offsets), items.size());
    require(offsets.size() - 1 == supports.size(), "one support per set is needed");
    require(supports.size() < UINT32_MAX, "more than 4 billion sets");
    for (size_t i = 0; i < items.size(); ++i) require(items.data()[i] >= 0, "items must not be negative");
    mine::MinedSets sets;
    {
        Released unlocked;
        sets = mine::in_order(view(offsets), view(items), view(supports), least);
    }
    return given(std::move(sets));
}

// Lines, labels and counts; where a word is no item, its kind of fault, line and place instead.
nb::tuple read_fimi_lines(In<uint8_t> text) {
    mine::FimiLines lines;
    {
        Released unlocked;
        lines = mine::FimiReader(view(text)).read();
    }
    const mine::FimiFault& fault = lines.fault;
    nb::tuple place = nb::make_tuple(static_cast<int>(fault.kind), fault.line, fault.begin, fault.end);
    return nb::make_tuple(give(std::move(lines.offsets)), give(std::move(lines.items)),
                          give(std::move(lines.labels)), lines.blank, lines.repeated, lines.first_repeat,
                          place);
}

Out<uint8_t> write_fimi_lines(In<int64_t> offsets, In<int32_t> items, In<int64_t> labels, In<int32_t> last) {
    check_offsets(view(offsets), items.size());
    require(last.size() == 0 || last.size() == offsets.size() - 1,
            "one last number per line, or none, is needed");
    for (size_t i = 0; i < items.size(); ++i)
        require(items.data()[i] >= 0 && static_cast<size_t>(items.data()[i]) < labels.size(),
                "an item has no label");
    std::vector<uint8_t> text;
    {
        Released unlocked;
        text = mine::fimi_text(view(offsets), view(items), view(labels), view(last));
    }
    return give(std::move(text));
}

}  // namespace

void bind_mine(nb::module_& m) {
    bind_miner<mine::fpmax>(m, "mine_fpmax");
    bind_miner<mine::lcm>(m, "mine_lcm");
    m.def("read_fimi_lines", &read_fimi_lines, nb::arg("text"));
    m.def("write_fimi_lines", &write_fimi_lines, nb::arg("offsets"), nb::arg("items"), nb::arg("labels"),
          nb::arg("last"));
    m.def("transpose_lines", &transpose_lines, nb::arg("offsets"), nb::arg("items"), nb::arg("n_items"));
    m.def("closed_items", &closed_items, nb::arg("offsets"), nb::arg("items"), nb::arg("n_items"));
    m.def("sort_sets", &sort_sets, nb::arg("offsets"), nb::arg("items"), nb::arg("supports"),
          nb::arg("least"));
    bind_miner<mine::mine_afopt>(m, "mine_afopt");
    bind_miner<mine::mine_mafia>(m, "mine_mafia");
    bind_miner<mine::mine_addintent>(m, "mine_addintent");
}

}  // namespace twinset
