"""Contamination: which items of test sets stand in training text, whole, edited or in part.

The passages are those of `reuse`; here they are weighed item by item. Words are compared without
what a copy changes on its way: labels of lists and choices, and light mark-up. Items are held in
memory by their length, for a short one is found by shorter runs of equal words, and the training
text is read batch by batch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from twinset import _kernels
from twinset.errors import TwinsetError
from twinset.model import Documents, Floats, Ints
from twinset.model import compute as pc
from twinset.model.columns import column, words
from twinset.pages.language import number, percent, speaker
from twinset.plan import Resources
from twinset.reading import Inputs
from twinset.reading.arrays import replaced
from twinset.reading.batches import lookup
from twinset.reading.memory import from_memory
from twinset.result.result import Result
from twinset.run.passages.aligned import Aligned, Words
from twinset.run.passages.options import ItemOptions, ReuseOptions
from twinset.run.passages.report import read_facts, run_facts
from twinset.run.passages.reuse import PASSAGES_SHOWN, ReadSide, ReuseSearch, shown_passages
from twinset.run.passages.searching import ReadDocuments, ReadingLog
from twinset.run.progress import Progress, Silent
from twinset.run.streaming import watched
from twinset.text.arrow import Texts

LEVELS = ("exact", "near", "part")
CLEAN = len(LEVELS)
FEWEST = 5
"""Words of an item that is looked for: four in a row stand in any text."""
FEWEST_NEAR = 6
"""Equal words of one that is found edited. Of 5,000 sentences of manuals that were held against
25,000 other texts, 33 were near without this, most by four or five words ("This may be used to").
"""
LENGTHS = ((FEWEST, 3), (10, 4), (20, 1000), (40, 1000))
"""From so many words on, items are found by runs of so many equal words, or ``shingle``."""
_LABEL = r"(?:\(?[A-Ja-j0-9]\)|\(?[0-9]{2}\)|\([ivx]{1,4}\)|[A-J]\.)"
_TAGS = "a|b|blockquote|br|center|code|div|em|font|h[1-6]|hr|i|img|li|ol|p|pre|s|span|strong|su[bp]"
_COMMANDS = (
    "emph|underline|item|text(?:bf|it|tt|rm|sc|sf|normal)?|math(?:bf|it|rm|cal|bb)|left|right|"
    "q?quad|(?:sub){0,2}section|paragraph|noindent|par|newline"
)
_LIGHT = (
    rf"(?:^|[ \t\r\n])(?:{_LABEL}(?:[ \t\r\n]+|$))+|^[ \t>*+-]*[0-9]{{1,3}}\.[ \t]"
    rf"|</?(?:{_TAGS}|t(?:able|body|head|[dhr])|[uo]l)(?:[ \t\n/][^<>]{{0,300}})?>"
    r"|&(?:nbsp|amp|lt|gt|quot|apos|#x?[0-9a-fA-F]{1,6});|\]\([^()\s]{1,500}\)"
    rf"|\\(?:begin|end)\{{[a-z]{{1,20}}\*?\}}|\\(?:{_COMMANDS})\b\*?"
)
MARKS = f"(?m){_LIGHT}"
"""What does not count, in the words of RE2, which Arrow has, and of ``re``: both find the same."""
_MARKS = re.compile(MARKS, re.ASCII)


def blanked(text: str) -> str:
    """The text with blanks in place of what does not count: all else stays at its place."""
    return _MARKS.sub(lambda mark: " " * len(mark[0]), text)


class ItemSet(NamedTuple):
    """A test set: its documents, and the texts of the parts of each of its items."""

    name: str
    documents: Documents
    read: ReadDocuments
    texts: list[tuple[str, ...]]

    @classmethod
    def of(
        cls, name: str, documents: Documents, parts: Sequence[str], progress: Progress, threads: int
    ) -> ItemSet:
        """The items as they are read; a question that cannot be read is an empty one."""
        log, texts = ReadingLog(), list[tuple[str, ...]]()
        for batch in watched(documents, "reading", progress, threads):
            log.take(batch)
            texts += [(text or "",) for text in batch.texts.to_pylist()]
        if len(parts) > 1:
            texts = [
                (*text, *(_text_of(lookup(row, part)) for part in parts[1:]))
                for text, row in zip(texts, _rows(name, documents), strict=True)
            ]
        return cls(name, documents, log.read(threads), texts)


def _rows(name: str, documents: Any) -> Iterator[Any]:
    """The items with all their fields."""
    if isinstance(documents, Inputs):
        again = documents.again()
        for source in again.sources:
            for block in again.format(source).rows(again.job(source).quiet()):
                rows: Any = block.rows
                yield from rows.to_pylist() if isinstance(rows, pa.RecordBatch) else rows
    elif isinstance(documents.data, list | tuple):
        yield from documents.data
    else:
        raise TwinsetError(
            f"the set {name} has no parts: give a file of records or a list of dicts"
        )


def _text_of(value: Any) -> str:
    """A part as text: of a list, such as choices, an item on each line."""
    if isinstance(value, list | tuple):
        return "\n".join(map(_text_of, value))
    return "" if value is None else str(value)


class ItemTexts(NamedTuple):
    """What is looked for: of each item its question and, with it, what else there is of it.

    ``item`` is the number of the item among those of all sets, and ``parts`` says what was joined.
    """

    texts: list[str]
    item: Ints
    parts: list[str]

    @classmethod
    def of(cls, sets: Sequence[ItemSet], parts: Sequence[str], short: int) -> ItemTexts:
        """Questions of fewer words than ``short`` are looked for with other parts, too."""
        names = parts or ("text",)
        others = range(1, len(names))
        joins = [(0,), *((0, part) for part in others), (0, *others)]
        texts, item, joined = list[str](), list[int](), list[str]()
        each = chain.from_iterable(one.texts for one in sets)
        for place, of_item in enumerate(each):
            long_enough = len(of_item[0].split()) >= short
            known = {tuple(part for part in join if of_item[part].strip()) for join in joins}
            for join in sorted(known) if not long_enough else [(0,)]:
                if join[:1] == (0,):
                    texts.append("\n".join(of_item[part] for part in join))
                    item.append(place)
                    joined.append("+".join(names[part] for part in join))
        return cls(texts, np.array(item, np.int64), joined)


class ItemSearch(ReuseSearch):
    """An index of items by their length, and the passages that make them contaminated."""

    options: ItemOptions

    def __init__(
        self, items: ItemTexts, options: ItemOptions, resources: Resources, progress: Progress
    ) -> None:
        super().__init__(options, resources, progress)
        self.items = items

    def indexes(self, words: Words) -> list[tuple[_kernels.ReuseIndex, ReuseOptions]]:
        self.size = words.lengths
        first = np.searchsorted(self.items.item, self.items.item)
        self.question = self.size[first]
        portion = min(self.options.portion, self.options.threshold)
        made: list[tuple[_kernels.ReuseIndex, ReuseOptions]] = []
        longer = [length for length, _ in LENGTHS[1:]]
        for (length, shingle), below in zip(LENGTHS, [*longer, np.inf], strict=True):
            here = (self.size >= length) & (self.size < below)
            if here.any():
                sizes = np.where(here, self.size, 0)
                options = replace(
                    self.options,
                    least=min(self.options.least, int(np.ceil(portion * length))),
                    shingle=min(self.options.shingle, shingle),
                )
                hashes = words.hashes[np.repeat(here, self.size)]
                made.append((self.index_of(hashes, np.cumsum([0, *sizes]), options), options))
        return made

    def words_of(self, texts: Texts) -> Words:
        return Words.of(pc.replace_substring_regex(texts, MARKS, " "), 1)

    def placeable(self, texts: Texts, documents: Ints) -> Texts:
        some = np.unique(documents).tolist()
        return replaced(texts, {row: blanked(texts[row].as_py() or "") for row in some})

    def wanted(self, rows: Aligned) -> Aligned:
        return rows.taken(np.flatnonzero(self.levels(rows) < CLEAN))

    def likeness(self, rows: Aligned) -> Floats:
        """The score of each passage times the share of its item that lies in it."""
        likeness: Floats = rows.score * (rows.left_past - rows.left_word) / self.size[rows.left]
        return likeness

    def levels(self, rows: Aligned) -> Ints:
        """What each passage makes of its item: a place in `LEVELS`, or CLEAN."""
        options, question = self.options, self.question[rows.left]
        asked = np.minimum(rows.left_past, question) - rows.left_word
        whole = rows.exact & (rows.left_past - rows.left_word == self.size[rows.left])
        likeness = self.likeness(rows)
        near = (likeness >= options.threshold) & (likeness * self.size[rows.left] >= FEWEST_NEAR)
        near &= asked >= options.portion * question
        part = asked >= np.minimum(options.least, options.portion * question)
        return np.select([whole, near, part & (question >= options.least)], range(CLEAN), CLEAN)


@dataclass(frozen=True, repr=False)
class ContaminationFindings(Result):
    """The result of `contamination`: ``sets``, ``items`` and ``passages`` as Arrow tables.

    ``sets`` has a row for every test set, the worst first: how many ``items``, how many of them
    stand in the training text ``exact``, ``near`` or in ``part``, and the ``share`` of these. Items
    that are too ``short`` are not looked for. ``items`` has a row for every item, with its
    ``level`` (null for a clean one) and where it was found; ``passages`` one for every item and
    training document that has it. ``manifest`` says the rest.
    """

    TEMPLATE = "paper/reuse.html"
    sets: pa.Table
    items: pa.Table
    passages: pa.Table
    manifest: dict[str, Any]
    worst: Aligned
    sources: tuple[Documents, Documents]
    ids: tuple[pa.Array, pa.Array] = field(repr=False)

    @property
    def tables(self) -> dict[str, pa.Table]:
        return {"sets": self.sets, "items": self.items, "passages": self.passages}

    def said(self, language: str = "en") -> list[str]:
        say, totals = speaker(language, "contamination"), self.manifest["totals"]
        sentences = [say("none", n=totals["items"])]
        if totals["contaminated"]:
            worst = self.manifest["sets"][0]
            found = say("found", n=totals["contaminated"], items=number(language, totals["items"]))
            sentences = [
                found,
                say("levels", **{level: totals[level] for level in LEVELS}),
                say("worst", set=worst["set"], share=percent(language, worst["share"])),
            ]
        if totals["short"]:
            sentences.append(say("short", n=totals["short"], words=FEWEST))
        if dropped := totals["frequent_seeds"]:
            frequent = self.manifest["options"]["frequent"]
            sentences.append(speaker(language, "reuse")("dropped", n=dropped, frequent=frequent))
        return sentences

    def grid(self, language: str = "en") -> list[Sequence[str]]:
        say = speaker(language, "contamination")
        names = ("set", "items", *LEVELS, "share")
        rows = [
            (*(number(language, row[name]) for name in names[:-1]), percent(language, row["share"]))
            for row in self.manifest["sets"]
        ]
        return [tuple(say(f"head_{name}") for name in names), *rows]

    def values(self, language: str, part: bool) -> dict[str, Any]:
        """The items that are found most of all, beside what they are found as."""
        training = [str(entry["source"]) for entry in self.manifest["sides"]["training"]["inputs"]]
        return {
            "passages": shown_passages(self.worst, self.sources, self.ids),
            "more": self.manifest["totals"]["contaminated"] > PASSAGES_SHOWN,
            "sides": [[row["set"] for row in self.manifest["sets"]], training],
        }


def find_contamination(
    sets: Mapping[str, Documents],
    training: Documents,
    options: ItemOptions,
    resources: Resources | None = None,
    progress: Progress | None = None,
) -> ContaminationFindings:
    """Which items of the sets stand in the training documents."""
    resources, progress = resources or Resources.make(), progress or Silent()
    read = [
        ItemSet.of(name, documents, options.parts, progress, resources.threads)
        for name, documents in sets.items()
    ]
    known = [texts for one in read for texts in one.texts]
    for place, part in enumerate(options.parts):
        if place and known and not any(texts[place] for texts in known):
            raise TwinsetError(f"no item has the part '{part}': give --parts the names of fields")
    items = ItemTexts.of(read, options.parts, options.least)
    search = ItemSearch(items, options, resources, progress)
    texts = from_memory(pa.array(items.texts, pa.large_string()))
    search.index(texts)
    search.stream(training)
    _, right = search.sides(texts, training)
    return _findings(read, search, right, texts)


def _findings(
    read: list[ItemSet], search: ItemSearch, training: ReadSide, texts: Documents
) -> ContaminationFindings:
    """The tables and the manifest."""
    items, rows = search.items, search.rows
    level, likeness, item = search.levels(rows), search.likeness(rows), items.item[rows.left]
    order = np.lexsort((rows.left_word, rows.left, -likeness, level, rows.right, item))
    kept = order[_begins(item[order], rows.right[order])]
    best = kept[np.lexsort((rows.right[kept], -likeness[kept], level[kept], item[kept]))]
    best = best[_begins(item[best])]
    of_set = np.repeat(np.arange(len(read)), [len(one.texts) for one in read])
    ids = pa.concat_arrays([pa.array([], pa.large_string()), *(one.read.ids for one in read)])
    names, count = [one.name for one in read], len(of_set)
    longest = np.zeros(count, np.int64)
    np.maximum.at(longest, items.item, search.size)
    found = np.full(count, CLEAN)
    found[item[best]] = level[best]
    at = np.zeros(count, np.int64)
    at[item[best]] = best
    passages = pa.table(
        {
            "set": words(of_set[item[kept]], names),
            "item": ids.take(column(item[kept])),
            "document": training.read.ids.take(column(rows.right[kept])),
            "level": words(level[kept], [*LEVELS]),
            "likeness": column(likeness[kept]),
            "parts": pa.array([items.parts[row] for row in rows.left[kept].tolist()], pa.string()),
            "start": column(rows.right_start[kept]),
            "end": column(rows.right_end[kept]),
        }
    )
    taken = column(at, missing=found == CLEAN)
    table = pa.table(
        {
            "set": words(of_set, names),
            "id": ids,
            "words": column(longest),
            "level": pa.array([(*LEVELS, None)[code] for code in found.tolist()], pa.string()),
            "likeness": column(likeness).take(taken),
            "document": training.read.ids.take(column(rows.right)).take(taken),
            "documents": column(np.bincount(item[kept], minlength=count)),
        }
    )
    summary = [_counts(name, of_set == n, found, longest) for n, name in enumerate(names)]
    summary.sort(key=lambda row: (-row["share"], row["set"]))
    totals = {
        **_counts("", np.ones(count, bool), found, longest),
        "documents": len(training.read),
        "documents_with_items": len(np.unique(rows.right[kept])),
        "frequent_seeds": search.dropped,
    }
    del totals["set"]
    manifest = _manifest(read, search, training, {"sets": summary, "totals": totals})
    worst = best[np.lexsort((-search.size[rows.left[best]], level[best]))][:PASSAGES_SHOWN]
    shown = ids.take(column(items.item)), training.read.ids
    sources = texts, training.documents
    return ContaminationFindings(
        pa.Table.from_pylist(summary), table, passages, manifest, rows.taken(worst), sources, shown
    )


def _manifest(
    read: list[ItemSet], search: ItemSearch, training: ReadSide, found: Mapping[str, Any]
) -> dict[str, Any]:
    """What was looked up in what and how, and what was found."""
    sides = {f"set {one.name}": read_facts(one.documents, one.read) for one in read}
    sides["training"] = training.described()
    return {
        **run_facts(search.clock.seconds, search.resources.threads),
        "command": "reuse",
        "options": asdict(search.options),
        "inputs": [entry for side in sides.values() for entry in side["inputs"]],
        "sides": sides,
        **found,
    }


def _begins(*keys: Ints) -> Any:
    """Where another one begins among rows that are in order."""
    begins = np.zeros(len(keys[0]), bool)
    begins[:1] = True
    for key in keys:
        begins[1:] |= np.diff(key) != 0
    return begins


def _counts(name: str, here: Any, found: Ints, longest: Ints) -> dict[str, Any]:
    """The row of a set in the summary; items without a text do not count."""
    items = int(np.count_nonzero(here & (longest > 0)))
    counts = {level: int(np.count_nonzero(here & (found == n))) for n, level in enumerate(LEVELS)}
    contaminated = sum(counts.values())
    shares = {f"{level}_share": each / max(items, 1) for level, each in counts.items()}
    return {
        "set": name,
        "items": items,
        **counts,
        "contaminated": contaminated,
        **shares,
        "share": contaminated / max(items, 1),
        "short": int(np.count_nonzero(here & (longest > 0) & (longest < FEWEST))),
    }
