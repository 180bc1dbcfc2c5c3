#include "arrays.hpp"
#include "bindings.hpp"

namespace twinset {

void bind_text(nb::module_& m) {}

}  // namespace twinset
