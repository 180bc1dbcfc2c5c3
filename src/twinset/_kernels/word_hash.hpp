// hash_word (hash.hpp) for words that lie in memory with room behind them: 16 bytes are loaded
// whatever the length and what is not the word is masked away, so short words need no loop.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "hash.hpp"

namespace twinset {

struct LengthRow {
    uint64_t low, high;  // masks of the first and the second eight bytes
    uint64_t state;      // what the low half is combined with
};

inline constexpr auto kLengthRows = [] {
    std::array<LengthRow, 17> rows{};
    for (uint64_t n = 0; n <= 16; ++n) {
        rows[n].low = n >= 8 ? ~0ull : (1ull << 8 * n) - 1;
        rows[n].high = n == 16 ? ~0ull : n > 8 ? (1ull << 8 * (n - 8)) - 1 : 0;
        rows[n].state = n * kGolden ^ kWordA;
    }
    return rows;
}();

// hash_word before its final mix; 16 bytes from any place inside the word must be readable. (Always
// inlined: the loops over words take a third longer with a call.)
[[gnu::always_inline]] inline uint64_t fold_padded_word(const uint8_t* p, size_t n) {
    if (n <= 16) [[likely]] {
        const LengthRow& row = kLengthRows[n];
        return fold((load8(p) & row.low) ^ row.state, (load8(p + 8) & row.high) ^ kWordB);
    }
    uint64_t h = n * kGolden;
    for (; n > 16; p += 16, n -= 16) h = word_step(h, load8(p), load8(p + 8));
    const LengthRow& row = kLengthRows[n];
    return word_step(h, load8(p) & row.low, load8(p + 8) & row.high);
}

}  // namespace twinset
