// A nameless temporary file for what does not fit in memory. It vanishes with the process, even
// after kill -9.
#pragma once
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
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

// Address space reserved once and touched as it fills: growing neither copies nor doubles.
template <class T>
class Reserved {
  public:
    Reserved() = default;
    Reserved(const Reserved&) = delete;
    Reserved& operator=(const Reserved&) = delete;
    ~Reserved() {
        if (data_) ::munmap(data_, limit_ * sizeof(T));
    }
    const T* data() const { return data_; }

    // At most `limit` values in all; the first call fixes it.
    void append(const T* values, size_t count, size_t limit) {
        if (!data_) {
            limit_ = limit;
            void* p = ::mmap(nullptr, limit_ * sizeof(T), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (p == MAP_FAILED) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
            ::madvise(p, limit_ * sizeof(T), MADV_HUGEPAGE);  // a fault every 2 MB, not every 4 KB
#endif
            data_ = static_cast<T*>(p);
        }
        std::memcpy(data_ + used_, values, count * sizeof(T));
        used_ += count;
    }

  private:
    T* data_ = nullptr;
    size_t used_ = 0, limit_ = 0;
};

}  // namespace twinset
