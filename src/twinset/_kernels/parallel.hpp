// Work shared out over threads. Results must not depend on who did what: every task writes only
// to its own place, and the caller puts the places together in order.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace twinset {

// Calls work(begin, end, worker) over [0, n) in blocks of `grain`; worker < threads. The first
// exception of any worker is thrown again here.
template <class Work>
void parallel_blocks(size_t n, size_t grain, int threads, Work&& work) {
    if (n == 0) return;
    grain = std::max<size_t>(grain, 1);
    size_t blocks = (n + grain - 1) / grain;
    int workers = static_cast<int>(std::min<size_t>(std::max(threads, 1), blocks));
    if (workers == 1) {
        for (size_t b = 0; b < n; b += grain) work(b, std::min(n, b + grain), 0);
        return;
    }
    std::atomic<size_t> next{0};
    std::exception_ptr fault;
    std::mutex guard;
    auto run = [&](int worker) {
        try {
            for (size_t b; (b = next.fetch_add(1)) < blocks;)
                work(b * grain, std::min(n, (b + 1) * grain), worker);
        } catch (...) {
            std::lock_guard<std::mutex> lock(guard);
            if (!fault) fault = std::current_exception();
            next = blocks;
        }
    };
    std::vector<std::thread> pool;
    for (int w = 1; w < workers; ++w) pool.emplace_back(run, w);
    run(0);
    for (auto& t : pool) t.join();
    if (fault) std::rethrow_exception(fault);
}

}  // namespace twinset
