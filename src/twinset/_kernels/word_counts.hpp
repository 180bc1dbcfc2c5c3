// In how many documents a word occurs (df) and how often in all (cf). Sums do not depend on the
// order of adding, and the words come out sorted by hash, so that neither threads nor batches show.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <vector>

#include "choose.hpp"
#include "hash.hpp"
#include "parallel.hpp"

namespace twinset {

class WordCounts {
  public:
    WordCounts() : shards_(kShards) {}

    // One entry for each distinct word of each document.
    void add(const Slices& words, const uint64_t* hashes, const int32_t* times, size_t count, int threads) {
        size_t parts = static_cast<size_t>(std::max(threads, 1));
        parallel_blocks(parts, 1, threads, [&](size_t part, size_t, int) {
            Pace pace;
            for (size_t i = 0; i < count; ++i) {
                pace();
                size_t shard = hashes[i] >> 56;
                if (shard % parts == part)
                    shards_[shard].add(words, static_cast<int64_t>(i), hashes[i], times[i]);
            }
        });
    }

    struct All {
        std::vector<uint64_t> hashes;
        std::vector<int64_t> df, cf;
        std::vector<uint8_t> bytes;
        std::vector<int64_t> offsets{0};
    };

    All all() const {
        All out;
        for (const Shard& shard : shards_) {
            stop_point();
            std::vector<size_t> order(shard.hashes.size());
            std::iota(order.begin(), order.end(), size_t{0});
            stoppable_sort(order.begin(), order.end(),
                           [&](size_t a, size_t b) { return shard.hashes[a] < shard.hashes[b]; });
            for (size_t i : order) {
                out.hashes.push_back(shard.hashes[i]);
                out.df.push_back(shard.df[i]);
                out.cf.push_back(shard.cf[i]);
                out.bytes.insert(out.bytes.end(), shard.bytes.begin() + static_cast<ptrdiff_t>(shard.at[i]),
                                 shard.bytes.begin() + static_cast<ptrdiff_t>(shard.at[i + 1]));
                out.offsets.push_back(static_cast<int64_t>(out.bytes.size()));
            }
        }
        return out;
    }

  private:
    static constexpr size_t kShards = 256;

    struct Shard {
        std::vector<uint64_t> hashes;
        std::vector<int64_t> df, cf;
        std::vector<uint8_t> bytes;
        std::vector<size_t> at{0};
        std::vector<uint32_t> slots;

        void add(const Slices& words, int64_t item, uint64_t hash, int32_t times) {
            if (2 * (hashes.size() + 1) > slots.size()) grow();
            size_t slot = find(hash);
            if (!slots[slot]) {
                hashes.push_back(hash);
                df.push_back(0);
                cf.push_back(0);
                bytes.insert(bytes.end(), words.bytes + words.starts[item], words.bytes + words.stops[item]);
                at.push_back(bytes.size());
                slots[slot] = static_cast<uint32_t>(hashes.size());
            }
            size_t word = slots[slot] - 1;
            ++df[word];
            cf[word] += times;
        }

        size_t find(uint64_t hash) const {
            size_t slot = static_cast<size_t>(hash) & (slots.size() - 1);
            while (slots[slot] && hashes[slots[slot] - 1] != hash) slot = (slot + 1) & (slots.size() - 1);
            return slot;
        }

        void grow() {
            slots.assign(std::max<size_t>(64, 2 * slots.size()), 0);
            for (size_t i = 0; i < hashes.size(); ++i) slots[find(hashes[i])] = static_cast<uint32_t>(i + 1);
        }
    };

    std::vector<Shard> shards_;
};

}  // namespace twinset
