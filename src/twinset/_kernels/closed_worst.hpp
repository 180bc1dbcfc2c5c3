// The worst pair of each group of documents: the one that shares the least of what it has to share.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "closed_types.hpp"
#include "parallel.hpp"

namespace twinset::closed {

struct Worst {
    int32_t left = -1, right = -1;
    int64_t shared = 0, needed = 1;
    bool complete = true;  // every pair was looked at

    // By shared / needed, then by the smaller documents, so that the answer is one.
    bool worse_than(const Worst& other) const {
        if (other.left < 0) return true;
        int64_t mine = shared * other.needed, its = other.shared * needed;
        if (mine != its) return mine < its;
        return left != other.left ? left < other.left : right < other.right;
    }
};

class WorstPairs {
  public:
    // Groups above this size are swept from a few far documents instead of pair by pair.
    static constexpr size_t kMostExhaustive = 2000;

    explicit WorstPairs(const Context& context) : context_(context) {}

    Worst of(const int32_t* begin, const int32_t* end) const {
        Worst worst;
        size_t count = static_cast<size_t>(end - begin);
        if (count <= kMostExhaustive) {
            for (const int32_t* a = begin; a != end; ++a) sweep(*a, a + 1, end, worst);
            return worst;
        }
        int32_t from = *begin;
        for (int round = 0; round < 8; ++round) {
            Worst found;
            sweep(from, begin, end, found);
            if (found.worse_than(worst)) worst = found;
            from = found.left == from ? found.right : found.left;
        }
        worst.complete = false;
        return worst;
    }

  private:
    void sweep(int32_t a, const int32_t* begin, const int32_t* end, Worst& worst) const {
        Pace pace;
        stop_point();
        for (const int32_t* b = begin; b != end; ++b) {
            if (*b == a) continue;
            pace(context_.size(a) + context_.size(*b));
            Worst pair{std::min(a, *b), std::max(a, *b), shared(a, *b),
                       std::max(context_.least[a], context_.least[*b])};
            if (pair.worse_than(worst)) worst = pair;
        }
    }

    int64_t shared(int32_t a, int32_t b) const {
        const uint64_t *x = context_.image(a), *x_end = x + context_.size(a);
        const uint64_t *y = context_.image(b), *y_end = y + context_.size(b);
        int64_t count = 0;
        while (x != x_end && y != y_end) {
            uint64_t left = *x, right = *y;
            count += left == right;
            x += left <= right;
            y += right <= left;
        }
        return count;
    }

    const Context& context_;
};

}  // namespace twinset::closed
