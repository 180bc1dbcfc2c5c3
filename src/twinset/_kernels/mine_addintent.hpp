// AddIntent: the concept lattice, item by item.
//
// D. van der Merwe, S. Obiedkov, D. Kourie, "AddIntent: a new incremental algorithm for constructing
// concept lattices", ICFCA 2004. Objects are the items, an intent is the set of lines that hold all
// items of a concept. Intents below the support count as empty (the papers' AddIntent*), which keeps
// the part of the lattice that matters, closed under intersection as before; this bound is what
// `prune` switches.
//
// While an item G is added, an intent that is looked for under a concept C is always the meet of C
// and G. So sets need not be compared to find their place: D above C holds the meet of C and G if
// the meet of D and G is as large. A step is a concept whose meet is looked at.
#pragma once
#include <optional>

#include "mine_intents.hpp"

namespace twinset::mine {

template <class Intents>
class AddIntent {
  public:
    AddIntent(const Database& data, int32_t support, bool prune)
        : data_(data), intents_(data), support_(support), least_(prune ? support : 1) {
        new_concept(intents_.add_all());
    }

    MinedSets run(Target target) {
        std::vector<int32_t> concept_of;
        for (int32_t object = 0; object < data_.ranks(); ++object) {
            intents_.choose(object);
            ++now_;
            result_[kBottom] = {now_, kNone};
            concept_of.push_back(add());
        }
        return sets(concept_of, target);
    }

  private:
    static constexpr int32_t kBottom = 0;
    static constexpr int32_t kNone = -1;

    // A call of AddIntent that is not finished: where it stands among the parents of its generator.
    struct Call {
        int32_t generator;
        size_t next;
        size_t parents;  // where those of the new concept begin in parents_of_new_
    };
    struct Answer {
        int64_t object = -1;  // it counts for this one alone
        int32_t at = kNone;
    };

    int32_t new_concept(int32_t number) {
        parents_.emplace_back();
        result_.emplace_back();
        placed_.push_back(-1);
        if (intents_.size(number) == 0) top_ = number;
        return number;
    }

    // Size of the meet of a concept and the object; 0 where it is below the bound.
    int32_t meet(int32_t at) {
        ++steps_;
        pace_(4);
        int32_t size = intents_.meet(at);
        return size < least_ ? 0 : size;
    }

    // GetMaximalConcept: the largest concept above whose intent holds this meet.
    int32_t highest(int32_t at, int32_t size) {
        if (size == 0 && top_ != kNone) return top_;
        for (bool moved = true; moved;) {
            moved = false;
            for (int32_t parent : parents_[at])
                if (intents_.size(parent) >= size && meet(parent) == size) {
                    at = parent;
                    moved = true;
                    break;
                }
        }
        return at;
    }

    // The concept for the object's own intent; new ones are put in on the way.
    int32_t add() {
        int32_t answer = open(kBottom);
        while (answer == kNone) {
            Call& call = calls_.back();
            if (call.next == parents_[call.generator].size()) {
                answer = close();
                if (calls_.empty()) return answer;
                take(answer);
                answer = kNone;
                continue;
            }
            int32_t candidate = parents_[call.generator][call.next++];
            int32_t size = meet(candidate);
            if (size < intents_.size(candidate)) {
                if (result_[candidate].object == now_) candidate = result_[candidate].at;
                else if (size == 0 && top_ != kNone) candidate = top_;
                else candidate = open(candidate);
            }
            if (candidate != kNone) take(candidate);
        }
        return answer;
    }

    // Begins a call below a concept, or gives its answer at once where the intent is there already.
    int32_t open(int32_t at) {
        int32_t size = at == kBottom ? enough(intents_.chosen_size()) : meet(at);
        int32_t generator = highest(at, size);
        opened_.push_back(at);
        if (intents_.size(generator) == size) {
            return settle(generator);
        }
        calls_.push_back({generator, 0, parents_of_new_.size()});
        return kNone;
    }

    int32_t enough(int32_t size) const { return size < least_ ? 0 : size; }

    int32_t settle(int32_t answer) {
        result_[opened_.back()] = {now_, answer};
        opened_.pop_back();
        return answer;
    }

    // Adds a parent of the new concept, unless one that is there lies below it.
    void take(int32_t candidate) {
        size_t begin = calls_.back().parents;
        auto same = [&](int32_t parent) { return intents_.inside(candidate, parent); };
        if (std::any_of(parents_of_new_.begin() + begin, parents_of_new_.end(), same)) return;
        auto above = [&](int32_t parent) { return intents_.inside(parent, candidate); };
        parents_of_new_.erase(std::remove_if(parents_of_new_.begin() + begin, parents_of_new_.end(), above),
                              parents_of_new_.end());
        parents_of_new_.push_back(candidate);
    }

    // Ends a call: makes the new concept between its parents and the generator.
    int32_t close() {
        Call call = calls_.back();
        calls_.pop_back();
        int32_t size = call.generator == kBottom ? enough(intents_.chosen_size()) : meet(call.generator);
        int32_t number = new_concept(intents_.add_meet(call.generator, size));
        auto& parents = parents_[number];
        parents.assign(parents_of_new_.begin() + call.parents, parents_of_new_.end());
        parents_of_new_.resize(call.parents);
        for (int32_t parent : parents) placed_[parent] = number;
        std::erase_if(parents_[call.generator], [&](int32_t parent) { return placed_[parent] == number; });
        parents_[call.generator].push_back(number);
        return settle(number);
    }

    // The extents: every item belongs to its own concept and to all above.
    MinedSets sets(const std::vector<int32_t>& concept_of, Target target) {
        size_t concepts = parents_.size();
        std::vector<uint8_t> chosen(concepts);
        for (size_t at = 0; at < concepts; ++at) {
            auto below = [&](int32_t parent) { return intents_.size(parent) < support_; };
            chosen[at] = intents_.size(at) >= support_ &&
                         (target == Target::closed || std::ranges::all_of(parents_[at], below));
        }
        std::vector<int64_t> ends(concepts + 1, 0);
        for_all_above(concept_of, [&](int32_t, int32_t at) { ends[at + 1] += chosen[at]; });
        MinedSets sets;
        for (size_t at = 0; at < concepts; ++at) {
            if (ends[at + 1] > 0) {
                sets.supports.push_back(intents_.size(at));
                sets.offsets.push_back(sets.offsets.back() + ends[at + 1]);
            }
            ends[at + 1] += ends[at];
        }
        sets.items.resize(ends[concepts]);
        for_all_above(concept_of, [&](int32_t object, int32_t at) {
            if (chosen[at]) sets.items[ends[at]++] = data_.item_of[object];
        });
        sets.steps = steps_;
        return sets;
    }

    template <class See>
    void for_all_above(const std::vector<int32_t>& concept_of, See see) {
        std::fill(placed_.begin(), placed_.end(), kNone);
        std::vector<int32_t> stack;
        for (int32_t object = 0; object < data_.ranks(); ++object) {
            stack.assign(1, concept_of[object]);
            placed_[concept_of[object]] = object;
            while (!stack.empty()) {
                int32_t at = stack.back();
                stack.pop_back();
                see(object, at);
                for (int32_t parent : parents_[at])
                    if (std::exchange(placed_[parent], object) != object) stack.push_back(parent);
                pace_(parents_[at].size() + 1);
            }
        }
    }

    const Database& data_;
    Intents intents_;
    int32_t support_, least_;
    std::vector<std::vector<int32_t>> parents_;  // concepts with fewer lines and more items
    std::vector<Answer> result_;                 // of a call below each concept
    std::vector<int32_t> placed_;                // marks of one use each
    std::vector<Call> calls_;
    std::vector<int32_t> opened_;  // the concepts below which these calls were made
    std::vector<int32_t> parents_of_new_;
    int32_t top_ = kNone;  // the concept without lines, where there is one
    int64_t now_ = 0;
    uint64_t steps_ = 0;
    Pace pace_;
};

inline MinedSets mine_addintent(const Transactions& from, int32_t support, Target target, bool prune) {
    Database data(from, support, Order::commonest_first);
    if (is_dense(data)) return AddIntent<DenseIntents>(data, support, prune).run(target);
    return AddIntent<SparseIntents>(data, support, prune).run(target);
}

}  // namespace twinset::mine
