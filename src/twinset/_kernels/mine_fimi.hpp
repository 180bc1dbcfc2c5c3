// FIMI files: whole numbers separated by blanks, a line per transaction, in and out.
#pragma once
#include <string>

#include "mine_types.hpp"

namespace twinset::mine {

struct FimiFault {
    enum Kind { none = 0, no_number = 1, too_large = 2 };
    Kind kind = none;
    int64_t line = 0;  // from 1
    size_t begin = 0, end = 0;
};

// Lines of items numbered in the order of their labels; a number that a line repeats counts once.
struct FimiLines {
    std::vector<int64_t> offsets{0};
    std::vector<int32_t> items;
    std::vector<int64_t> labels;
    int64_t blank = 0, repeated = 0, first_repeat = 0;
    FimiFault fault;
};

class FimiReader {
  public:
    explicit FimiReader(std::span<const uint8_t> text) : text_(text) {}

    FimiLines read() {
        Pace pace;
        while (at_ < text_.size() && lines_.fault.kind == FimiFault::none) {
            size_t before = at_;
            read_line();
            pace(at_ - before);
        }
        if (lines_.fault.kind == FimiFault::none) number_items();
        return std::move(lines_);
    }

  private:
    static bool is_blank(uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
    static bool is_digit(uint8_t c) { return c >= '0' && c <= '9'; }

    void read_line() {
        size_t count = numbers_.size();
        while (at_ < text_.size() && text_[at_] != '\n') {
            if (is_blank(text_[at_])) {
                ++at_;
                continue;
            }
            if (!read_number()) return;
        }
        ++at_;
        lines_.blank += numbers_.size() == count;
        lines_.offsets.push_back(static_cast<int64_t>(numbers_.size()));
    }

    bool read_number() {
        size_t begin = at_;
        uint64_t value = 0;
        while (at_ < text_.size() && is_digit(text_[at_])) value = 10 * value + (text_[at_++] - '0');
        bool whole = at_ == text_.size() || is_blank(text_[at_]);
        while (at_ < text_.size() && !is_blank(text_[at_])) ++at_;
        // Nineteen digits fit into 64 bits, and the largest number has as many.
        bool fits = at_ - begin <= 19 && value <= static_cast<uint64_t>(INT64_MAX);
        if (whole && fits) {
            numbers_.push_back(static_cast<int64_t>(value));
            return true;
        }
        lines_.fault = {whole ? FimiFault::too_large : FimiFault::no_number,
                        static_cast<int64_t>(lines_.offsets.size()), begin, at_};
        return false;
    }

    void number_items() {
        int64_t largest = numbers_.empty() ? 0 : *std::ranges::max_element(numbers_);
        lines_.items.reserve(numbers_.size());
        if (static_cast<uint64_t>(largest) <= 8 * numbers_.size() + (1 << 20)) {
            std::vector<int32_t> code(static_cast<size_t>(largest) + 1, -1);
            for (int64_t number : numbers_) code[number] = 0;
            for (int64_t number = 0; number <= largest; ++number)
                if (code[number] == 0) {
                    code[number] = static_cast<int32_t>(lines_.labels.size());
                    lines_.labels.push_back(number);
                }
            collect([&](int64_t number) { return code[number]; });
        } else {
            lines_.labels = numbers_;
            stoppable_sort(lines_.labels.begin(), lines_.labels.end());
            lines_.labels.erase(std::unique(lines_.labels.begin(), lines_.labels.end()), lines_.labels.end());
            collect([&](int64_t number) {
                return static_cast<int32_t>(std::ranges::lower_bound(lines_.labels, number) -
                                            lines_.labels.begin());
            });
        }
    }

    template <class Code>
    void collect(Code code) {
        Pace pace;
        int64_t from = 0;
        for (size_t line = 1; line < lines_.offsets.size(); ++line) {
            int64_t to = lines_.offsets[line];
            size_t begin = lines_.items.size();
            for (; from < to; ++from) lines_.items.push_back(code(numbers_[from]));
            auto first = lines_.items.begin() + begin;
            if (!std::is_sorted(first, lines_.items.end())) std::sort(first, lines_.items.end());
            auto end = std::unique(first, lines_.items.end());
            if (end != lines_.items.end()) {
                lines_.repeated += lines_.items.end() - end;
                if (lines_.first_repeat == 0) lines_.first_repeat = static_cast<int64_t>(line);
                lines_.items.erase(end, lines_.items.end());
            }
            lines_.offsets[line] = static_cast<int64_t>(lines_.items.size());
            pace(16 * (lines_.items.size() - begin) + 1);
        }
    }

    std::span<const uint8_t> text_;
    size_t at_ = 0;
    std::vector<int64_t> numbers_;
    FimiLines lines_;
};

// A line per row: the labels of its items, and its entry of `last` where there is one per row.
inline std::vector<uint8_t> fimi_text(std::span<const int64_t> offsets, std::span<const int32_t> items,
                                      std::span<const int64_t> labels, std::span<const int32_t> last) {
    std::string words;
    std::vector<uint32_t> starts{0};
    for (int64_t label : labels) {
        words += std::to_string(label);
        starts.push_back(static_cast<uint32_t>(words.size()));
    }
    std::vector<uint8_t> text;
    size_t rows = offsets.size() - 1;
    text.reserve((offsets[rows] - offsets[0]) * (labels.empty() ? 1 : words.size() / labels.size() + 2) +
                 8 * rows);
    Pace pace;
    for (size_t row = 0; row < rows; ++row) {
        for (int64_t at = offsets[row]; at < offsets[row + 1]; ++at) {
            int32_t item = items[at];
            text.insert(text.end(), words.begin() + starts[item], words.begin() + starts[item + 1]);
            text.push_back(' ');
        }
        if (!last.empty()) {
            std::string word = std::to_string(last[row]);
            text.insert(text.end(), word.begin(), word.end());
            text.push_back('\n');
        } else if (offsets[row] == offsets[row + 1]) {
            text.push_back('\n');
        } else {
            text.back() = '\n';
        }
        pace(8 * (offsets[row + 1] - offsets[row] + 1));
    }
    return text;
}

}  // namespace twinset::mine
