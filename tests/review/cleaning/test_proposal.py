"""The proposal: who stays, who can go, what is listed and stays; nothing by a chain."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.review.cleaning.made import MadeFile, report
from twinset.errors import ReportError
from twinset.review.cleaning.cleaning import FolderCleaning
from twinset.review.cleaning.model import CopyGroup, GroupQuery


def _cleaning(place: Path, *args: object, **more: object) -> FolderCleaning:
    return FolderCleaning.of(report(place, *args, **more), place / "home")  # type: ignore[arg-type]


def _names(group: CopyGroup) -> list[tuple[str, str, str | None]]:
    return [(row.id, row.action, row.kind) for row in group.rows]


def test_equal_files_are_a_group_and_the_first_stays(tmp_path: Path) -> None:
    files = [
        MadeFile("lease.txt", "rent"),
        MadeFile("sub/lease (1).txt", "rent"),
        MadeFile("b", "x"),
    ]
    cleaning = _cleaning(tmp_path, files)
    page = cleaning.groups()
    assert page.total == 1
    group = page.groups[0]
    assert _names(group) == [
        ("lease.txt", "keep", None),
        ("sub/lease (1).txt", "remove", "equal-bytes"),
    ]
    assert (group.title, group.kind, group.gain, group.size) == ("lease", "equal-bytes", 4, 2)
    assert group.keeper.path == tmp_path / "folder" / "lease.txt"
    totals = cleaning.totals()
    assert (totals.groups, totals.files, totals.bytes) == (1, 1, 4)
    assert [(row.id, row.keeper) for row in cleaning.selected()] == [("sub/lease (1).txt", 0)]


def test_nothing_goes_by_a_chain(tmp_path: Path) -> None:
    files = [MadeFile(name, name * 9) for name in "abc"]
    pairs = [("a", "b", "equal-words", 0.8), ("b", "c", "equal-words", 0.9)]
    cleaning = _cleaning(tmp_path, files, pairs)
    (group,) = cleaning.groups().groups
    assert _names(group) == [("a", "keep", None), ("b", "remove", "equal-words")]


def test_a_file_joins_the_closest_keeper(tmp_path: Path) -> None:
    files = [MadeFile(name, name * 9) for name in "abc"]
    pairs = [("a", "c", "equal-layout", 0.99), ("b", "c", "equal-words", 0.7)]
    (group,) = _cleaning(tmp_path, files, pairs).groups().groups
    assert _names(group) == [("b", "keep", None), ("c", "remove", "equal-words")]


def test_an_equal_copy_of_a_listed_pair_is_one_too(tmp_path: Path) -> None:
    files = [MadeFile("a", "one"), MadeFile("b", "two"), MadeFile("c", "two")]
    (group,) = _cleaning(tmp_path, files, [("a", "b", "equal-words", 1.0)]).groups().groups
    assert _names(group) == [
        ("a", "keep", None),
        ("b", "remove", "equal-words"),
        ("c", "remove", "equal-words"),
    ]


def test_parts_and_forms_are_listed_and_stay(tmp_path: Path) -> None:
    files = [
        MadeFile("extract", "a few words"),
        MadeFile("whole", "a few words and many others"),
        MadeFile("invoice 1", "sum 10"),
        MadeFile("invoice 2", "sum 20"),
        MadeFile("invoice 1 copy", "sum 10"),
    ]
    pairs = [
        ("extract", "whole", "part", 0.6),
        ("invoice 1", "invoice 2", "same-form", 0.8),
        ("invoice 2", "invoice 1 copy", "same-form", 0.8),
    ]
    cleaning = _cleaning(tmp_path, files, pairs)
    by_kind = {group.kind: group for group in cleaning.groups().groups}
    assert set(by_kind) == {"equal-bytes", "part", "same-form"}
    assert _names(by_kind["part"]) == [("whole", "keep", None), ("extract", "keep", "part")]
    assert _names(by_kind["same-form"])[1] == ("invoice 2", "keep", "same-form")
    assert [row.id for row in cleaning.selected()] == ["invoice 1 copy"]
    assert cleaning.groups(GroupQuery(kinds=("part",))).total == 1


def test_protected_files_stay_and_are_preferred(tmp_path: Path) -> None:
    files = [MadeFile("a", "x"), MadeFile("ref/b", "x"), MadeFile("ref/c", "x")]
    cleaning = _cleaning(tmp_path, files, plan={"never_remove": "ref/*"})
    (group,) = cleaning.groups().groups
    assert [(row.id, row.action, row.protected) for row in group.rows] == [
        ("ref/b", "keep", True),
        ("ref/c", "keep", True),
        ("a", "remove", False),
    ]
    assert [row.id for row in cleaning.selected()] == ["a"]


def test_a_group_of_protected_files_alone_is_not_listed(tmp_path: Path) -> None:
    files = [MadeFile("a", "x"), MadeFile("b", "x")]
    cleaning = _cleaning(tmp_path, files, plan={"never_remove": "*"})
    assert cleaning.groups().total == 0


def test_attachments_neither_stay_for_nor_go_for_files(tmp_path: Path) -> None:
    files = [
        MadeFile("mail.eml", "see attached"),
        MadeFile("mail.eml", "contract", part="c.docx"),
        MadeFile("c.docx", "contract"),
        MadeFile("d.docx", "contract"),
    ]
    pairs = [("mail.eml!c.docx", name, "equal-words", 1.0) for name in ("c.docx", "d.docx")]
    (group,) = _cleaning(tmp_path, files, pairs).groups().groups
    rows = [(row.id, row.action) for row in group.rows]
    assert rows == [("c.docx", "keep"), ("d.docx", "remove")]
    assert (group.kind, group.title) == ("equal-bytes", "c")


def test_mails_with_other_attachments_are_no_copies(tmp_path: Path) -> None:
    def mails(second: str) -> list[MadeFile]:
        return [
            MadeFile("a.eml", "see attached, ann"),
            MadeFile("a.eml", "contract", part="c"),
            MadeFile("b.eml", "see attached, bob"),
            MadeFile("b.eml", second, part="c"),
        ]

    bodies = ("a.eml", "b.eml", "equal-words", 1.0)
    apart = _cleaning(tmp_path / "apart", mails("invoice"), [bodies])
    assert apart.groups().total == 0
    pairs = [bodies, ("a.eml!c", "b.eml!c", "equal-words", 1.0)]
    alike = _cleaning(tmp_path / "alike", mails("contract"), pairs)
    assert [row.id for row in alike.selected()] == ["b.eml"]


def test_hard_links_of_the_keeper_gain_nothing(tmp_path: Path) -> None:
    files = [MadeFile("a", "bytes"), MadeFile("b", "bytes"), MadeFile("c", "bytes")]
    cleaning = _cleaning(tmp_path, files, links={"b": "a"})
    (group,) = cleaning.groups().groups
    assert [(row.id, row.linked) for row in group.rows] == [("a", False), ("b", True), ("c", False)]
    assert group.gain == 5
    # Removing another name of what stays is refused later on, so that it is not counted now.
    assert [row.id for row in cleaning.selected()] == ["c"]
    assert group.rows[1].reason.name == "linked"


def test_files_that_are_gone_take_no_part(tmp_path: Path) -> None:
    files = [MadeFile(name, "x") for name in "abc"]
    cleaning = _cleaning(tmp_path, files)
    (tmp_path / "folder" / "a").unlink()
    cleaning.look_again()
    assert [row.id for row in cleaning.groups().groups[0].rows] == ["b", "c"]
    assert [note.name for note in cleaning.notes] == ["files_gone"]
    (tmp_path / "folder" / "b").unlink()
    cleaning.look_again()
    assert cleaning.groups().total == 0


def test_a_report_without_files_says_so(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    index = report(tmp_path, [MadeFile("a", "x")])
    table = tmp_path / "report" / "documents.parquet"
    pq.write_table(pq.read_table(table).drop_columns(["file"]), table)
    with pytest.raises(ReportError, match="no files of a folder"):
        FolderCleaning.of(index, tmp_path)


def test_groups_are_filtered_and_sorted(tmp_path: Path) -> None:
    files = [
        MadeFile("x/beta.txt", "22", 5),
        MadeFile("y/beta.txt", "22", 1),
        MadeFile("a/alpha.txt", "333333", 3),
        MadeFile("b/alpha.txt", "333333", 9),
        MadeFile("c/alpha.txt", "333333", 9),
    ]
    cleaning = _cleaning(tmp_path, files)

    def titles(**query: object) -> list[str]:
        page = cleaning.groups(GroupQuery(**query))  # type: ignore[arg-type]
        return [group.title for group in page.groups]

    assert titles() == ["alpha", "beta"]
    assert titles(reverse=True) == ["beta", "alpha"]
    assert titles(sort="name") == ["alpha", "beta"]
    assert titles(sort="date") == ["beta", "alpha"]
    assert titles(sort="size", reverse=True) == ["beta", "alpha"]
    assert titles(sort="folder", reverse=True) == ["beta", "alpha"]
    assert titles(text="Y/BETA") == ["beta"]
    assert titles(text="nothing") == []
    assert titles(kinds=("revision",)) == []
    assert titles(offset=1) == ["beta"]
    page = cleaning.groups(GroupQuery(rows=1, limit=1))
    assert (len(page.groups[0].rows), page.groups[0].size, page.total) == (1, 3, 2)
    assert [row.id for row in cleaning.group(page.groups[0].number, 2).rows] == ["c/alpha.txt"]


def test_what_differs_is_said_of_shown_files(tmp_path: Path) -> None:
    lease = "The rent is 10,200 pounds a year, and the term is six years from the first of May. "
    files = [MadeFile("a.txt", lease), MadeFile("b.txt", lease.replace("10,200", "10,800"))]
    cleaning = _cleaning(tmp_path, files, [("a.txt", "b.txt", "revision", 0.8)])
    (group,) = cleaning.groups().groups
    assert [row.changes for row in group.rows] == [(), (("rent is 10,200", "10,800"),)]
    assert cleaning.changes(group.number, [1]) == {1: (("rent is 10,200", "10,800"),)}
