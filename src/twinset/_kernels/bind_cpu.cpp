// The doors of the choice of vector instructions.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "bindings.hpp"
#include "wide.hpp"

namespace twinset {
namespace {

std::string name_of(Level level) { return std::string(kLevelNames[static_cast<size_t>(level)]); }

std::vector<std::string> instructions_here() {
    std::vector<std::string> names;
    for (Level level : levels_here()) names.push_back(name_of(level));
    return names;
}

void use_instructions(const std::string& name) {
    std::optional<Level> level = level_named(name);
    if (!level || !has_level(*level))
        throw std::invalid_argument("no instructions of this processor: " + name);
    use_level(*level);
}

}  // namespace

void bind_cpu(nanobind::module_& m) {
    using namespace nanobind::literals;
    m.def("instructions", [] { return name_of(level_in_use); }, "The vector instructions in use.");
    m.def("instructions_here", &instructions_here, "What this processor has, from the least to the most.");
    m.def("use_instructions", &use_instructions, "name"_a,
          "Use other vector instructions of this processor; no result depends on them.");
}

}  // namespace twinset
