"""twinset finds near-duplicate documents: every pair verified, no chaining, a stated recall.

>>> import twinset
>>> found = twinset.find(["the same words here again", "the same words here again", "others"])
>>> found.pairs.num_rows
1

`find` and `dedup` take a path or data in memory, `read` opens files, `open_report` a saved report.
Nothing heavy is imported before it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from twinset._kernels import StopFlag
    from twinset.api import dedup, find, open_report
    from twinset.comparison import Comparison, compare
    from twinset.errors import PlanError, ReadError, ReportError, Stopped, TwinsetError
    from twinset.evaluation import Evaluation, evaluate
    from twinset.generation import Generated, generate
    from twinset.learning import Model, learn, load_model
    from twinset.pipeline import Findings
    from twinset.plan import Plan
    from twinset.read.door import read
    from twinset.report import Report
    from twinset.tuning import tune

    __version__: str

__all__ = [
    "Comparison",
    "Evaluation",
    "Findings",
    "Generated",
    "Model",
    "Plan",
    "PlanError",
    "ReadError",
    "Report",
    "ReportError",
    "StopFlag",
    "Stopped",
    "TwinsetError",
    "compare",
    "dedup",
    "evaluate",
    "find",
    "generate",
    "learn",
    "load_model",
    "open_report",
    "read",
    "tune",
]

_HOMES = {
    "dedup": "twinset.api",
    "find": "twinset.api",
    "open_report": "twinset.api",
    "tune": "twinset.tuning",
    "compare": "twinset.comparison",
    "Comparison": "twinset.comparison",
    "evaluate": "twinset.evaluation",
    "Evaluation": "twinset.evaluation",
    "Findings": "twinset.pipeline",
    "Generated": "twinset.generation",
    "generate": "twinset.generation",
    "Model": "twinset.learning",
    "learn": "twinset.learning",
    "load_model": "twinset.learning",
    "Plan": "twinset.plan",
    "Report": "twinset.report",
    "PlanError": "twinset.errors",
    "ReadError": "twinset.errors",
    "ReportError": "twinset.errors",
    "TwinsetError": "twinset.errors",
    "Stopped": "twinset.errors",
    "StopFlag": "twinset._kernels",
}


if not TYPE_CHECKING:  # a type checker would take every name to be there

    def __getattr__(name: str) -> Any:
        from importlib import import_module

        if name == "read":  # the package is the function, see twinset/read/door.py
            return import_module("twinset.read")
        if name == "__version__":
            from importlib.metadata import version

            return version("twinset")
        if name not in _HOMES:
            raise AttributeError(f"module 'twinset' has no attribute '{name}'")
        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
