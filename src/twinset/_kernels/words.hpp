// Text to canonical words. A word is a maximal run of letters and digits of any script with their
// marks; a character of a script without spaces (Han, Kana, Thai, Lao, Khmer, Myanmar) and an emoji
// is a word of its own. Canonical: lower case, NFC, without soft hyphens, joiners and variation
// selectors. Everything else separates words, broken UTF-8 as well.
//
// Text is read in pieces that end between words. In ASCII 64 bytes go at once (blocks.hpp, wide.hpp); around
// other characters it goes one by one; a word that NFC may change takes the slow path.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "bit_places.hpp"
#include "blocks.hpp"
#include "hash.hpp"
#include "normalise.hpp"
#include "utf8.hpp"
#include "wide.hpp"

namespace twinset {

// Lower-case bytes of a two-byte character that simply belongs to a word; 0 for all the others.
inline constexpr auto kPlainTwo = [] {
    std::array<uint16_t, 0x800> table{};
    for (uint32_t code = 0x80; code < 0x800; ++code) {
        const Property& one = kRecords[kRecordOf[kBlockOf[code >> 7] * 128 + (code & 127)]];
        uint32_t small = code + one.to_lower;
        if (one.kind != kWord || one.slow || small < 0x80 || small >= 0x800) continue;
        table[code] = static_cast<uint16_t>((0xC0 | small >> 6) | (0x80 | (small & 0x3F)) << 8);
    }
    return table;
}();

// A place where text may be cut without a word on both sides.
inline bool is_cut(const uint8_t* p, const uint8_t* end) {
    if (*p < 0x80) return !is_ascii_word(*p);
    if (is_continuation(*p)) return false;
    uint8_t kind = property_of(decode(p, end).code).kind;
    return kind == kSeparator || kind == kSolo;
}

// Where the piece that starts at p ends: after about `wanted` bytes, later if a word is that long.
inline const uint8_t* piece_end(const uint8_t* p, const uint8_t* end, size_t wanted) {
    if (static_cast<size_t>(end - p) <= wanted) return end;
    for (const uint8_t* at = p + wanted; at > p; --at)
        if (is_cut(at, end)) return at;
    const uint8_t* at = p + wanted + 1;
    while (at < end && !is_cut(at, end)) ++at;
    return at;
}

template <class Block>
class Tokeniser {
  public:
    static constexpr size_t kPiece = 16384;  // its words and their hashes stay in the first cache

    // Finds the words of [p, end), of which nothing depends on what is around; memory may be read
    // up to `readable` >= end.
    void read(const uint8_t* p, const uint8_t* end, const uint8_t* readable) {
        prepare(end - p);
        state_ = kOutside;
        while (p < end) {
            p = read_blocks(p, end, readable);
            if (p < end) p = read_mixed(p, end);
        }
        if (state_ != kOutside) close();
    }

    size_t size() const { return (edge_ - edges_.data()) / 2; }
    const uint8_t* word(size_t i) const { return bytes_.data() + edges_[2 * i]; }
    size_t length(size_t i) const { return edges_[2 * i + 1] - edges_[2 * i]; }
    // Readable bytes after the end of any word: a hash may load more than the word.
    static constexpr size_t kSlack = 128;

    // The words one after another; `to` needs copy_size() bytes. Returns how many were used.
    size_t copy(uint8_t* to) const {
        uint8_t* start = to;
        for (size_t i = 0; i < size(); ++i) {
            size_t n = length(i);
            std::memcpy(to, word(i), 16);  // a fixed size needs no call; most words end within
            if (n > 16) std::memcpy(to + 16, word(i) + 16, n - 16);
            to += n;
        }
        return to - start;
    }
    size_t copy_size() const { return (out_ - bytes_.data()) + 16; }

  private:
    enum State { kOutside, kInWord, kInSolo };

    void prepare(size_t size) {
        if (size > UINT32_MAX / 3 - kSlack) throw std::length_error("a single word is longer than 1 GB");
        // Lower case and NFC make at most three bytes of one; a word takes two edges and a byte.
        if (bytes_.size() < 3 * size + kSlack) bytes_.resize(3 * size + kSlack);
        if (edges_.size() < 2 * size + kSlack) edges_.resize(2 * size + kSlack);
        out_ = bytes_.data();
        edge_ = edges_.data();
    }

    uint32_t place() const { return static_cast<uint32_t>(out_ - bytes_.data()); }
    void open(State state) {
        *edge_++ = place();
        state_ = state;
    }
    void close() {
        *edge_++ = place();
        state_ = kOutside;
    }

    // Goes on while the text is ASCII; returns the first other byte.
    const uint8_t* read_blocks(const uint8_t* p, const uint8_t* end, const uint8_t* readable) {
        uint64_t inside = state_ == kInWord;
        auto read_run = wide_kernels().read_run;
        if (read_run && std::is_same_v<Block, VectorBlock> && end - p >= 128) {
            TextRun run{p, out_, edge_, place(), inside};
            read_run(run, static_cast<size_t>(end - p) / 64);
            p = run.p, out_ = run.out, edge_ = run.edge, inside = run.inside;
        }
        while (p < end) {
            size_t size = std::min<size_t>(64, end - p);
            Masks masks = readable - p >= 64 ? Block::read(p, out_) : read_tail(p, size);
            if (size < 64) masks.high &= (1ull << size) - 1;
            if (masks.high) size = std::countr_zero(masks.high);
            uint64_t edges = masks.word ^ (masks.word << 1 | inside);
            if (size < 64) edges &= (1ull << size) - 1;
            edge_ = write_places(edges, place(), edge_);
            if (size) inside = masks.word >> (size - 1) & 1;
            p += size;
            out_ += size;
            if (masks.high) break;
        }
        state_ = inside ? kInWord : kOutside;
        return p;
    }

    Masks read_tail(const uint8_t* p, size_t size) {
        uint8_t tail[64] = {};
        std::memcpy(tail, p, size);
        return Block::read(tail, out_);
    }

    // Goes on character by character until eight bytes are ASCII.
    const uint8_t* read_mixed(const uint8_t* p, const uint8_t* end) {
        uint8_t rank = 0;  // of the last mark of the word
        while (p < end) {
            if (*p < 0x80) {
                if (end - p >= 8 && eight_ascii(p)) break;
                read_ascii(*p++);
                rank = 0;
                continue;
            }
            const uint8_t* before = p;
            p = read_plain_two(p, end);
            if (p != before) {
                rank = 0;
                continue;
            }
            Decoded one = decode(p, end);
            const Property& property = property_of(one.code);
            if (needs_normalising(property, rank)) {
                p = read_slowly(p, end);
                continue;
            }
            p += one.size;
            take(one.code, property, rank);
        }
        if (state_ == kInSolo) close();
        return p;
    }

    void read_ascii(uint8_t byte) {
        bool in_word = is_ascii_word(byte);
        if (state_ == kInSolo || (state_ == kInWord && !in_word)) close();
        if (!in_word) return;
        if (state_ == kOutside) open(kInWord);
        *out_++ = ascii_lower(byte);
    }

    // Goes on while letters are of two bytes and lower case is all they need.
    const uint8_t* read_plain_two(const uint8_t* p, const uint8_t* end) {
        uint16_t small = plain_two(p, end);
        if (!small) return p;
        if (state_ == kInSolo) close();
        if (state_ == kOutside) open(kInWord);
        uint8_t* out = out_;
        do {
            out[0] = static_cast<uint8_t>(small);
            out[1] = static_cast<uint8_t>(small >> 8);
            out += 2;
            p += 2;
            small = plain_two(p, end);
        } while (small);
        out_ = out;
        return p;
    }

    static uint16_t plain_two(const uint8_t* p, const uint8_t* end) {
        if (end - p < 2 || (p[0] & 0xE0) != 0xC0 || !is_continuation(p[1])) return 0;
        return kPlainTwo[(p[0] & 0x1F) << 6 | (p[1] & 0x3F)];
    }

    bool needs_normalising(const Property& one, uint8_t rank) const {
        if (one.kind != kMark) return one.slow;
        bool out_of_order = one.combining && one.combining < rank;
        return state_ != kOutside && (one.slow || out_of_order);
    }

    // A character that needs no normalising, nor does its word so far.
    void take(uint32_t code, const Property& one, uint8_t& rank) {
        if (one.kind == kDropped) return;
        bool goes_on = one.kind == kMark || (one.kind == kWord && state_ == kInWord);
        if (!goes_on && state_ != kOutside) close();
        if (one.kind == kSeparator || (one.kind == kMark && state_ == kOutside)) return;
        if (state_ == kOutside) open(one.kind == kSolo ? kInSolo : kInWord);
        out_ = encode(code + one.to_lower, out_);
        rank = one.combining;
    }

    // Reads the rest of the word from p, whose character needs normalising, and writes it anew.
    const uint8_t* read_slowly(const uint8_t* p, const uint8_t* end) {
        Decoded one = decode(p, end);
        uint8_t kind = property_of(one.code).kind;
        bool goes_on = kind == kMark || (kind == kWord && state_ == kInWord);
        if (!goes_on && state_ != kOutside) close();
        if (state_ == kOutside) open(kind == kSolo ? kInSolo : kInWord);
        normaliser_.clear();
        uint8_t* start = bytes_.data() + edge_[-1];
        for (const uint8_t* at = start; at < out_;) {
            Decoded done = decode(at, out_);
            normaliser_.add(done.code);
            at += done.size;
        }
        do {
            if (kind != kDropped) normaliser_.add(one.code);
            p += one.size;
            if (p == end) break;
            one = decode(p, end);
            kind = property_of(one.code).kind;
        } while (kind == kMark || kind == kDropped || (kind == kWord && state_ == kInWord));
        out_ = normaliser_.write(start);
        close();
        return p;
    }

    std::vector<uint8_t> bytes_;
    std::vector<uint32_t> edges_;  // start and end of every word in bytes_
    uint8_t* out_ = nullptr;
    uint32_t* edge_ = nullptr;
    State state_ = kOutside;
    Normaliser normaliser_;
};

}  // namespace twinset
