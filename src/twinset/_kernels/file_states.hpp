// What the system says of many files, asked by several threads: what it is, which file it is, its
// size and its time of change.
#pragma once
#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <vector>

#include "parallel.hpp"

namespace twinset {

enum FileKind : uint8_t { kSpecial, kRegular, kFolder };

struct FileStates {
    std::vector<int32_t> fault;    // errno; then nothing else is known but the link
    std::vector<uint8_t> is_link;  // what is said is said of the file that it leads to
    std::vector<uint8_t> kind;
    std::vector<uint64_t> device, inode;
    std::vector<int64_t> size, modified;  // nanoseconds since 1970

    explicit FileStates(size_t n)
        : fault(n), is_link(n), kind(n), device(n), inode(n), size(n), modified(n) {}

    void ask(const char* name, size_t i) {
        struct stat status;
        bool is_known = ::lstat(name, &status) == 0;
        if (is_known && S_ISLNK(status.st_mode)) {
            is_link[i] = 1;
            is_known = ::stat(name, &status) == 0;
        }
        if (!is_known) {
            fault[i] = errno;
            return;
        }
        kind[i] = S_ISREG(status.st_mode) ? kRegular : S_ISDIR(status.st_mode) ? kFolder : kSpecial;
        device[i] = status.st_dev;
        inode[i] = status.st_ino;
        size[i] = status.st_size;
#if defined(__APPLE__)
        const auto& time = status.st_mtimespec;
#else
        const auto& time = status.st_mtim;
#endif
        modified[i] = int64_t{1'000'000'000} * time.tv_sec + time.tv_nsec;
    }
};

inline FileStates file_states(const std::vector<const char*>& names, int threads) {
    FileStates states(names.size());
    parallel_blocks(names.size(), 128, threads, [&](size_t begin, size_t end, int) {
        for (size_t i = begin; i < end; ++i) states.ask(names[i], i);
    });
    return states;
}

}  // namespace twinset
