// Ranges of a file read by several threads: the system copies what it holds of a file, and one
// thread alone copies more slowly than many can parse.
#pragma once
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <span>
#include <system_error>

#include "parallel.hpp"

namespace twinset {

// Fills `out` with the bytes from `at` on and returns how many there are before the end of the file.
inline size_t read_range(int file, uint64_t at, std::span<uint8_t> out, int threads) {
    constexpr size_t kGrain = size_t{1} << 20;
    std::atomic<size_t> end{out.size()};
    parallel_blocks(out.size(), kGrain, threads, [&](size_t from, size_t until, int) {
        while (from < until) {
            ssize_t count = ::pread(file, out.data() + from, until - from, static_cast<off_t>(at + from));
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) throw std::system_error(errno, std::generic_category(), "cannot read");
            if (count == 0) break;
            from += static_cast<size_t>(count);
        }
        for (size_t known = end; from < until && from < known;)
            if (end.compare_exchange_weak(known, from)) break;
    });
    return end;
}

}  // namespace twinset
