// The sorted feature lists of all documents, kept for exact verification: in memory up to a limit,
// the rest in a temporary file. Documents with equal lists are one class and stored once.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "hash.hpp"
#include "parallel.hpp"
#include "spill.hpp"

namespace twinset {

struct Span {
    const uint64_t* data;
    size_t size;
};

// 128 bits that stand for a whole list; features are hashes already, so sums of them are uniform.
struct Digest {
    uint64_t sum, square;
    bool operator==(const Digest&) const = default;
};

inline Digest digest(const uint64_t* begin, const uint64_t* end) {
    Digest d{static_cast<uint64_t>(end - begin) * kGolden, 0};
    for (const uint64_t* x = begin; x != end; ++x) {
        d.sum += *x;
        d.square += (*x ^ (*x >> 29)) * (*x | 1);
    }
    return d;
}

class FeatureStore {
  public:
    FeatureStore(size_t memory, std::string folder) : memory_(memory / sizeof(uint64_t)), file_(std::move(folder)) {}

    size_t count() const { return size_.size(); }
    size_t size(size_t document) const { return static_cast<size_t>(size_[document]); }
    uint64_t spilled_bytes() const { return file_.size(); }
    const std::vector<int64_t>& sizes() const { return size_; }
    // The first document with the same list; a document without features is its own class.
    const std::vector<int64_t>& classes() const { return class_; }

    void append(const uint64_t* values, const int64_t* offsets, size_t count, int threads) {
        std::vector<Digest> digests(count);
        parallel_blocks(count, 64, threads, [&](size_t begin, size_t end, int) {
            for (size_t i = begin; i < end; ++i)
                digests[i] = digest(values + offsets[i], values + offsets[i + 1]);
        });
        size_t from = 0, until = 0;  // the run of new lists that is waiting to be stored
        for (size_t i = 0; i < count; ++i) {
            bool fresh = enter(digests[i], offsets[i + 1] - offsets[i]);
            if (!fresh) {
                flush(values + offsets[from], offsets[until] - offsets[from]);
                from = i + 1;
            } else {
                start_.back() = stored_ + static_cast<uint64_t>(offsets[i] - offsets[from]);
            }
            until = i + 1;
        }
        if (from < count) flush(values + offsets[from], offsets[until] - offsets[from]);
    }

    // The list of a document; `room` holds it when it must come from the file.
    Span list(size_t document, std::vector<uint64_t>& room) const {
        uint64_t at = start_[document];
        size_t n = size(document);
        if (at + n <= resident_) return {resident(at), n};
        room.resize(n);
        size_t here = 0;
        if (at < resident_) {
            here = static_cast<size_t>(resident_ - at);
            std::copy(resident(at), resident(at) + here, room.data());
        }
        file_.read((at + here - resident_) * sizeof(uint64_t), room.data() + here, (n - here) * sizeof(uint64_t));
        return {room.data(), n};
    }

  private:
    const uint64_t* resident(uint64_t at) const { return block_.data() + at; }

    // Looks the digest up in the class table; true when it is new.
    bool enter(const Digest& d, int64_t size) {
        int64_t document = static_cast<int64_t>(size_.size());
        size_.push_back(size);
        digest_.push_back(d);
        if (size == 0) {
            class_.push_back(document);
            start_.push_back(stored_);
            return true;
        }
        if (2 * (distinct_ + 1) > table_.size()) grow();
        size_t slot = find(d, size);
        if (table_[slot] >= 0) {
            class_.push_back(table_[slot]);
            start_.push_back(start_[static_cast<size_t>(table_[slot])]);
            return false;
        }
        table_[slot] = document;
        ++distinct_;
        class_.push_back(document);
        start_.push_back(stored_);
        return true;
    }

    size_t find(const Digest& d, int64_t size) const {
        size_t mask = table_.size() - 1;
        size_t slot = static_cast<size_t>(mix(d.sum)) & mask;
        while (table_[slot] >= 0) {
            size_t other = static_cast<size_t>(table_[slot]);
            if (digest_[other] == d && size_[other] == size) break;
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    void grow() {
        std::vector<int64_t> old(table_.empty() ? 1024 : 2 * table_.size(), -1);
        old.swap(table_);
        for (int64_t document : old)
            if (document >= 0) {
                size_t i = static_cast<size_t>(document);
                table_[find(digest_[i], size_[i])] = document;
            }
    }

    void flush(const uint64_t* values, int64_t signed_count) {
        size_t count = static_cast<size_t>(signed_count);
        if (file_.size() == 0 && resident_ < memory_) {
            size_t here = std::min<size_t>(count, memory_ - resident_);
            block_.append(values, here, memory_);
            resident_ += here;
            stored_ += here;
            values += here;
            count -= here;
        }
        if (count > 0) file_.append(values, count * sizeof(uint64_t));
        stored_ += count;
    }

    size_t memory_;
    Reserved<uint64_t> block_;
    SpillFile file_;
    uint64_t resident_ = 0, stored_ = 0;
    std::vector<int64_t> size_, class_, table_;
    std::vector<uint64_t> start_;
    std::vector<Digest> digest_;
    size_t distinct_ = 0;
};

}  // namespace twinset
