// Anchors: longest runs of words that a document shares with those of an index.
//
// Every place of a run of `seed` words is held against every place of it in the other document. A run that
// stands more than kCrowd times in one of the two is held against the other by rank: the n-th place against
// the n-th. So texts of one word, or of a table, cost no more than others. From such a pair of places an
// anchor reaches as far as the words are the same in both directions.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "reuse_index.hpp"
#include "stop.hpp"

namespace twinset {

// `size` words from `left` on in a document of the index, and from `right` on in the other.
struct Anchor {
    uint32_t document, left, right, size;
};

class AnchorFinder {
  public:
    explicit AnchorFinder(const SeedIndex& index) : index_(index) {}

    // The anchors of a document by document of the index, diagonal and place.
    const std::vector<Anchor>& find(Words words) {
        words_ = words;
        anchors_.clear(), hits_.clear(), matched_.clear();
        look_up();
        if (matched_.empty()) return anchors_;
        plain_.assign(words.size(), 0);
        each_group([&](const SeedIndex::Entry&, size_t begin, size_t end) {
            if (end - begin <= SeedIndex::kCrowd)
                for (size_t i = begin; i < end; ++i) plain_[matched_[i].place] = 1;
        });
        each_group([&](const SeedIndex::Entry& entry, size_t begin, size_t end) { pair(entry, begin, end); });
        extend();
        return anchors_;
    }

  private:
    struct Matched {
        const SeedIndex::Entry* entry;
        uint32_t place;
    };
    struct Hit {
        uint32_t document, left, right;
        int64_t diagonal() const { return int64_t{left} - int64_t{right}; }
    };

    void look_up() {
        constexpr size_t kAhead = 16;
        keys_.clear();
        each_seed(words_, index_.seed(), [&](size_t, uint64_t key) { keys_.push_back(key); });
        Pace pace;
        for (size_t i = 0; i < keys_.size(); pace(), ++i) {
            if (i + kAhead < keys_.size()) index_.fetch(keys_[i + kAhead]);
            const SeedIndex::Entry* entry = index_.find(keys_[i]);
            if (entry && !index_.dropped(*entry)) matched_.push_back({entry, static_cast<uint32_t>(i)});
        }
        stoppable_sort(matched_.begin(), matched_.end(), [](const Matched& a, const Matched& b) {
            return a.entry->begin != b.entry->begin ? a.entry->begin < b.entry->begin : a.place < b.place;
        });
    }

    template <class Take>
    void each_group(Take&& take) {
        for (size_t i = 0, j; i < matched_.size(); i = j) {
            for (j = i + 1; j < matched_.size() && matched_[j].entry == matched_[i].entry;) ++j;
            stop_point();
            take(*matched_[i].entry, i, j);
        }
    }

    // A run here against all its places in the index, document by document.
    void pair(const SeedIndex::Entry& entry, size_t begin, size_t end) {
        std::span<const uint32_t> places = index_.places(entry);
        Pace pace;
        for (size_t i = 0, j; i < places.size(); i = j) {
            size_t document = index_.document_of(places[i]), first = index_.begin(document);
            auto past = static_cast<uint32_t>(index_.begin(document + 1));
            for (j = i + 1; j < places.size() && j - i <= SeedIndex::kCrowd && places[j] < past;) ++j;
            bool crowded = index_.crowded(places[i]);
            if (crowded)
                j = static_cast<size_t>(
                    std::lower_bound(places.begin() + static_cast<ptrdiff_t>(j), places.end(), past) -
                    places.begin());
            auto number = static_cast<uint32_t>(document);
            if (crowded || end - begin > SeedIndex::kCrowd) {
                size_t count = std::min(j - i, end - begin);
                for (size_t k = 0; k < count; pace(), ++k) {
                    auto left = static_cast<uint32_t>(places[i + k] - first);
                    uint32_t right = matched_[begin + k].place;
                    bool goes_on = k && places[i + k - 1] + 1 == places[i + k] &&
                                   matched_[begin + k - 1].place + 1 == right;
                    if (!goes_on) hits_.push_back({number, left, right});
                }
                continue;
            }
            for (size_t k = i; k < j; ++k)
                for (size_t m = begin; m < end; pace(), ++m) {
                    auto left = static_cast<uint32_t>(places[k] - first);
                    uint32_t right = matched_[m].place;
                    // the run one word before has found the same anchor
                    bool goes_on = left && right && plain_[right - 1] && !index_.crowded(places[k] - 1) &&
                                   index_.document(document)[left - 1] == words_[right - 1];
                    if (!goes_on) hits_.push_back({number, left, right});
                }
        }
    }

    void extend() {
        stoppable_sort(hits_.begin(), hits_.end(), [](const Hit& a, const Hit& b) {
            if (a.document != b.document) return a.document < b.document;
            return a.diagonal() != b.diagonal() ? a.diagonal() < b.diagonal() : a.left < b.left;
        });
        Pace pace;
        for (size_t i = 0; i < hits_.size(); pace(), ++i) {
            const Hit& hit = hits_[i];
            if (!anchors_.empty()) {
                const Anchor& last = anchors_.back();
                bool same = last.document == hit.document &&
                            int64_t{last.left} - int64_t{last.right} == hit.diagonal();
                if (same && hit.left < last.left + last.size) continue;
            }
            Words other = index_.document(hit.document);
            size_t left = hit.left, right = hit.right, end = left;
            while (end < other.size() && end - left + right < words_.size() &&
                   other[end] == words_[end - left + right])
                pace(), ++end;
            if (end - left < index_.seed()) continue;  // two runs with one key
            while (left && right && other[left - 1] == words_[right - 1]) pace(), --left, --right;
            anchors_.push_back({hit.document, static_cast<uint32_t>(left), static_cast<uint32_t>(right),
                                static_cast<uint32_t>(end - left)});
        }
    }

    const SeedIndex& index_;
    Words words_;
    std::vector<uint64_t> keys_;
    std::vector<Matched> matched_;
    std::vector<uint8_t> plain_;  // places of runs that are held against all of theirs
    std::vector<Hit> hits_;
    std::vector<Anchor> anchors_;
};

}  // namespace twinset
