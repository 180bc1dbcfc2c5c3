// A document as a stream of units, each a whole number: equal units have equal numbers. Words are those of
// words.hpp by the hash that features are made of, characters and bytes are themselves.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hash.hpp"
#include "stop.hpp"
#include "utf8.hpp"
#include "word_hash.hpp"
#include "words.hpp"

namespace twinset {

enum class GramUnit : int { word = 0, character = 1, byte = 2 };

class UnitReader {
  public:
    explicit UnitReader(GramUnit unit) : unit_(unit) {}

    GramUnit unit() const { return unit_; }

    // Begins a document; memory may be read up to `readable` >= end.
    void begin(const uint8_t* p, const uint8_t* end, const uint8_t* readable) {
        p_ = p, end_ = end, readable_ = readable;
    }

    // Appends the units of the next piece; false where there is none.
    bool read(std::vector<uint64_t>& units) {
        if (p_ >= end_) return false;
        stop_point();
        if (unit_ == GramUnit::word) read_words(units);
        else if (unit_ == GramUnit::character) read_characters(units);
        else read_bytes(units);
        return true;
    }

  private:
    static constexpr ptrdiff_t kPiece = Tokeniser<VectorBlock>::kPiece;

    void read_words(std::vector<uint64_t>& units) {
        const uint8_t* cut = piece_end(p_, end_, kPiece);
        words_.read(p_, cut, readable_);
        size_t before = units.size(), count = words_.size();
        units.resize(before + count);
        for (size_t i = 0; i < count; ++i)
            units[before + i] = mix(fold_padded_word(words_.word(i), words_.length(i)));
        p_ = cut;
    }

    void read_characters(std::vector<uint64_t>& units) {
        const uint8_t* stop = end_ - p_ > kPiece ? p_ + kPiece : end_;
        size_t before = units.size(), count = 0;
        units.resize(before + static_cast<size_t>(stop - p_));
        uint64_t* out = units.data() + before;
        while (p_ < stop) {
            Decoded one = decode(p_, end_);
            out[count++] = uint64_t{one.code} + 1;
            p_ += one.size;
        }
        units.resize(before + count);
    }

    void read_bytes(std::vector<uint64_t>& units) {
        const uint8_t* stop = end_ - p_ > kPiece ? p_ + kPiece : end_;
        for (; p_ < stop; ++p_) units.push_back(uint64_t{*p_} + 1);
    }

    GramUnit unit_;
    const uint8_t* p_ = nullptr;
    const uint8_t* end_ = nullptr;
    const uint8_t* readable_ = nullptr;
    Tokeniser<VectorBlock> words_;
};

}  // namespace twinset
