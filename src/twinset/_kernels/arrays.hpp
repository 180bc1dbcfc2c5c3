// The door between Python and the kernels: contiguous NumPy arrays in, NumPy arrays out, shapes
// and offsets checked here so that the kernels behind it may trust them.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "stop.hpp"

namespace twinset {

namespace nb = nanobind;

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using In2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
using Out2 = nb::ndarray<nb::numpy, T, nb::ndim<2>>;

// What an array holds, for kernels that know nothing of Python.
template <class T>
std::span<const T> view(const In<T>& array) {
    return {array.data(), array.size()};
}

// Kernels run while this lives: without the GIL, and watched, so that signals and the flags of the
// thread end them. Python's own handlers run here, in the thread that called; a library installs none.
class Released {
  public:
    Released() : watch_(entered_flags().get(), run_signal_handlers), here_(&watch_, true) {
        if (watch_.stopping()) throw Stopped();
        unlocked_.emplace();
    }

    // The flags that this thread has entered with `with`: the one state that outlives a call.
    static std::unique_ptr<FlagList>& entered_flags() {
        static thread_local std::unique_ptr<FlagList> flags;
        return flags;
    }

  private:
    static void run_signal_handlers() {
        nb::gil_scoped_acquire locked;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }

    Watch watch_;
    OnDuty here_;
    std::optional<nb::gil_scoped_release> unlocked_;
};

// Hands a vector over to NumPy without a copy.
template <class T>
Out<T> give(std::vector<T>&& values) {
    auto* held = new std::vector<T>(std::move(values));
    nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Out<T>(held->data(), {held->size()}, owner);
}

template <class T>
Out2<T> give(std::vector<T>&& values, size_t rows, size_t columns) {
    auto* held = new std::vector<T>(std::move(values));
    nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Out2<T>(held->data(), {rows, columns}, owner);
}

inline void require(bool good, const char* fault) {
    if (!good) throw std::invalid_argument(fault);
}

// Strings that end with a zero, one behind the other.
inline std::vector<const char*> cut_at_zeros(std::span<const uint8_t> bytes) {
    require(bytes.empty() || bytes.back() == 0, "the last string must end with a zero, too");
    std::vector<const char*> strings;
    const char* end = reinterpret_cast<const char*>(bytes.data()) + bytes.size();
    for (const char* p = end - bytes.size(); p < end; p += std::strlen(p) + 1) strings.push_back(p);
    return strings;
}

// Offsets must start at or above 0, never fall, and end inside the data they point into.
inline void check_offsets(std::span<const int64_t> offsets, size_t data_size) {
    require(!offsets.empty(), "offsets need at least one entry");
    require(offsets[0] >= 0, "offsets must not be negative");
    for (size_t i = 1; i < offsets.size(); ++i)
        require(offsets[i] >= offsets[i - 1], "offsets must not fall");
    require(static_cast<uint64_t>(offsets.back()) <= data_size, "offsets end outside the data");
}

}  // namespace twinset
