"""``twinset lab learn``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import click

from twinset.cli.lab.generate import Variants
from twinset.cli.options import (
    Force,
    FromLibrary,
    Grade,
    InputPaths,
    OutputOptions,
    ReadingOptions,
    ResourceOptions,
    check_options,
    given_options,
    of_library,
)
from twinset.cli.output import command_line, print_json, say, say_next
from twinset.cli.parameters import Group, option
from twinset.cli.progress import shown
from twinset.lab.options import PairOptions, Training, ViewOptions, WordOptions
from twinset.plan.spec import Option, compose, options_of
from twinset.system.remote import path_or_address


class ModelFile(Group):
    """Where the model is written."""

    out: Annotated[str, option("--out", "-o", metavar="FILE", help="File of the model.")]
    force: Force = False


class LabelSource(Group):
    """Which pairs are learnt from."""

    labels: Annotated[
        str | None,
        option(
            "--labels",
            metavar="FILE",
            group="Labels",
            help="Pairs with a label, near-duplicates (left,right) or clusters (id,cluster).",
        ),
    ] = None
    grade: Grade = None
    labels_columns: Annotated[
        str | None,
        option(
            "--labels-columns",
            group="Labels",
            metavar="A,B[,G]",
            help="Names or numbers of the two columns, and of the label.",
            shown="by their names",
        ),
    ] = None


class PairSelection(FromLibrary):
    """How many pairs are learnt from, and how near they are."""

    OF = PairOptions


class Machine(FromLibrary):
    """What is looked at, and how it is weighed up."""

    @classmethod
    def known(cls) -> dict[str, Option]:
        """What the library says about the options."""
        training = options_of(Training)
        names = ("kernel", "c", "gamma", "degree", "coef0", "class_weight", "folds", "seed")
        views = options_of(ViewOptions) | options_of(WordOptions)
        return views | {name: training[name] for name in names}

    @classmethod
    def types(cls) -> dict[str, Any]:
        """The options; without C and gamma they are chosen, and --improve is a flag."""
        training = options_of(Training)
        features = option(
            "--features",
            metavar="NAMES",
            help="Similarities to learn from: VIEW.MEASURE or signals.NAME,..., or sets: usual, "
            "paper, sentences, signals.",
            shown="usual",
            group="Machine",
        )
        improve = option(
            "--improve",
            help=training["improve"].help,
            shown="unless --kernel or an option of it is given",
            group="Machine",
        )
        return (
            {"features": Annotated[str | None, features]}
            | super().types()
            | {name: of_library(training[name], "cross-validated") for name in ("c", "gamma")}
            | {"improve": Annotated[bool | None, improve]}
        )


def command(
    inputs: InputPaths,
    reading: ReadingOptions,
    target: ModelFile,
    labels: LabelSource,
    pairs: PairSelection,
    making: Variants,
    machine: Machine,
    resources: ResourceOptions,
    output: OutputOptions,
) -> None:
    """Train a model that recognises near-duplicates, for find --method learned:model=FILE.

    It learns from labelled pairs (--labels; labels other than 0 and 1 need --grade) or from
    near-duplicates that it makes (--op), and prints how well it judges pairs that were held out.

    \b
    Example:
      twinset lab learn corpus.jsonl --labels graded.csv --grade 3 -o model.json
      twinset lab learn corpus.jsonl --op replace-words:5% --op delete-paragraphs:10% -o model.json
      twinset find corpus.jsonl -o report --method learned:model=model.json
    """
    from twinset.lab.learn import learn
    from twinset.result.places import ensure_free_file

    options = given_options(reading, labels, pairs, making, machine, resources)
    check_options(given_options(reading, resources))
    ensure_free_file(target.out, target.force, "model.json")
    with shown(output.quiet) as bar:
        model = learn([path_or_address(name) for name in inputs.inputs], progress=bar, **options)
    path = model.save(target.out, force=target.force)
    for note in model.training["notes"]:
        click.echo(f"note: {note}", err=True)
    if output.json:
        level = asdict(model.similarity.level)
        print_json({"model": str(path), **model.training, "candidate_level": level})
        return
    for line in sentences(model):
        say(line)
    say(f"\nModel: {path}")
    if "-" not in inputs.inputs:
        options = {"method": compose("learned", {"model": str(path)}), **given_options(reading)}
        say_next(command_line("find", *inputs.inputs, "-o", "report", options=options))


def sentences(model: Any) -> list[str]:
    """What was learnt from what, and what it is worth, line by line."""
    facts, level = model.training, model.similarity.level
    gamma = "" if facts["gamma"] is None else f" and gamma {facts['gamma']:g}"
    f1 = facts["boundary"]["cross_validated_f1"] if facts["improved"] else facts["machine_f1"]
    candidates = min(facts["candidates"], facts["negative"])
    others = f": {candidates:,} candidates and {facts['negative'] - candidates:,} drawn at random"
    return [
        f"Learnt from {facts['positive']:,} near-duplicates and {facts['negative']:,} other "
        f"pairs{others if facts['sought'] else ''}.",
        f"Kernel {facts['kernel']} with C {facts['c']:g}{gamma}; in cross-validation of "
        f"{facts['folds']} folds F1 is {f1:.3f}.",
        *_saved(facts),
        f"Candidates are pairs whose heaviest words have a cosine of {level.least:g} or more: "
        f"{level.kept:.1%} of the near-duplicates.",
        *_held_out(facts["held_out"]),
        *_learnt(facts["held_out"]["learnt"]),
    ]


def _saved(facts: dict[str, Any]) -> list[str]:
    """Which decision was saved and why; where it was asked for, what would do better."""
    single, boundary = facts["best_single"], facts["boundary"]
    f1 = f"(F1 {single['cross_validated_f1']:.3f})"
    alone = f"{single['feature']} {_sign(single)} {single['threshold']:.4g} alone"
    if facts["single"] is not None:
        return [
            f"Saved: {alone}, because it does better than the machine in the same folds {f1}. A "
            "machine that is asked for by --kernel, --c or --gamma is kept, unless --improve is "
            "given."
        ]
    if facts["improved"]:
        return [
            "Saved: the machine, because the best single similarity does not do better in the same "
            f"folds {f1}."
        ]
    moved = f"a boundary at g(x) >= {boundary['g']:.3g}"
    better = {alone: single["cross_validated_f1"], moved: boundary["cross_validated_f1"]}
    return [
        "Saved: the machine that was asked for; a pair is a near-duplicate if g(x) >= 0.",
        *(
            f"Advice: {name} does better in the same folds (F1 {f:.3f}); --improve takes the best."
            for name, f in better.items()
            if f > facts["machine_f1"]
        ),
    ]


def _sign(threshold: dict[str, Any]) -> str:
    return ">=" if threshold["rises"] else "<="


def _held_out(held: dict[str, Any]) -> list[str]:
    base = held["baseline"]
    lines = [
        "",
        f"On {held['pairs']:,} pairs that were held out:",
        f"{'':<38} {'right':>6} {'wrong':>6} {'missed':>6} {'others':>6}  precision  recall     F1",
    ]
    rows = (
        ("the model", held["model"]),
        (f"{base['feature']} {_sign(base)} {base['threshold']:.4g} alone", base),
    )
    for name, row in rows:
        counts = " ".join(
            f"{row[key]:>6,}"
            for key in ("true_positive", "false_positive", "false_negative", "true_negative")
        )
        shares = f"{row['precision']:>9.3f}  {row['recall']:>6.3f}  {row['f1']:>5.3f}"
        lines.append(f"{name:<38} {counts}  {shares}")
    return lines


def _learnt(learnt: dict[str, Any]) -> list[str]:
    by_weight = learnt["by"] == "weight"
    # A third digit would be that of the solver and of the shuffles.
    shown = [(row["feature"], round(row["value"], 2)) for row in learnt["features"]]
    rows = [f"  {feature:<22} {value:>6.2f}" for feature, value in shown if value != 0]
    if not rows:
        nothing = "F1 loses less than 0.01 whichever one similarity is shuffled."
        return ["", "No weight reaches 0.01." if by_weight else nothing]
    title = "What F1 loses when one similarity is shuffled:"
    return ["", "Weights (of scaled similarities):" if by_weight else title, *rows]
