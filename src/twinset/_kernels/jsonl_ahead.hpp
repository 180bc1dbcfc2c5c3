// Ranges of a file of JSON lines, parsed by threads of their own while the program is still loading.
#pragma once
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "crew.hpp"
#include "file_range.hpp"
#include "jsonl_rows.hpp"
#include "stop.hpp"

namespace twinset::jsonl {

struct ByteRange {
    uint64_t begin, end;
    bool operator==(const ByteRange&) const = default;
};

// The bytes of a range, with the one before it unless it is the first, and those behind it up to the
// end of its last line; the lines lie from `start` to the end.
struct RangeRows {
    RawBytes bytes;
    size_t start = 0;
    Rows rows;
};

// A range whose last line goes on too far behind it, or that cannot be read, is left out: whoever asks
// for it reads it in the ordinary way, and says what is wrong.
class Ahead {
  public:
    Ahead(int file, Fields fields, uint64_t first_line, uint64_t behind, std::vector<ByteRange> ranges,
          int threads)
        : work_(std::make_shared<Work>(file, std::move(fields), first_line, behind, std::move(ranges))) {
        for (int t = 0; t < threads; ++t)
            if (!Crew::own().take([work = work_] { work->run(); })) break;
    }
    Ahead(const Ahead&) = delete;
    Ahead& operator=(const Ahead&) = delete;
    ~Ahead() { work_->end(); }

    // The rows of a range, once; nothing where it was not begun. No further one is begun then: there
    // are others at work who read.
    std::optional<RangeRows> take(ByteRange range) { return work_->take(range); }

  private:
    enum class State { waits, at_work, done, gone };

    struct Task {
        ByteRange range;
        State state = State::waits;
        RangeRows found;
    };

    // Shared with the threads, which may outlive the object: nobody waits for them.
    class Work {
      public:
        Work(int file, Fields fields, uint64_t first_line, uint64_t behind, std::vector<ByteRange> ranges)
            : file_(file), fields_(std::move(fields)), first_line_(first_line), behind_(behind) {
            for (const ByteRange& range : ranges) tasks_.push_back({range, State::waits, {}});
        }

        void end() {
            std::lock_guard<std::mutex> lock(guard_);
            ended_ = true;
        }

        void run() {
            std::unique_lock<std::mutex> lock(guard_);
            while (!ended_ && next_ < tasks_.size()) {
                Task& task = tasks_[next_++];
                task.state = State::at_work;
                lock.unlock();
                State state = State::gone;
                try {
                    if (read(task)) state = State::done;
                } catch (...) {  // no memory, or a fault of the disk: see above
                }
                lock.lock();
                task.state = state;
                changed_.notify_all();
            }
        }

        std::optional<RangeRows> take(ByteRange range) {
            std::unique_lock<std::mutex> lock(guard_);
            ended_ = true;
            auto at = std::find_if(tasks_.begin(), tasks_.end(), [&](Task& t) { return t.range == range; });
            if (at == tasks_.end()) {
                if (is_cut_elsewhere(range)) give_up();
                return std::nullopt;
            }
            auto is_over = [&] { return at->state != State::at_work; };
            while (!changed_.wait_for(lock, std::chrono::milliseconds(kPollEvery), is_over)) stop_point();
            if (at->state != State::done) return std::nullopt;
            at->state = State::gone;
            return std::move(at->found);
        }

      private:
        // Whoever asks cuts the file into other ranges, and will never ask for these.
        bool is_cut_elsewhere(ByteRange range) const {
            return std::any_of(tasks_.begin(), tasks_.end(), [&](const Task& task) {
                return task.range.begin < range.end && range.begin < task.range.end;
            });
        }
        void give_up() {
            for (Task& task : tasks_) {
                if (task.state != State::done) continue;
                task.state = State::gone;
                task.found = {};
            }
        }

        bool read(Task& task) {
            auto [begin, end] = task.range;
            size_t before = begin == first_line_ ? 0 : 1;
            size_t inside = before + static_cast<size_t>(end - begin);
            RawBytes bytes(inside + behind_);
            uint8_t* data = bytes.data.data();
            size_t have = file_.read_some(begin - before, {data, bytes.size});
            if (have < inside) return false;
            size_t start = 0;
            if (before) {
                start = after_line_end(data, 0, inside - 1);
                if (!start) return false;
            }
            size_t stop = after_line_end(data, inside - 1, have);
            if (!stop && have == bytes.size) return false;
            bytes.size = stop ? stop : have;
            RangeRows& found = task.found;
            found.rows = rows_of({data + start, bytes.size - start}, fields_, 1, nullptr);
            found.start = start;
            found.bytes = std::move(bytes);
            return true;
        }

        // Where the first line end in [from, until) is over; 0 where there is none.
        static size_t after_line_end(const uint8_t* data, size_t from, size_t until) {
            const void* at = std::memchr(data + from, '\n', until - from);
            return at ? static_cast<size_t>(static_cast<const uint8_t*>(at) - data) + 1 : 0;
        }

        HeldFile file_;
        const Fields fields_;
        const uint64_t first_line_, behind_;
        std::mutex guard_;
        std::condition_variable changed_;
        std::vector<Task> tasks_;
        size_t next_ = 0;
        bool ended_ = false;
    };

    std::shared_ptr<Work> work_;
};

}  // namespace twinset::jsonl
