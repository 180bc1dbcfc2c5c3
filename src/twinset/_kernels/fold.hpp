// Characters as a scanner may have read them: what it confuses becomes one. Words come in as the
// tokeniser writes them (lower case, NFC, a space after each); spaces are dropped, since a scanner
// loses and invents them, and so are accents. Then
//
//   o 0 о · l 1 i j і · s 5 ѕ · b 8 6 б в · z 2 · g 9 q · v u · з 3 · ш щ · ь ъ
//   a а · e е · c с · p р · x х · y у · k к · m м · t т · h н     (Cyrillic twins of Latin letters)
//   rn is m · vv is w · cl is d · ligatures are their letters
//
// are one character each. The result only serves to be compared: it is not meant to be read.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include "growing.hpp"
#include "normalise.hpp"
#include "utf8.hpp"

namespace twinset {

struct Confused {
    uint32_t from, to;
};

inline constexpr Confused kConfused[] = {
    {'0', 'o'},   {'1', 'l'},   {'i', 'l'},   {'j', 'l'},     {'5', 's'},     {'8', 'b'},   {'6', 'b'},
    {'2', 'z'},   {'9', 'g'},   {'q', 'g'},   {'u', 'v'},     {'3', 0x437},   {0x43E, 'o'}, {0x456, 'l'},
    {0x455, 's'}, {0x431, 'b'}, {0x432, 'b'}, {0x449, 0x448}, {0x44A, 0x44C}, {0x430, 'a'}, {0x435, 'e'},
    {0x441, 'c'}, {0x440, 'p'}, {0x445, 'x'}, {0x443, 'y'},   {0x43A, 'k'},   {0x43C, 'm'}, {0x442, 't'},
    {0x43D, 'h'}, {0x17F, 's'}, {0x131, 'l'}};

inline constexpr uint32_t kPlainTop = 0x460;

// One character to one, below kPlainTop.
inline constexpr auto kFolded = [] {
    std::array<uint16_t, kPlainTop> table{};
    for (uint32_t code = 0; code < kPlainTop; ++code) table[code] = static_cast<uint16_t>(code);
    for (const Confused& pair : kConfused) table[pair.from] = static_cast<uint16_t>(pair.to);
    return table;
}();

class Folder {
  public:
    // Adds the folded characters of a text to `out`, which held `begin` characters before.
    static void fold(const uint8_t* p, const uint8_t* end, Growing<uint32_t>& out) {
        size_t begin = out.size();
        while (p < end) {
            p = fold_ascii(p, end, begin, out);
            if (p == end) break;
            Decoded one = decode(p, end);
            p += one.size;
            if (one.code != kBroken) push_decomposed(one.code, begin, out);
        }
    }

  private:
    // As far as bytes are characters; a space is written over by what comes next.
    static const uint8_t* fold_ascii(const uint8_t* p, const uint8_t* end, size_t begin,
                                     Growing<uint32_t>& out) {
        uint32_t* to = out.room(static_cast<size_t>(end - p));
        uint32_t* const start = to;
        uint32_t before = out.size() > begin ? to[-1] : 0;
        for (; p < end && *p < 128; ++p) {
            uint32_t code = kFolded[*p];
            if (uint32_t joined = joined_of(before, code)) {
                before = to[-1] = joined;
                continue;
            }
            *to = code;
            to += code != ' ';
            before = code != ' ' ? code : before;
        }
        out.grow(static_cast<size_t>(to - start));
        return p;
    }

    static void push_decomposed(uint32_t code, size_t begin, Growing<uint32_t>& out) {
        if (code >= 0xFB00 && code <= 0xFB06) return push_ligature(code, begin, out);
        const uint32_t* last = std::end(kExpandFrom);
        const uint32_t* at = std::lower_bound(kExpandFrom, last, code);
        if (at == last || *at != code) return push_letter(code, begin, out);
        size_t place = static_cast<size_t>(at - kExpandFrom);
        for (size_t i = kExpandStart[place]; i < kExpandStart[place + 1]; ++i)
            push_letter(kExpandTo[i], begin, out);
    }

    static void push_ligature(uint32_t code, size_t begin, Growing<uint32_t>& out) {
        static constexpr const char* kLetters[] = {"ff", "fi", "fl", "ffi", "ffl", "st", "st"};
        for (const char* letter = kLetters[code - 0xFB00]; *letter; ++letter)
            push(kFolded[static_cast<uint8_t>(*letter)], begin, out);
    }

    static void push_letter(uint32_t code, size_t begin, Growing<uint32_t>& out) {
        if (property_of(code).combining) return;
        push(code < kPlainTop ? kFolded[code] : code, begin, out);
    }

    // Two characters that look like one become it.
    static void push(uint32_t code, size_t begin, Growing<uint32_t>& out) {
        if (out.size() > begin) {
            uint32_t& before = out.data()[out.size() - 1];
            if (uint32_t joined = joined_of(before, code)) {
                before = joined;
                return;
            }
        }
        out.push(code);
    }

    // What two characters look like together, 0 where they look like two.
    static uint32_t joined_of(uint32_t before, uint32_t code) {
        return before == 'r' && code == 'n'   ? 'm'
               : before == 'v' && code == 'v' ? 'w'
               : before == 'c' && code == 'l' ? 'd'
                                              : 0;
    }
};

}  // namespace twinset
