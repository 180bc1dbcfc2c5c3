#include <nanobind/stl/optional.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "closed.hpp"
#include "closed_inverted.hpp"
#include "closed_worst.hpp"

namespace twinset {

namespace {

closed::Context checked(const In<uint64_t>& values, const In<int64_t>& offsets, const In<int32_t>& least) {
    check_offsets(view(offsets), values.size());
    size_t documents = offsets.size() - 1;
    require(documents < INT32_MAX, "more than 2 billion documents");
    require(least.size() == documents, "one threshold per document is needed");
    closed::Context context{values.data(), offsets.data(), least.data(), documents};
    for (size_t d = 0; d < documents; ++d) {
        require(least.data()[d] >= 1, "thresholds must be at least 1");
        require(context.size(d) < INT32_MAX, "more than 2 billion features in a document");
        const uint64_t* image = context.image(d);
        bool ascending = true;
        for (size_t i = 1; i < context.size(d); ++i) ascending &= image[i - 1] < image[i];
        require(ascending, "the features of a document must be ascending and unique");
    }
    return context;
}

nb::tuple closed_sets(In<uint64_t> values, In<int64_t> offsets, In<int32_t> least, bool maximal,
                      int64_t max_sets, int64_t max_work, int64_t max_members, bool pair_cover, int threads) {
    closed::Context context = checked(values, offsets, least);
    require(max_sets >= 0 && max_work >= 0 && max_members >= 0, "limits must not be negative");
    closed::Kind kind = maximal ? closed::Kind::maximal : closed::Kind::closed;
    closed::Answer answer;
    {
        Released unlocked;
        closed::Limits limits{max_sets, max_work, max_members};
        answer = closed::Miner(context, kind, limits, pair_cover, threads).run();
    }
    return nb::make_tuple(give(std::move(answer.set_offsets)), give(std::move(answer.members)),
                          give(std::move(answer.support)), give(std::move(answer.component)),
                          give(std::move(answer.in_cover)), give(std::move(answer.component_documents)),
                          give(std::move(answer.component_classes)), give(std::move(answer.component_sets)),
                          give(std::move(answer.component_work)), give(std::move(answer.component_truncated)),
                          give(std::move(answer.component_of)), answer.too_short, answer.cut);
}

void check_members(const In<int32_t>& members, const In<int64_t>& group_offsets, size_t documents) {
    check_offsets(view(group_offsets), members.size());
    for (size_t i = 0; i < members.size(); ++i)
        require(members.data()[i] >= 0 && static_cast<size_t>(members.data()[i]) < documents,
                "a member is not a document");
}

// Worst pair of each group: left, right, shared, needed, complete.
nb::tuple worst_pairs(In<uint64_t> values, In<int64_t> offsets, In<int32_t> least, In<int32_t> members,
                      In<int64_t> group_offsets, int threads) {
    closed::Context context = checked(values, offsets, least);
    check_members(members, group_offsets, context.documents);
    size_t groups = group_offsets.size() - 1;
    std::vector<int32_t> left(groups), right(groups);
    std::vector<int64_t> shared(groups), needed(groups);
    std::vector<uint8_t> complete(groups);
    {
        Released unlocked;
        closed::WorstPairs pairs(context);
        parallel_blocks(groups, 1, threads, [&](size_t g, size_t, int) {
            const int32_t* all = members.data();
            closed::Worst worst = pairs.of(all + group_offsets.data()[g], all + group_offsets.data()[g + 1]);
            left[g] = worst.left;
            right[g] = worst.right;
            shared[g] = worst.shared;
            needed[g] = worst.needed;
            complete[g] = worst.complete;
        });
    }
    return nb::make_tuple(give(std::move(left)), give(std::move(right)), give(std::move(shared)),
                          give(std::move(needed)), give(std::move(complete)));
}

// The inverted table in parts, each a range of features; it holds on to the arrays it reads.
class InvertedLines {
  public:
    InvertedLines(In<uint64_t> values, In<int64_t> offsets, In<int64_t> numbers, int64_t least, int64_t slice)
        : values_(values), offsets_(offsets), numbers_(numbers) {
        check_offsets(view(offsets), values.size());
        require(offsets.size() - 1 < INT32_MAX, "more than 2 billion documents");
        require(numbers.size() == offsets.size() - 1, "one number per document is needed");
        require(least >= 1 && slice >= 1, "least and slice must be at least 1");
        text_.emplace(view(values), view(offsets), view(numbers), static_cast<size_t>(least),
                      static_cast<size_t>(slice));
    }

    // The next lines, as bytes; None after the last.
    std::optional<Out<uint8_t>> next() {
        std::vector<uint8_t> lines;
        bool more;
        {
            Released unlocked;
            more = text_->write(lines);
        }
        if (!more) return std::nullopt;
        return give(std::move(lines));
    }

  private:
    In<uint64_t> values_;
    In<int64_t> offsets_, numbers_;
    std::optional<closed::InvertedText> text_;
};

}  // namespace

void bind_closed(nb::module_& m) {
    m.def("closed_sets", &closed_sets, nb::arg("values"), nb::arg("offsets"), nb::arg("least"),
          nb::arg("maximal"), nb::arg("max_sets"), nb::arg("max_work"), nb::arg("max_members"),
          nb::arg("pair_cover"), nb::arg("threads"));
    m.def("worst_pairs", &worst_pairs, nb::arg("values"), nb::arg("offsets"), nb::arg("least"),
          nb::arg("members"), nb::arg("group_offsets"), nb::arg("threads"));
    nb::class_<InvertedLines>(m, "InvertedLines")
        .def(nb::init<In<uint64_t>, In<int64_t>, In<int64_t>, int64_t, int64_t>(), nb::arg("values"),
             nb::arg("offsets"), nb::arg("numbers"), nb::arg("least"), nb::arg("slice"))
        .def("next", &InvertedLines::next);
}

}  // namespace twinset
