// Threads that wait for work, since starting one costs more than many a piece of work: they are
// shared by all kernels of the process and end by themselves when nothing has come for a while.
#pragma once
#include <pthread.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace twinset {

class Crew {
  public:
    using Job = std::function<void()>;  // throws nothing

    // The crew of this process. It is never destroyed: at the end of the process its threads may
    // still wait, and a forked child, which has none of them, leaves its parent's alone.
    static Crew& own() {
        static Crew* crew = [] {
            pthread_atfork(nullptr, nullptr, [] { current() = new Crew; });
            return current() = new Crew;
        }();
        (void)crew;
        return *current();
    }

    // Has a job done at once by a thread that waits, or by a new one; false where the system
    // grants none.
    bool take(Job job) {
        std::unique_lock<std::mutex> lock(guard_);
        if (waiting_ > jobs_.size()) {
            jobs_.push_back(std::move(job));
            lock.unlock();
            called_.notify_one();
            return true;
        }
        lock.unlock();
        try {
            std::thread([this, job = std::move(job)]() mutable { live(std::move(job)); }).detach();
        } catch (...) {  // no memory for a stack, or too many processes
            return false;
        }
        return true;
    }

  private:
    static constexpr auto kPatience = std::chrono::seconds(2);

    static Crew*& current() {
        static Crew* crew = nullptr;
        return crew;
    }

    void live(Job job) {
        for (;;) {
            job();
            job = nullptr;
            std::unique_lock<std::mutex> lock(guard_);
            ++waiting_;
            bool called = called_.wait_for(lock, kPatience, [&] { return !jobs_.empty(); });
            --waiting_;
            if (!called) return;
            job = std::move(jobs_.front());
            jobs_.pop_front();
        }
    }

    std::mutex guard_;
    std::condition_variable called_;
    std::deque<Job> jobs_;
    size_t waiting_ = 0;  // threads; never fewer than jobs
};

}  // namespace twinset
