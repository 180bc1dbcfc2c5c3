// A list that is written once and read in order, of which all but the end lies in temporary files.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "large_pages.hpp"
#include "spill.hpp"

namespace twinset {

template <class T>
class SpilledList {
  public:
    // Room for values that stay together, to be filled before the next are added.
    T* add(size_t count, SpillFiles& files) {
        if (end_.size() >= kAtOnce) {
            chunks_.push_back({files.append(end_.data(), end_.size() * sizeof(T)), end_.size()});
            end_.clear();
        }
        size_t before = end_.size();
        end_.resize(before + count);
        return end_.data() + before;
    }

    class Reader {
      public:
        Reader(const SpilledList& list, const SpillFiles& files) : list_(list), files_(files) {}

        // The next values, as many as were added together; null behind the last.
        const T* next(size_t count) {
            if (at_ == size_ && !load()) return nullptr;
            const T* values = from_ + at_;
            at_ += count;
            return values;
        }

      private:
        bool load() {
            size_t chunk = chunk_++;
            if (chunk > list_.chunks_.size()) return false;
            at_ = 0;
            if (chunk == list_.chunks_.size()) {
                from_ = list_.end_.data(), size_ = list_.end_.size();
            } else {
                read_.resize(list_.chunks_[chunk].count);
                files_.read(list_.chunks_[chunk].at, read_.data(), read_.size() * sizeof(T));
                from_ = read_.data(), size_ = read_.size();
            }
            return size_ != 0;
        }

        const SpilledList& list_;
        const SpillFiles& files_;
        std::vector<T> read_;
        const T* from_ = nullptr;
        size_t chunk_ = 0, at_ = 0, size_ = 0;
    };

  private:
    static constexpr size_t kAtOnce = (size_t{1} << 14) / sizeof(T);
    struct Chunk {
        SpillFiles::Place at;
        size_t count;
    };
    LargeVector<T> end_;  // which does not fill what it makes room for
    std::vector<Chunk> chunks_;
};

}  // namespace twinset
