// Clusters of a graph of pairs: anchored, connected components, maximal cliques. Vertices are
// slots (0 is preferred to 1); edges come as (earlier, later, score).
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "parallel_sort.hpp"
#include "stop.hpp"

namespace twinset {

struct Adjacency {
    std::vector<int64_t> offsets;
    std::vector<uint32_t> neighbours;  // rising within each vertex
    std::vector<uint32_t> edges;       // the edge each neighbour came from

    // Edge e joins a[e] and b[e].
    Adjacency(size_t n, std::span<const uint32_t> a, std::span<const uint32_t> b) : offsets(n + 1, 0) {
        size_t count = a.size();
        for (size_t e = 0; e < count; ++e) ++offsets[a[e] + 1], ++offsets[b[e] + 1];
        for (size_t v = 1; v <= n; ++v) offsets[v] += offsets[v - 1];
        std::vector<int64_t> next(offsets.begin(), offsets.end() - 1);
        neighbours.resize(2 * count);
        edges.resize(2 * count);
        auto put = [&](uint32_t v, uint32_t w, size_t e) {
            size_t at = static_cast<size_t>(next[v]++);
            neighbours[at] = w;
            edges[at] = static_cast<uint32_t>(e);
        };
        Pace pace;
        for (size_t e = 0; e < count; ++e, pace(2)) put(a[e], b[e], e), put(b[e], a[e], e);
        for (size_t v = 0; v < n; ++v) {
            pace(static_cast<size_t>(offsets[v + 1] - offsets[v]));
            sort_one(v);
        }
    }

  private:
    void sort_one(size_t v) {
        size_t begin = static_cast<size_t>(offsets[v]), n = static_cast<size_t>(offsets[v + 1]) - begin;
        if (std::is_sorted(neighbours.begin() + offsets[v], neighbours.begin() + offsets[v + 1])) return;
        std::vector<uint64_t> both(n);
        for (size_t k = 0; k < n; ++k) both[k] = uint64_t{neighbours[begin + k]} << 32 | edges[begin + k];
        stoppable_sort(both.begin(), both.end());
        for (size_t k = 0; k < n; ++k) {
            neighbours[begin + k] = static_cast<uint32_t>(both[k] >> 32);
            edges[begin + k] = static_cast<uint32_t>(both[k]);
        }
    }
};

// Greedy in the order of preference: a vertex near an earlier anchor joins the most similar of
// them (the preferred one among equals), any other vertex becomes an anchor. `kept` vertices are
// always anchors and come first. Returns the edge to the anchor, or -1 for an anchor.
inline std::vector<int64_t> anchored(std::span<const uint32_t> a, std::span<const uint32_t> b,
                                     const double* score, std::span<const uint8_t> kept, int threads) {
    std::vector<int64_t> edge(kept.size(), -1);
    std::vector<uint32_t> earlier(a.begin(), a.end()), later(b.begin(), b.end());
    for (size_t e = 0; e < earlier.size(); ++e)
        if (earlier[e] > later[e]) std::swap(earlier[e], later[e]);
    Pace pace;
    for (uint32_t e : sorted_rows(later, earlier, threads)) {  // who is an anchor is settled in that order
        pace(4);
        int64_t& best = edge[later[e]];
        if (kept[later[e]] || edge[earlier[e]] >= 0) continue;
        if (best < 0 || score[e] > score[best]) best = e;
    }
    return edge;
}

// The least vertex of each vertex's connected component.
inline std::vector<int64_t> components(size_t n, std::span<const uint32_t> a, std::span<const uint32_t> b) {
    std::vector<int64_t> root(n);
    for (size_t v = 0; v < n; ++v) root[v] = static_cast<int64_t>(v);
    auto find = [&](int64_t v) {
        while (root[static_cast<size_t>(v)] != v) {
            int64_t& up = root[static_cast<size_t>(v)];
            up = root[static_cast<size_t>(up)];
            v = up;
        }
        return v;
    };
    Pace pace;
    for (size_t e = 0; e < a.size(); ++e) {
        pace(4);
        int64_t x = find(a[e]), y = find(b[e]);
        if (x < y) root[static_cast<size_t>(y)] = x;
        else root[static_cast<size_t>(x)] = y;
    }
    for (size_t v = 0; v < n; ++v) root[v] = find(static_cast<int64_t>(v));
    return root;
}

// Maximal cliques of two and more vertices: Bron and Kerbosch (1973) with Tomita's pivot, every
// vertex as a start in order, so that each clique is found once. Stops after `limit` cliques or
// `work` counted steps; `complete` tells whether it reached the end.
class Cliques {
  public:
    Cliques(size_t n, const Adjacency& graph, uint64_t limit, uint64_t work)
        : graph_(graph), limit_(limit), work_(work) {
        for (size_t v = 0; v < n && complete; ++v) {
            std::vector<uint32_t> later, earlier;
            each(static_cast<uint32_t>(v), [&](uint32_t w) { (w > v ? later : earlier).push_back(w); });
            if (later.empty()) continue;
            clique_.assign(1, static_cast<uint32_t>(v));
            extend(later, earlier);
        }
    }

    std::vector<int64_t> offsets{0};
    std::vector<uint32_t> members;
    bool complete = true;

  private:
    template <class Use>
    void each(uint32_t v, Use use) const {
        for (int64_t k = graph_.offsets[v]; k < graph_.offsets[v + 1]; ++k)
            use(graph_.neighbours[static_cast<size_t>(k)]);
    }

    std::vector<uint32_t> meet(const std::vector<uint32_t>& set, uint32_t v) {
        std::vector<uint32_t> common;
        auto begin = graph_.neighbours.begin() + graph_.offsets[v],
             end = graph_.neighbours.begin() + graph_.offsets[v + 1];
        std::set_intersection(set.begin(), set.end(), begin, end, std::back_inserter(common));
        spent_ += set.size() + static_cast<size_t>(end - begin);
        pace_(set.size() + static_cast<size_t>(end - begin) + 16);
        return common;
    }

    void extend(std::vector<uint32_t> open, std::vector<uint32_t> done) {
        if (open.empty()) {
            if (done.empty() && clique_.size() >= 2) emit();
            return;
        }
        uint32_t pivot = choose_pivot(open, done);
        std::vector<uint32_t> near = meet(open, pivot), tried;
        std::set_difference(open.begin(), open.end(), near.begin(), near.end(), std::back_inserter(tried));
        for (uint32_t v : tried) {
            if (spent_ > work_) complete = false;
            if (!complete) return;
            clique_.push_back(v);
            extend(meet(open, v), meet(done, v));
            clique_.pop_back();
            open.erase(std::lower_bound(open.begin(), open.end(), v));
            done.insert(std::lower_bound(done.begin(), done.end(), v), v);
        }
    }

    uint32_t choose_pivot(const std::vector<uint32_t>& open, const std::vector<uint32_t>& done) {
        uint32_t best = open[0];
        size_t most = 0;
        for (const auto* set : {&done, &open})
            for (uint32_t v : *set) {
                size_t near = meet(open, v).size();
                if (near > most) most = near, best = v;
                // nothing does better: a finished vertex near all of them, or one of them near the rest
                if (most + (set == &open) >= open.size()) return best;
            }
        return best;
    }

    void emit() {
        std::vector<uint32_t> sorted(clique_);
        std::sort(sorted.begin(), sorted.end());
        members.insert(members.end(), sorted.begin(), sorted.end());
        offsets.push_back(static_cast<int64_t>(members.size()));
        if (offsets.size() > limit_) complete = false;
    }

    const Adjacency& graph_;
    uint64_t limit_, work_, spent_ = 0;
    std::vector<uint32_t> clique_;
    Pace pace_;
};

}  // namespace twinset
