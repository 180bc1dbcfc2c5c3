// A nameless temporary file for what does not fit in memory. It vanishes with the process, even
// after kill -9.
#pragma once
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <system_error>

namespace twinset {

class SpillFile {
  public:
    explicit SpillFile(std::string folder) : folder_(std::move(folder)) {}
    SpillFile(const SpillFile&) = delete;
    SpillFile& operator=(const SpillFile&) = delete;
    ~SpillFile() {
        if (fd_ >= 0) ::close(fd_);
    }

    uint64_t size() const { return size_; }

    // Appends and returns where the bytes start.
    uint64_t append(const void* data, size_t bytes) {
        if (fd_ < 0) open();
        uint64_t at = size_;
        const char* p = static_cast<const char*>(data);
        while (bytes > 0) {
            ssize_t n = ::pwrite(fd_, p, bytes, static_cast<off_t>(size_));
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) fail("cannot write temporary data to ");
            p += n;
            bytes -= static_cast<size_t>(n);
            size_ += static_cast<uint64_t>(n);
        }
        return at;
    }

    void read(uint64_t at, void* data, size_t bytes) const {
        char* p = static_cast<char*>(data);
        while (bytes > 0) {
            ssize_t n = ::pread(fd_, p, bytes, static_cast<off_t>(at));
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) fail("cannot read temporary data from ");
            p += n;
            bytes -= static_cast<size_t>(n);
            at += static_cast<uint64_t>(n);
        }
    }

  private:
    void open() {
        std::string name = folder_ + "/twinset-XXXXXX";
        fd_ = ::mkstemp(name.data());
        if (fd_ < 0) fail("cannot create a temporary file in ");
        ::unlink(name.c_str());
    }
    [[noreturn]] void fail(const char* what) const {
        throw std::system_error(errno, std::generic_category(), what + folder_);
    }

    std::string folder_;
    int fd_ = -1;
    uint64_t size_ = 0;
};

}  // namespace twinset
