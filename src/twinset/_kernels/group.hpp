// Rows (key, document) grouped by key under a memory limit: rows are dealt to partitions by the top
// bits of the key, go to temporary files when memory runs out, and each partition is sorted on its
// own at the end. The groups come out in the order of their keys, whatever was spilled.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hash.hpp"
#include "key_block.hpp"
#include "parallel.hpp"
#include "spill.hpp"

namespace twinset {

struct Groups {
    std::vector<int64_t> offsets{0};
    std::vector<uint32_t> documents;

    size_t count() const { return offsets.size() - 1; }
    std::span<const uint32_t> members(size_t g) const {
        return std::span(documents).subspan(static_cast<size_t>(offsets[g]),
                                            static_cast<size_t>(offsets[g + 1] - offsets[g]));
    }
};

// Leaves out groups that repeat the members of an earlier one, nearly all of them: near copies have
// many rare features in common, and so as many groups. Members are in one order in all groups.
inline void drop_repeated(Groups& groups) {
    struct Slot {
        uint32_t mark, group;
    };
    constexpr uint32_t kFree = ~0u;
    constexpr size_t kMostSlots = size_t{1} << 23;  // a later group takes the place of an earlier one
    std::vector<Slot> latest(std::min(std::bit_ceil(groups.count() + 1), kMostSlots), {0, kFree});
    Groups kept;
    Pace pace;
    for (size_t g = 0; g < groups.count(); ++g) {
        std::span<const uint32_t> members = groups.members(g);
        pace(4 * members.size() + 4);
        uint64_t hash = members.size();
        for (uint32_t d : members) hash = (hash ^ (hash >> 29) ^ d) * kShingle;
        hash = mix(hash);
        uint32_t mark = static_cast<uint32_t>(hash >> 32);
        Slot& slot = latest[static_cast<size_t>(hash) & (latest.size() - 1)];
        if (slot.group != kFree && slot.mark == mark) {
            std::span<const uint32_t> earlier = kept.members(slot.group);
            if (std::equal(members.begin(), members.end(), earlier.begin(), earlier.end())) continue;
        }
        slot = {mark, static_cast<uint32_t>(kept.count())};
        kept.documents.insert(kept.documents.end(), members.begin(), members.end());
        kept.offsets.push_back(static_cast<int64_t>(kept.documents.size()));
    }
    groups = std::move(kept);
}

class Grouper {
  public:
    Grouper(size_t memory, const std::string& folder)
        : memory_(memory), files_(folder), parts_(kPartitions) {}

    uint64_t spilled_bytes() const { return files_.size(); }

    // A block counts its documents from 0, which is document `first` here. Documents have to rise from
    // one call to the next.
    void add(KeyBlock block, uint32_t first, int threads) {
        if (block.rows() == 0) return;
        rows_ += block.rows();
        for (size_t p = 0; p < kPartitions; ++p) parts_[p].rows += block.rows(p);
        held_.push_back({std::move(block), first});
        if (rows_ * sizeof(KeyRow) > memory_) spill(threads);
    }

    // Many rows, one by one; no block may come in between.
    void add(uint64_t key, uint32_t document) {
        open_keys_.push_back(key);
        open_documents_.push_back(document);
        if (open_keys_.size() == kOpen) close(1);
    }

    // Groups of two and more documents that `use` admits (empty: all), in key order, documents
    // rising. Takes the rows with it.
    Groups finish(const std::vector<uint8_t>& use, int threads) {
        close(threads);
        size_t largest = 0;
        for (const Part& part : parts_) largest = std::max(largest, part.rows);
        size_t most = std::max<size_t>(memory_ / kSortBytes, 1);  // rows to be sorted at a time
        int cut = 0;                                              // bits of the key below the partition's
        while (cut < kMostCut && (largest >> cut) > most) ++cut;
        size_t side_by_side = std::max<size_t>(most / std::max<size_t>(largest >> cut, 1), 1);
        int workers =
            static_cast<int>(std::min<size_t>(side_by_side, static_cast<size_t>(std::max(threads, 1))));
        std::vector<Groups> slices(kPartitions << cut);
        parallel_blocks(slices.size(), 1, workers, [&](size_t s, size_t, int) {
            slices[s] = group(s >> cut, s & ((size_t{1} << cut) - 1), cut, use);
        });
        held_.clear();
        return joined(slices);
    }

  private:
    static constexpr size_t kOpen = size_t{1} << 18;
    static constexpr size_t kSortBytes = 2 * sizeof(KeyRow) + 2;  // of a row while it is sorted
    static constexpr int kMostCut = 4;
    struct Held {
        KeyBlock block;
        uint32_t first;
    };
    struct Segment {
        SpillFiles::Place keys, documents;
        size_t rows;
    };
    struct Part {
        size_t rows = 0;
        std::vector<Segment> spilled;
    };

    void close(int threads) {
        std::vector<uint64_t> keys = std::exchange(open_keys_, {});
        std::vector<uint32_t> documents = std::exchange(open_documents_, {});
        auto each = [&](const auto& row) {
            for (size_t i = 0; i < keys.size(); ++i) row(keys[i], documents[i]);
        };
        add(KeyBlock(keys.size(), each), 0, threads);
    }

    // What all blocks have of a partition is written together, so that it is read in long runs.
    void spill(int threads) {
        parallel_blocks(kPartitions, 8, threads, [&](size_t begin, size_t end, int) {
            std::vector<uint64_t> keys;
            std::vector<uint32_t> documents;
            for (size_t p = begin; p < end; ++p) {
                stop_point();
                keys.clear();
                documents.clear();
                for (const Held& held : held_) {
                    std::span<const uint64_t> more = held.block.keys(p);
                    keys.insert(keys.end(), more.begin(), more.end());
                    for (uint32_t d : held.block.documents(p)) documents.push_back(held.first + d);
                }
                if (keys.empty()) continue;
                Segment segment{files_.append(keys.data(), keys.size() * sizeof(uint64_t)),
                                files_.append(documents.data(), documents.size() * sizeof(uint32_t)),
                                keys.size()};
                parts_[p].spilled.push_back(segment);
            }
        });
        held_.clear();
        rows_ = 0;
    }

    // The rows of a slice of a partition: of those with these bits, `cut` many, below the partition's.
    std::vector<KeyRow> load(size_t p, size_t slice, int cut, const std::vector<uint8_t>& use) const {
        const Part& part = parts_[p];
        std::vector<KeyRow> rows;
        rows.reserve(part.rows >> cut);
        Pace pace;
        auto take = [&](std::span<const uint64_t> keys, std::span<const uint32_t> documents, uint32_t first) {
            for (size_t i = 0; i < keys.size(); pace(), ++i) {
                if (cut && (keys[i] << kPartitionBits >> (64 - cut)) != slice) continue;
                uint32_t document = first + documents[i];
                if (use.empty() || use[document]) rows.push_back({keys[i], document});
            }
        };
        constexpr size_t kAtOnce = size_t{1} << 16;
        std::vector<uint64_t> keys;
        std::vector<uint32_t> documents;
        for (const Segment& s : part.spilled)
            for (size_t at = 0; at < s.rows; at += kAtOnce) {
                keys.resize(std::min(kAtOnce, s.rows - at));
                documents.resize(keys.size());
                files_.read({s.keys.file, s.keys.at + at * sizeof(uint64_t)}, keys.data(),
                            keys.size() * sizeof(uint64_t));
                files_.read({s.documents.file, s.documents.at + at * sizeof(uint32_t)}, documents.data(),
                            documents.size() * sizeof(uint32_t));
                take(keys, documents, 0);
            }
        for (const Held& held : held_) take(held.block.keys(p), held.block.documents(p), held.first);
        return rows;
    }

    Groups group(size_t p, size_t slice, int cut, const std::vector<uint8_t>& use) const {
        std::vector<KeyRow> rows = load(p, slice, cut, use);
        sort_rows(rows, kPartitionBits + cut);
        Groups groups;
        Pace pace;
        for (size_t i = 0, j; i < rows.size(); pace(j - i), i = j) {
            for (j = i + 1; j < rows.size() && rows[j].key == rows[i].key;) ++j;
            size_t before = groups.documents.size();
            for (size_t k = i; k < j; ++k)
                if (k == i || rows[k].document != rows[k - 1].document)
                    groups.documents.push_back(rows[k].document);
            if (groups.documents.size() - before < 2) groups.documents.resize(before);
            else groups.offsets.push_back(static_cast<int64_t>(groups.documents.size()));
        }
        return groups;
    }

    static Groups joined(std::vector<Groups>& slices) {
        Groups all;
        size_t groups = 1, rows = 0;
        for (const Groups& slice : slices) groups += slice.count(), rows += slice.documents.size();
        all.offsets.reserve(groups);
        all.documents.reserve(rows);
        for (Groups& slice : slices) {
            int64_t base = static_cast<int64_t>(all.documents.size());
            for (size_t g = 1; g < slice.offsets.size(); ++g) all.offsets.push_back(base + slice.offsets[g]);
            all.documents.insert(all.documents.end(), slice.documents.begin(), slice.documents.end());
            slice = Groups{};
        }
        return all;
    }

    size_t memory_, rows_ = 0;  // rows in memory
    SpillFiles files_;
    std::vector<Held> held_;
    std::vector<Part> parts_;
    std::vector<uint64_t> open_keys_;
    std::vector<uint32_t> open_documents_;
};

}  // namespace twinset
