"""The options of `generate` and of `learn`.

This module loads nothing heavy, because the help of the command line is made from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

from twinset.plan.shared import (
    Kernel,
    forms,
    seed,
    sentence_top,
    shingle,
    stop,
    synonyms,
    text_top,
)
from twinset.plan.spec import option

Originals = Literal["sources", "all", "none"]


@dataclass(frozen=True, slots=True)
class GenerateOptions:
    """How many variants of how many documents are made, and what is kept beside them."""

    limit: int | None = option(
        None, "How many documents get variants.", metavar="N", group="Operations", least=1
    )
    variants: int = option(
        1,
        "How many variants each of them gets.",
        metavar="N",
        group="Operations",
        least=1,
        most=10_000,
    )
    originals: Originals = option(
        "sources", "Which originals to keep: those that have variants, all of them, or none."
    )
    seed: int = seed()


Weights = Literal["balanced", "none"]
Choice = tuple[float, float]
COSTS = (0.1, 1.0, 10.0, 100.0)
GAMMAS = (0.01, 0.03, 0.1, 0.3)


@dataclass(frozen=True, slots=True)
class PairOptions:
    """Which pairs are learnt from, and which ones the model judges later."""

    negatives: float = option(
        5.0,
        "Other pairs to learn from for each near-duplicate, where the labels list only "
        "near-duplicates.",
        group="Labels",
        above=0,
    )
    training_pairs: int = option(
        3000, "Learn from at most this many pairs.", metavar="N", group="Labels", least=20
    )
    candidate_recall: float = option(
        0.98,
        "Least share of the labelled near-duplicates that have to be candidates.",
        metavar="SHARE",
        group="Labels",
        above=0,
        most=1,
    )


@dataclass(frozen=True, slots=True)
class ViewOptions:
    """What is looked at in a document; the fields of `twinset.finding.methods.profiles.Views`."""

    text_top: int = text_top()
    sentence_top: int = sentence_top()
    shingle: int = shingle()
    stop: str = stop("en+ru")


@dataclass(frozen=True, slots=True)
class WordOptions:
    """In which forms the words of documents are looked at."""

    forms: Any = forms()
    synonyms: str | None = synonyms()


@dataclass(frozen=True, slots=True)
class Training:
    """How the support vector machine is trained.

    ``c`` and ``gamma`` are chosen by cross-validation in ``folds`` folds where they are not given.
    With ``improve`` the boundary is moved to where the F1 of pairs in held out folds is greatest,
    and one similarity with a threshold takes the machine's place where it does better; without, the
    machine stays as it was trained, and a pair is a near-duplicate if g(x) >= 0.
    """

    kernel: Kernel = option("rbf", "Kernel of the support vector machine.", group="Machine")
    c: float | None = option(
        None, "Cost of a wrongly judged training pair.", group="Machine", above=0, most=1e9
    )
    gamma: float | None = option(
        None, "Width of the kernel: the larger, the narrower.", group="Machine", above=0, most=1e9
    )
    class_weight: Weights = option(
        "none",
        "balanced: near-duplicates and other pairs weigh the same in total.",
        group="Machine",
    )
    degree: int = option(
        3, "Degree of the kernel poly.", group="Machine", metavar="N", least=1, most=10
    )
    coef0: float = option(1.0, "Constant of the kernels poly and sigmoid.", group="Machine")
    folds: int = option(
        5, "Folds of the cross-validation.", group="Machine", metavar="N", least=2, most=100
    )
    seed: int = seed()
    improve: bool = option(
        True,
        "Save what does better: a moved boundary, or one similarity with a threshold.",
        group="Machine",
    )

    def faults(self) -> list[str]:
        """Options of another kernel, which would do nothing."""
        kernels = {"degree": ("poly",), "coef0": ("poly", "sigmoid")}
        usual = Training()
        return [
            f"{name} is for --kernel {' or '.join(of)}, not {self.kernel}: leave it out"
            for name, of in kernels.items()
            if self.kernel not in of and getattr(self, name) != getattr(usual, name)
        ]

    def choices(self) -> list[Choice]:
        """All combinations of C and gamma to try."""
        gammas = (1.0,) if self.kernel == "linear" else (self.gamma,) if self.gamma else GAMMAS
        return list(product((self.c,) if self.c else COSTS, gammas))
