// BLAKE2b without a key (RFC 7693), of bytes that are in memory as a whole.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#include "hash.hpp"

namespace twinset {

class Blake2b {
  public:
    // The digest in out.size() bytes, from 1 to 64.
    static void digest(std::span<const uint8_t> bytes, std::span<uint8_t> out) {
        Blake2b hash(out.size());
        size_t at = 0;
        for (; bytes.size() - at > kBlock; at += kBlock) hash.step(bytes.data() + at, at + kBlock, false);
        uint8_t last[kBlock] = {};
        if (size_t left = bytes.size() - at) std::memcpy(last, bytes.data() + at, left);
        hash.step(last, bytes.size(), true);
        for (size_t i = 0; i < out.size(); ++i)
            out[i] = static_cast<uint8_t>(hash.state_[i / 8] >> 8 * (i % 8));
    }

  private:
    static constexpr size_t kBlock = 128;
    static constexpr std::array<uint64_t, 8> kStart = {
        0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
        0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179};
    static constexpr uint8_t kOrder[10][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                               {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
                                               {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
                                               {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
                                               {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
                                               {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
                                               {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
                                               {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
                                               {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
                                               {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

    explicit Blake2b(size_t size) : state_(kStart) { state_[0] ^= 0x01010000 ^ size; }

    static void mix(uint64_t& a, uint64_t& b, uint64_t& c, uint64_t& d, uint64_t x, uint64_t y) {
        a += b + x, d = std::rotr(d ^ a, 32);
        c += d, b = std::rotr(b ^ c, 24);
        a += b + y, d = std::rotr(d ^ a, 16);
        c += d, b = std::rotr(b ^ c, 63);
    }

    // `seen`: bytes up to the end of this block, its padding not counted.
    void step(const uint8_t* block, uint64_t seen, bool is_last) {
        uint64_t m[16], v[16];
        for (int i = 0; i < 16; ++i) m[i] = load8(block + 8 * i);
        std::copy(state_.begin(), state_.end(), v);
        std::copy(kStart.begin(), kStart.end(), v + 8);
        v[12] ^= seen;
        if (is_last) v[14] = ~v[14];
#pragma GCC unroll 12
        for (int round = 0; round < 12; ++round) {
            const uint8_t* s = kOrder[round % 10];
            mix(v[0], v[4], v[8], v[12], m[s[0]], m[s[1]]);
            mix(v[1], v[5], v[9], v[13], m[s[2]], m[s[3]]);
            mix(v[2], v[6], v[10], v[14], m[s[4]], m[s[5]]);
            mix(v[3], v[7], v[11], v[15], m[s[6]], m[s[7]]);
            mix(v[0], v[5], v[10], v[15], m[s[8]], m[s[9]]);
            mix(v[1], v[6], v[11], v[12], m[s[10]], m[s[11]]);
            mix(v[2], v[7], v[8], v[13], m[s[12]], m[s[13]]);
            mix(v[3], v[4], v[9], v[14], m[s[14]], m[s[15]]);
        }
        for (int i = 0; i < 8; ++i) state_[i] ^= v[i] ^ v[i + 8];
    }

    std::array<uint64_t, 8> state_;
};

}  // namespace twinset
