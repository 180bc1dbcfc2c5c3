// How a kernel that takes long is stopped. Loops call stop_point() every few milliseconds of work;
// where someone has asked for the end, it throws, and the call unwinds.
//
// A Watch belongs to one call of a kernel and is seen by all threads that work for it. Two things
// ask for the end: a StopFlag of the calling thread (set from any other thread), and an exception
// of `poll`, which the calling thread runs every kPollEvery milliseconds; the door of the kernels
// hands in a `poll` that runs Python's signal handlers. Nothing here is shared between calls.
#pragma once
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <utility>

#if defined(__linux__)
#include <ctime>
#else
#include <chrono>
#endif

namespace twinset {

struct Stopped : std::exception {
    const char* what() const noexcept override { return "stopped on request"; }
};

using StopFlag = std::atomic<bool>;

// The flags that a thread has entered, innermost first.
struct FlagList {
    std::shared_ptr<StopFlag> flag;
    std::unique_ptr<FlagList> outer;
};

inline constexpr int64_t kPollEvery = 50;

class Watch {
  public:
    Watch(const FlagList* flags, void (*poll)()) : flags_(flags), poll_(poll), due_(now() + kPollEvery) {}

    bool stopping() const {
        for (const FlagList* entry = flags_; entry; entry = entry->outer.get())
            if (entry->flag->load(std::memory_order_relaxed)) return true;
        return stopping_.load(std::memory_order_relaxed);
    }

    // For the calling thread alone.
    void poll_if_due() {
        int64_t time = now();
        if (time < due_) return;
        due_ = time + kPollEvery;
        try {
            poll_();
        } catch (...) {
            stopping_ = true;
            throw;
        }
    }

  private:
    // Milliseconds of a clock that is quick to read rather than fine.
    static int64_t now() {
#if defined(__linux__)
        timespec time;
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
        return int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000;
#else
        using namespace std::chrono;
        return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
#endif
    }

    const FlagList* flags_;
    void (*poll_)();
    int64_t due_;
    StopFlag stopping_{false};
};

// What the present thread works for.
struct Duty {
    Watch* watch = nullptr;
    bool calling = false;  // the thread that called the kernel, not one that helps it
};
inline constinit thread_local Duty duty;

class OnDuty {
  public:
    OnDuty(Watch* watch, bool calling) : before_(std::exchange(duty, {watch, calling})) {}
    OnDuty(const OnDuty&) = delete;
    OnDuty& operator=(const OnDuty&) = delete;
    ~OnDuty() { duty = before_; }

  private:
    Duty before_;
};

inline void stop_point() {
    Watch* watch = duty.watch;
    if (!watch) return;
    if (watch->stopping()) throw Stopped();
    if (duty.calling) watch->poll_if_due();
}

// Counts steps of a few nanoseconds each in a tight loop and makes a stop point of every 65,536.
class Pace {
  public:
    void operator()(size_t steps = 1) {
        if (steps < left_) {
            left_ -= steps;
            return;
        }
        left_ = kSteps;
        stop_point();
    }

  private:
    static constexpr size_t kSteps = size_t{1} << 16;
    size_t left_ = kSteps;
};

// std::sort that can be stopped: quicksort down to parts that take some milliseconds. Where it
// divides badly, the rest is left to std::sort, whose worst case is known. `less` has to order all
// values that can be told apart, since equal ones come in no particular order.
template <class Iterator, class Less = std::less<>>
void stoppable_sort(Iterator begin, Iterator end, Less less = {}, int depth = -1) {
    constexpr ptrdiff_t kAtOnce = ptrdiff_t{1} << 17;
    if (end - begin <= kAtOnce) return std::sort(begin, end, less);
    if (depth < 0) depth = 2 * std::bit_width(static_cast<size_t>(end - begin));
    while (end - begin > kAtOnce && depth-- > 0) {
        stop_point();
        auto median = [&](Iterator a, Iterator b, Iterator c) {
            if (less(*b, *a)) std::swap(a, b);
            return less(*c, *a) ? a : less(*c, *b) ? c : b;
        };
        ptrdiff_t step = (end - begin) / 9;
        auto around = [&](int at) {
            return median(begin + at * step, begin + (at + 1) * step, begin + (at + 2) * step);
        };
        auto pivot = *median(around(0), around(3), around(6));
        Iterator middle = std::partition(begin, end, [&](const auto& value) { return less(value, pivot); });
        Iterator right = middle;
        if ((middle - begin) < (end - begin) / 16)  // perhaps many are equal to the pivot: they are done
            right = std::partition(middle, end, [&](const auto& value) { return !less(pivot, value); });
        if (middle - begin < end - right) {
            stoppable_sort(begin, middle, less, depth);
            begin = right;
        } else {
            stoppable_sort(right, end, less, depth);
            end = middle;
        }
    }
    stop_point();
    std::sort(begin, end, less);
}

}  // namespace twinset
