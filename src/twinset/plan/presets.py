"""Presets: plans with a name, each for a purpose.

A preset sets options of a plan as a plan file does; options given beside it win, but for the
method, which is what a preset is about.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from twinset.errors import PlanError
from twinset.plan.spec import suggestion

FOR_FOLDERS = ("original-name", "newest", "format", "longest")
"""Which copy of a person's files stays: `dedup` of a folder and the preset for files go by it."""


@dataclass(frozen=True, slots=True)
class Preset:
    """A name for options, what to use them for and what not, and why they are as they are."""

    name: str
    use: str
    avoid: str = field(repr=False)
    reason: str = field(repr=False)
    options: Mapping[str, Any] = field(default_factory=dict)


PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            "text",
            use="copies that differ in more than a few words: revisions, reprints, excerpts, "
            "scans, web pages",
            avoid="corpora for training, and texts of one pattern, such as forms and versions, "
            "where much alike is no copy",
            reason="The cosine of two-word terms by tf-idf at one fixed threshold has a mean F1 of "
            "0.83 over the 17 collections of benchmarks/judging.py; a document that lies in "
            "another as a whole is a copy, however much more the other says. In a crowd of "
            "look-alikes a copy has its words in the same order, and away from crowds a pair that "
            "stands out from all neighbours is one even if scanned, respelt or rewritten.",
            options={
                "method": "tfidfcosine:length=2,sublinear=yes,contained=0.95,crowd=10,order=0.9,"
                "outstanding=3",
                "forms": "fold",
                "threshold": 0.54,
                "keep": "longest",
            },
        ),
        Preset(
            "files",
            use="folders of a person's files: contracts, invoices, letters, CVs, in all formats",
            avoid="records of one file, such as JSON lines, and sources of programs, where files "
            "of one pattern may count as versions",
            reason="The cosine of two-word terms by tf-idf at a low threshold finds copies across "
            "formats, versions and parts even of short documents; what the documents of a pair are "
            "to each other then tells copies and versions, which can go, from other papers of the "
            "same form, which stay.",
            options={
                "method": "tfidfcosine:length=2,sublinear=yes,contained=0.95",
                "threshold": 0.4,
                "keep": FOR_FOLDERS,
                "kinds": "yes",
                "each_file": True,
                # Files of a person are no pages of one site, whose menus repeat.
                "repeated": "keep",
            },
        ),
        Preset(
            "code",
            use="sources of programs: renamed, reformatted, reordered or partly rewritten copies",
            avoid="prose, and programs that a tool has made of one template",
            reason="Runs of eight tokens, with all names and literals taken as one, stay when "
            "names, layout and order change; weighed by tf-idf, those that most programs have, "
            "such as frames and imports, make no pair.",
            options={
                "method": "tfidfcosine:length=8,sublinear=yes,contained=0.95",
                "forms": "code",
                "threshold": 0.4,
                "keep": "longest",
            },
        ),
        Preset(
            "training",
            use="corpora for training language models: only what is nearly the same goes",
            avoid="scans, short texts and texts that were revised, most of which it misses",
            reason="Jaccard similarity of five-word shingles at 0.8 is what the published corpora "
            "were deduplicated with, and it needs the least time and memory.",
            options={"method": "minhash", "threshold": 0.8},
        ),
        Preset(
            "copies",
            use="exact copies: the same words, whatever the case, punctuation, blanks and mark-up",
            avoid="documents that differ in a single word",
            reason="A checksum of the words of each document decides, so that nothing else goes; "
            "one pass, and a few bytes of memory per document.",
            options={"method": "md5:stop=none,letters=0"},
        ),
    )
}


def presets() -> dict[str, Preset]:
    """All presets by name, each with what it is for.

    >>> presets()["copies"].options
    {'method': 'md5:stop=none,letters=0'}
    """
    return dict(PRESETS)


def keep_for(documents: Any) -> dict[str, Any]:
    """The keep policies of folders, as an option, where one is among the documents; else nothing.

    A string alone is a path, and in a list a text. Of records in a folder, which have no names of
    their own, the policies leave the longest.
    """
    alone = [Path(documents)] if isinstance(documents, str) else [documents]
    named = documents if isinstance(documents, list | tuple) else alone
    paths = (each for each in named if isinstance(each, os.PathLike))
    return {"keep": list(FOR_FOLDERS)} if any(map(os.path.isdir, paths)) else {}


def preset_of(name: str) -> Preset:
    """The preset of this name; where there is none, the message names the nearest."""
    if name not in PRESETS:
        raise PlanError([f"there is no preset '{name}'; {suggestion(name, PRESETS)}"])
    return PRESETS[name]


def with_preset(options: Mapping[str, Any]) -> dict[str, Any]:
    """These options with what the preset among them stands for; others that are given win.

    For the laboratory, where a preset is one of several plans and comes with the options of all.
    """
    given = {name: value for name, value in options.items() if value is not None}
    name = given.pop("preset", None)
    if name is None:
        return dict(options)
    preset = preset_of(str(name))
    if faults := clashes(preset.name, given):
        raise PlanError(faults)
    return {**preset.options, **given}


def clashes(name: str, given: Mapping[str, Any]) -> list[str]:
    """What stands against a preset among the options that are given beside it, as sentences."""
    return [
        f"the preset {name} says which method to use, and so does {beside}: leave one of them out"
        for option, beside in _AGAINST.items()
        if given.get(option)
    ]


_AGAINST = {"method": "the option method", "plan": "a plan file", "exact": "the option exact"}
