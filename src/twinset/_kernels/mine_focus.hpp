// The maximal sets known so far, and the few of them that matter to one part of the search.
//
// Progressive focusing (K. Gouda, M. J. Zaki, "Efficiently mining maximal frequent itemsets", ICDM
// 2001), which AFOPT and MAFIA both use. A search goes through the items in order and below each
// meets only later ones, its tail. When it enters an item, the known sets that hold the item are
// taken over as bitmaps of the tail. Deeper down, a list names those that hold the whole head; the
// head is part of a known set if the list is not empty.
#pragma once
#include "mine_bits.hpp"
#include "mine_types.hpp"

namespace twinset::mine {

class Focus {
  public:
    using List = std::vector<uint32_t>;

    explicit Focus(int32_t ranks) : holders_(ranks), local_(ranks, -1) {}

    // Enters an item whose tail are these ranks; from here on, an item of the tail goes by its place.
    void enter(int32_t rank, std::span<const int32_t> tail, List& list) {
        leave();
        rank_ = rank;
        tail_.assign(tail.begin(), tail.end());
        words_ = words_for(tail_.size());
        for (size_t place = 0; place < tail_.size(); ++place)
            local_[tail_[place]] = static_cast<int32_t>(place);
        maps_.clear();
        list.clear();
        for (uint32_t set : holders_[rank]) {
            uint64_t* map = new_map();
            for (int64_t i = sets_.offsets[set + 1]; i-- > sets_.offsets[set] && sets_.items[i] > rank;) {
                int32_t place = local_[sets_.items[i]];
                if (place >= 0) set_bit(map, place);
                pace_();
            }
            list.push_back(size() - 1);
        }
    }

    size_t words() const { return words_; }
    uint32_t size() const { return static_cast<uint32_t>(words_ ? maps_.size() / words_ : empty_maps_); }

    // The sets of `from` that hold these places as well.
    void narrow(const List& from, std::span<const int32_t> places, List& into) {
        into.clear();
        for (uint32_t set : from) {
            const uint64_t* map = maps_.data() + set * words_;
            bool holds = true;
            for (int32_t place : places) holds = holds && has_bit(map, place);
            if (holds) into.push_back(set);
        }
        pace_(from.size());
    }

    // Whether a set of the list holds all these places.
    bool holds(const List& list, std::span<const int32_t> places) {
        if (list.empty()) return false;
        wanted_.assign(words_, 0);
        for (int32_t place : places) set_bit(wanted_.data(), place);
        pace_(list.size() * words_);
        return std::ranges::any_of(
            list, [&](uint32_t set) { return inside(wanted_.data(), maps_.data() + set * words_, words_); });
    }

    // Takes in a maximal set: the item entered and these places of its tail.
    void add(std::span<const int32_t> places, std::span<const int32_t> more, int32_t support) {
        uint64_t* map = new_map();
        auto number = static_cast<uint32_t>(sets_.size());
        size_t begin = sets_.items.size();
        sets_.items.push_back(rank_);
        for (auto part : {places, more})
            for (int32_t place : part) {
                set_bit(map, place);
                sets_.items.push_back(tail_[place]);
            }
        std::sort(sets_.items.begin() + begin, sets_.items.end());
        for (size_t i = begin + 1; i < sets_.items.size(); ++i) holders_[sets_.items[i]].push_back(number);
        sets_.close(support);
    }

    // Appends the sets that came in since there were so many.
    void take_over(uint32_t before, List& list) const {
        for (uint32_t set = before; set < size(); ++set) list.push_back(set);
    }

    // The sets with the items' own numbers.
    MinedSets finish(const std::vector<int32_t>& item_of, uint64_t steps) {
        for (int32_t& item : sets_.items) item = item_of[item];
        sets_.steps = steps;
        return std::move(sets_);
    }

  private:
    void leave() {
        for (int32_t rank : tail_) local_[rank] = -1;
        empty_maps_ = 0;
    }

    uint64_t* new_map() {
        if (!words_) ++empty_maps_;
        maps_.resize(maps_.size() + words_, 0);
        return maps_.data() + maps_.size() - words_;
    }

    MinedSets sets_;
    std::vector<std::vector<uint32_t>> holders_;  // rank -> the sets that hold it
    int32_t rank_ = -1;
    std::vector<int32_t> tail_;
    std::vector<int32_t> local_;  // rank -> place in the tail
    size_t words_ = 0;
    uint32_t empty_maps_ = 0;  // maps where the tail has no item
    std::vector<uint64_t> maps_, wanted_;
    Pace pace_;
};

}  // namespace twinset::mine
