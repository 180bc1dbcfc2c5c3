// Where the words of a text lie, in characters (code points): a word reaches from its first character to the
// marks and joiners behind its last. Kept as bits, two for every character, so that places can be told
// without the text.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <vector>

#include "bit_places.hpp"
#include "blocks.hpp"
#include "normalise.hpp"
#include "span_run.hpp"
#include "stop.hpp"
#include "utf8.hpp"
#include "words.hpp"

namespace twinset {

// Of 64 characters, those that words begin with, and those that words have ended before.
struct WordMask {
    uint64_t begins = 0, ends = 0;
};
// A word may end behind the last character.
inline size_t masks_of(size_t characters) { return characters / 64 + 1; }

// Goes through a text and gives the masks of its characters.
template <class Give>
class WordMasks {
  public:
    // Calls give(mask) with all masks; how many characters the text has.
    static int64_t make(const uint8_t* p, const uint8_t* end, Give& give) {
        WordMasks masks(give);
        Pace pace;
        while (p < end) {
            pace();
            size_t ascii = ascii_before(p, end);
            if (ascii) masks.take_ascii(p, end, ascii), p += ascii;
            if (ascii == kBlock || p == end) continue;
            Decoded one = decode(p, end);
            masks.take(property_of(one.code).kind);
            p += one.size;
        }
        masks.close();
        masks.give_(masks.mask_);
        return masks.at_;
    }

  private:
    explicit WordMasks(Give& give) : give_(give) {}

    static constexpr size_t kBlock = 64;

    // How many of the next 64 bytes stand before the first that is not ASCII.
    static size_t ascii_before(const uint8_t* p, const uint8_t* end) {
        size_t most = std::min(kBlock, static_cast<size_t>(end - p)), at = 0;
        for (; at + 8 <= most; at += 8) {
            uint64_t eight;
            std::memcpy(&eight, p + at, sizeof eight);
            if (uint64_t high = eight & 0x8080808080808080ull) return at + first_byte(high);
        }
        while (at < most && p[at] < 0x80) ++at;
        return at;
    }
    static size_t first_byte(uint64_t bits) {
        int zeros =
            std::endian::native == std::endian::little ? std::countr_zero(bits) : std::countl_zero(bits);
        return static_cast<size_t>(zeros / 8);
    }

    // At most 64 ASCII bytes.
    void take_ascii(const uint8_t* p, const uint8_t* end, size_t count) {
        if (solo_) close();
        uint8_t lowered[kBlock], copy[kBlock] = {};
        if (end - p < static_cast<ptrdiff_t>(kBlock)) p = static_cast<uint8_t*>(std::memcpy(copy, p, count));
        uint64_t own = ~uint64_t{0} >> (kBlock - count);
        uint64_t word = VectorBlock::read(p, lowered).word & own, shifted = word << 1 | uint64_t{inside_};
        uint64_t begins = word & ~shifted, ends = ~word & shifted & own;
        size_t past = static_cast<size_t>(at_) % kBlock;
        mask_.begins |= begins << past, mask_.ends |= ends << past;
        if (past + count >= kBlock) {
            give_(mask_);
            mask_ = past ? WordMask{begins >> (kBlock - past), ends >> (kBlock - past)} : WordMask{};
        }
        at_ += static_cast<int64_t>(count);
        inside_ = word >> (count - 1) & 1;
    }

    void take(uint8_t kind) {
        bool goes_on = kind == kDropped || (kind == kMark && inside_) || (kind == kWord && inside_ && !solo_);
        if (!goes_on) {
            close();
            if (kind == kWord || kind == kSolo) {
                inside_ = true, solo_ = kind == kSolo;
                mask_.begins |= bit();
            }
        }
        if ((++at_ & 63) == 0) give_(mask_), mask_ = {};
    }
    void close() {
        if (inside_) mask_.ends |= bit();
        inside_ = false, solo_ = false;
    }
    uint64_t bit() const { return uint64_t{1} << (at_ & 63); }

    Give& give_;
    WordMask mask_;
    int64_t at_ = 0;
    bool inside_ = false, solo_ = false;
};

// Says where runs of words lie, of which each begins and ends behind the one before it.
class WordPlaces {
  public:
    static void set(const uint8_t* p, const uint8_t* end, std::span<SpanRun> runs) {
        std::vector<WordMask> masks;
        auto give = [&](const WordMask& mask) { masks.push_back(mask); };
        WordMasks<decltype(give)>::make(p, end, give);
        set(masks, runs);
    }
    static void set(std::span<const WordMask> masks, std::span<SpanRun> runs) {
        Cursor begin{masks, &WordMask::begins}, end{masks, &WordMask::ends};
        for (SpanRun& run : runs) {
            run.start = begin.place(run.begin);
            run.end = end.place(run.past - 1);
            run.units = static_cast<int64_t>(run.past - run.begin);
        }
    }

  private:
    struct Cursor {
        std::span<const WordMask> masks;
        uint64_t WordMask::* bits;
        size_t at = 0, before = 0;  // a mask, and how many words come before it

        int64_t place(size_t word) {
            for (;; ++at) {
                if (at >= masks.size()) throw std::invalid_argument("places of words are missing");
                size_t own = count_bits(masks[at].*bits);
                if (before + own > word) break;
                before += own;
            }
            uint64_t left = masks[at].*bits;
            for (size_t n = word - before; n > 0; --n) left &= left - 1;
            return static_cast<int64_t>(64 * at) + std::countr_zero(left);
        }
    };
};

}  // namespace twinset
