#include <nanobind/stl/tuple.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "graph.hpp"

namespace twinset {
namespace {

void check_edges(size_t n, const In<uint32_t>& a, const In<uint32_t>& b) {
    require(a.size() == b.size(), "edge ends differ in length");
    for (size_t e = 0; e < a.size(); ++e)
        require(a.data()[e] < n && b.data()[e] < n, "an edge ends outside the graph");
}

Out<int64_t> anchored_edges(In<uint8_t> kept, In<uint32_t> a, In<uint32_t> b, In<double> score, int threads) {
    size_t n = kept.size();
    check_edges(n, a, b);
    require(score.size() == a.size(), "one score per edge is needed");
    std::vector<int64_t> out;
    {
        Released unlocked;
        out = anchored(view(a), view(b), score.data(), view(kept), threads);
    }
    return give(std::move(out));
}

Out<int64_t> component_roots(size_t n, In<uint32_t> a, In<uint32_t> b) {
    check_edges(n, a, b);
    std::vector<int64_t> out;
    {
        Released unlocked;
        out = components(n, view(a), view(b));
    }
    return give(std::move(out));
}

std::tuple<Out<int64_t>, Out<uint32_t>, bool> maximal_cliques(size_t n, In<uint32_t> a, In<uint32_t> b,
                                                              uint64_t limit, uint64_t work) {
    check_edges(n, a, b);
    std::vector<int64_t> offsets;
    std::vector<uint32_t> members;
    bool complete;
    {
        Released unlocked;
        Adjacency graph(n, view(a), view(b));
        Cliques cliques(n, graph, limit, work);
        offsets = std::move(cliques.offsets);
        members = std::move(cliques.members);
        complete = cliques.complete;
    }
    return {give(std::move(offsets)), give(std::move(members)), complete};
}

}  // namespace

void bind_graph(nb::module_& m) {
    using namespace nb::literals;
    m.def("anchored_edges", &anchored_edges, "kept"_a, "a"_a, "b"_a, "score"_a, "threads"_a);
    m.def("component_roots", &component_roots, "n"_a, "a"_a, "b"_a);
    m.def("maximal_cliques", &maximal_cliques, "n"_a, "a"_a, "b"_a, "limit"_a, "work"_a);
}

}  // namespace twinset
