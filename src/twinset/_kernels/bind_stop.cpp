// Asking kernels of another thread to stop.
#include "arrays.hpp"
#include "bindings.hpp"

namespace twinset {
namespace {

// A flag that a thread enters (`with flag:`) and that any thread may set. Kernels that run in a
// thread inside the block, or are called there, then end with the exception Stopped.
struct Flag {
    std::shared_ptr<StopFlag> set = std::make_shared<StopFlag>(false);
};

Flag& enter(Flag& flag) {
    auto& flags = Released::entered_flags();
    flags = std::make_unique<FlagList>(FlagList{flag.set, std::move(flags)});
    return flag;
}

void leave(Flag& flag, nb::args) {
    for (auto* entry = &Released::entered_flags(); *entry; entry = &(*entry)->outer)
        if ((*entry)->flag == flag.set) {
            *entry = std::unique_ptr<FlagList>(std::move((*entry)->outer));
            return;
        }
}

void translate_stop(const std::exception_ptr& fault, void*) {
    try {
        std::rethrow_exception(fault);
    } catch (const Stopped&) {
        nb::object stopped = nb::module_::import_("twinset.errors").attr("Stopped");
        PyErr_SetObject(stopped.ptr(), nb::str("stopped on request").ptr());
    }
}

}  // namespace

void bind_stop(nb::module_& m) {
    nb::register_exception_translator(translate_stop);
    nb::class_<Flag>(m, "StopFlag", "Ends the kernels of the threads that are inside its `with` block.")
        .def(nb::init<>())
        .def("set", [](Flag& flag) { *flag.set = true; })
        .def("is_set", [](const Flag& flag) { return flag.set->load(); })
        .def("__enter__", &enter, nb::rv_policy::reference)
        .def("__exit__", &leave);
}

}  // namespace twinset
