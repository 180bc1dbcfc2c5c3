"""What ``twinset clean`` prints: groups, warnings, outcomes, history."""

from __future__ import annotations

import shlex
from collections import Counter
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from twinset.cli.output import one_line, print_json, say, size
from twinset.pages import language
from twinset.review.cleaning.words import worded
from twinset.spec.numerals import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from twinset.review.cleaning.actions import (
        ActionOutcome,
        ActionPlan,
        HandledFile,
        PastOperation,
        Refusal,
    )
    from twinset.review.cleaning.cleaning import FolderCleaning
    from twinset.review.cleaning.model import FileRow, Group

WIDTH = 100
COMMAND = 4000
"""Characters of a command to copy, which is not cut short as names are."""
FEW_REFUSED = 10
VERBS = {
    "trash": "moved to the trash",
    "move": "moved",
    "hard-link": "replaced by hard links",
    "symbolic-link": "replaced by symbolic links",
}
STATES = {
    "done": "done",
    "interrupted": "interrupted",
    "undone": "undone",
    "partly-undone": "partly undone",
}


def print_groups(cleaning: FolderCleaning, keep: Sequence[str], top: int, as_json: bool) -> None:
    """The groups with files that can go, the greatest gain first, the totals, and what is next."""
    from twinset.review.cleaning.model import GroupQuery

    limit = 1 << 30 if as_json else max(0, top)
    query = GroupQuery(state="going", limit=limit, rows=1000)
    page, totals = cleaning.groups(query), cleaning.totals
    if as_json:
        counts = {"groups": totals.groups, "files": totals.files, "bytes": totals.bytes}
        print_json({"totals": counts, "groups": [_plain_group(group) for group in page.groups]})
        return
    for note in cleaning.notes:
        click.echo(f"note: {worded(note)}", err=True)
    for group in page.groups:
        _print_group(group, cleaning.root)
    if page.total > len(page.groups):
        say(f"... and {counted(page.total - len(page.groups), 'more group')} (--top N, or --csv).")
    kinds = cleaning.kinds
    named = f"the kind {' or '.join(kinds)}"
    if not page.total:
        copy = f"a copy of {named}" if kinds else "a copy"
        say(f"Nothing can go: no file is {copy} of another that stays.")
        return
    files, groups = counted(totals.files, "file"), counted(totals.groups, "group")
    can_go = f"{files} of {groups} can go, which frees {size(totals.bytes)}."
    say(f"Of {named}, {can_go}" if kinds else can_go)
    asked = [("--kind", kind) for kind in kinds] + [("--keep", policy) for policy in keep]
    words = [str(cleaning.index.report.folder), *chain.from_iterable(asked), "--trash"]
    say(f"Next: twinset clean {one_line(shlex.join(words), COMMAND)}")


def _print_group(group: Group, root: Path) -> None:
    say(f"{one_line(group.title, 60)}  ({group.kind}, frees {size(group.gain)})")
    say(f"  stays   {_name(group.keeper, root)}: {worded(group.keeper.reason)}")
    for row in group.rows:
        if row.document != group.keeper.document:
            word = "can go" if row.action == "remove" else "stays "
            say(f"  {word}  {_name(row, root)} ({size(row.bytes)}): {_why(row)}")
    if group.size > len(group.rows):
        say(f"  ... and {counted(group.size - len(group.rows), 'more file')}")
    say("")


def _why(row: FileRow) -> str:
    """The reason, and for a file that goes what it is to the one that stays."""
    kind = f"keeping.kind_{row.kind}"
    if row.action != "remove" or not language.has_sentence("en", kind):
        return worded(row.reason)
    return f"{worded(row.reason)}, {language.say('en', kind)}"


def _name(row: FileRow, root: Path) -> str:
    path = row.path.relative_to(root) if root in row.path.parents else row.path
    return one_line(str(path), WIDTH)


def _plain_group(group: Group) -> dict[str, Any]:
    return {
        "group": group.number,
        "title": group.title,
        "kind": group.kind,
        "gain": group.gain,
        "files": [
            {
                "path": str(row.path),
                "action": row.action,
                "kind": row.kind,
                "score": row.score,
                "bytes": row.bytes,
                "modified": row.modified,
                "reason": worded(row.reason),
            }
            for row in group.rows
        ],
    }


def print_warnings(plan: ActionPlan) -> None:
    """The folders that are not like others, before anything starts."""
    for folder, place in plan.places:
        words = [
            word
            for word, is_so in (
                ("read-only", place.read_only),
                ("on a network", place.network),
                ("on a removable disk", place.removable),
            )
            if is_so
        ]
        click.echo(f"note: {one_line(str(folder), WIDTH)} is {' and '.join(words)}", err=True)
    _print_refused(plan.refused)


def question(plan: ActionPlan) -> str:
    """What a person is asked."""
    count, bytes = counted(len(plan.steps), "file"), size(plan.bytes)
    if plan.how == "move":
        return f"Move {count} ({bytes}) to {plan.target}?"
    if plan.how == "trash":
        return f"Move {count} ({bytes}) to the trash?"
    return f"Put links in the place of {count} ({bytes})?"


def print_nothing(plan: ActionPlan, as_json: bool) -> None:
    """No file of the plan can go."""
    if as_json:
        print_json({"operation": None, "done": [], "refused": _plain_refused(plan.refused)})
    else:
        say("Nothing was changed: no file can go.")


def print_outcome(plan: ActionPlan, outcome: ActionOutcome, as_json: bool) -> None:
    """What was done, what was not, and how it is undone."""
    if as_json:
        _print_json(outcome)
        return
    _print_refused(outcome.refused[len(plan.refused) :])
    where = f" to {plan.target}" if plan.how == "move" else ""
    count = counted(len(outcome.done), "file")
    say(f"{count} {VERBS[plan.how]}{where} ({size(outcome.bytes)}).")
    if outcome.done:
        say(f"To undo: twinset clean --undo --operation {outcome.operation}")


def print_undone(outcome: ActionOutcome, as_json: bool) -> None:
    """What is back in its place."""
    if as_json:
        _print_json(outcome)
        return
    _print_refused(outcome.refused)
    count = counted(len(outcome.done), "file")
    say(f"{count} back in place ({size(outcome.bytes)}).")


def print_history(home: Path, as_json: bool) -> None:
    """The operations, the latest first."""
    from twinset.review.cleaning.actions import history

    past = history(home)
    if as_json:
        print_json({"operations": [_plain_operation(operation) for operation in past]})
        return
    if not past:
        say("Nothing was done yet.")
    for operation in past:
        count = counted(len(operation.standing), "file")
        say(
            f"{operation.id}  {operation.how:<13}  {STATES[operation.state]:<13}  "
            f"{count} ({size(operation.bytes)})  {one_line(operation.report, 60)}"
        )


def _print_refused(refused: Sequence[Refusal]) -> None:
    for refusal in refused[:FEW_REFUSED]:
        path = one_line(str(refusal.path), WIDTH)
        click.echo(f"kept: {path}: {worded(refusal.reason)}", err=True)
    if len(refused) > FEW_REFUSED:
        names = Counter(worded(refusal.reason) for refusal in refused[FEW_REFUSED:])
        rest = "; ".join(f"{count:,} {words}" for words, count in names.most_common(5))
        click.echo(f"kept: {len(refused) - FEW_REFUSED:,} more: {rest}", err=True)


def _print_json(outcome: ActionOutcome) -> None:
    print_json(
        {
            "operation": outcome.operation,
            "how": outcome.how,
            "bytes": outcome.bytes,
            "done": [_plain_file(file) for file in outcome.done],
            "refused": _plain_refused(outcome.refused),
        }
    )


def _plain_file(file: HandledFile) -> dict[str, Any]:
    place = None if file.place is None else str(file.place)
    return {"path": str(file.path), "bytes": file.bytes, "place": place}


def _plain_refused(refused: Sequence[Refusal]) -> list[dict[str, str]]:
    return [
        {"path": str(r.path), "reason": r.reason.name, "words": worded(r.reason)} for r in refused
    ]


def _plain_operation(operation: PastOperation) -> dict[str, Any]:
    return {
        "operation": operation.id,
        "how": operation.how,
        "at": operation.at,
        "state": operation.state,
        "files": len(operation.standing),
        "bytes": operation.bytes,
        "report": operation.report,
        "target": None if operation.target is None else str(operation.target),
    }
