// The words of a document after cleaning, in order, with their bytes: each word is followed by one
// space, so that a run of words (a sentence, a document) is a slice of the bytes.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "growing.hpp"
#include "hash_set.hpp"
#include "sentences.hpp"
#include "stop.hpp"
#include "word_hash.hpp"
#include "words.hpp"

namespace twinset {

struct Cleaning {
    size_t least_letters;  // shorter words are dropped
    HashPlaces stop;       // words to be dropped, or only marked
    bool keep_stopped;
};

// Characters of a word that lies in memory with eight readable bytes behind it.
inline size_t letters_in(const uint8_t* p, size_t n) {
    size_t letters = n;
    for (size_t at = 0; at < n; at += 8) {
        uint64_t eight = load8(p + at);
        if (n - at < 8) eight &= (1ull << 8 * (n - at)) - 1;
        letters -= static_cast<size_t>(std::popcount(eight & ~(eight << 1) & 0x8080808080808080ull));
    }
    return letters;
}

// Where the tokens of a document go; ends and sentences count from the document's own beginning.
struct TokenLists {
    Growing<uint8_t>& bytes;
    Growing<int64_t>& ends;
    Growing<uint64_t>& hashes;
    Growing<int32_t>& letters;
    Growing<uint8_t>& stopped;
};

class TokenReader {
  public:
    void read(const uint8_t* p, const uint8_t* end, const uint8_t* readable, const Cleaning& cleaning,
              TokenLists to) {
        kept_.clear();
        count_ = 0;
        size_t bytes_before = to.bytes.size();
        while (p < end) {
            const uint8_t* cut = piece_end(p, end, Tokeniser<VectorBlock>::kPiece);
            words_.read(p, cut, readable);
            take(cleaning, bytes_before, to);
            p = cut;
            if (p < end) stop_point();
        }
    }

    // First kept word of every sentence that has one.
    void sentences(const uint8_t* p, const uint8_t* end, Growing<int64_t>& firsts) {
        starts_.clear();
        PartFinder(Parts::kSentences).read(p, end, starts_);
        for (size_t s = 0; s < starts_.size(); ++s) {
            int64_t begin = before(starts_.data()[s]);
            int64_t stop = s + 1 < starts_.size() ? before(starts_.data()[s + 1]) : count_;
            if (begin < stop) firsts.push(begin);
        }
    }

  private:
    static constexpr size_t kCopied = 16;

    // Most words are copied by one load and store; there is room behind both places.
    static void copy_word(const uint8_t* word, size_t size, uint8_t* out) {
        std::memcpy(out, word, kCopied);
        if (size > kCopied) std::memcpy(out + kCopied, word + kCopied, size - kCopied);
    }

    // The words of a piece; room is made once for all of them.
    void take(const Cleaning& cleaning, size_t bytes_before, TokenLists& to) {
        size_t words = words_.size();
        if (!words) return;
        size_t most =
            static_cast<size_t>(words_.word(words - 1) + words_.length(words - 1) - words_.word(0)) + words +
            kCopied;
        uint8_t* const bytes = to.bytes.room(most);
        int64_t* ends = to.ends.room(words);
        uint64_t* hashes = to.hashes.room(words);
        int32_t* letters = to.letters.room(words);
        uint8_t* stopped = cleaning.keep_stopped ? to.stopped.room(words) : nullptr;
        int64_t* kept = kept_.room(words);
        uint8_t* out = bytes;
        const int64_t base = static_cast<int64_t>(to.bytes.size() - bytes_before);
        const int64_t before = count_;
        size_t n = 0;
        for (size_t i = 0; i < words; ++i) {
            const uint8_t* word = words_.word(i);
            size_t size = words_.length(i), long_ = letters_in(word, size);
            kept[i] = before + static_cast<int64_t>(n);
            bool is_short = long_ < cleaning.least_letters;
            if (is_short && !cleaning.keep_stopped) continue;
            uint64_t hash = mix(fold_padded_word(word, size));
            bool is_stopped = cleaning.stop.holds(hash);
            if (cleaning.keep_stopped ? is_short && !is_stopped : is_stopped) continue;
            copy_word(word, size, out);
            out[size] = ' ';
            out += size + 1;
            ends[n] = base + (out - bytes) - 1;
            hashes[n] = hash;
            letters[n] = static_cast<int32_t>(long_);
            if (stopped) stopped[n] = is_stopped;
            ++n;
        }
        kept_.grow(words);
        to.bytes.grow(static_cast<size_t>(out - bytes));
        to.ends.grow(n), to.hashes.grow(n), to.letters.grow(n);
        if (stopped) to.stopped.grow(n);
        count_ += static_cast<int64_t>(n);
    }

    int64_t before(int64_t word) const {
        return word < static_cast<int64_t>(kept_.size()) ? kept_.data()[word] : count_;
    }

    Tokeniser<VectorBlock> words_;
    Growing<int64_t> kept_;  // kept words before each word
    Growing<int64_t> starts_;
    int64_t count_ = 0;
};

// The distinct values of a list, in order of first appearance.
class DistinctCounter {
  public:
    // first: place of the first appearance + base; entry: for each value its distinct one.
    void count(const uint64_t* values, size_t n, int64_t base, Growing<int64_t>& first,
               Growing<int32_t>& times, int64_t* entry) {
        size_t size = std::bit_ceil(2 * n + 2);
        slots_.assign(size, 0);
        size_t start = times.size();
        uint32_t distinct = 0;
        for (size_t i = 0; i < n; ++i) {
            size_t slot = static_cast<size_t>(values[i] * kGolden >> 20) & (size - 1);
            uint32_t at;
            while ((at = slots_[slot]) && values[first.data()[start + at - 1] - base] != values[i])
                slot = (slot + 1) & (size - 1);
            if (!at) {
                at = slots_[slot] = ++distinct;
                first.push(base + static_cast<int64_t>(i));
                times.push(0);
            }
            ++times.data()[start + at - 1];
            if (entry) entry[i] = at - 1;
        }
    }

  private:
    std::vector<uint32_t> slots_;
};

}  // namespace twinset
