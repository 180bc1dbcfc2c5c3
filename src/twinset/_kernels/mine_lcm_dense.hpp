// LCM where few items are left: lines are bit masks. A subtree of the enumeration of mine_lcm.hpp.
#pragma once
#include "mine_masks.hpp"
#include "mine_types.hpp"

namespace twinset::mine {

// Where closed sets go, and what decides about them.
struct LcmTask {
    int32_t support;
    bool prune;
    MinedSets sets;
    std::vector<int32_t> prefix;  // the items of the closed set that is being extended
};

template <int Words>
class LcmDense {
  public:
    using Bits = Mask<Words>;

    struct Lines {
        std::vector<Bits> masks;
        std::vector<int32_t> weights;
        std::vector<int32_t> holders;  // the lines of each bit, bit after bit; for long databases only
        std::array<int32_t, Bits::kBits + 1> starts;

        void clear() {
            masks.clear();
            weights.clear();
            holders.clear();
        }

        template <class Visit>
        void each(int bit, Visit visit) const {
            if (bit >= 0 && !holders.empty()) {
                for (int32_t at = starts[bit]; at < starts[bit + 1]; ++at)
                    visit(masks[holders[at]], weights[holders[at]]);
                return;
            }
            for (size_t line = 0; line < masks.size(); ++line)
                if (bit < 0 || masks[line].test(bit)) visit(masks[line], weights[line]);
        }
        size_t length(int bit) const {
            return bit >= 0 && !holders.empty() ? starts[bit + 1] - starts[bit] : masks.size();
        }
    };

    LcmDense(LcmTask& task) : task_(task) {}

    // item_of: the item of each bit. Bits of `live` may be added, those of `watch` must not be in all lines.
    void run(const Lines& lines, std::span<const int32_t> item_of, Bits live, Bits watch) {
        item_of_ = item_of;
        extend(lines, -1, live, watch, 0);
    }

  private:
    // Extends the current set, which lies in the lines that have `bit` (all, for -1).
    void extend(const Lines& lines, int bit, Bits live, Bits watch, size_t depth) {
        std::array<int32_t, Bits::kBits> count;
        std::array<Bits, Bits::kBits> common;  // what all lines with an item have: occurrence deliver
        live.each([&](int b) {
            count[b] = 0;
            common[b] = Bits::all();
        });
        lines.each(bit, [&](const Bits& mask, int32_t weight) {
            (mask & live).each([&](int b) {
                count[b] += weight;
                common[b] &= mask;
            });
        });
        pace_(lines.length(bit) + 8);
        Bits frequent;
        live.each([&](int b) {
            if (count[b] >= task_.support) frequent.set(b);
        });
        bool reduced = false;
        if (depth == levels_.size()) levels_.push_back(std::make_unique<Lines>());
        frequent.each([&](int b) {
            ++task_.sets.steps;
            Bits earlier = frequent & Bits::below(b), later = frequent & ~Bits::below(b + 1);
            Bits watched = watch | earlier;
            bool preserved = !(common[b] & watched).any();
            if (task_.prune && !preserved) return;  // the same closed set is reached from an earlier item
            Bits closure = common[b] & later;
            if (!task_.prune) {
                preserved &= !closure.any();
                closure = Bits();
            }
            size_t before = task_.prefix.size();
            task_.prefix.push_back(item_of_[b]);
            closure.each([&](int c) { task_.prefix.push_back(item_of_[c]); });
            Bits rest = later & ~closure;
            if (preserved) task_.sets.add(task_.prefix, count[b]);
            if (rest.any()) {
                if (!reduced) reduce(lines, bit, frequent, watch, depth);
                reduced = true;
                extend(*levels_[depth], b, rest, watched, depth + 1);
            }
            task_.prefix.resize(before);
        });
    }

    // Database reduction: the lines with `bit`, without items that are not frequent, equal ones merged.
    // Of what must not be in all lines, a merged line keeps the part that all its lines have.
    void reduce(const Lines& lines, int bit, Bits frequent, Bits watch, size_t depth) {
        Lines& to = *levels_[depth];
        to.clear();
        size_t slots = 16;
        while (slots < 2 * lines.length(bit)) slots *= 2;
        if (table_.size() < slots) table_.resize(slots);
        std::fill(table_.begin(), table_.begin() + slots, -1);
        lines.each(bit, [&](Bits mask, int32_t weight) {
            mask &= frequent | watch;
            Bits own = mask & frequent;
            if (!own.any()) return;
            size_t slot = own.hash() & (slots - 1);
            while (table_[slot] >= 0 && (to.masks[table_[slot]] & frequent) != own)
                slot = (slot + 1) & (slots - 1);
            if (table_[slot] >= 0) {
                to.masks[table_[slot]] &= mask;
                to.weights[table_[slot]] += weight;
            } else {
                table_[slot] = static_cast<int32_t>(to.masks.size());
                to.masks.push_back(mask);
                to.weights.push_back(weight);
            }
        });
        if (to.masks.size() > kLong) deliver(to, frequent);
    }

    static void deliver(Lines& lines, Bits bits) {
        lines.starts.fill(0);
        for (const Bits& mask : lines.masks) (mask & bits).each([&](int b) { ++lines.starts[b + 1]; });
        std::partial_sum(lines.starts.begin(), lines.starts.end(), lines.starts.begin());
        lines.holders.resize(lines.starts.back());
        auto next = lines.starts;
        for (size_t line = 0; line < lines.masks.size(); ++line)
            (lines.masks[line] & bits).each([&](int b) {
                lines.holders[next[b]++] = static_cast<int32_t>(line);
            });
    }

    static constexpr size_t kLong = 32;

    LcmTask& task_;
    std::span<const int32_t> item_of_;
    std::vector<std::unique_ptr<Lines>> levels_;
    std::vector<int32_t> table_;
    Pace pace_;
};

}  // namespace twinset::mine
