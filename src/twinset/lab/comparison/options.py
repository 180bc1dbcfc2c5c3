"""What is compared, the methods with their plans, and what they are measured by."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from twinset import spec
from twinset.errors import PlanError
from twinset.lab.evaluation.truth import TruthOptions
from twinset.lab.runs.planned import PlannedRun
from twinset.plan import Plan, used_options
from twinset.plan.presets import with_preset
from twinset.plan.shared import PARTS
from twinset.verify.checks import EditCheck

MOST_METHODS = 62  # each has a bit of the pool
MOST_JUDGED = 200_000
JUDGE = 0.8


def method_plans(methods: str | Iterable[str], options: dict[str, Any]) -> list[PlannedRun]:
    """The methods with their plans, each once; all faults are reported together."""
    plans: dict[str, PlannedRun] = {}
    faults: list[str] = []
    for name in method_names(methods):
        try:
            plan = plan_for(name, options)
        except PlanError as fault:
            faults += fault.faults
            continue
        decides = f"{spec.spell('method', plan.method, full=True)} from {plan.threshold}"
        plans.setdefault(decides, PlannedRun(name, plan))
    if faults:
        raise PlanError(list(dict.fromkeys(faults)))
    if not plans:
        raise PlanError(["name at least one method, or all; 'twinset methods' lists them"])
    if len(plans) > MOST_METHODS:
        raise PlanError([f"at most {MOST_METHODS} methods can be compared, not {len(plans)}"])
    return list(plans.values())


PRESET = "preset:"


def method_names(methods: str | Iterable[str]) -> list[str]:
    """The names in a text separated by commas, or in a list; ``all`` stands for all of them."""
    texts = spec.several(methods) if isinstance(methods, str) else list(methods)
    return [name for text in texts for name in (all_methods() if text == "all" else [text])]


def all_methods() -> list[str]:
    """All methods that run without options of their own; the aliases A0 to A12 are left out."""
    usable = []
    for name in spec.names("method"):
        if name[:1] == "A" and name[1:].isdigit():
            continue
        try:
            spec.make("method", name)
        except PlanError:
            continue
        usable.append(name)
    return usable


def plan_for(method: str, options: dict[str, Any]) -> Plan:
    """The plan of one method or ``preset:NAME``, with those of the options that it takes."""
    if method.startswith(PRESET):
        options = with_preset({**options, "preset": method.removeprefix(PRESET)})
        method = options["method"]
    shared = {name: options[name] for name in PARTS if options.get(name) is not None}
    others = {name: value for name, value in options.items() if name not in shared}
    others = used_options(others | {"method": method, "max_pairs": 0})
    plan = Plan.make(**others)
    parts = [part for part in (plan.method, plan.verify, plan.clusters) if part is not None]
    accepted = {name for part in parts for name in spec.fitted(part, shared)[1]}
    accepted -= set(spec.parse("method", method)[1])
    return Plan.make(**others, **{name: shared[name] for name in accepted})


@dataclass(frozen=True)
class Yardstick:
    """What methods are measured by: a truth, the judged pool of all their pairs, or both.

    ``judge`` is the least edit similarity of a good pair, or the whole check: 0.8 is
    ``edit:0.8``, and ``edit:0.8,text=cleaned`` compares cleaned texts as the papers do. A pool of
    more than ``most_judged`` pairs is sampled by ``seed``.
    """

    truth: TruthOptions
    pool: bool | None = None
    judge: float | str = JUDGE
    most_judged: int = MOST_JUDGED
    seed: int = 1

    def faults(self) -> list[str]:
        """What is wrong with these options, as sentences."""
        faults = []
        try:
            self.check  # noqa: B018
        except PlanError as fault:
            faults += [f"judge: {message}" for message in fault.faults]
        if self.most_judged < 100:
            faults.append(f"most-judged must be at least 100, not {self.most_judged}")
        truth = self.truth
        if not self.has_truth and (
            truth.ignore is not None or truth.grade is not None or truth.only_judged
        ):
            faults.append("ignore, only-judged and grade belong to a truth: give one with --truth")
        return faults

    @property
    def check(self) -> EditCheck:
        """The check that pairs of the pool have to pass."""
        written = str(self.judge)
        check = spec.make("check", written if written[:1].isalpha() else f"edit:{written}")
        if not isinstance(check, EditCheck):
            raise PlanError([f"'{written}' is no edit similarity; write 0.8 or edit:0.8"])
        return check

    @property
    def least(self) -> float:
        """The least edit similarity of a good pair."""
        return JUDGE if self.check.threshold is None else self.check.threshold

    @property
    def has_truth(self) -> bool:
        """Whether there is a truth to measure by."""
        return self.truth.data is not None

    @property
    def has_pool(self) -> bool:
        """Whether the pool is judged: without a truth, or if asked for."""
        return not self.has_truth or bool(self.pool)
