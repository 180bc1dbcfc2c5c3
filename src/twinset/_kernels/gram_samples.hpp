// The samples of all N-grams (gram_scan.hpp), to know which occur more than once. 40 bits of each are kept,
// in memory or in a temporary file: two samples that share them are both taken for repeated, which costs
// time and changes nothing.
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "hash.hpp"
#include "large_pages.hpp"
#include "parallel.hpp"
#include "spill.hpp"
#include "stop.hpp"

namespace twinset {

class GramSamples {
  public:
    static constexpr size_t kShards = 256;

    GramSamples(uint64_t most_bytes, std::string folder) : most_(most_bytes), file_(std::move(folder)) {}

    // Any number of threads may add at a time; empties the list.
    void add(std::vector<uint64_t>& samples) {
        std::array<uint32_t, kShards + 1> begins{};
        for (uint64_t& sample : samples) ++begins[((sample = spread(sample)) >> 56) + 1];
        for (size_t s = 0; s < kShards; ++s) begins[s + 1] += begins[s];
        std::array<uint32_t, kShards + 1> next = begins;
        std::vector<uint32_t> sorted(samples.size());
        for (uint64_t sample : samples) sorted[next[sample >> 56]++] = static_cast<uint32_t>(sample >> 24);
        for (size_t s = 0; s < kShards; ++s) {
            if (begins[s] == begins[s + 1]) continue;
            std::lock_guard<std::mutex> lock(shards_[s].guard);
            shards_[s].values.insert(shards_[s].values.end(), sorted.begin() + begins[s],
                                     sorted.begin() + begins[s + 1]);
        }
        count_ += samples.size();
        if ((held_ += samples.size() * sizeof(uint32_t)) > most_) spill();
        samples.clear();
    }

    // After the last sample: keeps those that occur more than once.
    void finish(int threads) {
        parallel_blocks(kShards, 1, threads, [&](size_t begin, size_t, int) {
            Shard& shard = shards_[begin];
            std::vector<uint32_t> values = std::move(shard.values);
            shard.values = {};
            read_back(shard, values);
            stoppable_sort(values.begin(), values.end());
            size_t repeated = 0;
            for (size_t i = 0; i < values.size();) {
                size_t same = i + 1;
                while (same < values.size() && values[same] == values[i]) ++same;
                if (same - i > 1) values[repeated++] = values[i];
                i = same;
            }
            values.resize(repeated);
            build(shard, values);
        });
    }

    bool is_repeated(uint64_t sample) const {
        uint64_t full = spread(sample);
        const Shard& shard = shards_[full >> 56];
        if (shard.values.empty()) return false;
        uint32_t value = static_cast<uint32_t>(full >> 24) | 1u;
        size_t mask = shard.values.size() - 1;
        for (size_t slot = static_cast<size_t>(full >> 25) & mask;; slot = (slot + 1) & mask) {
            if (shard.values[slot] == value) return true;
            if (shard.values[slot] == 0) return false;
        }
    }

    uint64_t count() const { return count_; }

  private:
    struct Chunk {
        uint64_t at;
        size_t values;
    };
    struct Shard {
        std::mutex guard;
        std::vector<uint32_t> values;  // all of them, and at the end a table of the repeated ones
        std::vector<Chunk> chunks;     // those in the file
    };

    // The least of many hashes is small: its bits are spread again.
    static uint64_t spread(uint64_t sample) { return mix(sample + kGolden); }

    void spill() {
        std::lock_guard<std::mutex> lock(spilling_);
        if (held_ <= most_) return;
        uint64_t written = 0;
        for (Shard& shard : shards_) {
            std::vector<uint32_t> values;
            {
                std::lock_guard<std::mutex> own(shard.guard);
                values.swap(shard.values);
            }
            if (values.empty()) continue;
            size_t bytes = values.size() * sizeof(uint32_t);
            uint64_t at = file_.append(values.data(), bytes);
            std::lock_guard<std::mutex> own(shard.guard);
            shard.chunks.push_back({at, values.size()});
            written += bytes;
        }
        held_ -= written;
    }

    void read_back(const Shard& shard, std::vector<uint32_t>& values) const {
        for (const Chunk& chunk : shard.chunks) {
            size_t before = values.size();
            values.resize(before + chunk.values);
            file_.read(chunk.at, values.data() + before, chunk.values * sizeof(uint32_t));
        }
    }

    // Open addressing; the lowest bit of a value, which the place does not depend on, marks a full slot.
    static void build(Shard& shard, const std::vector<uint32_t>& values) {
        if (values.empty()) return;
        size_t mask = std::bit_ceil(2 * values.size()) - 1;
        shard.values.assign(mask + 1, 0);
        for (uint32_t value : values) {
            size_t slot = static_cast<size_t>(value >> 1) & mask;
            while (shard.values[slot] != 0 && shard.values[slot] != (value | 1u)) slot = (slot + 1) & mask;
            shard.values[slot] = value | 1u;
        }
    }

    uint64_t most_;
    SpillFile file_;
    std::mutex spilling_;
    std::atomic<uint64_t> held_{0}, count_{0};
    std::array<Shard, kShards> shards_;
};

}  // namespace twinset
