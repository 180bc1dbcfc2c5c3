// Rows (key, document) grouped by key under a memory limit: rows are dealt to partitions by the top
// bits of the key, go to temporary files when memory runs out, and each partition is sorted on its
// own at the end. Most keys occur once: these are left out before the sort. The groups come out in
// the order of their keys, whatever was spilled.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "crew.hpp"
#include "groups.hpp"
#include "key_block.hpp"
#include "parallel.hpp"
#include "spill.hpp"

namespace twinset {

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
        std::vector<Groups> slices;
        each_slice(
            use, kMostSlices, threads, [&](size_t count) { slices.resize(count); },
            [&](size_t s, Groups groups) { slices[s] = std::move(groups); });
        return joined(slices, threads);
    }

    // The same without nearly all those groups that repeat the members of an earlier one.
    std::unique_ptr<DistinctGroups> finish_distinct(const std::vector<uint8_t>& use, int threads) {
        std::unique_ptr<DistinctGroups> distinct;
        each_slice(
            use, kWaiting, threads, [&](size_t count) { distinct = std::make_unique<DistinctGroups>(count); },
            [&](size_t s, Groups groups) { distinct->put(s, std::move(groups)); });
        return distinct;
    }

  private:
    static constexpr size_t kOpen = size_t{1} << 18;
    static constexpr size_t kSortBytes = 2 * sizeof(KeyRow) + 5;  // of a row while it is sorted
    static constexpr int kMostCut = 4;
    static constexpr size_t kMostSlices = kPartitions << kMostCut;
    static constexpr size_t kWaiting = 4;  // slices of a worker that may wait to be put together
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
    // The rows of a partition with this number in the `cut` bits below the partition's.
    struct Slice {
        size_t part, number;
        int cut;

        bool has(uint64_t key) const { return !cut || key << kPartitionBits >> (64 - cut) == number; }
    };
    // What a worker has for all its slices: fresh memory for each would cost more than to sort it.
    struct Desk {
        std::vector<KeyRow> rows, sorted;
        std::vector<uint32_t> places;
        RepeatedKeys repeated;
    };

    // Calls `begin` with the number of slices, then `put` with each and its groups, in several threads. No
    // thread is more than `apart` slices for each of them ahead of another.
    template <class Begin, class Put>
    void each_slice(const std::vector<uint8_t>& use, size_t apart, int threads, Begin begin, Put put) {
        close(threads);
        size_t largest = 0;
        for (const Part& part : parts_) largest = std::max(largest, part.rows);
        // rows to be sorted at a time, in what those that wait leave of the memory
        size_t left = std::max(memory_ - std::min(memory_, rows_ * sizeof(KeyRow)), memory_ / 4);
        size_t most = std::max<size_t>(left / kSortBytes, 1);
        int cut = 0;  // bits of the key below the partition's
        while (cut < kMostCut && (largest >> cut) > most) ++cut;
        size_t side_by_side = std::max<size_t>(most / std::max<size_t>(largest >> cut, 1), 1);
        int workers =
            static_cast<int>(std::min<size_t>(side_by_side, static_cast<size_t>(std::max(threads, 1))));
        size_t count = kPartitions << cut, at_once = apart * static_cast<size_t>(workers);
        begin(count);
        std::vector<Desk> desks(static_cast<size_t>(workers));
        for (size_t first = 0; first < count; first += at_once)
            parallel_blocks(std::min(at_once, count - first), 1, workers, [&](size_t s, size_t, int worker) {
                s += first;
                Slice slice{s >> cut, s & ((size_t{1} << cut) - 1), cut};
                put(s, group(slice, use, desks[static_cast<size_t>(worker)]));
            });
        // nobody has to wait until the rows are returned to the system
        Crew::own().take([rows = std::make_shared<std::vector<Held>>(std::exchange(held_, {}))] {});
    }

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

    // Reads the rows of a slice that may share their key with another one.
    void load(Slice slice, const std::vector<uint8_t>& use, Desk& desk) const {
        const Part& part = parts_[slice.part];
        desk.rows.clear();
        desk.rows.reserve(part.rows >> slice.cut);
        desk.repeated.begin(part.rows >> slice.cut, kPartitionBits + slice.cut);
        read_spilled(part, slice, desk);
        Pace pace;
        for (const Held& held : held_)
            for (uint64_t key : held.block.keys(slice.part)) {
                pace();
                if (slice.has(key)) desk.repeated.add(key);
            }
        auto needed = [&](uint64_t key, uint32_t document) {
            return desk.repeated.has(key) && (use.empty() || use[document]);
        };
        std::erase_if(desk.rows, [&](const KeyRow& row) { return !needed(row.key, row.document); });
        for (const Held& held : held_) {
            std::span<const uint64_t> keys = held.block.keys(slice.part);
            std::span<const uint32_t> documents = held.block.documents(slice.part);
            for (size_t i = 0; i < keys.size(); pace(), ++i) {
                uint32_t document = held.first + documents[i];
                if (slice.has(keys[i]) && needed(keys[i], document)) desk.rows.push_back({keys[i], document});
            }
        }
    }

    void read_spilled(const Part& part, Slice slice, Desk& desk) const {
        constexpr size_t kAtOnce = size_t{1} << 16;
        std::vector<uint64_t> keys;
        std::vector<uint32_t> documents;
        Pace pace;
        for (const Segment& s : part.spilled)
            for (size_t at = 0; at < s.rows; at += kAtOnce) {
                keys.resize(std::min(kAtOnce, s.rows - at));
                documents.resize(keys.size());
                files_.read({s.keys.file, s.keys.at + at * sizeof(uint64_t)}, keys.data(),
                            keys.size() * sizeof(uint64_t));
                files_.read({s.documents.file, s.documents.at + at * sizeof(uint32_t)}, documents.data(),
                            documents.size() * sizeof(uint32_t));
                for (size_t i = 0; i < keys.size(); pace(), ++i) {
                    if (!slice.has(keys[i])) continue;
                    desk.repeated.add(keys[i]);
                    desk.rows.push_back({keys[i], documents[i]});
                }
            }
    }

    Groups group(Slice slice, const std::vector<uint8_t>& use, Desk& desk) const {
        load(slice, use, desk);
        std::vector<KeyRow>& rows = desk.rows;
        sort_rows(rows, desk.sorted, desk.places, kPartitionBits + slice.cut);
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

    static Groups joined(std::vector<Groups>& slices, int threads) {
        std::vector<size_t> groups{0}, rows{0};  // before each slice
        for (const Groups& slice : slices) {
            groups.push_back(groups.back() + slice.count());
            rows.push_back(rows.back() + slice.documents.size());
        }
        Groups all;
        all.offsets.resize(groups.back() + 1);
        all.documents.resize(rows.back());
        parallel_blocks(slices.size(), 16, threads, [&](size_t begin, size_t end, int) {
            for (size_t s = begin; s < end; ++s) {
                Groups slice = std::move(slices[s]);
                std::copy(slice.documents.begin(), slice.documents.end(), all.documents.begin() + rows[s]);
                for (size_t g = 0; g < slice.count(); ++g)
                    all.offsets[groups[s] + g + 1] = static_cast<int64_t>(rows[s]) + slice.offsets[g + 1];
            }
        });
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
