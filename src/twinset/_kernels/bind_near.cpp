// The doors of the kernels that find pairs without sets: Hamming tables, chains, the weighted join.
#include <nanobind/stl/tuple.h>

#include <numeric>
#include <tuple>

#include "arrays.hpp"
#include "bindings.hpp"
#include "chains.hpp"
#include "cosine_join.hpp"
#include "inverted.hpp"
#include "measure.hpp"
#include "overlaps.hpp"
#include "simhash.hpp"
#include "store.hpp"
#include "texts.hpp"

namespace twinset {
namespace {

using PairArrays = std::tuple<Out<uint32_t>, Out<uint32_t>, Out<int64_t>>;

PairArrays hamming_pairs(In<uint64_t> fingerprints, int distance, int threads) {
    require(distance >= 0 && distance <= 16, "distance must lie between 0 and 16");
    require(fingerprints.size() < UINT32_MAX, "there are too many fingerprints");
    std::vector<uint32_t> left, right;
    std::vector<int64_t> distances;
    {
        Released unlocked;
        HammingTables tables(view(fingerprints), distance);
        for (const NearPair& pair : tables.pairs(threads)) {
            left.push_back(pair.left);
            right.push_back(pair.right);
            distances.push_back(pair.distance);
        }
    }
    return {give(std::move(left)), give(std::move(right)), give(std::move(distances))};
}

Groups groups_of(const In<int64_t>& offsets, const In<uint32_t>& documents, size_t below) {
    check_offsets(view(offsets), documents.size());
    for (size_t i = 0; i < documents.size(); ++i)
        require(documents.data()[i] < below, "a document number is out of range");
    Groups groups;
    groups.offsets.assign(offsets.data(), offsets.data() + offsets.size());
    groups.documents.assign(documents.data(), documents.data() + documents.size());
    return groups;
}

// All features of these documents, or those divisible by `sample`, as keys.
void add_features(Grouper& grouper, const FeatureStore& store, In<uint32_t> documents, uint64_t sample) {
    require(sample >= 1, "sample must be at least 1");
    for (size_t i = 0; i < documents.size(); ++i)
        require(documents.data()[i] < store.count(), "a document number is out of range");
    Released unlocked;
    std::vector<uint64_t> room;
    Pace pace;
    for (size_t i = 0; i < documents.size(); ++i) {
        FeatureList list = store.list(documents.data()[i], room);
        pace(list.size() + 1);
        for (uint64_t feature : list)
            if (sample == 1 || feature % sample == 0) grouper.add(feature, documents.data()[i]);
    }
}

// Whether the features with the least hashes, a sixteenth of all, share not even a quarter of what
// is asked for: so few that it cannot well be chance.
bool clearly_less(FeatureList a, FeatureList b, double part) {
    constexpr uint64_t kBelow = uint64_t{1} << 60;
    constexpr size_t kFew = 16;
    size_t i = 0, j = 0, shared = 0;
    while (i < a.size() && j < b.size() && a[i] < kBelow && b[j] < kBelow) {
        shared += a[i] == b[j];
        bool first = a[i] <= b[j], second = b[j] <= a[i];
        i += first, j += second;
    }
    size_t seen = std::min(i, j);
    return seen >= kFew && static_cast<double>(shared) < part / 4 * static_cast<double>(seen);
}

// 1 where two documents share at least this part of the shorter one's features.
auto sharing(const FeatureStore& store, In<uint32_t> left, In<uint32_t> right, double part, int threads) {
    require(left.size() == right.size(), "left and right differ in length");
    for (size_t i = 0; i < left.size(); ++i)
        require(left.data()[i] < store.count() && right.data()[i] < store.count(),
                "a document number is out of range");
    std::vector<uint8_t> enough(left.size());
    {
        Released unlocked;
        parallel_blocks(left.size(), 256, threads, [&](size_t begin, size_t end, int) {
            std::vector<uint64_t> room, other;
            Pace pace;
            for (size_t i = begin; i < end; ++i) {
                FeatureList a = store.list(left.data()[i], room), b = store.list(right.data()[i], other);
                pace(a.size() + b.size());
                if (clearly_less(a, b, part)) continue;
                uint64_t least = static_cast<uint64_t>(
                    std::ceil(part * static_cast<double>(std::min(a.size(), b.size()))));
                enough[i] = shared_count(a, b, least) >= least;
            }
        });
    }
    return give(std::move(enough));
}

// Groups of documents to chains: cut by length, without repeats and contained ones.
auto chains(In<int64_t> offsets, In<uint32_t> documents, In<int64_t> lengths, double ratio) {
    Groups groups = groups_of(offsets, documents, lengths.size());
    Groups kept;
    {
        Released unlocked;
        Chains builder(view(lengths), ratio);
        kept = builder.normalised(builder.cut(groups.offsets, groups.documents));
    }
    return std::make_tuple(give(std::move(kept.offsets)), give(std::move(kept.documents)));
}

auto chain_pairs(In<int64_t> offsets, In<uint32_t> documents, In<int64_t> lengths, double ratio) {
    Groups groups = groups_of(offsets, documents, lengths.size());
    std::vector<uint32_t> left, right;
    {
        Released unlocked;
        for (uint64_t pair : Chains(view(lengths), ratio).pairs(groups)) {
            left.push_back(static_cast<uint32_t>(pair >> 32));
            right.push_back(static_cast<uint32_t>(pair));
        }
    }
    return std::make_tuple(give(std::move(left)), give(std::move(right)));
}

void check_features(std::span<const uint32_t> features, size_t dimensions) {
    for (uint32_t feature : features) require(feature < dimensions, "a feature is out of range");
}

auto joined(const VectorRows& rows, double threshold, const ContainmentRule& rule,
            const std::vector<uint32_t>& frequency, const In<uint8_t>& kept, int64_t dense, int threads) {
    require(kept.size() == 0 || kept.size() == rows.count(), "a mark for every vector is needed, or none");
    require(dense > 0, "a crowd has at least one vector");
    require(!rule.is_on() || (rule.rarity.size() == rows.dimensions && rule.eligible.size() == rows.count() &&
                              (rule.sums.empty() || rule.sums.size() == rows.count())),
            "what features and vectors weigh is missing");
    std::vector<uint32_t> left, right;
    std::vector<double> score, shares;
    uint64_t compared, absorbed, not_enumerated;
    {
        Released unlocked;
        CosineJoin join(rows, threshold, rule, frequency, view(kept), static_cast<uint64_t>(dense), threads);
        join.run();
        for (const WeightedPair& pair : join.pairs) {
            left.push_back(pair.left);
            right.push_back(pair.right);
            score.push_back(pair.score);
            if (rule.is_on()) shares.push_back(pair.share);
        }
        compared = join.compared, absorbed = join.absorbed, not_enumerated = join.not_enumerated;
    }
    return std::make_tuple(give(std::move(left)), give(std::move(right)), give(std::move(score)),
                           give(std::move(shares)), compared, absorbed, not_enumerated);
}

// Vector i has the features [offsets[i], offsets[i+1]) below `dimensions`, in rising order.
auto cosine_pairs(In<uint32_t> features, In<double> weights, In<int64_t> offsets, int64_t dimensions,
                  double threshold, In<uint32_t> rarity, In<uint64_t> sums, In<uint8_t> eligible,
                  double share, In<uint8_t> kept, int64_t dense, int threads) {
    check_offsets(view(offsets), features.size());
    require(weights.size() == features.size(), "one weight per feature is needed");
    require(offsets.size() - 1 < UINT32_MAX, "there are too many vectors");
    check_features(view(features), static_cast<size_t>(dimensions));
    std::vector<uint32_t> everyone(offsets.size() - 1);
    std::iota(everyone.begin(), everyone.end(), 0u);
    std::vector<uint32_t> frequency(static_cast<size_t>(dimensions), 0);
    {
        Released unlocked;
        Pace pace;
        for (int64_t e = offsets.data()[0]; e < offsets.data()[everyone.size()]; ++e, pace())
            ++frequency[features.data()[e]];
    }
    VectorRows rows{.features = view(features),
                    .offsets = view(offsets),
                    .documents = everyone,
                    .dimensions = static_cast<size_t>(dimensions),
                    .weights = view(weights)};
    ContainmentRule rule{share, view(rarity), view(sums), view(eligible)};
    require(!rule.is_on() || rule.sums.size() == rows.count(), "what features and vectors weigh is missing");
    return joined(rows, threshold, rule, frequency, kept, dense, threads);
}

// How many of some documents have each term, if `df` of all documents do.
std::vector<uint32_t> frequency_in(std::span<const uint32_t> documents, std::span<const uint32_t> terms,
                                   std::span<const int64_t> offsets, std::span<const uint32_t> df) {
    Released unlocked;
    std::vector<uint32_t> frequency(df.begin(), df.end());
    std::vector<uint8_t> listed(offsets.size() - 1, 0);
    for (uint32_t document : documents) listed[document] = 1;
    Pace pace;
    for (size_t d = 0; d < listed.size(); ++d) {
        if (listed[d]) continue;
        pace(static_cast<size_t>(offsets[d + 1] - offsets[d]));
        for (int64_t e = offsets[d]; e < offsets[d + 1]; ++e) --frequency[terms[e]];
    }
    return frequency;
}

// Row i is document documents[i], which has the terms [offsets[i], offsets[i+1]), none twice, with their tf.
// By term there are its name, its idf, its `rarity` in containments and its df over all documents.
auto tfidf_pairs(In<uint32_t> terms, In<int32_t> tf, In<int64_t> offsets, In<uint32_t> documents,
                 In<double> by_tf, In<uint64_t> names, In<double> idf, In<uint32_t> rarity, In<uint32_t> df,
                 double threshold, In<uint8_t> eligible, double share, In<uint8_t> kept, int64_t dense,
                 int threads) {
    check_offsets(view(offsets), terms.size());
    size_t dimensions = df.size();
    require(tf.size() == terms.size(), "one tf per term is needed");
    require(names.size() == dimensions && idf.size() == dimensions, "name and idf of every term are needed");
    check_features(view(terms), dimensions);
    for (int32_t times : view(tf))
        require(times >= 0 && static_cast<size_t>(times) < by_tf.size(), "a tf is out of range");
    for (uint32_t document : view(documents))
        require(document + size_t{1} < offsets.size(), "a document is out of range");
    std::vector<uint32_t> frequency = frequency_in(view(documents), view(terms), view(offsets), view(df));
    VectorRows rows{.features = view(terms),
                    .offsets = view(offsets),
                    .documents = view(documents),
                    .dimensions = dimensions,
                    .tf = view(tf),
                    .by_tf = view(by_tf),
                    .idf = view(idf),
                    .names = view(names)};
    ContainmentRule rule{share, view(rarity), {}, view(eligible)};
    return joined(rows, threshold, rule, frequency, kept, dense, threads);
}

// Document i has the terms [offsets[i], offsets[i+1]) below `dimensions`, none twice.
auto inverted_pairs(In<uint32_t> terms, In<double> weights, In<int64_t> offsets, int64_t dimensions,
                    int formula, double least, int threads) {
    check_offsets(view(offsets), terms.size());
    require(formula >= 0 && formula < InvertedTable::kFormulas, "there is no such formula");
    require(weights.size() == terms.size(), "one weight per term is needed");
    require(offsets.size() - 1 < UINT32_MAX, "there are too many documents");
    for (size_t i = 0; i < terms.size(); ++i) require(terms.data()[i] < dimensions, "a term is out of range");
    std::vector<uint32_t> left, right;
    std::vector<double> score;
    {
        Released unlocked;
        InvertedTable table(view(terms), view(weights), view(offsets), static_cast<size_t>(dimensions));
        for (const InvertedTable::Pair& pair :
             table.pairs(static_cast<InvertedTable::Formula>(formula), least, threads)) {
            left.push_back(pair.left);
            right.push_back(pair.right);
            score.push_back(pair.score);
        }
    }
    return std::make_tuple(give(std::move(left)), give(std::move(right)), give(std::move(score)));
}

// The common part of each pair of weighted lists.
auto overlaps(In<uint64_t> features, In<double> weights, In<int64_t> offsets, In<uint32_t> left,
              In<uint32_t> right, int threads) {
    check_offsets(view(offsets), features.size());
    require(weights.size() == features.size(), "one weight per feature is needed");
    require(left.size() == right.size(), "left and right differ in length");
    for (size_t i = 0; i < left.size(); ++i)
        require(left.data()[i] + size_t{1} < offsets.size() && right.data()[i] + size_t{1} < offsets.size(),
                "a document number is out of range");
    Overlaps found(0);
    {
        Released unlocked;
        found = WeightedLists(view(features), view(weights), view(offsets))
                    .overlaps(view(left), view(right), threads);
    }
    return std::make_tuple(give(std::move(found.shared)), give(std::move(found.product)),
                           give(std::move(found.lesser)));
}

}  // namespace

void bind_near(nb::module_& m) {
    using namespace nb::literals;
    m.def("hamming_pairs", &hamming_pairs, "fingerprints"_a, "distance"_a, "threads"_a);
    m.def("add_features", &add_features, "grouper"_a, "store"_a, "documents"_a, "sample"_a);
    m.def("sharing", &sharing, "store"_a, "left"_a, "right"_a, "part"_a, "threads"_a);
    m.def("chains", &chains, "offsets"_a, "documents"_a, "lengths"_a, "ratio"_a);
    m.def("chain_pairs", &chain_pairs, "offsets"_a, "documents"_a, "lengths"_a, "ratio"_a);
    m.def("cosine_pairs", &cosine_pairs, "features"_a, "weights"_a, "offsets"_a, "dimensions"_a,
          "threshold"_a, "rarity"_a, "sums"_a, "eligible"_a, "share"_a, "kept"_a, "dense"_a, "threads"_a);
    m.def("tfidf_pairs", &tfidf_pairs, "terms"_a, "tf"_a, "offsets"_a, "documents"_a, "by_tf"_a, "names"_a,
          "idf"_a, "rarity"_a, "df"_a, "threshold"_a, "eligible"_a, "share"_a, "kept"_a, "dense"_a,
          "threads"_a);
    m.def("inverted_pairs", &inverted_pairs, "terms"_a, "weights"_a, "offsets"_a, "dimensions"_a, "formula"_a,
          "least"_a, "threads"_a);
    m.def("overlaps", &overlaps, "features"_a, "weights"_a, "offsets"_a, "left"_a, "right"_a, "threads"_a);
}

}  // namespace twinset
