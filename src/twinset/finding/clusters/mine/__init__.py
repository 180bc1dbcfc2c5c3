"""Miners of maximal and closed sets: ours, those of the papers, and pyfim's as an extra.

All have one form, so that they can be compared and check each other. Here is the table of them,
which loads nothing, so that the help can name them at once; they are in ``miners``, FIMI files in
``fimi``, and the comparison in ``compare``.
"""

from __future__ import annotations

from dataclasses import dataclass

from twinset.errors import PlanError

BOTH = ("maximal", "closed")
LEAST_ITEMS = 2
"""Items of the smallest sets that are printed if nothing else is asked for."""


@dataclass(frozen=True, slots=True)
class Algorithm:
    """Which kinds of sets a miner can find, and whether it is one of the optional package.

    Without the package, Apriori and Eclat are those of ``plain``.
    """

    kinds: tuple[str, ...] = BOTH
    needs_pyfim: bool = False


ALGORITHMS: dict[str, Algorithm] = {
    "search": Algorithm(),
    "fpmax": Algorithm(("maximal",)),  # FPmax* (Grahne, Zhu 2003): prefix trees, a tree of sets
    "afopt": Algorithm(("maximal",)),  # Liu et al. 2003: prefix trees by ascending frequency
    "mafia": Algorithm(("maximal",)),  # Burdick, Calimlim, Gehrke 2001: vertical bitmaps
    "addintent": Algorithm(),  # van der Merwe, Obiedkov, Kourie 2004: the lattice, item by item
    "lcm": Algorithm(("closed",)),  # Uno, Kiyomi, Arimura 2004: prefix-preserving extension
    "apriori": Algorithm(needs_pyfim=True),  # Agrawal, Srikant 1994: breadth first
    "eclat": Algorithm(needs_pyfim=True),  # Zaki et al. 1997: intersections of lists
    "fpgrowth": Algorithm(needs_pyfim=True),  # Han et al. 2000: prefix trees
    "ista": Algorithm(needs_pyfim=True),  # Borgelt et al. 2011: cumulative intersection
    "carpenter": Algorithm(needs_pyfim=True),  # Pan et al. 2003: sets of transactions
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
