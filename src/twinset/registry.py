"""Names to classes: ``make("image", "oph:size=128")``.

A registered class is a frozen dataclass whose fields are its options; checks belong into its
``faults()`` method. Adding one is a file and a line below; other packages add theirs through the
entry-point group ``twinset.<kind>``. Nothing is imported before it is used.
"""

from __future__ import annotations

import dataclasses
import importlib
import types
import typing
from functools import cache
from typing import Any

from twinset.errors import PlanError
from twinset.numerals import decimal, whole
from twinset.spec import split

TABLE: dict[str, dict[str, str]] = {
    "reader": {
        "jsonl": "twinset.read.jsonl:JsonLines",
        "csv": "twinset.read.delimited:Csv",
        "tsv": "twinset.read.delimited:Tsv",
        "parquet": "twinset.read.parquet:Parquet",
        "romip": "twinset.read.romip:Romip",
        "warc": "twinset.read.warc:Warc",
        "files": "twinset.read.files:Files",
    },
    "image": {
        "oph": "twinset.images.oph:OnePermutation",
        "minwise": "twinset.images.minwise:MinWise",
        "bottom": "twinset.images.bottom:Bottom",
        "mod": "twinset.images.mod:Mod",
        "full": "twinset.images.full:Full",
    },
    "measure": {
        "jaccard": "twinset.verify.measures:Jaccard",
        "containment": "twinset.verify.measures:Containment",
        "dice": "twinset.verify.measures:Dice",
        "cosine": "twinset.verify.measures:Cosine",
        "overlap": "twinset.verify.measures:Overlap",
    },
    "clusters": {
        "anchored": "twinset.clusters.anchored:Anchored",
        "components": "twinset.clusters.components:Components",
        "cliques": "twinset.clusters.cliques:Cliques",
        "closed": "twinset.clusters.closed:Closed",
    },
    "method": {
        "minhash": "twinset.methods.minhash:MinHash",
        "exact": "twinset.methods.exact:Exact",
        "bottom": "twinset.methods.bottom:Bottom",
        "md5": "twinset.methods.md5:MD5",
        "tf": "twinset.methods.tf:TF",
        "tfidf": "twinset.methods.tfidf:TFIDF",
        "tfridf": "twinset.methods.tfridf:TFRIDF",
        "longsent": "twinset.methods.longsent:LongSent",
        "heavysent": "twinset.methods.heavysent:HeavySent",
        "megashingles": "twinset.methods.megashingles:MegaShingles",
        "lexrand": "twinset.methods.lexrand:LexRand",
        "logshingles": "twinset.methods.logshingles:LogShingles",
        "descrwords": "twinset.methods.descrwords:DescrWords",
        "optfreq": "twinset.methods.optfreq:OptFreq",
        "decomposition": "twinset.methods.decomposition:Decomposition",
        "threefive": "twinset.methods.threefive:ThreeFive",
        "supershingles": "twinset.methods.supershingles:SuperShingles",
        "imatch": "twinset.methods.imatch:IMatch",
        "wordlists": "twinset.methods.wordlists:WordLists",
        "spotsigs": "twinset.methods.spotsigs:SpotSigs",
        "simhash": "twinset.methods.simhash:SimHash",
        "lexical": "twinset.methods.lexical:Lexical",
        "tfidfcosine": "twinset.methods.tfidfcosine:TfidfCosine",
        "learned": "twinset.methods.learned:Learned",
        "A0": "twinset.methods.md5:MD5",
        "A1": "twinset.methods.tf:TF",
        "A2": "twinset.methods.tfidf:TFIDF",
        "A3": "twinset.methods.tfridf:TFRIDF",
        "A4": "twinset.methods.longsent:LongSent",
        "A5": "twinset.methods.heavysent:HeavySent",
        "A6": "twinset.methods.megashingles:MegaShingles",
        "A7": "twinset.methods.lexrand:LexRand",
        "A8": "twinset.methods.logshingles:LogShingles",
        "A9": "twinset.methods.descrwords:DescrWords",
        "A10": "twinset.methods.optfreq:OptFreq",
        "A11": "twinset.methods.decomposition:Decomposition",
        "A12": "twinset.methods.threefive:ThreeFive",
    },
    "operation": {
        "reorder-paragraphs": "twinset.generation.paragraphs:ReorderParagraphs",
        "delete-paragraphs": "twinset.generation.paragraphs:DeleteParagraphs",
        "add-paragraphs": "twinset.generation.paragraphs:AddParagraphs",
        "replace-words": "twinset.generation.words:ReplaceWords",
        "repeat-paragraphs": "twinset.generation.paragraphs:RepeatParagraphs",
        "replace-characters": "twinset.generation.characters:ReplaceCharacters",
        "ocr-noise": "twinset.generation.characters:OcrNoise",
        "boilerplate": "twinset.generation.boilerplate:Boilerplate",
        "truncate": "twinset.generation.words:Truncate",
    },
}


@cache
def names(kind: str) -> dict[str, str]:
    """All names of a kind with their ``module:Class``, ours first, then other packages'."""
    from importlib.metadata import entry_points

    found = dict(TABLE[kind])
    for point in entry_points(group=f"twinset.{kind}"):
        found.setdefault(point.name, point.value)
    return found


def load(kind: str, name: str) -> type[Any]:
    """The class behind a name; a message with the known names when there is none."""
    known = names(kind)
    if name not in known:
        raise PlanError([f"there is no {kind} '{name}'; known: {', '.join(known)}"])
    module, _, attribute = known[name].partition(":")
    found: type[Any] = getattr(importlib.import_module(module), attribute)
    return found


def make(kind: str, spec: str, **defaults: Any) -> Any:
    """An object from ``name`` or ``name:option=value,option=value``; all faults told together."""
    name, written = split(spec)
    cls = load(kind, name)
    given, faults = _parse(kind, name, cls, written)
    accepted = {f.name for f in dataclasses.fields(cls)}
    options = {key: value for key, value in defaults.items() if key in accepted}
    if faults:
        raise PlanError(faults)
    made = cls(**(options | given))
    check = getattr(made, "faults", None)
    found = check() if check else []
    if found:
        raise PlanError([f"{kind} {name}: {fault}" for fault in found])
    return made


def spell(kind: str, made: Any) -> str:
    """The spec that makes this object again, with every option spelt out."""
    cls = type(made)
    name = next(n for n, target in names(kind).items() if target.endswith(f":{cls.__name__}"))
    options = (f"{f.name}={_text(getattr(made, f.name))}" for f in dataclasses.fields(made))
    return f"{name}:{','.join(options)}".rstrip(":")


def _parse(
    kind: str, name: str, cls: type[Any], options: list[tuple[str, str | None]]
) -> tuple[dict[str, Any], list[str]]:
    types_of = typing.get_type_hints(cls)
    fields = {f.name: types_of[f.name] for f in dataclasses.fields(cls)}
    given: dict[str, Any] = {}
    faults: list[str] = []
    for key, value in options:
        if value is None or key not in fields:
            takes = ", ".join(fields) or "no options"
            part = key if value is None else f"{key}={value}"
            faults.append(f"{kind} '{name}' has no option '{part}'; it takes {takes}")
            continue
        try:
            given[key] = convert(fields[key], value)
        except ValueError as fault:
            faults.append(f"{kind} '{name}', option '{key}': {fault}")
    return given, faults


def convert(kind: Any, value: str) -> Any:
    """Text to the field's type (bool, int, float, str, a Literal, or one of these or None)."""
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        options = [t for t in typing.get_args(kind) if t is not type(None)]
        return None if value.lower() in ("", "none") else convert(options[0], value)
    if typing.get_origin(kind) is typing.Literal:
        choices = typing.get_args(kind)
        if value not in choices:
            raise ValueError(f"'{value}' is not one of {', '.join(choices)}")
        return value
    if kind is bool:
        if value.lower() not in ("yes", "no", "true", "false", "1", "0"):
            raise ValueError(f"'{value}' is neither yes nor no")
        return value.lower() in ("yes", "true", "1")
    if kind is float:  # what an option makes of nan is its own affair
        return decimal(value, finite=False)
    return whole(value) if kind is int else kind(value)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
