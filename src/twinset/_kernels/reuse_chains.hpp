// Passages of two documents out of their anchors: anchors that follow each other in both are chained, the
// best chains first, and their ends are moved outwards.
//
// A chain is worth 2 for every word of its anchors, less 1 for every word between two of them, on the side
// where these are more; two anchors follow each other with at most `gap` words between. Chains are taken
// by their worth. What was taken is out of reach of those behind it, on both sides: anchors are cut to
// what is left of them, and chains where they would lead across it. An end is moved over a stretch of up to
// kWindow words of both documents where 3 LCS - (i + j) is largest and above 0: where more than two thirds of
// these words are the same.
//
// Everything is computed with the longer document first (of equally long ones the one whose words are
// greater), so that it does not matter which of the two is asked for which.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "reuse_anchors.hpp"
#include "stop.hpp"

namespace twinset {

// Words from `left` on, and from `right` on, that are the same.
struct EqualRun {
    uint32_t left, right, size;
    uint32_t left_end() const { return left + size; }
    uint32_t right_end() const { return right + size; }
};

struct Chain {
    uint32_t left, left_end, right, right_end;
    std::vector<EqualRun> runs;
};

// Stretches of a document that do not touch each other.
class TakenStretches {
  public:
    void clear() { ends_.clear(); }
    void add(uint32_t begin, uint32_t end) { ends_[begin] = end; }
    bool meets(uint32_t begin, uint32_t end) const {
        auto after = ends_.lower_bound(end);
        return begin < end && after != ends_.begin() && std::prev(after)->second > begin;
    }
    uint32_t next(uint32_t at, uint32_t most) const {
        auto after = ends_.lower_bound(at);
        return after == ends_.end() ? most : after->first;
    }
    uint32_t previous_end(uint32_t at) const {
        auto after = ends_.lower_bound(at);
        return after == ends_.begin() ? 0 : std::prev(after)->second;
    }
    // Calls take(begin, end) for those that meet [begin, end).
    template <class Take>
    void each(uint32_t begin, uint32_t end, Take&& take) const {
        auto at = ends_.lower_bound(end);
        while (at != ends_.begin() && (--at)->second > begin) take(at->first, at->second);
    }

  private:
    std::map<uint32_t, uint32_t> ends_;
};

class Chainer {
  public:
    Chainer(uint32_t seed, uint32_t least, uint32_t gap) : seed_(seed), least_(least), gap_(gap) {}

    // Calls take(chain) for the passages of two documents; anchors are those of one document of the index.
    template <class Take>
    void find(Words left, Words right, std::span<const Anchor> anchors, Take&& take) {
        bool turned = right.size() != left.size() ? right.size() > left.size()
                                                  : std::lexicographical_compare(left.begin(), left.end(),
                                                                                 right.begin(), right.end());
        first_ = turned ? right : left, second_ = turned ? left : right;
        auto shorter = static_cast<uint32_t>(second_.size());
        need_ = std::max(seed_, std::min(least_, shorter));
        uint64_t words = 0;
        runs_.clear();
        for (const Anchor& one : anchors) {
            words += one.size;
            runs_.push_back(turned ? EqualRun{one.right, one.left, one.size}
                                   : EqualRun{one.left, one.right, one.size});
        }
        if (2 * words < need_) return;
        stoppable_sort(runs_.begin(), runs_.end(), [](const EqualRun& a, const EqualRun& b) {
            return a.left != b.left ? a.left < b.left : a.right < b.right;
        });
        score();
        taken_first_.clear(), taken_second_.clear();
        trace([&](Chain& chain) {
            if (turned) turn(chain);
            take(chain);
        });
    }

  private:
    static constexpr size_t kWindow = 16, kLooks = 64;
    static constexpr uint32_t kNone = UINT32_MAX;

    // The best chain that ends with each anchor.
    void score() {
        size_t count = runs_.size();
        worth_.resize(count), before_.assign(count, kNone), used_.assign(count, 0);
        Pace pace;
        for (size_t i = 0; i < count; ++i) {
            const EqualRun& here = runs_[i];
            int64_t best = 0;
            for (size_t j = i, looks = 0; j-- > 0 && looks < kLooks; pace(), ++looks) {
                const EqualRun& last = runs_[j];
                if (last.left_end() >= here.left_end() || last.right_end() >= here.right_end()) continue;
                if (last.right > here.right) continue;
                uint32_t cut = overlap(last, here);
                uint32_t between =
                    std::max(here.left + cut - last.left_end(), here.right + cut - last.right_end());
                if (between > gap_) continue;
                int64_t worth = worth_[j] - int64_t{between} - 2 * int64_t{cut};
                if (worth > best) best = worth, before_[i] = static_cast<uint32_t>(j);
            }
            worth_[i] = best + 2 * int64_t{here.size};
        }
    }

    // Words that an anchor loses at its beginning because the one before it has them.
    static uint32_t overlap(const EqualRun& last, const EqualRun& here) {
        uint32_t left = last.left_end() > here.left ? last.left_end() - here.left : 0;
        uint32_t right = last.right_end() > here.right ? last.right_end() - here.right : 0;
        return std::max(left, right);
    }

    template <class Take>
    void trace(Take&& take) {
        std::vector<uint32_t> order(runs_.size());
        for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
        stoppable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
            return worth_[a] != worth_[b] ? worth_[a] > worth_[b] : a < b;
        });
        std::vector<EqualRun> chain;
        for (uint32_t end : order) {
            if (used_[end]) continue;
            stop_point();
            chain.clear();
            for (uint32_t at = end; at != kNone && !used_[at]; at = before_[at]) {
                used_[at] = 1;
                chain.push_back(runs_[at]);
            }
            std::reverse(chain.begin(), chain.end());
            for (size_t i = 1; i < chain.size(); ++i) {
                uint32_t cut = overlap(chain[i - 1], chain[i]);
                chain[i].left += cut, chain[i].right += cut, chain[i].size -= cut;
            }
            divide(chain, take);
        }
    }

    // What is left of a chain, in one or several parts.
    template <class Take>
    void divide(const std::vector<EqualRun>& chain, Take&& take) {
        Chain part{};
        auto finish = [&] {
            if (!part.runs.empty()) settle(part, take);
            part.runs.clear();
        };
        for (EqualRun run : chain) {
            if (!shorten(run)) continue;
            if (!part.runs.empty()) {
                const EqualRun& last = part.runs.back();
                if (taken_first_.meets(last.left_end(), run.left) ||
                    taken_second_.meets(last.right_end(), run.right) ||
                    std::max(run.left - last.left_end(), run.right - last.right_end()) > gap_)
                    finish();
            }
            part.runs.push_back(run);
        }
        finish();
    }

    // Cuts an anchor to its longest part that is free on both sides; false where that is too short.
    bool shorten(EqualRun& run) {
        blocked_.clear();
        auto block = [&](uint32_t from) {
            return [&, from](uint32_t begin, uint32_t end) {
                blocked_.push_back({begin > from ? begin - from : 0, end - from});
            };
        };
        taken_first_.each(run.left, run.left_end(), block(run.left));
        taken_second_.each(run.right, run.right_end(), block(run.right));
        if (blocked_.empty()) return true;
        std::sort(blocked_.begin(), blocked_.end());
        blocked_.push_back({run.size, run.size});
        uint32_t at = 0, best = 0, size = 0;
        for (const auto& [begin, end] : blocked_) {
            if (begin > at && begin - at > size) best = at, size = begin - at;
            at = std::max(at, end);
        }
        run = {run.left + best, run.right + best, size};
        return size >= seed_;
    }

    // A chain with its ends moved; it is taken if it is long enough.
    template <class Take>
    void settle(Chain& chain, Take&& take) {
        uint64_t words = 0;
        for (const EqualRun& run : chain.runs) words += run.size;
        if (2 * words < need_) return;
        const EqualRun &head = chain.runs.front(), &tail = chain.runs.back();
        auto [forth_left, forth_right] =
            moved(tail.left_end(), tail.right_end(),
                  taken_first_.next(tail.left_end(), static_cast<uint32_t>(first_.size())),
                  taken_second_.next(tail.right_end(), static_cast<uint32_t>(second_.size())), true);
        auto [back_left, back_right] = moved(head.left, head.right, taken_first_.previous_end(head.left),
                                             taken_second_.previous_end(head.right), false);
        chain.left = back_left, chain.right = back_right;
        chain.left_end = forth_left, chain.right_end = forth_right;
        if (std::min(chain.left_end - chain.left, chain.right_end - chain.right) < need_) return;
        taken_first_.add(chain.left, chain.left_end);
        taken_second_.add(chain.right, chain.right_end);
        take(chain);
    }

    // An end moved as far as it pays, towards `most` of both documents.
    std::pair<uint32_t, uint32_t> moved(uint32_t left, uint32_t right, uint32_t most_left,
                                        uint32_t most_right, bool forth) {
        for (;;) {
            size_t rows = std::min<size_t>(kWindow, forth ? most_left - left : left - most_left);
            size_t columns = std::min<size_t>(kWindow, forth ? most_right - right : right - most_right);
            auto [i, j] = best_step(rows, columns, left, right, forth);
            if (!i) return {left, right};
            left = forth ? left + i : left - i, right = forth ? right + j : right - j;
        }
    }

    std::pair<uint32_t, uint32_t> best_step(size_t rows, size_t columns, uint32_t left, uint32_t right,
                                            bool forth) {
        std::array<std::array<uint8_t, kWindow + 1>, kWindow + 1> lcs{};
        int best = 0;
        std::pair<uint32_t, uint32_t> step{0, 0};
        for (size_t i = 1; i <= rows; ++i)
            for (size_t j = 1; j <= columns; ++j) {
                uint64_t a = first_[forth ? left + i - 1 : left - i];
                uint64_t b = second_[forth ? right + j - 1 : right - j];
                lcs[i][j] = a == b ? static_cast<uint8_t>(lcs[i - 1][j - 1] + 1)
                                   : std::max(lcs[i - 1][j], lcs[i][j - 1]);
                int worth = 3 * lcs[i][j] - static_cast<int>(i + j);
                bool nearer = worth == best && best > 0 && i + j < step.first + step.second;
                if (worth > best || nearer)
                    best = worth, step = {static_cast<uint32_t>(i), static_cast<uint32_t>(j)};
            }
        return step;
    }

    static void turn(Chain& chain) {
        std::swap(chain.left, chain.right), std::swap(chain.left_end, chain.right_end);
        for (EqualRun& run : chain.runs) std::swap(run.left, run.right);
    }

    uint32_t seed_, least_, gap_, need_ = 0;
    Words first_, second_;
    std::vector<EqualRun> runs_;
    std::vector<int64_t> worth_;
    std::vector<uint32_t> before_;
    std::vector<uint8_t> used_;
    std::vector<std::pair<uint32_t, uint32_t>> blocked_;
    TakenStretches taken_first_, taken_second_;
};

}  // namespace twinset
