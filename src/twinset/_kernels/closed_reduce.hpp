// From documents to the few classes that can be in a set at all: equal images become one class,
// elements that only one class has are dropped, classes with too few elements left are dropped,
// classes that are now equal become one; again until nothing changes.
//
// For maximal sets an element counts as shared when two classes have it. For closed sets two
// documents are enough, even of one class, because that class alone is a closed set as well.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "closed_collapse.hpp"
#include "closed_number.hpp"
#include "closed_types.hpp"
#include "large_pages.hpp"
#include "parallel.hpp"

namespace twinset::closed {

class Reducer {
  public:
    Reducer(const Context& context, Kind kind, int threads)
        : context_(context), kind_(kind), threads_(threads) {}

    Classes run() {
        collapse_documents();
        drop_strangers();
        number_elements();
        do {
            drop_unshared();
        } while (collapse_rows());
        return finish();
    }

    size_t too_short() const { return too_short_; }

  private:
    struct Class {
        uint32_t leader;  // first document
        int32_t least, own;
        uint32_t weight = 1;   // 2 for two or more documents
        uint32_t merged_into;  // itself while it stands
        bool live = true;
    };

    // Over searchable classes; `holders` is all of them put together by XOR, so that the last one left
    // is known without a list.
    struct Element {
        uint32_t frequency = 0, holders = 0;
    };

    bool stands(size_t c) const { return classes_[c].merged_into == c; }
    bool searchable(size_t c) const { return stands(c) && classes_[c].live; }
    uint32_t count_of(const Class& c) const { return kind_ == Kind::closed ? c.weight : 1; }

    void collapse_documents() {
        size_t n = context_.documents;
        std::vector<Hashed> keys(n);
        parallel_blocks(n, 1024, threads_, [&](size_t begin, size_t end, int) {
            for (size_t d = begin; d < end; ++d) {
                const uint64_t* image = context_.image(d);
                keys[d] = {hash_row(image, image + context_.size(d), context_.least[d]),
                           static_cast<uint32_t>(d)};
            }
        });
        std::erase_if(keys, [&](const Hashed& key) {
            return context_.size(key.item) < static_cast<size_t>(context_.least[key.item]);
        });
        too_short_ = n - keys.size();
        std::vector<uint32_t> leader(n, UINT32_MAX);
        find_leaders(keys, leader, [&](uint32_t x, uint32_t y) {
            return context_.least[x] == context_.least[y] && context_.size(x) == context_.size(y) &&
                   std::equal(context_.image(x), context_.image(x) + context_.size(x), context_.image(y));
        });
        class_of_.assign(n, UINT32_MAX);
        for (size_t d = 0; d < n; ++d) {
            if (leader[d] == UINT32_MAX) continue;
            if (leader[d] == d) {
                uint32_t c = static_cast<uint32_t>(classes_.size());
                class_of_[d] = c;
                int32_t size = static_cast<int32_t>(context_.size(d));
                classes_.push_back({static_cast<uint32_t>(d), context_.least[d], size, 1, c, true});
            } else {
                class_of_[d] = class_of_[leader[d]];
                classes_[class_of_[d]].weight = 2;
            }
        }
    }

    // Two images that share o features share one among their first size - o + 1, so a class whose
    // first features nobody else has among his is out before anything is counted.
    void drop_strangers() {
        size_t total = 0;
        for (size_t c = 0; c < classes_.size(); ++c) total += end_of_prefix(c) - first_of(c);
        size_t rounds = 1 + total / kMostAtOnce;  // a share of the features each, to save memory
        std::vector<std::atomic<uint8_t>> met(classes_.size());
        for (size_t round = 0; round < rounds; ++round) {
            Partitions parts(total / rounds, [&](auto&& take) {
                for (uint32_t c = 0; c < classes_.size(); ++c)
                    for (const uint64_t* p = first_of(c); p != end_of_prefix(c); ++p)
                        if (rounds == 1 || mix(*p ^ kWordA) % rounds == round) take(*p, c);
            });
            parallel_blocks(parts.count(), 1, threads_, [&](size_t p, size_t, int) {
                std::vector<uint32_t> table;
                parts.match(p, table, [&](Entry& first, Entry& entry) {
                    if (&first == &entry && count_of(classes_[entry.owner]) < 2) return;
                    met[first.owner].store(1, std::memory_order_relaxed);
                    met[entry.owner].store(1, std::memory_order_relaxed);
                });
            });
        }
        for (size_t c = 0; c < classes_.size(); ++c) classes_[c].live = met[c];
    }

    static constexpr size_t kMostAtOnce = size_t{1} << 24;

    const uint64_t* first_of(size_t c) const { return context_.image(classes_[c].leader); }
    const uint64_t* end_of_prefix(size_t c) const {
        return first_of(c) + (context_.size(classes_[c].leader) - classes_[c].least + 1);
    }

    void number_elements() {
        rows_.offsets.assign(classes_.size() + 1, 0);
        length_.assign(classes_.size(), 0);
        for (size_t c = 0; c < classes_.size(); ++c) {
            if (classes_[c].live) length_[c] = static_cast<uint32_t>(context_.size(classes_[c].leader));
            rows_.offsets[c + 1] = rows_.offsets[c] + length_[c];
        }
        if (rows_.offsets.back() >= UINT32_MAX)
            throw std::invalid_argument("more than 4 billion features in similar documents");
        auto each = [&](auto&& take) {
            for (size_t c = 0; c < classes_.size(); ++c) {
                const uint64_t* image = context_.image(classes_[c].leader);
                size_t first = rows_.offsets[c];
                for (uint32_t i = 0; i < length_[c]; ++i) take(image[i], static_cast<uint32_t>(first + i));
            }
        };
        elements_.assign(number_keys(rows_.offsets.back(), each, rows_.items, threads_), Element{});
        for (size_t c = 0; c < classes_.size(); ++c) {
            each_element(c, [&](Element& element) {
                element.frequency += count_of(classes_[c]);
                element.holders ^= static_cast<uint32_t>(c);
            });
        }
        shared_ = length_;
        for (const Element& element : elements_)
            if (element.frequency == 1) --shared_[element.holders];
        for (uint32_t c = 0; c < classes_.size(); ++c)
            if (classes_[c].live && !enough(c)) retiring_.push_back(c);
    }

    bool enough(size_t c) const { return shared_[c] >= static_cast<uint32_t>(classes_[c].least); }

    // A class holds its elements no longer. What one class alone has left is shared by none, and that
    // class may have too few elements then: it retires in its turn.
    void release(size_t c) {
        each_element(c, [&](Element& element) {
            element.frequency -= count_of(classes_[c]);
            element.holders ^= static_cast<uint32_t>(c);
            if (element.frequency != 1) return;
            bool before = enough(element.holders);
            --shared_[element.holders];
            if (before && !enough(element.holders)) retiring_.push_back(element.holders);
        });
    }

    // Elements lie far apart: those of the row are on their way while others are worked on.
    template <class Use>
    void each_element(size_t c, Use&& use) {
        constexpr uint32_t kAhead = 24;
        const uint32_t* row = rows_.begin(c);
        auto fetch = [&](uint32_t i) { __builtin_prefetch(&elements_[row[i]], 1); };
        for (uint32_t i = 0; i < std::min(length_[c], kAhead); ++i) fetch(i);
        for (uint32_t i = 0; i < length_[c]; ++i) {
            if (i + kAhead < length_[c]) fetch(i + kAhead);
            use(elements_[row[i]]);
        }
    }

    // Retires classes that keep too few shared elements, and shortens the rows of the others to these.
    void drop_unshared() {
        Pace pace;
        while (!retiring_.empty()) {
            uint32_t c = retiring_.back();
            retiring_.pop_back();
            if (!searchable(c)) continue;
            pace(length_[c]);
            classes_[c].live = false;
            release(c);
        }
        for (size_t c = 0; c < classes_.size(); ++c) {
            if (!searchable(c) || shared_[c] == length_[c]) continue;
            pace(length_[c]);
            uint32_t *row = rows_.begin(c), kept = 0;
            const uint32_t* next = row;
            each_element(c, [&](const Element& element) {
                row[kept] = *next++;
                kept += element.frequency > 1;
            });
            length_[c] = shared_[c];
        }
    }

    // Whether a further round of dropping can find anything.
    bool collapse_rows() {
        std::vector<Hashed> keys;
        Pace pace;
        for (size_t c = 0; c < classes_.size(); ++c) {
            if (!searchable(c)) continue;
            pace(length_[c]);
            const uint32_t* row = rows_.begin(c);
            keys.push_back({hash_row(row, row + length_[c], classes_[c].least), static_cast<uint32_t>(c)});
        }
        std::vector<uint32_t> leader(classes_.size());
        find_leaders(keys, leader, [&](uint32_t x, uint32_t y) {
            return classes_[x].least == classes_[y].least && length_[x] == length_[y] &&
                   std::equal(rows_.begin(x), rows_.begin(x) + length_[x], rows_.begin(y));
        });
        bool merged = false;
        for (const Hashed& key : keys) {
            uint32_t c = key.item, into = leader[c];
            if (into == c) continue;
            classes_[c].merged_into = into;
            classes_[into].weight = 2;
            classes_[into].own = static_cast<int32_t>(length_[into]);
            if (kind_ == Kind::maximal) release(c);
            merged = true;
        }
        return merged && kind_ == Kind::maximal;
    }

    Classes finish() {
        Classes out;
        LargeVector<uint32_t> rank = rank_elements(out.elements);
        std::vector<uint32_t> place(classes_.size(), UINT32_MAX);
        Pace pace;
        for (size_t c = 0; c < classes_.size(); ++c) {
            pace(length_[c] + 1);
            const Class& one = classes_[c];
            if (!stands(c) || (!one.live && one.weight < 2)) continue;
            place[c] = static_cast<uint32_t>(out.least.size());
            out.least.push_back(one.least);
            out.own.push_back(one.own);
            out.live.push_back(one.live);
            if (one.live) {
                size_t first = out.rows.items.size();
                out.rows.items.resize(first + length_[c]);
                const uint32_t* row = rows_.begin(c);
                for (uint32_t i = 0; i < length_[c]; ++i) out.rows.items[first + i] = rank[row[i]];
            }
            out.rows.close();
        }
        rows_ = {};
        parallel_blocks(out.least.size(), 64, threads_, [&](size_t begin, size_t end, int) {
            for (size_t c = begin; c < end; ++c) std::sort(out.rows.begin(c), out.rows.end(c));
        });
        collect_documents(place, out);
        return out;
    }

    // Rare elements first: the shorter the lists of classes that the join has to walk.
    LargeVector<uint32_t> rank_elements(size_t& count) const {
        uint32_t most = 0;
        for (const Element& element : elements_) most = std::max(most, element.frequency);
        std::vector<uint32_t> next(size_t{most} + 2, 0);  // rank of the next element of a frequency
        for (const Element& element : elements_)
            if (element.frequency > 1) ++next[element.frequency + 1];
        for (size_t f = 1; f < next.size(); ++f) next[f] += next[f - 1];
        count = next.back();
        LargeVector<uint32_t> rank(elements_.size());
        for (size_t e = 0; e < elements_.size(); ++e)
            if (elements_[e].frequency > 1) rank[e] = next[elements_[e].frequency]++;
        return rank;
    }

    void collect_documents(const std::vector<uint32_t>& place, Classes& out) const {
        auto home = [&](size_t d) {
            uint32_t c = class_of_[d];
            if (c == UINT32_MAX) return c;
            while (!stands(c)) c = classes_[c].merged_into;
            return place[c];
        };
        std::vector<size_t>& offsets = out.documents.offsets;
        offsets.assign(out.least.size() + 1, 0);
        for (size_t d = 0; d < context_.documents; ++d)
            if (uint32_t c = home(d); c != UINT32_MAX) ++offsets[c + 1];
        for (size_t c = 0; c < out.least.size(); ++c) offsets[c + 1] += offsets[c];
        out.documents.items.resize(offsets.back());
        std::vector<size_t> next(offsets.begin(), offsets.end() - 1);
        for (size_t d = 0; d < context_.documents; ++d)
            if (uint32_t c = home(d); c != UINT32_MAX)
                out.documents.items[next[c]++] = static_cast<uint32_t>(d);
    }

    const Context& context_;
    Kind kind_;
    int threads_;
    size_t too_short_ = 0;
    std::vector<uint32_t> class_of_;  // of each document, UINT32_MAX for too short ones
    std::vector<Class> classes_;
    Lists<uint32_t, LargeVector<uint32_t>> rows_;
    std::vector<uint32_t> length_;    // of each row, which shrinks in place
    std::vector<uint32_t> shared_;    // elements of each row that are shared
    std::vector<uint32_t> retiring_;  // classes with too few of these
    LargeVector<Element> elements_;
};

}  // namespace twinset::closed
