"""Which parts there are: names to classes, by kind.

Adding a part is a file and a line below; other packages add theirs through the entry-point group
``twinset.<kind>``. Nothing is imported before it is used.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import cache
from typing import Any

from twinset.errors import PlanError, did_you_mean

NOUNS = {"clusters": "kind of clusters", "forms": "kind of word forms", "keep": "keep policy"}
"""What one part of a kind is called, where that is not the kind's own name."""
MISTAKEN = {"measure": ("method",), "method": ("measure",)}
"""The kinds whose names are likely to be given where one of this kind is expected."""
FEW = 12
"""So many known names are listed beside the one that was probably meant."""
TABLE: dict[str, dict[str, str]] = {
    "reader": {
        "jsonl": "twinset.reading.jsonl:JsonLines",
        "csv": "twinset.reading.delimited:Csv",
        "tsv": "twinset.reading.delimited:Tsv",
        "parquet": "twinset.reading.parquet:Parquet",
        "romip": "twinset.reading.romip:Romip",
        "warc": "twinset.reading.warc:Warc",
        "files": "twinset.reading.files:PlainFiles",
    },
    "image": {
        "oph": "twinset.finding.images:OnePermutation",
        "minwise": "twinset.finding.images:MinWise",
        "bottom": "twinset.finding.images:Bottom",
        "mod": "twinset.finding.images:Mod",
        "log": "twinset.finding.images:Logarithmic",
        "full": "twinset.finding.images:Full",
    },
    "measure": {
        "jaccard": "twinset.finding.verify.measures:Jaccard",
        "containment": "twinset.finding.verify.measures:Containment",
        "dice": "twinset.finding.verify.measures:Dice",
        "cosine": "twinset.finding.verify.measures:Cosine",
        "overlap": "twinset.finding.verify.measures:Overlap",
    },
    "forms": {
        "none": "twinset.text.forms:NoForms",
        "fold": "twinset.text.forms:Folded",
        "stem": "twinset.text.forms:Stem",
        "lemma": "twinset.text.forms:Lemma",
        "code": "twinset.text.code:Code",
    },
    "clusters": {
        "anchored": "twinset.finding.clusters.of_pairs:Anchored",
        "components": "twinset.finding.clusters.of_pairs:Components",
        "cliques": "twinset.finding.clusters.of_pairs:Cliques",
        "closed": "twinset.finding.clusters.closed:Closed",
    },
    "keep": {
        "newest": "twinset.finding.clusters.keep:Newest",
        "oldest": "twinset.finding.clusters.keep:Oldest",
        "original-name": "twinset.finding.clusters.keep:OriginalName",
        "format": "twinset.finding.clusters.keep:Format",
        "folder": "twinset.finding.clusters.keep:Folder",
        "first": "twinset.finding.clusters.keep:First",
        "longest": "twinset.finding.clusters.keep:Longest",
        "shortest": "twinset.finding.clusters.keep:Shortest",
        "shortest-name": "twinset.finding.clusters.keep:ShortestName",
        "field": "twinset.finding.clusters.keep:ByField",
    },
    "check": {
        "none": "twinset.finding.verify.checks:NoCheck",
        "edit": "twinset.finding.verify.checks:EditCheck",
        "jaccard": "twinset.finding.verify.checks:JaccardCheck",
        "containment": "twinset.finding.verify.checks:ContainmentCheck",
        "dice": "twinset.finding.verify.checks:DiceCheck",
        "cosine": "twinset.finding.verify.checks:CosineCheck",
        "overlap": "twinset.finding.verify.checks:OverlapCheck",
    },
    "method": {
        "minhash": "twinset.finding.methods.minhash:MinHash",
        "exact": "twinset.finding.methods.joins:Exact",
        "bottom": "twinset.finding.methods.joins:Bottom",
        "sketch": "twinset.finding.methods.sketch:ImageShare",
        "given": "twinset.finding.methods.joins:Given",
        "md5": "twinset.finding.methods.md5:MD5",
        "tf": "twinset.finding.methods.heaviest:TF",
        "tfidf": "twinset.finding.methods.heaviest:TFIDF",
        "tfridf": "twinset.finding.methods.heaviest:TFRIDF",
        "longsent": "twinset.finding.methods.heaviest:LongSent",
        "heavysent": "twinset.finding.methods.heaviest:HeavySent",
        "megashingles": "twinset.finding.methods.shingle_keys:MegaShingles",
        "lexrand": "twinset.finding.methods.word_keys:LexRand",
        "logshingles": "twinset.finding.methods.shingle_keys:LogShingles",
        "descrwords": "twinset.finding.methods.descrwords:DescrWords",
        "optfreq": "twinset.finding.methods.heaviest:OptFreq",
        "decomposition": "twinset.finding.methods.decomposition:Decomposition",
        "threefive": "twinset.finding.methods.threefive:ThreeFive",
        "supershingles": "twinset.finding.methods.shingle_keys:SuperShingles",
        "imatch": "twinset.finding.methods.word_keys:IMatch",
        "wordlists": "twinset.finding.methods.word_keys:WordLists",
        "grams": "twinset.finding.methods.joins:WordGrams",
        "spotsigs": "twinset.finding.methods.joins:SpotSigs",
        "simhash": "twinset.finding.methods.simhash:SimHash",
        "lexical": "twinset.finding.methods.joins:Lexical",
        "tfidfcosine": "twinset.finding.methods.tfidfcosine:TfidfCosine",
        "idfjaccard": "twinset.finding.methods.idfjaccard:IdfJaccard",
        "vectors": "twinset.finding.methods.vectors:GivenVectors",
        "learned": "twinset.finding.methods.learned:Learned",
        "asked": "twinset.finding.methods.asked:AskedOwner",
        "A0": "twinset.finding.methods.md5:MD5",
        "A1": "twinset.finding.methods.heaviest:TF",
        "A2": "twinset.finding.methods.heaviest:TFIDF",
        "A3": "twinset.finding.methods.heaviest:TFRIDF",
        "A4": "twinset.finding.methods.heaviest:LongSent",
        "A5": "twinset.finding.methods.heaviest:HeavySent",
        "A6": "twinset.finding.methods.shingle_keys:MegaShingles",
        "A7": "twinset.finding.methods.word_keys:LexRand",
        "A8": "twinset.finding.methods.shingle_keys:LogShingles",
        "A9": "twinset.finding.methods.descrwords:DescrWords",
        "A10": "twinset.finding.methods.heaviest:OptFreq",
        "A11": "twinset.finding.methods.decomposition:Decomposition",
        "A12": "twinset.finding.methods.threefive:ThreeFive",
    },
    "level": {
        "document": "twinset.run.passages.units:WholeDocument",
        "paragraph": "twinset.run.passages.units:ParagraphLevel",
        "sentence": "twinset.run.passages.units:SentenceLevel",
        "line": "twinset.run.passages.units:LineLevel",
        "window": "twinset.run.passages.units:WindowLevel",
    },
    "engine": {
        "local": "twinset.run.local:Local",
        "spark": "twinset.spark.engine:SparkEngine",
    },
    "operation": {
        "reorder-paragraphs": "twinset.lab.operations:ReorderParagraphs",
        "delete-paragraphs": "twinset.lab.operations:DeleteParagraphs",
        "add-paragraphs": "twinset.lab.operations:AddParagraphs",
        "replace-words": "twinset.lab.operations:ReplaceWords",
        "repeat-paragraphs": "twinset.lab.operations:RepeatParagraphs",
        "replace-characters": "twinset.lab.operations:ReplaceCharacters",
        "ocr-noise": "twinset.lab.operations:OcrNoise",
        "boilerplate": "twinset.lab.operations:Boilerplate",
        "key-block": "twinset.lab.operations:KeyBlock",
        "truncate": "twinset.lab.operations:Truncate",
    },
}


@cache
def names(kind: str) -> dict[str, str]:
    """All names of a kind with their ``module:Class``, ours first, then other packages'.

    To look through all packages takes longer than a small run: a name of ours is looked up in
    `TABLE` first.
    """
    from importlib.metadata import entry_points

    known = dict(TABLE[kind])
    for point in entry_points(group=f"twinset.{kind}"):
        known.setdefault(point.name, point.value)
    return known


def load(kind: str, name: str) -> type[Any]:
    """The class behind a name; a message with the known names when there is none."""
    target = TABLE[kind].get(name) or names(kind).get(name)
    if target is None:
        other = next((k for k in MISTAKEN.get(kind, ()) if name in names(k)), None)
        hint = f"it is {noun(other, article=True)}: use --{other} {name}" if other else ""
        hint = hint or suggestion(name, names(kind))
        raise PlanError([f"there is no {noun(kind)} '{name}'; {hint}"])
    module, _, attribute = target.partition(":")
    try:
        cls: type[Any] = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as fault:
        if name in TABLE[kind]:
            raise
        broken = f"the {noun(kind)} '{name}' of another package cannot be loaded ({fault})"
        raise PlanError([f"{broken}: update that package or uninstall it"]) from fault
    return cls


def name_of(kind: str, part: Any) -> str:
    """The first name of the class of a part."""
    cls = type(part)
    place = f"{cls.__module__}:{cls.__qualname__}"
    for name, target in _targets(kind):
        if target == place:
            return name
    raise PlanError([f"{cls.__qualname__} is not registered as {noun(kind, article=True)}"])


def _targets(kind: str) -> Iterator[tuple[str, str]]:
    """All names of a kind; those of other packages are looked for when ours have been seen."""
    yield from TABLE[kind].items()
    yield from names(kind).items()


def noun(kind: str, *, article: bool = False) -> str:
    """What one part of a kind is called in a sentence, perhaps with its article."""
    called = NOUNS.get(kind, kind)
    if not article:
        return called
    return f"an {called}" if called[0] in "aeiou" else f"a {called}"


def suggestion(name: str, known: Any) -> str:
    """A close name, and all known ones if few."""
    listed = list(known)
    meant = did_you_mean(name, listed)
    if meant and len(listed) > FEW:
        return meant.rstrip()
    return f"{meant}known: {', '.join(listed)}"
