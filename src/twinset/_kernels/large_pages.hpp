// Room for arrays of many megabytes that are looked up in no order: on large pages, where the system
// has them, such look-ups miss the table of pages far less often.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace twinset {

// Values that are not given a value stay as the memory was; `assign` and `resize` with one give it.
template <class T>
struct LargePages {
    using value_type = T;
    static constexpr size_t kPage = size_t{1} << 21;

    LargePages() = default;
    template <class U>
    LargePages(const LargePages<U>&) {}

    T* allocate(size_t count) {
        if (count > size_t{PTRDIFF_MAX} / sizeof(T)) throw std::bad_array_new_length();
        size_t bytes = count * sizeof(T);
        bool large = bytes >= kPage;
        void* memory = ::operator new(bytes, alignment(bytes));
#if defined(__linux__) && defined(MADV_HUGEPAGE)
        if (large) madvise(memory, bytes, MADV_HUGEPAGE);  // advice: nothing is lost if it is not taken
#endif
        (void)large;
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, size_t count) { ::operator delete(memory, alignment(count * sizeof(T))); }

    template <class U>
    void construct(U* at) {
        // atomic values pass for trivially copyable though nothing copies them
        constexpr bool plain = std::is_trivially_copyable_v<U> && std::is_copy_constructible_v<U>;
        if constexpr (!plain) ::new (static_cast<void*>(at)) U;
    }
    template <class U, class... Values>
    void construct(U* at, Values&&... values) {
        ::new (static_cast<void*>(at)) U(std::forward<Values>(values)...);
    }

    bool operator==(const LargePages&) const = default;

  private:
    static std::align_val_t alignment(size_t bytes) {
        return std::align_val_t{bytes >= kPage ? kPage : alignof(std::max_align_t)};
    }
};

template <class T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace twinset
