// Texts that may be HTML pages, or begin with mark-up: whoever looks closely decides, and need not
// look at the others, which are most. In doubt a text may be one.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "utf8.hpp"

namespace twinset {

// Spaces of any kind, and the mark that files begin with.
inline bool is_wide_space(uint32_t code) {
    return code == 0x85 || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) ||
           code == 0x2028 || code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000 ||
           code == 0xFEFF;
}

inline bool begins_like_markup(const uint8_t* p, const uint8_t* end) {
    while (p < end && (*p == ' ' || (*p >= 0x09 && *p <= 0x0D) || (*p >= 0x1C && *p <= 0x1F))) ++p;
    if (p == end) return false;
    uint32_t code = decode(p, end).code;
    return code == '<' || is_wide_space(code);
}

inline const uint8_t* next_tag(const uint8_t* p, const uint8_t* end) {
    const void* at = p < end ? std::memchr(p, '<', static_cast<size_t>(end - p)) : nullptr;
    return at ? static_cast<const uint8_t*>(at) : end;
}

inline bool holds_closed_tags(std::span<const uint8_t> bytes, size_t least) {
    const uint8_t *p = bytes.data(), *end = p + bytes.size();
    size_t count = 0;
    for (p = next_tag(p, end); count < least && p < end; p = next_tag(p + 1, end))
        count += p + 1 < end && p[1] == '/';
    return count >= least;
}

// The rules of `twinset.text.pages`: what is counted there in characters has up to four bytes each.
struct PageRules {
    static constexpr size_t kWidest = 4;
    size_t head;                             // the characters that decide
    size_t least_closed;                     // "</" among them
    size_t least_tags;                       // of a page that does not begin with a tag
    double most_before;                      // the share of a text that may stand before its first tag
    double least_in_tags;                    // the share in tags, from the first one on
    std::vector<std::string_view> elements;  // whose tags count, in small letters, sorted
};

class PageSigns {
  public:
    explicit PageSigns(PageRules rules) : rules_(std::move(rules)) {}

    bool operator()(std::span<const uint8_t> bytes) const {
        const uint8_t *begin = bytes.data(), *end = begin + bytes.size();
        std::span<const uint8_t> head = bytes.first(std::min(bytes.size(), PageRules::kWidest * rules_.head));
        if (begins_like_markup(begin, end))
            return holds_beginning(head, kInFront) || has_second_tag(begin, end);
        if (!holds_closed_tags(head, rules_.least_closed)) return false;
        return holds_beginning(head, kAnywhere) || may_be_dense(begin, end);
    }

  private:
    // `word` is in small letters.
    static bool goes_on(const uint8_t* p, const uint8_t* end, std::string_view word) {
        if (static_cast<size_t>(end - p) < word.size()) return false;
        return std::equal(word.begin(), word.end(), p,
                          [](char w, uint8_t b) { return static_cast<uint8_t>(w) == (b | 0x20); });
    }

    // Of a page; behind what a tool has written before it, only the first ones count.
    static constexpr size_t kAnywhere = 2, kInFront = 4;
    static constexpr std::array<std::string_view, kInFront> kBeginnings{"!doctype", "html", "head", "body"};

    static bool holds_beginning(std::span<const uint8_t> head, size_t of) {
        const uint8_t *p = head.data(), *end = p + head.size();
        for (p = next_tag(p, end); p < end; p = next_tag(p + 1, end))
            for (size_t i = 0; i < of; ++i)
                if (goes_on(p + 1, end, kBeginnings[i])) return true;
        return false;
    }

    // Scripts and styles that are left out may stand before it.
    bool has_second_tag(const uint8_t* begin, const uint8_t* end) const {
        return tags(begin, reach(begin, end, 5 * rules_.head), 2).count == 2;
    }

    bool may_be_dense(const uint8_t* begin, const uint8_t* end) const {
        size_t length = characters(begin, end);
        size_t latest = static_cast<size_t>(rules_.most_before * static_cast<double>(length));
        const uint8_t* first = next_tag(begin, end);
        if (first == end || characters(begin, first) > latest) return false;
        if (holds_code(first, reach(begin, end, latest + 4 * rules_.head))) return true;
        InTags in = tags(first, reach(begin, end, latest + rules_.head), SIZE_MAX);
        double shown = static_cast<double>(std::min(rules_.head, length - latest));
        return in.count >= rules_.least_tags && static_cast<double>(in.bytes) >= rules_.least_in_tags * shown;
    }

    static size_t characters(const uint8_t* p, const uint8_t* end) {
        size_t count = 0;
        for (; p < end; ++p) count += (*p & 0xC0) != 0x80;
        return count;
    }

    // Behind so many characters, or further.
    static const uint8_t* reach(const uint8_t* begin, const uint8_t* end, size_t characters) {
        return begin + std::min(static_cast<size_t>(end - begin), PageRules::kWidest * characters);
    }

    // Scripts and styles do not count, so that less may be shown than is here. (A letter that is not
    // ASCII may be an old s.)
    static bool holds_code(const uint8_t* p, const uint8_t* end) {
        for (p = next_tag(p, end); p < end; p = next_tag(p + 1, end))
            if ((p + 1 < end && p[1] >= 0x80) || goes_on(p + 1, end, "script") ||
                goes_on(p + 1, end, "style"))
                return true;
        return false;
    }

    struct InTags {
        size_t count = 0, bytes = 0;
    };

    // What looks like a tag of such an element, up to so many of them.
    InTags tags(const uint8_t* p, const uint8_t* end, size_t most) const {
        InTags in;
        for (p = next_tag(p, end); p < end && in.count < most; p = next_tag(p, end)) {
            const uint8_t* last = p + 1;
            while (last < end && *last != '<' && *last != '>' && *last != '\\') ++last;
            if (last < end && *last == '>' && may_name(p + 1, last)) {
                ++in.count;
                in.bytes += static_cast<size_t>(last + 1 - p);
            }
            p = last;
        }
        return in;
    }

    // Letters that are not ASCII may be other forms of these, or spaces behind a name.
    bool may_name(const uint8_t* p, const uint8_t* end) const {
        p += p < end && *p == '/';
        std::array<char, 16> name{};
        size_t length = 0;
        for (; p < end && is_letter_or_digit(*p); ++p, ++length) {
            if (length == name.size()) return false;
            name[length] = static_cast<char>(*p >= 'A' && *p <= 'Z' ? *p | 0x20 : *p);
        }
        if (p < end && *p >= 0x80) return true;
        return std::binary_search(rules_.elements.begin(), rules_.elements.end(),
                                  std::string_view(name.data(), length));
    }

    static bool is_letter_or_digit(uint8_t b) {
        return ((b | 0x20) >= 'a' && (b | 0x20) <= 'z') || (b >= '0' && b <= '9');
    }

    PageRules rules_;
};

}  // namespace twinset
