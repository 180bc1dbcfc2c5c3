// JSON strings: their escapes, checked and undone.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "scan.hpp"

namespace twinset::jsonl {

// A JSON string between its quotes; `size` is its length in UTF-8 once unescaped.
struct Text {
    const uint8_t* begin = nullptr;
    const uint8_t* end = nullptr;
    uint64_t size = 0;
    bool escaped = false;
};

inline int hex4(const uint8_t* p) {
    int value = 0;
    for (int i = 0; i < 4; ++i) {
        uint8_t c = p[i], low = c | 0x20;
        if (c >= '0' && c <= '9') value = value * 16 + (c - '0');
        else if (low >= 'a' && low <= 'f') value = value * 16 + (low - 'a' + 10);
        else return -1;
    }
    return value;
}

// Reads the \uXXXX at p (a pair of them where they make one character); false when malformed, as half
// of a pair is.
inline bool read_unicode(const uint8_t*& p, const uint8_t* end, uint32_t& code) {
    if (end - p < 6) return false;
    int first = hex4(p + 2);
    if (first < 0) return false;
    p += 6;
    code = static_cast<uint32_t>(first);
    if (code < 0xD800 || code > 0xDFFF) return true;
    if (code >= 0xDC00 || end - p < 6 || p[0] != '\\' || p[1] != 'u') return false;
    int second = hex4(p + 2);
    if (second < 0xDC00 || second > 0xDFFF) return false;
    p += 6;
    code = 0x10000 + ((code - 0xD800) << 10) + (static_cast<uint32_t>(second) - 0xDC00);
    return true;
}

inline size_t utf8_size(uint32_t code) { return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4; }

inline uint8_t* put_utf8(uint8_t* out, uint32_t code) {
    auto tail = [&](int shift) { *out++ = static_cast<uint8_t>(0x80 | ((code >> shift) & 0x3F)); };
    if (code < 0x80) {
        *out++ = static_cast<uint8_t>(code);
    } else if (code < 0x800) {
        *out++ = static_cast<uint8_t>(0xC0 | (code >> 6));
        tail(0);
    } else if (code < 0x10000) {
        *out++ = static_cast<uint8_t>(0xE0 | (code >> 12));
        tail(6), tail(0);
    } else {
        *out++ = static_cast<uint8_t>(0xF0 | (code >> 18));
        tail(12), tail(6), tail(0);
    }
    return out;
}

inline int plain_escape(uint8_t c) {
    switch (c) {
        case '"':
        case '\\':
        case '/':
            return c;
        case 'b':
            return '\b';
        case 'f':
            return '\f';
        case 'n':
            return '\n';
        case 'r':
            return '\r';
        case 't':
            return '\t';
        default:
            return -1;
    }
}

// Writes a checked string unescaped to out, which has room for text.size bytes and no more.
inline void unescape(const Text& text, uint8_t* out) {
    if (!text.escaped) {
        if (text.size) std::memcpy(out, text.begin, text.size);
        return;
    }
    const uint8_t* p = text.begin;
    uint8_t* limit = out + text.size;
    while (p < text.end) {
        while (text.end - p >= 16 && limit - out >= 16) {
            size_t n = plain_prefix16(p);
            std::memcpy(out, p, 16);
            p += n, out += n;
            if (n < 16) break;
        }
        while (p < text.end && *p != '\\') *out++ = *p++;
        if (p == text.end) break;
        if (p[1] != 'u') {
            *out++ = static_cast<uint8_t>(plain_escape(p[1]));
            p += 2;
            continue;
        }
        uint32_t code = 0;
        read_unicode(p, text.end, code);
        out = put_utf8(out, code);
    }
}

}  // namespace twinset::jsonl
