// Hashes of shingles: `length` consecutive units, starts `step` apart, as a rolling sum over the
// hashes of the units. Units are words, the characters of the words joined by single spaces, or
// sentences; the hash of a sentence is that of the shingle of all its words.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

#include "growing.hpp"
#include "hash.hpp"
#include "mix_many.hpp"
#include "sentences.hpp"
#include "stop.hpp"
#include "utf8.hpp"
#include "word_hash.hpp"
#include "words.hpp"

namespace twinset {

struct Shape {
    uint64_t length = 5;
    uint64_t step = 1;
};

// In the order of the names in Python.
enum class Unit { kWord, kCharacter, kSentence };

inline constexpr uint64_t hash_character(uint32_t code) { return mix(code * kGolden + 1); }

inline constexpr auto kAsciiHashes = [] {
    std::array<uint64_t, 128> hashes{};
    for (uint32_t code = 0; code < 128; ++code) hashes[code] = hash_character(code);
    return hashes;
}();

// Writes the hash of every word. (Neither a part of a larger function, whose loop would run out of
// registers, nor with a call per word: each takes twice the time.)
template <class Block>
[[gnu::noinline]] void hash_words(const Tokeniser<Block>& words, uint64_t* to) {
    make_mixed(to, words.size(), 0, [&](size_t i) __attribute__((always_inline)) {
        return fold_padded_word(words.word(i), words.length(i));
    });
}

// The shingle of all these units.
inline uint64_t hash_of_all(const uint64_t* units, size_t count) {
    uint64_t rolling = 0;
    for (size_t i = 0; i < count; ++i) rolling = rolling * kShingle + units[i];
    return finish_shingle(rolling, count);
}

// The unit hashes of a document, in order.
template <class Block>
class Units {
  public:
    [[gnu::noinline]] void read(const uint8_t* p, const uint8_t* end, const uint8_t* readable, Unit unit) {
        hashes_.clear();
        const uint8_t* text = p;
        while (p < end) {
            const uint8_t* cut = piece_end(p, end, Tokeniser<Block>::kPiece);
            words_.read(p, cut, readable);
            unit == Unit::kCharacter ? add_characters() : add_words();
            p = cut;
            if (p < end) stop_point();
        }
        if (unit == Unit::kSentence) fold_sentences(text, end);
    }

    const uint64_t* data() const { return hashes_.data(); }
    size_t size() const { return hashes_.size(); }

  private:
    void add_words() {
        uint64_t* to = hashes_.room(words_.size());
        hash_words(words_, to);
        hashes_.grow(words_.size());
    }

    void add_characters() {
        uint64_t* to = hashes_.room(words_.copy_size() + words_.size());
        uint64_t* start = to;
        for (size_t i = 0; i < words_.size(); ++i) {
            if (i || hashes_.size()) *to++ = kAsciiHashes[' '];
            const uint8_t* end = words_.word(i) + words_.length(i);
            for (const uint8_t* at = words_.word(i); at < end;) {
                Decoded one = decode(at, end);
                *to++ = one.code < 128 ? kAsciiHashes[one.code] : hash_character(one.code);
                at += one.size;
            }
        }
        hashes_.grow(to - start);
    }

    // The words of each sentence become its one hash, which is written over words already read.
    void fold_sentences(const uint8_t* text, const uint8_t* end) {
        first_words_.clear();
        PartFinder(Parts::kSentences).read(text, end, first_words_);
        size_t sentences = first_words_.size(), words = hashes_.size();
        uint64_t* hashes = hashes_.data();
        for (size_t s = 0; s < sentences; ++s) {
            size_t begin = static_cast<size_t>(first_words_.data()[s]);
            size_t stop = s + 1 < sentences ? static_cast<size_t>(first_words_.data()[s + 1]) : words;
            hashes[s] = hash_of_all(hashes + begin, stop - begin);
        }
        hashes_.clear();
        hashes_.grow(sentences);
    }

    Tokeniser<Block> words_;
    Growing<uint64_t> hashes_;
    Growing<int64_t> first_words_;
};

inline size_t shingle_count(size_t units, const Shape& shape) {
    if (units == 0) return 0;
    return units <= shape.length ? 1 : (units - shape.length) / shape.step + 1;
}

// The rolling sum over `length` units, pushed on by one unit at a time.
class RollingSum {
  public:
    RollingSum(const uint64_t* units, uint64_t length) : units_(units), length_(length) {
        for (uint64_t i = 0; i < length; ++i) {
            sum_ = sum_ * kShingle + units[i];
            leaving_ *= kShingle;
        }
    }
    uint64_t sum() const { return sum_; }
    // From the shingle that starts at `start` to the next one.
    uint64_t next(size_t start) {
        return sum_ = sum_ * kShingle + units_[start + length_] - units_[start] * leaving_;
    }

  private:
    const uint64_t* units_;
    uint64_t length_;
    uint64_t sum_ = 0;
    uint64_t leaving_ = 1;  // the power that the first unit has when it leaves
};

// Writes the hashes of all shingles of n units and returns how many there are. (Not inlined: inside
// a larger function its loop runs out of registers and takes twice the time.)
[[gnu::noinline]] inline size_t roll_shingles(const uint64_t* units, size_t n, const Shape& shape,
                                              uint64_t* out) {
    if (n == 0) return 0;
    uint64_t length = std::min<uint64_t>(n, shape.length);
    RollingSum rolling(units, length);
    size_t count = shingle_count(n, shape);
    uint64_t salt = length * kGolden;  // finish_shingle, its mix done by make_mixed
    out[0] = mix(rolling.sum() ^ salt);
    if (shape.step == 1) {
        make_mixed(out + 1, count - 1, salt,
                   [&](size_t i) __attribute__((always_inline)) { return rolling.next(i); });
        return count;
    }
    size_t start = 0;
    for (size_t i = 1; i < count; ++i) {
        while (start < i * shape.step) rolling.next(start++);
        out[i] = mix(rolling.sum() ^ salt);
    }
    return count;
}

}  // namespace twinset
