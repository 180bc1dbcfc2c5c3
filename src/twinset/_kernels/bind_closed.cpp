#include "arrays.hpp"
#include "bindings.hpp"
#include "closed.hpp"

namespace twinset {

namespace {

nb::tuple closed_sets(In<uint64_t> values, In<int64_t> offsets, In<int32_t> least, bool maximal,
                      int64_t max_sets, int64_t max_work, int64_t max_members, bool pair_cover,
                      int threads) {
    check_offsets(offsets.data(), offsets.size(), values.size());
    size_t documents = offsets.size() - 1;
    require(documents < INT32_MAX, "more than 2 billion documents");
    require(least.size() == documents, "one threshold per document is needed");
    closed::Context context{values.data(), offsets.data(), least.data(), documents};
    for (size_t d = 0; d < documents; ++d) {
        require(least.data()[d] >= 1, "thresholds must be at least 1");
        require(context.size(d) < INT32_MAX, "more than 2 billion features in a document");
        for (size_t i = 1; i < context.size(d); ++i)
            require(context.image(d)[i - 1] < context.image(d)[i],
                    "the features of a document must be ascending and unique");
    }
    require(max_sets >= 0 && max_work >= 0 && max_members >= 0, "limits must not be negative");
    closed::Kind kind = maximal ? closed::Kind::maximal : closed::Kind::closed;
    closed::Answer answer;
    {
        nb::gil_scoped_release release;
        closed::Limits limits{max_sets, max_work, max_members};
        answer = closed::Miner(context, kind, limits, pair_cover, threads).run();
    }
    return nb::make_tuple(
        give(std::move(answer.set_offsets)), give(std::move(answer.members)),
        give(std::move(answer.support)), give(std::move(answer.component)),
        give(std::move(answer.in_cover)), give(std::move(answer.component_documents)),
        give(std::move(answer.component_classes)), give(std::move(answer.component_sets)),
        give(std::move(answer.component_work)), give(std::move(answer.component_truncated)),
        give(std::move(answer.component_of)), answer.too_short, answer.cut);
}

}  // namespace

void bind_closed(nb::module_& m) {
    m.def("closed_sets", &closed_sets, nb::arg("values"), nb::arg("offsets"), nb::arg("least"),
          nb::arg("maximal"), nb::arg("max_sets"), nb::arg("max_work"), nb::arg("max_members"),
          nb::arg("pair_cover"), nb::arg("threads"));
}

}  // namespace twinset
