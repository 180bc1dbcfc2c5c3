// Sets of up to 64 * Words bits, for databases of few items.
#pragma once
#include <array>
#include <bit>
#include <cstdint>

namespace twinset::mine {

template <int Words>
struct Mask {
    static constexpr int kBits = 64 * Words;
    std::array<uint64_t, Words> words{};

    static Mask all() {
        Mask mask;
        mask.words.fill(~uint64_t{0});
        return mask;
    }
    static Mask below(int bit) {
        Mask mask;
        for (int w = 0; w < Words; ++w) {
            int left = bit - 64 * w;
            mask.words[w] = left <= 0 ? 0 : left >= 64 ? ~uint64_t{0} : (uint64_t{1} << left) - 1;
        }
        return mask;
    }

    bool test(int bit) const { return words[bit >> 6] >> (bit & 63) & 1; }
    void set(int bit) { words[bit >> 6] |= uint64_t{1} << (bit & 63); }
    bool any() const {
        uint64_t some = 0;
        for (uint64_t word : words) some |= word;
        return some != 0;
    }
    int count() const {
        int bits = 0;
        for (uint64_t word : words) bits += std::popcount(word);
        return bits;
    }
    uint64_t hash() const {
        uint64_t mixed = 0;
        for (uint64_t word : words) mixed = (mixed ^ word) * 0x9E3779B97F4A7C15;
        return mixed ^ mixed >> 32;
    }

    template <class Visit>
    void each(Visit visit) const {
        for (int w = 0; w < Words; ++w)
            for (uint64_t rest = words[w]; rest; rest &= rest - 1) visit(64 * w + std::countr_zero(rest));
    }

    Mask& operator&=(const Mask& other) {
        for (int w = 0; w < Words; ++w) words[w] &= other.words[w];
        return *this;
    }
    friend Mask operator&(Mask a, const Mask& b) { return a &= b; }
    friend Mask operator|(Mask a, const Mask& b) {
        for (int w = 0; w < Words; ++w) a.words[w] |= b.words[w];
        return a;
    }
    friend Mask operator~(Mask a) {
        for (uint64_t& word : a.words) word = ~word;
        return a;
    }
    bool operator==(const Mask&) const = default;
};

}  // namespace twinset::mine
