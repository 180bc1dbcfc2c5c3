// What the closed-set kernels pass to each other. A *class* is a group of documents that no set
// can tell apart; the join and the search work on classes, which become documents at the end.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace twinset::closed {

// Documents as sorted unique features. least[d] is the number of features that every set with
// document d in it has to share.
struct Context {
    const uint64_t* values;
    const int64_t* offsets;
    const int32_t* least;
    size_t documents;

    const uint64_t* image(size_t d) const { return values + offsets[d]; }
    size_t size(size_t d) const { return static_cast<size_t>(offsets[d + 1] - offsets[d]); }
};

enum class Kind { maximal, closed };

struct Limits {
    int64_t sets;     // per component
    int64_t work;     // per component, in mask operations
    int64_t members;  // of the whole answer, shared out by the size of the components
};

// Lists of numbers one after the other: list i is at [offsets[i], offsets[i + 1]).
template <class T, class Items = std::vector<T>>
struct Lists {
    std::vector<size_t> offsets{0};
    Items items;

    size_t count() const { return offsets.size() - 1; }
    const T* begin(size_t i) const { return items.data() + offsets[i]; }
    const T* end(size_t i) const { return items.data() + offsets[i + 1]; }
    T* begin(size_t i) { return items.data() + offsets[i]; }
    T* end(size_t i) { return items.data() + offsets[i + 1]; }
    size_t size(size_t i) const { return offsets[i + 1] - offsets[i]; }
    void close() { offsets.push_back(items.size()); }
};

// The classes that are left to compare, rare elements first in every row, and the *lonely* ones:
// two or more documents that share enough among themselves and have no neighbour.
struct Classes {
    Lists<uint32_t> documents;  // ascending inside a class, classes by their first document
    Lists<uint32_t> rows;       // ranks of the elements; empty for a lonely class
    std::vector<int32_t> least;
    std::vector<int32_t> own;   // features that the documents of the class have in common
    std::vector<uint8_t> live;  // 0: lonely
    size_t elements = 0;        // ranks are below this

    size_t count() const { return documents.count(); }
};

}  // namespace twinset::closed
