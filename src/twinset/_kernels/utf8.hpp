// Strict UTF-8: overlong forms, surrogates and anything above U+10FFFF are broken. A broken byte is
// one byte long, so that reading goes on at the next byte that can start a character.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace twinset {

inline constexpr uint32_t kBroken = 0xFFFFFFFF;
inline constexpr uint64_t kHighBits = 0x8080808080808080ull;

struct Decoded {
    uint32_t code;  // kBroken where there is no character
    uint32_t size;  // bytes read, at least 1
};

inline bool is_continuation(uint8_t byte) { return (byte & 0xC0) == 0x80; }

inline Decoded decode_long(const uint8_t* p, const uint8_t* end) {
    if (end - p < 4 || p[0] > 0xF4) return {kBroken, 1};
    if (!is_continuation(p[1]) || !is_continuation(p[2]) || !is_continuation(p[3])) return {kBroken, 1};
    uint32_t code = (p[0] & 0x07u) << 18 | (p[1] & 0x3Fu) << 12 | (p[2] & 0x3Fu) << 6 | (p[3] & 0x3Fu);
    if (code < 0x10000 || code > 0x10FFFF) return {kBroken, 1};
    return {code, 4};
}

// The character at p < end; never reads at or after end.
inline Decoded decode(const uint8_t* p, const uint8_t* end) {
    uint32_t lead = p[0];
    if (lead < 0x80) return {lead, 1};
    if (lead < 0xC2) return {kBroken, 1};
    if (lead < 0xE0) {
        if (end - p < 2 || !is_continuation(p[1])) return {kBroken, 1};
        return {(lead & 0x1F) << 6 | (p[1] & 0x3Fu), 2};
    }
    if (lead >= 0xF0) return decode_long(p, end);
    if (end - p < 3 || !is_continuation(p[1]) || !is_continuation(p[2])) return {kBroken, 1};
    uint32_t code = (lead & 0x0F) << 12 | (p[1] & 0x3Fu) << 6 | (p[2] & 0x3Fu);
    if (code < 0x800 || (code >= 0xD800 && code <= 0xDFFF)) return {kBroken, 1};
    return {code, 3};
}

// Writes the character and returns the place after it; up to 4 bytes.
inline uint8_t* encode(uint32_t code, uint8_t* out) {
    if (code < 0x80) {
        *out++ = static_cast<uint8_t>(code);
    } else if (code < 0x800) {
        *out++ = static_cast<uint8_t>(0xC0 | code >> 6);
        *out++ = static_cast<uint8_t>(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *out++ = static_cast<uint8_t>(0xE0 | code >> 12);
        *out++ = static_cast<uint8_t>(0x80 | (code >> 6 & 0x3F));
        *out++ = static_cast<uint8_t>(0x80 | (code & 0x3F));
    } else {
        *out++ = static_cast<uint8_t>(0xF0 | code >> 18);
        *out++ = static_cast<uint8_t>(0x80 | (code >> 12 & 0x3F));
        *out++ = static_cast<uint8_t>(0x80 | (code >> 6 & 0x3F));
        *out++ = static_cast<uint8_t>(0x80 | (code & 0x3F));
    }
    return out;
}

// Whether the 8 bytes at p are all ASCII.
inline bool eight_ascii(const uint8_t* p) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    return (word & kHighBits) == 0;
}

// The length of the first `width` bytes without a character cut in two. Four continuation bytes in
// a row are no character: then the cut stays where it is.
inline size_t head_size(const uint8_t* p, size_t size, size_t width) {
    if (size <= width) return size;
    for (size_t back = 0; back <= 3 && back <= width; ++back)
        if (!is_continuation(p[width - back])) return width - back;
    return width;
}

}  // namespace twinset
