"""``twinset decide``."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import click

from twinset import review
from twinset.cli.options import (
    UNDO,
    Cluster,
    DocumentOptions,
    Force,
    Json,
    Language,
    Quiet,
    ThresholdOfReport,
    given_options,
)
from twinset.cli.output import command_line, one_line, print_json, say, say_next
from twinset.cli.parameters import argument, one_of, option
from twinset.errors import PlanError
from twinset.lab.lists import read_answers
from twinset.plan import OutputForm
from twinset.plan.spec import counted
from twinset.result import ensure_local
from twinset.result.places import write_file
from twinset.review import Decision, Journal, ReportIndex, as_csv, as_json, opened
from twinset.review.decisions import Verdict

VERDICTS: dict[str, Verdict] = {"yes": "duplicate", "no": "not", "unsure": "unsure"}


def command(
    folder: Annotated[str, argument(metavar="DIR", help="Folder of a report.")],
    documents: DocumentOptions,
    ids: Annotated[
        list[str] | None,
        argument(metavar="ID", help="Ids of the documents to decide on."),
    ] = None,
    verdict: Annotated[
        str | None,
        option("--as", metavar="VERDICT", help="The decision: duplicate, not or unsure."),
    ] = None,
    keep_id: Annotated[
        str | None, option("--keep-id", metavar="ID", help="The document to keep.")
    ] = None,
    cluster: Cluster = None,
    threshold: ThresholdOfReport = None,
    answers: Annotated[
        str | None,
        option(
            "--from-answers", metavar="FILE", help="Take over the answers that were given to ask."
        ),
    ] = None,
    undo: Annotated[bool, option("--undo", help=UNDO)] = False,
    export: Annotated[
        str | None,
        option(
            "--export", metavar="FILE", help="Write labelled pairs, as .csv or .json; - is stdout."
        ),
    ] = None,
    apply: Annotated[
        str | None,
        option(
            "--apply", metavar="DIR", help="Write the kept and removed documents to this folder."
        ),
    ] = None,
    undecided: Annotated[
        str,
        option(
            "--undecided",
            metavar="keep|remove",
            help="With --apply: what to do with undecided near-duplicates.",
        ),
    ] = "keep",
    force: Force = False,
    language: Language = "en",
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Decide which documents are copies, undo, export labels, or carry the decisions out.

    Decisions are stored in decisions.jsonl of the report; without an option they are listed. The
    input never changes: --apply writes copies of the kept and removed documents, as dedup does.
    To remove by rule alone use dedup; to remove files of a folder use clean.

    \b
    Example:
      twinset decide report doc-17 doc-42 --as duplicate --keep-id doc-42
      twinset decide report --cluster 3 --as not
      twinset decide report --cluster 5 --threshold 0.95 --as duplicate
      twinset decide report --from-answers plan.answers.jsonl
      twinset decide report --export labels.csv
      twinset decide report --apply clean --undecided remove
    """
    ensure_local(folder, "decisions are written into")
    index = opened(folder)
    journal = Journal(index.report.folder)
    action = one_of(
        **{"--as": verdict, "--from-answers": answers, "--undo": undo},
        **{"--export": export, "--apply": apply},
    )
    is_about_some = ids or keep_id is not None or cluster is not None or threshold is not None
    if action not in ("--as", "--undo") and is_about_some:
        raise PlanError(["say what the documents are: --as duplicate, --as not or --as unsure"])
    if action == "--undo":
        _print_decision("undone", journal.undo(), json)
    elif verdict is not None:
        members = _documents(index, ids or [], cluster, threshold)
        decision = journal.add(members, verdict, keep_id)  # type: ignore[arg-type]
        _print_decision("recorded", decision, json)
    elif answers is not None:
        _take_answers(index, journal, answers, json)
    elif export is not None:
        _export(journal, export, json)
    elif apply is not None:
        form = OutputForm.make(**given_options(documents))
        _apply(index, apply, undecided, form, force, language, json)
    else:
        _list(journal, json)


def _take_answers(index: ReportIndex, journal: Journal, file: str, json: bool) -> None:
    """Make a decision of each answer; one that says what was decided already is passed over."""
    read = read_answers(file)
    for note in read.notes:
        click.echo(f"note: {note}", err=True)
    latest = {tuple(sorted((row.left, row.right))): row for row in read.answers}
    here = index.numbers_of(id for pair in latest for id in pair)
    known = [row for row in latest.values() if row.left in here and row.right in here]
    standing = {frozenset(d.ids): d.verdict for d in journal.read().standing}
    verdicts = [(row, VERDICTS[row.answer]) for row in known]
    new = [
        (row, verdict)
        for row, verdict in verdicts
        if standing.get(frozenset((row.left, row.right))) != verdict
    ]
    for row, verdict in new:
        journal.add([row.left, row.right], verdict)
    unknown = len(latest) - len(known)
    if json:
        print_json({"recorded": len(new), "standing": len(known) - len(new), "unknown": unknown})
        return
    say(f"{counted(len(new), 'answer')} recorded, {len(known) - len(new):,} known already.")
    if unknown:
        click.echo(
            f"note: {counted(unknown, 'answer')} left out: about documents outside the report",
            err=True,
        )


def _documents(
    index: ReportIndex, ids: list[str], cluster: int | None, threshold: float | None
) -> list[str]:
    """The documents to decide on; a cluster is named by its number at a threshold."""
    if cluster is None:
        if threshold is not None:
            raise PlanError(["--threshold says which clusters --cluster counts; give both"])
        for id in ids:
            index.number(id)  # raises where there is no such document
        return ids
    if ids:
        raise PlanError(["give documents or --cluster, not both"])
    clusters = review.clusters_at(index, threshold).clusters
    row = review.row_of(index, clusters, cluster)
    return [
        member.id for member in review.members(index, clusters, row, limit=int(clusters.sizes[row]))
    ]


def _export(journal: Journal, file: str, json: bool) -> None:
    is_json = file.endswith(".json") or (file == "-" and json)
    labels = (as_json if is_json else as_csv)(journal.read())
    if file == "-":
        sys.stdout.write(labels)
        return
    write_file(file, labels.encode("utf-8", "surrogatepass"))
    if json:
        print_json({"labels": file})
    else:
        say(f"Labels: {file}")


def _apply(
    index: ReportIndex,
    folder: str,
    undecided: str,
    form: OutputForm,
    force: bool,
    language: str,
    json: bool,
) -> None:
    if undecided not in ("keep", "remove"):
        raise PlanError([f"--undecided must be keep or remove, not '{undecided}'"])
    applied = review.apply(
        index,
        folder,
        undecided=undecided,  # type: ignore[arg-type]
        force=force,
        language=language,
        form=form,
    )
    if json:
        print_json(
            {"report": str(applied.folder), "kept": applied.kept, "removed": applied.removed}
        )
        return
    say(
        f"{counted(applied.kept, 'document')} kept, {applied.removed:,} removed, "
        f"{applied.by_decision:,} by decision."
    )
    say(f"Report: {applied.folder / 'report.html'}")


def _list(journal: Journal, json: bool) -> None:
    decisions = journal.read()
    if json:
        print_json({"decisions": [_plain(decision) for decision in decisions.standing]})
        return
    counts = decisions.counts()
    folder = str(journal.folder)
    if not decisions.standing:
        decide = command_line("decide", folder, "--cluster", "N", "--as", "duplicate")
        say(f"Nothing is decided yet; '{decide}' (or not, or unsure) decides on a cluster.")
        say_next(command_line("show", folder))
        return
    say(", ".join(f"{counts[name]:,} {name}" for name in counts))
    for decision in decisions.standing:
        say(_line(decision))
    say_next(command_line("decide", folder, "--apply", f"{folder}-decided"))


def _print_decision(outcome: str, decision: Decision | None, json: bool) -> None:
    if json:
        print_json({"decision": None if decision is None else _plain(decision)})
    elif decision is None:
        say("There is nothing to undo.")
    else:
        say(f"{_line(decision)}: {outcome}")


def _line(decision: Decision) -> str:
    names = ", ".join(one_line(id, 40) for id in decision.ids[:6])
    more = f" and {len(decision.ids) - 6:,} more" if len(decision.ids) > 6 else ""
    keep = f" (keep {one_line(decision.keep, 40)})" if decision.keep else ""
    return f"{decision.verdict:<9}  {names}{more}{keep}"


def _plain(decision: Decision) -> dict[str, Any]:
    return {name: getattr(decision, name) for name in ("verdict", "ids", "keep", "at")}
