// Clusters that tolerate noise: around each core, a set of documents with the features B that all
// of them share, the documents that have at least a share alpha of B.
//
// A document with `needed` of the features of B has one of the |B| - needed + 1 rarest of them, so
// only the lists of these are walked; whoever is met there is compared with B. Documents with equal
// images are one class. docs/explanation/tolerant-clusters.md has the definition and what follows from it.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "closed_collapse.hpp"
#include "closed_number.hpp"
#include "closed_types.hpp"
#include "parallel.hpp"

namespace twinset::closed {

struct Alpha {
    int64_t numerator, denominator;  // a share above 0 and up to 1

    int64_t of(int64_t features) const {
        auto wide = static_cast<unsigned __int128>(features) * static_cast<uint64_t>(numerator);
        return static_cast<int64_t>((wide + static_cast<uint64_t>(denominator) - 1) / denominator);
    }
};

// One cluster for each core: members ascending, for each how many features of the core it has, and
// how many features of the core all members have.
struct TolerantAnswer {
    std::vector<int64_t> offsets{0};
    std::vector<int32_t> members, fit;
    std::vector<int32_t> support, shared;
    std::vector<uint8_t> cut;
};

class Tolerance {
  public:
    // A core looks at this many classes beside its own at most, the rarest features first.
    static constexpr size_t kMostCandidates = 20'000;
    static constexpr size_t kChunk = 4096;

    Tolerance(const Context& context, Alpha alpha, int64_t max_members, int threads)
        : context_(context), alpha_(alpha), max_members_(max_members), threads_(std::max(threads, 1)) {
        collapse();
    }

    TolerantAnswer run(std::span<const int32_t> members, std::span<const int64_t> offsets) {
        mark_features(members, offsets);
        invert();
        std::vector<Desk> desks(static_cast<size_t>(threads_));
        for (Desk& desk : desks) desk.met.assign(documents_.count(), UINT32_MAX);
        size_t cores = offsets.size() - 1;
        for (size_t start = 0; start < cores; start += kChunk) {
            std::vector<Cluster> chunk(std::min(kChunk, cores - start));
            bool full = static_cast<int64_t>(answer_.members.size()) >= max_members_;
            parallel_blocks(chunk.size(), 8, threads_, [&](size_t begin, size_t end, int worker) {
                for (size_t i = begin; i < end; ++i) {
                    const int32_t* core = members.data() + offsets[start + i];
                    size_t size = static_cast<size_t>(offsets[start + i + 1] - offsets[start + i]);
                    grow({core, size}, static_cast<uint32_t>(start + i), full, desks[worker], chunk[i]);
                }
            });
            for (const Cluster& cluster : chunk) append(cluster);
        }
        return std::move(answer_);
    }

  private:
    struct Cluster {
        std::vector<uint32_t> classes;
        std::vector<int32_t> fit;  // of each class
        int32_t support = 0, shared = 0;
        bool cut = false;
    };

    struct Desk {
        std::vector<uint32_t> met;  // the last core that has met a class
        std::vector<uint64_t> features;
        std::vector<std::pair<size_t, size_t>> lists;  // length and place of the list of a feature
        std::vector<int32_t> lacking;                  // of each feature: members without it
        std::vector<uint32_t> without;                 // places of the features that a class lacks
        Pace pace;
    };

    struct Posting {
        uint64_t feature;
        uint32_t owner;
        bool operator<(const Posting& o) const {
            return feature != o.feature ? feature < o.feature : owner < o.owner;
        }
    };

    const uint64_t* image(uint32_t c) const { return context_.image(*documents_.begin(c)); }
    size_t size(uint32_t c) const { return context_.size(*documents_.begin(c)); }

    void collapse() {
        size_t n = context_.documents;
        std::vector<Hashed> keys(n);
        for (size_t d = 0; d < n; ++d) {
            const uint64_t* begin = context_.image(d);
            keys[d] = {hash_row(begin, begin + context_.size(d), 0), static_cast<uint32_t>(d)};
        }
        std::erase_if(keys, [&](const Hashed& key) { return context_.size(key.item) == 0; });
        std::vector<uint32_t> leader(n, UINT32_MAX);
        find_leaders(keys, leader, [&](uint32_t x, uint32_t y) {
            return context_.size(x) == context_.size(y) &&
                   std::equal(context_.image(x), context_.image(x) + context_.size(x), context_.image(y));
        });
        class_of_.assign(n, UINT32_MAX);
        uint32_t count = 0;
        for (size_t d = 0; d < n; ++d)
            if (leader[d] != UINT32_MAX) class_of_[d] = leader[d] == d ? count++ : class_of_[leader[d]];
        std::vector<size_t>& offsets = documents_.offsets;
        offsets.assign(count + 1, 0);
        for (uint32_t c : class_of_)
            if (c != UINT32_MAX) ++offsets[c + 1];
        for (size_t c = 0; c < count; ++c) offsets[c + 1] += offsets[c];
        documents_.items.resize(offsets.back());
        std::vector<size_t> next(offsets.begin(), offsets.end() - 1);
        for (size_t d = 0; d < n; ++d)
            if (class_of_[d] != UINT32_MAX) documents_.items[next[class_of_[d]]++] = static_cast<uint32_t>(d);
    }

    // A bit for each hashed feature of a core: only the lists of these are made.
    void mark_features(std::span<const int32_t> members, std::span<const int64_t> offsets) {
        for (uint32_t c = 0; c < documents_.count(); ++c) features_ += size(c);
        mark_bits_ = 10;
        while (mark_bits_ < 30 && (size_t{1} << mark_bits_) < 4 * features_) ++mark_bits_;
        marked_.assign(size_t{1} << (mark_bits_ - 6), 0);
        Desk desk;
        desk.met.assign(documents_.count(), UINT32_MAX);
        for (size_t i = 0; i + 1 < offsets.size(); ++i) {
            Cluster core;
            size_t count = static_cast<size_t>(offsets[i + 1] - offsets[i]);
            take_core({members.data() + offsets[i], count}, static_cast<uint32_t>(i), desk, core);
            for (uint64_t feature : desk.features) {
                uint64_t at = mix(feature) >> (64 - mark_bits_);
                marked_[at >> 6] |= uint64_t{1} << (at & 63);
            }
        }
    }

    bool is_marked(uint64_t feature) const {
        uint64_t at = mix(feature) >> (64 - mark_bits_);
        return marked_[at >> 6] >> (at & 63) & 1;
    }

    // Feature to classes: partitions by hash, each sorted on its own.
    void invert() {
        Pace pace;
        auto each = [&](auto&& take) {
            for (uint32_t c = 0; c < documents_.count(); ++c) {
                pace(2 * size(c));
                for (const uint64_t* e = image(c); e != image(c) + size(c); ++e)
                    if (is_marked(*e)) take(*e, c);
            }
        };
        while (bits_ < 16 && (features_ >> bits_) > (size_t{1} << 13)) ++bits_;
        starts_.assign((size_t{1} << bits_) + 1, 0);
        each([&](uint64_t e, uint32_t) { ++starts_[part_of(e) + 1]; });
        for (size_t p = 0; p + 1 < starts_.size(); ++p) starts_[p + 1] += starts_[p];
        postings_.resize(starts_.back());
        std::vector<size_t> next(starts_.begin(), starts_.end() - 1);
        each([&](uint64_t e, uint32_t c) { postings_[next[part_of(e)]++] = {e, c}; });
        parallel_blocks(starts_.size() - 1, 16, threads_, [&](size_t begin, size_t end, int) {
            for (size_t p = begin; p < end; ++p)
                stoppable_sort(postings_.begin() + static_cast<ptrdiff_t>(starts_[p]),
                               postings_.begin() + static_cast<ptrdiff_t>(starts_[p + 1]));
        });
    }

    size_t part_of(uint64_t feature) const { return bits_ ? mix(feature) >> (64 - bits_) : 0; }

    std::span<const Posting> list(uint64_t feature) const {
        size_t p = part_of(feature);
        auto begin = postings_.begin() + static_cast<ptrdiff_t>(starts_[p]),
             end = postings_.begin() + static_cast<ptrdiff_t>(starts_[p + 1]);
        auto less = [](const Posting& x, const Posting& y) { return x.feature < y.feature; };
        auto [from, to] = std::equal_range(begin, end, Posting{feature, 0}, less);
        return {from, to};
    }

    void grow(std::span<const int32_t> core, uint32_t number, bool full, Desk& desk, Cluster& cluster) {
        take_core(core, number, desk, cluster);
        int64_t support = cluster.support, needed = alpha_.of(support);
        desk.lacking.assign(desk.features.size(), 0);
        if (alpha_.numerator < alpha_.denominator) {
            if (full) cluster.cut = true;
            else look_around(number, static_cast<size_t>(support - needed + 1), desk, cluster);
        }
        cluster.shared = static_cast<int32_t>(std::count(desk.lacking.begin(), desk.lacking.end(), 0));
    }

    void take_core(std::span<const int32_t> core, uint32_t number, Desk& desk, Cluster& cluster) {
        for (int32_t d : core) {
            uint32_t c = class_of_[static_cast<size_t>(d)];
            if (c == UINT32_MAX || desk.met[c] == number) continue;
            desk.met[c] = number;
            desk.pace(size(c));
            if (cluster.classes.empty()) {
                desk.features.assign(image(c), image(c) + size(c));
            } else {
                auto end = std::set_intersection(desk.features.begin(), desk.features.end(), image(c),
                                                 image(c) + size(c), desk.features.begin());
                desk.features.erase(end, desk.features.end());
            }
            cluster.classes.push_back(c);
        }
        cluster.support = static_cast<int32_t>(desk.features.size());
        cluster.fit.assign(cluster.classes.size(), cluster.support);
    }

    void look_around(uint32_t number, size_t rare, Desk& desk, Cluster& cluster) {
        desk.lists.clear();
        for (size_t i = 0; i < desk.features.size(); ++i)
            desk.lists.emplace_back(list(desk.features[i]).size(), i);
        std::sort(desk.lists.begin(), desk.lists.end());
        size_t candidates = 0;
        for (size_t i = 0; i < std::min(rare, desk.lists.size()); ++i)
            for (const Posting& posting : list(desk.features[desk.lists[i].second])) {
                desk.pace();
                uint32_t c = posting.owner;
                if (desk.met[c] == number) continue;
                desk.met[c] = number;
                if (++candidates > kMostCandidates) {
                    cluster.cut = true;
                    return;
                }
                compare(c, desk, cluster);
            }
    }

    // A document's own threshold counts where it is above the core's support.
    void compare(uint32_t c, Desk& desk, Cluster& cluster) {
        int64_t least = context_.least[*documents_.begin(c)];
        int64_t needed = alpha_.of(std::max<int64_t>(cluster.support, least));
        int64_t may_lack = static_cast<int64_t>(cluster.support) - needed, lacks = 0;
        const uint64_t *x = image(c), *end = x + size(c);
        desk.pace(desk.features.size());
        std::vector<uint32_t>& without = desk.without;
        without.clear();
        for (uint32_t i = 0; i < desk.features.size(); ++i) {
            while (x != end && *x < desk.features[i]) ++x;
            if (x != end && *x == desk.features[i]) continue;
            if (++lacks > may_lack) return;
            without.push_back(i);
        }
        if (may_lack < 0) return;
        for (uint32_t i : without) ++desk.lacking[i];
        cluster.classes.push_back(c);
        cluster.fit.push_back(static_cast<int32_t>(cluster.support - lacks));
    }

    void append(const Cluster& cluster) {
        std::vector<std::pair<int32_t, int32_t>> rows;
        for (size_t i = 0; i < cluster.classes.size(); ++i)
            for (const uint32_t* d = documents_.begin(cluster.classes[i]);
                 d != documents_.end(cluster.classes[i]); ++d)
                rows.emplace_back(static_cast<int32_t>(*d), cluster.fit[i]);
        stoppable_sort(rows.begin(), rows.end());
        for (auto [document, fit] : rows) {
            answer_.members.push_back(document);
            answer_.fit.push_back(fit);
        }
        answer_.offsets.push_back(static_cast<int64_t>(answer_.members.size()));
        answer_.support.push_back(cluster.support);
        answer_.shared.push_back(cluster.shared);
        answer_.cut.push_back(cluster.cut);
    }

    const Context& context_;
    Alpha alpha_;
    int64_t max_members_;
    int threads_;
    std::vector<uint32_t> class_of_;  // of each document, UINT32_MAX without features
    Lists<uint32_t> documents_;       // of each class
    size_t features_ = 0;             // of all classes
    int bits_ = 0, mark_bits_ = 0;
    std::vector<uint64_t> marked_;
    std::vector<size_t> starts_;
    std::vector<Posting> postings_;
    TolerantAnswer answer_;
};

// 1 for each set that no other one holds; of equal sets the one of the greatest support is left, and
// of those the first. Sets ascend.
inline std::vector<uint8_t> largest_sets(std::span<const int32_t> members, std::span<const int64_t> offsets,
                                         std::span<const int32_t> support, size_t documents) {
    size_t count = offsets.size() - 1;
    auto set = [&](size_t i) {
        return members.subspan(static_cast<size_t>(offsets[i]),
                               static_cast<size_t>(offsets[i + 1] - offsets[i]));
    };
    std::vector<uint64_t> marks(count, 0);  // a bit for each of 64 kinds of documents
    std::vector<uint8_t> kept(count, 0);
    std::vector<std::vector<uint32_t>> with(documents);  // the kept sets with a document
    std::vector<uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    stoppable_sort(order.begin(), order.end(), [&](uint32_t x, uint32_t y) {
        if (set(x).size() != set(y).size()) return set(x).size() > set(y).size();
        return support[x] != support[y] ? support[x] > support[y] : x < y;
    });
    Pace pace;
    for (uint32_t i : order) {
        auto own = set(i);
        if (own.empty()) continue;
        auto fewest = own[0];
        for (int32_t d : own) {
            marks[i] |= uint64_t{1} << (mix(static_cast<uint64_t>(d)) >> 58);
            if (with[static_cast<size_t>(d)].size() < with[static_cast<size_t>(fewest)].size()) fewest = d;
        }
        const std::vector<uint32_t>& near = with[static_cast<size_t>(fewest)];
        bool inside = std::any_of(near.begin(), near.end(), [&](uint32_t j) {
            pace();
            if (marks[i] & ~marks[j]) return false;
            pace(set(j).size());
            auto other = set(j);
            return std::includes(other.begin(), other.end(), own.begin(), own.end());
        });
        if (inside) continue;
        kept[i] = 1;
        for (int32_t d : own) with[static_cast<size_t>(d)].push_back(i);
    }
    return kept;
}

}  // namespace twinset::closed
