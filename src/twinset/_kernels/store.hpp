// The sorted feature lists of all documents, kept for exact verification: in memory up to a limit,
// the rest in a temporary file. Documents with equal lists are one class and stored once. Lists
// that arrive in memory stay where they are; the store only holds on to them.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hash.hpp"
#include "parallel.hpp"
#include "spill.hpp"

namespace twinset {

using FeatureList = std::span<const uint64_t>;  // sorted, each feature once
using Offsets = std::span<const int64_t>;       // of lists one after another: one more than lists

inline FeatureList between(std::span<const uint64_t> values, int64_t begin, int64_t end) {
    return values.subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
}

// 128 bits that stand for a whole list; features are hashes already, so sums of them are uniform.
struct ListDigest {
    uint64_t sum, square;
    bool operator==(const ListDigest&) const = default;
};

inline ListDigest digest(FeatureList list) {
    ListDigest d{list.size() * kGolden, 0};
    for (uint64_t x : list) {
        d.sum += x;
        d.square += (x ^ (x >> 29)) * (x | 1);
    }
    return d;
}

class FeatureStore {
  public:
    FeatureStore(size_t memory, std::string folder) : memory_(memory), file_(std::move(folder)) {}

    size_t count() const { return size_.size(); }
    size_t size(size_t document) const { return static_cast<size_t>(size_[document]); }
    uint64_t spilled_bytes() const { return file_.size(); }
    const std::vector<int64_t>& sizes() const { return size_; }
    // The first document with the same list; a document without features is its own class.
    const std::vector<int64_t>& classes() const { return class_; }

    // `owner` keeps the values alive for as long as the store may hold on to them.
    void append(std::span<const uint64_t> values, Offsets offsets, std::shared_ptr<void> owner, int threads) {
        size_t count = offsets.size() - 1;
        std::vector<ListDigest> digests(count);
        parallel_blocks(count, 64, threads, [&](size_t begin, size_t end, int) {
            for (size_t i = begin; i < end; ++i)
                digests[i] = digest(between(values, offsets[i], offsets[i + 1]));
        });
        size_t first = size_.size();
        std::vector<size_t> fresh;
        size_t fresh_values = 0;
        Pace pace;
        for (size_t i = 0; i < count; ++i) {
            pace(16);
            int64_t size = offsets[i + 1] - offsets[i];
            if (!enter(digests[i], size)) continue;
            fresh.push_back(i);
            fresh_values += static_cast<size_t>(size);
        }
        size_t all = static_cast<size_t>(offsets[count] - offsets[0]);
        if (held_ + fresh_values * sizeof(uint64_t) > memory_) spill(values, offsets, fresh, first);
        else if (2 * fresh_values < all) copy(values, offsets, fresh, fresh_values, first);
        else hold(values, offsets, fresh, all, first, std::move(owner));
        for (size_t i = first; i < size_.size(); ++i) place_[i] = place_[static_cast<size_t>(class_[i])];
    }

    // The list of a document; `room` holds it when it must come from the file.
    FeatureList list(size_t document, std::vector<uint64_t>& room) const {
        size_t n = size(document);
        Place place = place_[document];
        if (place.memory) return {place.memory, n};
        room.resize(n);
        if (n > 0) file_.read(place.at, room.data(), n * sizeof(uint64_t));
        return {room.data(), n};
    }

  private:
    struct Place {
        const uint64_t* memory;  // or null, and then
        uint64_t at;             // where in the file
    };

    void hold(std::span<const uint64_t> values, Offsets offsets, const std::vector<size_t>& fresh, size_t all,
              size_t first, std::shared_ptr<void> owner) {
        for (size_t i : fresh) place_[first + i] = {values.data() + offsets[i], 0};
        owners_.push_back(std::move(owner));
        held_ += all * sizeof(uint64_t);
    }

    // Few of the lists are new: copy these, let the others go.
    void copy(std::span<const uint64_t> values, Offsets offsets, const std::vector<size_t>& fresh,
              size_t fresh_values, size_t first) {
        auto block = std::make_shared<std::vector<uint64_t>>();
        block->reserve(fresh_values);
        for (size_t i : fresh) {
            place_[first + i] = {block->data() + block->size(), 0};
            FeatureList list = between(values, offsets[i], offsets[i + 1]);
            block->insert(block->end(), list.begin(), list.end());
        }
        held_ += fresh_values * sizeof(uint64_t);
        owners_.push_back(std::move(block));
    }

    void spill(std::span<const uint64_t> values, Offsets offsets, const std::vector<size_t>& fresh,
               size_t first) {
        for (size_t k = 0; k < fresh.size();) {
            stop_point();
            size_t end = k + 1;  // a run of neighbours is one write
            while (end < fresh.size() && fresh[end] == fresh[end - 1] + 1) ++end;
            int64_t from = offsets[fresh[k]], until = offsets[fresh[end - 1] + 1];
            uint64_t at =
                file_.append(values.data() + from, static_cast<size_t>(until - from) * sizeof(uint64_t));
            for (; k < end; ++k)
                place_[first + fresh[k]] = {
                    nullptr, at + static_cast<uint64_t>(offsets[fresh[k]] - from) * sizeof(uint64_t)};
        }
    }

    // Looks the digest up in the class table; true when it is new.
    bool enter(const ListDigest& d, int64_t size) {
        int64_t document = static_cast<int64_t>(size_.size());
        size_.push_back(size);
        digest_.push_back(d);
        place_.push_back({nullptr, 0});
        class_.push_back(document);
        if (size == 0) return false;
        if (2 * (distinct_ + 1) > table_.size()) grow();
        size_t slot = find(d, size);
        if (table_[slot] >= 0) {
            class_.back() = table_[slot];
            return false;
        }
        table_[slot] = document;
        ++distinct_;
        return true;
    }

    size_t find(const ListDigest& d, int64_t size) const {
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

    size_t memory_, held_ = 0;
    SpillFile file_;
    std::vector<std::shared_ptr<void>> owners_;
    std::vector<Place> place_;
    std::vector<int64_t> size_, class_, table_;
    std::vector<ListDigest> digest_;
    size_t distinct_ = 0;
};

}  // namespace twinset
