// Lines of a block of bytes, found in parallel.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "parallel.hpp"

namespace twinset {

// Where each line ends (behind its '\n'); a last line without one ends with the block.
inline std::vector<int64_t> line_ends(std::span<const uint8_t> text, int threads) {
    const uint8_t* data = text.data();
    size_t size = text.size();
    constexpr size_t kGrain = 1 << 20;
    std::vector<std::vector<int64_t>> parts((size + kGrain - 1) / kGrain);
    parallel_blocks(size, kGrain, threads, [&](size_t begin, size_t end, int) {
        auto& part = parts[begin / kGrain];
        const uint8_t* p = data + begin;
        while (p < data + end) {
            auto* hit = static_cast<const uint8_t*>(std::memchr(p, '\n', data + end - p));
            if (!hit) break;
            p = hit + 1;
            part.push_back(p - data);
        }
    });
    std::vector<int64_t> ends;
    for (auto& part : parts) ends.insert(ends.end(), part.begin(), part.end());
    if (size && (ends.empty() || ends.back() != static_cast<int64_t>(size)))
        ends.push_back(static_cast<int64_t>(size));
    return ends;
}

// How many lines there are, the last one with or without its end.
inline int64_t count_lines(std::span<const uint8_t> text) {
    constexpr size_t kStretch = 255;  // a byte can count as many, and so can be a lane of a vector
    int64_t ends = 0;
    for (size_t begin = 0; begin < text.size(); begin += kStretch) {
        uint8_t here = 0;
        for (uint8_t byte : text.subspan(begin, std::min(kStretch, text.size() - begin)))
            here = static_cast<uint8_t>(here + (byte == '\n'));
        ends += here;
    }
    return ends + (!text.empty() && text.back() != '\n');
}

// True for a line of nothing but white space.
inline bool blank_line(const uint8_t* p, const uint8_t* end) {
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n')) ++p;
    return p == end;
}

}  // namespace twinset
