// The compiled module: each bind_*.cpp adds the functions of one header.
#include <nanobind/nanobind.h>

#include "bindings.hpp"

NB_MODULE(_native, m) {
    m.doc() = "Inner loops of twinset: arrays in, arrays out, no state.";
    twinset::bind_text(m);
    twinset::bind_sketch(m);
    twinset::bind_jsonl(m);
    twinset::bind_csv(m);
}
