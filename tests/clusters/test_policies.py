"""Which file stays: policies in turn, the first that tells two files apart decides."""

from __future__ import annotations

import csv
import itertools
import json
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twinset
from tests.kernels.examples import examples
from twinset.errors import PlanError
from twinset.finding.clusters.keep import SECOND, KeepReason, Traits, deciding, ranks_of
from twinset.plan import Plan
from twinset.plan.spec import make
from twinset.result.words import policies_in_words, reason_in_words, time_in_words
from twinset.run.documents import preferred

TEXT = "the landlord lets the flat in the old street to the tenant from the first of May on"
DAY = 86_400
NAMES = ["A/x.docx", "A/x (1).docx", "B/x.pdf", "B/x copy.txt", "C/longer x.odt", "C/x v2.odt"]
POLICIES = [
    "newest",
    "oldest",
    "original-name",
    "format:order=pdf/docx",
    "folder:order=B/C",
    "longest",
    "shortest",
    "shortest-name",
]


def files(folder: Path, days: dict[str, float], text: str = TEXT) -> None:
    """Equal files, each as many days old as said."""
    for name, age in days.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        os.utime(file, (1.7e9 - age * DAY, 1.7e9 - age * DAY))


def kept(folder: Path, *policies: str) -> str:
    documents = twinset.dedup(folder, keep=list(policies) or None).documents.to_pylist()
    (name,) = [row["id"] for row in documents if row["units"] and row["kept_as"] is None]
    return str(name)


def test_each_policy_keeps_what_it_says(tmp_path: Path) -> None:
    days = {"A/x.txt": 3, "A/x (1).txt": 1, "B/x.md": 9, "B/y.rst": 5}
    files(tmp_path, days)
    assert kept(tmp_path, "newest") == "A/x (1).txt"
    assert kept(tmp_path, "oldest") == "B/x.md"
    assert kept(tmp_path, "original-name", "newest") == "A/x.txt"
    assert kept(tmp_path, "format:order=md/rst") == "B/x.md"
    assert kept(tmp_path, "folder:order=B/A", "newest") == "B/y.rst"
    assert kept(tmp_path, "first") == "A/x (1).txt"
    assert kept(tmp_path) == "A/x.txt"  # its name, then its time


def test_find_does_not_go_by_names_and_times(tmp_path: Path) -> None:
    files(tmp_path, {"a (1).txt": 2, "b.txt": 1})
    findings = twinset.find(tmp_path)
    assert findings.manifest["plan"]["keep"] == "first"
    assert set(findings.clusters["anchor"].to_pylist()) == {"a (1).txt"}


def test_records_keep_the_first(tmp_path: Path) -> None:
    rows = [{"id": id, "text": TEXT} for id in ("x (1)", "x")]
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    findings = twinset.dedup(tmp_path / "r.jsonl")
    assert findings.manifest["plan"]["keep"] == "first"
    assert "kept_because" not in findings.documents.column_names


def test_a_table_among_files_does_not_change_which_copy_stays(tmp_path: Path) -> None:
    files(tmp_path, {"a (1).txt": 2, "a.txt": 1})
    (tmp_path / "budget.csv").write_text("id,text\n" + "".join(f"{n},item {n}\n" for n in range(9)))
    findings = twinset.dedup(tmp_path)
    assert findings.manifest["plan"]["keep"] != "first"
    assert "a.txt" in findings.clusters["anchor"].to_pylist()


def test_reasons_are_about_the_two_files(tmp_path: Path) -> None:
    home = tmp_path / "in"
    files(home, {"x.txt": 0, "x copy.txt": 0, "y.txt": 334, "z.md": 0, "q.txt": 0})
    (home / "q.txt").write_text(TEXT + " , ")
    os.utime(home / "q.txt", (1.7e9 + 1, 1.7e9 + 1))
    findings = twinset.dedup(home)
    findings.save(tmp_path / "out")
    with open(tmp_path / "out" / "removals.csv", newline="") as file:
        reasons = {row["removed"]: row["reason"] for row in csv.DictReader(file)}
    assert reasons == {
        "x copy.txt": "a copy by its name, same words",
        "y.txt": "older by 11 months, same words",
        "z.md": "MD where TXT is preferred, same words",
        "x.txt": "nothing else tells them apart, its name comes later, same words",
    }
    assert twinset.open_report(tmp_path / "out").documents.equals(findings.documents)
    page = (tmp_path / "out" / "report.html").read_text()
    assert "no copy by its name, then the newest" in page


def test_times_of_change_survive(tmp_path: Path) -> None:
    files(tmp_path / "in", {"x.txt": 3, "y.txt": 10})
    twinset.dedup(tmp_path / "in").save(tmp_path / "out")
    assert (tmp_path / "out" / "kept" / "x.txt").stat().st_mtime == 1.7e9 - 3 * DAY
    assert (tmp_path / "out" / "removed" / "y.txt").stat().st_mtime == 1.7e9 - 10 * DAY


def test_times_within_two_minutes_are_equal(tmp_path: Path) -> None:
    files(tmp_path, {"x.txt": 0, "y.txt": -120 / DAY})
    assert kept(tmp_path, "newest") == "x.txt"
    files(tmp_path, {"y.txt": -121 / DAY})
    assert kept(tmp_path, "newest") == "y.txt"


def test_times_within_a_day_of_many_files_in_a_minute_are_equal(tmp_path: Path) -> None:
    """They were unpacked or synchronised, and their times are those of that moment."""
    files(tmp_path, {"x.txt": 0, "y.txt": -0.9})
    assert kept(tmp_path, "newest") == "y.txt"
    for number in range(9):
        other = tmp_path / f"other{number}.txt"
        other.write_text("")
        os.utime(other, (1.7e9 + 5 * number, 1.7e9 + 5 * number))
    assert kept(tmp_path, "newest") == "x.txt"
    files(tmp_path, {"y.txt": -1.1})
    assert kept(tmp_path, "newest") == "y.txt"


@pytest.mark.parametrize(
    "names",
    [
        "CV 2024|CV 2023",
        "2024 Lebenslauf Anna|Anna Lebenslauf 2023",
        "Plan 2024-05-07|Plan 2024-05-01|Plan 2023-12-31",
        "Plan_20240507|Plan_20240501",
        "CV 2024 (1)|CV 2023",
        "Budget v10|Budget v9|Budget v1",
        "Lease v2 - Copy|Lease",
        "Lease final|Lease v3|Lease",
        "Lease signed|Lease final|Lease",
        "Договор подписан|Договор",
        "CV 2023|CV 2024 draft",
        "租约|租约 - 副本",
    ],
)
def test_the_name_says_which_one_is_the_latest(tmp_path: Path, names: str) -> None:
    """The first name stays, wherever the order of reading and the times would have another."""
    for first, second in itertools.combinations(names.split("|"), 2):
        folder = tmp_path / f"{first} {second}"
        files(folder, {f"{first}.txt": 9, f"{second}.txt": 1})
        assert kept(folder) == f"{first}.txt"


def test_a_name_without_a_date_may_be_the_latest(tmp_path: Path) -> None:
    files(tmp_path, {"CV 2023.txt": 400, "CV 2024.txt": 90, "CV.txt": 1})
    assert kept(tmp_path) == "CV.txt"
    files(tmp_path, {"CV.txt": 200})
    assert kept(tmp_path) == "CV 2024.txt"


def test_a_mail_never_stays_for_its_document(tmp_path: Path) -> None:
    letter = f"Subject: flat\nContent-Type: text/plain\n\n{TEXT}\n"
    (tmp_path / "flat.eml").write_text(letter)
    (tmp_path / "old flat draft (2).txt").write_text(f"flat\n{TEXT}\n")
    os.utime(tmp_path / "old flat draft (2).txt", (1e9, 1e9))
    for policies in ([], ["newest"], ["first"]):
        result = twinset.dedup(tmp_path, keep=policies or None, threshold=0.7)
        row = {row["id"]: row for row in result.documents.to_pylist()}["flat.eml"]
        assert row["kept_as"] == "old flat draft (2).txt"
        assert "a mail" in row["kept_because"]


def test_what_is_easier_to_edit_stays() -> None:
    suffixes = ["docx", "odt", "rtf", "txt", "pdf", "jpg"]
    own = traits([(f"x.{suffix}", 1, 1) for suffix in suffixes])
    ranks, _ = ranks_of([make("keep", "format")], own)
    assert np.argsort(ranks[0]).tolist() == list(range(len(suffixes)))


def traits(rows: Sequence[tuple[str, int, int]]) -> Traits:
    names, units, times = zip(*rows, strict=True)
    paths = pa.array([f"/{name}".encode() for name in names], pa.large_binary())
    modified = np.array(times, np.int64) * 10 * SECOND
    return Traits(np.array(units, np.int64), None, paths, modified)


ROWS = st.lists(
    st.tuples(st.sampled_from(NAMES), st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=7
)
LISTS = st.lists(st.sampled_from(POLICIES), min_size=1, max_size=4, unique=True)


@given(ROWS, LISTS)
@examples(100)
def test_the_first_policy_that_tells_two_apart_decides(
    rows: list[tuple[str, int, int]], texts: list[str]
) -> None:
    """Against the definition, pair by pair: each policy alone, in turn, then the id."""
    own = traits(rows)
    ids = pa.array([f"{number}" for number in range(len(rows))], pa.large_string())
    policies = [make("keep", text) for text in texts]
    nobody = np.zeros(len(rows), bool)
    order = preferred(nobody, policies, own, ids).order.tolist()
    ranks, _ = ranks_of(policies, own)
    for a, b in itertools.combinations(order, 2):
        alone = ((policy, policy.rank(own)) for policy in policies)
        told = next(((p, rank) for p, rank in alone if rank[a] != rank[b]), None)
        reason = deciding(policies, ranks, own, a, b)
        if told is None:
            assert a < b
            assert reason.name == "later_by_id"
        else:
            assert told[1][a] < told[1][b]
            assert reason == told[0].reason(own, a, b)
        assert reason_in_words(reason)
        assert reason_in_words(reason, "ru")


@given(ROWS, LISTS)
@examples(30)
def test_the_order_of_reading_decides_nothing_but_where_it_is_asked(
    rows: list[tuple[str, int, int]], texts: list[str]
) -> None:
    rows = list(dict.fromkeys(rows))
    policies = [make("keep", text) for text in texts]
    names = [f"{row}" for row in rows]

    def best(order: list[int]) -> str:
        ids = pa.array([names[at] for at in order], pa.large_string())
        own = traits([rows[at] for at in order])
        return str(ids[int(preferred(np.zeros(len(order), bool), policies, own, ids).order[0])])

    forward = list(range(len(rows)))
    assert best(forward) == best(forward[::-1])


@pytest.mark.parametrize(
    ("seconds", "english", "russian"),
    [
        (3, "3 seconds", "3 секунды"),
        (60, "1 minute", "1 минуту"),
        (5 * 3600, "5 hours", "5 часов"),
        (DAY, "1 day", "1 день"),
        (45 * DAY, "45 days", "45 дней"),
        (334 * DAY, "11 months", "11 месяцев"),
        (800 * DAY, "2 years", "2 года"),
    ],
)
def test_lengths_of_time(seconds: int, english: str, russian: str) -> None:
    assert time_in_words(seconds) == english
    assert time_in_words(seconds, "ru") == russian
    assert reason_in_words(KeepReason("older", {"seconds": seconds})) == f"older by {english}"


def test_policies_in_words() -> None:
    assert policies_in_words({"keep": "first"}) == ""
    assert policies_in_words({}) == ""
    keep = ["original-name", "format:order=docx/pdf", "date:max", "plugin:x=1"]
    sentence = policies_in_words({"keep": keep}, "ru")
    assert "по имени не копия, затем в лучшем формате (docx/pdf)" in sentence
    assert sentence.endswith("по полю date, затем plugin:x=1.")


def test_a_plan_with_several_policies_is_written_and_read_again(tmp_path: Path) -> None:
    plan = Plan.make(keep=["original-name", "folder:order=A b/C", "longest"])
    assert Plan.from_dict(json.loads(json.dumps(plan.as_dict()))) == plan
    file = tmp_path / "plan.toml"
    file.write_text(plan.as_toml(), encoding="utf-8")
    assert Plan.make(plan=file) == plan
    words = plan.arguments()
    assert [word for word in words if word != "--keep"] == [
        "original-name",
        "folder:order=A b/C",
        "longest",
    ]
    file.write_text('keep = "longest"\n', encoding="utf-8")
    assert Plan.make(plan=file).keep == (make("keep", "longest"),)
    assert Plan.from_dict({"keep": "date:max"}).read.order == "date"


@pytest.mark.parametrize(
    ("keep", "fault"),
    [
        ("newst", "newest"),
        ("format:order=/", "name formats"),
        ("folder", "name folders"),
        (["a:max", "b:min"], "one field of the input, not at a and b"),
        (["newest", "nearest"], "nearest"),
    ],
)
def test_what_is_wrong_with_policies_is_said(keep: str | list[str], fault: str) -> None:
    with pytest.raises(PlanError, match=fault):
        Plan.make(keep=keep)
