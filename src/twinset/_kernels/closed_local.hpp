// One component, renumbered: its classes 0..count-1 and who is similar to whom, by what they lose.
//
// For a seed a and a similar class d, the mask of d says which elements of a it lacks. A set with a
// in it shares the elements of a outside the union of its masks.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "closed_types.hpp"
#include "stop.hpp"

namespace twinset::closed {

// The classes similar to a seed with their masks, `words` words each. Only elements that some
// neighbour lacks have a bit. may_lose: how much a set with that class may lose of the seed.
struct Neighbours {
    uint32_t seed = 0;
    int size = 0;  // elements of the seed
    size_t words = 1;
    std::vector<uint32_t> members;
    std::vector<int> may_lose;
    std::vector<uint64_t> masks;

    const uint64_t* mask(size_t i) const { return masks.data() + i * words; }
};

class Local {
  public:
    // Takes the classes in ascending order.
    void load(const Classes& all, const uint32_t* begin, const uint32_t* end) {
        classes_.assign(begin, end);
        least_.resize(count());
        size_.resize(count());
        rows_ = {};
        elements_.clear();
        number_.resize(all.elements, kNone);
        for (size_t i = 0; i < count(); ++i) {
            least_[i] = all.least[classes_[i]];
            size_[i] = static_cast<int>(all.rows.size(classes_[i]));
            add_row(all.rows.begin(classes_[i]), all.rows.end(classes_[i]));
        }
        for (uint32_t e : elements_) number_[e] = kNone;
        make_holders();
        choose();
        known_ = {};
        lacking_.assign(words_, 0);
        hits_.assign(count(), 0);
    }

    size_t count() const { return classes_.size(); }
    uint32_t class_of(size_t i) const { return classes_[i]; }
    int least(size_t i) const { return least_[i]; }
    int size(size_t i) const { return size_[i]; }

    // What finding the neighbours of every class once costs, in mask operations.
    int64_t scan_cost() const { return dense_ ? dense_cost() : sparse_cost(); }

    // Finds the neighbours of every class, remembers them while there is room, tells how many.
    std::vector<size_t> degrees() {
        std::vector<size_t> found;
        for (uint32_t i = 0; i < count(); ++i) {
            stop_point();
            find_similar(i);
            found.push_back(similar_.size());
            if (known_.count() != i || known_.items.size() > kMostKnown) continue;
            known_.items.insert(known_.items.end(), similar_.begin(), similar_.end());
            known_.close();
        }
        return found;
    }

    void neighbours(uint32_t seed, Neighbours& found) {
        stop_point();
        if (seed < known_.count()) {
            similar_.assign(known_.begin(seed), known_.end(seed));
            if (dense_) list_used_words(seed);
        } else {
            find_similar(seed);
        }
        found.seed = seed;
        found.size = size_[seed];
        found.members = similar_;
        found.may_lose.clear();
        for (uint32_t d : similar_) found.may_lose.push_back(size_[seed] - std::max(least_[seed], least_[d]));
        dense_ ? dense_masks(seed, found) : sparse_masks(seed, found);
    }

  private:
    static constexpr uint32_t kNone = UINT32_MAX;
    static constexpr size_t kMostKnown = size_t{1} << 22;
    static constexpr int64_t kMostDenseWords = int64_t{1} << 22;

    void add_row(const uint32_t* begin, const uint32_t* end) {
        pace_(static_cast<size_t>(end - begin));
        for (; begin != end; ++begin) {
            if (number_[*begin] == kNone) {
                number_[*begin] = static_cast<uint32_t>(elements_.size());
                elements_.push_back(*begin);
            }
            rows_.items.push_back(number_[*begin]);
        }
        rows_.close();
    }

    void make_holders() {
        holders_.offsets.assign(elements_.size() + 1, 0);
        for (uint32_t e : rows_.items) ++holders_.offsets[e + 1];
        for (size_t e = 0; e < elements_.size(); ++e) holders_.offsets[e + 1] += holders_.offsets[e];
        holders_.items.resize(rows_.items.size());
        std::vector<size_t> next(holders_.offsets.begin(), holders_.offsets.end() - 1);
        for (uint32_t i = 0; i < count(); ++i)
            for (const uint32_t* e = rows_.begin(i); e != rows_.end(i); ++e) holders_.items[next[*e]++] = i;
    }

    int64_t dense_cost() const {
        int64_t n = static_cast<int64_t>(count());
        return n * n * static_cast<int64_t>(words_) / 4 + n;  // four words take the time of one
    }
    int64_t sparse_cost() const {
        int64_t total = 0;
        for (size_t e = 0; e < elements_.size(); ++e) {
            int64_t n = static_cast<int64_t>(holders_.size(e));
            total += 2 * n * n;
        }
        return total;
    }

    // A component of many similar classes is a small matrix of bits; a long chain of classes with
    // many elements is better held as lists.
    void choose() {
        words_ = (elements_.size() + 63) / 64;
        int64_t matrix = static_cast<int64_t>(count() * words_);
        dense_ = matrix <= kMostDenseWords && dense_cost() <= sparse_cost();
        bits_.assign(dense_ ? count() * words_ : 0, 0);
        if (!dense_) return;
        for (size_t i = 0; i < count(); ++i)
            for (const uint32_t* e = rows_.begin(i); e != rows_.end(i); ++e)
                bits_[i * words_ + *e / 64] |= uint64_t{1} << (*e % 64);
    }

    bool enough(uint32_t a, uint32_t d, int shared) const { return shared >= std::max(least_[a], least_[d]); }

    void find_similar(uint32_t seed) {
        similar_.clear();
        if (dense_) return find_similar_dense(seed);
        for (const uint32_t* e = rows_.begin(seed); e != rows_.end(seed); ++e)
            for (const uint32_t* d = holders_.begin(*e); d != holders_.end(*e); ++d) {
                pace_();
                if (hits_[*d]++ == 0) similar_.push_back(*d);
            }
        std::vector<uint32_t> met;
        met.swap(similar_);
        std::sort(met.begin(), met.end());
        for (uint32_t d : met) {
            if (d != seed && enough(seed, d, hits_[d])) similar_.push_back(d);
            hits_[d] = 0;
        }
    }

    void list_used_words(uint32_t seed) {
        used_words_.clear();
        for (uint32_t w = 0; w < words_; ++w)
            if (bits_[seed * words_ + w]) used_words_.push_back(w);
    }

    void find_similar_dense(uint32_t seed) {
        list_used_words(seed);
        const uint64_t* a = bits_.data() + seed * words_;
        int may_lose = size_[seed] - least_[seed];
        for (uint32_t d = 0; d < count(); ++d) {
            pace_(used_words_.size());
            const uint64_t* b = bits_.data() + d * words_;
            int lost = 0;
            for (uint32_t w : used_words_) {
                lost += std::popcount(a[w] & ~b[w]);
                if (lost > may_lose) break;
            }
            if (lost <= may_lose && d != seed && enough(seed, d, size_[seed] - lost)) similar_.push_back(d);
        }
    }

    void dense_masks(uint32_t seed, Neighbours& found) {
        const uint64_t* a = bits_.data() + seed * words_;
        pace_(similar_.size() * used_words_.size());
        for (uint32_t d : similar_)
            for (uint32_t w : used_words_) lacking_[w] |= a[w] & ~bits_[d * words_ + w];
        base_.assign(words_, 0);
        int used = 0;
        for (uint32_t w : used_words_) {
            base_[w] = used;
            used += std::popcount(lacking_[w]);
        }
        open_masks(found, used);
        for (size_t i = 0; i < similar_.size(); ++i) {
            const uint64_t* b = bits_.data() + similar_[i] * words_;
            uint64_t* mask = found.masks.data() + i * found.words;
            pace_(8 * used_words_.size());
            for (uint32_t w : used_words_)
                for (uint64_t lost = a[w] & ~b[w]; lost; lost &= lost - 1) {
                    uint64_t below = (lost & -lost) - 1;
                    int at = base_[w] + std::popcount(lacking_[w] & below);
                    mask[at / 64] |= uint64_t{1} << (at % 64);
                }
        }
        for (uint32_t w : used_words_) lacking_[w] = 0;
    }

    void sparse_masks(uint32_t seed, Neighbours& found) {
        for (size_t i = 0; i < similar_.size(); ++i) hits_[similar_[i]] = static_cast<int>(i) + 1;
        std::vector<uint32_t> lacked;  // elements of the seed that some neighbour lacks
        for (const uint32_t* e = rows_.begin(seed); e != rows_.end(seed); ++e) {
            pace_(holders_.size(*e));
            size_t holding =
                std::count_if(holders_.begin(*e), holders_.end(*e), [&](uint32_t d) { return hits_[d] > 0; });
            if (holding < similar_.size()) lacked.push_back(*e);
        }
        open_masks(found, static_cast<int>(lacked.size()));
        for (size_t i = 0; i < similar_.size(); pace_(lacked.size()), ++i)
            for (size_t at = 0; at < lacked.size(); ++at)
                found.masks[i * found.words + at / 64] |= uint64_t{1} << (at % 64);
        for (size_t at = 0; at < lacked.size(); pace_(holders_.size(lacked[at])), ++at)
            for (const uint32_t* d = holders_.begin(lacked[at]); d != holders_.end(lacked[at]); ++d)
                if (int slot = hits_[*d])
                    found.masks[(slot - 1) * found.words + at / 64] ^= uint64_t{1} << (at % 64);
        for (uint32_t d : similar_) hits_[d] = 0;
    }

    void open_masks(Neighbours& found, int bits) {
        found.words = std::max<size_t>(1, (bits + 63) / 64);
        if (found.words == 3) found.words = 4;  // so that the unrolled search serves it
        found.masks.assign(similar_.size() * found.words, 0);
    }

    std::vector<uint32_t> classes_, elements_, similar_, used_words_;
    std::vector<uint32_t> number_;  // of each element of the whole context, kNone between loads
    std::vector<int> least_, size_, hits_, base_;
    Lists<uint32_t> rows_, holders_, known_;
    std::vector<uint64_t> bits_, lacking_;
    size_t words_ = 0;
    bool dense_ = false;
    Pace pace_;
};

}  // namespace twinset::closed
