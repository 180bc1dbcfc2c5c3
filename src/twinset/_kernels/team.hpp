// Threads that stay for many short steps: starting them anew for each would take longer than a step.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "parallel.hpp"
#include "stop.hpp"

namespace twinset {

class Team {
  public:
    explicit Team(int threads) : size_(std::max(threads, 1)) {}
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    ~Team() {
        {
            std::lock_guard<std::mutex> lock(guard_);
            closing_ = true;
        }
        changed_.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }

    // As `parallel_blocks`, by the threads of the team.
    template <class Work>
    void blocks(size_t n, size_t grain, const Work& work) {
        grain = std::max<size_t>(grain, 1);
        size_t count = (n + grain - 1) / grain;
        int workers = static_cast<int>(std::min<size_t>(static_cast<size_t>(size_), count));
        if (workers <= 1) return parallel_blocks(n, grain, 1, work);
        std::atomic<size_t> next{0};
        FirstFault fault;
        auto run = [&, watch = duty.watch](int worker) {
            if (worker >= workers) return;
            OnDuty here(watch, worker == 0 && duty.calling);
            try {
                for (size_t b; (b = next.fetch_add(1)) < count;) {
                    stop_point();
                    work(b * grain, std::min(n, (b + 1) * grain), worker);
                }
            } catch (...) {
                fault.keep();
                next = count;
            }
        };
        begin(run);
        run(0);
        while (!ended()) {  // the caller has no work left, but still hears of signals
            try {
                stop_point();
            } catch (...) {
                fault.keep();
                next = count;
            }
        }
        fault.rethrow();
    }

  private:
    // Hands a step to all threads. The first step starts them; where the system grants fewer, fewer work.
    void begin(std::function<void(int)> step) {
        while (threads_.size() + 1 < static_cast<size_t>(size_)) {
            int worker = static_cast<int>(threads_.size()) + 1;
            try {
                threads_.emplace_back([this, worker] { serve(worker); });
            } catch (...) {  // no memory for a stack, or too many processes
                size_ = worker;
            }
        }
        {
            std::lock_guard<std::mutex> lock(guard_);
            step_ = std::move(step);
            at_work_ = threads_.size();
            ++round_;
        }
        changed_.notify_all();
    }

    void serve(int worker) {
        uint64_t seen = 0;
        std::unique_lock<std::mutex> lock(guard_);
        for (;;) {
            changed_.wait(lock, [&] { return closing_ || round_ != seen; });
            if (closing_) return;
            seen = round_;
            lock.unlock();
            step_(worker);  // lets no exception out
            lock.lock();
            if (--at_work_ == 0) done_.notify_one();
        }
    }

    // True when all have ended the step, false when some still work after a while.
    bool ended() {
        std::unique_lock<std::mutex> lock(guard_);
        return done_.wait_for(lock, std::chrono::milliseconds(kPollEvery), [&] { return at_work_ == 0; });
    }

    int size_;
    std::mutex guard_;
    std::condition_variable changed_, done_;
    std::function<void(int)> step_;
    uint64_t round_ = 0;
    size_t at_work_ = 0;
    bool closing_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace twinset
