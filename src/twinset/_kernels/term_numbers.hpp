// The terms of a collection as numbers: equal hashes get equal numbers, in the order of the hashes.
//
// Hashes are brought together by their first bits, some ranges of them at a time to bound the room, and
// sorted range by range in the cache.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "large_pages.hpp"
#include "parallel.hpp"

namespace twinset {

class HashNumbers {
  public:
    HashNumbers(std::span<const uint64_t> hashes, int threads) : hashes_(hashes), numbers(hashes.size()) {
        while (bits_ < 16 && (hashes.size() >> bits_) > kInRange) ++bits_;
        size_t ranges = size_t{1} << bits_;
        std::vector<uint64_t> starts(ranges + 1, 0);
        Pace pace;
        for (uint64_t hash : hashes) {
            pace();
            ++starts[range_of(hash) + 1];
        }
        for (size_t r = 0; r < ranges; ++r) starts[r + 1] += starts[r];
        for (size_t first = 0; first < ranges;) {
            size_t last = first + 1;
            while (last < ranges && starts[last + 1] - starts[first] <= kAtOnce) ++last;
            number_ranges(first, last, starts, threads);
            first = last;
        }
    }

  private:
    static constexpr size_t kInRange = 2048;
    static constexpr uint64_t kAtOnce = uint64_t{1} << 23;

    struct Entry {
        uint64_t hash, place;
    };

    size_t range_of(uint64_t hash) const { return bits_ ? hash >> (64 - bits_) : 0; }

    void number_ranges(size_t first, size_t last, const std::vector<uint64_t>& starts, int threads) {
        entries_.resize(starts[last] - starts[first]);
        std::vector<uint64_t> next(starts.begin() + static_cast<ptrdiff_t>(first),
                                   starts.begin() + static_cast<ptrdiff_t>(last));
        Pace pace;
        for (size_t place = 0; place < hashes_.size(); ++place) {
            pace();
            size_t range = range_of(hashes_[place]);
            if (range < first || range >= last) continue;
            entries_[next[range - first]++ - starts[first]] = {hashes_[place], place};
        }
        std::vector<size_t> distinct(last - first + 1, 0);
        auto each_run = [&](size_t range, auto use) {
            Entry* begin = entries_.data() + (starts[range] - starts[first]);
            Entry* end = entries_.data() + (starts[range + 1] - starts[first]);
            for (Entry* run = begin; run != end;) {
                Entry* after = run;
                while (after != end && after->hash == run->hash) ++after;
                use(run, after);
                run = after;
            }
        };
        parallel_blocks(last - first, 16, threads, [&](size_t begin, size_t end, int) {
            for (size_t r = begin; r < end; ++r) {
                std::sort(entries_.data() + (starts[first + r] - starts[first]),
                          entries_.data() + (starts[first + r + 1] - starts[first]),
                          [](const Entry& a, const Entry& b) { return a.hash < b.hash; });
                each_run(first + r, [&](Entry*, Entry*) { ++distinct[r + 1]; });
            }
        });
        for (size_t r = 0; r < last - first; ++r) distinct[r + 1] += distinct[r];
        size_t before = names.size();
        names.resize(before + distinct.back());
        frequencies.resize(before + distinct.back());
        parallel_blocks(last - first, 16, threads, [&](size_t begin, size_t end, int) {
            for (size_t r = begin; r < end; ++r) {
                size_t number = before + distinct[r];
                each_run(first + r, [&](Entry* run, Entry* after) {
                    names[number] = run->hash;
                    frequencies[number] = after - run;
                    for (; run != after; ++run) numbers[run->place] = static_cast<uint32_t>(number);
                    ++number;
                });
            }
        });
    }

    std::span<const uint64_t> hashes_;
    LargeVector<Entry> entries_;
    int bits_ = 0;

  public:
    std::vector<uint32_t> numbers;     // of each given hash
    std::vector<uint64_t> names;       // the hash of each number
    std::vector<int64_t> frequencies;  // how often it was given
};

// Rows of (number, weight) by rising number, without the numbers that `frequency` says are alone.
struct SortedRows {
    std::vector<uint32_t> numbers;
    std::vector<double> weights;
    std::vector<int64_t> offsets;

    SortedRows(std::span<const uint32_t> given, std::span<const double> heavy,
               std::span<const int64_t> bounds, std::span<const uint32_t> frequency, int threads)
        : offsets(bounds.size(), 0) {
        size_t count = bounds.size() - 1;
        parallel_blocks(count, 64, threads, [&](size_t begin, size_t end, int) {
            for (size_t d = begin; d < end; ++d)
                offsets[d + 1] = std::count_if(given.begin() + bounds[d], given.begin() + bounds[d + 1],
                                               [&](uint32_t number) { return frequency[number] > 1; });
        });
        for (size_t d = 0; d < count; ++d) offsets[d + 1] += offsets[d];
        numbers.resize(static_cast<size_t>(offsets.back()));
        weights.resize(static_cast<size_t>(offsets.back()));
        parallel_blocks(count, 64, threads, [&](size_t begin, size_t end, int) {
            std::vector<std::pair<uint32_t, double>> row;
            for (size_t d = begin; d < end; ++d) {
                row.clear();
                for (int64_t e = bounds[d]; e < bounds[d + 1]; ++e)
                    if (frequency[given[e]] > 1) row.push_back({given[e], heavy[e]});
                std::sort(row.begin(), row.end(), [](auto& a, auto& b) { return a.first < b.first; });
                for (size_t i = 0; i < row.size(); ++i) {
                    numbers[static_cast<size_t>(offsets[d]) + i] = row[i].first;
                    weights[static_cast<size_t>(offsets[d]) + i] = row[i].second;
                }
            }
        });
    }
};

}  // namespace twinset
