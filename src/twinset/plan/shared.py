"""Options that parts of a plan have in common, each said once.

On the command line, in plan files and in forms they may stand beside the options of the plan
itself, as shortcuts: ``--shingle 3`` for ``--method minhash:shingle=3``. This module loads nothing
heavy, because the help of every command is made from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from twinset.plan.spec import option

Unit = Literal["word", "char", "sentence"]
Kinds = Literal["auto", "yes", "no"]
Match = Literal["all", "one"]
"""Whether the kinds of pairs are decided; auto: those of plain files."""
CopyKind = Literal["equal-bytes", "equal-words", "equal-layout", "revision"]
"""How unlike copies that go may be: each kind takes the closer ones in."""
Kernel = Literal["linear", "rbf", "poly", "sigmoid"]

seed = partial(option, 1, "Seed of all random choices.", group="Similarity", metavar="N", least=0)
shingle = partial(
    option, 5, "Number of units in a shingle.", group="Similarity", metavar="N", least=1, most=1000
)
text_top = partial(
    option,
    30,
    "Number of heaviest words of a text.",
    group="Machine",
    metavar="N",
    least=1,
    most=1000,
)
sentence_top = partial(
    option,
    5,
    "Number of heaviest words of a sentence.",
    group="Machine",
    metavar="N",
    least=1,
    most=1000,
)
STOP = "Stop words to drop: en, ru, de or files, joined by +, as en+words.txt; or none."
stop = partial(
    option,
    help="Lists of stop words to drop: en, ru, de, joined by +, or none.",
    group="Machine",
    metavar="LISTS",
)
forms = partial(
    option,
    None,
    "Words as they are (none), without accents (fold), their stem or lemma, as stem:language=ru, "
    "or tokens of programs (code).",
    usual="none",
    group="Similarity",
    metavar="SPEC",
    part="forms",
)
synonyms = partial(
    option,
    None,
    "File of words that mean the same: a group on each line, the first stands for all.",
    group="Similarity",
    metavar="FILE",
)
mask = partial(
    option,
    (),
    "Leave out of the comparison, not of the documents: dates, numbers, urls, emails, or what a "
    "regular expression matches; may be repeated.",
    group="Similarity",
    metavar="MASK",
)
drop_boilerplate = partial(
    option,
    None,
    "Leave paragraphs out of the comparison that stand in more than M documents; below 1, a share.",
    group="Input",
    metavar="M",
    above=0,
)
target = partial(
    option,
    None,
    "Let dedup take the highest threshold that leaves at most so many documents, such a share of "
    "them (40%) or so much text (2GB).",
    group="Clusters",
    metavar="AMOUNT",
)
kind = partial(
    option,
    "equal-layout",
    "How unlike copies that go may be, where kinds are decided; revision: other versions, too.",
    group="Clusters",
)
level = partial(
    option,
    None,
    "Compare the units of documents (paragraph, sentence, line or window:size=N) in place of "
    "documents, by equality unless a method, measure or threshold is given; with inside=yes also "
    "those of one document.",
    group="Passages",
    metavar="SPEC",
    part="level",
)
image = partial(
    option,
    None,
    "Image used to find candidates ('twinset list parts' shows them).",
    group="Similarity",
    metavar="SPEC",
    part="image",
    usual="oph:size=128",
)
k = partial(
    option,
    None,
    "With --clusters closed: number of image values that all members of a set share.",
    group="Clusters",
    metavar="N",
    least=1,
)
share = partial(
    option,
    None,
    "With --clusters closed, instead of k: share of each image that a set shares.",
    group="Clusters",
    metavar="S",
    above=0,
    most=1,
)


@dataclass(frozen=True, slots=True)
class Shingling:
    """How a text is cut into shingles."""

    shingle: int = shingle()
    offset: int = option(
        1,
        "Number of units from the start of one shingle to the start of the next.",
        group="Similarity",
        metavar="N",
        least=1,
        most=1000,
    )
    unit: Unit = option(
        "word", "Units of a shingle: words, characters or sentences.", group="Similarity"
    )


@dataclass(frozen=True, slots=True)
class Shortcuts(Shingling):
    """The options of parts that may be written beside those of the plan."""

    image: Any = image()  # noqa: RUF009
    seed: int = seed()
    k: int | None = k()
    share: float | None = share()


PARTS = {
    "shingle": ("method", "verify"),
    "offset": ("method", "verify"),
    "unit": ("method", "verify"),
    "image": ("method", "clusters"),
    "seed": ("method", "clusters"),
    "k": ("clusters",),
    "share": ("clusters",),
}
"""The options of a plan whose values take a shortcut."""
HARMLESS = ("seed",)
"""Shortcuts that need not be taken: where nothing is random, any seed gives the same."""
