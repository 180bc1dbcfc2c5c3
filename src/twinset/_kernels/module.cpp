// The compiled module: each bind_*.cpp adds the functions of one header.
#include <nanobind/nanobind.h>

#include <system_error>

#include "bindings.hpp"

namespace {

// A full disk must reach Python as the OSError it is, with its errno.
void translate_system_error(const std::exception_ptr& fault, void*) {
    try {
        std::rethrow_exception(fault);
    } catch (const std::system_error& e) {
        PyObject* args = Py_BuildValue("(is)", e.code().value(), e.what());
        PyErr_SetObject(PyExc_OSError, args);
        Py_XDECREF(args);
    }
}

}  // namespace

NB_MODULE(_native, m) {
    m.doc() =
        "Inner loops of twinset: arrays in, arrays out; the only state are the flags a thread has "
        "entered and the vector instructions in use.";
#ifdef NDEBUG
    // A run that Ctrl-C ends leaves objects in the frames of its threads: no leak, and no concern
    // of whoever pressed it.
    nanobind::set_leak_warnings(false);
#endif
    nanobind::register_exception_translator(translate_system_error);
    twinset::bind_closed(m);
    twinset::bind_cpu(m);
    twinset::bind_text(m);
    twinset::bind_sketch(m);
    twinset::bind_pairs(m);
    twinset::bind_graph(m);
    twinset::bind_words(m);
    twinset::bind_keys(m);
    twinset::bind_near(m);
    twinset::bind_files(m);
    twinset::bind_jsonl(m);
    twinset::bind_csv(m);
    twinset::bind_mine(m);
    twinset::bind_mine_text(m);
    twinset::bind_signals(m);
    twinset::bind_reuse(m);
    twinset::bind_spans(m);
    twinset::bind_tables(m);
    twinset::bind_index(m);
    twinset::bind_stop(m);
}
