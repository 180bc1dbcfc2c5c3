// Memory that grows without being cleared, and whose ownership can be handed over as it is.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

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

    // Memory for so many values at once, where a good guess is at hand. Filling fresh memory costs
    // a fault a page, so large pages are asked for; growing later would break them up again.
    void reserve(size_t values) {
        if (values <= capacity_) return;
        reallocate(values);
#if defined(__linux__)
        constexpr uintptr_t kLarge = 2 << 20;
        uintptr_t from = (reinterpret_cast<uintptr_t>(data_) + kLarge - 1) / kLarge * kLarge;
        uintptr_t to = reinterpret_cast<uintptr_t>(data_ + capacity_) / kLarge * kLarge;
        if (to > from) madvise(reinterpret_cast<void*>(from), to - from, MADV_HUGEPAGE);
#endif
    }

    // Gives back what was reserved and not used.
    void shrink() {
        if (size_ < capacity_) reallocate(std::max<size_t>(size_, 1));
    }

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

    // Hands the memory over: the caller frees it with std::free. Null where there are no values.
    T* release() {
        size_ = capacity_ = 0;
        return std::exchange(data_, nullptr);
    }

  private:
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
