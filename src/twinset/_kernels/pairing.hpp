// From groups of documents that share a key to verified pairs, without being quadratic where many
// documents are all alike, or nearly.
//
// Documents are taken in their order of preference (slot 0 is kept before slot 1), in chunks. Each
// is compared with the earlier documents that share a group with it. A document without an earlier
// anchor within the threshold becomes an anchor. Three things keep the cost near linear:
//
// * An anchor with `dense` neighbours is saturated: a later document within the threshold of it is
//   absorbed, that is paired with the anchors near it and with nothing else, and later documents
//   are not compared with it. Who is an anchor is the same as if every pair had been compared.
// * In a group of more than `crowd` documents only anchors are compared, `kLeaders` at most, until
//   one is near. (The exact join has no such groups: its `crowd` is endless.)
// * Two poor documents (see `pairing_input.hpp`) are never a pair: poor anchors are held apart from
//   rich ones.
//
// Chunks are a fixed number of places in the order of the whole collection, and threads only share out a
// chunk: the result depends neither on threads nor on documents that have nothing to do with each other.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "group.hpp"
#include "large_pages.hpp"
#include "pairing_input.hpp"
#include "parallel.hpp"
#include "parity.hpp"
#include "seen_set.hpp"
#include "store.hpp"
#include "team.hpp"

namespace twinset {

struct Match {
    uint32_t earlier, later;  // slots
    uint32_t shared;
};

class Pairing {
  public:
    explicit Pairing(PairingInput input) : in_(std::move(input)), threads_(std::max(in_.threads, 1)) {
        drop_repeated(in_.groups);
        size_t n = in_.order.size(), rows = in_.groups.documents.size();
        groups_.reserve(in_.groups.count());
        for (size_t g = 0; g < in_.groups.count(); ++g)
            groups_.push_back(
                {in_.groups.offsets[g], static_cast<uint32_t>(in_.groups.members(g).size()), 0, 0, 0});
        for (const Group& group : groups_) has_crowds_ |= crowded(group);
        in_.groups.offsets = {};
        invert();
        live_.resize(rows);
        poor_live_.resize(rows);
        degree_.assign(n, 0);
        anchor_.assign(n, 0);
        poor_.resize(n);
        sizes_.resize(n);
        for (size_t s = 0; s < n; ++s) {
            poor_[s] = in_.is_poor(s);
            sizes_[s] = static_cast<uint32_t>(std::min(in_.store.size(in_.order[s]), kLongest));
        }
        desks_.resize(static_cast<size_t>(threads_));
        find_busy();
    }

    void run() {
        std::vector<uint32_t> active;
        for (uint32_t s = 0; s < in_.order.size(); ++s)
            if (mine_offsets_[s + 1] > mine_offsets_[s]) active.push_back(s);
        for (size_t start = 0, end; start < active.size(); start = end) {
            auto same = [&](size_t i) {
                return in_.positions[active[i]] / kChunk == in_.positions[active[start]] / kChunk;
            };
            for (end = start + 1; end < active.size() && same(end);) ++end;
            chunk(std::span(active).subspan(start, end - start));
        }
    }

    std::vector<Match> matches;
    uint64_t compared = 0;        // pairs that were compared
    uint64_t absorbed = 0;        // documents paired with anchors only
    uint64_t not_enumerated = 0;  // pairs of such a document with earlier neighbours of its anchor

  private:
    static constexpr size_t kChunk = 512;
    static constexpr size_t kLeaders = 32;
    static constexpr uint64_t kBusy = 256;   // candidates, those of several groups several times
    static constexpr size_t kLongest = ~0u;  // features of a list; what is longer is compared as if it were
    // What one slot of a chunk has found so far.
    struct Work {
        std::vector<Match> found;
        uint64_t compared = 0;
        bool near_anchor = false;  // an anchor of an earlier chunk is near
        bool absorbed = false;     // a saturated one is
        bool led = false;          // it met a leader in a crowd,
        uint32_t crowd = 0;        // in this group,
        int64_t leader_at = -1;    // at this place among the rich anchors
    };

    // What a thread works with: who was looked at for the slot in hand, the sizes that a partner of it
    // may have, and room for lists.
    struct Desk {
        SeenSet seen;
        std::vector<uint32_t> chosen;
        SizeRange partners;
        std::vector<uint64_t> room, other_room;
        FeatureList list;
        NeededOverlaps needed;
        Pace pace;
    };

    // Of one group: where its members are, and how many of them are anchors or not so far. All in
    // one place, since groups are looked up in no order.
    struct Group {
        int64_t begin;
        uint32_t size, rich_anchors, poor_anchors, others;

        int64_t end() const { return begin + size; }
    };

    bool crowded(const Group& group) const { return group.size > in_.crowd; }

    void invert() {
        const std::vector<uint32_t>& members = in_.groups.documents;
        mine_offsets_.assign(in_.order.size() + 1, 0);
        for (uint32_t s : members) ++mine_offsets_[s + 1];
        for (size_t s = 1; s < mine_offsets_.size(); ++s) mine_offsets_[s] += mine_offsets_[s - 1];
        mine_.resize(members.size());
        std::vector<int64_t> next(mine_offsets_.begin(), mine_offsets_.end() - 1);
        Pace pace;
        for (size_t g = 0; g < groups_.size(); ++g) {
            pace(groups_[g].size);
            for (int64_t k = groups_[g].begin; k < groups_[g].end(); ++k)
                mine_[static_cast<size_t>(next[members[static_cast<size_t>(k)]]++)] =
                    static_cast<uint32_t>(g);
        }
    }

    template <class Use>
    void mine(uint32_t s, Use use) const {
        for (int64_t k = mine_offsets_[s]; k < mine_offsets_[s + 1]; ++k) use(mine_[static_cast<size_t>(k)]);
    }

    void chunk(std::span<const uint32_t> slots) {
        size_t count = slots.size();
        std::vector<Work> work(count);
        auto each = [&](auto step) {
            team_.blocks(count, 8, [&](size_t begin, size_t end, int worker) {
                for (size_t i = begin; i < end; ++i)
                    step(slots[i], work[i], desks_[static_cast<size_t>(worker)]);
            });
        };
        each([&](uint32_t s, Work& w, Desk& desk) { against_earlier(s, w, desk); });
        // whom a later member of this chunk may still be compared with
        uint32_t first = slots[0];
        std::vector<const Work*> at(slots[count - 1] - first + 1, nullptr);
        for (size_t i = 0; i < count; ++i) at[slots[i] - first] = &work[i];
        std::vector<Work> inside(count);
        team_.blocks(count, 8, [&](size_t begin, size_t end, int worker) {
            for (size_t i = begin; i < end; ++i)
                if (!work[i].absorbed)
                    against_chunk(slots[i], first, at, inside[i], desks_[static_cast<size_t>(worker)]);
        });
        for (size_t i = 0; i < count; ++i) {
            stop_point();
            settle(slots[i], work[i], inside[i]);
        }
    }

    // Anchors first; if none of the saturated ones is near, everybody else of the small groups.
    void against_earlier(uint32_t s, Work& w, Desk& desk) {
        fetch(s, live_);
        begin(s, desk);
        mine(s, [&](uint32_t g) {
            const Group& group = groups_[g];
            if (crowded(group)) return;
            desk.pace(group.rich_anchors + group.poor_anchors);
            each_anchor(s, group, [&](uint32_t other) {
                choose_by_size(other, desk);
                return true;
            });
        });
        compare_chosen(s, w, desk);
        mine(s, [&](uint32_t g) {
            if (crowded(groups_[g]) && !w.led) follow(s, g, w, desk);
        });
        for (const Match& m : w.found) {
            w.near_anchor = true;
            w.absorbed |= !in_.kept[s] && degree_[m.earlier] >= in_.dense;
        }
        if (w.absorbed) return;
        desk.chosen.clear();
        mine(s, [&](uint32_t g) {
            const Group& group = groups_[g];
            if (crowded(group)) return;
            desk.pace(group.others);
            const uint32_t* last = live_.data() + group.end();
            for (uint32_t k = 1; k <= group.others; ++k) choose_by_size(*(last - k), desk);
        });
        compare_chosen(s, w, desk);
    }

    // Anchors of a group until `use` returns false: the rich ones, and for a rich document the poor.
    template <class Use>
    void each_anchor(uint32_t s, const Group& group, Use use) const {
        const uint32_t* rich = live_.data() + group.begin;
        for (uint32_t k = 0; k < group.rich_anchors; ++k)
            if (!use(rich[k])) return;
        if (poor_[s]) return;
        const uint32_t* poor = poor_live_.data() + group.begin;
        for (uint32_t k = 0; k < group.poor_anchors; ++k)
            if (!use(poor[k])) return;
    }

    // In a crowd: leader after leader, until one is near or enough were tried.
    void follow(uint32_t s, uint32_t g, Work& w, Desk& desk) {
        int64_t at = -1;
        each_anchor(s, groups_[g], [&](uint32_t leader) {
            ++at;
            desk.pace();
            if (desk.chosen.size() >= kLeaders) return false;
            if (!choose(leader, desk)) return true;
            w.led = compare(s, leader, w, desk);
            return !w.led;
        });
        if (!w.led) return;
        w.crowd = g;
        w.leader_at = at < static_cast<int64_t>(groups_[g].rich_anchors) ? at : -1;
    }

    // A leader that was followed moves half-way to the front, so that popular ones are tried first.
    void promote(const Work& w) {
        if (w.leader_at <= 0) return;
        uint32_t* rich = live_.data() + groups_[w.crowd].begin;
        uint32_t& behind = rich[w.leader_at];
        uint32_t& before = rich[w.leader_at / 2];
        if (degree_[behind] > degree_[before]) std::swap(behind, before);
    }

    void against_chunk(uint32_t s, uint32_t first, const std::vector<const Work*>& at, Work& w, Desk& desk) {
        fetch(s, in_.groups.documents);
        begin(s, desk);
        bool settled = at[s - first]->near_anchor;
        size_t tried = 0;
        mine(s, [&](uint32_t g) {
            const Group& group = groups_[g];
            bool crowd = crowded(group);
            if (crowd && settled) return;
            auto end = in_.groups.documents.begin() + group.end();
            auto it = std::lower_bound(in_.groups.documents.begin() + group.begin, end, first);
            for (; it != end && *it < s; ++it) {
                desk.pace();
                const Work* other = at[*it - first];
                if (other->absorbed || (poor_[s] && poor_[*it])) continue;
                if (crowd && (other->near_anchor || tried >= kLeaders)) continue;
                if (!crowd) choose_by_size(*it, desk);
                else if (choose(*it, desk)) ++tried;
            }
        });
        compare_chosen(s, w, desk);
    }

    // Groups lie far apart: all of a slot are on their way before the first is looked at.
    template <class Members>
    void fetch(uint32_t s, const Members& members) const {
        mine(s, [&](uint32_t g) { __builtin_prefetch(&groups_[g], 1); });
        mine(s, [&](uint32_t g) { __builtin_prefetch(&members[static_cast<size_t>(groups_[g].begin)]); });
    }

    void begin(uint32_t s, Desk& desk) {
        desk.list = in_.store.list(in_.order[s], desk.room);
        desk.chosen.clear();
        desk.seen.clear();
        desk.seen.insert(s);
        desk.partners = partner_sizes(in_.measure, in_.threshold, desk.list.size());
    }

    static bool choose(uint32_t other, Desk& desk) {
        if (!desk.seen.insert(other)) return false;
        desk.chosen.push_back(other);
        return true;
    }

    // The same where nobody counts who was chosen: not one whom `compare` would turn away unread.
    // In a crowd it does not count as a leader that is tried: for that it has to be known.
    void choose_by_size(uint32_t other, Desk& desk) const {
        if (desk.partners.contains(sizes_[other])) choose(other, desk);
        else if (has_crowds_) desk.seen.insert(other);
    }

    // Slots with many candidates get a row of bits, by which most comparisons end before lists are read.
    void find_busy() {
        std::vector<uint32_t> busy;
        uint64_t sizes = 0;
        for (uint32_t s = 0; s < in_.order.size(); ++s) {
            uint64_t candidates = 0;
            mine(s, [&](uint32_t g) { candidates += groups_[g].size; });
            if (candidates < kBusy || busy.size() == ParityBounds::kMostRows) continue;
            busy.push_back(s);
            sizes += sizes_[s];
        }
        if (busy.empty()) return;
        uint64_t size = sizes / busy.size(), overlap = needed(in_.measure, in_.threshold, size, size);
        bounds_ = ParityBounds(in_.store, in_.order, busy, 2 * (size - std::min(size, overlap)), threads_);
    }

    void compare_chosen(uint32_t s, Work& w, Desk& desk) {
        constexpr size_t kAhead = 16;
        for (size_t i = 0; i < desk.chosen.size(); ++i) {
            if (i + kAhead < desk.chosen.size()) bounds_.fetch(desk.chosen[i + kAhead]);
            compare(s, desk.chosen[i], w, desk);
        }
        desk.chosen.clear();
    }

    // True when the two are within the threshold.
    bool compare(uint32_t s, uint32_t other, Work& w, Desk& desk) {
        uint64_t a = desk.list.size(), b = in_.store.size(in_.order[other]);
        uint64_t least = desk.needed(in_.measure, in_.threshold, a, b);
        desk.pace(4);
        if (least > in_.most_shared(s, other)) return false;
        ++w.compared;
        if (least > bounds_.most_shared(s, other)) return false;
        desk.pace(std::min(a, b));
        uint64_t shared = shared_count(desk.list, in_.store.list(in_.order[other], desk.other_room), least);
        if (shared < least) return false;
        w.found.push_back({other, s, static_cast<uint32_t>(shared)});
        return true;
    }

    void settle(uint32_t s, Work& w, Work& inside) {
        compared += w.compared + inside.compared;
        w.found.insert(w.found.end(), inside.found.begin(), inside.found.end());
        std::sort(w.found.begin(), w.found.end(),
                  [](const Match& a, const Match& b) { return a.earlier < b.earlier; });
        bool near_anchor = false;
        uint64_t around = 0;
        for (const Match& m : w.found)
            if (anchor_[m.earlier]) {
                near_anchor = true;
                around = std::max(around, degree_[m.earlier]++);
            }
        matches.insert(matches.end(), w.found.begin(), w.found.end());
        promote(w);
        if (w.absorbed || w.led) {
            ++absorbed;
            not_enumerated += around;
        }
        if (w.absorbed) return;
        anchor_[s] = in_.kept[s] || !near_anchor;
        mine(s, [&](uint32_t g) {
            Group& group = groups_[g];
            size_t begin = static_cast<size_t>(group.begin), end = static_cast<size_t>(group.end());
            if (!anchor_[s]) live_[end - ++group.others] = s;
            else if (poor_[s]) poor_live_[begin + group.poor_anchors++] = s;
            else live_[begin + group.rich_anchors++] = s;
        });
    }

    PairingInput in_;
    int threads_;
    Team team_{threads_};
    std::vector<int64_t> mine_offsets_;
    LargeVector<uint32_t> mine_;
    // Per group, in its own slice: rich anchors so far from the front, other documents from the
    // back; and poor anchors in a slice of their own.
    LargeVector<uint32_t> live_, poor_live_;
    LargeVector<Group> groups_;
    std::vector<uint64_t> degree_;
    std::vector<uint8_t> anchor_, poor_;
    std::vector<uint32_t> sizes_;
    ParityBounds bounds_;
    bool has_crowds_ = false;
    std::vector<Desk> desks_;
};

}  // namespace twinset
