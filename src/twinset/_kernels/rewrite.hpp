// Texts written anew from a vocabulary: the words of a document by their numbers, one space between
// two, a full stop where a sentence ends. Reading such a text gives these words and sentences again.
#pragma once
#include <cstdint>
#include <cstring>

#include "growing.hpp"
#include "stop.hpp"

namespace twinset {

// Words of a vocabulary: word i is [bytes + offsets[i], bytes + offsets[i+1]).
struct Vocabulary {
    const uint8_t* bytes;
    const int64_t* offsets;
};

// Appends the words [first, last) of `numbers`; `sentence` is the first sentence start that may lie
// inside, `end` one past the last.
inline void write_document(const Vocabulary& vocabulary, const int64_t* numbers, int64_t first, int64_t last,
                           const int64_t* sentence, const int64_t* end, Growing<uint8_t>& out) {
    constexpr int64_t kPiece = 1 << 16;
    while (sentence < end && *sentence <= first) ++sentence;
    for (int64_t piece = first; piece < last; piece += kPiece) {
        stop_point();
        int64_t stop = piece + kPiece < last ? piece + kPiece : last;
        for (int64_t i = piece; i < stop; ++i) {
            const int64_t* place = vocabulary.offsets + numbers[i];
            size_t size = static_cast<size_t>(place[1] - place[0]);
            bool ends = sentence < end && *sentence == i;
            if (ends) ++sentence;
            uint8_t* to = out.room(size + 2);
            size_t before = 0;
            if (ends) to[before++] = '.';
            if (i > first) to[before++] = ' ';
            std::memcpy(to + before, vocabulary.bytes + place[0], size);
            out.grow(before + size);
        }
    }
}

}  // namespace twinset
