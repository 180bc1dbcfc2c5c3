"""``twinset lab compare``."""

from __future__ import annotations

from typing import Annotated

from twinset.cli.lab.experiment import run_and_show
from twinset.cli.options import (
    Forms,
    Fresh,
    InputPaths,
    Judge,
    KnownTruth,
    Language,
    Mask,
    OutputOptions,
    ReadingOptions,
    ResourceOptions,
    Seed,
    Synonyms,
    Threshold,
    VerifyOfMethods,
    given_options,
)
from twinset.cli.parameters import Group, option


class MethodOptions(Group):
    """Which methods, and where the result goes."""

    out: Annotated[
        str,
        option(
            "--out",
            "-o",
            metavar="DIR",
            help="Folder for the result; methods that it holds are not run again.",
        ),
    ]
    methods: Annotated[
        list[str] | None,
        option(
            "--methods",
            metavar="all|A,B,...",
            help="Names, NAME:option=value,... or preset:NAME, by commas; may be repeated.",
            shown="all",
            group="Similarity",
        ),
    ] = None
    fresh: Fresh = False
    language: Language = "en"


class JudgeOptions(Group):
    """How the pairs of all methods are judged where there is no truth."""

    judge: Judge = None
    most_judged: Annotated[
        int | None,
        option(
            "--most-judged",
            metavar="N",
            help="Judge at most N pairs; a larger pool is sampled.",
            shown="200000",
            group="Labels",
        ),
    ] = None


class SimilarityOptions(Group):
    """How all methods decide, where they take the option."""

    threshold: Threshold = None
    verify: VerifyOfMethods = None
    forms: Forms = None
    synonyms: Synonyms = None
    mask: Mask = None
    seed: Seed = None


def command(
    inputs: InputPaths,
    reading: ReadingOptions,
    methods: MethodOptions,
    truth: KnownTruth,
    judging: JudgeOptions,
    similarity: SimilarityOptions,
    resources: ResourceOptions,
    output: OutputOptions,
) -> None:
    """Run several methods on the same documents: recall, precision, F, time, memory of each.

    Writes what 'twinset lab experiment' writes. Without a truth, all pairs are pooled and judged by
    edit similarity.

    \b
    Example:
      twinset lab compare corpus.jsonl -o comparison
      twinset lab compare corpus.jsonl -o comparison --methods A0,A4,minhash --truth truth.csv
      twinset lab compare corpus.jsonl -o comparison --methods preset:text,minhash
    """
    from twinset.lab.experiment import compare

    options = given_options(reading, methods, truth, judging, similarity, resources)
    names = ",".join(options.pop("methods", ["all"]))
    run_and_show(compare, inputs.inputs, names, options, output)
