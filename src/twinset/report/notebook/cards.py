"""A run as a card: what was found, how many documents go, and the largest clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from twinset.errors import ReportError, TwinsetError
from twinset.lazy_dataclass import dataclass
from twinset.model.kinds import KINDS
from twinset.pages.engine import page
from twinset.pages.language import has_sentence, number, speaker
from twinset.pages.shown import brief, on_one_line
from twinset.report import words
from twinset.report.cluster_rows import cluster_values
from twinset.report.notebook.plots import Plots
from twinset.report.page import TALLY
from twinset.report.select import Cluster, largest_clusters, one_cluster

if TYPE_CHECKING:
    from twinset.report.results import DisplayedResults

CLUSTERS, MEMBERS = 5, 5
"""Shown on the card of a run."""
ALL_MEMBERS = 50
"""Shown of a single cluster."""
SHORT = 40
"""Characters of an id that stands in a call to copy."""


@dataclass(frozen=True)
class RunView:
    """A run or a report on a card; as text, what was found and the largest clusters."""

    results: DisplayedResults
    language: str = "en"

    def _repr_html_(self) -> str:
        try:
            return page("notebook/run.html", self.language, **self._values())
        except TwinsetError as fault:  # a notebook would print the traceback beneath the card
            return page("notebook/fault.html", self.language, fault=str(fault))

    def __repr__(self) -> str:
        clusters = [_as_text(cluster, self.language) for cluster in self._clusters()]
        return "\n".join([self._headline, *clusters])

    @property
    def _headline(self) -> str:
        return words.summary(self.results.manifest, self.language)[0]

    def _clusters(self) -> list[Cluster]:
        return largest_clusters(self.results.clusters, CLUSTERS, MEMBERS)

    def _values(self) -> dict[str, Any]:
        manifest, clusters = self.results.manifest, self._clusters()
        counts, kinds = manifest["counts"], (manifest.get("kinds") or {}).get("pairs", {})
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

    results: DisplayedResults
    cluster: Cluster
    language: str = "en"

    @classmethod
    def of(cls, results: DisplayedResults, number: int, language: str) -> ClusterView:
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


def _shown_clusters(results: DisplayedResults, clusters: Sequence[Cluster]) -> dict[str, Any]:
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
