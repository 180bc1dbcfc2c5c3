// A fast 64-bit digest of a stream of bytes: tells changed input from unchanged, keeps no secrets
// and withstands no adversary. It does not depend on how the stream is cut into pieces.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>

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
