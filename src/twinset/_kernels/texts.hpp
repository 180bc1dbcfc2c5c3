// Documents as kernels see them: texts of an Arrow array, and work shared out over documents.
#pragma once
#include <span>

#include "arrays.hpp"
#include "parallel.hpp"

namespace twinset {

inline constexpr size_t kTextGrain = 16;  // documents a thread takes at once

// Documents as they lie in an Arrow array: document i is [data + offsets[i], data + offsets[i+1]).
struct Texts {
    const uint8_t* data;
    const int64_t* offsets;
    size_t count;
    const uint8_t* readable;  // the end of the memory

    Texts(const In<uint8_t>& bytes, const In<int64_t>& ends) : data(bytes.data()), offsets(ends.data()) {
        check_offsets(view(ends), bytes.shape(0));
        count = ends.shape(0) - 1;
        readable = data + bytes.shape(0);
    }
    const uint8_t* begin(size_t i) const { return data + offsets[i]; }
    const uint8_t* end(size_t i) const { return data + offsets[i + 1]; }
    size_t bytes() const { return offsets[count] - offsets[0]; }
};

// Calls work(document, worker) for every document. Work on long ones makes its own stop points.
template <class Work>
void each_document(size_t count, int threads, Work&& work) {
    parallel_blocks(count, kTextGrain, threads, [&](size_t begin, size_t end, int worker) {
        for (size_t i = begin; i < end; ++i) work(i, worker);
    });
}

template <class Work>
void each_document(const Texts& texts, int threads, Work&& work) {
    each_document(texts.count, threads, std::forward<Work>(work));
}

// Lists of values, one per document: list i is [values + offsets[i], values + offsets[i+1]).
template <class T>
struct ListsOf {
    const T* values;
    const int64_t* offsets;
    size_t count;

    ListsOf(const In<T>& in, const In<int64_t>& ends) : values(in.data()), offsets(ends.data()) {
        check_offsets(view(ends), in.shape(0));
        count = ends.shape(0) - 1;
    }
    std::span<const T> operator[](size_t i) const { return {begin(i), end(i)}; }
    const T* begin(size_t i) const { return values + offsets[i]; }
    const T* end(size_t i) const { return values + offsets[i + 1]; }
    size_t size(size_t i) const { return static_cast<size_t>(offsets[i + 1] - offsets[i]); }
};

}  // namespace twinset
