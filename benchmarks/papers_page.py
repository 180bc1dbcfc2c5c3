"""The papers' tables from stored results and printed figures.

All of them are in ``benchmarks/results/papers_tables.md``, some also in
``docs/how-to/repeat-the-papers.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pages import filled, table
from twinset.lab.description import Description, open_description

CORPORA = ("guide", "licences", "bills")
CLOSED = ("guide", "licences")  # the bills are small and short for closed sets
# Documents of the papers' parts of ROMIP.
PARTS = {"n1-3": 26077, "n1-6": 53539, "n1-12": 110997, "n1-24": 223804}
Results = dict[str, Any]
HEAD = """# The tables of the papers

Made by `python benchmarks/papers_tables.py`. [Repeat the
papers](../../docs/how-to/repeat-the-papers.md) says what the collections are, and why figures
differ from those printed.

- Agreement with a list: pairs found · recall · precision. Methods: recall · precision · F.
- Dice correlation: the paper's figures above the diagonal, those of the guide below it.
- Images: milliseconds for a document. Searches: seconds; (cut) marks a search that met a bound and
  kept a cover of its documents.
- Miners: CPU seconds at k = 100 · 95 · 90 · 85 · 80, at most 20 s each; – means that it did not
  finish, ? that the paper prints no time.
- Vectors: means over true pairs (+1), and over as many pairs that a single measure takes for
  near-duplicates though they are not (-1).
"""


def page(text: str, results: Results) -> str:
    """The page with its tables made new; what stands between them is left alone."""
    for name in TABLES:
        if f"<!-- {name}: begin -->" in text:
            text = filled(text, name, made(name, results))
    return text


def whole(results: Results) -> str:
    """All tables, each under what its experiment is called."""
    parts = []
    for name in TABLES:
        command = f"`twinset lab experiment {name}`"
        parts += [f"## {open_description(name).title}", command, made(name, results)]
    return "\n\n".join([HEAD.rstrip(), *parts]) + "\n"


def made(name: str, results: Results) -> str:
    """One table."""
    return TABLES[name](open_description(name), results[name])


def printed_rows(described: Description) -> list[dict[str, Any]]:
    printed = described.printed
    return [dict(zip(printed["columns"], row, strict=True)) for row in printed.get("rows", [])]


def agreement(described: Description, results: Results) -> str:
    """Pairs found, recall and precision: of each printed part and of each corpus."""
    parts = list(dict.fromkeys(_part(row["input"]) for row in printed_rows(described)))
    printed = {
        (_part(row["input"]), row["shingle"], row["image.size"], row["k"]): row
        for row in printed_rows(described)
    }
    corpora = [name for name in CLOSED if name in results]
    first = results[corpora[0]]["rows"]
    rows = []
    for number, row in enumerate(first):
        key = (row["shingle"], row["image.size"], row["k"])
        theirs = [_agreement(printed.get((part, *key))) for part in parts]
        ours = [_agreement(results[name]["rows"][number]) for name in corpora]
        rows.append([_input(row), str(row["k"]), *theirs, *ours])
    head = ["input", "k", *(f"paper, {part}" for part in parts), *corpora]
    return table(head, rows)


def _agreement(row: dict[str, Any] | None) -> str:
    if row is None or row["found"] is None:
        return ""
    recall = row["common"] / max(row["reference"], 1)
    precision = row["common"] / row["found"] if row["found"] else 1.0
    return f"{row['found']:,} · {recall:.2f} · {precision:.2f}"


def miners(described: Description, results: Results) -> str:
    """CPU seconds by threshold of our search and of each miner that the paper times."""
    thresholds = sorted(described.sweep["k"], reverse=True)
    printed = {
        (row["algorithm"], row["k"]): row["seconds"]
        for row in printed_rows(described)
        if _part(row["input"]) == "n1-6"
    }
    corpora = [name for name in CLOSED if name in results]
    ours = {
        (name, row["algorithm"], row["k"]): row
        for name in corpora
        for row in results[name]["tables"]["miners"]
    }
    algorithms = ["search", *dict.fromkeys(algorithm for algorithm, _ in printed)]
    head = ["algorithm", "paper, n1-6", *corpora]
    rows = [
        [
            f"`{algorithm}`",
            " · ".join(_time(printed.get((algorithm, k))) for k in thresholds)
            if algorithm != "search"
            else "",
            *(
                " · ".join(_outcome(ours[name, algorithm, k]) for k in thresholds)
                for name in corpora
            ),
        ]
        for algorithm in algorithms
    ]
    sets = [
        " · ".join(str(_sets(ours, name, algorithms, k)) for k in thresholds) for name in corpora
    ]
    return table(head, [*rows, ["sets found", "", *sets]])


def _sets(ours: dict[Any, Any], name: str, algorithms: list[str], k: int) -> int | None:
    found = (ours[name, algorithm, k]["sets"] for algorithm in algorithms)
    return next((sets for sets in found if sets is not None), None)


def _outcome(row: dict[str, Any]) -> str:
    return _time(row["seconds"]) if row["outcome"] == "finished" else "–"


def _time(seconds: Any) -> str:
    if not isinstance(seconds, int | float):
        return seconds or "?"
    return f"{seconds:,.{3 if seconds < 0.1 else 2 if seconds < 100 else 0}f}"


def images(described: Description, results: Results) -> str:
    """Milliseconds for a document, since the collections differ in size."""
    corpora = [name for name in CLOSED if name in results]
    printed: dict[tuple[Any, ...], str] = {}
    for row in printed_rows(described):
        part = _part(row["input"].replace("narod.", "n").replace(".xml", ""))
        key = (part, row["image"], row["shingle"], row["image.size"])
        printed[key] = f"{1000 * row['seconds_read_and_sketch'] / PARTS[part]:.1f}"
    rows: dict[str, list[str]] = {}
    for number, row in enumerate(results[corpora[0]]["rows"]):  # once for all parts of one file
        key = (row["image"], row["shingle"], row["image.size"])
        ours = [_milliseconds(results[name], number) for name in corpora]
        theirs = [printed.get((part, *key), "") for part in PARTS]
        rows.setdefault(_input(row), [_input(row), *theirs, *ours])
    return table(["images", *(f"paper, {part}" for part in PARTS), *corpora], list(rows.values()))


def _milliseconds(results: Results, number: int) -> str:
    seconds = results["rows"][number]["seconds_read_and_sketch"]
    return f"{1000 * seconds / results['documents']:.2f}"


def searches(described: Description, results: Results) -> str:
    corpora = [name for name in CLOSED if name in results]
    keys = [name for name in ("shingle", "image.size", "k") if name in described.printed["by"]]
    parts = list(dict.fromkeys(_part(row["input"]) for row in printed_rows(described)))
    printed = {
        (_part(row["input"]), *(row[key] for key in keys)): row["seconds_cluster"]
        for row in printed_rows(described)
    }
    rows = []
    for number, row in enumerate(results[corpora[0]]["rows"]):
        theirs = [printed.get((part, *(row[key] for key in keys))) for part in parts]
        ours = [_search(results[name]["rows"][number]) for name in corpora]
        times = ["" if seconds is None else _time(seconds) for seconds in theirs]
        rows.append([_input(row), str(row["k"]), *times, *ours])
    head = ["input", "k", *(f"paper, {part}" for part in parts), *corpora]
    return table(head, rows)


def _search(row: dict[str, Any]) -> str:
    if row["seconds_cluster"] is None:
        return "failed"
    return _time(row["seconds_cluster"]) + ("" if row["clusters_complete"] else " (cut)")


def scores(described: Description, results: Results) -> str:
    """Recall, precision and F of each method that the paper prints, in its order."""
    corpora = [name for name in CORPORA if name in results]
    printed = {row["name"]: row for row in printed_rows(described)}
    ours = {name: {row["name"]: row for row in results[name]["rows"]} for name in corpora}
    rows = [
        [name, _score(printed.get(name)), *(_score(ours[corpus][name]) for corpus in corpora)]
        for name in printed
    ]
    return table(["method", "paper", *corpora], rows)


def _score(row: dict[str, Any] | None) -> str:
    if row is None or row["recall"] is None:
        return ""
    return " · ".join(f"{row[name]:.2f}" for name in ("recall", "precision", "f1"))


def counts(described: Description, results: Results) -> str:
    corpora = [name for name in CORPORA if name in results]
    rows = []
    for number, printed in enumerate(printed_rows(described)):
        ours = [results[name]["rows"][number]["found"] for name in corpora]
        cells = (f"{found:,}" for found in (printed["found"], *ours))
        rows.append([printed["method"], *cells])
    return table(["method", "paper", *corpora], rows)


def dice(corpus: str) -> Callable[[Description, Results], str]:
    """The matrix: the paper's figures above the diagonal, ours on a corpus below."""

    def lines(described: Description, results: Results) -> str:
        printed = {row["method"]: row for row in printed_rows(described)}
        ours = {row["method"]: row for row in results[corpus]["tables"]["dice"]}
        names = list(printed)
        rows = []
        for at, name in enumerate(names):
            below = [f"{ours[name][other]:.2f}" for other in names[:at]]
            above = [f"{printed[name][other]:.2f}" for other in names[at + 1 :]]
            rows.append([f"**{name}**", *below, "", *above])
        return table(["", *names], rows)

    return lines


def coverage(_: Description, results: Results) -> str:
    rows = []
    for name in (name for name in CORPORA if name in results):
        best: dict[int, str] = {}
        for row in results[name]["tables"]["coverage"]:
            best.setdefault(row["size"], f"{' + '.join(row['methods'])}: {row['coverage']:.3f}")
        rows.append([name, *(best[size] for size in (1, 2, 3))])
    return table(["collection", "one method", "two", "three"], rows)


def vectors(_: Description, results: Results) -> str:
    names = ("jaccard", "cosine", "euclidean", "extended", "dice")
    rows = [
        [
            name,
            f"{row['label']:+d}",
            f"{row['pairs']:,}",
            *(f"{row[each]:.2f}" for each in names),
        ]
        for name in CORPORA
        if name in results
        for row in reversed(results[name]["tables"]["vectors"])
    ]
    return table(["collection", "label", "pairs", *names], rows)


def _input(row: dict[str, Any]) -> str:
    return str(row["name"].partition(":")[0]) if "image.size" in row else "lex"


def _part(name: str) -> str:
    part = name.rpartition("_")[2] if "_" in name else name
    return part if part.startswith("n") else "all"


TABLES: dict[str, Callable[[Description, Results], str]] = {
    "ignatov-table3": agreement,
    "ignatov-table4": miners,
    "kuznetsov-table1": agreement,
    "kuznetsov-table3": images,
    "kuznetsov-table4": searches,
    "kuznetsov-table5": searches,
    "kuznetsov-table6": searches,
    "zelenkov-table2": scores,
    "zelenkov-table3": counts,
    "zelenkov-table4": dice("guide"),
    "zelenkov-table7": scores,
    "zelenkov-coverage": coverage,
    "raveena-vectors": vectors,
}
