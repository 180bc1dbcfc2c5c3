// Hashes of shingles: `length` consecutive units, starts `step` apart, as a rolling sum over the
// hashes of the units. Units are words, or the characters of the words joined by single spaces.
#pragma once
#include <cstdint>

#include "growing.hpp"
#include "hash.hpp"
#include "utf8.hpp"
#include "words.hpp"

namespace twinset {

struct Shape {
    uint64_t length = 5;
    uint64_t step = 1;
    bool by_char = false;
};

inline uint64_t hash_character(uint32_t code) { return mix(code * kGolden + 1); }

// The unit hashes of a document, in order.
template <class Block>
class Units {
public:
    void read(const uint8_t* p, const uint8_t* end, const uint8_t* readable, bool by_char) {
        hashes_.clear();
        while (p < end) {
            const uint8_t* cut = piece_end(p, end, Tokeniser<Block>::kPiece);
            words_.read(p, cut, readable);
            by_char ? add_characters() : add_words();
            p = cut;
        }
    }

    const uint64_t* data() const { return hashes_.data(); }
    size_t size() const { return hashes_.size(); }

private:
    void add_words() {
        uint64_t* to = hashes_.room(words_.size());
        for (size_t i = 0; i < words_.size(); ++i)
            to[i] = hash_word(words_.word(i), words_.length(i));
        hashes_.grow(words_.size());
    }

    void add_characters() {
        for (size_t i = 0; i < words_.size(); ++i) {
            if (hashes_.size()) hashes_.push(hash_character(' '));
            const uint8_t* at = words_.word(i);
            const uint8_t* end = at + words_.length(i);
            while (at < end) {
                Decoded one = decode(at, end);
                hashes_.push(hash_character(one.code));
                at += one.size;
            }
        }
    }

    Tokeniser<Block> words_;
    Growing<uint64_t> hashes_;
};

inline size_t shingle_count(size_t units, const Shape& shape) {
    if (units == 0) return 0;
    return units <= shape.length ? 1 : (units - shape.length) / shape.step + 1;
}

// Writes the hashes of all shingles of n units and returns how many there are.
inline size_t roll_shingles(const uint64_t* unit, size_t n, const Shape& shape, uint64_t* out) {
    if (n == 0) return 0;
    uint64_t length = std::min<uint64_t>(n, shape.length);
    uint64_t rolling = 0, leaving = 1;
    for (size_t i = 0; i < length; ++i) {
        rolling = rolling * kShingle + unit[i];
        leaving *= kShingle;
    }
    uint64_t* start = out;
    *out++ = finish_shingle(rolling, length);
    uint64_t wait = shape.step;
    for (size_t i = length; i < n; ++i) {
        rolling = rolling * kShingle + unit[i] - unit[i - length] * leaving;
        if (--wait) continue;
        wait = shape.step;
        *out++ = finish_shingle(rolling, length);
    }
    return out - start;
}

}  // namespace twinset
