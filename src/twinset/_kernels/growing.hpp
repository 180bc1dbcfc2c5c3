// Memory that grows without being cleared or copied more than needed, and goes to NumPy as it is.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

#include "arrays.hpp"

namespace twinset {

template <class T>
class Growing {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    Growing() = default;
    Growing(Growing&& other) noexcept { swap(other); }
    Growing& operator=(Growing&& other) noexcept {
        swap(other);
        return *this;
    }
    ~Growing() { std::free(data_); }

    T* data() { return data_; }
    const T* data() const { return data_; }
    size_t size() const { return size_; }
    void clear() { size_ = 0; }

    // Room for `more` values at the end; they count once `grow` is called.
    T* room(size_t more) {
        if (size_ + more > capacity_) reallocate(std::max(size_ + more, capacity_ + capacity_ / 2));
        return data_ + size_;
    }
    void grow(size_t more) { size_ += more; }
    void push(T value) {
        *room(1) = value;
        ++size_;
    }

    // The values as an array that owns them.
    Out<T> give() && {
        T* values = std::exchange(data_, nullptr);
        size_t size = std::exchange(size_, 0);
        nb::capsule owner(values ? static_cast<void*>(values) : static_cast<void*>(new_empty()),
                          [](void* p) noexcept { std::free(p); });
        return Out<T>(values, {size}, owner);
    }

private:
    static void* new_empty() { return std::malloc(1); }  // a capsule may not hold a null pointer

    void reallocate(size_t capacity) {
        if (capacity > SIZE_MAX / sizeof(T)) throw std::bad_alloc();
        void* grown = std::realloc(data_, capacity * sizeof(T));
        if (!grown) throw std::bad_alloc();
        data_ = static_cast<T*>(grown);
        capacity_ = capacity;
    }

    void swap(Growing& other) {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

    T* data_ = nullptr;
    size_t size_ = 0;
    size_t capacity_ = 0;
};

}  // namespace twinset
