// Rows (key, document) grouped by key under a memory limit: rows go to partitions by the top bits
// of the key, partitions spill to one temporary file when memory runs out, and each is sorted on
// its own at the end. The groups come out in the order of their keys, whatever was spilled.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hash.hpp"
#include "parallel.hpp"
#include "spill.hpp"

namespace twinset {

struct KeyRow {
    uint64_t key;
    uint32_t document;
};

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
    static constexpr size_t kPartitions = 256;

    Grouper(size_t memory, std::string folder)
        : limit_(memory / kRowBytes), file_(std::move(folder)), parts_(kPartitions) {}

    uint64_t spilled_bytes() const { return file_.size(); }

    void add(uint64_t key, uint32_t document) {
        Part& part = parts_[key >> 56];
        part.keys.push_back(key);
        part.documents.push_back(document);
        if (++held_ > limit_) spill();
    }

    // Groups of two and more documents that `use` admits (empty: all), in key order, documents
    // rising. Takes the rows with it.
    Groups finish(const std::vector<uint8_t>& use, int threads) {
        std::vector<Groups> found(kPartitions);
        parallel_blocks(kPartitions, 1, threads,
                        [&](size_t p, size_t, int) { found[p] = group(parts_[p], use); });
        Groups all;
        size_t groups = 1, rows = 0;
        for (const auto& f : found) groups += f.offsets.size() - 1, rows += f.documents.size();
        all.offsets.reserve(groups);
        all.documents.reserve(rows);
        for (auto& f : found) {
            int64_t base = static_cast<int64_t>(all.documents.size());
            for (size_t g = 1; g < f.offsets.size(); ++g) all.offsets.push_back(base + f.offsets[g]);
            all.documents.insert(all.documents.end(), f.documents.begin(), f.documents.end());
            f = Groups{};
        }
        return all;
    }

  private:
    static constexpr size_t kRowBytes = 12;
    struct Segment {
        uint64_t at;
        size_t rows;
    };
    struct Part {
        std::vector<uint64_t> keys;
        std::vector<uint32_t> documents;
        std::vector<Segment> spilled;
    };

    void spill() {
        for (Part& part : parts_) {
            if (part.keys.empty()) continue;
            stop_point();
            size_t rows = part.keys.size();
            uint64_t at = file_.append(part.keys.data(), rows * sizeof(uint64_t));
            file_.append(part.documents.data(), rows * sizeof(uint32_t));
            part.spilled.push_back({at, rows});
            part.keys = {};
            part.documents = {};
        }
        held_ = 0;
    }

    std::vector<KeyRow> load(Part& part, const std::vector<uint8_t>& use) const {
        std::vector<KeyRow> rows;
        Pace pace;
        auto take = [&](const std::vector<uint64_t>& keys, const std::vector<uint32_t>& documents) {
            for (size_t i = 0; i < keys.size(); pace(), ++i)
                if (use.empty() || use[documents[i]]) rows.push_back({keys[i], documents[i]});
        };
        std::vector<uint64_t> keys;
        std::vector<uint32_t> documents;
        for (const Segment& s : part.spilled) {
            keys.resize(s.rows);
            documents.resize(s.rows);
            file_.read(s.at, keys.data(), s.rows * sizeof(uint64_t));
            file_.read(s.at + s.rows * sizeof(uint64_t), documents.data(), s.rows * sizeof(uint32_t));
            take(keys, documents);
        }
        take(part.keys, part.documents);
        part = Part{};
        return rows;
    }

    Groups group(Part& part, const std::vector<uint8_t>& use) const {
        std::vector<KeyRow> rows = load(part, use);
        sort_rows(rows);
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

    // One stable scatter on the bits below the partition's into buckets of about four rows, then a
    // small sort in each. Rows arrive with rising documents, and both steps keep that order.
    static void sort_rows(std::vector<KeyRow>& rows) {
        auto less = [](const KeyRow& a, const KeyRow& b) {
            return a.key != b.key ? a.key < b.key : a.document < b.document;
        };
        if (rows.size() < 64) return std::sort(rows.begin(), rows.end(), less);
        int bits = 1;
        while (bits < 20 && (size_t{4} << bits) < rows.size()) ++bits;
        auto bucket = [bits](uint64_t key) { return static_cast<size_t>(key << 8 >> (64 - bits)); };
        std::vector<size_t> start((size_t{1} << bits) + 1, 0);
        stop_point();
        for (const KeyRow& r : rows) ++start[bucket(r.key) + 1];
        for (size_t b = 1; b < start.size(); ++b) start[b] += start[b - 1];
        std::vector<KeyRow> sorted(rows.size());
        std::vector<size_t> next(start.begin(), start.end() - 1);
        Pace pace;
        for (const KeyRow& r : rows) {
            pace();
            sorted[next[bucket(r.key)]++] = r;
        }
        for (size_t b = 0; b + 1 < start.size(); ++b) {
            size_t size = start[b + 1] - start[b];
            if (size < 2) continue;
            auto first = sorted.begin() + static_cast<ptrdiff_t>(start[b]);
            auto last = sorted.begin() + static_cast<ptrdiff_t>(start[b + 1]);
            pace(4 * size);
            stoppable_sort(first, last, less);
        }
        rows.swap(sorted);
    }

    size_t limit_, held_ = 0;
    SpillFile file_;
    std::vector<Part> parts_;
};

}  // namespace twinset
