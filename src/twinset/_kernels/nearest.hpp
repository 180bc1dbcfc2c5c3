// The nearest neighbours of every document, counted over an inverted table: the lists of a document's
// terms are walked through and added up, and the best sums are kept. Sums are of whole numbers and
// ties go to the lower number, so that threads and machines do not show.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "parallel.hpp"

namespace twinset {

class NearestTable {
  public:
    struct Neighbour {
        double score;
        uint32_t sum, document;
        bool operator<(const Neighbour& other) const {
            if (score != other.score) return score > other.score;
            if (sum != other.sum) return sum > other.sum;
            return document < other.document;
        }
    };
    // The first `least` neighbours, then those whose score reaches `above`, up to `most`.
    struct Wanted {
        size_t least, most;
        double above;
    };

    // Document i has the entries [offsets[i], offsets[i+1]): distinct terms and their weights. The
    // score of a pair is its sum of products, divided by the lesser of the two `sizes` if these are given.
    NearestTable(std::span<const uint32_t> terms, std::span<const uint16_t> weights,
                 std::span<const int64_t> offsets, std::span<const int64_t> sizes, size_t dimensions)
        : terms_(terms),
          weights_(weights),
          offsets_(offsets),
          sizes_(sizes),
          count_(offsets.size() - 1),
          lists_(dimensions + 1, 0),
          documents_(static_cast<size_t>(offsets.back() - offsets[0])),
          in_list_(documents_.size()) {
        Pace pace;
        for (int64_t e = offsets[0]; e < offsets.back(); ++e, pace()) ++lists_[terms[e] + 1];
        for (size_t t = 1; t < lists_.size(); ++t) lists_[t] += lists_[t - 1];
        std::vector<int64_t> next(lists_.begin(), lists_.end() - 1);
        for (size_t d = 0; d < count_; ++d)
            for (int64_t e = offsets[d]; e < offsets[d + 1]; ++e, pace()) {
                size_t place = static_cast<size_t>(next[terms[e]]++);
                documents_[place] = static_cast<uint32_t>(d);
                in_list_[place] = weights[e];
            }
    }

    // For each document its neighbours, best first.
    std::vector<std::vector<Neighbour>> neighbours(const Wanted& wanted, int threads) const {
        std::vector<std::vector<Neighbour>> lists(count_);
        std::vector<Room> rooms(static_cast<size_t>(std::max(threads, 1)));
        parallel_blocks(count_, kBlock, threads, [&](size_t begin, size_t end, int worker) {
            Room& room = rooms[static_cast<size_t>(worker)];
            room.sums.resize(count_);
            for (size_t d = begin; d < end; ++d) {
                add_up(d, room.sums);
                choose(d, wanted, room);
                lists[d].assign(room.best.begin(), room.best.end());
            }
        });
        return lists;
    }

  private:
    static constexpr size_t kBlock = 8;

    struct Room {
        std::vector<uint32_t> sums;
        std::vector<Neighbour> best;
    };

    void add_up(size_t d, std::vector<uint32_t>& sums) const {
        Pace pace;
        uint32_t* to = sums.data();
        for (int64_t e = offsets_[d]; e < offsets_[d + 1]; ++e) {
            size_t begin = static_cast<size_t>(lists_[terms_[e]]),
                   end = static_cast<size_t>(lists_[terms_[e] + 1]);
            uint32_t weight = weights_[e];
            pace(end - begin);
            for (size_t p = begin; p < end; ++p) to[documents_[p]] += weight * in_list_[p];
        }
        to[d] = 0;
    }

    // Leaves the wanted neighbours in `best` and zeros in the sums.
    void choose(size_t d, const Wanted& wanted, Room& room) const {
        std::vector<Neighbour>& best = room.best;
        best.clear();
        size_t full = std::max<size_t>(4 * wanted.most, 1024);
        double cut = 0;  // what more than enough neighbours reach
        for (size_t other = 0; other < count_; ++other) {
            uint32_t sum = room.sums[other];
            if (!sum) continue;
            room.sums[other] = 0;
            double score =
                sizes_.empty() ? sum : sum / static_cast<double>(std::min(sizes_[d], sizes_[other]));
            if (score < cut) continue;
            best.push_back({score, sum, static_cast<uint32_t>(other)});
            if (best.size() == full) cut = keep_best(best, wanted.most);
        }
        keep_best(best, wanted.most);
        std::sort(best.begin(), best.end());
        size_t kept = std::min(best.size(), wanted.least);
        while (kept < best.size() && best[kept].score >= wanted.above) ++kept;
        best.resize(kept);
    }

    static double keep_best(std::vector<Neighbour>& best, size_t most) {
        if (best.size() <= most) return 0;
        std::nth_element(best.begin(), best.begin() + static_cast<ptrdiff_t>(most), best.end());
        best.resize(most);
        return std::max_element(best.begin(), best.end())->score;  // the last in order
    }

    std::span<const uint32_t> terms_;
    std::span<const uint16_t> weights_;
    std::span<const int64_t> offsets_, sizes_;
    size_t count_;
    std::vector<int64_t> lists_;
    std::vector<uint32_t> documents_;  // of each list, ascending
    std::vector<uint16_t> in_list_;    // their weights
};

}  // namespace twinset
