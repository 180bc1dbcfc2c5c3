// The words of a document after cleaning, in order, with their bytes: each word is followed by one
// space, so that a run of words (a sentence, a document) is a slice of the bytes.
#pragma once
#include <cstdint>
#include <cstring>
#include <vector>

#include "growing.hpp"
#include "hash_set.hpp"
#include "sentences.hpp"
#include "words.hpp"

namespace twinset {

struct Cleaning {
    size_t least_letters;  // shorter words are dropped
    HashPlaces stop;       // words to be dropped, or only marked
    bool keep_stopped;
};

inline size_t letters_in(const uint8_t* p, size_t n) {
    size_t letters = 0;
    for (size_t i = 0; i < n; ++i) letters += !is_continuation(p[i]);
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
            for (size_t i = 0; i < words_.size(); ++i) take(words_.word(i), words_.length(i), cleaning, bytes_before, to);
            p = cut;
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
    void take(const uint8_t* word, size_t size, const Cleaning& cleaning, size_t bytes_before, TokenLists& to) {
        kept_.push(count_);
        size_t letters = letters_in(word, size);
        uint64_t hash = hash_word(word, size);
        bool stopped = cleaning.stop.holds(hash);
        if (!(stopped && cleaning.keep_stopped) && (stopped || letters < cleaning.least_letters)) return;
        uint8_t* out = to.bytes.room(size + 1);
        std::memcpy(out, word, size);
        out[size] = ' ';
        to.bytes.grow(size + 1);
        to.ends.push(static_cast<int64_t>(to.bytes.size() - bytes_before - 1));
        to.hashes.push(hash);
        to.letters.push(static_cast<int32_t>(letters));
        if (cleaning.keep_stopped) to.stopped.push(stopped);
        ++count_;
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
    void count(const uint64_t* values, size_t n, int64_t base, Growing<int64_t>& first, Growing<int32_t>& times,
               int64_t* entry) {
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
