// One line per bind_*.cpp; module.cpp calls them all.
#pragma once
#include <nanobind/nanobind.h>

namespace twinset {

void bind_closed(nanobind::module_& m);
void bind_cpu(nanobind::module_& m);
void bind_text(nanobind::module_& m);
void bind_sketch(nanobind::module_& m);
void bind_pairs(nanobind::module_& m);
void bind_graph(nanobind::module_& m);
void bind_words(nanobind::module_& m);
void bind_keys(nanobind::module_& m);
void bind_near(nanobind::module_& m);
void bind_files(nanobind::module_& m);
void bind_jsonl(nanobind::module_& m);
void bind_csv(nanobind::module_& m);
void bind_mine(nanobind::module_& m);
void bind_mine_text(nanobind::module_& m);
void bind_signals(nanobind::module_& m);
void bind_reuse(nanobind::module_& m);
void bind_spans(nanobind::module_& m);
void bind_tables(nanobind::module_& m);
void bind_index(nanobind::module_& m);
void bind_stop(nanobind::module_& m);

}  // namespace twinset
