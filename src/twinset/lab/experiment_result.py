"""The result of an experiment: the table of its rows, plots, a page, and the folder of them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from twinset.lab.description import PREFIX, Description, ExperimentRow
from twinset.lab.evaluate import MEASURES, NUMBERS
from twinset.lab.pairs import PairSet, Side, wilson
from twinset.lab.runner import Collection, Outcome
from twinset.lab.truth import Truth
from twinset.pages.charts import Bars, Figure
from twinset.pages.grids import Curves, Heat
from twinset.pages.language import exact, has_sentence, number, speaker
from twinset.pages.shown import brief
from twinset.result.result import Result
from twinset.system.files import write_file

Figures = dict[str, Any]
BEFORE, AFTER = ("row", "name"), ("spec", "fault")
COUNTS = (
    *NUMBERS,
    "pairs",
    "candidates",
    "cluster_count",
    "largest_cluster",
    "false_clusters",
    "row",
)
CLUSTERS = ("cluster_count", "largest_cluster", "mean_cluster", "cluster_sizes", "false_clusters")
TEXTS = ("spec", "fault", "cluster_sizes")
COSTS = ("seconds", "cpu_seconds", "memory_mb", "candidates")
MEASURED = (*NUMBERS, *MEASURES, *COSTS, "cluster_count", "false_clusters")
"""Columns by which a row can be the best, beside those of the stages, as ``seconds_cluster``."""
LOWER_IS_BETTER = ("only_in_", "seconds", "cpu_seconds", "memory_mb", "candidates", "false_")


def figures_of(outcome: Outcome, truth: Truth, sampled: bool) -> Figures:
    """What a run found against the truth, and what it cost.

    Where the truth is a sample of the pool, recall and precision have intervals of 95 %.
    """
    begun = time.perf_counter()
    pairs = outcome.pairs.extended(len(truth.ids) - outcome.pairs.documents)
    side = Side(pairs, pairs.block, np.ones(pairs.documents, bool))
    numbers = truth.agreement(side).numbers
    evaluating = round(time.perf_counter() - begun, 4)
    facts = outcome.facts
    figures = {name: getattr(numbers, name) for name in (*NUMBERS, *MEASURES)}
    if sampled:
        cases = (("precision", numbers.found), ("recall", numbers.reference))
        for name, seen in cases:
            low, high = wilson(figures[name], seen)
            figures |= {f"{name}_low": low, f"{name}_high": high}
    return {
        **figures,
        "pairs": pairs.count(),
        "seconds": facts["seconds"],
        **{f"seconds_{name.replace(' ', '_')}": took for name, took in facts["timings"].items()},
        "seconds_evaluate": evaluating,
        **{name: facts[name] for name in ("cpu_seconds", "memory_mb", "candidates")},
        **_clusters(facts["clusters"]),
        "clusters_complete": facts["clusters"]["complete"],
        "spec": facts["spec"],
    }


def table_of(rows: Sequence[ExperimentRow], figures: Sequence[Figures | None]) -> pa.Table:
    """One row per row of the experiment: its options, then its figures, or its fault."""
    swept = {row_key: None for row in rows for row_key in row.options}
    measured: dict[str, None] = {}
    for some in figures:
        measured |= dict.fromkeys(some or ())
    measured = {name: None for name in measured if name not in AFTER}
    columns: dict[str, pa.Array] = {
        "row": pa.array([row.number for row in rows], pa.int64()),
        "name": pa.array([row.name for row in rows], pa.string()),
    }
    for key in swept:
        columns[option_column(key, measured)] = _options([row.options.get(key) for row in rows])
    for name in (*measured, "spec"):
        values = [None if some is None else some.get(name) for some in figures]
        columns[name] = pa.array(values, _kind(name))
    columns["fault"] = pa.array([row.fault for row in rows], pa.string())
    return pa.table(columns)


def option_column(key: str, taken: Mapping[str, Any]) -> str:
    """The column of a swept option, whose name may be that of a figure, as recall is."""
    return f"option.{key}" if key in taken or key in (*BEFORE, *AFTER) else key


def best_row(table: pa.Table, column: str) -> int | None:
    """The number of the first row with the best value; none is best that found no true pair."""
    values = table[column].to_pylist() if column in table.column_names else []
    common = table["common"].to_pylist() if values else []
    present = [(value, number) for number, value in enumerate(values) if common[number]]
    if not present:
        return None
    sign = 1 if column.startswith(LOWER_IS_BETTER) else -1
    return min(present, key=lambda pair: (sign * pair[0], pair[1]))[1]


def _clusters(facts: Mapping[str, Any]) -> Figures:
    sizes = {int(size): int(count) for size, count in facts["sizes"].items()}
    members = sum(size * count for size, count in sizes.items())
    distribution = " ".join(f"{size}:{count}" for size, count in sorted(sizes.items()))
    mean = members / facts["number"] if facts["number"] else 0.0
    values = (facts["number"], max(sizes, default=0), mean, distribution, facts["false"])
    return dict(zip(CLUSTERS, values, strict=True))


def _kind(name: str) -> pa.DataType:
    if name in TEXTS:
        return pa.string()
    if name == "clusters_complete":
        return pa.bool_()
    return pa.int64() if name in COUNTS else pa.float64()


def _options(values: list[Any]) -> pa.Array:
    """Whole numbers, numbers or texts, whichever holds all of them."""
    given = [value for value in values if value is not None]
    if all(isinstance(value, int) and not isinstance(value, bool) for value in given):
        return pa.array(values, pa.int64())
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in given):
        return pa.array(values, pa.float64())
    texts = [None if value is None else str(value) for value in values]
    return pa.array(texts, pa.string())


Row = Mapping[str, Any]
MOST_BARS = 40
LONGEST_NAME = 48
"""Characters of a name that a chart has room for."""
MOST_CELLS = 30
"""Values of an option that a heat map shows along one side."""


def _plots(rows: Sequence[Row], options: Sequence[str], language: str) -> list[Figure]:
    """Plots of the finished rows over the columns of the swept ``options``."""
    say = speaker(language, "experiment")
    varied = [name for name in options if len(_values(rows, name)) > 1]
    shown = [_over_option(rows, name, language) for name in varied]
    if len(varied) > 1:
        down, across = sorted(varied, key=lambda name: -len(_values(rows, name)))[:2]
        shown.append(_heat_map(rows, down, across, language))
    if len(rows) <= MOST_BARS:
        times = [(_short(row["name"]), float(row["seconds"])) for row in rows]
        bars = Bars(rows=times, title=say("time_by_row"), digits=2, unit=say("second"))
        shown.append(Figure(chart=bars, caption=say("time_caption"), wide=True))
    return shown


def _over_option(rows: Sequence[Row], option: str, language: str) -> Figure:
    """The best row at each value: curves over numbers, bars over names."""
    say = speaker(language, "experiment")
    best = {value: _best(rows, {option: value}) for value in _values(rows, option)}
    head = [option, *(say(f"head_{name}") for name in MEASURES)]
    cells = [
        [str(value), *(number(language, row[name], 4) for name in MEASURES)]
        for value, row in best.items()
        if row is not None
    ]
    points = [(value, row) for value, row in best.items() if row is not None]
    chart: Curves | Bars
    if all(isinstance(value, int | float) for value, _ in points):
        series = [
            (say(f"head_{name}"), [(float(value), row[name]) for value, row in points])
            for name in MEASURES
        ]
        chart = Curves(series=series, title=say("over", option=option), x_label=option)
    else:
        bars = [(_short(str(value)), float(row["f1"])) for value, row in points]
        chart = Bars(rows=bars, title=say("over", option=option), digits=3)
    return Figure(chart=chart, caption=say("over_caption", option=option), head=head, rows=cells)


def _heat_map(rows: Sequence[Row], down: str, across: str, language: str) -> Figure:
    say = speaker(language, "experiment")
    sides = [_values(rows, name)[:MOST_CELLS] for name in (down, across)]
    values = [
        [None if row is None else row["f1"] for row in line]
        for line in (
            [_best(rows, {down: first, across: second}) for second in sides[1]]
            for first in sides[0]
        )
    ]
    names, columns = ([str(value) for value in side] for side in sides)
    cells = [
        [name, *("" if value is None else number(language, value, 4) for value in line)]
        for name, line in zip(names, values, strict=True)
    ]
    return Figure(
        chart=Heat(
            names=names,
            columns=columns,
            values=values,
            title=say("heat", down=down, across=across),
        ),
        caption=say("heat_caption", down=down, across=across),
        head=[f"{down} \\ {across}", *columns],
        rows=cells,
        wide=True,
    )


def _values(rows: Sequence[Row], option: str) -> list[Any]:
    """The values of an option, numbers in their order and names in that of the rows."""
    values = list(dict.fromkeys(row[option] for row in rows if row[option] is not None))
    is_numeric = all(isinstance(value, int | float) for value in values)
    return sorted(values) if is_numeric else values


def _short(name: str) -> str:
    half = LONGEST_NAME // 2  # names differ in their ends
    return name if len(name) <= LONGEST_NAME else f"{name[: half - 1]}…{name[-half:]}"


def _best(rows: Sequence[Row], fixed: Mapping[str, Any]) -> Row | None:
    """The first row of the highest F1 among those with these values."""
    here = [row for row in rows if all(row[name] == value for name, value in fixed.items())]
    return max(here, key=lambda row: float(row["f1"]), default=None)


COSTS_SHOWN = (("seconds", 2), ("memory_mb", 0))
SIZES = (("cluster_count", 0), ("largest_cluster", 0), ("mean_cluster", 1))
CLUSTERS_SHOWN = (*SIZES, ("false_clusters", 0))
MOST_LINES = 100
"""Lines of a derived table that the page shows."""


def _said(row: Mapping[str, Any], options: Sequence[str]) -> str:
    """The name that a row has from its options alone."""
    if len(options) == 1 and row["name"] == row[options[0]]:
        return str(row["name"])
    given = [name for name in options if row[name] is not None]
    return ", ".join(f"{name.removeprefix('option.')}={row[name]}" for name in given)


def _derived(name: str, table: pa.Table, language: str) -> dict[str, Any]:
    """The first lines of a derived table, and what they say where a sentence can."""
    lines = [
        [_cell(_counted(name, value), language) for name, value in row.items()]
        for row in table.slice(0, MOST_LINES).to_pylist()
    ]
    key = f"experiment.table_{name.replace('-', '_')}"
    return {
        "title": speaker(language)(key) if has_sentence(language, key) else name,
        "name": name,
        "head": [_head(column, language) for column in table.column_names],
        "note": _ranges(table, language),
        "rows": lines,
        "more": table.num_rows - len(lines),
    }


def _counted(column: str, value: Any) -> Any:
    """What is printed is a text, as some cells of papers are; a count is a number all the same."""
    return int(value) if column.startswith(PREFIX) and str(value).isdecimal() else value


def _head(column: str, language: str) -> str:
    """The name of a column in words, where there are some."""
    name, key = column.removeprefix(PREFIX), f"experiment.head_{column.removeprefix(PREFIX)}"
    words = speaker(language)(key) if has_sentence(language, key) else name
    is_printed = column.startswith(PREFIX)
    return speaker(language, "experiment")("in_the_paper", what=words) if is_printed else words


def _ranges(table: pa.Table, language: str) -> str:
    """Recall and precision of a paper's counts beside ours, in words."""
    if not {PREFIX + "common", PREFIX + "recall"}.issubset(table.column_names):
        return ""
    sides = {
        f"{side}{name}": pc.drop_null(table[side + name].cast(pa.float64()))
        for side in ("", PREFIX)
        for name in ("recall", "precision")
    }
    ends = {
        name: "–".join(number(language, end.as_py(), 2) for end in pc.min_max(values).values())
        for name, values in sides.items()
        if len(values)
    }
    return speaker(language, "experiment")("printed_note", **ends) if len(ends) == 4 else ""


def _agreement(dice: pa.Table, language: str) -> Figure:
    """The Dice correlation of every two rows as a heat map."""
    say = speaker(language, "experiment")
    rows = dice.to_pylist()
    names = [row["method"] for row in rows]
    values = [[row[name] for name in names] for row in rows]
    lines = [
        [name, *(number(language, share, 3) for share in line)]
        for name, line in zip(names, values, strict=True)
    ]
    chart = Heat(names=names, values=values, title=say("table_dice"))
    return Figure(
        chart=chart, caption=say("dice_caption"), head=["", *names], rows=lines, wide=True
    )


def _share(row: Row, name: str, language: str) -> str:
    """A measure, with its interval where a sample was judged."""
    value = number(language, row[name], 4)
    low, high = (row.get(f"{name}_{end}") for end in ("low", "high"))
    if low is None or high is None:
        return value
    return f"{value} ({number(language, low, 3)}–{number(language, high, 3)})"


def _cell(value: Any, language: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "✓" if value else ""
    if isinstance(value, list):
        return ", ".join(str(each) for each in value)
    if isinstance(value, str):
        return brief(value)
    return number(language, value, 4) if isinstance(value, float) else number(language, value)


BEST = "best.toml"


@dataclass(frozen=True, repr=False)
class ExperimentResult(Result):
    """The rows of an experiment with what each found and cost.

    Documents have numbers in reading order; those that only the truth names come after them.
    """

    TEMPLATE = "paper/experiment.html"
    PAGE = "experiment.html"
    GOES_ON = True
    description: Description
    rows: Sequence[ExperimentRow]
    table: pa.Table
    """One row per row: its options, the five numbers and measures, times, memory, clusters."""
    manifest: Mapping[str, Any]
    """Documents, reference, versions, failures, and which rows were not run again."""
    truth: Truth
    """The reference: ``truth.side.pairs`` are its pairs."""
    collection: Collection
    outcomes: Mapping[int, Outcome]
    derived: Mapping[str, pa.Table] = field(default_factory=dict)
    """Further tables by name, as the experiment asks for them."""

    @property
    def ids(self) -> pa.Array:
        """The ids of all documents by number."""
        return self.truth.ids.names

    @property
    def finished(self) -> list[ExperimentRow]:
        """The rows that have a result."""
        return [row for row in self.rows if row.number in self.outcomes]

    def pairs(self, row: ExperimentRow | str | int) -> PairSet:
        """The pairs that a finished row found; a name or a number stands for it."""
        if isinstance(row, str):
            row = [each.name for each in self.rows].index(row)
        number = row if isinstance(row, int) else row.number
        more = len(self.truth.ids) - len(self.collection)
        return self.outcomes[number].pairs.extended(more)

    def figures(self, row: ExperimentRow) -> dict[str, Any]:
        """The row of the table."""
        figures: dict[str, Any] = self.table.slice(row.number, 1).to_pylist()[0]
        return figures

    @property
    def option_columns(self) -> list[str]:
        """The columns of the swept options in the table."""
        keys = dict.fromkeys(key for row in self.rows for key in row.options)
        columns = self.table.column_names
        return [f"option.{key}" if f"option.{key}" in columns else key for key in keys]

    @property
    def best(self) -> str | None:
        """The name of the best row; None where no row found a true pair."""
        best: str | None = self.manifest["best"]
        return best

    @property
    def _best(self) -> ExperimentRow | None:
        number = best_row(self.table, self.manifest["best_by"])
        return None if number is None else self.rows[number]

    @property
    def best_plan(self) -> str | None:
        """The plan of the best row as a TOML file."""
        row = self._best
        return None if row is None or row.plan is None else row.plan.as_toml()

    @property
    def tables(self) -> dict[str, pa.Table]:
        """Those of the folder."""
        return {"experiment": self.table, **self.derived}

    def fill(self, folder: Path, language: str) -> None:
        """The tables and the best plan."""
        super().fill(folder, language)
        if self.best_plan is not None:
            write_file(folder / BEST, self.best_plan)

    def as_dict(self) -> dict[str, Any]:
        """Everything but the pairs, as plain values."""
        tables = {name: table.to_pylist() for name, table in self.derived.items()}
        return {**self.manifest, "rows": self.table.to_pylist(), "tables": tables}

    def said(self, language: str = "en") -> list[str]:
        """The best row; what was measured, against what; notes of the run, in English."""
        say, facts = speaker(language, "experiment"), self.manifest
        sentences = [self._headline(language)]
        sentences += [facts[name] for name in ("title", "about", "source") if facts[name]]
        sentences.append(say("read_once", n=facts["documents"]))
        if facts["yardstick"] == "truth":
            sentences.append(say("against_truth", n=facts["true_pairs"]))
        else:
            key = "sampled" if facts["sampled"] else "pool"
            judge = exact(language, facts["judge"])
            sentences.append(say(key, n=facts["judged"], good=facts["true_pairs"], judge=judge))
        if facts["only_judged"]:
            sentences.append(say("only_judged"))
        if facts["reused"]:
            sentences.append(say("reused", n=len(facts["reused"])))
        return sentences + list(facts["notes"])

    def _headline(self, language: str) -> str:
        say, facts, best = speaker(language, "experiment"), self.manifest, self._best
        if best is None:
            return say("no_best", n=self.table.num_rows)
        row = self.figures(best)
        values = {name: number(language, row[name], 3) for name in MEASURES}
        values |= {"n": self.table.num_rows, "row": row["name"]}
        if facts["best_by"] == "f1":
            return say("headline", **values)
        by = facts["best_by"]
        return say("headline_by", column=by, value=exact(language, row[by]), **values)

    def grid(self, language: str = "en") -> list[Sequence[str]]:
        """The table of the rows as texts; the options stand for the name where there are any."""
        say, rows, options = speaker(language, "experiment"), self._rows, self.option_columns
        named = not options or any(row["name"] != _said(row, options) for row in rows)
        shown = (*MEASURES, *NUMBERS, *(name for name, _ in (*COSTS_SHOWN, *CLUSTERS_SHOWN)))
        names = (say(f"head_{name}") for name in shown)
        lines: list[Sequence[str]] = [[*([say("head_row")] if named else []), *options, *names]]
        for row in rows:
            line = [row["name"]] if named else []
            line += ["" if row[name] is None else str(row[name]) for name in options]
            if row["fault"] is not None:
                lines.append([*line, say("row_failed")])
                continue
            line += [_share(row, name, language) for name in MEASURES]
            line += [number(language, row[name]) for name in NUMBERS]
            line += [
                "" if row[name] is None else number(language, row[name], digits)
                for name, digits in (*COSTS_SHOWN, *CLUSTERS_SHOWN)
            ]
            lines.append(line)
        return lines

    @cached_property
    def _rows(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.table.to_pylist()
        return rows

    def charts(self, language: str) -> list[Figure]:
        """Plots of the finished rows over the swept options."""
        finished = [row for row in self._rows if row["fault"] is None]
        figures = _plots(finished, self.option_columns, language)
        return [*figures, *([_agreement(self.derived["dice"], language)] if self._has_dice else [])]

    @property
    def _has_dice(self) -> bool:
        return "dice" in self.derived and self.derived["dice"].num_rows <= MOST_BARS

    def values(self, language: str, part: bool) -> dict[str, Any]:
        """The first lines of derived tables, and the rows that failed."""
        failed = [(row["name"], row["fault"]) for row in self._rows if row["fault"] is not None]
        derived = [
            _derived(name, some, language)
            for name, some in self.derived.items()
            if name != "dice" or not self._has_dice
        ]
        return {"derived": derived, "failed": failed}
