// Per document, the few items (words, sentences) of greatest weight. An item is a slice of bytes;
// ties go to the item that is first by its bytes or, where tie-breakers are given, by these. Equal
// items count once.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace twinset {

struct Slices {
    const uint8_t* bytes;
    const int64_t* starts;
    const int64_t* stops;

    int compare(int64_t a, int64_t b) const {
        size_t na = size(a), nb = size(b);
        int order = std::memcmp(bytes + starts[a], bytes + starts[b], std::min(na, nb));
        return order ? order : na < nb ? -1 : na > nb;
    }
    size_t size(int64_t i) const { return static_cast<size_t>(stops[i] - starts[i]); }
};

class Chooser {
  public:
    Chooser(Slices slices, const double* weights, const uint64_t* ties)
        : slices_(slices), weights_(weights), ties_(ties) {}

    // The at most n best items of [begin, end), best first.
    void choose(int64_t begin, int64_t end, size_t n, std::vector<int64_t>& best) const {
        best.clear();
        for (int64_t item = begin; item < end; ++item) {
            if (best.size() == n && order(item, best.back()) >= 0) continue;
            auto place = std::lower_bound(best.begin(), best.end(), item,
                                          [&](int64_t a, int64_t b) { return order(a, b) < 0; });
            if (place != best.end() && order(item, *place) == 0) continue;
            best.insert(place, item);
            if (best.size() > n) best.pop_back();
        }
    }

  private:
    int order(int64_t a, int64_t b) const {
        if (weights_[a] != weights_[b]) return weights_[a] > weights_[b] ? -1 : 1;
        if (ties_) return ties_[a] < ties_[b] ? -1 : ties_[a] > ties_[b];
        return slices_.compare(a, b);
    }

    Slices slices_;
    const double* weights_;
    const uint64_t* ties_;
};

inline constexpr auto kCrcTable = [] {
    std::array<uint32_t, 256> table{};
    for (uint32_t i = 0; i < 256; ++i) {
        uint32_t c = i;
        for (int bit = 0; bit < 8; ++bit) c = c & 1 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
        table[i] = c;
    }
    return table;
}();

// The checksum of zip and PNG.
inline uint32_t crc32(std::span<const uint8_t> bytes) {
    uint32_t c = ~0u;
    for (uint8_t byte : bytes) c = kCrcTable[(c ^ byte) & 255] ^ (c >> 8);
    return ~c;
}

}  // namespace twinset
