"""The charts of ``report.html``, one at a time."""

from __future__ import annotations

from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from twinset.errors import PlanError, ReportError
from twinset.lazy_dataclass import dataclass
from twinset.pages import engine
from twinset.pages.charts import Figure
from twinset.pages.drawing import draw
from twinset.pages.language import ensure_known
from twinset.report import figures, words
from twinset.report.files import write_file

if TYPE_CHECKING:
    from twinset.report.results import Results

SUFFIXES = (".svg", ".html")


@dataclass(frozen=True)
class Plot:
    """A chart that a notebook displays; ``figure`` holds its data, caption and numbers."""

    figure: Figure = field(repr=False)
    headline: str
    language: str = "en"

    def save(self, file: str | Path) -> Path:
        """Write the chart as a picture (``.svg``) or as a page with its caption (``.html``)."""
        suffix = Path(file).suffix.lower()
        if suffix not in SUFFIXES:
            raise PlanError(
                [f"a chart is saved as {' or '.join(SUFFIXES)}, not as '{suffix or file}'"]
            )
        text = self._repr_svg_() if suffix == ".svg" else self._rendered("paper/page.html")
        return write_file(file, text.encode())

    def _repr_svg_(self) -> str:
        return draw(self.figure.chart, self.language, style=engine.style())

    def _repr_html_(self) -> str:
        return self._rendered("paper/part.html")

    def __repr__(self) -> str:
        return f"<Plot '{self.figure.chart.title}': .save('plot.svg') writes it>"

    def _rendered(self, layout: str) -> str:
        return engine.page(
            "notebook/plot.html",
            self.language,
            layout=layout,
            shown=self.figure,
            headline=self.headline,
        )


@dataclass(frozen=True)
class Plots:
    """The charts of a run, as ``report.html`` draws them."""

    results: Results = field(repr=False)

    @property
    def names(self) -> list[str]:
        """The charts that this run has."""
        kinds = {
            "s_curve": figures.s_curve,
            "similarities": figures.similarities,
            "cluster_sizes": figures.cluster_sizes,
        }
        return [name for name, figure in kinds.items() if figure(self.results) is not None]

    def s_curve(self, language: str = "en") -> Plot:
        """The probability that a pair is found, by its similarity; raises where all are found."""
        figure = figures.s_curve(self.results, ensure_known(language))
        return self._plot(figure, f"no S-curve: {self._why_no_curve()}", language)

    def similarities(self, language: str = "en") -> Plot:
        """How many of the reported pairs have which similarity."""
        figure = figures.similarities(self.results, ensure_known(language))
        return self._plot(figure, "no similarities to draw: it has found no pairs", language)

    def cluster_sizes(self, language: str = "en") -> Plot:
        """How many clusters have how many documents."""
        figure = figures.cluster_sizes(self.results, ensure_known(language))
        return self._plot(figure, "no sizes to draw: it has found no clusters", language)

    def __repr__(self) -> str:
        calls = ", ".join(f".{name}()" for name in self.names)
        return f"<Plots: {calls or 'this run has none'}>"

    def _plot(self, figure: Figure | None, lack: str, language: str) -> Plot:
        if figure is None:
            raise ReportError(f"this run has {lack}")
        return Plot(figure, words.headline(self.results.manifest, language), language)

    def _why_no_curve(self) -> str:
        plan = self.results.manifest["plan"]
        if plan.get("candidates", {}).get("kind") == "join":
            return "every pair that reaches the threshold is found, none is left to chance"
        return (
            f"the method '{plan.get('method')}' does not predict with which probability a pair is "
            "found; 'minhash' does"
        )
