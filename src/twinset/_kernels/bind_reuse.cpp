// The doors of the kernels that find passages which two sides share: an index of one side, through which
// the documents of the other are put batch by batch. A call works in the thread that called it; others
// work on other batches meanwhile.
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "arrays.hpp"
#include "bindings.hpp"
#include "give_growing.hpp"
#include "reuse_anchors.hpp"
#include "reuse_chains.hpp"
#include "reuse_index.hpp"
#include "texts.hpp"
#include "word_places.hpp"

namespace twinset {
namespace {

Words checked_words(const In<uint64_t>& words, const In<int64_t>& offsets) {
    check_offsets(view(offsets), words.size());
    size_t first = static_cast<size_t>(offsets.data()[0]);
    size_t past = static_cast<size_t>(offsets.data()[offsets.size() - 1]);
    require(past - first <= kMostWords, "there are too many words");
    return view(words).subspan(first, past - first);
}

// The index together with the arrays that it looks into.
class ReuseIndex {
  public:
    ReuseIndex(In<uint64_t> words, In<int64_t> offsets, int64_t seed, int64_t most, int threads)
        : words_(words), offsets_(offsets) {
        require(seed >= 1 && seed <= UINT16_MAX, "a seed has too few or too many words");
        require(most >= 0 && most < UINT32_MAX, "there cannot be so many documents");
        Words all = checked_words(words, offsets);
        Released unlocked;
        index_.emplace(all, view(offsets), static_cast<size_t>(seed), static_cast<uint32_t>(most), threads);
    }
    ReuseIndex(const ReuseIndex&) = delete;
    ReuseIndex& operator=(const ReuseIndex&) = delete;

    bool needs_count() const { return index_->needs_count(); }
    int64_t dropped() const { return index_->dropped(); }

    // Counts in how many documents of the other side frequent runs stand.
    void count(In<uint64_t> words, In<int64_t> offsets) {
        checked_words(words, offsets);
        ListsOf<uint64_t> documents(words, offsets);
        Released unlocked;
        std::vector<const SeedIndex::Entry*> met;
        for (size_t d = 0; d < documents.count; ++d) {
            stop_point();
            met.clear();
            each_seed(documents[d], index_->seed(), [&](size_t, uint64_t key) {
                const SeedIndex::Entry* entry = index_->find(key);
                if (entry && index_->is_frequent(*entry)) met.push_back(entry);
            });
            stoppable_sort(met.begin(), met.end());
            met.erase(std::unique(met.begin(), met.end()), met.end());
            for (const SeedIndex::Entry* entry : met) index_->count(*entry);
        }
    }

    // Passages by document of the other side, then of the index: both documents, where they begin and end
    // on both sides, and their equal runs.
    auto search(In<uint64_t> words, In<int64_t> offsets, int64_t least, int64_t gap) const {
        require(least >= 1 && least <= INT32_MAX && gap >= 0 && gap <= INT32_MAX,
                "a length is out of bounds");
        checked_words(words, offsets);
        ListsOf<uint64_t> documents(words, offsets);
        std::array<Growing<int64_t>, 6> rows;
        Growing<int64_t> ends;
        std::array<Growing<int64_t>, 3> runs;
        {
            Released unlocked;
            AnchorFinder finder(*index_);
            Chainer chainer(static_cast<uint32_t>(index_->seed()), static_cast<uint32_t>(least),
                            static_cast<uint32_t>(gap));
            std::vector<Chain> chains;
            for (size_t d = 0; d < documents.count; ++d) {
                stop_point();
                const std::vector<Anchor>& anchors = finder.find(documents[d]);
                for (size_t i = 0, j; i < anchors.size(); i = j) {
                    for (j = i + 1; j < anchors.size() && anchors[j].document == anchors[i].document;) ++j;
                    chains.clear();
                    chainer.find(index_->document(anchors[i].document), documents[d],
                                 std::span(anchors).subspan(i, j - i),
                                 [&](Chain& chain) { chains.push_back(chain); });
                    std::sort(chains.begin(), chains.end(),
                              [](const Chain& a, const Chain& b) { return a.left < b.left; });
                    for (const Chain& chain : chains) {
                        int64_t row[] = {anchors[i].document, static_cast<int64_t>(d),
                                         chain.left,          chain.left_end,
                                         chain.right,         chain.right_end};
                        for (size_t c = 0; c < rows.size(); ++c) rows[c].push(row[c]);
                        for (const EqualRun& run : chain.runs)
                            runs[0].push(run.left), runs[1].push(run.right), runs[2].push(run.size);
                        ends.push(static_cast<int64_t>(runs[0].size()));
                    }
                }
            }
        }
        auto g = [](auto& values) { return give(std::move(values)); };
        return std::make_tuple(g(rows[0]), g(rows[1]), g(rows[2]), g(rows[3]), g(rows[4]), g(rows[5]),
                               g(ends), g(runs[0]), g(runs[1]), g(runs[2]));
    }

  private:
    In<uint64_t> words_;
    In<int64_t> offsets_;
    std::optional<SeedIndex> index_;
};

// The characters at which words of some documents begin and end. Words are named by document and number,
// in order, each once.
auto word_places(In<uint8_t> data, In<int64_t> offsets, In<int64_t> document, In<int64_t> word) {
    Texts texts(data, offsets);
    require(document.size() == word.size(), "every word needs its document");
    std::vector<int64_t> starts(word.size()), ends(word.size());
    for (size_t i = 0; i < word.size(); ++i) {
        require(document.data()[i] >= 0 && static_cast<size_t>(document.data()[i]) < texts.count,
                "there is no such document");
        require(word.data()[i] >= 0, "there is no such word");
        bool rises = !i || document.data()[i] > document.data()[i - 1] ||
                     (document.data()[i] == document.data()[i - 1] && word.data()[i] > word.data()[i - 1]);
        require(rises, "words are not in order");
    }
    {
        Released unlocked;
        std::vector<SpanRun> runs;
        for (size_t i = 0, j; i < word.size(); i = j) {
            stop_point();
            runs.clear();
            for (j = i; j < word.size() && document.data()[j] == document.data()[i]; ++j) {
                auto at = static_cast<size_t>(word.data()[j]);
                runs.push_back({{}, at, at + 1});
            }
            auto d = static_cast<size_t>(document.data()[i]);
            WordPlaces::set(texts.begin(d), texts.end(d), runs);
            for (size_t k = i; k < j; ++k) starts[k] = runs[k - i].start, ends[k] = runs[k - i].end;
        }
    }
    return std::make_tuple(give(std::move(starts)), give(std::move(ends)));
}

}  // namespace

void bind_reuse(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<ReuseIndex>(m, "ReuseIndex")
        .def(nb::init<In<uint64_t>, In<int64_t>, int64_t, int64_t, int>(), "words"_a, "offsets"_a, "seed"_a,
             "most"_a, "threads"_a)
        .def("count", &ReuseIndex::count, "words"_a, "offsets"_a)
        .def("search", &ReuseIndex::search, "words"_a, "offsets"_a, "least"_a, "gap"_a)
        .def_prop_ro("needs_count", &ReuseIndex::needs_count)
        .def_prop_ro("dropped", &ReuseIndex::dropped);
    m.def("word_places", &word_places, "data"_a, "offsets"_a, "document"_a, "word"_a);
}

}  // namespace twinset
