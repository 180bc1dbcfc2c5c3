// A lock for moments: where threads seldom meet it costs half of what one that sleeps does. Who has to wait
// for longer, as for a file, leaves the core to others.
#pragma once
#include <atomic>
#include <thread>

namespace twinset {

class SpinLock {
  public:
    void lock() {
        while (is_held_.exchange(true, std::memory_order_acquire))
            while (is_held_.load(std::memory_order_relaxed)) std::this_thread::yield();
    }
    void unlock() { is_held_.store(false, std::memory_order_release); }

  private:
    std::atomic<bool> is_held_{false};
};

}  // namespace twinset
