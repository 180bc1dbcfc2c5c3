// What a reader takes for one character: an extended grapheme cluster of Unicode Standard Annex #29 (rules
// GB3 to GB13 of version 14). That is a letter with its marks, CR and LF, a Hangul syllable of several jamo,
// the two letters of a flag, or pictures that are joined to one.
// All spacing marks count as other marks do; the annex leaves 31 of them out, most of them of Myanmar.
#pragma once
#include <algorithm>
#include <cstdint>
#include <iterator>

#include "normalise.hpp"
#include "stop.hpp"
#include "utf8.hpp"

namespace twinset {

enum class Cluster : uint8_t {
    other,
    cr,
    lf,
    control,
    extend,
    joiner,
    prepend,
    jamo_l,
    jamo_v,
    jamo_t,
    syllable_lv,
    syllable_lvt,
    regional,
    picture,
};

struct ClusterRange {
    uint32_t first, last;
    Cluster kind;
};

// In rising order. Marks are those of the tables, and Hangul syllables are computed.
inline constexpr ClusterRange kClusterRanges[] = {
    {0x00A9, 0x00A9, Cluster::picture},    {0x00AD, 0x00AD, Cluster::control},
    {0x00AE, 0x00AE, Cluster::picture},    {0x0600, 0x0605, Cluster::prepend},
    {0x061C, 0x061C, Cluster::control},    {0x06DD, 0x06DD, Cluster::prepend},
    {0x070F, 0x070F, Cluster::prepend},    {0x0890, 0x0891, Cluster::prepend},
    {0x08E2, 0x08E2, Cluster::prepend},    {0x0D4E, 0x0D4E, Cluster::prepend},
    {0x0E33, 0x0E33, Cluster::extend},     {0x0EB3, 0x0EB3, Cluster::extend},
    {0x1100, 0x115F, Cluster::jamo_l},     {0x1160, 0x11A7, Cluster::jamo_v},
    {0x11A8, 0x11FF, Cluster::jamo_t},     {0x180B, 0x180D, Cluster::extend},
    {0x180E, 0x180E, Cluster::control},    {0x180F, 0x180F, Cluster::extend},
    {0x200B, 0x200B, Cluster::control},    {0x200C, 0x200C, Cluster::extend},
    {0x200D, 0x200D, Cluster::joiner},     {0x200E, 0x200F, Cluster::control},
    {0x2028, 0x202E, Cluster::control},    {0x203C, 0x203C, Cluster::picture},
    {0x2049, 0x2049, Cluster::picture},    {0x2060, 0x206F, Cluster::control},
    {0x2122, 0x2122, Cluster::picture},    {0x2139, 0x2139, Cluster::picture},
    {0x2194, 0x2199, Cluster::picture},    {0x21A9, 0x21AA, Cluster::picture},
    {0x231A, 0x231B, Cluster::picture},    {0x2328, 0x2328, Cluster::picture},
    {0x2388, 0x2388, Cluster::picture},    {0x23CF, 0x23CF, Cluster::picture},
    {0x23E9, 0x23F3, Cluster::picture},    {0x23F8, 0x23FA, Cluster::picture},
    {0x24C2, 0x24C2, Cluster::picture},    {0x25AA, 0x25AB, Cluster::picture},
    {0x25B6, 0x25B6, Cluster::picture},    {0x25C0, 0x25C0, Cluster::picture},
    {0x25FB, 0x25FE, Cluster::picture},    {0x2600, 0x2605, Cluster::picture},
    {0x2607, 0x2612, Cluster::picture},    {0x2614, 0x2685, Cluster::picture},
    {0x2690, 0x2705, Cluster::picture},    {0x2708, 0x2712, Cluster::picture},
    {0x2714, 0x2714, Cluster::picture},    {0x2716, 0x2716, Cluster::picture},
    {0x271D, 0x271D, Cluster::picture},    {0x2721, 0x2721, Cluster::picture},
    {0x2728, 0x2728, Cluster::picture},    {0x2733, 0x2734, Cluster::picture},
    {0x2744, 0x2744, Cluster::picture},    {0x2747, 0x2747, Cluster::picture},
    {0x274C, 0x274C, Cluster::picture},    {0x274E, 0x274E, Cluster::picture},
    {0x2753, 0x2755, Cluster::picture},    {0x2757, 0x2757, Cluster::picture},
    {0x2763, 0x2767, Cluster::picture},    {0x2795, 0x2797, Cluster::picture},
    {0x27A1, 0x27A1, Cluster::picture},    {0x27B0, 0x27B0, Cluster::picture},
    {0x27BF, 0x27BF, Cluster::picture},    {0x2934, 0x2935, Cluster::picture},
    {0x2B05, 0x2B07, Cluster::picture},    {0x2B1B, 0x2B1C, Cluster::picture},
    {0x2B50, 0x2B50, Cluster::picture},    {0x2B55, 0x2B55, Cluster::picture},
    {0x3030, 0x3030, Cluster::picture},    {0x303D, 0x303D, Cluster::picture},
    {0x3297, 0x3297, Cluster::picture},    {0x3299, 0x3299, Cluster::picture},
    {0xA960, 0xA97C, Cluster::jamo_l},     {0xD7B0, 0xD7C6, Cluster::jamo_v},
    {0xD7CB, 0xD7FB, Cluster::jamo_t},     {0xFE00, 0xFE0F, Cluster::extend},
    {0xFEFF, 0xFEFF, Cluster::control},    {0xFF9E, 0xFF9F, Cluster::extend},
    {0xFFF0, 0xFFFB, Cluster::control},    {0x110BD, 0x110BD, Cluster::prepend},
    {0x110CD, 0x110CD, Cluster::prepend},  {0x111C2, 0x111C3, Cluster::prepend},
    {0x1193F, 0x1193F, Cluster::prepend},  {0x11941, 0x11941, Cluster::prepend},
    {0x11A3A, 0x11A3A, Cluster::prepend},  {0x11A84, 0x11A89, Cluster::prepend},
    {0x11D46, 0x11D46, Cluster::prepend},  {0x13430, 0x13438, Cluster::control},
    {0x1BCA0, 0x1BCA3, Cluster::control},  {0x1D173, 0x1D17A, Cluster::control},
    {0x1F000, 0x1F0FF, Cluster::picture},  {0x1F10D, 0x1F10F, Cluster::picture},
    {0x1F12F, 0x1F12F, Cluster::picture},  {0x1F16C, 0x1F171, Cluster::picture},
    {0x1F17E, 0x1F17F, Cluster::picture},  {0x1F18E, 0x1F18E, Cluster::picture},
    {0x1F191, 0x1F19A, Cluster::picture},  {0x1F1AD, 0x1F1E5, Cluster::picture},
    {0x1F1E6, 0x1F1FF, Cluster::regional}, {0x1F201, 0x1F20F, Cluster::picture},
    {0x1F21A, 0x1F21A, Cluster::picture},  {0x1F22F, 0x1F22F, Cluster::picture},
    {0x1F232, 0x1F23A, Cluster::picture},  {0x1F23C, 0x1F23F, Cluster::picture},
    {0x1F249, 0x1F3FA, Cluster::picture},  {0x1F3FB, 0x1F3FF, Cluster::extend},
    {0x1F400, 0x1F53D, Cluster::picture},  {0x1F546, 0x1F64F, Cluster::picture},
    {0x1F680, 0x1F6FF, Cluster::picture},  {0x1F774, 0x1F77F, Cluster::picture},
    {0x1F7D5, 0x1F7FF, Cluster::picture},  {0x1F80C, 0x1F80F, Cluster::picture},
    {0x1F848, 0x1F84F, Cluster::picture},  {0x1F85A, 0x1F85F, Cluster::picture},
    {0x1F888, 0x1F88F, Cluster::picture},  {0x1F8AE, 0x1F8FF, Cluster::picture},
    {0x1F90C, 0x1F93A, Cluster::picture},  {0x1F93C, 0x1F945, Cluster::picture},
    {0x1F947, 0x1FAFF, Cluster::picture},  {0x1FC00, 0x1FFFD, Cluster::picture},
    {0xE0000, 0xE001F, Cluster::control},  {0xE0020, 0xE007F, Cluster::extend},
    {0xE0080, 0xE00FF, Cluster::control},  {0xE0100, 0xE01EF, Cluster::extend},
    {0xE01F0, 0xE0FFF, Cluster::control},
};

inline Cluster cluster_of(uint32_t code) {
    if (code == '\r') return Cluster::cr;
    if (code == '\n') return Cluster::lf;
    if (code < 0xA9) return code < 0x20 || (code >= 0x7F && code < 0xA0) ? Cluster::control : Cluster::other;
    if (code >= 0xAC00 && code <= 0xD7A3)
        return (code - 0xAC00) % 28 ? Cluster::syllable_lvt : Cluster::syllable_lv;
    auto range = std::lower_bound(std::begin(kClusterRanges), std::end(kClusterRanges), code,
                                  [](const ClusterRange& one, uint32_t sought) { return one.last < sought; });
    if (range != std::end(kClusterRanges) && range->first <= code) return range->kind;
    return code != kBroken && property_of(code).kind == kMark ? Cluster::extend : Cluster::other;
}

// One text and the places between its characters, asked for in about their order: the letters of flags that
// were counted are not counted again.
class Graphemes {
  public:
    Graphemes(const uint8_t* begin, const uint8_t* end) : begin_(begin), end_(end) {}

    // Whether what is before a place, which a character begins at, and what is behind it are one.
    bool joined(const uint8_t* p) {
        if (p == begin_ || p == end_) return false;
        if (p[-1] < 0x80 && *p < 0x80) return p[-1] == '\r' && *p == '\n';
        Cluster last = at(back(p)), next = at(p);
        if (ends(last) || ends(next)) return last == Cluster::cr && next == Cluster::lf;
        if (next == Cluster::extend || next == Cluster::joiner || last == Cluster::prepend) return true;
        switch (last) {
            case Cluster::jamo_l:
                return next == Cluster::jamo_l || next == Cluster::jamo_v || next == Cluster::syllable_lv ||
                       next == Cluster::syllable_lvt;
            case Cluster::jamo_v:
            case Cluster::syllable_lv:
                return next == Cluster::jamo_v || next == Cluster::jamo_t;
            case Cluster::jamo_t:
            case Cluster::syllable_lvt:
                return next == Cluster::jamo_t;
            case Cluster::joiner:
                return next == Cluster::picture && follows_picture(back(p));
            case Cluster::regional:
                return next == Cluster::regional && is_second_letter(p);
            default:
                return false;
        }
    }
    bool is_regional(const uint8_t* p) const { return p < end_ && at(p) == Cluster::regional; }

    // The character before a place.
    const uint8_t* back(const uint8_t* p) const {
        const uint8_t* before = p - 1;
        for (int n = 0; n < 3 && before > begin_ && is_continuation(*before); ++n) --before;
        return before + decode(before, end_).size == p ? before : p - 1;
    }

  private:
    static bool ends(Cluster kind) {
        return kind == Cluster::cr || kind == Cluster::lf || kind == Cluster::control;
    }
    Cluster at(const uint8_t* p) const { return cluster_of(decode(p, end_).code); }

    bool follows_picture(const uint8_t* joiner) const {
        Pace pace;
        for (const uint8_t* p = joiner; p > begin_; pace()) {
            p = back(p);
            Cluster kind = at(p);
            if (kind != Cluster::extend) return kind == Cluster::picture;
        }
        return false;
    }
    bool is_second_letter(const uint8_t* p) {
        if (p <= flags_ || p > flags_end_) {
            const uint8_t* first = p;
            for (Pace pace; first > begin_ && first != flags_end_ && is_regional(back(first)); pace())
                first -= kLetter;
            if (first != flags_end_) flags_ = first;
            flags_end_ = p;
        }
        return (p - flags_) / kLetter % 2;
    }

    static constexpr int kLetter = 4;  // bytes of one
    const uint8_t *begin_, *end_;
    const uint8_t *flags_ = begin_, *flags_end_ = begin_;  // the letters that were counted last
};

}  // namespace twinset
