// Ranges of a file read by several threads: the system copies what it holds of a file, and one
// thread alone copies more slowly than many can parse.
#pragma once
#include <fcntl.h>
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

// A file that stays open for as long as it may be read from, whatever becomes of the number it came by.
class HeldFile {
  public:
    explicit HeldFile(int file) : number_(::fcntl(file, F_DUPFD_CLOEXEC, 0)) {
        if (number_ < 0) throw std::system_error(errno, std::generic_category(), "cannot hold a file");
    }
    HeldFile(const HeldFile&) = delete;
    HeldFile& operator=(const HeldFile&) = delete;
    ~HeldFile() { ::close(number_); }

    // Whether there are so many bytes from `at` on.
    bool read(uint64_t at, std::span<uint8_t> out) const { return read_some(at, out) == out.size(); }

    // How many of so many bytes there are from `at` on.
    size_t read_some(uint64_t at, std::span<uint8_t> out) const { return read_range(number_, at, out, 1); }

  private:
    int number_;
};

}  // namespace twinset
