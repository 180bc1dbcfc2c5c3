// Growing memory as a NumPy array, without a copy.
#pragma once
#include <cstdlib>
#include <utility>

#include "arrays.hpp"
#include "growing.hpp"

namespace twinset {

template <class T>
Out<T> give(Growing<T>&& values) {
    size_t size = values.size();
    if (!values.data()) values.room(1);  // a capsule may not hold a null pointer
    T* held = values.release();
    nb::capsule owner(held, [](void* p) noexcept { std::free(p); });
    return Out<T>(held, {size}, owner);
}

}  // namespace twinset
