// Work shared out over threads. Results must not depend on who did what: every task writes only
// to its own place, and the caller puts the places together in order.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <new>

#include "crew.hpp"
#include "stop.hpp"

namespace twinset {

// The fault that is thrown in the end. That a thread was stopped says less than why.
class FirstFault {
  public:
    // Keeps the exception in flight.
    void keep() {
        std::lock_guard<std::mutex> lock(guard_);
        try {
            throw;
        } catch (const Stopped&) {
            if (!fault_) fault_ = std::current_exception(), stopped_ = true;
        } catch (...) {
            if (!fault_ || stopped_) fault_ = std::current_exception(), stopped_ = false;
        }
    }
    void rethrow() const {
        if (fault_) std::rethrow_exception(fault_);
    }

  private:
    std::mutex guard_;
    std::exception_ptr fault_;
    bool stopped_ = false;
};

// Threads beside the caller's. Where the system grants fewer, fewer work. No exception leaves a thread,
// and this ends only after all of them have.
class Helpers {
  public:
    template <class Run>
    Helpers(int count, const Run& run, FirstFault& fault) {
        for (int h = 1; h <= count; ++h) {
            // An exception from here would end this object while helpers that have begun use it.
            bool granted = false;
            try {
                granted = Crew::own().take([this, &run, &fault, h] {
                    try {
                        run(h);
                    } catch (...) {
                        fault.keep();
                    }
                    std::lock_guard<std::mutex> lock(guard_);
                    ++ended_;
                    changed_.notify_one();
                });
            } catch (const std::bad_alloc&) {
            }
            if (!granted) return;
            ++begun_;
        }
    }
    Helpers(const Helpers&) = delete;
    Helpers& operator=(const Helpers&) = delete;
    ~Helpers() {
        std::unique_lock<std::mutex> lock(guard_);
        changed_.wait(lock, [&] { return ended_ == begun_; });
    }

    // True when all have ended, false when some still run after a while.
    bool wait() {
        std::unique_lock<std::mutex> lock(guard_);
        return changed_.wait_for(lock, std::chrono::milliseconds(kPollEvery),
                                 [&] { return ended_ == begun_; });
    }

  private:
    std::mutex guard_;
    std::condition_variable changed_;
    size_t begun_ = 0, ended_ = 0;
};

using Blocks = std::function<void(size_t begin, size_t end, int worker)>;

// Compiled once, not for every kernel: a call through `work` costs nothing beside a block.
inline void run_blocks(size_t n, size_t grain, int threads, const Blocks& work) {
    if (n == 0) return;
    grain = std::max<size_t>(grain, 1);
    size_t blocks = (n + grain - 1) / grain;
    int workers = static_cast<int>(std::min<size_t>(std::max(threads, 1), blocks));
    if (workers == 1) {
        for (size_t b = 0; b < n; b += grain) {
            stop_point();
            work(b, std::min(n, b + grain), 0);
        }
        return;
    }
    std::atomic<size_t> next{0};
    FirstFault fault;
    auto run = [&, watch = duty.watch](int worker) {
        OnDuty here(watch, worker == 0 && duty.calling);
        try {
            for (size_t b; (b = next.fetch_add(1)) < blocks;) {
                stop_point();
                work(b * grain, std::min(n, (b + 1) * grain), worker);
            }
        } catch (...) {
            fault.keep();
            next = blocks;
        }
    };
    {
        Helpers helpers(workers - 1, run, fault);
        run(0);
        while (!helpers.wait()) {  // the caller has no work left, but still hears of signals
            try {
                stop_point();
            } catch (...) {
                fault.keep();
                next = blocks;
            }
        }
    }
    fault.rethrow();
}

// Calls work(begin, end, worker) over [0, n) in blocks of `grain`; worker < threads. The first
// exception of any worker is thrown again here. Each block begins with a stop point.
template <class Work>
void parallel_blocks(size_t n, size_t grain, int threads, Work&& work) {
    run_blocks(n, grain, threads, std::ref(work));
}

}  // namespace twinset
