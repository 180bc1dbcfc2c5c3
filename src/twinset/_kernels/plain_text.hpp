// Bytes that are certainly plain text in UTF-8, to be taken as they are: whoever decodes with care
// would find no mark, no page, no other format and nothing to replace in them. In doubt they are not.
#pragma once
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "page_signs.hpp"
#include "scan.hpp"
#include "utf8.hpp"

namespace twinset {

struct PlainTextRules {
    std::vector<std::string_view> marks;  // formats that are text themselves begin with these
    size_t head;                          // bytes in which a page shows
    size_t least_closed;                  // "</" in the head from which it may be one
};

// Anything but tabs, line ends, form feeds and escapes, which texts hold, too.
inline bool holds_controls(std::span<const uint8_t> bytes) {
    uint8_t any = 0;
    for (uint8_t b : bytes)
        any |= static_cast<uint8_t>((b < 0x09) | ((b > 0x0D) & (b < 0x20) & (b != 0x1B)) | (b == 0x7F));
    return any;
}

// U+FB00 to U+FB06, which readers write out.
inline bool holds_ligatures(std::span<const uint8_t> bytes) {
    const uint8_t *p = bytes.data(), *end = p + bytes.size();
    for (; p < end; ++p) {
        p = static_cast<const uint8_t*>(std::memchr(p, 0xEF, static_cast<size_t>(end - p)));
        if (!p) break;
        if (end - p > 2 && p[1] == 0xAC && p[2] <= 0x86) return true;
    }
    return false;
}

inline bool is_plain_text(std::span<const uint8_t> bytes, const PlainTextRules& rules) {
    const uint8_t *begin = bytes.data(), *end = begin + bytes.size();
    std::string_view text(reinterpret_cast<const char*>(begin), bytes.size());
    for (std::string_view mark : rules.marks)
        if (text.starts_with(mark)) return false;
    return !holds_controls(bytes) && !begins_like_markup(begin, end) &&
           !holds_closed_tags(bytes.first(std::min(bytes.size(), rules.head)), rules.least_closed) &&
           valid_utf8(begin, end) && !holds_ligatures(bytes);
}

}  // namespace twinset
