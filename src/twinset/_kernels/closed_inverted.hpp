// The inverted table as text: for each feature, ascending, a line of the documents that have it.
//
// Each image ascends, so a cursor per document walks through the features range by range, and only
// the entries of one range are in memory. Where many features belong to one document, two bits per
// hashed feature throw nearly all of these out before anything is sorted.
#pragma once
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "hash.hpp"
#include "large_pages.hpp"
#include "stop.hpp"

namespace twinset::closed {

class InvertedText {
  public:
    // Document d has the features values[offsets[d]] to values[offsets[d + 1]], ascending, and is
    // called numbers[d]. A range has about `slice` entries, and there are kMostRanges at most.
    InvertedText(std::span<const uint64_t> values, std::span<const int64_t> offsets,
                 std::span<const int64_t> numbers, size_t least, size_t slice)
        : values_(values),
          numbers_(numbers),
          least_(std::max<size_t>(least, 1)),
          ends_(offsets.subspan(1)),
          next_(offsets.begin(), offsets.end() - 1) {
        choose_cuts(offsets[0], offsets.back(), slice);
        for (int64_t number : numbers) spelt_.push_back(Spelt(number));
    }

    // Writes the lines of the next range; false when there is no further range.
    bool write(std::vector<uint8_t>& text) {
        text.clear();
        if (range_ > cuts_.size()) return false;
        gather();
        if (least_ > 1 && dropping_) drop_single();
        sort();
        ++range_;
        spell(text);
        return true;
    }

  private:
    static constexpr size_t kMostRanges = 64;
    static constexpr size_t kSample = 100'000;
    static constexpr size_t kInBucket = 4;  // entries, about

    struct Entry {
        uint64_t feature;
        uint32_t document;
        bool operator<(const Entry& o) const {
            return feature != o.feature ? feature < o.feature : document < o.document;
        }
    };

    // A number with the mark behind it; `length` is 0 where it does not fit.
    struct Spelt {
        char text[15] = {};
        uint8_t length = 0;

        explicit Spelt(int64_t number) {
            auto [end, fault] = std::to_chars(text, text + sizeof text - 1, number);
            if (fault != std::errc{}) return;
            *end++ = ' ';
            length = static_cast<uint8_t>(end - text);
        }
    };

    // About as many entries between any two cuts. Images are sorted and often of one size: a sample
    // by even steps would be of their least values.
    void choose_cuts(int64_t begin, int64_t end, size_t slice) {
        size_t total = static_cast<size_t>(end - begin);
        size_t ranges = std::min(kMostRanges, 1 + total / std::max<size_t>(slice, 1));
        if (ranges < 2) return;
        size_t count = std::min(kSample, total);
        std::vector<uint64_t> sample(count);
        for (size_t i = 0; i < count; ++i)
            sample[i] = values_[static_cast<size_t>(begin) + i * 2654435761u % total];
        std::sort(sample.begin(), sample.end());
        for (size_t r = 1; r < ranges; ++r) cuts_.push_back(sample[r * count / ranges]);
        cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
    }

    // A feature equal to a cut belongs to the range above it.
    void gather() {
        bool last = range_ == cuts_.size();
        uint64_t cut = last ? 0 : cuts_[range_];
        entries_.clear();
        Pace pace;
        for (size_t d = 0; d < next_.size(); ++d) {
            int64_t at = next_[d], end = ends_[d];
            for (; at < end && (last || values_[static_cast<size_t>(at)] < cut); ++at)
                entries_.push_back({values_[static_cast<size_t>(at)], static_cast<uint32_t>(d)});
            pace(static_cast<size_t>(at - next_[d]) + 1);
            next_[d] = at;
        }
    }

    void drop_single() {
        int bits = 10;
        while ((size_t{1} << bits) < 8 * entries_.size() && bits < 36) ++bits;
        once_.assign(size_t{1} << (bits - 6), 0);
        twice_.assign(size_t{1} << (bits - 6), 0);
        Pace pace;
        auto place = [&](const Entry& e) { return mix(e.feature) >> (64 - bits); };
        for (const Entry& e : entries_) {
            pace();
            uint64_t at = place(e), bit = uint64_t{1} << (at & 63);
            twice_[at >> 6] |= once_[at >> 6] & bit;
            once_[at >> 6] |= bit;
        }
        size_t before = entries_.size();
        std::erase_if(entries_, [&](const Entry& e) {
            uint64_t at = place(e);
            return !(twice_[at >> 6] >> (at & 63) & 1);
        });
        // It must spare a good part of the sorting to be worth its while, in the next ranges as well.
        dropping_ = before - entries_.size() > before / 4;
    }

    // By counting: a bucket holds few entries where features spread evenly between the cuts. They
    // come in the order of their documents and stay in it.
    void sort() {
        size_t n = entries_.size();
        sorted_.resize(n);
        if (n > UINT32_MAX) throw std::invalid_argument("more than 4 billion entries in one range");
        uint64_t from = ~uint64_t{0}, until = 0;
        for (const Entry& e : entries_) from = std::min(from, e.feature), until = std::max(until, e.feature);
        if (n == 0) return;
        int shift = 0;
        while ((until - from) >> shift > n / kInBucket) ++shift;
        size_t buckets = static_cast<size_t>((until - from) >> shift) + 1;
        starts_.assign(buckets + 2, 0);
        Pace pace;
        for (const Entry& e : entries_) ++starts_[((e.feature - from) >> shift) + 2];
        for (size_t b = 2; b < starts_.size(); ++b) starts_[b] += starts_[b - 1];
        for (const Entry& e : entries_) {
            pace();
            sorted_[starts_[((e.feature - from) >> shift) + 1]++] = e;
        }
        for (size_t b = 0; b < buckets; ++b) sort_bucket(starts_[b], starts_[b + 1]);
    }

    void sort_bucket(size_t begin, size_t end) {
        constexpr size_t kFew = 32;
        auto first = sorted_.begin() + static_cast<ptrdiff_t>(begin);
        if (end - begin > kFew) return stoppable_sort(first, first + static_cast<ptrdiff_t>(end - begin));
        for (size_t i = begin + 1; i < end; ++i) {
            if (sorted_[i - 1].feature <= sorted_[i].feature) continue;
            Entry e = sorted_[i];
            size_t at = i;
            for (; at > begin && e.feature < sorted_[at - 1].feature; --at) sorted_[at] = sorted_[at - 1];
            sorted_[at] = e;
        }
    }

    void spell(std::vector<uint8_t>& text) {
        constexpr size_t kLongest = 21;  // of a number, with the mark behind it
        constexpr size_t kAhead = 16;
        room_.resize(sorted_.size() * kLongest);
        char* out = room_.data();
        Pace pace;
        for (size_t i = 0; i < sorted_.size();) {
            size_t end = i + 1;
            while (end < sorted_.size() && sorted_[end].feature == sorted_[i].feature) ++end;
            pace(4 * (end - i));
            if (end - i >= least_) {
                for (; i < end; ++i) {
                    if (i + kAhead < sorted_.size())
                        __builtin_prefetch(&spelt_[sorted_[i + kAhead].document]);
                    const Spelt& spelt = spelt_[sorted_[i].document];
                    std::memcpy(out, spelt.text, sizeof spelt.text);  // more than needed, but at one go
                    out += spelt.length;
                    if (spelt.length) continue;
                    out = std::to_chars(out, out + kLongest, numbers_[sorted_[i].document]).ptr;
                    *out++ = ' ';
                }
                out[-1] = '\n';
            }
            i = end;
        }
        text.assign(room_.data(), out);
    }

    std::span<const uint64_t> values_;
    std::span<const int64_t> numbers_;
    size_t least_;
    std::span<const int64_t> ends_;
    std::vector<int64_t> next_;  // each document's first feature that is not yet written
    std::vector<uint64_t> cuts_, once_, twice_;
    std::vector<uint32_t> starts_;
    LargeVector<Entry> entries_, sorted_;
    std::vector<Spelt> spelt_;
    LargeVector<char> room_;
    bool dropping_ = true;
    size_t range_ = 0;
};

}  // namespace twinset::closed
