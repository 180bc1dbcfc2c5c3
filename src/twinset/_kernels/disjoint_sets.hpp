// Sets of numbers that threads may unite side by side, without a lock. What stands for a set is its least
// number, so neither the sets nor their names depend on who came first.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "parallel.hpp"

namespace twinset {

class DisjointSets {
  public:
    // At first every number below `count` is a set of its own.
    DisjointSets(size_t count, int threads) : up_(new std::atomic<uint32_t>[count]) {
        parallel_blocks(count, size_t{1} << 16, threads, [&](size_t begin, size_t end, int) {
            for (size_t v = begin; v < end; ++v)
                up_[v].store(static_cast<uint32_t>(v), std::memory_order_relaxed);
        });
    }

    // The least number of the set; shortens the way to it.
    uint32_t root(uint32_t v) {
        for (;;) {
            uint32_t above = up_[v].load(std::memory_order_relaxed);
            if (above == v) return v;
            uint32_t top = up_[above].load(std::memory_order_relaxed);
            if (top != above) up_[v].compare_exchange_weak(above, top, std::memory_order_relaxed);
            v = top;
        }
    }

    void unite(uint32_t a, uint32_t b) {
        for (;;) {
            a = root(a), b = root(b);
            if (a == b) return;
            if (a < b) std::swap(a, b);
            uint32_t expected = a;
            if (up_[a].compare_exchange_strong(expected, b, std::memory_order_relaxed)) return;
        }
    }

  private:
    std::unique_ptr<std::atomic<uint32_t>[]> up_;
};

}  // namespace twinset
