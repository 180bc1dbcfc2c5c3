// What is known of the N-grams that may be repeated, since their samples are. Blocks are counted: most
// samples have blocks of one kind only, and then what is true of the block is true of all N-grams in it.
// Where a sample has several kinds of blocks, the N-grams of each kind are counted, once for all its places.
//
// N-grams of the first place of every kind wait in a temporary file, until all blocks are counted. All is
// divided by samples. Where the tables would take more memory than they may, the upper half of the parts is
// given up: these are counted in another round.
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "gram_samples.hpp"
#include "gram_scan.hpp"
#include "gram_table.hpp"
#include "parallel.hpp"
#include "spill.hpp"
#include "stop.hpp"

namespace twinset {

// A block whose sample is repeated.
struct Candidate {
    GramBlock block;
    GramKey key;
    GramSamples::Slot* sample;
};

class GramCounts {
  public:
    static constexpr size_t kParts = GramSamples::kParts;

    // Counts the parts from `first` on.
    GramCounts(GramSamples& samples, size_t first, uint64_t most_bytes, std::string folder)
        : samples_(samples),
          first_(first),
          end_(kParts),
          most_(most_bytes / sizeof(GramTable::Entry)),
          file_(std::move(folder)) {
        samples.forget_kinds();
        for (size_t p = first_; p < end_; ++p) {
            // nearly every sample has a kind of block
            parts_[p].blocks.reserve(samples.repeated(p));
            if ((slots_ += parts_[p].blocks.slots()) > most_) give_up();
        }
    }

    GramSamples& samples() const { return samples_; }
    size_t end() const { return end_; }  // of the parts that were counted
    bool holds(uint64_t sample) const {
        size_t part = GramSamples::part(sample);
        return part >= first_ && part < end_;
    }

    // Counts blocks that the scanner has just found. Any number of threads may count at a time.
    void add(std::vector<Candidate>& found, const GramScanner& scanner) {
        auto part_of = [](const Candidate& one) { return GramSamples::part(one.block.sample); };
        std::array<uint32_t, kParts + 1> begins{};
        for (const Candidate& one : found) ++begins[part_of(one) + 1];
        for (size_t p = 0; p < kParts; ++p) begins[p + 1] += begins[p];
        std::array<uint32_t, kParts + 1> next = begins;
        std::vector<uint32_t> order(found.size());
        for (uint32_t i = 0; i < found.size(); ++i) order[next[part_of(found[i])]++] = i;
        for (size_t p = first_; p < end_; ++p) {
            if (begins[p] == begins[p + 1]) continue;
            Part& part = parts_[p];
            std::lock_guard<std::mutex> lock(part.guard);
            if (p >= end_) break;
            for (uint32_t i = begins[p]; i < begins[p + 1]; ++i) part.blocks.fetch(found[order[i]].key);
            size_t before = part.blocks.slots();
            for (uint32_t i = begins[p]; i < begins[p + 1]; ++i) {
                const Candidate& one = found[order[i]];
                uint64_t follows = scanner.next(one.block.end - 1);
                if (!part.blocks.add(one.key, 1, follows)) continue;
                one.sample->add_kind();
                wait(part, one, follows, scanner);
            }
            slots_ += part.blocks.slots() - before;
        }
        if (slots_ > most_) give_up();
    }

    // After the last block: finds out what is true of the N-grams.
    void finish(int threads) {
        parallel_blocks(kParts - first_, 1, threads, [&](size_t begin, size_t, int) {
            size_t p = first_ + begin;
            {
                std::lock_guard<std::mutex> lock(parts_[p].guard);
                if (p >= end_) return;
                settle(parts_[p]);
            }
            if (slots_ > most_) give_up();
        });
        finished_ = true;
    }
    bool finished() const { return finished_; }

    // Where what is known of a block may be fetched before it is asked for.
    void fetch(const GramBlock& block, const GramKey& key) const { part_of(block.sample).blocks.fetch(key); }

    // Calls whole(facts of its last N-gram), if they are true of all but for what follows them, or
    // each(packed facts) with those of all its N-grams, or none() where the block was not counted.
    template <class Whole, class Each, class None>
    void tell(const GramBlock& block, const GramKey& key, Whole&& whole, Each&& each, None&& none) const {
        const Part& part = part_of(block.sample);
        const GramTable::Entry* entry = part.blocks.find(key);
        if (!entry) none();
        else if (entry->nexts < kSeveral) whole(GramFacts{entry->count, entry->nexts != 0});
        else each(part.facts.data() + (entry->nexts - kSeveral));
    }

  private:
    static constexpr size_t kChunk = size_t{1} << 17;
    // After all was counted `nexts` of a block says whether the same always follows the last of its N-grams,
    // or, from here on, where the facts on all of them are.
    static constexpr uint64_t kSeveral = 2;

    struct Chunk {
        uint64_t at;
        size_t bytes;
    };
    struct Part {
        std::mutex guard;
        GramTable blocks;
        std::vector<uint32_t> facts;  // of N-grams, packed
        std::vector<uint8_t> waiting;
        std::vector<Chunk> chunks;  // those in the file
    };
    // A kind of block as it waits, and its N-grams behind it.
    struct WaitingGram {
        uint32_t low, high, check;
        explicit WaitingGram(const GramKey& gram)
            : low(static_cast<uint32_t>(gram.key)),
              high(static_cast<uint32_t>(gram.key >> 32)),
              check(gram.check) {}
        GramKey key() const { return {uint64_t{high} << 32 | low, check}; }
    };
    struct WaitingBlock {
        uint64_t sample, next;
        WaitingGram key;
        uint32_t size;
    };

    void wait(Part& part, const Candidate& one, uint64_t next, const GramScanner& scanner) {
        size_t size = one.block.end - one.block.begin, before = part.waiting.size();
        part.waiting.resize(before + sizeof(WaitingBlock) + size * sizeof(WaitingGram));
        uint8_t* to = part.waiting.data() + before;
        WaitingBlock head{one.block.sample, next, WaitingGram(one.key), static_cast<uint32_t>(size)};
        std::memcpy(to, &head, sizeof head);
        to += sizeof head;
        for (size_t start = one.block.begin; start < one.block.end; ++start, to += sizeof(WaitingGram)) {
            WaitingGram gram(scanner.key(start));
            std::memcpy(to, &gram, sizeof gram);
        }
        if (part.waiting.size() >= kChunk) {
            uint64_t at = file_.append(part.waiting.data(), part.waiting.size());
            part.chunks.push_back({at, part.waiting.size()});
            part.waiting.clear();
        }
    }

    // Calls take(head, its N-grams) for what waits in a part.
    template <class Take>
    void each_waiting(const Part& part, Take&& take) const {
        std::vector<uint8_t> read;
        std::vector<GramKey> grams;
        for (size_t number = 0; number <= part.chunks.size(); ++number) {
            stop_point();
            bool last = number == part.chunks.size();
            if (!last) {
                read.resize(part.chunks[number].bytes);
                file_.read(part.chunks[number].at, read.data(), read.size());
            }
            const std::vector<uint8_t>& bytes = last ? part.waiting : read;
            for (const uint8_t *from = bytes.data(), *end = from + bytes.size(); from < end;) {
                WaitingBlock head{0, 0, WaitingGram({}), 0};
                std::memcpy(&head, from, sizeof head);
                from += sizeof head;
                grams.clear();
                for (size_t i = 0; i < head.size; ++i, from += sizeof(WaitingGram)) {
                    WaitingGram gram({});
                    std::memcpy(&gram, from, sizeof gram);
                    grams.push_back(gram.key());
                }
                take(head, grams);
            }
        }
    }

    void settle(Part& part) {
        GramTable table;
        each_waiting(part, [&](const WaitingBlock& head, const std::vector<GramKey>& grams) {
            if (samples_.find(head.sample)->kinds() == 1) return;
            const GramTable::Entry& block = *part.blocks.find(head.key.key());
            for (const GramKey& gram : grams) table.fetch(gram);
            for (size_t i = 0; i + 1 < grams.size(); ++i)
                table.add(grams[i], block.count, block.count * GramScanner::following(grams[i + 1].key));
            table.add(grams.back(), block.count, block.nexts);
        });
        each_waiting(part, [&](const WaitingBlock& head, const std::vector<GramKey>& grams) {
            GramTable::Entry& block = *part.blocks.find(head.key.key());
            if (samples_.find(head.sample)->kinds() == 1) {
                block.nexts = block.facts(head.next).one_next;
                return;
            }
            block.nexts = kSeveral + part.facts.size();
            for (const GramKey& gram : grams) table.fetch(gram);
            for (size_t i = 0; i < grams.size(); ++i) {
                uint64_t next = i + 1 < grams.size() ? GramScanner::following(grams[i + 1].key) : head.next;
                part.facts.push_back(table.find(grams[i])->facts(next).packed());
            }
        });
        part.facts.shrink_to_fit();
        slots_ += slots_of(part.facts);
        std::vector<uint8_t>().swap(part.waiting);
    }
    static size_t slots_of(const std::vector<uint32_t>& facts) {
        return facts.size() * sizeof(uint32_t) / sizeof(GramTable::Entry);
    }
    const Part& part_of(uint64_t sample) const { return parts_[GramSamples::part(sample)]; }

    void give_up() {
        std::lock_guard<std::mutex> lock(giving_up_);
        while (slots_ > most_ && end_ - first_ > 1) {
            size_t end = end_, half = first_ + (end - first_) / 2;
            end_ = half;
            for (size_t p = half; p < end; ++p) {
                Part& part = parts_[p];
                std::lock_guard<std::mutex> own(part.guard);
                slots_ -= part.blocks.slots() + slots_of(part.facts);
                part.blocks.clear();
                std::vector<uint32_t>().swap(part.facts);
                std::vector<uint8_t>().swap(part.waiting);
                part.chunks.clear();
            }
        }
    }

    GramSamples& samples_;
    size_t first_;
    std::atomic<size_t> end_;
    uint64_t most_;
    SpillFile file_;
    std::atomic<uint64_t> slots_{0};
    bool finished_ = false;
    std::mutex giving_up_;
    std::array<Part, kParts> parts_;
};

}  // namespace twinset
