// Charikar's SimHash, 64 bits, and all pairs of fingerprints within a Hamming distance.
//
// Manku, Jain, Das Sarma (WWW 2007): cut the 64 bits into `blocks` blocks; two fingerprints within
// `distance` bits agree in at least blocks - distance of them. For every choice of that many blocks
// the fingerprints are sorted by the chosen bits, and runs of equal ones are compared. A pair is
// written for the first choice of blocks it agrees in only, so each comes once.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "parallel.hpp"

namespace twinset {

// Every feature votes on every bit with its weight; a bit is set where more votes are for it.
inline uint64_t simhash(std::span<const uint64_t> features, std::span<const int32_t> weights) {
    int64_t votes[64] = {};
    int64_t total = 0;
    for (size_t i = 0; i < features.size(); ++i) {
        int64_t weight = weights.empty() ? 1 : weights[i];
        total += weight;
        for (int bit = 0; bit < 64; ++bit)
            votes[bit] += weight * static_cast<int64_t>(features[i] >> bit & 1);
    }
    uint64_t fingerprint = 0;
    for (int bit = 0; bit < 64; ++bit) fingerprint |= static_cast<uint64_t>(2 * votes[bit] > total) << bit;
    return fingerprint;
}

struct NearPair {
    uint32_t left, right;
    uint32_t distance;
    bool operator<(const NearPair& o) const { return left != o.left ? left < o.left : right < o.right; }
};

class HammingTables {
  public:
    HammingTables(std::span<const uint64_t> fingerprints, int distance)
        : prints_(fingerprints), distance_(distance) {
        blocks_ = best_cut();
        for (int b = 0; b < blocks_; ++b) masks_.push_back(bits_of(b));
    }

    int blocks() const { return blocks_; }

    std::vector<NearPair> pairs(int threads) const {
        std::vector<uint32_t> choices = all_choices();
        std::vector<std::vector<NearPair>> found(choices.size());
        parallel_blocks(choices.size(), 1, threads,
                        [&](size_t c, size_t, int) { table(choices[c], found[c]); });
        std::vector<NearPair> all;
        for (auto& part : found) all.insert(all.end(), part.begin(), part.end());
        stoppable_sort(all.begin(), all.end());
        return all;
    }

  private:
    struct Row {
        uint64_t key;
        uint32_t document;
    };

    // The number of blocks with the least expected work: sorting tables and comparing inside runs.
    int best_cut() const {
        int best = distance_ + 1;
        double least = -1;
        for (int blocks = distance_ + 1; blocks <= std::min(distance_ + 5, 64); ++blocks) {
            double tables = 1;
            for (int i = 0; i < distance_; ++i) tables *= static_cast<double>(blocks - i) / (i + 1);
            double n = static_cast<double>(prints_.size());
            double run =
                n / static_cast<double>(uint64_t{1} << std::min(62, 64 * (blocks - distance_) / blocks));
            double work = tables * n * (20 + run);
            if (least < 0 || work < least) least = work, best = blocks;
        }
        return best;
    }

    uint64_t bits_of(int block) const {
        int from = 64 * block / blocks_, to = 64 * (block + 1) / blocks_;
        uint64_t upto = to == 64 ? ~0ull : (1ull << to) - 1;
        return upto & ~((1ull << from) - 1);
    }

    // All choices of blocks - distance blocks, as bit sets.
    std::vector<uint32_t> all_choices() const {
        std::vector<uint32_t> choices;
        for (uint32_t choice = 0; choice < 1u << blocks_; ++choice)
            if (std::popcount(choice) == blocks_ - distance_) choices.push_back(choice);
        return choices;
    }

    void table(uint32_t choice, std::vector<NearPair>& found) const {
        uint64_t mask = 0;
        for (int b = 0; b < blocks_; ++b)
            if (choice >> b & 1) mask |= masks_[static_cast<size_t>(b)];
        std::vector<Row> rows(prints_.size());
        for (size_t i = 0; i < prints_.size(); ++i) rows[i] = {prints_[i] & mask, static_cast<uint32_t>(i)};
        stoppable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
            return a.key != b.key ? a.key < b.key : a.document < b.document;
        });
        Pace pace;
        for (size_t i = 0; i < rows.size(); ++i)
            for (size_t j = i + 1; j < rows.size() && rows[j].key == rows[i].key; ++j) {
                pace();
                uint64_t differ = prints_[rows[i].document] ^ prints_[rows[j].document];
                if (std::popcount(differ) <= distance_ && first_choice(differ) == choice)
                    found.push_back(
                        {rows[i].document, rows[j].document, static_cast<uint32_t>(std::popcount(differ))});
            }
    }

    // The lowest blocks, as many as a choice has, that do not differ.
    uint32_t first_choice(uint64_t differ) const {
        uint32_t choice = 0;
        int wanted = blocks_ - distance_;
        for (int b = 0; wanted && b < blocks_; ++b)
            if (!(differ & masks_[static_cast<size_t>(b)])) choice |= 1u << b, --wanted;
        return choice;
    }

    std::span<const uint64_t> prints_;
    int distance_, blocks_;
    std::vector<uint64_t> masks_;
};

}  // namespace twinset
