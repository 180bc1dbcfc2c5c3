// Growing memory as a NumPy array, without a copy. To return many megabytes to the system takes long enough
// for other threads of Python to go on meanwhile.
#pragma once
#include <cstdlib>
#include <utility>

#include "arrays.hpp"
#include "growing.hpp"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace twinset {

inline void free_unlocked(void* memory) noexcept {
#if defined(__GLIBC__)
    constexpr size_t kLarge = size_t{4} << 20;
    if (malloc_usable_size(memory) >= kLarge) {
        nb::gil_scoped_release unlocked;
        return std::free(memory);
    }
#endif
    std::free(memory);
}

template <class T>
Out<T> give(Growing<T>&& values) {
    size_t size = values.size();
    if (!values.data()) values.room(1);  // a capsule may not hold a null pointer
    T* held = values.release();
    nb::capsule owner(held, free_unlocked);
    return Out<T>(held, {size}, owner);
}

}  // namespace twinset
