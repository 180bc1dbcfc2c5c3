// Nameless temporary files for what does not fit in memory. They vanish with the process, even
// after kill -9.
#pragma once
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace twinset {

// Any number of threads may append and read at a time.
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
        uint64_t at = reserve(bytes);
        write(at, data, bytes);
        return at;
    }

    // Room at the end, to be filled by `write`.
    uint64_t reserve(size_t bytes) {
        std::call_once(opened_, [this] { open(); });
        return size_.fetch_add(bytes);
    }

    void write(uint64_t at, const void* data, size_t bytes) const {
        const char* p = static_cast<const char*>(data);
        while (bytes > 0) {
            ssize_t n = ::pwrite(fd_, p, bytes, static_cast<off_t>(at));
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) fail("cannot write temporary data to ");
            p += n;
            bytes -= static_cast<size_t>(n);
            at += static_cast<uint64_t>(n);
        }
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
    std::once_flag opened_;
    int fd_ = -1;
    std::atomic<uint64_t> size_{0};
};

// Several files that are written in turn: file systems let one thread at a time write to a file.
class SpillFiles {
  public:
    static constexpr size_t kFiles = 16;
    struct Place {
        uint32_t file;
        uint64_t at;
    };

    explicit SpillFiles(const std::string& folder) {
        for (size_t f = 0; f < kFiles; ++f) files_.push_back(std::make_unique<SpillFile>(folder));
    }

    Place append(const void* data, size_t bytes) {
        uint32_t file = static_cast<uint32_t>(next_.fetch_add(1) % kFiles);
        return {file, files_[file]->append(data, bytes)};
    }
    void read(Place place, void* data, size_t bytes) const {
        files_[place.file]->read(place.at, data, bytes);
    }
    uint64_t size() const {
        uint64_t all = 0;
        for (const auto& file : files_) all += file->size();
        return all;
    }

  private:
    std::vector<std::unique_ptr<SpillFile>> files_;
    std::atomic<size_t> next_{0};
};

}  // namespace twinset
