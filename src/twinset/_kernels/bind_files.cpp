#include <algorithm>

#include "arrays.hpp"
#include "bindings.hpp"
#include "file_states.hpp"
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

nb::tuple states(In<uint8_t> names, int threads) {
    std::optional<FileStates> files;
    {
        Released unlocked;
        files.emplace(file_states(cut_at_zeros(view(names)), threads));
    }
    return nb::make_tuple(give(std::move(files->fault)), give(std::move(files->is_link)),
                          give(std::move(files->kind)), give(std::move(files->device)),
                          give(std::move(files->inode)), give(std::move(files->size)),
                          give(std::move(files->modified)));
}

}  // namespace

void bind_files(nb::module_& m) {
    m.def("plain_files", &plain_files, nb::arg("names"), nb::arg("room"), nb::arg("limit"), nb::arg("marks"),
          nb::arg("head"), nb::arg("least_closed"),
          "Texts of the files that are certainly plain text, and which these are; their digests.");
    m.def("file_states", &states, nb::arg("names"), nb::arg("threads"),
          "Of each file: errno, whether a link leads to it, kind (0 special, 1 regular, 2 folder), device, "
          "inode, size, time of change.");
}

}  // namespace twinset
