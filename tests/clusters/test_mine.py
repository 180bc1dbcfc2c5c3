from __future__ import annotations

import gzip
import random
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import twinset
from mine_compare import make_context
from tests.conftest import mined_here
from tests.kernels.closed_twins import Images, contexts
from tests.kernels.examples import examples
from twinset.cli import app
from twinset.errors import PlanError, ReadError, TwinsetError
from twinset.finding.clusters.closed_sets import Context
from twinset.finding.clusters.mine import ALGORITHMS, able, compare, fimi
from twinset.finding.clusters.mine.fimi import read_fimi, result_text
from twinset.finding.clusters.mine.miners import MinedSets, mine

IMAGES = [{1, 2, 3, 4}, {1, 2, 3, 5}, {2, 3, 4, 5}, {9}]
HALVES = np.random.default_rng(5).random((40, 1500)) < 0.5
DENSE = Context.of(np.flatnonzero(row).tolist() for row in HALVES)


def write(folder: Path, text: str) -> Path:
    path = folder / "data.fimi"
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_answers_the_edges(name: str) -> None:
    if ALGORITHMS[name].needs_pyfim:
        pytest.importorskip("fim")
    kind: Any = ALGORITHMS[name].kinds[0]
    assert list(mine(name, Context.of([]), 1, kind)) == []
    assert list(mine(name, Context.of([{1}]), 1, kind)) == []
    assert list(mine(name, Context.of([{1, 2}] * 3), 2, kind)) == [((0, 1, 2), 2)]
    assert list(mine(name, Context.of(IMAGES), 5, kind)) == []
    pairs = [((0, 1), 3), ((0, 2), 3), ((1, 2), 3)]
    assert list(mine(name, Context.of(IMAGES), 3, kind)) == pairs


def test_unknown_names_and_supports() -> None:
    with pytest.raises(PlanError, match="no algorithm 'quick'; known: search, fpmax"):
        mine("quick", Context.of(IMAGES), 1)
    with pytest.raises(PlanError, match="at least 1, not 0"):
        mine("search", Context.of(IMAGES), 0)
    with pytest.raises(PlanError, match="fpmax finds maximal sets only"):
        mine("fpmax", Context.of(IMAGES), 1, "closed")


def test_a_deep_set_does_not_exhaust_the_recursion() -> None:
    nested = Context.of([set(range(d, 1100)) for d in range(1100)])
    for name in ("search", "fpmax", "afopt", "mafia", "addintent"):
        assert list(mine(name, nested, 1)) == [(tuple(range(1100)), 1)]


@examples(100)
@given(contexts())
def test_inverted_table_reads_back(images: Images) -> None:
    table = b"".join(Context.of(images).inverted_lines()).decode()
    with tempfile.TemporaryDirectory() as folder:
        back = read_fimi(write(Path(folder), table))
    assert back.labels.tolist() == [d for d, image in enumerate(images) if image]
    lines = [set(map(int, line.split())) for line in table.splitlines()]
    features = sorted(set().union(*images))
    assert lines == [{d for d, image in enumerate(images) if f in image} for f in features]
    assert back.table.context.lengths.tolist() == [len(image) for image in images if image]


def test_fimi_oddities_have_defined_answers(tmp_path: Path) -> None:
    found = read_fimi(write(tmp_path, "7 3 7\r\n\n  \n3 7\t5 5\n3 7"))
    assert found.labels.tolist() == [3, 5, 7]
    assert [row.tolist() for row in found.table.lines] == [[0, 2], [], [], [0, 1, 2], [0, 2]]
    assert [row.tolist() for row in found.table.context] == [[0, 3, 4], [3], [0, 3, 4]]
    assert (found.lines, found.blank, found.repeated, found.first_repeat) == (5, 2, 2, 1)
    assert found.notes() == [
        "blank lines, passed over: 2 of 5",
        "numbers repeated inside a line, counted once: 2, first in line 1",
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("1 2\n3 x 4\n", r"data.fimi:2: 'x' is not the number of an item"),
        ("1,2\n", r":1: '1,2' is not"),
        ("1 -2\n", r":1: '-2' is not"),
        ("1 2.5\n", r":1: '2.5' is not"),
        ("1\n\n99999999999999999999\n", r":3: 9+ is above the largest number"),
        ("\x00\x01", "is not the number of an item"),
    ],
)
def test_fimi_faults_name_the_line(tmp_path: Path, text: str, fault: str) -> None:
    with pytest.raises(ReadError, match=fault):
        read_fimi(write(tmp_path, text))


def test_fimi_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="no such file"):
        read_fimi(tmp_path / "none")
    with pytest.raises(ReadError, match="is a folder"):
        read_fimi(tmp_path)
    broken = tmp_path / "broken.gz"
    broken.write_bytes(b"1 2 3\n")
    with pytest.raises(ReadError, match="cannot be read to the end"):
        read_fimi(broken)


def test_an_index_has_the_sets_of_lexical_images(tmp_path: Path) -> None:
    """The interval of Kuznetsov et al., on an index and by the method that makes its own."""
    rng = random.Random(3)
    words = [f"w{n}" for n in range(40)]
    chosen = [rng.choices(words, weights=range(1, 41), k=60) for _ in range(12)]
    places: dict[str, list[int]] = {word: [] for word in words}
    for number, text in enumerate(chosen):
        for word in text:
            places[word].append(number)
    lines = [f"{word}, {', '.join(map(str, at))}\n" for word, at in places.items() if at]
    path = write(tmp_path, "".join(lines))
    low, high = 0.2, 0.6
    most = max(map(len, places.values()))
    fimi = read_fimi(path, (low, high))
    counts = [len(at) for at in places.values() if at]
    assert fimi.outside == sum(not low * most <= count <= high * most for count in counts)
    assert fimi.outside > 5
    assert (fimi.lines, fimi.blank) == (len(counts), 0)
    texts = {str(number): " ".join(text) for number, text in enumerate(chosen)}
    method = f"lexical:stop=none,low={low},high={high}"
    report = twinset.find(texts, method=method, clusters="closed:k=8").clusters
    expected: dict[int, set[int]] = {}
    for row in report.to_pylist():
        expected.setdefault(row["cluster"], set()).add(int(row["id"]))
    mined = mine("mafia", fimi.table, 8)
    found = {frozenset(fimi.labels[list(items)].tolist()) for items, _ in mined}
    assert found == set(map(frozenset, expected.values()))
    assert len(found) > 5
    with pytest.raises(PlanError, match=r"lower one first, not 0\.6 0\.2"):
        read_fimi(path, (high, low))


def test_fimi_in_gzip(tmp_path: Path) -> None:
    path = tmp_path / "data.gz"
    path.write_bytes(gzip.compress(b"1 2\n1 2"))
    assert read_fimi(path).labels.tolist() == [1, 2]


def test_result_text(monkeypatch: pytest.MonkeyPatch) -> None:
    sets = MinedSets.of([((0, 2), 95), ((1,), 7), ((0, 1, 2), 3)])
    text = b"10 2000000000000 95\n11 7\n10 11 2000000000000 3\n"
    labels = np.array([10, 11, 2_000_000_000_000])
    assert b"".join(result_text(sets, labels)) == text
    monkeypatch.setattr(fimi, "SETS", 2)
    assert [bytes(part).count(b"\n") for part in result_text(sets, labels)] == [2, 1]
    assert b"".join(result_text(sets, labels)) == text


@examples(200)
@given(
    st.lists(
        st.lists(st.one_of(st.integers(0, 9), st.integers(0, 2**63 - 1)), max_size=6), max_size=8
    ),
    st.sampled_from([b" ", b"\t", b"  ", b" \x0b", b"\x0c "]),
    st.sampled_from([b"\n", b"\r\n", b" \n"]),
    st.booleans(),
)
def test_numbers_and_blanks_read_as_python_splits_them(
    lines: list[list[int]], blank: bytes, end: bytes, ended: bool
) -> None:
    text = end.join(blank.join(b"%d" % n for n in line) for line in lines) + end * ended
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.fimi"
        path.write_bytes(text)
        read = read_fimi(path)
    rows = [[int(word) for word in line.split()] for line in text.split(b"\n")]
    rows = rows if text and not text.endswith(b"\n") else rows[:-1]
    labels = sorted({number for row in rows for number in row})
    assert read.labels.tolist() == labels
    assert [[labels[i] for i in row] for row in read.table.lines] == [sorted(set(r)) for r in rows]
    repeats = [len(row) - len(set(row)) for row in rows]
    first = next((n for n, lost in enumerate(repeats, 1) if lost), None)
    blanks = sum(not row for row in rows)
    facts = (read.lines, read.blank, read.repeated, read.first_repeat)
    assert facts == (len(rows), blanks, sum(repeats), first)


def test_compare_runs_checks_and_limits() -> None:
    runs = compare.compare(Context.of(IMAGES), 3, ["search", "fpmax"], seconds=60)
    assert [(run.algorithm, run.outcome, run.sets) for run in runs] == [
        ("search", "finished", 3),
        ("fpmax", "finished", 3),
    ]
    (late,) = compare.compare(DENSE, 300, ["addintent"], seconds=0.001)
    assert late.outcome == "time limit"
    with pytest.raises(PlanError, match="fpmax finds maximal sets only; for closed ones take"):
        compare.compare(Context.of(IMAGES), 3, ["fpmax"], kind="closed")
    assert late.fault == "not finished after 0.001 s"


def test_miners_that_differ_are_named() -> None:
    right = compare.Run("search", "finished", 2, 1.0, 1.0, "a")
    wrong = compare.Run("other", "finished", 3, 1.0, 1.0, "b")
    compare.check_agreement([right, right, compare.Run("late", "time limit")])
    with pytest.raises(TwinsetError, match=r"do not agree.*search 2, other 3"):
        compare.check_agreement([right, wrong])


def run(*arguments: object, given: str | None = None) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["lab", "mine", *map(str, arguments)], input=given)
    return done.exit_code, done.stdout, done.stderr


def test_command_prints_sets_alone_on_stdout(tmp_path: Path) -> None:
    path = write(tmp_path, "1 2 3\n1 2 3\n2 3 4\n1 2 3 4\n\n1 1 9")
    code, out, err = run(path, "--support", 2)
    assert (code, out) == (0, "1 2 3 3\n2 3 4 2\n")
    assert "blank lines" in err
    assert run(path, "--support", 2, "--closed")[1] == "1 2 3 3\n2 3 4\n2 3 4 2\n"
    for name in ("fpmax", "addintent"):
        assert run(path, "--support", 2, "--algorithm", name)[1] == out
    assert run("-", "--support", 1, given="5 6")[1] == "5 6 1\n"


def test_command_faults(tmp_path: Path) -> None:
    path = write(tmp_path, "1 a")
    assert run(path, "--support", 2)[::2] == (
        1,
        f"twinset: {path}:1: 'a' is not the number of an item; a line holds whole numbers "
        "and blanks\n",
    )
    good = write(tmp_path, "1 2\n")
    for arguments in (["--support", 0], ["--support", 1, "--algorithm", "magic"]):
        code, out, err = run(good, *arguments)
        assert (code, out) == (2, "")
        assert err.startswith("twinset: ")


@pytest.fixture
def mines_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Miners do not begin Python anew; the other tests of comparisons have processes."""
    monkeypatch.setattr(compare, "_run", mined_here)


@pytest.mark.usefixtures("mines_here")
def test_all_miners_agree_on_documents_like_those_of_the_papers() -> None:
    context = Context(*make_context(150, size=200))
    runs = list(compare.compare_rows(context, [190], ["closed"]))
    assert [run.algorithm for run in runs] == able("closed")
    faults = [run for run in runs if run.outcome != "finished"]
    assert all(ALGORITHMS[run.algorithm].needs_pyfim and "pyfim" in run.fault for run in faults)
    (digest,) = {run.digest for run in runs if run not in faults}
    assert compare.digest_of(mine("search", context, 190, "closed")) == digest


def test_what_does_not_finish_is_not_tried_with_less() -> None:
    rows = compare.compare_rows(DENSE, [310, 300], ["maximal"], ["addintent"], seconds=0.001)
    first, second = rows
    assert (first.support, second.support) == (310, 300)
    assert first.fault == "not finished after 0.001 s"
    assert second.fault == "not tried, since it did not finish at 310"


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["x.dat"], "--support N is missing"),
        ([], "FILE is missing"),
    ],
)
def test_command_says_what_is_missing(arguments: list[object], fault: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert fault in err


def test_command_says_when_it_was_cut(tmp_path: Path) -> None:
    documents = range(1, 27)
    text = "".join(" ".join(str(d) for d in documents if d != lost) + "\n" for lost in documents)
    whole = " ".join(map(str, documents)) + "\n"
    path = write(tmp_path, text + whole * 74)
    code, out, err = run(path, "--support", 90, "--max-sets", 1000, "--algorithm", "search")
    assert code == 0
    assert 1000 <= len(out.splitlines()) <= 1010
    assert "26 documents was cut" in err


def test_an_empty_answer_is_said(tmp_path: Path) -> None:
    (tmp_path / "f.dat").write_text("1 2\n", encoding="ascii")
    done = CliRunner().invoke(app, ["lab", "mine", str(tmp_path / "f.dat"), "--support", "2"])
    assert (done.exit_code, done.stdout) == (0, "")
    assert "no maximal set of 2 or more items occurs in 2 lines" in done.stderr
