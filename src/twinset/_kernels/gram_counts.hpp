// What is known of the N-grams that may be repeated, since their samples are. Blocks are counted: most
// samples have blocks of one kind only, and then what is true of the block is true of all N-grams in it.
// Where a sample has several kinds of blocks, the N-grams of each kind are counted, once for all its places.
//
// A text that was counted leaves marks: the numbers and sizes of its blocks, by which it is told of later
// without looking at it again. N-grams of the first place of every kind wait in a temporary file, until all
// blocks are counted. All is divided by samples. Where the tables would take more memory than they may, the
// upper half of the parts is given up: these are counted in another round.
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "block_kinds.hpp"
#include "gram_samples.hpp"
#include "gram_scan.hpp"
#include "gram_table.hpp"
#include "parallel.hpp"
#include "spill.hpp"
#include "spilled_list.hpp"
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

// A block whose sample is repeated.
struct Candidate {
    GramBlock block;
    GramKey key{};
    uint64_t number = BlockMark::kSkipped;
};

class GramCounts {
  public:
    static constexpr size_t kParts = GramSamples::kParts;

    // Counts the parts from `first` on.
    GramCounts(const GramSamples& samples, size_t first, uint64_t most_bytes, std::string folder)
        : samples_(samples),
          first_(first),
          end_(kParts),
          most_(std::min(most_bytes, kMostBytes)),
          file_(std::move(folder)) {
        for (size_t p = first_; p < end_; ++p) {
            // nearly every sample has a kind of block
            parts_[p].kinds.reserve(samples.repeated(p));
            if ((bytes_ += parts_[p].kinds.bytes()) > most_) give_up();
        }
    }

    const GramSamples& samples() const { return samples_; }
    size_t end() const { return end_; }  // of the parts that were counted

    // Where a block is counted may be fetched before.
    void fetch(const Candidate& one) const { parts_[part_of(one)].kinds.fetch(one.key); }

    // Counts blocks that the scanner has just found, and numbers them. Any number of threads may count at a
    // time.
    void add(std::vector<Candidate>& found, const GramScanner& scanner) {
        std::array<uint32_t, kParts + 1> begins{};
        for (const Candidate& one : found) ++begins[part_of(one) + 1];
        for (size_t p = 0; p < kParts; ++p) begins[p + 1] += begins[p];
        std::array<uint32_t, kParts + 1> next = begins;
        std::vector<uint32_t> order(found.size());
        for (uint32_t i = 0; i < found.size(); ++i) order[next[part_of(found[i])]++] = i;
        for (size_t p = first_; p < end_; ++p) {
            if (begins[p] == begins[p + 1]) continue;
            std::lock_guard<std::mutex> lock(parts_[p].guard);
            if (p >= end_) break;
            uint64_t before = parts_[p].kinds.bytes();
            for (uint32_t i = begins[p]; i < begins[p + 1]; ++i) add(p, found[order[i]], scanner);
            bytes_ += parts_[p].kinds.bytes() - before;
        }
        if (bytes_ > most_) give_up();
    }

    // After the last block: finds out what is true of the N-grams.
    void finish(int threads) {
        parallel_blocks(kParts - first_, 1, threads, [&](size_t begin, size_t, int) {
            size_t p = first_ + begin;
            {
                std::lock_guard<std::mutex> lock(parts_[p].guard);
                if (p >= end_) return;
                settle(p);
            }
            if (bytes_ > most_) give_up();
        });
        finished_ = true;
    }
    bool finished() const { return finished_; }

    // Calls whole(facts of its last N-gram), if they are true of all but for what follows them, or
    // each(i, facts, number) with all its N-grams, where equal ones have equal numbers, or none() where the
    // block was not counted.
    template <class Whole, class Each, class None>
    void tell(const BlockMark& mark, Whole&& whole, Each&& each, None&& none) const {
        if (mark.number < BlockMark::kFirst) return none();
        size_t p = (mark.number - BlockMark::kFirst) % kParts;
        if (p >= end_) return none();
        const Part& part = parts_[p];
        const BlockKinds& kinds = groups_[p / kPartsOfGroup];
        uint64_t number = (mark.number - BlockMark::kFirst) / kParts;
        check(kinds.holds(number));
        uint32_t kind = static_cast<uint32_t>(number);
        uint64_t known = kinds.nexts(kind);
        if (known < kSeveral) return whole(GramFacts{kinds.count(kind), known != 0});
        known -= kSeveral;
        check(known + mark.size <= part.grams.size());
        for (size_t i = 0; i < mark.size; ++i) {
            uint32_t gram = part.grams[known + i];
            each(i, GramFacts::unpacked(part.facts[gram]), uint64_t{p} << 32 | gram);
        }
    }

  private:
    static constexpr size_t kGroups = 8, kPartsOfGroup = kParts / kGroups;
    static constexpr uint64_t kMostBytes = kGroups * BlockKinds::kMost * BlockKinds::kBytes / 2;
    // After all was counted `nexts` of a kind says whether the same always follows the last of its N-grams,
    // or, from here on, where the numbers of all of them are.
    static constexpr uint64_t kSeveral = 2;

    // A kind of block as it waits, and one of its N-grams.
    struct WaitingBlock {
        uint64_t sample, next;
        uint32_t kind, size;
    };
    struct WaitingGram {
        uint32_t low, high, check;
        static WaitingGram of(const GramKey& gram) {
            return {static_cast<uint32_t>(gram.key), static_cast<uint32_t>(gram.key >> 32), gram.check};
        }
        GramKey key() const { return {uint64_t{high} << 32 | low, check}; }
    };
    struct Part {
        std::mutex guard;
        KindTable kinds;
        size_t waiting = 0;
        SpilledList<WaitingBlock> blocks;
        SpilledList<WaitingGram> their_grams;
        std::vector<uint32_t> grams;  // numbers of N-grams of kinds whose samples have several
        std::vector<uint32_t> facts;  // on these, packed

        uint64_t bytes() const { return kinds.bytes() + (grams.size() + facts.size()) * sizeof(uint32_t); }
        void forget_waiting() { blocks = {}, their_grams = {}, waiting = 0; }
        void clear() {
            kinds.clear(), forget_waiting();
            std::vector<uint32_t>().swap(grams), std::vector<uint32_t>().swap(facts);
        }
    };

    static size_t part_of(const Candidate& one) { return GramSamples::part(one.block.sample); }

    static void check(bool is_known) {
        if (!is_known) throw std::invalid_argument("there is no such mark");
    }

    void add(size_t p, Candidate& one, const GramScanner& scanner) {
        BlockKinds& kinds = groups_[p / kPartsOfGroup];
        auto [kind, is_new] = parts_[p].kinds.see(one.key, kinds);
        uint64_t follows = scanner.next(one.block.end - 1);
        if (kinds.count(kind) < UINT32_MAX) ++kinds.count(kind), kinds.nexts(kind) += follows;
        one.number = BlockMark::kFirst + kParts * uint64_t{kind} + p;
        if (!is_new) return;
        bytes_ += BlockKinds::kBytes;
        uint32_t size = static_cast<uint32_t>(one.block.end - one.block.begin);
        *parts_[p].blocks.add(1, file_) = {one.block.sample, follows, kind, size};
        WaitingGram* grams = parts_[p].their_grams.add(size, file_);
        for (uint32_t i = 0; i < size; ++i) grams[i] = WaitingGram::of(scanner.key(one.block.begin + i));
        ++parts_[p].waiting;
    }

    // Calls take(block) with the kinds that wait in a part.
    template <class Take>
    void each_waiting(const Part& part, Take&& take) const {
        typename SpilledList<WaitingBlock>::Reader blocks(part.blocks, file_);
        Pace pace;
        while (const WaitingBlock* block = blocks.next(1)) pace(), take(*block);
    }
    // Calls one(block) with those that are the only ones of their samples, several(block, N-grams) with
    // others.
    template <class One, class Several>
    void each_waiting(const Part& part, const SampleKinds& samples, One&& one, Several&& several) const {
        typename SpilledList<WaitingGram>::Reader their_grams(part.their_grams, file_);
        std::vector<GramKey> grams;
        each_waiting(part, [&](const WaitingBlock& block) {
            const WaitingGram* own = their_grams.next(block.size);
            if (!samples.has_several(block.sample)) return one(block);
            grams.clear();
            for (uint32_t i = 0; i < block.size; ++i) grams.push_back(own[i].key());
            several(block, grams);
        });
    }

    void settle(size_t p) {
        Part& part = parts_[p];
        const BlockKinds& kinds = groups_[p / kPartsOfGroup];
        uint64_t before = part.bytes();
        part.kinds.clear();
        SampleKinds samples(part.waiting);
        each_waiting(part, [&](const WaitingBlock& block) { samples.add(block.sample); });
        GramTable table;
        auto settle_one = [&](const WaitingBlock& block) {
            uint64_t& nexts = kinds.nexts(block.kind);
            nexts = nexts == kinds.count(block.kind) * block.next;
        };
        auto count_grams = [&](const WaitingBlock& block, const std::vector<GramKey>& grams) {
            uint32_t count = kinds.count(block.kind);
            for (const GramKey& gram : grams) table.fetch(gram);
            for (size_t i = 0; i + 1 < grams.size(); ++i)
                table.add(grams[i], count, count * GramScanner::following(grams[i + 1].key));
            table.add(grams.back(), count, kinds.nexts(block.kind));
        };
        each_waiting(part, samples, settle_one, count_grams);
        part.facts.resize(table.size());
        auto settle_grams = [&](const WaitingBlock& block, const std::vector<GramKey>& grams) {
            kinds.nexts(block.kind) = kSeveral + part.grams.size();
            for (const GramKey& gram : grams) table.fetch(gram);
            for (size_t i = 0; i < grams.size(); ++i) {
                const GramTable::Entry& entry = table[grams[i]];
                uint64_t next = i + 1 < grams.size() ? GramScanner::following(grams[i + 1].key) : block.next;
                part.grams.push_back(entry.number);
                part.facts[entry.number] = entry.facts(next).packed();
            }
        };
        each_waiting(part, samples, [](const WaitingBlock&) {}, settle_grams);
        part.grams.shrink_to_fit();
        part.forget_waiting();
        bytes_ += part.bytes() - before;
    }

    void give_up() {
        std::lock_guard<std::mutex> lock(giving_up_);
        while (bytes_ > most_ && end_ - first_ > 1) {
            size_t end = end_, half = first_ + (end - first_) / 2;
            end_ = half;
            for (size_t p = half; p < end; ++p) {
                std::lock_guard<std::mutex> own(parts_[p].guard);
                bytes_ -= parts_[p].bytes();
                parts_[p].clear();
            }
            for (size_t group = (half + kPartsOfGroup - 1) / kPartsOfGroup; group < kGroups; ++group) {
                bytes_ -= groups_[group].bytes();
                groups_[group].clear();
            }
        }
    }

    const GramSamples& samples_;
    size_t first_;
    std::atomic<size_t> end_;
    uint64_t most_;
    SpillFile file_;
    std::atomic<uint64_t> bytes_{0};
    bool finished_ = false;
    std::mutex giving_up_;
    std::array<Part, kParts> parts_;
    std::array<BlockKinds, kGroups> groups_;
};

}  // namespace twinset
