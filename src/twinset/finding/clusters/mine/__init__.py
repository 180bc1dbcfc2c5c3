"""Miners of maximal and closed sets: ours, those of the papers, and pyfim's as an extra.

All have one form, so that they can be compared and check each other. Here is the table of them;
``sets`` has their input and output, ``mining`` the door, ``compiled`` and ``borgelt`` the miners.
FIMI files are in ``fimi``, the comparison in ``compare``. This file loads nothing, so that the help
can name the miners at once.
"""

from __future__ import annotations

from dataclasses import dataclass

from twinset.errors import PlanError

BOTH = ("maximal", "closed")
LEAST_ITEMS = 2
"""Items of the smallest sets that are printed if nothing else is asked for."""


@dataclass(frozen=True, slots=True)
class Algorithm:
    """Where a miner is (``module:function``), and which kinds of sets it can find."""

    where: str
    kinds: tuple[str, ...] = BOTH

    @property
    def needs_pyfim(self) -> bool:
        """Whether the miner is one of the optional package."""
        return self.where.startswith("borgelt:")


ALGORITHMS: dict[str, Algorithm] = {
    "search": Algorithm("search:search"),
    "fpmax": Algorithm("compiled:fpmax", ("maximal",)),
    "afopt": Algorithm("compiled:afopt", ("maximal",)),
    "mafia": Algorithm("compiled:mafia", ("maximal",)),
    "addintent": Algorithm("compiled:addintent"),
    "lcm": Algorithm("compiled:lcm", ("closed",)),
    "apriori": Algorithm("borgelt:apriori"),
    "eclat": Algorithm("borgelt:eclat"),
    "fpgrowth": Algorithm("borgelt:fpgrowth"),
    "ista": Algorithm("borgelt:ista"),
    "carpenter": Algorithm("borgelt:carpenter"),
}


def able(kind: str) -> list[str]:
    """The miners that find sets of this kind."""
    return [name for name, algorithm in ALGORITHMS.items() if kind in algorithm.kinds]


def check(name: str, kind: str) -> None:
    """An error that names those to choose from, if there is no such miner of this kind."""
    if name not in ALGORITHMS:
        from twinset.plan.spec import suggestion  # only here: the plainest mine loads little

        raise PlanError([f"there is no algorithm '{name}'; {suggestion(name, ALGORITHMS)}"])
    if kind not in ALGORITHMS[name].kinds:
        others = ", ".join(able(kind))
        only = ALGORITHMS[name].kinds[0]
        raise PlanError([f"{name} finds {only} sets only; for {kind} ones take one of {others}"])
