// Chains [Zelenkov, Segalovich 2007]: documents that share a key, in order of length, cut where the
// next one is too much longer; without repeats and without chains that lie inside others. Pairs are
// sought in a chain among documents of similar length only, and no pair comes twice.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "group.hpp"
#include "hash.hpp"
#include "stop.hpp"

namespace twinset {

class Chains {
  public:
    Chains(std::span<const int64_t> lengths, double ratio) : lengths_(lengths), ratio_(ratio) {}

    // Cuts groups into chains of at least two documents.
    Groups cut(std::span<const int64_t> offsets, std::span<const uint32_t> documents) const {
        Groups all;
        std::vector<uint32_t> chain;
        Pace pace;
        for (size_t g = 0; g + 1 < offsets.size(); ++g) {
            pace(16 * static_cast<size_t>(offsets[g + 1] - offsets[g]));
            chain.assign(documents.begin() + offsets[g], documents.begin() + offsets[g + 1]);
            stoppable_sort(chain.begin(), chain.end(), [&](uint32_t a, uint32_t b) { return shorter(a, b); });
            size_t begin = 0;
            for (size_t i = 1; i <= chain.size(); ++i) {
                if (i < chain.size() && near(chain[i - 1], chain[i])) continue;
                if (i - begin > 1) add(all, chain.data() + begin, chain.data() + i);
                begin = i;
            }
        }
        return all;
    }

    // Drops chains that repeat and chains that lie inside others; longer ones come first.
    Groups normalised(const Groups& chains) const {
        std::vector<size_t> order = distinct(chains);
        stoppable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
            return size(chains, a) != size(chains, b) ? size(chains, a) > size(chains, b) : a < b;
        });
        std::vector<std::vector<uint32_t>> holding(lengths_.size());  // kept chains of each document
        Groups kept;
        Pace pace;
        for (size_t c : order) {
            pace(16 * size(chains, c));
            const uint32_t* begin = chains.documents.data() + chains.offsets[c];
            const uint32_t* end = chains.documents.data() + chains.offsets[c + 1];
            if (inside_another(kept, holding, begin, end, pace)) continue;
            uint32_t number = static_cast<uint32_t>(kept.offsets.size() - 1);
            for (const uint32_t* d = begin; d != end; ++d) holding[*d].push_back(number);
            add(kept, begin, end);
        }
        return kept;
    }

    // Pairs of documents near each other in a chain, left < right, sorted, each once.
    std::vector<uint64_t> pairs(const Groups& chains) const {
        std::vector<uint64_t> all;
        size_t settled = 0;
        Pace pace;
        for (size_t c = 0; c + 1 < chains.offsets.size(); ++c) {
            for (int64_t i = chains.offsets[c]; i < chains.offsets[c + 1]; ++i) {
                uint32_t a = chains.documents[static_cast<size_t>(i)];
                for (int64_t j = i + 1; j < chains.offsets[c + 1]; ++j) {
                    pace();
                    uint32_t b = chains.documents[static_cast<size_t>(j)];
                    if (!near(a, b)) break;
                    all.push_back(static_cast<uint64_t>(std::min(a, b)) << 32 | std::max(a, b));
                }
            }
            if (all.size() > 2 * settled + (size_t{1} << 22)) settled = unite(all);  // bounds the memory
        }
        unite(all);
        return all;
    }

  private:
    bool shorter(uint32_t a, uint32_t b) const {
        return lengths_[a] != lengths_[b] ? lengths_[a] < lengths_[b] : a < b;
    }
    bool near(uint32_t shorter, uint32_t longer) const {
        return static_cast<double>(lengths_[longer]) <= ratio_ * static_cast<double>(lengths_[shorter]);
    }
    static size_t size(const Groups& g, size_t c) {
        return static_cast<size_t>(g.offsets[c + 1] - g.offsets[c]);
    }

    static void add(Groups& to, const uint32_t* begin, const uint32_t* end) {
        to.documents.insert(to.documents.end(), begin, end);
        to.offsets.push_back(static_cast<int64_t>(to.documents.size()));
    }

    static size_t unite(std::vector<uint64_t>& pairs) {
        stoppable_sort(pairs.begin(), pairs.end());
        pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
        return pairs.size();
    }

    // One chain of each kind, told by a digest of 128 bits.
    static std::vector<size_t> distinct(const Groups& chains) {
        struct Named {
            uint64_t a, b;
            size_t chain;
        };
        std::vector<Named> named;
        for (size_t c = 0; c + 1 < chains.offsets.size(); ++c) {
            Named one{0, 0, c};
            for (int64_t i = chains.offsets[c]; i < chains.offsets[c + 1]; ++i) {
                uint64_t d = chains.documents[static_cast<size_t>(i)];
                one.a = mix(one.a ^ (d + kGolden));
                one.b = mix(one.b * kShingle + d);
            }
            named.push_back(one);
        }
        stoppable_sort(named.begin(), named.end(), [](const Named& x, const Named& y) {
            if (x.a != y.a) return x.a < y.a;
            return x.b != y.b ? x.b < y.b : x.chain < y.chain;
        });
        std::vector<size_t> order;
        for (size_t i = 0; i < named.size(); ++i)
            if (!i || named[i].a != named[i - 1].a || named[i].b != named[i - 1].b)
                order.push_back(named[i].chain);
        stoppable_sort(order.begin(), order.end());
        return order;
    }

    // A chain that holds this one also holds its document with the fewest chains.
    bool inside_another(const Groups& kept, const std::vector<std::vector<uint32_t>>& holding,
                        const uint32_t* begin, const uint32_t* end, Pace& pace) const {
        const uint32_t* rarest = std::min_element(
            begin, end, [&](uint32_t a, uint32_t b) { return holding[a].size() < holding[b].size(); });
        for (uint32_t c : holding[*rarest]) {
            const uint32_t* other = kept.documents.data() + kept.offsets[c];
            const uint32_t* stop = kept.documents.data() + kept.offsets[c + 1];
            pace(static_cast<size_t>(stop - other));
            if (std::includes(other, stop, begin, end, [&](uint32_t a, uint32_t b) { return shorter(a, b); }))
                return true;
        }
        return false;
    }

    std::span<const int64_t> lengths_;
    double ratio_;
};

}  // namespace twinset
