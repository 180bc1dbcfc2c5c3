"""A comparison as one page without network, and as a part of a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, Any

from twinset.pages import charts
from twinset.report import shell

if TYPE_CHECKING:
    from twinset.lab.comparison.result import Comparison

PAIRS = 4  # of one method alone that the page shows at once
MEMORY = (
    "Time is the method's own, in a process of its own: reading and cleaning were done once for "
    "all, and so was counting words, where several methods need it (shared). Memory is the growth "
    "of that process's peak over what it held before the method began."
)


def page(result: Comparison) -> str:
    """The whole page."""
    facts = result.manifest
    inputs = ", ".join(f"<bdi>{escape(str(one['source']))}</bdi>" for one in facts["inputs"][:3])
    header = (
        f'<header>\n<p class="kicker">Methods compared on {inputs or "documents"}</p>\n'
        f"<h1>{escape(headline(result))}</h1>\n"
        + "".join(f"<p>{escape(sentence)}</p>\n" for sentence in explanation(result))
        + "</header>"
    )
    sections = [_table(result), *_figures(result), _alone(result), _failed(facts)]
    return shell.page(headline(result), header, sections, shell.footer(facts))


def fragment(result: Comparison) -> str:
    """The table and the plots for a notebook."""
    body = "".join([_table(result), *_figures(result)])
    return shell.fragment(f'<div class="page">{body}</div>')


def headline(result: Comparison) -> str:
    """The best method in a sentence."""
    rows = result.methods.to_pylist()
    first = rows[0]
    if not any(row["pairs"] for row in rows):
        return "No method found a pair of near-duplicates"
    if len(rows) == 1:
        return (
            f"{first['method']} alone has F {first['f']:.3f}, at recall {first['recall']:.3f} and "
            f"precision {first['precision']:.3f}; name other --methods to compare it with"
        )
    return (
        f"Of {len(rows)} methods, {first['method']} has the highest F: "
        f"{first['f']:.3f}, at recall {first['recall']:.3f} and precision {first['precision']:.3f}"
    )


def explanation(result: Comparison) -> list[str]:
    """What was measured, and against what."""
    facts = result.manifest
    told = [f"{facts['documents']:,} documents, read once."]
    if facts["yardstick"] == "truth":
        told.append(f"Recall and precision are against {facts['true_pairs']:,} true pairs.")
        if facts["only_judged"]:
            told.append("Pairs that the truth has not judged count neither way.")
    if facts["judge"] is not None:
        told.append(
            "The pool is the union of all methods' pairs; a pair is good if the edit similarity of "
            f"the texts is at least {facts['judge']:g}. Precision is the good share of a method's "
            "pairs, recall its share of all good pairs of the pool."
        )
        if facts["sampled"]:
            told.append(
                f"The pool is too large to be judged whole: {facts['judged']:,} pairs were drawn, "
                "as many from each method, and the intervals are of 95 %."
            )
        else:
            told.append(f"All {facts['judged']:,} pairs of the pool were judged.")
    if facts["reused"]:
        told.append(f"Used again from an earlier run: {', '.join(facts['reused'])}.")
    return told + list(facts["notes"])


def table_rows(result: Comparison) -> tuple[list[str], list[list[str]]]:
    """The table of the methods as texts."""
    pool = "pool_f" in result.methods.column_names
    head = ["method", "recall", "precision", "F"]
    head += ["pool recall", "pool precision", "pool F"] if pool else []
    head += ["pairs", "alone", "seconds", "shared", "memory MB"]
    rows = []
    for row in result.methods.to_pylist():
        if row["fault"] is not None:
            rows.append([row["method"], "failed"])
            continue
        cells = [row["method"], *_scores(row, ""), *(_scores(row, "pool_") if pool else [])]
        cells += [f"{row['pairs']:,}", f"{row['alone']:,.0f}", f"{row['seconds']:.2f}"]
        rows.append([*cells, f"{row['shared_seconds']:.2f}", f"{row['memory_mb']:,.0f}"])
    return head, rows


def _scores(row: dict[str, Any], prefix: str) -> list[str]:
    def shown(name: str) -> str:
        value, low = row[prefix + name], row.get(f"{prefix}{name}_low")
        around = "" if low is None else f" ({low:.3f}–{row[f'{prefix}{name}_high']:.3f})"
        return f"{value:.3f}{around}"

    return [shown("recall"), shown("precision"), f"{row[f'{prefix}f']:.3f}"]


def _table(result: Comparison) -> str:
    head, rows = table_rows(result)
    return shell.section("The methods", shell.table(head, rows) + f"<p>{MEMORY}</p>")


def _figures(result: Comparison) -> list[str]:
    done = [row for row in result.methods.to_pylist() if row["fault"] is None]
    best = [(row["method"], row["f"]) for row in done]
    times = sorted(((row["method"], row["seconds"]) for row in done), key=lambda one: one[1])
    small = [
        shell.figure(charts.bars(best, title="F by method", form="{:.3f}"), "F of each method."),
        shell.figure(
            charts.bars(times, title="Time by method", form="{:,.2f} s"), "Seconds of each method."
        ),
    ]
    return [
        shell.section("Quality and time", f'<div class="figures">{"".join(small)}</div>'),
        shell.section("Who finds the same", _heat(result)),
        shell.section("Together", _coverage(result)),
    ]


def _heat(result: Comparison) -> str:
    names = result.dice["method"].to_pylist()
    values = [list(row.values())[1:] for row in result.dice.to_pylist()]
    chart = charts.heat(names, values, title="Dice correlation of the methods")
    caption = (
        "Dice correlation 2|A∩B|/(|A|+|B|) of the pairs of every two methods, in hundredths; "
        "the order is that of the table."
    )
    rows = [[name, *(f"{v:.3f}" for v in row)] for name, row in zip(names, values, strict=True)]
    figure = shell.figure(chart, caption, ["", *names], rows)
    return figure.replace("<figure>", '<figure class="wide">', 1)


def _coverage(result: Comparison) -> str:
    what = "true" if result.manifest["yardstick"] == "truth" else "good"
    rows = [
        (str(row["size"]), " + ".join(row["methods"]), f"{row['coverage']:.4f}")
        for row in result.coverage.to_pylist()
    ]
    told = f"The share of the {what} pairs that at least one method of a combination found."
    return f"<p>{told}</p>" + shell.table(("methods", "combination", "coverage"), rows)


def _alone(result: Comparison) -> str:
    rows = sorted(result.alone.to_pylist(), key=lambda row: str(row["method"]))
    parts = []
    for method, some in groupby(rows, key=lambda row: row["method"]):
        listed = list(some)
        body = "".join(map(_pair, listed[:PAIRS]))
        rest = "".join(map(_pair, listed[PAIRS:]))
        more = shell.folded(f"{len(listed) - PAIRS} more", f'<ol class="members">{rest}</ol>')
        body = f'<ol class="members">{body}</ol>' + (more if rest else "")
        parts.append(shell.folded(f"{method}: {len(listed)} shown", body))
    if not parts:
        return ""
    return shell.section("Pairs that one method alone found", "".join(parts))


def _pair(row: dict[str, Any]) -> str:
    verdict = "good" if row["good"] else "not good"
    score = f"edit similarity {row['similarity']:.3f}" if row["similarity"] else "dissimilar"
    sides: Sequence[str] = [
        f"<p><code><bdi>{escape(row[side])}</bdi></code></p>"
        f'<blockquote dir="auto">{escape(_flat(row[f"{side}_text"]))}</blockquote>'
        for side in ("left", "right")
    ]
    return f'<li><p><span class="score">{verdict}, {score}</span></p>{"".join(sides)}</li>'


def _flat(text: str) -> str:
    return " ".join(text.split()) or "(empty)"


def _failed(facts: dict[str, Any]) -> str:
    if not facts["failed"]:
        return ""
    rows = [(name, str(fault)) for name, fault in facts["failed"].items()]
    return shell.section("Methods that failed", shell.table(("method", "why"), rows))
