// Many small files read at a time, without Python's lock: those that are certainly plain text one
// behind the other in one block, with their digests. All others are left to whoever reads with care.
#pragma once
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "blake2b.hpp"
#include "digest.hpp"
#include "plain_text.hpp"
#include "raw_bytes.hpp"
#include "stop.hpp"

namespace twinset {

inline constexpr size_t kContentDigest = 16;  // bytes

struct PlainFiles {
    RawBytes data;
    std::vector<int64_t> offsets;   // one more than files; nothing lies between those of other files
    std::vector<uint8_t> is_plain;  // 0 where a file is left to others
    std::vector<uint64_t> digests;
    std::vector<uint8_t> contents;  // BLAKE2b, kContentDigest bytes per file
};

class OpenedFile {
  public:
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    explicit OpenedFile(const char* name) {
        do number_ = ::open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        while (number_ < 0 && errno == EINTR);
    }
    OpenedFile(const OpenedFile&) = delete;
    OpenedFile& operator=(const OpenedFile&) = delete;
    ~OpenedFile() {
        if (number_ >= 0) ::close(number_);
    }

    // The size of a regular file; -1 for anything else.
    int64_t size() const {
        struct stat status;
        if (number_ < 0 || ::fstat(number_, &status) != 0 || !S_ISREG(status.st_mode)) return -1;
        return status.st_size;
    }

    // Whether all there is to read are `size` bytes; `out` has room for one more.
    bool read_all(uint8_t* out, size_t size) const {
        size_t have = 0;
        while (have < size || size == 0) {
            ssize_t count = ::read(number_, out + have, size + 1 - have);
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) return count == 0 && have == size;
            have += static_cast<size_t>(count);
        }
        return have == size;
    }

  private:
    int number_;
};

// `names` end with zeros. `room`: bytes of all files together; what has grown beyond it is left to
// others, and so are files of more than `limit` bytes.
inline PlainFiles read_plain_files(const std::vector<const char*>& names, size_t room, size_t limit,
                                   const PlainTextRules& rules) {
    PlainFiles files{RawBytes(room + 1), std::vector<int64_t>(names.size() + 1),
                     std::vector<uint8_t>(names.size()), std::vector<uint64_t>(names.size()),
                     std::vector<uint8_t>(names.size() * kContentDigest)};
    size_t at = 0;
    Pace pace;
    for (size_t i = 0; i < names.size(); ++i) {
        uint8_t* begin = files.data.data.data() + at;
        OpenedFile file(names[i]);
        int64_t size = file.size();
        bool fits = size >= 0 && static_cast<uint64_t>(size) <= std::min(limit, room - at);
        if (fits && file.read_all(begin, static_cast<size_t>(size))) {
            std::span<const uint8_t> bytes(begin, static_cast<size_t>(size));
            if (is_plain_text(bytes, rules)) {
                files.is_plain[i] = 1;
                Digest digest;
                digest.update(bytes.data(), bytes.size());
                files.digests[i] = digest.value();
                Blake2b::digest(bytes, {files.contents.data() + i * kContentDigest, kContentDigest});
                at += bytes.size();
            }
        }
        files.offsets[i + 1] = static_cast<int64_t>(at);
        pace(4096 + static_cast<size_t>(std::max<int64_t>(size, 0)));
    }
    files.data.size = at;
    return files;
}

}  // namespace twinset
