// A fast 64-bit digest of a stream of bytes: tells changed input from unchanged, keeps no secrets
// and withstands no adversary. It does not depend on how the stream is cut into pieces.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "hash.hpp"

namespace twinset {

class Digest {
  public:
    void update(const uint8_t* p, size_t n) {
        length_ += n;
        if (held_) {
            size_t take = std::min(n, sizeof(tail_) - held_);
            std::memcpy(tail_ + held_, p, take);
            held_ += take, p += take, n -= take;
            if (held_ < sizeof(tail_)) return;
            step(tail_);
            held_ = 0;
        }
        for (; n >= sizeof(tail_); p += sizeof(tail_), n -= sizeof(tail_)) step(p);
        std::memcpy(tail_, p, n);
        held_ = n;
    }

    uint64_t value() const {
        Digest end = *this;
        std::memset(end.tail_ + end.held_, 0, sizeof(end.tail_) - end.held_);
        end.step(end.tail_);
        uint64_t h = length_ * kGolden;
        for (uint64_t lane : end.lane_) h = mix(h ^ lane) * kShingle;
        return mix(h);
    }

    // Everything that was learnt so far, to go on with in another process: the lanes and the length
    // as little-endian words, then the bytes of the last block that is not full.
    std::vector<uint8_t> state() const {
        std::vector<uint8_t> bytes;
        auto write = [&](uint64_t word) {
            for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<uint8_t>(word >> 8 * i));
        };
        for (uint64_t lane : lane_) write(lane);
        write(length_);
        bytes.insert(bytes.end(), tail_, tail_ + held_);
        return bytes;
    }

    static std::optional<Digest> of_state(const uint8_t* p, size_t n) {
        constexpr size_t kWords = 8 * 5;
        if (n < kWords || n - kWords >= sizeof(tail_)) return std::nullopt;
        auto read = [&](size_t at) {
            uint64_t word = 0;
            for (int i = 0; i < 8; ++i) word |= static_cast<uint64_t>(p[8 * at + i]) << 8 * i;
            return word;
        };
        Digest digest;
        for (size_t i = 0; i < 4; ++i) digest.lane_[i] = read(i);
        digest.length_ = read(4);
        digest.held_ = n - kWords;
        std::memcpy(digest.tail_, p + kWords, digest.held_);
        if (digest.length_ % sizeof(tail_) != digest.held_) return std::nullopt;
        return digest;
    }

  private:
    uint64_t lane_[4] = {1, 2, 3, 4};  // four chains side by side keep the multiplier busy
    uint64_t length_ = 0;
    size_t held_ = 0;
    uint8_t tail_[64] = {};

    void step(const uint8_t* p) {
        for (int i = 0; i < 4; ++i)
            lane_[i] = word_step(lane_[i] + kGolden, load8(p + 16 * i), load8(p + 16 * i + 8));
    }
};

}  // namespace twinset
