// The vertical side of a database.
#pragma once
#include "mine_types.hpp"

namespace twinset::mine {

// For each rank its lines.
struct LinesOf {
    std::vector<int64_t> offsets;
    std::vector<int32_t> lines;

    explicit LinesOf(const Database& data) : offsets(data.ranks() + 1, 0), lines(data.items.size()) {
        for (int32_t rank : data.items) ++offsets[rank + 1];
        std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
        std::vector<int64_t> at(offsets.begin(), offsets.end() - 1);
        for (size_t line = 0; line < data.lines(); ++line)
            for (int32_t rank : data[line]) lines[at[rank]++] = static_cast<int32_t>(line);
    }

    std::span<const int32_t> operator[](int32_t rank) const {
        return std::span(lines).subspan(offsets[rank], offsets[rank + 1] - offsets[rank]);
    }
};

}  // namespace twinset::mine
