#include <algorithm>

#include "arrays.hpp"
#include "bindings.hpp"
#include "plain_files.hpp"

namespace twinset {
namespace {

nb::tuple plain_files(In<uint8_t> names, int64_t room, int64_t limit, In<uint8_t> marks, int64_t head,
                      int64_t least_closed) {
    require(room >= 0 && limit >= 0 && head >= 0 && least_closed >= 0, "sizes must not be negative");
    PlainFiles files;
    {
        Released unlocked;
        PlainTextRules rules{{}, static_cast<size_t>(head), static_cast<size_t>(least_closed)};
        for (const char* mark : cut_at_zeros(view(marks))) rules.marks.emplace_back(mark);
        files = read_plain_files(cut_at_zeros(view(names)), static_cast<size_t>(room),
                                 static_cast<size_t>(limit), rules);
    }
    size_t count = files.is_plain.size();
    return nb::make_tuple(give(std::move(files.data)), give(std::move(files.offsets)),
                          give(std::move(files.is_plain)), give(std::move(files.digests)),
                          give(std::move(files.contents), count, kContentDigest));
}

}  // namespace

void bind_files(nb::module_& m) {
    m.def("plain_files", &plain_files, nb::arg("names"), nb::arg("room"), nb::arg("limit"), nb::arg("marks"),
          nb::arg("head"), nb::arg("least_closed"),
          "Texts of the files that are certainly plain text, and which these are; their digests.");
}

}  // namespace twinset
