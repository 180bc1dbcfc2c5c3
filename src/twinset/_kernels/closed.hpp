// Maximal and closed sets of documents that share enough features: reduce, connect, search each
// component within its budget, cover what was cut. docs/explanation/closed-sets.md explains the steps.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "closed_components.hpp"
#include "closed_cover.hpp"
#include "closed_found.hpp"
#include "closed_local.hpp"
#include "closed_reduce.hpp"
#include "closed_search.hpp"
#include "closed_types.hpp"
#include "parallel.hpp"

namespace twinset::closed {

// Sets ordered by component, then by their classes; components by their first document.
struct Answer {
    std::vector<int64_t> set_offsets{0};
    std::vector<int32_t> members, support, component;
    std::vector<uint8_t> in_cover;
    std::vector<int64_t> component_documents, component_classes, component_sets, component_work;
    std::vector<uint8_t> component_truncated;
    std::vector<int32_t> component_of;  // each document's, -1 for one without any neighbour
    int64_t too_short = 0, cut = 0;
};

// One thread's tools, kept between components for their memory.
class Solver {
  public:
    Solver(const Classes& classes, Kind kind, bool pair_cover)
        : classes_(classes), kind_(kind), pair_cover_(pair_cover) {}

    Found solve(const uint32_t* begin, const uint32_t* end, const Budget& budget) {
        Found found;
        if (end - begin == 1) {
            take_alone(*begin, found);
        } else if (end - begin == 2 && kind_ == Kind::maximal) {
            take_both(begin[0], begin[1], found);
        } else {
            local_.load(classes_, begin, end);
            search(budget, found);
            if (found.truncated || found.count() > kReadable) cover(found);
        }
        return found;
    }

  private:
    static constexpr size_t kReadable = 100;  // with more sets the cover is marked as well

    uint32_t weight(uint32_t c) const { return static_cast<uint32_t>(classes_.documents.size(c)); }

    void take_alone(uint32_t c, Found& found) {
        members_.assign(1, 0);
        if (weight(c) > 1) found.add(members_, classes_.own[c]);
    }

    void take_both(uint32_t a, uint32_t b, Found& found) {
        const Lists<uint32_t>& rows = classes_.rows;
        members_ = {0, 1};
        size_t shared = overlap(rows.begin(a), rows.end(a), rows.begin(b), rows.end(b));
        found.add(members_, static_cast<int32_t>(shared));
    }

    void search(const Budget& budget, Found& found) {
        if (local_.scan_cost() > budget.work) {  // too large to look at every pair
            found.truncated = true;
            return;
        }
        found.work = local_.scan_cost();
        std::vector<uint32_t> order = by_threshold_and_degree(), place(order.size()), weights;
        for (uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
        for (uint32_t i = 0; i < order.size(); ++i) weights.push_back(weight(local_.class_of(i)));
        for (uint32_t a : order) {
            local_.neighbours(a, near_);
            found.work += static_cast<int64_t>(near_.masks.size());
            split_neighbours(near_, place, local_.size(a) - local_.least(a), seed_);
            if (!seed_.done) search_seed(weights, budget, found);
            if (found.truncated) return;
        }
    }

    std::vector<uint32_t> by_threshold_and_degree() {
        std::vector<size_t> degree = local_.degrees();
        std::vector<uint32_t> order(degree.size());
        std::iota(order.begin(), order.end(), 0u);
        stoppable_sort(order.begin(), order.end(), [&](uint32_t x, uint32_t y) {
            if (local_.least(x) != local_.least(y)) return local_.least(x) > local_.least(y);
            return degree[x] != degree[y] ? degree[x] < degree[y] : x < y;
        });
        return order;
    }

    void search_seed(const std::vector<uint32_t>& weights, const Budget& budget, Found& found) {
        switch (seed_.words) {
            case 1:
                return run(SeedSearch<1>(seed_, weights, budget, frames_, found));
            case 2:
                return run(SeedSearch<2>(seed_, weights, budget, frames_, found));
            case 4:
                return run(SeedSearch<4>(seed_, weights, budget, frames_, found));
            default:
                return run(SeedSearch<0>(seed_, weights, budget, frames_, found));
        }
    }

    template <class Search>
    void run(Search&& search) {
        kind_ == Kind::maximal ? search.maximal() : search.closed();
    }

    void cover(Found& found) {
        Coverer coverer(local_, found);
        if (!pair_cover_ || !coverer.pairs()) coverer.documents();
    }

    const Classes& classes_;
    Kind kind_;
    bool pair_cover_;
    Local local_;
    Neighbours near_;
    SeedMasks seed_;
    Frames frames_;
    std::vector<uint32_t> members_;
};

// Classes listed by component, components by their first class; without the classes that are
// neither similar to another nor more than one document.
inline Lists<uint32_t> list_components(const Classes& classes, const std::vector<uint32_t>& name) {
    std::vector<uint32_t> order(classes.count());
    std::iota(order.begin(), order.end(), 0u);
    stoppable_sort(order.begin(), order.end(),
                   [&](uint32_t x, uint32_t y) { return name[x] != name[y] ? name[x] < name[y] : x < y; });
    Lists<uint32_t> out;
    for (size_t i = 0; i < order.size();) {
        size_t end = i;
        while (end < order.size() && name[order[end]] == name[order[i]]) ++end;
        if (end - i > 1 || classes.documents.size(order[i]) > 1) {
            out.items.insert(out.items.end(), order.begin() + i, order.begin() + end);
            out.close();
        }
        i = end;
    }
    return out;
}

class Miner {
  public:
    Miner(const Context& context, Kind kind, const Limits& limits, bool pair_cover, int threads)
        : context_(context), kind_(kind), limits_(limits), pair_cover_(pair_cover), threads_(threads) {}

    Answer run() {
        Reducer reducer(context_, kind_, threads_);
        classes_ = reducer.run();
        answer_.too_short = static_cast<int64_t>(reducer.too_short());
        connect();
        std::vector<Found> found = search();
        for (size_t i = 0; i < found.size(); ++i) {
            append(i, found[i]);
            found[i] = {};
        }
        return std::move(answer_);
    }

  private:
    void connect() {
        Connector connector(classes_, threads_);
        components_ = list_components(classes_, connector.run());
        answer_.cut = static_cast<int64_t>(connector.cut());
        answer_.component_of.assign(context_.documents, -1);
        for (size_t i = 0; i < components_.count(); ++i) {
            int64_t documents = 0;
            for (const uint32_t* c = components_.begin(i); c != components_.end(i); ++c) {
                documents += static_cast<int64_t>(classes_.documents.size(*c));
                for (const uint32_t* d = classes_.documents.begin(*c); d != classes_.documents.end(*c); ++d)
                    answer_.component_of[*d] = static_cast<int32_t>(i);
            }
            answer_.component_documents.push_back(documents);
            answer_.component_classes.push_back(static_cast<int64_t>(components_.size(i)));
        }
    }

    // The large components first, so that no thread is left alone with one at the end.
    std::vector<Found> search() {
        std::vector<uint32_t> order(components_.count());
        std::iota(order.begin(), order.end(), 0u);
        stoppable_sort(order.begin(), order.end(), [&](uint32_t x, uint32_t y) {
            size_t a = components_.size(x), b = components_.size(y);
            return a != b ? a > b : x < y;
        });
        int64_t all = std::accumulate(answer_.component_documents.begin(), answer_.component_documents.end(),
                                      int64_t{0});
        std::vector<Found> found(components_.count());
        std::vector<Solver> solvers(std::max(threads_, 1), Solver(classes_, kind_, pair_cover_));
        parallel_blocks(order.size(), 1, threads_, [&](size_t begin, size_t, int worker) {
            uint32_t i = order[begin];
            Budget budget{limits_.sets, limits_.work, share_of_members(i, all)};
            found[i] = solvers[worker].solve(components_.begin(i), components_.end(i), budget);
        });
        return found;
    }

    int64_t share_of_members(uint32_t i, int64_t all) const {
        auto wide = static_cast<unsigned __int128>(limits_.members);
        return static_cast<int64_t>(wide * answer_.component_documents[i] / all);
    }

    void append(size_t i, const Found& found) {
        std::vector<uint32_t> order(found.count());
        std::iota(order.begin(), order.end(), 0u);
        const Lists<uint32_t>& sets = found.sets;
        stoppable_sort(order.begin(), order.end(), [&](uint32_t x, uint32_t y) {
            return std::lexicographical_compare(sets.begin(x), sets.end(x), sets.begin(y), sets.end(y));
        });
        Pace pace;
        for (uint32_t s : order) {
            pace(16 * sets.size(s));
            size_t first = answer_.members.size();
            for (const uint32_t* c = sets.begin(s); c != sets.end(s); ++c) {
                uint32_t global = components_.begin(i)[*c];
                answer_.members.insert(answer_.members.end(), classes_.documents.begin(global),
                                       classes_.documents.end(global));
            }
            std::sort(answer_.members.begin() + first, answer_.members.end());
            answer_.set_offsets.push_back(static_cast<int64_t>(answer_.members.size()));
            answer_.support.push_back(found.support[s]);
            answer_.component.push_back(static_cast<int32_t>(i));
            answer_.in_cover.push_back(found.in_cover[s]);
        }
        answer_.component_sets.push_back(static_cast<int64_t>(found.count()));
        answer_.component_work.push_back(found.work);
        answer_.component_truncated.push_back(found.truncated);
    }

    const Context& context_;
    Kind kind_;
    Limits limits_;
    bool pair_cover_;
    int threads_;
    Classes classes_;
    Lists<uint32_t> components_;
    Answer answer_;
};

}  // namespace twinset::closed
