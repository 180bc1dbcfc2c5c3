"""``twinset clean``."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from twinset import spec
from twinset.cli.options import UNDO, Json, Keep, Quiet, Top
from twinset.cli.output import print_json, say
from twinset.cli.parameters import argument, option
from twinset.cli.progress import progress
from twinset.errors import PlanError
from twinset.model.kinds import KINDS, STAY, Kind
from twinset.spec.numerals import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from twinset.review.cleaning.actions import ActionPlan, How
    from twinset.review.cleaning.actions.model import Progress
    from twinset.review.cleaning.cleaning import FolderCleaning

LINKS: dict[str, How] = {"hard": "hard-link", "symbolic": "symbolic-link"}
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
    link: Annotated[
        str | None,
        _action(
            "--link",
            metavar="hard|symbolic",
            help="Put links to the kept files in the place of identical copies.",
        ),
    ] = None,
    script: Annotated[
        str | None,
        _action(
            "--script",
            metavar="FILE",
            help="Write a shell script that removes the copies; .ps1 is for PowerShell.",
        ),
    ] = None,
    csv: Annotated[
        str | None,
        _action("--csv", metavar="FILE", help="Write the files and reasons as a table."),
    ] = None,
    kind: Annotated[
        list[str] | None,
        option(
            "--kind",
            metavar="KIND",
            help="Only copies of this kind: equal-bytes, equal-words, equal-layout or revision; "
            "may be repeated.",
            group="Clusters",
        ),
    ] = None,
    keep: Keep = None,
    yes: Annotated[bool, _action("--yes", "-y", help="Do not ask before files go.")] = False,
    undo: Annotated[bool, _action("--undo", help=UNDO)] = False,
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
    """Show which files of a folder can go, and remove them: to the trash, to a folder, by links.

    The report is that of 'twinset find FOLDER --preset files'. Without an action its groups are
    listed, each with the file that stays. A file goes only while it and the one that stays are
    what the search has seen: both are read again right before. Each step is noted in a journal
    first, so that --undo brings files back, even after a power cut.

    \b
    Example:
      twinset clean report
      twinset clean report --trash
      twinset clean report --move ~/removed --kind equal-bytes --yes
      twinset clean report --keep newest --script remove.sh
      twinset clean --undo
    """
    from twinset.cli import clean_shown as shown
    from twinset.system.own import own_folder

    home = own_folder()
    action = _one_action(
        {
            "--trash": trash or None,
            "--move": move,
            "--link": link,
            "--script": script,
            "--csv": csv,
            "--undo": undo or None,
            "--history": history or None,
        }
    )
    if operation is not None and action != "--undo":
        raise PlanError(["--operation says what --undo is about; give both"])
    if action == "--history":
        shown.print_history(home, json)
        return
    if action == "--undo":
        from twinset.review.cleaning.actions import undo as bring_back

        with _progress("bringing back", quiet) as report:
            outcome = bring_back(home, operation, report)
        shown.print_undone(outcome, json)
        raise click.exceptions.Exit(0 if outcome.done or not outcome.refused else 1)
    cleaning = _cleaning(folder, home, keep, _known_kinds(kind or []))
    if action is None:
        shown.print_groups(cleaning, _policies(keep), top, json)
        return
    how: How = "script" if action in ("--script", "--csv") else "trash"
    how = LINKS[_link(link)] if link is not None else "move" if move is not None else how
    plan = _plan(cleaning, how, move)
    if how == "script":
        _write(plan, script, csv, json)
        return
    _carry_out(plan, yes, quiet, json)


def _one_action(options: Mapping[str, object]) -> str | None:
    actions = [name for name, value in options.items() if value is not None]
    if len(actions) > 1:
        raise PlanError([f"one thing at a time, not {' and '.join(actions)}"])
    return actions[0] if actions else None


def _policies(keep: str | list[str] | None) -> list[str]:
    return [keep] if isinstance(keep, str) else keep or []


def _cleaning(
    folder: str | None, home: Path, keep: str | list[str] | None, kinds: list[Kind]
) -> FolderCleaning:
    """The list of a report; ``keep`` takes the place of what its plan says of the copy to keep."""
    from twinset.report import ensure_local
    from twinset.review import ReportIndex, opened
    from twinset.review.cleaning.cleaning import FolderCleaning

    if folder is None:
        raise PlanError(["name the folder of a report, as 'twinset find' has written it"])
    ensure_local(folder, "cleaning writes into")
    index = opened(folder)
    if keep:
        for policy in _policies(keep):
            spec.make("keep", policy)  # which says what is wrong with it
        plan = {**index.manifest["plan"], "keep": keep}
        report = replace(index.report, manifest={**index.manifest, "plan": plan})
        index = ReportIndex(report)
    cleaning = FolderCleaning.of(index, home, kinds)
    if kinds and STAY.issuperset(kinds) and not cleaning.standing.goes.any():
        raise PlanError(
            [
                f"files of the kind {' or '.join(kinds)} are no copies, and stay: each says "
                "something that the other does not; one goes only if you have marked it yourself, "
                f"on the page ('twinset ui {folder}')"
            ]
        )
    return cleaning


def _known_kinds(kinds: list[str]) -> list[Kind]:
    for kind in kinds:
        if kind not in KINDS:
            known = ", ".join(kind for kind in KINDS if kind not in STAY)
            raise PlanError([f"--kind must be one of {known}, not '{kind}'"])
    return [kind for kind in KINDS if kind in kinds]


def _link(way: str) -> str:
    if way not in LINKS:
        raise PlanError([f"--link must be hard or symbolic, not '{way}'"])
    return way


def _plan(cleaning: FolderCleaning, how: How, move: str | None) -> ActionPlan:
    from twinset.review.cleaning.actions import plan_actions

    target = None if move is None else Path(os.path.expanduser(move))
    return plan_actions(cleaning, how, target)


def _write(plan: ActionPlan, script: str | None, csv: str | None, json: bool) -> None:
    from twinset.report.files import write_file
    from twinset.review.cleaning.actions import as_csv, as_powershell, as_script
    from twinset.review.cleaning.words import worded

    file = script or csv or ""
    if csv is not None:
        data = as_csv(plan, worded)
    elif file.endswith((".cmd", ".bat")):
        raise PlanError([f"{file}: batch files cannot hold all names; write a .ps1 or a .sh file"])
    else:
        data = as_powershell(plan) if file.endswith(".ps1") else as_script(plan)
    if file == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        return
    write_file(file, data)
    if json:
        print_json({"file": file, "files": len(plan.steps), "bytes": plan.bytes})
        return
    say(f"{'Table' if csv is not None else 'Script'}: {file}, {counted(len(plan.steps), 'file')}.")
    if csv is None:
        say("Nothing was removed: read it, then run it.")


def _carry_out(plan: ActionPlan, yes: bool, quiet: bool, json: bool) -> None:
    from twinset.cli import clean_shown as shown
    from twinset.review.cleaning.actions import carry_out
    from twinset.review.cleaning.actions.trash import ensure_trash

    if plan.how == "trash":
        ensure_trash()
    if not json:
        shown.print_warnings(plan)
    if not plan.steps:
        shown.print_nothing(plan, json)
        raise click.exceptions.Exit(1 if plan.refused else 0)
    if not yes:
        _ask(shown.question(plan))
    with _progress("checking and moving files", quiet) as report:
        outcome = carry_out(plan, report)
    shown.print_outcome(plan, outcome, json)
    raise click.exceptions.Exit(0 if outcome.done else 1)


def _ask(question: str) -> None:
    """Ask on the terminal; where there is none, nobody can have said yes."""
    if not sys.stdin.isatty():
        raise PlanError([f"{question} There is no terminal to ask on: add --yes"])
    click.echo(f"{question} [y/N] ", err=True, nl=False)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        click.echo("Nothing was changed.", err=True)
        raise click.exceptions.Exit(0)


@contextmanager
def _progress(stage: str, quiet: bool) -> Iterator[Progress | None]:
    """The usual progress, file by file."""
    bar = progress(quiet)
    if bar is None:
        yield None
        return
    begun = False

    def report(done: int, total: int, path: Path) -> None:
        nonlocal begun
        if not begun:
            bar.stage(stage, total)
            begun = True
        elif done:
            bar.advance(1)

    try:
        yield report
    finally:
        bar.close()
