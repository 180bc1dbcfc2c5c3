// Numbers for the terms of a collection as they come, batch by batch: equal hashes get equal numbers,
// and how many documents have each is counted.
//
// Hashes are divided into parts by their first bits, each with a table of its own; threads share out the
// parts. A number is the order of first appearance in its part and the part: neither threads nor
// batches show in it.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "hash.hpp"
#include "large_pages.hpp"
#include "parallel.hpp"

namespace twinset {

class TermTable {
  public:
    // The numbers of the terms of some documents, of which none has a term twice.
    void add(std::span<const uint64_t> hashes, std::span<uint32_t> numbers, int threads) {
        size_t workers = static_cast<size_t>(std::clamp(threads, 1, static_cast<int>(kParts)));
        parallel_blocks(workers, 1, threads, [&](size_t worker, size_t, int) {
            Pace pace;
            std::array<size_t, kAtOnce> waiting;
            size_t count = 0;
            auto work = [&] {
                for (size_t i = 0; i < count; ++i) {
                    uint64_t hash = hashes[waiting[i]];
                    size_t part = part_of(hash);
                    numbers[waiting[i]] =
                        parts_[part].number(hash) * uint32_t{kParts} + static_cast<uint32_t>(part);
                }
                count = 0;
            };
            for (size_t i = 0; i < hashes.size(); ++i) {
                pace();
                size_t part = part_of(hashes[i]);
                if (part % workers != worker) continue;
                parts_[part].expect(hashes[i]);
                waiting[count++] = i;
                if (count == kAtOnce) work();
            }
            work();
        });
    }

    // All numbers are below it; a few of them may belong to no term.
    size_t dimensions() const {
        size_t most = 0;
        for (const Part& part : parts_) most = std::max(most, part.count());
        return most * kParts;
    }

    // By number: the hash of the term, and how many documents have it. Zeros where there is none.
    void write(std::span<uint64_t> names, std::span<uint32_t> frequencies) const {
        for (size_t part = 0; part < kParts; ++part) {
            stop_point();
            parts_[part].each([&](uint64_t hash, uint32_t number, uint32_t frequency) {
                names[size_t{number} * kParts + part] = hash;
                frequencies[size_t{number} * kParts + part] = frequency;
            });
        }
    }

  private:
    static constexpr size_t kParts = 16;
    static constexpr size_t kAtOnce = 32;  // looked up together: the memory of each is asked for first

    static size_t part_of(uint64_t hash) { return hash >> 60; }

    // Open addressing; a slot without documents is free.
    class Part {
      public:
        size_t count() const { return used_; }
        void expect(uint64_t hash) const { __builtin_prefetch(&slots_[start(hash)], 1); }

        uint32_t number(uint64_t hash) {
            if (4 * used_ >= 3 * slots_.size()) grow();
            Slot& slot = find(hash);
            if (slot.frequency++ == 0) slot.hash = hash, slot.number = next();
            return slot.number;
        }

        template <class Use>
        void each(Use use) const {
            for (const Slot& slot : slots_)
                if (slot.frequency) use(slot.hash, slot.number, slot.frequency);
        }

      private:
        struct Slot {
            uint64_t hash;
            uint32_t number, frequency;
        };

        uint32_t next() {
            if (used_ >= UINT32_MAX / kParts) throw std::length_error("there are too many different terms");
            return static_cast<uint32_t>(used_++);
        }
        size_t start(uint64_t hash) const {
            return static_cast<size_t>(hash * kGolden >> 20) & (slots_.size() - 1);
        }
        Slot& find(uint64_t hash) {
            size_t at = start(hash);
            while (slots_[at].frequency && slots_[at].hash != hash) at = (at + 1) & (slots_.size() - 1);
            return slots_[at];
        }
        void grow() {
            LargeVector<Slot> before(2 * slots_.size(), Slot{});
            before.swap(slots_);
            for (const Slot& slot : before)
                if (slot.frequency) find(slot.hash) = slot;
        }

        LargeVector<Slot> slots_ = LargeVector<Slot>(1024, Slot{});
        size_t used_ = 0;
    };

    std::array<Part, kParts> parts_;
};

}  // namespace twinset
