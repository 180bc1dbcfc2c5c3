#include "arrays.hpp"
#include "bindings.hpp"

namespace twinset {

void bind_sketch(nb::module_& m) {}

}  // namespace twinset
