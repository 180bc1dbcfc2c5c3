"""How the method of a report cuts documents up: the way back from hashes to text.

A run keeps hashes alone; to say what text they stand for, its documents are cut up again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from twinset.candidates.base import Goal
from twinset.errors import ReportError
from twinset.lazy_dataclass import dataclass
from twinset.methods.decomposition import Decomposition
from twinset.methods.lexical import Lexical
from twinset.methods.simhash import SimHash
from twinset.model import Ragged
from twinset.plan import Plan, Resources, Shingling
from twinset.report.manifest import plan_of
from twinset.spec import name_of
from twinset.text.statistics import Statistics
from twinset.text.wording import Rewriter, reworded, rewriter_of
from twinset.verify.shingled_text import ShingledText, Shingler

if TYPE_CHECKING:
    from twinset.report.results import Results

SPELT = ("minhash", "exact", "bottom", "lexical", "decomposition", "simhash")


@dataclass(frozen=True, slots=True)
class WordCutter:
    """Cuts texts into distinct words, as far as they belong to the lexical image."""

    search: Any
    rewriter: Rewriter | None = None

    def cut(self, text: str) -> ShingledText:
        """The words of the image in order of first appearance."""
        compared = reworded([text], self.rewriter, 1)
        items = self.search.method.cleaning().tokens(compared, 1).distinct().items
        units = [items.text(item) for item in range(len(items.starts))]
        features, _ = self.search.extract(units, 1) if units else _NOTHING
        inside = np.flatnonzero(features.lengths)
        shown = self.rewriter.originals(text) if self.rewriter else {}
        chosen = [shown.get(units[i], units[i]) for i in inside]
        return ShingledText(text, np.arange(len(inside)), features.values, 1, lambda: chosen)


_NOTHING = (Ragged.from_rows([], np.uint64), np.empty(0, np.int64))
Cutter = Shingler | WordCutter


def cutter_of(results: Results) -> Cutter:
    """What cuts documents up as the method of a report; raises where its features are no text."""
    plan = plan_of(results.manifest)
    method: Any = plan.method
    rewriter = rewriter_of(plan)
    if isinstance(method, Lexical):
        if "statistics" not in results.more:
            raise ReportError(
                "the report lacks statistics.parquet, without which the words of its documents "
                "are not known; run again with --force"
            )
        return WordCutter(_lexical(plan, results.more["statistics"]), rewriter)
    if isinstance(method, Shingling):
        return Shingler(method.shingle, method.offset, method.unit, rewriter=rewriter)
    if isinstance(method, Decomposition | SimHash):
        return Shingler(method.shingle, cleaning=method.cleaning(), rewriter=rewriter)
    name = name_of("method", method)
    raise ReportError(
        f"the features of the method {name} are keys or weights, not passages, and cannot be "
        f"turned back into text; this works for {', '.join(SPELT)}"
    )


def _lexical(plan: Plan, statistics: Any) -> Any:
    goal = Goal(plan.measure, plan.threshold, plan.recall, 1)
    try:
        known = Statistics.of_table(statistics)
    except (KeyError, ValueError) as fault:
        raise ReportError(
            f"statistics.parquet of the report is damaged: it does not tell {fault}; "
            "run again with --force"
        ) from None
    return plan.method.search(goal, Resources.make(threads=1), known)
