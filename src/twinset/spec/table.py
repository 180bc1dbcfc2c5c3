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

RENAMED = {"t": "share"}
"""Options by their old names; a part that has the new one is meant."""
FORMER = {"full": ("size", "seed", "permutations")}
"""Options that parts have lost because they decided nothing; manifests still spell them."""
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
        "oph": "twinset.images.oph:OnePermutation",
        "minwise": "twinset.images.minwise:MinWise",
        "bottom": "twinset.images.bottom:Bottom",
        "mod": "twinset.images.mod:Mod",
        "log": "twinset.images.log:Logarithmic",
        "full": "twinset.images.full:Full",
    },
    "measure": {
        "jaccard": "twinset.verify.measures:Jaccard",
        "containment": "twinset.verify.measures:Containment",
        "dice": "twinset.verify.measures:Dice",
        "cosine": "twinset.verify.measures:Cosine",
        "overlap": "twinset.verify.measures:Overlap",
    },
    "forms": {
        "none": "twinset.text.forms:NoForms",
        "stem": "twinset.text.forms:Stem",
        "lemma": "twinset.text.forms:Lemma",
    },
    "clusters": {
        "anchored": "twinset.clusters.anchored:Anchored",
        "components": "twinset.clusters.components:Components",
        "cliques": "twinset.clusters.cliques:Cliques",
        "closed": "twinset.clusters.closed:Closed",
        "tolerant": "twinset.clusters.tolerant:Tolerant",
    },
    "keep": {
        "newest": "twinset.clusters.keep:Newest",
        "oldest": "twinset.clusters.keep:Oldest",
        "original-name": "twinset.clusters.keep:OriginalName",
        "format": "twinset.clusters.keep:Format",
        "folder": "twinset.clusters.keep:Folder",
        "first": "twinset.clusters.keep:First",
        "longest": "twinset.clusters.keep:Longest",
        "shortest": "twinset.clusters.keep:Shortest",
        "shortest-name": "twinset.clusters.keep:ShortestName",
        "field": "twinset.clusters.keep:ByField",
    },
    "check": {
        "none": "twinset.verify.checks:NoCheck",
        "edit": "twinset.verify.checks:EditCheck",
        "jaccard": "twinset.verify.checks:JaccardCheck",
        "containment": "twinset.verify.checks:ContainmentCheck",
        "dice": "twinset.verify.checks:DiceCheck",
        "cosine": "twinset.verify.checks:CosineCheck",
        "overlap": "twinset.verify.checks:OverlapCheck",
    },
    "method": {
        "minhash": "twinset.methods.minhash:MinHash",
        "exact": "twinset.methods.exact:Exact",
        "bottom": "twinset.methods.bottom:Bottom",
        "sketch": "twinset.methods.sketch:ImageShare",
        "given": "twinset.methods.given:Given",
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
        "idfjaccard": "twinset.methods.idfjaccard:IdfJaccard",
        "learned": "twinset.methods.learned:Learned",
        "asked": "twinset.methods.asked:AskedOwner",
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
    "level": {
        "document": "twinset.passages.levels:WholeDocument",
        "paragraph": "twinset.passages.levels:ParagraphLevel",
        "sentence": "twinset.passages.levels:SentenceLevel",
        "line": "twinset.passages.levels:LineLevel",
        "window": "twinset.passages.levels:WindowLevel",
    },
    "engine": {
        "local": "twinset.engine.local:Local",
        "spark": "twinset.engine.spark.engine:SparkEngine",
    },
    "operation": {
        "reorder-paragraphs": "twinset.lab.generation.paragraphs:ReorderParagraphs",
        "delete-paragraphs": "twinset.lab.generation.paragraphs:DeleteParagraphs",
        "add-paragraphs": "twinset.lab.generation.paragraphs:AddParagraphs",
        "replace-words": "twinset.lab.generation.words:ReplaceWords",
        "repeat-paragraphs": "twinset.lab.generation.paragraphs:RepeatParagraphs",
        "replace-characters": "twinset.lab.generation.characters:ReplaceCharacters",
        "ocr-noise": "twinset.lab.generation.characters:OcrNoise",
        "boilerplate": "twinset.lab.generation.boilerplate:Boilerplate",
        "key-block": "twinset.lab.generation.keyblock:KeyBlock",
        "truncate": "twinset.lab.generation.words:Truncate",
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
    cls: type[Any] = getattr(importlib.import_module(module), attribute)
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
    """The new name of an option that was renamed; else a close name, and all known ones if few."""
    listed = list(known)
    if RENAMED.get(name) in listed:
        return f"it is called '{RENAMED[name]}' now"
    meant = did_you_mean(name, listed)
    if meant and len(listed) > FEW:
        return meant.rstrip()
    return f"{meant}known: {', '.join(listed)}"
