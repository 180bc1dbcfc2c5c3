// The samples of all N-grams (gram_scan.hpp), to know which occur more than once. 40 bits of each are kept,
// in memory or in a temporary file, and in the end a filter (Bloom 1970) of those that are repeated. Some
// others are taken for repeated too, which costs time and changes nothing.
#pragma once
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <mutex>
#include <numeric>
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
    static constexpr size_t kShards = 256, kAtOnce = size_t{1} << 15;
    static constexpr size_t kParts = 256, kShardsOfPart = kShards / kParts;

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
            read_back(shard);
            keep_repeated(shard.values);
        });
        for (size_t s = 0; s < kShards; ++s) repeated_[s / kShardsOfPart] += shards_[s].values.size();
        size_t repeated = std::accumulate(repeated_.begin(), repeated_.end(), size_t{0});
        words_ = LargeVector<std::atomic<uint64_t>>(repeated * kBitsEach / 64 + 1);
        parallel_blocks(kShards, 1, threads, [&](size_t s, size_t, int) {
            for (uint32_t value : shards_[s].values) {
                uint64_t bits = uint64_t{s} << 32 | value;
                words_[place(bits)].fetch_or(pattern(bits), std::memory_order_relaxed);
            }
            shards_[s].values = {};
        });
        finished_ = true;
    }
    bool finished() const { return finished_; }

    // Whether a sample may be repeated.
    bool may_repeat(uint64_t sample) const {
        uint64_t value = bits(sample), own = pattern(value);
        return (words_[place(value)].load(std::memory_order_relaxed) & own) == own;
    }
    // What says so may be fetched before it is looked at.
    void fetch(uint64_t sample) const { __builtin_prefetch(&words_[place(bits(sample))]); }

    // Samples of a part are counted in one round.
    static size_t part(uint64_t sample) { return spread(sample) >> 56; }
    size_t repeated(size_t part) const { return repeated_[part]; }

    uint64_t count() const { return count_; }

  private:
    struct Chunk {
        uint64_t at;
        size_t values;
    };
    struct Shard {
        std::mutex guard;
        std::vector<uint32_t> values;  // all of them, then the repeated ones
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

    void read_back(Shard& shard) const {
        for (const Chunk& chunk : shard.chunks) {
            size_t before = shard.values.size();
            shard.values.resize(before + chunk.values);
            file_.read(chunk.at, shard.values.data() + before, chunk.values * sizeof(uint32_t));
        }
    }

    // Open addressing: a value without its lowest bit stands for it, with that bit set.
    static void keep_repeated(std::vector<uint32_t>& values) {
        std::vector<uint32_t> seen(std::bit_ceil(2 * values.size() + 1), 0), repeated;
        std::vector<bool> twice(seen.size());
        size_t mask = seen.size() - 1;
        Pace pace;
        for (uint32_t value : values) {
            pace();
            uint32_t marked = value | 1u;
            size_t slot = static_cast<size_t>(value >> 1) & mask;
            while (seen[slot] && seen[slot] != marked) slot = (slot + 1) & mask;
            if (seen[slot] && !twice[slot]) twice[slot] = true, repeated.push_back(marked);
            seen[slot] = marked;
        }
        values = std::move(repeated);
    }

    // Of 40 bits of a sample the first choose a word of the filter, and thirty of the others bits in it.
    static constexpr size_t kBitsEach = 16;
    static uint64_t bits(uint64_t sample) { return spread(sample) >> 24 | 1u; }
    size_t place(uint64_t bits) const {
        return static_cast<size_t>(static_cast<unsigned __int128>(bits) * words_.size() >> 40);
    }
    static uint64_t pattern(uint64_t bits) {
        uint64_t pattern = 0;
        for (int shift = 1; shift < 31; shift += 6) pattern |= uint64_t{1} << (bits >> shift & 63);
        return pattern;
    }

    uint64_t most_;
    SpillFile file_;
    std::mutex spilling_;
    std::atomic<uint64_t> held_{0}, count_{0};
    std::array<Shard, kShards> shards_;
    std::array<size_t, kParts> repeated_{};
    bool finished_ = false;
    LargeVector<std::atomic<uint64_t>> words_ = LargeVector<std::atomic<uint64_t>>(1);
};

}  // namespace twinset
