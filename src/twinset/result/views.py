"""A run or a report in a notebook: a card, two documents compared, a cluster, and charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twinset.errors import PlanError, ReportError, TwinsetError
from twinset.finding.verify.diff import DiffRun, TextDiff, text_diff
from twinset.finding.verify.differing import changes
from twinset.finding.verify.kinds import kind_of
from twinset.finding.verify.side_by_side import SideBySide, lay_out
from twinset.finding.verify.valued_text import ValuedText
from twinset.model.flow import KINDS
from twinset.pages import engine
from twinset.pages.charts import Figure, draw
from twinset.pages.engine import page
from twinset.pages.language import ensure_known, has_sentence, number, speaker
from twinset.pages.shown import brief, on_one_line
from twinset.result import page as figures
from twinset.result import words
from twinset.result.manifest import masks_in
from twinset.result.page import TALLY
from twinset.result.pair_rows import (
    Fold,
    Line,
    difference_facts,
    difference_in_words,
    kind_in_words,
    line,
    marked_words,
    outline,
    unfolded,
)
from twinset.result.pair_signals import MOST_CHARACTERS, quickly_in_words
from twinset.result.places import write_file
from twinset.result.select import Cluster, cluster_values, largest_clusters, one_cluster
from twinset.result.texts import both_texts, ensure_texts, listed_pair
from twinset.text.wording import hidden

if TYPE_CHECKING:
    from twinset.result.results import Results


@dataclass(frozen=True)
class Plot:
    """A chart that a notebook displays; ``figure`` holds its data, caption and numbers."""

    figure: Figure = field(repr=False)
    headline: str
    language: str = "en"

    def save(self, file: str | Path) -> Path:
        """Write the chart as a picture (``.svg``)."""
        if Path(file).suffix.lower() != ".svg":
            raise PlanError([f"a chart is saved as .svg, not as '{Path(file).suffix or file}'"])
        return write_file(file, self._repr_svg_().encode())

    def _repr_svg_(self) -> str:
        return draw(self.figure.chart, self.language, style=engine.style())

    def _repr_html_(self) -> str:
        return page("notebook/plot.html", self.language, shown=self.figure, headline=self.headline)

    def __repr__(self) -> str:
        return f"<Plot '{self.figure.chart.title}': .save('plot.svg') writes it>"


PLOTS = {
    "s_curve": (figures.s_curve, "every pair is found, or its method does not predict how many"),
    "similarities": (figures.similarities, "it has found no pairs"),
    "cluster_sizes": (figures.cluster_sizes, "it has found no clusters"),
}
"""The charts of a run, and why one may be lacking."""


@dataclass(frozen=True)
class Plots:
    """The charts of a run, as ``report.html`` draws them."""

    results: Results = field(repr=False)

    @property
    def names(self) -> list[str]:
        """The charts that this run has."""
        return [name for name, (figure, _) in PLOTS.items() if figure(self.results) is not None]

    def s_curve(self, language: str = "en") -> Plot:
        """The probability that a pair is found, by its similarity; raises where all are found."""
        return self._plot("s_curve", language)

    def similarities(self, language: str = "en") -> Plot:
        """How many of the reported pairs have which similarity."""
        return self._plot("similarities", language)

    def cluster_sizes(self, language: str = "en") -> Plot:
        """How many clusters have how many documents."""
        return self._plot("cluster_sizes", language)

    def __repr__(self) -> str:
        return f"<Plots: {', '.join(f'.{name}()' for name in self.names) or 'this run has none'}>"

    def _plot(self, name: str, language: str) -> Plot:
        make, lack = PLOTS[name]
        figure = make(self.results, ensure_known(language))
        if figure is None:
            raise ReportError(f"this run has no {name.replace('_', ' ')} to draw: {lack}")
        return Plot(figure, words.headline(self.results.manifest, language), language)


CLUSTERS, MEMBERS = 5, 5
"""Shown on the card of a run."""
ALL_MEMBERS = 50
"""Shown of a single cluster."""
SHORT = 40
"""Characters of an id that stands in a call to copy."""


@dataclass(frozen=True)
class RunView:
    """A run or a report on a card; as text, what was found and the largest clusters."""

    results: Results
    language: str = "en"

    def _repr_html_(self) -> str:
        try:
            return page("notebook/run.html", self.language, **self._values())
        except TwinsetError as fault:  # a notebook would print the traceback beneath the card
            return page("notebook/fault.html", self.language, fault=str(fault))

    def __repr__(self) -> str:
        return "\n".join([self._headline, *(_as_text(c, self.language) for c in self._clusters())])

    @property
    def _headline(self) -> str:
        return words.summary(self.results.manifest, self.language)[0]

    def _clusters(self) -> list[Cluster]:
        return largest_clusters(self.results.clusters, CLUSTERS, MEMBERS)

    def _values(self) -> dict[str, Any]:
        manifest, clusters = self.results.manifest, self._clusters()
        counts, kinds = manifest["counts"], manifest.get("kinds") or {}
        kinds = {**kinds.get("pairs", {}), "equal-bytes": kinds.get("identical", 0)}
        place, plots = self.results.place, Plots(self.results).names
        return {
            "headline": self._headline,
            "tally": [(name, counts[name]) for name in TALLY if counts.get(name) is not None],
            "kinds": [(kind, kinds[kind]) for kind in KINDS if kinds.get(kind)],
            "more_clusters": counts["clusters"] - len(clusters),
            "place": "" if place is None else str(place),
            "calls": [*_calls(clusters), *(f".plot.{name}()" for name in plots)],
            **_shown_clusters(self.results, clusters),
        }


@dataclass(frozen=True)
class ClusterView:
    """A cluster with its first members and the beginnings of their texts."""

    results: Results
    cluster: Cluster
    language: str = "en"

    @classmethod
    def of(cls, results: Results, number: int, language: str) -> ClusterView:
        """The cluster of this number; raises where there is none."""
        cluster = one_cluster(results.clusters, number, ALL_MEMBERS)
        if not cluster.size:
            raise ReportError(
                f"there is no cluster {number}: the column 'cluster' of the table of clusters has "
                "their numbers"
            )
        return cls(results, cluster, language)

    def _repr_html_(self) -> str:
        values = _shown_clusters(self.results, [self.cluster])
        return page("notebook/cluster.html", self.language, **values)

    def __repr__(self) -> str:
        return _as_text(self.cluster, self.language)


def _shown_clusters(results: Results, clusters: Sequence[Cluster]) -> dict[str, Any]:
    members = [member for cluster in clusters for member in cluster.members]
    heads = results.quick_heads(list(dict.fromkeys(member.id for member in members)))
    has_scores = any(m.score is not None and not m.is_anchor for m in members)
    is_dedup = results.manifest["counts"].get("removed") is not None
    legend = "figures_kept" if is_dedup else "figures_anchor"
    return {
        "clusters": [cluster_values(cluster, heads or {}) for cluster in clusters],
        "is_left_out": heads is None,
        "legend": legend if has_scores else "",
    }


def _calls(clusters: Sequence[Cluster]) -> list[str]:
    """What to type for a closer look at the first cluster."""
    if not clusters:
        return []
    first = clusters[0]
    ids = [member.id for member in first.members[:2]]
    pair = ", ".join(map(repr, ids)) if max(map(len, ids)) <= SHORT else "left, right"
    return [f".show({pair})", f".show(cluster={first.number})"]


def _as_text(cluster: Cluster, language: str) -> str:
    say = speaker(language, "paper")
    lines = [f"{say('cluster', number=cluster.number)}: {say('documents', n=cluster.size)}"]
    for member in cluster.members:
        score = None if member.is_anchor else member.score
        role = f"role_{member.shown_role}"
        has_words = has_sentence(language, f"paper.{role}")
        facts = [
            on_one_line(brief(member.id)),
            say(role) if has_words else member.shown_role,
            "" if score is None else number(language, score, 3),
        ]
        lines.append("  " + "  ".join(filter(None, facts)))
    rest = cluster.size - len(cluster.members)
    return "\n".join(lines + ([f"  {say('more_documents', n=rest)}"] if rest else []))


ITEMS = 120
"""Rows and folds that are shown."""
FOLDED = 12
"""Rows of a fold that can be opened; a longer one is only counted."""
RUNS, WORDS = 200, 60
"""Runs of a diff and words of a run that a terminal is shown."""


@dataclass(frozen=True)
class PairView:
    """Two documents compared word by word; ``kind`` says what they are to each other.

    ``score`` is None where they are not a listed pair; ``in_words`` is what signals say. Of very
    long texts there are neither ``kind``, ``changes`` nor signals.
    """

    left: str
    right: str
    score: float | None
    kind: str | None
    changes: tuple[tuple[str, str], ...]
    in_words: tuple[str, ...]
    diff: TextDiff = field(repr=False)
    language: str = "en"

    @classmethod
    def of(cls, results: Results, left: str, right: str, language: str) -> PairView:
        """Reads both texts again; raises where one cannot be had."""
        ensure_texts(results.manifest)
        row, pair = listed_pair(results, left, right), both_texts(results, left, right)
        kind: str | None = (row or {}).get("kind")
        phrases: tuple[tuple[str, str], ...] = ()
        masks = masks_in(results.manifest)
        compared = hidden(pair[0], masks), hidden(pair[1], masks)
        if sum(map(len, pair)) <= MOST_CHARACTERS:
            before, after = map(ValuedText, compared)
            kind, phrases = kind or kind_of(before, after), changes(before, after)
        return cls(
            left,
            right,
            None if row is None else float(row["score"]),
            kind,
            phrases,
            tuple(quickly_in_words(compared, language)),
            text_diff(*pair, masks),
            language,
        )

    def _repr_html_(self) -> str:
        side = lay_out(self.diff)
        items = outline(side)
        sides = zip(("left", "right"), (self.left, self.right), side.words, strict=True)
        return page(
            "notebook/pair.html",
            self.language,
            facts=[self._scored, *difference_facts(side, self.language)],
            kind=self._kind,
            said=self.in_words,
            sides=list(sides),
            items=[_item(side, item) for item in items[:ITEMS]],
            left_out=len(items[ITEMS:]),
        )

    def __repr__(self) -> str:
        runs = self.diff.runs()
        words = islice(_shortened(runs), RUNS)
        text = " ".join(on_one_line(piece) for _, piece in marked_words(words, self.language))
        return "\n".join(
            [
                f"[-{on_one_line(brief(self.left))}-] {{+{on_one_line(brief(self.right))}+}}",
                f"{self._scored[:1].upper()}{self._scored[1:]}.",
                *([on_one_line(self._kind)] if self._kind else []),
                difference_in_words(lay_out(self.diff), self.language),
                *(f"- {on_one_line(sentence)}" for sentence in self.in_words),
                "",
                f"{text} …" if len(runs) > RUNS else text,
            ]
        )

    @property
    def _kind(self) -> str:
        if self.kind is None:
            return ""
        return kind_in_words(self.kind, self.changes, self.language)

    @property
    def _scored(self) -> str:
        say = speaker(self.language, "pair")
        if self.score is None:
            return say("unlisted")
        return say("score", s=number(self.language, self.score, 3))


def _item(side: SideBySide, item: int | Fold) -> Line | dict[str, Any]:
    """A row, or how many are folded, with these rows where they are few."""
    if isinstance(item, int):
        return line(side, item)
    count = item.last - item.first
    lines = unfolded(side, item.first, item.last) if count <= FOLDED else ()
    return {"count": count, "lines": lines}


def _shortened(runs: Sequence[DiffRun]) -> Iterator[DiffRun]:
    """The runs without the rest of long ones, in which both texts differ."""
    for run in runs:
        is_long = run.change != "same" and len(run.words) > WORDS
        yield DiffRun(run.change, (*run.words[:WORDS], "…")) if is_long else run
