// The nearest neighbours of every document, counted over an inverted table: the lists of a document's
// terms are walked through and added up, and the best sums are kept. A sum belongs to both documents,
// so each document is held against those after it alone. Sums are of whole numbers and ties go to the
// lower number, so that threads and machines do not show.
#pragma once
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "large_pages.hpp"
#include "parallel.hpp"

namespace twinset {

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
struct WantedNeighbours {
    size_t least, most;
    double above;

    size_t count(const std::vector<Neighbour>& sorted) const {
        size_t kept = std::min(sorted.size(), least), end = std::min(sorted.size(), most);
        while (kept < end && sorted[kept].score >= above) ++kept;
        return kept;
    }
};

// The best neighbours of all documents, offered in any order by any thread.
class BestNeighbours {
  public:
    BestNeighbours(size_t documents, const WantedNeighbours& wanted)
        : wanted_(wanted), lists_(documents), cuts_(documents), locks_(kLocks) {}

    // A cut only rises: one read a moment too early lets through what is sorted out later.
    void offer(size_t document, const Neighbour& neighbour) {
        if (neighbour.score < cuts_[document].load(std::memory_order_relaxed)) return;
        std::lock_guard<std::mutex> lock(locks_[document % kLocks]);
        std::vector<Neighbour>& list = lists_[document];
        list.push_back(neighbour);
        if (list.size() == list.capacity() && list.size() >= 3 * wanted_.least) prune(document);
    }

    // The neighbours of a document, best first, when all were offered.
    const std::vector<Neighbour>& sorted(size_t document) {
        std::vector<Neighbour>& list = lists_[document];
        std::sort(list.begin(), list.end());
        list.resize(wanted_.count(list));
        return list;
    }

  private:
    static constexpr size_t kLocks = 1024;

    // Leaves what is wanted of those there are, and notes what a further one has to reach.
    void prune(size_t document) {
        std::vector<Neighbour>& list = lists_[document];
        if (wanted_.most == wanted_.least && list.size() > wanted_.least) {  // in any order
            auto last = list.begin() + static_cast<ptrdiff_t>(wanted_.least) - 1;
            std::nth_element(list.begin(), last, list.end());
            list.resize(wanted_.least);
        } else {
            std::sort(list.begin(), list.end());
            list.resize(wanted_.count(list));
        }
        double last = list.back().score;
        bool full = list.size() == wanted_.most || last < wanted_.above;
        double cut = full ? last : wanted_.above;
        auto near = static_cast<float>(cut);
        if (near > cut) near = std::nextafter(near, 0.0f);
        cuts_[document].store(near, std::memory_order_relaxed);
        if (2 * list.size() > list.capacity()) list.reserve(2 * list.capacity());
    }

    WantedNeighbours wanted_;
    std::vector<std::vector<Neighbour>> lists_;
    std::vector<std::atomic<float>> cuts_;  // not above what is meant: they are looked up in no order
    std::vector<std::mutex> locks_;
};

class NearestTable {
  public:
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
          in_list_(documents_.size()),
          after_(documents_.size()) {
        Pace pace;
        for (int64_t e = offsets[0]; e < offsets.back(); ++e, pace()) ++lists_[terms[e] + 1];
        for (size_t t = 1; t < lists_.size(); ++t) lists_[t] += lists_[t - 1];
        std::vector<int64_t> next(lists_.begin(), lists_.end() - 1);
        for (size_t d = 0; d < count_; ++d)
            for (int64_t e = offsets[d]; e < offsets[d + 1]; ++e, pace()) {
                size_t place = static_cast<size_t>(next[terms[e]]++);
                documents_[place] = static_cast<uint32_t>(d);
                in_list_[place] = weights[e];
                after_[static_cast<size_t>(e - offsets[0])] =
                    static_cast<uint32_t>(next[terms[e]] - lists_[terms[e]]);
            }
    }

    // For each document its neighbours, best first.
    BestNeighbours neighbours(const WantedNeighbours& wanted, int threads) const {
        BestNeighbours best(count_, wanted);
        std::vector<Room> rooms(static_cast<size_t>(std::max(threads, 1)));
        parallel_blocks(count_, kBlock, threads, [&](size_t begin, size_t end, int worker) {
            Room& room = rooms[static_cast<size_t>(worker)];
            room.sums.resize(count_);
            for (size_t d = begin; d < end; ++d) {
                if (steps(d) < (count_ - d) / kSparse) {
                    add_few(d, room);
                    for (size_t i = 0; i < room.count; ++i) offer(d, room.met[i], room.sums.data(), best);
                } else {
                    add_up(d, room.sums.data());
                    for (size_t other = d + 1; other < count_; ++other)
                        offer(d, other, room.sums.data(), best);
                }
            }
        });
        return best;
    }

  private:
    static constexpr size_t kBlock = 8;
    static constexpr size_t kSparse = 4;  // of as many documents one is met: those met are noted

    struct Room {
        std::vector<uint32_t> sums;
        std::vector<uint32_t> met;  // the documents whose sum is not zero, so many of them
        size_t count = 0;
    };

    // What of the list of an entry comes after its document.
    std::pair<size_t, size_t> rest(int64_t e) const {
        return {static_cast<size_t>(lists_[terms_[e]]) + after_[static_cast<size_t>(e - offsets_[0])],
                static_cast<size_t>(lists_[terms_[e] + 1])};
    }

    size_t steps(size_t d) const {
        size_t all = 0;
        for (int64_t e = offsets_[d]; e < offsets_[d + 1]; ++e) {
            auto [begin, end] = rest(e);
            all += end - begin;
        }
        return all;
    }

    void add_up(size_t d, uint32_t* sums) const {
        Pace pace;
        for (int64_t e = offsets_[d]; e < offsets_[d + 1]; ++e) {
            auto [begin, end] = rest(e);
            uint32_t weight = weights_[e];
            pace(end - begin + 1);
            for (size_t p = begin; p < end; ++p) sums[documents_[p]] += weight * in_list_[p];
        }
    }

    void add_few(size_t d, Room& room) const {
        if (room.met.size() < count_) room.met.resize(count_);  // steps are fewer
        uint32_t* met = room.met.data();
        uint32_t* sums = room.sums.data();
        size_t count = 0;
        for (int64_t e = offsets_[d]; e < offsets_[d + 1]; ++e) {
            auto [begin, end] = rest(e);
            uint32_t weight = weights_[e];
            for (size_t p = begin; p < end; ++p) {
                uint32_t& sum = sums[documents_[p]];
                met[count] = documents_[p];
                count += sum == 0;
                sum += weight * in_list_[p];
            }
        }
        room.count = count;
        stop_point();
    }

    // Leaves a zero in the sums. A weight may be zero: then the document is met again, and offered once.
    void offer(size_t d, size_t other, uint32_t* sums, BestNeighbours& best) const {
        uint32_t sum = sums[other];
        if (!sum) return;
        sums[other] = 0;
        double score = sizes_.empty() ? sum : sum / static_cast<double>(std::min(sizes_[d], sizes_[other]));
        best.offer(d, {score, sum, static_cast<uint32_t>(other)});
        best.offer(other, {score, sum, static_cast<uint32_t>(d)});
    }

    std::span<const uint32_t> terms_;
    std::span<const uint16_t> weights_;
    std::span<const int64_t> offsets_, sizes_;
    size_t count_;
    LargeVector<int64_t> lists_;
    LargeVector<uint32_t> documents_;  // of each list, ascending
    LargeVector<uint16_t> in_list_;    // their weights
    LargeVector<uint32_t> after_;      // of each entry: how many of its list come up to it
};

}  // namespace twinset
