// The doors of the text kernels: words, shingles, sentences, paragraphs, pieces, UTF-8.
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "arrays.hpp"
#include "bindings.hpp"
#include "give_growing.hpp"
#include "page_signs.hpp"
#include "per_document.hpp"
#include "scan.hpp"
#include "sentences.hpp"
#include "shingles.hpp"
#include "sorted_set.hpp"
#include "splitting.hpp"
#include "texts.hpp"
#include "utf8.hpp"
#include "words.hpp"

namespace twinset {
namespace {

struct ShingleWorker {
    Units<VectorBlock> units;
    Growing<uint64_t> rolled;  // stays in the cache, unlike the memory that the features go to
    SortedSet set;
};

auto shingles(In<uint8_t> data, In<int64_t> offsets, int64_t length, int64_t step, int unit, int threads) {
    require(length >= 1, "length must be at least 1");
    require(step >= 1, "step must be at least 1");
    Texts texts(data, offsets);
    require(unit >= 0 && unit <= 2, "unit must be 0 (word), 1 (character) or 2 (sentence)");
    Shape shape{static_cast<uint64_t>(length), static_cast<uint64_t>(step)};
    bool by_char = unit == 1;
    Gathered<uint64_t> all;
    Growing<int64_t> units;
    {
        Released unlocked;
        std::vector<ShingleWorker> workers(std::max(threads, 1));
        size_t guess = texts.bytes() / (by_char ? 1 : 4) / static_cast<size_t>(step);
        PerDocument<uint64_t> features(texts.count, threads, guess);
        int64_t* counts = units.room(texts.count);
        units.grow(texts.count);
        each_document(texts, threads, [&](size_t i, int worker) {
            ShingleWorker& own = workers[worker];
            own.units.read(texts.begin(i), texts.end(i), texts.readable, static_cast<Unit>(unit));
            size_t n = own.units.size();
            counts[i] = static_cast<int64_t>(n);
            uint64_t* rolled = own.rolled.room(shingle_count(n, shape));
            size_t made = roll_shingles(own.units.data(), n, shape, rolled);
            Growing<uint64_t>& out = features.begin(i, worker);
            out.grow(own.set.sort(rolled, made, out.room(made)));
            features.finish(i);
        });
        all = features.gather();
    }
    return std::make_tuple(give(std::move(all.values)), give(std::move(all.offsets)), give(std::move(units)));
}

template <class Block>
void canonical_words(const Texts& texts, size_t i, Tokeniser<Block>& words, Growing<uint8_t>& bytes,
                     Growing<int64_t>& lengths) {
    for (const uint8_t* p = texts.begin(i); p < texts.end(i);) {
        const uint8_t* cut = piece_end(p, texts.end(i), Tokeniser<Block>::kPiece);
        words.read(p, cut, texts.readable);
        bytes.grow(words.copy(bytes.room(words.copy_size())));
        int64_t* length = lengths.room(words.size());
        for (size_t w = 0; w < words.size(); ++w) length[w] = static_cast<int64_t>(words.length(w));
        lengths.grow(words.size());
        p = cut;
        if (p < texts.end(i)) stop_point();
    }
}

template <class Block>
std::tuple<Growing<uint8_t>, Growing<int64_t>, Growing<int64_t>> all_words(const Texts& texts, int threads) {
    std::vector<Tokeniser<Block>> workers(std::max(threads, 1));
    PerDocument<uint8_t> bytes(texts.count, threads, texts.bytes());
    PerDocument<int64_t> lengths(texts.count, threads, texts.bytes() / 4);
    each_document(texts, threads, [&](size_t i, int worker) {
        canonical_words(texts, i, workers[worker], bytes.begin(i, worker), lengths.begin(i, worker));
        bytes.finish(i);
        lengths.finish(i);
    });
    Gathered<int64_t> counted = lengths.gather();
    size_t count = counted.values.size();
    Growing<int64_t> ends;
    ends.reserve(count + 1);
    int64_t* end = ends.data();
    ends.grow(count + 1);
    end[0] = 0;
    for (size_t w = 0; w < count; ++w) end[w + 1] = end[w] + counted.values.data()[w];
    return {bytes.gather().values, std::move(ends), std::move(counted.offsets)};
}

// `plain` takes the path without vector instructions: the tests hold one against the other.
auto words(In<uint8_t> data, In<int64_t> offsets, int threads, bool plain) {
    Texts texts(data, offsets);
    std::tuple<Growing<uint8_t>, Growing<int64_t>, Growing<int64_t>> all;
    {
        Released unlocked;
        all = plain ? all_words<PlainBlock>(texts, threads) : all_words<VectorBlock>(texts, threads);
    }
    auto& [bytes, word_offsets, document_offsets] = all;
    return std::make_tuple(give(std::move(bytes)), give(std::move(word_offsets)),
                           give(std::move(document_offsets)));
}

auto parts(In<uint8_t> data, In<int64_t> offsets, int threads, Parts kind) {
    Texts texts(data, offsets);
    Gathered<int64_t> all;
    {
        Released unlocked;
        PerDocument<int64_t> first_words(texts.count, threads);
        each_document(texts, threads, [&](size_t i, int worker) {
            PartFinder(kind).read(texts.begin(i), texts.end(i), first_words.begin(i, worker));
            first_words.finish(i);
        });
        all = first_words.gather();
    }
    return std::make_tuple(give(std::move(all.values)), give(std::move(all.offsets)));
}

auto sentences(In<uint8_t> data, In<int64_t> offsets, int threads) {
    return parts(data, offsets, threads, Parts::kSentences);
}

auto paragraphs(In<uint8_t> data, In<int64_t> offsets, int threads) {
    return parts(data, offsets, threads, Parts::kParagraphs);
}

// The bytes of the pieces of all documents, where each ends, their places, and where those of a document end.
auto split_texts(In<uint8_t> data, In<int64_t> offsets, int level, int64_t size, int threads) {
    require(level >= 0 && level <= 3, "level must be 0 (line), 1 (paragraph), 2 (sentence) or 3 (window)");
    require(size >= 1, "size must be at least 1");
    Texts texts(data, offsets);
    Gathered<Piece> all;
    Growing<uint8_t> bytes;
    Growing<int64_t> ends, places;
    {
        Released unlocked;
        PerDocument<Piece> pieces(texts.count, threads);
        each_document(texts, threads, [&](size_t i, int worker) {
            Splitter(static_cast<PieceKind>(level), size, pieces.begin(i, worker))
                .read(texts.begin(i), texts.end(i));
            pieces.finish(i);
        });
        all = pieces.gather();
        size_t count = all.values.size();
        const Piece* piece = all.values.data();
        int64_t* end = ends.room(count + 1);
        int64_t* place = places.room(2 * count);
        ends.grow(count + 1), places.grow(2 * count);
        end[0] = 0;
        for (size_t n = 0; n < count; ++n) {
            end[n + 1] = end[n] + piece[n].size;
            place[n] = piece[n].start, place[count + n] = piece[n].end;
        }
        uint8_t* to = bytes.room(end[count]);
        bytes.grow(end[count]);
        parallel_blocks(count, 1024, threads, [&](size_t first, size_t last, int) {
            for (size_t n = first; n < last; ++n) std::memcpy(to + end[n], piece[n].bytes, piece[n].size);
        });
    }
    return std::make_tuple(give(std::move(bytes)), give(std::move(ends)), give(std::move(places)),
                           give(std::move(all.offsets)));
}

// A paragraph by the hash of its words in order, and what it takes with the line ends behind it: bytes and
// a number of characters.
struct KeyedParagraph {
    uint64_t key;
    int64_t begin, end;
};

struct ParagraphWorker {
    Growing<Piece> pieces;
    Units<VectorBlock> units;
};

auto keyed_paragraphs(In<uint8_t> data, In<int64_t> offsets, int threads) {
    Texts texts(data, offsets);
    Gathered<KeyedParagraph> all;
    Growing<uint64_t> keys;
    Growing<int64_t> places;
    {
        Released unlocked;
        std::vector<ParagraphWorker> workers(std::max(threads, 1));
        PerDocument<KeyedParagraph> paragraphs(texts.count, threads);
        each_document(texts, threads, [&](size_t i, int worker) {
            auto& [pieces, units] = workers[worker];
            pieces.clear();
            Splitter(PieceKind::paragraph, 1, pieces).read(texts.begin(i), texts.end(i));
            Growing<KeyedParagraph>& out = paragraphs.begin(i, worker);
            Pace pace;
            for (const Piece& piece : std::span(pieces.data(), pieces.size())) {
                pace(static_cast<size_t>(piece.size));
                units.read(piece.bytes, piece.bytes + piece.size, texts.readable, Unit::kWord);
                uint64_t key = hash_of_all(units.data(), units.size());
                out.push({key, piece.first - texts.data, piece.last - texts.data});
            }
            paragraphs.finish(i);
        });
        all = paragraphs.gather();
        size_t count = all.values.size();
        uint64_t* key = keys.room(count);
        int64_t* place = places.room(2 * count);
        keys.grow(count), places.grow(2 * count);
        for (size_t n = 0; n < count; ++n) {
            const KeyedParagraph& one = all.values.data()[n];
            key[n] = one.key, place[n] = one.begin, place[count + n] = one.end;
        }
    }
    return std::make_tuple(give(std::move(keys)), give(std::move(places)), give(std::move(all.offsets)));
}

auto valid(In<uint8_t> data, In<int64_t> offsets, int threads) {
    Texts texts(data, offsets);
    std::vector<uint8_t> good(texts.count);
    {
        Released unlocked;
        each_document(texts, threads,
                      [&](size_t i, int) { good[i] = valid_utf8(texts.begin(i), texts.end(i)); });
    }
    return give(std::move(good));
}

auto sorted_unique(In<uint64_t> values) {
    Growing<uint64_t> out;
    {
        Released unlocked;
        std::vector<uint64_t> copy(values.data(), values.data() + values.shape(0));
        out.grow(SortedSet().sort(copy.data(), copy.size(), out.room(copy.size())));
    }
    return give(std::move(out));
}

auto heads(In<uint8_t> data, In<int64_t> offsets, int64_t width) {
    require(width >= 0, "width must not be negative");
    Texts texts(data, offsets);
    size_t columns = static_cast<size_t>(width);
    require(columns < SIZE_MAX / 2 / (texts.count + 1), "width is too large");
    std::vector<uint8_t> out;
    {
        Released unlocked;
        out.resize(texts.count * columns);
        for (size_t i = 0; i < texts.count; ++i) {
            size_t size = texts.end(i) - texts.begin(i);
            size_t kept = head_size(texts.begin(i), size, columns);
            if (kept) std::memcpy(out.data() + i * columns, texts.begin(i), kept);
        }
    }
    return give(std::move(out), texts.count, columns);
}

// 1 for each document that may be a page.
auto may_be_pages(In<uint8_t> data, In<int64_t> offsets, int64_t head, int64_t least_closed,
                  int64_t least_tags, double most_before, double least_in_tags, In<uint8_t> elements) {
    require(head >= 0 && least_closed >= 0 && least_tags >= 0,
            "numbers of characters and tags must not be negative");
    require(most_before >= 0 && most_before <= 1 && least_in_tags >= 0, "shares must be from 0 to 1");
    Texts texts(data, offsets);
    std::vector<uint8_t> may_be(texts.count);
    PageRules rules{static_cast<size_t>(head),
                    static_cast<size_t>(least_closed),
                    static_cast<size_t>(least_tags),
                    most_before,
                    least_in_tags,
                    {}};
    for (const char* name : cut_at_zeros(view(elements))) rules.elements.emplace_back(name);
    std::sort(rules.elements.begin(), rules.elements.end());
    PageSigns signs(std::move(rules));
    {
        Released unlocked;
        Pace pace;
        for (size_t i = 0; i < texts.count; ++i) {
            std::span<const uint8_t> bytes(texts.begin(i), texts.end(i));
            may_be[i] = signs(bytes);
            pace(16 + bytes.size() / 64);
        }
    }
    return give(std::move(may_be));
}

}  // namespace

void bind_text(nb::module_& m) {
    using namespace nb::literals;
    m.attr("unicode_version") = kUnicodeVersion;
    m.def("shingles", &shingles, "data"_a, "offsets"_a, "length"_a, "step"_a, "unit"_a, "threads"_a,
          "Sorted unique shingle hashes of every document, and its units.");
    m.def("words", &words, "data"_a, "offsets"_a, "threads"_a, "plain"_a = false,
          "The canonical words: bytes, offsets of words, offsets of documents.");
    m.def("sentences", &sentences, "data"_a, "offsets"_a, "threads"_a,
          "Number of the first word of every sentence, and offsets of documents.");
    m.def("paragraphs", &paragraphs, "data"_a, "offsets"_a, "threads"_a,
          "Number of the first word of every paragraph, and offsets of documents.");
    m.def("split_texts", &split_texts, "data"_a, "offsets"_a, "level"_a, "size"_a, "threads"_a,
          "Bytes and offsets of the pieces of a level; first the starts and then the ends of all, as "
          "characters; "
          "and offsets of documents.");
    m.def("keyed_paragraphs", &keyed_paragraphs, "data"_a, "offsets"_a, "threads"_a,
          "A hash of the words of every paragraph; the begins of all, then their ends, as bytes; and "
          "offsets of documents.");
    m.def("valid_utf8", &valid, "data"_a, "offsets"_a, "threads"_a, "1 where the bytes are UTF-8.");
    m.def("sorted_unique", &sorted_unique, "values"_a, "Sorted, each once; quickest for hashes.");
    m.def("may_be_pages", &may_be_pages, "data"_a, "offsets"_a, "head"_a, "least_closed"_a, "least_tags"_a,
          "most_before"_a, "least_in_tags"_a, "elements"_a,
          "0 where a text is no HTML page and does not begin with mark-up.");
    m.def("heads", &heads, "data"_a, "offsets"_a, "width"_a,
          "The first bytes of every document, cut between characters, zero padded.");
}

}  // namespace twinset
