"""What results offer to a notebook; everything else loads when it is asked for."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, SupportsIndex, cast, overload

from twinset.errors import PlanError, ReportError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from twinset.report.notebook.cards import ClusterView, RunView
    from twinset.report.notebook.pair import PairView
    from twinset.report.notebook.plots import Plots
    from twinset.report.results import DisplayedResults, Results

DocumentName = str | SupportsIndex
"""An id, or the number of a document in reading order."""


class OffersViews:
    """Results that a notebook displays, as a whole and in parts."""

    @overload
    def show(
        self, left: DocumentName, right: DocumentName, *, language: str = "en"
    ) -> PairView: ...

    @overload
    def show(self, *, cluster: int, language: str = "en") -> ClusterView: ...

    @overload
    def show(self, *, language: str = "en") -> RunView: ...

    def show(
        self,
        left: DocumentName | None = None,
        right: DocumentName | None = None,
        *,
        cluster: int | None = None,
        language: str = "en",
    ) -> RunView | ClusterView | PairView:
        """Two documents compared word by word, a cluster, or the whole run, to be displayed.

        A document is named by its id, as a string, or by its number in reading order, from 0.
        Notebooks show the result as HTML, terminals as text. ``language`` is ``en`` or ``ru``.
        """
        from twinset.pages.language import ensure_known

        ensure_known(language)
        results = cast("DisplayedResults", self)
        if left is not None and right is not None and cluster is None:
            from twinset.report.notebook.pair import PairView

            return PairView.of(results, _id(results, left), _id(results, right), language)
        if left is not None or right is not None:
            raise PlanError(
                ["show takes two documents, as show('a', 'b'), or one cluster, as show(cluster=3)"]
            )
        from twinset.report.notebook.cards import ClusterView, RunView

        if cluster is not None:
            return ClusterView.of(results, operator.index(cluster), language)
        return RunView(results, language)

    @property
    def plot(self) -> Plots:
        """The charts of ``report.html``: ``s_curve()``, ``similarities()``, ``cluster_sizes()``."""
        from twinset.report.notebook.plots import Plots

        return Plots(cast("Results", self))

    def quick_heads(self, ids: Sequence[str]) -> dict[str, str] | None:
        """The beginnings of these documents; None where it would take long to read them again."""
        return cast("Results", self).heads(ids)

    def _repr_html_(self) -> str:
        return self.show()._repr_html_()


def _id(results: Results, document: DocumentName) -> str:
    ids = results.documents["id"]
    if isinstance(document, str):
        return document
    number = operator.index(document)
    if not 0 <= number < len(ids):
        raise ReportError(
            f"there is no document number {number}: the numbers go from 0 to {len(ids) - 1}; "
            "name a document by its id as a string, or by its number"
        )
    return str(ids[number].as_py())
