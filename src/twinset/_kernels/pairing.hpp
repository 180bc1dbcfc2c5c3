// From groups of documents that share a key to verified pairs, without being quadratic where many
// documents are all alike.
//
// Documents are taken in their order of preference (slot 0 is kept before slot 1), in chunks. Each
// is compared with the earlier documents that share a group with it. A document without an earlier
// anchor within the threshold becomes an anchor. An anchor that has gathered `dense` neighbours is
// saturated: a later document within the threshold of it is absorbed, which means that it is paired
// with the anchors near it but with nothing else, and later documents are not compared with it. So
// n documents from one template cost about n comparisons after the first `dense`, and who is an
// anchor is the same as if every pair had been compared.
//
// Chunks are a fixed number of documents and threads only share out a chunk: the result does not
// depend on them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "group.hpp"
#include "measure.hpp"
#include "parallel.hpp"
#include "store.hpp"

namespace twinset {

struct Match {
    uint32_t earlier, later;  // slots
    uint32_t shared;
};

class Pairing {
  public:
    // `order` gives the document of each slot, `groups` hold slots in rising order, `kept` marks
    // slots that must stay anchors.
    Pairing(const FeatureStore& store, std::vector<uint32_t> order, Groups groups, std::vector<uint8_t> kept,
            Measure measure, double threshold, uint64_t dense, int threads)
        : store_(store), order_(std::move(order)), groups_(std::move(groups)), kept_(std::move(kept)),
          measure_(measure), threshold_(threshold), dense_(dense), threads_(std::max(threads, 1)) {
        invert();
        size_t n = order_.size(), g = groups_.offsets.size() - 1;
        live_.resize(groups_.documents.size());
        anchors_.assign(g, 0);
        others_.assign(g, 0);
        degree_.assign(n, 0);
        anchor_.assign(n, 0);
        stamps_.assign(static_cast<size_t>(threads_), std::vector<uint32_t>(n, kNever));
        chosen_.assign(static_cast<size_t>(threads_), {});
        rooms_.resize(static_cast<size_t>(threads_) * 2);
    }

    void run() {
        std::vector<uint32_t> active;
        for (uint32_t s = 0; s < order_.size(); ++s)
            if (mine_offsets_[s + 1] > mine_offsets_[s]) active.push_back(s);
        for (size_t start = 0; start < active.size(); start += kChunk)
            chunk(active.data() + start, std::min(kChunk, active.size() - start));
    }

    std::vector<Match> matches;
    uint64_t compared = 0;        // pairs whose lists were compared
    uint64_t absorbed = 0;        // documents paired with anchors only
    uint64_t not_enumerated = 0;  // pairs of an absorbed document with earlier neighbours of its anchor

  private:
    static constexpr size_t kChunk = 512;
    static constexpr uint32_t kNever = ~0u;

    struct Work {
        std::vector<Match> found;
        uint64_t compared = 0;
        bool absorbed = false;
    };

    void invert() {
        mine_offsets_.assign(order_.size() + 1, 0);
        for (uint32_t s : groups_.documents) ++mine_offsets_[s + 1];
        for (size_t s = 1; s < mine_offsets_.size(); ++s) mine_offsets_[s] += mine_offsets_[s - 1];
        mine_.resize(groups_.documents.size());
        std::vector<int64_t> next(mine_offsets_.begin(), mine_offsets_.end() - 1);
        for (size_t g = 0; g + 1 < groups_.offsets.size(); ++g)
            for (int64_t k = groups_.offsets[g]; k < groups_.offsets[g + 1]; ++k)
                mine_[static_cast<size_t>(next[groups_.documents[static_cast<size_t>(k)]]++)] = static_cast<uint32_t>(g);
    }

    void chunk(const uint32_t* slots, size_t count) {
        std::vector<Work> work(count);
        auto each = [&](auto step) {
            parallel_blocks(count, 8, threads_, [&](size_t begin, size_t end, int worker) {
                for (size_t i = begin; i < end; ++i) step(slots[i], work[i], worker);
            });
        };
        each([&](uint32_t s, Work& w, int worker) { against_earlier(s, w, worker); });
        // whom a member of this chunk may be compared with: those before it that were not absorbed
        std::vector<uint8_t> open(slots[count - 1] - slots[0] + 1, 0);
        for (size_t i = 0; i < count; ++i) open[slots[i] - slots[0]] = !work[i].absorbed;
        each([&](uint32_t s, Work& w, int worker) {
            if (!w.absorbed) against_chunk(s, slots[0], open, w, worker);
        });
        for (size_t i = 0; i < count; ++i) settle(slots[i], work[i]);
    }

    template <class Use>
    void mine(uint32_t s, Use use) const {
        for (int64_t k = mine_offsets_[s]; k < mine_offsets_[s + 1]; ++k) use(mine_[static_cast<size_t>(k)]);
    }

    void against_earlier(uint32_t s, Work& w, int worker) {
        auto& chosen = chosen_[static_cast<size_t>(worker)];
        auto& stamp = stamps_[static_cast<size_t>(worker)];
        chosen.clear();
        auto choose = [&](uint32_t other) {
            if (stamp[other] == s) return;
            stamp[other] = s;
            chosen.push_back(other);
        };
        mine(s, [&](uint32_t g) {
            const uint32_t* first = &live_[static_cast<size_t>(groups_.offsets[g])];
            for (uint32_t k = 0; k < anchors_[g]; ++k) choose(first[k]);
        });
        compare(s, chosen, w, worker);
        if (!kept_[s])
            for (const Match& m : w.found) w.absorbed |= degree_[m.earlier] >= dense_;
        if (w.absorbed) return;
        chosen.clear();
        mine(s, [&](uint32_t g) {
            const uint32_t* last = &live_[0] + groups_.offsets[g + 1];
            for (uint32_t k = 1; k <= others_[g]; ++k) choose(*(last - k));
        });
        compare(s, chosen, w, worker);
    }

    void against_chunk(uint32_t s, uint32_t first, const std::vector<uint8_t>& open, Work& w, int worker) {
        auto& chosen = chosen_[static_cast<size_t>(worker)];
        auto& stamp = stamps_[static_cast<size_t>(worker)];
        chosen.clear();
        mine(s, [&](uint32_t g) {
            auto begin = groups_.documents.begin() + groups_.offsets[g];
            auto end = groups_.documents.begin() + groups_.offsets[g + 1];
            for (auto it = std::lower_bound(begin, end, first); it != end && *it < s; ++it)
                if (open[*it - first] && stamp[*it] != s) {
                    stamp[*it] = s;
                    chosen.push_back(*it);
                }
        });
        compare(s, chosen, w, worker);
    }

    void compare(uint32_t s, const std::vector<uint32_t>& chosen, Work& w, int worker) {
        if (chosen.empty()) return;
        auto& room = rooms_[static_cast<size_t>(worker) * 2];
        auto& other_room = rooms_[static_cast<size_t>(worker) * 2 + 1];
        Span mine = store_.list(order_[s], room);
        for (uint32_t other : chosen) {
            uint64_t size = store_.size(order_[other]);
            uint64_t least = needed(measure_, threshold_, mine.size, size);
            if (least > std::min<uint64_t>(mine.size, size)) continue;
            ++w.compared;
            uint64_t shared = shared_count(mine, store_.list(order_[other], other_room), least);
            if (shared >= least) w.found.push_back({other, s, static_cast<uint32_t>(shared)});
        }
    }

    void settle(uint32_t s, Work& w) {
        compared += w.compared;
        std::sort(w.found.begin(), w.found.end(), [](const Match& a, const Match& b) { return a.earlier < b.earlier; });
        bool near_anchor = false;
        uint64_t crowd = 0;
        for (const Match& m : w.found)
            if (anchor_[m.earlier]) {
                near_anchor = true;
                crowd = std::max(crowd, degree_[m.earlier]++);
            }
        matches.insert(matches.end(), w.found.begin(), w.found.end());
        if (w.absorbed) {
            ++absorbed;
            not_enumerated += crowd;
            return;
        }
        anchor_[s] = kept_[s] || !near_anchor;
        mine(s, [&](uint32_t g) {
            if (anchor_[s]) live_[static_cast<size_t>(groups_.offsets[g]) + anchors_[g]++] = s;
            else live_[static_cast<size_t>(groups_.offsets[g + 1]) - ++others_[g]] = s;
        });
    }

    const FeatureStore& store_;
    std::vector<uint32_t> order_;
    Groups groups_;
    std::vector<uint8_t> kept_;
    Measure measure_;
    double threshold_;
    uint64_t dense_;
    int threads_;
    std::vector<int64_t> mine_offsets_;
    std::vector<uint32_t> mine_;
    // Per group, in its own slice: anchors seen so far from the front, other documents from the back.
    std::vector<uint32_t> live_, anchors_, others_;
    std::vector<uint64_t> degree_;
    std::vector<uint8_t> anchor_;
    std::vector<std::vector<uint32_t>> stamps_, chosen_;
    std::vector<std::vector<uint64_t>> rooms_;
};

}  // namespace twinset
