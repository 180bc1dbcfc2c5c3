"""``twinset clean``."""

from __future__ import annotations

import os
import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, cast, get_args

import click

from twinset.cli.options import Json, Keep, Kind, Quiet, Top
from twinset.cli.output import one_line, print_json, say, size
from twinset.cli.parameters import argument, one_of, option
from twinset.cli.progress import shown
from twinset.errors import PlanError
from twinset.pages import language
from twinset.plan import CopyKind, spec
from twinset.plan.spec import counted
from twinset.result import ensure_local
from twinset.result.places import MANIFEST, write_file
from twinset.review import ReportIndex, opened
from twinset.review.cleaning.actions import (
    ActionOutcome,
    ActionPlan,
    How,
    Refusal,
    as_csv,
    carry_out,
    history,
    plan_actions,
)
from twinset.review.cleaning.actions import (
    undo as bring_back,
)
from twinset.review.cleaning.actions.checks import Progress
from twinset.review.cleaning.actions.moving import ensure_trash
from twinset.review.cleaning.cleaning import FolderCleaning
from twinset.review.cleaning.model import CopyGroup, FileRow, GroupQuery, worded
from twinset.system.files import own_folder

WIDTH = 100
"""Characters of a name, above which it is cut."""
COMMAND = 4000
"""Characters of a command to copy, above which it is cut."""
FEW_REFUSED = 10
ROWS = 1000
_action = partial(option, group="Actions")


def command(
    folder: Annotated[
        str | None,
        argument(metavar="DIR", help="Folder of a report."),
    ] = None,
    trash: Annotated[bool, _action("--trash", help="Move to the system's trash.")] = False,
    move: Annotated[
        str | None,
        _action("--move", metavar="DIR", help="Move to this folder, with relative paths."),
    ] = None,
    csv: Annotated[
        str | None,
        _action("--csv", metavar="FILE", help="Write the files and reasons as a table."),
    ] = None,
    kind: Kind = None,
    keep: Keep = None,
    yes: Annotated[bool, _action("--yes", "-y", help="Do not ask before files go.")] = False,
    undo: Annotated[
        bool, _action("--undo", help="Undo what was done last, by DIR where it is given.")
    ] = False,
    operation: Annotated[
        str | None,
        _action("--operation", metavar="ID", help="With --undo: which one, as --history names it."),
    ] = None,
    history: Annotated[
        bool, _action("--history", help="List what was done with files, the latest first.")
    ] = False,
    top: Top = 20,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Show which files of a folder can go, and remove them: to the trash or to a folder.

    The report is that of 'twinset find FOLDER --preset files'. Without an action its groups are
    listed, each with the file that stays. Files that have changed since stay; --undo brings files
    back, even after a power cut.

    \b
    Example:
      twinset clean report
      twinset clean report --trash
      twinset clean report --move ~/removed --kind equal-bytes --yes
      twinset clean report --keep newest --csv files.csv
      twinset clean --undo
    """
    home = own_folder()
    action = one_of(
        **{"--trash": trash, "--move": move, "--csv": csv, "--undo": undo, "--history": history}
    )
    if operation is not None and action != "--undo":
        raise PlanError(["--operation says what --undo is about; give both"])
    if action == "--history":
        _print_history(home, json)
    elif action == "--undo":
        _undo(home, operation or _last_of(folder, home), quiet, json)
    else:
        policies = [keep] if isinstance(keep, str) else keep or []
        cleaning = _cleaning(folder, home, policies, _copy_kind(kind))
        if action is None:
            _print_groups(cleaning, policies, top, json)
        elif csv is not None:
            _write(cleaning, csv, json)
        else:
            _carry_out(cleaning, move, yes, quiet, json)


def _last_of(folder: str | None, home: Path) -> str | None:
    """The last operation of a report that stands; None where no report is named."""
    if folder is None:
        return None
    mine = [
        each for each in history(home) if os.path.realpath(each.report) == os.path.realpath(folder)
    ]
    if not (standing := [each.id for each in mine if each.standing]):
        raise PlanError([f"nothing to undo of {folder}; --history lists what was done with files"])
    return standing[0]


def _undo(home: Path, operation: str | None, quiet: bool, json: bool) -> None:
    with _progress("bringing back", quiet) as report:
        outcome = bring_back(home, operation, report)
    _print_outcome(outcome, outcome.refused, "back in place", json)
    raise click.exceptions.Exit(0 if outcome.done or not outcome.refused else 1)


def _print_outcome(
    outcome: ActionOutcome, refused: Sequence[Refusal], done: str, json: bool
) -> None:
    if json:
        print_json(_plain(outcome))
        return
    _print_refused(refused)
    say(f"{counted(len(outcome.done), 'file')} {done} ({size(outcome.bytes)}).")


def _cleaning(
    folder: str | None, home: Path, keep: list[str], kind: CopyKind | None
) -> FolderCleaning:
    """The list of a report; ``keep`` takes the place of what its plan says of the copy to keep."""
    if folder is None:
        raise PlanError(["name the folder of a report, as 'twinset find' has written it"])
    ensure_local(folder, "cleaning writes into")
    if os.path.isdir(folder) and not os.path.exists(os.path.join(folder, MANIFEST)):
        search = shlex.join(["twinset", "find", folder, "--preset", "files", "-o", "report"])
        raise PlanError([f"{folder} is no report; make one of its files first: {search}"])
    index = opened(folder)
    if keep:
        for policy in keep:
            spec.make("keep", policy)  # which says what is wrong with it
        plan = {**index.manifest["plan"], "keep": keep}
        report = replace(index.report, manifest={**index.manifest, "plan": plan})
        index = ReportIndex(report)
    return FolderCleaning.of(index, home, kind)


def _copy_kind(name: str | None) -> CopyKind | None:
    if name is None or name in get_args(CopyKind):
        return cast("CopyKind | None", name)
    raise PlanError(
        [
            f"--kind must be one of {', '.join(get_args(CopyKind))}, not '{name}'; what is no copy "
            "goes only if you mark it yourself, on the page of 'twinset ui'"
        ]
    )


def _write(cleaning: FolderCleaning, file: str, json: bool) -> None:
    plan = plan_actions(cleaning, "trash")
    data = as_csv(plan, worded)
    if file == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        return
    write_file(file, data)
    if json:
        print_json({"file": file, "files": len(plan.steps), "bytes": plan.bytes})
        return
    say(f"Table: {file}, {counted(len(plan.steps), 'file')}.")


def _carry_out(
    cleaning: FolderCleaning, move: str | None, yes: bool, quiet: bool, json: bool
) -> None:
    how: How = "trash" if move is None else "move"
    plan = plan_actions(cleaning, how, None if move is None else Path(os.path.expanduser(move)))
    if how == "trash":
        ensure_trash()
    if not json:
        _print_refused(plan.refused)
    if not plan.steps:
        if json:
            print_json({"operation": None, "done": [], "refused": _plain_refused(plan.refused)})
        else:
            say("Nothing was changed: no file can go.")
        raise click.exceptions.Exit(1 if plan.refused else 0)
    if not yes:
        _ask(plan)
    with _progress("checking and moving files", quiet) as report:
        outcome = carry_out(plan, report)
    _print_outcome(outcome, outcome.refused[len(plan.refused) :], f"moved to {_place(plan)}", json)
    if outcome.done and not json:
        say(f"To undo: twinset clean --undo --operation {outcome.operation}")
    raise click.exceptions.Exit(0 if outcome.done else 1)


def _ask(plan: ActionPlan) -> None:
    """Ask on the terminal; where there is none, nobody can have said yes."""
    what = f"{counted(len(plan.steps), 'file')} ({size(plan.bytes)})"
    question = f"Move {what} to {_place(plan)}?"
    if not sys.stdin.isatty():
        raise PlanError([f"{question} There is no terminal to ask on: add --yes"])
    click.echo(f"{question} [y/N] ", err=True, nl=False)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        click.echo("Nothing was changed.", err=True)
        raise click.exceptions.Exit(0)


def _place(plan: ActionPlan) -> str:
    return "the trash" if plan.target is None else str(plan.target)


@contextmanager
def _progress(stage: str, quiet: bool) -> Iterator[Progress]:
    """The usual progress, file by file."""
    with shown(quiet) as bar:

        def report(done: int, total: int, path: Path) -> None:
            if bar is not None and done:
                bar.advance(1)
            elif bar is not None:
                bar.stage(stage, total)

        yield report


def _print_groups(cleaning: FolderCleaning, keep: list[str], top: int, json: bool) -> None:
    """The groups with files that can go, the greatest gain first, the totals, and what is next."""
    query = GroupQuery(state="going", limit=1 << 30 if json else top, rows=ROWS)
    page, totals = cleaning.groups(query), cleaning.totals()
    if json:
        counts = {"groups": totals.groups, "files": totals.files, "bytes": totals.bytes}
        print_json({"totals": counts, "groups": [_plain_group(group) for group in page.groups]})
        return
    for note in cleaning.notes:
        click.echo(f"note: {worded(note)}", err=True)
    for group in page.groups:
        _print_group(group, cleaning.root)
    if page.total > len(page.groups):
        say(f"... and {counted(page.total - len(page.groups), 'more group')} (--top N, or --csv).")
    kind = cleaning.kind
    if not page.total:
        near = f" as close as {kind}" if kind else ""
        say(f"Nothing can go: no file is a copy{near} of another that stays.")
    else:
        files, groups = counted(totals.files, "file"), counted(totals.groups, "group")
        say(f"{files} of {groups} can go, which frees {size(totals.bytes)}.")
        words = [str(cleaning.index.report.folder), *(["--kind", kind] if kind else [])]
        words += [word for policy in keep for word in ("--keep", policy)]
        say(f"Next: twinset clean {one_line(shlex.join([*words, '--trash']), COMMAND)}")
    _print_versions(cleaning, top)


def _print_versions(cleaning: FolderCleaning, most: int) -> None:
    """The files that say something else than the one they are a version of, and what."""
    page = cleaning.groups(GroupQuery(kinds=("revision",), state="open", limit=most, rows=ROWS))
    if not page.total:
        return
    say("")
    for group in page.groups:
        cleaning.changes(group.number, [row.document for row in group.rows[1:]])
        _print_group(cleaning.group(group.number, rows=ROWS), cleaning.root)
    groups = counted(page.total, "group")
    say(f"Other versions, in {groups}, stay; --kind revision lets them go, too.")


def _print_group(group: CopyGroup, root: Path) -> None:
    say(f"{one_line(group.title, 60)}  ({_kind(group.kind)}, frees {size(group.gain)})")
    say(f"  stays   {_name(group.keeper, root)}: {worded(group.keeper.reason)}")
    for row in group.rows:
        if row.document == group.keeper.document:
            continue
        goes, why = row.action == "remove", worded(row.reason)
        if goes and row.kind is not None:
            why += f", {_kind(row.kind)}"
        say(f"  {'can go' if goes else 'stays '}  {_name(row, root)} ({size(row.bytes)}): {why}")
        for before, after in row.changes or ():
            say(f"          {one_line(f'{before} → {after}', WIDTH)}")
    if group.size > len(group.rows):
        say(f"  ... and {counted(group.size - len(group.rows), 'more file')}")
    say("")


def _kind(kind: str) -> str:
    return language.say("en", f"kinds.{kind}")


def _name(row: FileRow, root: Path) -> str:
    path = row.path.relative_to(root) if root in row.path.parents else row.path
    return one_line(str(path), WIDTH)


def _plain_group(group: CopyGroup) -> dict[str, Any]:
    names = ("action", "kind", "score", "bytes", "modified")
    files = [
        {"path": str(row.path), "reason": worded(row.reason)}
        | {name: getattr(row, name) for name in names}
        for row in group.rows
    ]
    about = {"group": group.number, "title": group.title, "kind": group.kind, "gain": group.gain}
    return {**about, "files": files}


def _print_history(home: Path, json: bool) -> None:
    """The operations, the latest first."""
    past = history(home)
    if json:
        names = ("how", "at", "state", "bytes", "report")
        rows = [
            {"operation": each.id, "files": len(each.standing)}
            | {"target": None if each.target is None else str(each.target)}
            | {name: getattr(each, name) for name in names}
            for each in past
        ]
        print_json({"operations": rows})
        return
    if not past:
        say("Nothing was done yet.")
    for each in past:
        count, state = counted(len(each.standing), "file"), each.state.replace("-", " ")
        say(
            f"{each.id}  {each.how:<13}  {state:<13}  "
            f"{count} ({size(each.bytes)})  {one_line(each.report, 60)}"
        )


def _print_refused(refused: Sequence[Refusal]) -> None:
    for refusal in refused[:FEW_REFUSED]:
        path = one_line(str(refusal.path), WIDTH)
        click.echo(f"kept: {path}: {worded(refusal.reason)}", err=True)
    if len(refused) > FEW_REFUSED:
        names = Counter(worded(refusal.reason) for refusal in refused[FEW_REFUSED:])
        rest = "; ".join(f"{count:,} {words}" for words, count in names.most_common(5))
        click.echo(f"kept: {len(refused) - FEW_REFUSED:,} more: {rest}", err=True)


def _plain(outcome: ActionOutcome) -> dict[str, Any]:
    done = [{"path": str(f.path), "bytes": f.bytes, "place": str(f.place)} for f in outcome.done]
    facts = {"operation": outcome.operation, "how": outcome.how, "bytes": outcome.bytes}
    return {**facts, "done": done, "refused": _plain_refused(outcome.refused)}


def _plain_refused(refused: Sequence[Refusal]) -> list[dict[str, str]]:
    return [
        {"path": str(r.path), "reason": r.reason.name, "words": worded(r.reason)} for r in refused
    ]
