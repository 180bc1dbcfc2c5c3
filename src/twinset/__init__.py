"""twinset finds near-duplicate documents: every pair verified, no chaining, a stated recall.

>>> import twinset
>>> findings = twinset.find(["the same words here again", "the same words here again", "others"])
>>> findings.pairs.num_rows
1

`find` and `dedup` take a path or data in memory, as `spans` and `reuse` do, which look inside
documents; `read` opens files, `open_report` a saved report.
Nothing heavy is imported before it is used.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if sys.platform == "win32":
    raise ImportError(
        "twinset does not support Windows: install it in the Windows Subsystem for Linux (WSL)"
    )

if TYPE_CHECKING:
    from twinset._kernels import StopFlag
    from twinset.api import contamination, dedup, find, open_report, read, reuse, spans
    from twinset.errors import PlanError, ReadError, ReportError, Stopped, TwinsetError
    from twinset.index import Added, Index, QueryAnswer, QueryMatch
    from twinset.lab.ask import Dialogue, ask
    from twinset.lab.evaluate import Evaluation, evaluate
    from twinset.lab.experiment import compare, experiment
    from twinset.lab.experiment_result import ExperimentResult
    from twinset.lab.generate import Generated, generate
    from twinset.lab.learn import Model, learn
    from twinset.lab.tune import tune
    from twinset.plan import Plan, Preset, presets
    from twinset.result import Report
    from twinset.run import Findings
    from twinset.run.passages.contamination import ContaminationFindings
    from twinset.run.passages.reuse import ReuseFindings
    from twinset.run.passages.spans import SpanFindings
    from twinset.run.passages.units import UnitFindings

    __version__: str

__all__ = [
    "Added",
    "ContaminationFindings",
    "Dialogue",
    "Evaluation",
    "ExperimentResult",
    "Findings",
    "Generated",
    "Index",
    "Model",
    "Plan",
    "PlanError",
    "Preset",
    "QueryAnswer",
    "QueryMatch",
    "ReadError",
    "Report",
    "ReportError",
    "ReuseFindings",
    "SpanFindings",
    "StopFlag",
    "Stopped",
    "TwinsetError",
    "UnitFindings",
    "ask",
    "compare",
    "contamination",
    "dedup",
    "evaluate",
    "experiment",
    "find",
    "generate",
    "learn",
    "open_report",
    "presets",
    "read",
    "reuse",
    "spans",
    "tune",
]

_HOMES = {
    "contamination": "twinset.api",
    "dedup": "twinset.api",
    "find": "twinset.api",
    "open_report": "twinset.api",
    "read": "twinset.api",
    "reuse": "twinset.api",
    "spans": "twinset.api",
    "tune": "twinset.lab.tune",
    "ask": "twinset.lab.ask",
    "Dialogue": "twinset.lab.ask",
    "compare": "twinset.lab.experiment",
    "evaluate": "twinset.lab.evaluate",
    "Evaluation": "twinset.lab.evaluate",
    "experiment": "twinset.lab.experiment",
    "ExperimentResult": "twinset.lab.experiment_result",
    "Findings": "twinset.run",
    "Generated": "twinset.lab.generate",
    "Added": "twinset.index",
    "Index": "twinset.index",
    "QueryAnswer": "twinset.index",
    "QueryMatch": "twinset.index",
    "generate": "twinset.lab.generate",
    "Model": "twinset.lab.learn",
    "learn": "twinset.lab.learn",
    "ContaminationFindings": "twinset.run.passages.contamination",
    "ReuseFindings": "twinset.run.passages.reuse",
    "SpanFindings": "twinset.run.passages.spans",
    "UnitFindings": "twinset.run.passages.units",
    "Plan": "twinset.plan",
    "Preset": "twinset.plan",
    "presets": "twinset.plan",
    "Report": "twinset.result",
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

        if name == "__version__":
            from twinset._version import VERSION

            return VERSION
        if name not in _HOMES:
            raise AttributeError(f"module 'twinset' has no attribute '{name}'")
        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
