// Similarities as formulas over (shared, size, size), and what a threshold on one of them demands:
// the overlap two sets must reach, and the overlap a set needs with any partner at all.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "store.hpp"

namespace twinset {

enum class Measure : int { jaccard = 0, containment = 1, dice = 2, cosine = 3, overlap = 4 };

inline double similarity(Measure measure, uint64_t shared, uint64_t a, uint64_t b) {
    double s = static_cast<double>(shared), x = static_cast<double>(a), y = static_cast<double>(b);
    if (a == 0 || b == 0) return 0.0;
    switch (measure) {
        case Measure::jaccard:
            return s / (x + y - s);
        case Measure::containment:
            return s / (x < y ? x : y);
        case Measure::dice:
            return 2 * s / (x + y);
        // sqrt of the ratio, not a ratio of square roots: equal sets give exactly 1.
        case Measure::cosine:
            return std::sqrt(s / x * (s / y));
        default:
            return s;
    }
}

// The least overlap with which sets of sizes a and b reach the threshold; min(a, b) + 1 when no
// overlap does. A guess in real numbers, settled by the formula itself, so that both agree at
// equality.
inline uint64_t needed(Measure measure, double threshold, uint64_t a, uint64_t b) {
    double x = static_cast<double>(a), y = static_cast<double>(b), guess;
    switch (measure) {
        case Measure::jaccard:
            guess = threshold / (1 + threshold) * (x + y);
            break;
        case Measure::containment:
            guess = threshold * (x < y ? x : y);
            break;
        case Measure::dice:
            guess = threshold * (x + y) / 2;
            break;
        case Measure::cosine:
            guess = threshold * std::sqrt(x * y);
            break;
        default:
            guess = threshold;
    }
    uint64_t most = a < b ? a : b;
    uint64_t s = guess <= 0 ? 0 : static_cast<uint64_t>(std::ceil(guess - 1e-6));
    if (s > most + 1) s = most + 1;
    while (s > 0 && s <= most + 1 && similarity(measure, s - 1, a, b) >= threshold) --s;
    while (s <= most && similarity(measure, s, a, b) < threshold) ++s;
    return s;
}

// The same for one measure and threshold, with the answers to recent questions at hand: where thousands
// of pairs are looked at, their sizes are much the same.
class NeededOverlaps {
  public:
    uint64_t operator()(Measure measure, double threshold, uint64_t a, uint64_t b) {
        Answer& answer = answers_[(a * 31 + b) % kAnswers];
        if (answer.a != a || answer.b != b) answer = {a, b, needed(measure, threshold, a, b)};
        return answer.overlap;
    }

  private:
    static constexpr size_t kAnswers = 512;
    struct Answer {
        uint64_t a = ~uint64_t{0}, b = 0, overlap = 0;
    };
    std::array<Answer, kAnswers> answers_{};
};

// The least overlap a set of size a needs with any partner of the best possible size.
inline uint64_t needed_with_any(Measure measure, double threshold, uint64_t a) {
    switch (measure) {
        case Measure::containment:
            return 1;
        case Measure::overlap:
            return threshold <= 1 ? 1 : static_cast<uint64_t>(std::ceil(threshold));
        default:
            break;
    }
    uint64_t low = 1, high = a;  // the best partner is the smallest subset that reaches the threshold
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (similarity(measure, middle, a, middle) >= threshold) high = middle;
        else low = middle + 1;
    }
    return low;
}

// Features that no other document has (`alone`, where they were counted) bound what two documents can share.
inline constexpr uint32_t kUnknownAlone = ~0u;

inline uint64_t most_shared(uint64_t a, uint32_t alone_a, uint64_t b, uint32_t alone_b) {
    if (alone_a == kUnknownAlone || alone_b == kUnknownAlone) return std::min(a, b);
    return std::min(a - alone_a, b - alone_b);
}

struct SizeRange {
    uint64_t least, most;
    bool contains(uint64_t size) const { return size >= least && size <= most; }
};

// From the least to the greatest size, of those below 2^32, with which a subset or superset of a set of
// size a reaches the threshold: it becomes less similar the more their sizes differ.
inline SizeRange partner_sizes(Measure measure, double threshold, uint64_t a) {
    auto reaches = [&](uint64_t other) {
        return similarity(measure, a < other ? a : other, a, other) >= threshold;
    };
    SizeRange range;
    uint64_t low = 0, high = a;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (reaches(middle)) high = middle;
        else low = middle + 1;
    }
    range.least = low;
    for (low = a, high = 0xFFFFFFFF; low < high;) {
        uint64_t middle = high - (high - low) / 2;
        if (reaches(middle)) low = middle;
        else high = middle - 1;
    }
    range.most = low;
    return range;
}

// Number of common values of two sorted lists; stops early, with a value below `least`, as soon as
// `least` can no longer be reached. Without branches on the data, which mispredict.
inline uint64_t shared_count(FeatureList a, FeatureList b, uint64_t least) {
    size_t i = 0, j = 0;
    uint64_t shared = 0;
    constexpr size_t kStride = 64;
    while (i < a.size() && j < b.size()) {
        size_t left = a.size() - i < b.size() - j ? a.size() - i : b.size() - j;
        if (shared + left < least) return shared;
        size_t steps = left < kStride ? left : kStride;
        for (size_t k = 0; k < steps; ++k) {
            uint64_t x = a[i], y = b[j];
            shared += x == y;
            i += x <= y;
            j += y <= x;
        }
    }
    return shared;
}

}  // namespace twinset
