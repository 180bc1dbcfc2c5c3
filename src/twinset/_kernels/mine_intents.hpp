// Intents of concepts, sets of lines, in two forms: bitmaps for dense data, lists for sparse data.
//
// An object is chosen, and meets are those of its own lines with the intents of concepts.
#pragma once
#include "mine_bits.hpp"
#include "mine_lines.hpp"

namespace twinset::mine {

// Whether bitmaps of the lines are smaller than lists of them.
inline bool is_dense(const Database& data) {
    int64_t lines = std::accumulate(data.weights.begin(), data.weights.end(), int64_t{0});
    int64_t entries = std::accumulate(data.supports.begin(), data.supports.end(), int64_t{0});
    return entries >= lines * data.ranks() / 32;
}

// A line of a certain weight is that many bits.
class DenseIntents {
  public:
    explicit DenseIntents(const Database& data) : data_(data), lines_(data) {
        for (int32_t weight : data.weights) first_bit_.push_back(first_bit_.back() + weight);
        words_ = words_for(first_bit_.back());
        chosen_.resize(words_);
    }

    int32_t size(int32_t at) const { return sizes_[at]; }
    int32_t chosen_size() const { return chosen_size_; }

    int32_t add_all() {
        maps_.resize(words_);
        for (int64_t bit = 0; bit < first_bit_.back(); ++bit) set_bit(maps_.data(), bit);
        sizes_.push_back(static_cast<int32_t>(first_bit_.back()));
        return 0;
    }

    void choose(int32_t object) {
        std::fill(chosen_.begin(), chosen_.end(), 0);
        for (int32_t line : lines_[object])
            for (int64_t bit = first_bit_[line]; bit < first_bit_[line + 1]; ++bit)
                set_bit(chosen_.data(), bit);
        chosen_size_ = data_.supports[object];
        ++object_;
    }

    int32_t meet(int32_t at) {
        meets_.resize(sizes_.size());
        auto& [object, size] = meets_[at];
        if (object != object_) {
            scratch_.resize(words_);
            size = intersect(chosen_.data(), map(at), scratch_.data(), words_);
            object = object_;
        }
        return size;
    }

    // A concept whose intent is the meet with this one; with a size of 0, nothing.
    int32_t add_meet(int32_t at, int32_t size) {
        maps_.resize(maps_.size() + words_, 0);
        uint64_t* map = maps_.data() + maps_.size() - words_;
        if (size > 0)
            for (size_t w = 0; w < words_; ++w) map[w] = chosen_[w] & maps_[at * words_ + w];
        sizes_.push_back(size);
        return static_cast<int32_t>(sizes_.size()) - 1;
    }

    bool inside(int32_t a, int32_t b) const {
        if (a == b || sizes_[a] == 0) return true;
        return sizes_[a] < sizes_[b] && mine::inside(map(a), map(b), words_);
    }

  private:
    const uint64_t* map(int32_t at) const { return maps_.data() + at * words_; }

    const Database& data_;
    LinesOf lines_;
    std::vector<int64_t> first_bit_{0};
    size_t words_;
    std::vector<uint64_t> maps_, chosen_, scratch_;
    std::vector<int32_t> sizes_;
    std::vector<std::pair<int32_t, int32_t>> meets_;  // of which object, and their size
    int32_t chosen_size_ = 0, object_ = 0;
};

// Lists of lines, and for each line the concepts that hold it: choosing an object counts all meets
// that are not empty. The concept of all lines is not among them.
class SparseIntents {
  public:
    explicit SparseIntents(const Database& data)
        : data_(data), lines_(data), holders_(data.lines()), marked_(data.lines()) {}

    int32_t size(int32_t at) const { return sizes_[at]; }
    int32_t chosen_size() const { return data_.supports[object_]; }

    int32_t add_all() {
        int64_t all = std::accumulate(data_.weights.begin(), data_.weights.end(), int64_t{0});
        sizes_.push_back(static_cast<int32_t>(all));
        meets_.push_back({-1, 0});
        return 0;
    }

    void choose(int32_t object) {
        if (object_ >= 0)
            for (int32_t line : lines_[object_]) marked_[line] = false;
        object_ = object;
        for (int32_t line : lines_[object]) {
            for (int32_t at : holders_[line]) {
                auto& [of, size] = meets_[at];
                if (std::exchange(of, object) != object) size = 0;
                size += data_.weights[line];
            }
            pace_(holders_[line].size() + 1);
        }
        for (int32_t line : lines_[object]) marked_[line] = true;
    }

    int32_t meet(int32_t at) const { return meets_[at].first == object_ ? meets_[at].second : 0; }

    int32_t add_meet(int32_t at, int32_t size) {
        auto number = static_cast<int32_t>(sizes_.size());
        sizes_.push_back(size);
        meets_.push_back({object_, size});
        if (size > 0 && at == 0) {
            items_.insert(items_.end(), lines_[object_].begin(), lines_[object_].end());
        } else if (size > 0) {
            for (int64_t i = offsets_[at]; i < offsets_[at + 1]; ++i)
                if (marked_[items_[i]]) items_.push_back(items_[i]);
        }
        for (size_t i = offsets_.back(); i < items_.size(); ++i) holders_[items_[i]].push_back(number);
        offsets_.push_back(static_cast<int64_t>(items_.size()));
        return number;
    }

    bool inside(int32_t a, int32_t b) const {
        if (a == b || sizes_[a] == 0) return true;
        return sizes_[a] < sizes_[b] && std::ranges::includes(lines_at(b), lines_at(a));
    }

  private:
    std::span<const int32_t> lines_at(int32_t at) const {
        return std::span(items_).subspan(offsets_[at], offsets_[at + 1] - offsets_[at]);
    }

    const Database& data_;
    LinesOf lines_;
    std::vector<std::vector<int32_t>> holders_;
    std::vector<int32_t> sizes_;
    std::vector<std::pair<int32_t, int32_t>> meets_;
    std::vector<int64_t> offsets_{0, 0};
    std::vector<int32_t> items_;
    std::vector<uint8_t> marked_;
    int32_t object_ = -1;
    Pace pace_;
};

}  // namespace twinset::mine
