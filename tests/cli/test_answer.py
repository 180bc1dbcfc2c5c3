"""What ``find`` and ``dedup`` answer on the terminal."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.cli.conftest import WORDS, Twinset
from tests.reading.test_mail import letter
from twinset.cli.output import say
from twinset.cli.tune import next_commands
from twinset.plan import Plan


def test_dedup_answers_in_a_few_lines(twinset: Twinset, corpus: Path) -> None:
    done = twinset("dedup", corpus, "-o", "out", "-t", "0.5", "-q")
    lines = done.stdout.splitlines()
    removed = (corpus.parent / "out" / "removed.jsonl").stat().st_size
    assert lines[0].startswith("Of 5 documents, 3 are in clusters of near-duplicates")
    assert lines[1:4] == [
        "Kept 3 documents → out/kept.jsonl",
        "Removed 2 documents → out/removed.jsonl",
        f"Can go: 2 of 5 documents, {removed} B",
    ]
    assert lines[4:6] == ["The cluster:", "  cluster 0: 3 documents, kept a: " + WORDS[:59] + "…"]
    assert lines[6:] == ["Report: out/report.html", "Next: twinset show out --cluster 0"]


def test_how_far_a_result_can_be_trusted_is_said_when_asked(twinset: Twinset, corpus: Path) -> None:
    brief = twinset("dedup", corpus, "-o", "brief", "-t", "0.5", "-q").stdout
    full = twinset("dedup", corpus, "-o", "full", "-t", "0.5", "-q", "--verbose").stdout
    assert "probability" not in brief
    assert "found with a probability of" in full
    assert "within the threshold of the document kept in its place" in full
    assert full.count("in clusters of near-duplicates") == 1
    page = (corpus.parent / "brief" / "report.html").read_text("utf-8")
    assert "found with a probability of" in page


def test_every_next_command_runs(twinset: Twinset, corpus: Path) -> None:
    named = corpus.rename(corpus.with_name("two words.jsonl"))
    done = twinset("find", named.name, "-o", "r", "-t", "0.5", "--keep", "longest", "-q", "--json")
    commands = json.loads(done.stdout)["next"]
    assert len(commands) == 2
    assert "--keep longest" in commands[1]
    for command in commands:
        again = twinset(*shlex.split(command)[1:])
        assert again.returncode == 0, again.stderr
    assert (corpus.parent / "r-dedup" / "kept.jsonl").is_file()


ASKING = "Twenty answers would tell what you call a copy: "


def test_the_way_to_ask_names_all_that_reads_the_input(twinset: Twinset, corpus: Path) -> None:
    texts = ["one two", "two one", *(f"word{n} other{n}" for n in range(98))]
    corpus.write_text("\n".join(json.dumps({"id": n, "body": t}) for n, t in enumerate(texts)))
    reading = ("--mask", "dates", "--mask", r"No\. \d+", "--text", "body")
    find = ("find", corpus.name, "-o", "r", "--force", *reading)
    said = twinset(*find).stdout.splitlines()[-1].removeprefix(ASKING)
    assert shlex.split(said) == ["twinset", "ask", corpus.name, *reading]
    assert json.loads(twinset(*find, "--json").stdout)["next"] == [said]
    truth = corpus.with_name("truth.csv")
    truth.write_text("left,right\n0,1\n")
    assert twinset(*shlex.split(said)[1:], "--truth", truth, "-q").returncode == 0
    for rest in (["-q"], ["--forms", "code"], ["--plan", "plan.toml"], ["--against", corpus.name]):
        assert ASKING not in twinset(*find, *rest).stdout, rest


@pytest.mark.parametrize(("change", "is_said"), [(str.upper, False), (lambda t: t + " end", True)])
def test_asking_is_for_copies_that_are_only_just_found(
    twinset: Twinset, corpus: Path, change: Callable[[str], str], is_said: bool
) -> None:
    texts = [" ".join(f"{word}{n}" for word in WORDS.split()[:12]) for n in range(95)]
    rows = [{"id": n, "text": text} for n, text in enumerate([*texts, *map(change, texts[:5])])]
    corpus.write_text("\n".join(map(json.dumps, rows)))
    done = twinset("find", corpus.name, "-o", "r")
    assert "Of 100 documents, 10 are" in done.stdout
    assert (ASKING in done.stdout) == is_said
    corpus.write_text("\n".join(map(json.dumps, rows[1:])))
    assert ASKING not in twinset("find", corpus.name, "-o", "fewer").stdout


def test_files_that_can_go_are_counted_with_their_bytes(twinset: Twinset, tmp_path: Path) -> None:
    folder = tmp_path / "letters"
    folder.mkdir()
    for name in ("a.txt", "b.txt", "c.txt"):
        (folder / name).write_text(WORDS * 3 + ("end" if name == "c.txt" else ""))
    done = twinset("dedup", folder, "-o", "out", "-t", "0.5", "-q")
    assert f"Can go: 1 file, {len(WORDS * 3)} B\n" in done.stdout
    assert done.stdout.splitlines()[-1].strip() == "twinset clean out"


def test_files_beside_a_letter_are_cleaned_too(twinset: Twinset, tmp_path: Path) -> None:
    folder = tmp_path / "letters"
    folder.mkdir()
    message = letter("Rent", "words of a letter that is like no other")
    message.add_attachment((WORDS * 3).encode(), "text", "plain", filename="note.txt")
    (folder / "a.eml").write_bytes(bytes(message))
    (folder / "b.txt").write_text(WORDS * 3)
    (folder / "c.txt").write_text(WORDS * 3)
    done = twinset("find", folder, "--preset", "files", "-o", "two", "-q")
    assert done.stdout.splitlines()[-1].strip() == "twinset clean two"
    assert "1 file of 1 group can go" in twinset("clean", "two").stdout


def test_faults_in_the_input_are_said(twinset: Twinset, corpus: Path) -> None:
    with corpus.open("a") as file:
        file.write("{ broken\n")
    done = twinset("dedup", corpus, "-o", "out", "-t", "0.5", "-q")
    assert "Kept 4 documents, 1 of them unread → out/kept.jsonl" in done.stdout
    assert "Of the documents, 1 could not be read." in done.stdout
    assert "corpus.jsonl:6" in done.stdout


@pytest.mark.parametrize("colours", [True, False])
def test_colours_are_for_terminals_only(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, colours: bool
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: colours)
    monkeypatch.delenv("NO_COLOR", raising=False)
    say("a cluster", ": \x1b[31mred")
    printed = capsys.readouterr().out
    assert "\x1b[31m" not in printed
    assert ("\x1b[2m" in printed) == colours


def test_after_tune_the_plan_is_searched_with() -> None:
    plan = Plan.make(preset="text", text="two words")
    tuned: Any = SimpleNamespace(plan=plan, ask=True)
    by_file = next_commands(tuned, ["a b.jsonl"], "my plan.toml")
    assert by_file[0] == "twinset find 'a b.jsonl' --plan 'my plan.toml' -o report"
    assert by_file[1] == "twinset ask 'a b.jsonl' -o asked.toml"
    words = shlex.split(next_commands(tuned, ["c.jsonl"], None)[0])
    flags = dict(zip(words[5::2], words[6::2], strict=True))
    given = {name.removeprefix("--"): value for name, value in flags.items()}
    assert Plan.make(**given).as_toml() == plan.as_toml()
    assert next_commands(tuned, ["-"], None) == []


@pytest.mark.parametrize("how", [(), ("--no-split",), ("--to", "parquet")])
def test_a_reference_is_not_counted_as_kept(
    twinset: Twinset, tmp_path: Path, how: tuple[str]
) -> None:
    lines = [json.dumps({"id": n, "text": f"words of number {n} " * 9}) for n in range(4)]
    (tmp_path / "new.jsonl").write_text("\n".join([*lines[:3], "broken"]))
    (tmp_path / "old.jsonl").write_text("\n".join(lines[2:]))
    done = twinset("dedup", "new.jsonl", "-o", "out", "-q", "--reference", "old.jsonl", *how)
    # what cannot be read stays with the lines as they are, and has no row in a table
    kept = 2 if "--to" in how else 3
    assert f"Kept {kept} documents" in done.stdout
    assert "Removed 1 document " in done.stdout


FORM = (
    "application of resident {} for a permit to park in {} under the rules of the town as they "
    "were last changed by its council and read aloud on the market place in spring, which everyone "
    "must keep to on pain of a fine that the mayor sets every year in the light of what "
    "the neighbours say and of what the police have seen in their rounds"
)


LONGEST = ("--keep", "longest", "-q")


@pytest.fixture
def forms(tmp_path: Path) -> Path:
    """The longest form, which the others are held against, comes last; the first two agree."""
    rows = {
        "b": FORM.format("Peter Green", "Church Street 17"),
        "a": FORM.format("Peter Green", "Church Street 17"),
        "z": FORM.format("Anna Maria Brown", "Old Mill Lane 4"),
    }
    path = tmp_path / "forms.jsonl"
    path.write_text("".join(json.dumps({"id": k, "text": v}) + "\n" for k, v in rows.items()))
    return path


def test_a_cluster_is_named_by_its_anchor(twinset: Twinset, forms: Path) -> None:
    done = twinset("dedup", forms, "-o", "out", "-t", "0.5", "--kinds", "yes", *LONGEST)
    assert "cluster 0: 3 documents, kept z: application of resident Anna Maria" in done.stdout


def test_what_a_document_goes_for_is_named_with_its_score(twinset: Twinset, forms: Path) -> None:
    """It stays apart from the anchor, whose score would say that unlike documents go."""
    twinset("dedup", forms, "-o", "out", "-t", "0.5", "--kinds", "yes", *LONGEST)
    lines = twinset("show", "out", "--cluster", "0").stdout.splitlines()
    assert "b  removed for a  1.000" in lines
    assert any(line.startswith("a  kept  0.") for line in lines)
    told = json.loads(twinset("show", "out", "--cluster", "0", "--json").stdout)
    kept = {row["id"]: (row["kept_as"], row["kept_score"]) for row in told["members"]}
    assert kept == {"z": (None, None), "a": (None, None), "b": ("a", 1.0)}
