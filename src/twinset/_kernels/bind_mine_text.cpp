// From the text of a FIMI file to the text of its sets, without arrays in between: a process that
// only reads, mines and prints need not load NumPy, which takes longer than many a mining.
#include <nanobind/stl/string_view.h>

#include <string_view>

#include "arrays.hpp"
#include "bindings.hpp"
#include "mine_afopt.hpp"
#include "mine_fimi.hpp"
#include "mine_lcm.hpp"
#include "mine_mafia.hpp"
#include "mine_tables.hpp"

namespace twinset {

namespace {

class FimiSets {
  public:
    FimiSets(mine::MinedSets&& sets, std::vector<int64_t> labels)
        : sets_(std::move(sets)), labels_(std::move(labels)) {}

    size_t size() const { return sets_.size(); }

    nb::bytes text(size_t first, size_t last) const {
        last = std::min(last, size());
        require(first <= last, "the first set must not come after the last");
        std::vector<uint8_t> text;
        {
            Released unlocked;
            size_t count = last - first;
            text = mine::fimi_text(std::span(sets_.offsets).subspan(first, count + 1), sets_.items, labels_,
                                   std::span(sets_.supports).subspan(first, count));
        }
        return nb::bytes(text.data(), text.size());
    }

  private:
    mine::MinedSets sets_;
    std::vector<int64_t> labels_;
};

class FimiText {
  public:
    explicit FimiText(nb::bytes text) {
        Released unlocked;
        lines_ = mine::FimiReader({reinterpret_cast<const uint8_t*>(text.data()), text.size()}).read();
    }

    bool flawless() const {
        return lines_.fault.kind == mine::FimiFault::none && lines_.blank == 0 && lines_.repeated == 0;
    }
    size_t lines() const { return lines_.offsets.size() - 1; }

    // The number of items in so many lines, and in how many lines they are together.
    nb::tuple frequent(int64_t support) const {
        std::vector<int64_t> counts(lines_.labels.size(), 0);
        for (int32_t item : lines_.items) ++counts[item];
        int64_t items = 0, sum = 0;
        for (int64_t count : counts)
            if (count >= support) ++items, sum += count;
        return nb::make_tuple(items, sum);
    }

    FimiSets mine_sets(std::string_view algorithm, int64_t support, bool maximal, int64_t least_items) const {
        require(flawless() && lines() < INT32_MAX && lines_.labels.size() < INT32_MAX,
                "only a file without flaws can be mined");
        require(support >= 1, "the support must be at least 1");
        auto* miner = algorithm == "lcm"     ? &mine::lcm
                      : algorithm == "mafia" ? &mine::mine_mafia
                      : algorithm == "afopt" ? &mine::mine_afopt
                                             : nullptr;
        require(miner && maximal == (miner != &mine::lcm), "no such miner for this kind of sets");
        Released unlocked;
        mine::Transactions from{lines_.offsets, lines_.items, static_cast<int32_t>(lines_.labels.size())};
        auto least = static_cast<int32_t>(std::min<int64_t>(support, INT32_MAX));
        auto target = maximal ? mine::Target::maximal : mine::Target::closed;
        mine::MinedSets sets = miner(from, least, target, true);
        return {mine::in_order(sets.offsets, sets.items, sets.supports, least_items), lines_.labels};
    }

  private:
    mine::FimiLines lines_;
};

}  // namespace

void bind_mine_text(nb::module_& m) {
    nb::class_<FimiSets>(m, "FimiSets", "Sets of labelled items, sorted.")
        .def("__len__", &FimiSets::size)
        .def("text", &FimiSets::text, nb::arg("first"), nb::arg("last"));
    nb::class_<FimiText>(m, "FimiText", "The lines of a FIMI file.")
        .def(nb::init<nb::bytes>(), nb::arg("text"))
        .def_prop_ro("flawless", &FimiText::flawless)
        .def_prop_ro("lines", &FimiText::lines)
        .def("frequent", &FimiText::frequent, nb::arg("support"))
        .def("mine", &FimiText::mine_sets, nb::arg("algorithm"), nb::arg("support"), nb::arg("maximal"),
             nb::arg("least_items"));
}

}  // namespace twinset
