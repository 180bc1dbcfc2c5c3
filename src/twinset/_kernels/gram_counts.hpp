// What is known of the N-grams of a collection. Blocks are counted: most samples have blocks of one kind
// only, and then what is true of the block is true of all N-grams in it. Where a sample has several kinds of
// blocks, the N-grams of each kind are counted, once for all its places.
//
// All blocks are counted, and their samples taken, while the tables have room. Where they have not, the texts
// are counted anew, and only blocks whose samples are repeated. If that is still too much, the upper half of
// the parts that samples are divided into is given up: these are counted in another round.
//
// A text that was counted leaves marks: the numbers and sizes of its blocks, by which it is told of later
// without looking at it again. N-grams of the first place of every kind wait in temporary files, until all
// blocks are counted.
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "block_kinds.hpp"
#include "gram_facts.hpp"
#include "gram_samples.hpp"
#include "gram_scan.hpp"
#include "parallel.hpp"
#include "shared_samples.hpp"
#include "spill.hpp"
#include "spilled_list.hpp"
#include "spin_lock.hpp"
#include "stop.hpp"

namespace twinset {

// What is kept of consecutive N-grams of a text, in 64 bits: how many, and the number of their kind of block.
struct BlockMark {
    static constexpr uint64_t kUnique = 0;   // no block: N-grams whose samples occur once
    static constexpr uint64_t kSkipped = 1;  // its part is counted in another round
    static constexpr uint64_t kFirst = 2;
    static constexpr size_t kMostSize = UINT16_MAX;

    uint64_t number;
    size_t size;

    uint64_t packed() const { return number << 16 | size; }
    static BlockMark unpacked(uint64_t packed) { return {packed >> 16, packed & kMostSize}; }
};

class GramCounts {
  public:
    static constexpr size_t kParts = GramSamples::kParts;
    static constexpr size_t kGroups = 8, kPartsOfGroup = kParts / kGroups;
    static constexpr size_t kAtOnce = 128;     // blocks that are fetched together
    static constexpr size_t kHeld = 4096;      // and that are counted while nothing is given up
    static constexpr uint32_t kReserved = 64;  // kinds that a thread makes room for at a time

    // Counts the parts from `first` on; all of them where the samples are still to be taken.
    GramCounts(GramSamples& samples, size_t first, uint64_t most_bytes, const std::string& folder)
        : samples_(samples),
          is_first_pass_(!samples.finished()),
          first_(first),
          end_(kParts),
          most_(std::min(most_bytes, kMostBytes)),
          files_(folder) {
        if (is_first_pass_) return;
        for (size_t p = first_; p < end_; ++p) {
            // nearly every sample has a kind of block
            parts_[p].kinds.reserve(samples.repeated(p));
            if ((bytes_ += parts_[p].kinds.bytes()) > most_) give_up();
        }
    }

    GramSamples& samples() const { return samples_; }
    bool is_first_pass() const { return is_first_pass_; }
    size_t end() const { return end_; }  // of the parts that were counted

    // Counts the blocks of texts in one thread, of any number.
    class Counter {
      public:
        Counter(GramCounts& counts, const GramScanner& scanner) : counts_(counts), scanner_(scanner) {}

        void begin_text() { last_ = guess_ = BlockMark::kUnique; }

        // Counts blocks that the scanner has just found, and calls take(block, number) with each.
        template <class Take>
        void add(std::span<const GramBlock> blocks, Take&& take) {
            for (size_t from = 0; from < blocks.size(); from += kAtOnce) {
                std::span<const GramBlock> some =
                    blocks.subspan(from, std::min(kAtOnce, blocks.size() - from));
                hold(some.size());
                std::array<GramKey, kAtOnce> keys;
                for (size_t i = 0; i < some.size(); ++i) {
                    keys[i] = scanner_.key(some[i]);
                    counts_.parts_[GramSamples::part(some[i].sample)].kinds.fetch(keys[i]);
                }
                for (size_t i = 0; i < some.size(); ++i) take(some[i], add(some[i], keys[i]));
            }
        }

      private:
        struct Range {
            uint32_t next = 0, end = 0;
        };

        // Nothing is given up while so many are counted.
        void hold(size_t blocks) {
            if (left_ >= blocks) {
                left_ -= blocks;
                return;
            }
            if (held_.owns_lock()) held_.unlock();
            if (counts_.bytes_ > counts_.most_) counts_.give_up();
            held_.lock();
            left_ = kHeld;
            if (given_up_ != counts_.given_up_) begin_text(), ranges_ = {};
            given_up_ = counts_.given_up_;
        }

        // The number of a block, which is counted. What was seen behind the last block before is tried first:
        // where text repeats that is it, and lies beside the last one in memory.
        uint64_t add(const GramBlock& block, const GramKey& key) {
            size_t p = GramSamples::part(block.sample);
            if (p < counts_.first_ || p >= counts_.end_) {
                begin_text();
                return BlockMark::kSkipped;
            }
            const BlockKinds& kinds = counts_.groups_[p / kPartsOfGroup];
            uint64_t number = guess_, follows = scanner_.next(block.end - 1);
            if (!has_kind(number) || part_of(number) != p || !kinds[kind_of(number)].is(key)) {
                number = BlockMark::kFirst + kParts * uint64_t{look_up(p, block, key, follows)} + p;
                if (has_kind(last_)) behind(last_).store(number, std::memory_order_release);
            }
            kinds[kind_of(number)].add(follows);
            kinds.fetch_behind(kind_of(number));
            last_ = number, guess_ = behind(number).load(std::memory_order_acquire);
            return number;
        }
        std::atomic<uint64_t>& behind(uint64_t number) const {
            return counts_.groups_[part_of(number) / kPartsOfGroup][kind_of(number)].behind;
        }

        // The kind of a block, by the table of its part.
        uint32_t look_up(size_t p, const GramBlock& block, const GramKey& key, uint64_t follows) {
            Part& part = counts_.parts_[p];
            BlockKinds& kinds = counts_.groups_[p / kPartsOfGroup];
            std::lock_guard<SpinLock> lock(part.guard);
            uint64_t before = part.kinds.bytes();
            auto [kind, is_new] =
                part.kinds.see(key, kinds, [&] { return make(p / kPartsOfGroup, key, follows); });
            if (!is_new) return kind;
            if (part.kinds.bytes() != before) counts_.bytes_ += part.kinds.bytes() - before;
            part.wait(block, kind, scanner_, counts_.files_);
            return kind;
        }
        uint32_t make(size_t group, const GramKey& key, uint64_t follows) {
            Range& range = ranges_[group];
            BlockKinds& kinds = counts_.groups_[group];
            if (range.next == range.end) {
                range.next = kinds.reserve(kReserved), range.end = range.next + kReserved;
                counts_.bytes_ += kReserved * sizeof(BlockKind);
            }
            BlockKind& made = kinds[range.next];
            made.key = key.key, made.check = key.check;
            made.next.store(follows, std::memory_order_relaxed);
            return range.next++;
        }

        GramCounts& counts_;
        const GramScanner& scanner_;
        std::array<Range, kGroups> ranges_{};
        uint64_t last_ = BlockMark::kUnique, guess_ = BlockMark::kUnique;
        std::shared_lock<std::shared_mutex> held_{counts_.giving_up_, std::defer_lock};
        size_t left_ = 0, given_up_ = 0;
    };

    // After the last block: finds out what is true of the N-grams.
    void finish(int threads) {
        std::vector<SharedSamples> shared(static_cast<size_t>(std::max(threads, 1)));
        parallel_blocks(kParts - first_, 1, threads, [&](size_t begin, size_t, int thread) {
            {
                std::shared_lock<std::shared_mutex> nothing_goes(giving_up_);
                if (first_ + begin < end_) settle(first_ + begin, shared[static_cast<size_t>(thread)]);
            }
            if (bytes_ > most_) give_up();
        });
        finished_ = true;
    }
    bool finished() const { return finished_; }

    // Calls each(number, facts, size) with its stretches of N-grams that stay together, and what is known of
    // the last of each; equal stretches have equal numbers. Or calls none(), where the block was not counted.
    template <class Each, class None>
    void tell(const BlockMark& mark, Each&& each, None&& none) const {
        if (!has_kind(mark.number) || part_of(mark.number) >= end_) return none();
        size_t p = part_of(mark.number);
        const BlockKinds& kinds = groups_[p / kPartsOfGroup];
        check(kinds.holds((mark.number - BlockMark::kFirst) / kParts));
        const BlockKind& kind = kinds[kind_of(mark.number)];
        uint64_t known = kind.next.load(std::memory_order_relaxed);
        if (known < kSeveral) {
            uint32_t count = kind.count.load(std::memory_order_relaxed);
            return each(mark.number, GramFacts{count, known != 0}, mark.size);
        }
        const std::vector<GramStretch>& stretches = parts_[p].stretches;
        size_t left = mark.size;
        for (size_t at = known - kSeveral; left > 0; ++at) {
            check(at < stretches.size() && stretches[at].size <= left);
            uint64_t number = kOfGram | uint64_t{p} << 32 | stretches[at].number;
            each(number, GramFacts::unpacked(stretches[at].facts), stretches[at].size);
            left -= stretches[at].size;
        }
    }
    // What is known of a block may be fetched before it is told: its kind, then the stretches of that.
    void fetch(const BlockMark& mark) const {
        if (const BlockKind* kind = kind_at(mark)) __builtin_prefetch(&kind->next);
    }
    void fetch_stretches(const BlockMark& mark) const {
        const BlockKind* kind = kind_at(mark);
        uint64_t known = kind ? kind->next.load(std::memory_order_relaxed) : 0;
        if (known < kSeveral) return;
        const std::vector<GramStretch>& stretches = parts_[part_of(mark.number)].stretches;
        __builtin_prefetch(stretches.data() + (known - kSeveral));
    }

  private:
    static constexpr uint64_t kMostBytes = kGroups * BlockKinds::kMost * sizeof(BlockKind) / 2;
    static constexpr uint64_t kOfGram = uint64_t{1} << 63;
    // After all was counted `next` of a kind says whether the same always follows the last of its N-grams,
    // or, from here on, where its stretches are.
    static constexpr uint64_t kSeveral = 2;

    struct alignas(64) Part {
        SpinLock guard;  // of the table and what waits
        KindTable kinds;
        size_t waiting = 0;
        SpilledList<SampledKind> blocks;
        SpilledList<uint64_t> their_grams;
        std::vector<GramStretch> stretches;  // of kinds whose samples have several

        uint64_t bytes() const { return kinds.bytes() + stretches.size() * sizeof(GramStretch); }
        // A new kind and its N-grams, until all blocks are counted.
        void wait(const GramBlock& block, uint32_t kind, const GramScanner& scanner, SpillFiles& files) {
            size_t size = block.end - block.begin;
            *blocks.add(1, files) = {block.sample, kind, static_cast<uint16_t>(size),
                                     static_cast<uint16_t>(block.place - block.begin)};
            uint64_t* grams = their_grams.add(size, files);
            for (size_t i = 0; i < size; ++i) grams[i] = scanner.key(block.begin + i).folded();
            ++waiting;
        }
        void forget_waiting() { blocks = {}, their_grams = {}, waiting = 0; }
        void clear() {
            kinds.clear(), forget_waiting();
            std::vector<GramStretch>().swap(stretches);
        }
    };

    static bool has_kind(uint64_t number) { return number >= BlockMark::kFirst; }
    static size_t part_of(uint64_t number) { return (number - BlockMark::kFirst) % kParts; }
    static uint32_t kind_of(uint64_t number) {
        return static_cast<uint32_t>((number - BlockMark::kFirst) / kParts);
    }
    const BlockKind* kind_at(const BlockMark& mark) const {
        if (!has_kind(mark.number)) return nullptr;
        const BlockKinds& kinds = groups_[part_of(mark.number) / kPartsOfGroup];
        return kinds.holds(kind_of(mark.number)) ? &kinds[kind_of(mark.number)] : nullptr;
    }
    static void check(bool is_known) {
        if (!is_known) throw std::invalid_argument("there is no such mark");
    }

    template <class Take>
    void each_waiting(const Part& part, Take&& take) const {
        SpilledList<SampledKind>::Reader blocks(part.blocks, files_);
        Pace pace;
        while (const SampledKind* block = blocks.next(1)) pace(), take(*block);
    }

    void settle(size_t p, SharedSamples& shared) {
        Part& part = parts_[p];
        const BlockKinds& kinds = groups_[p / kPartsOfGroup];
        uint64_t before = part.bytes();
        part.kinds.clear();
        SampleKinds samples(part.waiting);
        each_waiting(part, [&](const SampledKind& block) { samples.add(block.sample); });
        SpilledList<uint64_t>::Reader their_grams(part.their_grams, files_);
        each_waiting(part, [&](const SampledKind& block) {
            const uint64_t* grams = their_grams.next(block.size);
            BlockKind& kind = kinds[block.kind];
            uint32_t count = kind.count.load(std::memory_order_relaxed);
            uint64_t next = kind.next.load(std::memory_order_relaxed);
            if (samples.has_several(block.sample)) shared.add(block, count, next, {grams, block.size});
            else kind.next.store(next != BlockKind::kDiffer, std::memory_order_relaxed);
        });
        part.forget_waiting();
        shared.settle([&](uint32_t kind, std::span<const GramStretch> stretches) {
            kinds[kind].next.store(kSeveral + part.stretches.size(), std::memory_order_relaxed);
            part.stretches.insert(part.stretches.end(), stretches.begin(), stretches.end());
        });
        part.stretches.shrink_to_fit();
        bytes_ += part.bytes() - before;
    }

    // The upper half of the parts, or all of them while it is not known which samples are repeated.
    void give_up() {
        std::unique_lock<std::shared_mutex> alone(giving_up_);
        while (bytes_ > most_ && end_ > first_ + !is_first_pass_) {
            ++given_up_;
            size_t end = end_, half = is_first_pass_ ? first_ : first_ + (end - first_) / 2;
            end_ = half;
            for (size_t p = half; p < end; ++p) {
                bytes_ -= parts_[p].bytes();
                parts_[p].clear();
            }
            for (size_t group = (half + kPartsOfGroup - 1) / kPartsOfGroup; group < kGroups; ++group) {
                bytes_ -= groups_[group].bytes();
                groups_[group].clear();
            }
        }
    }

    GramSamples& samples_;
    bool is_first_pass_;
    size_t first_;
    std::atomic<size_t> end_;
    uint64_t most_;
    SpillFiles files_;
    std::atomic<uint64_t> bytes_{0};
    bool finished_ = false;
    size_t given_up_ = 0;          // how often
    std::shared_mutex giving_up_;  // held alone by what gives up
    std::array<Part, kParts> parts_;
    std::array<BlockKinds, kGroups> groups_;
};

}  // namespace twinset
