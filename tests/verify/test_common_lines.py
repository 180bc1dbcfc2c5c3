"""Lines that many texts have in common, and what they leave to tell texts apart."""

from __future__ import annotations

from pathlib import Path

import twinset
from twinset.finding.verify.common_lines import MANY, CommonLines, Shares, rests_decide

NOTICE = """This file is part of the Wharf library. The library is free software; you can
redistribute it and change it under the terms of the licence as published by the harbour office,
either the second version or, at your choice, any later one. It is given away in the hope that it
is useful, but without any warranty, not even that it serves a purpose of any kind. You should have
received a copy of the licence with it; if not, write to the harbour office and ask for a copy."""
WORDS = """tide anchor rope keel sail mast crew deck hull port helm buoy reef gale wave shoal pier
crane cargo barge pilot lamp chart net oar rudder cabin hatch winch cable""".split()  # noqa: SIM905


def source(number: int, version: int = 1) -> str:
    """A short file below the notice that is unlike the others of it."""
    body = [WORDS[(number * step + step * step) % len(WORDS)] for step in range(3, 27)]
    lines = [" ".join(body[at : at + 6]) + f" {WORDS[number]};" for at in range(0, 24, 6)]
    return "\n".join([NOTICE, "", *lines, *["return early;"] * (version - 1)])


def common(texts: list[str]) -> CommonLines:
    return CommonLines(texts.__getitem__, range(len(texts)))


def test_a_line_is_common_from_twenty_texts_on() -> None:
    texts = [f"Of harbours\n\nown line {number}" for number in range(MANY)]
    lines = common(texts)
    assert lines
    assert lines.rest("  Of   harbours\n\nown line 3\nOf boats") == "\nown line 3\nOf boats"
    assert not common(texts[1:])
    assert not common([])


def test_a_line_that_one_text_repeats_is_its_own() -> None:
    assert not common(["again\n" * 50] + [f"own line {number}" for number in range(MANY)])


def test_rests_decide_where_there_is_something_common_and_something_of_their_own() -> None:
    short, long = Shares(rest=0.3, own=0.25), Shares(rest=0.95, own=0.9)
    assert rests_decide(short, long)
    assert rests_decide(long, short)
    assert rests_decide(Shares(0.1, 0.1), Shares(0.02, 0.01))
    assert not rests_decide(Shares(0.09, 0.09), Shares(0.05, 0.05))  # a version of a few lines
    assert not rests_decide(long, long)
    assert not rests_decide(Shares(0.4, 0.19), short)  # lines that come and go from night to night


def test_sources_below_one_notice_stay_and_their_versions_go(tmp_path: Path) -> None:
    for number in range(24):
        (tmp_path / f"{WORDS[number]}.txt").write_text(source(number), "utf-8")
    (tmp_path / "tide later.txt").write_text(source(0, version=2), "utf-8")
    findings = twinset.dedup(tmp_path, preset="files", threshold=0.1, kind="revision")
    kinds = findings.pairs["kind"].to_pylist()
    assert len(kinds) > 100
    assert findings.keep is not None
    assert (~findings.keep).sum() == 1
    assert set(kinds) == {"revision", "same-form"}


def test_a_few_sources_below_one_notice_are_as_they_were(tmp_path: Path) -> None:
    for number in range(MANY - 2):
        (tmp_path / f"{WORDS[number]}.txt").write_text(source(number), "utf-8")
    assert (
        "revision"
        in twinset.find(tmp_path, preset="files", threshold=0.1).pairs["kind"].to_pylist()
    )


def test_many_versions_of_one_document_are_versions(tmp_path: Path) -> None:
    lines = [f"Of {word} and {other} the rules are these." for word in WORDS for other in WORDS[:4]]
    for night in range(30):
        lines[4 * night] = f"In the night {WORDS[night]} was put in order again."
        (tmp_path / f"night {night:02}.txt").write_text("\n".join(lines), "utf-8")
    kinds = twinset.find(tmp_path, preset="files", threshold=0.1).pairs["kind"].to_pylist()
    assert set(kinds) == {"revision"}
