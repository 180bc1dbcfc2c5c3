"""What the maker of a folder knows: which files are copies of one thing, and which one is right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass
class CopyGroup:
    """Files of one thing by their paths below the folder.

    ``keepers`` are those of which a person would keep any one; ``versions`` are the files whose
    text is another version and not a copy to the word.
    """

    what: str
    files: list[str]
    keepers: set[str]
    versions: set[str] = field(default_factory=set)

    @property
    def copies(self) -> set[str]:
        """What can go without a loss: all but the keepers and other versions."""
        return set(self.files) - self.keepers - self.versions


@dataclass
class Truth:
    """All groups, files of one form by the form, parts of other files, and all else."""

    groups: list[CopyGroup] = field(default_factory=list)
    forms: dict[str, list[str]] = field(default_factory=dict)
    parts: list[tuple[str, str]] = field(default_factory=list)
    singles: list[str] = field(default_factory=list)
    scans: list[str] = field(default_factory=list)

    @property
    def files(self) -> set[str]:
        """Every file of the folder."""
        grouped = {file for group in self.groups for file in group.files}
        return grouped | set(self.singles) | {part for part, _ in self.parts}


@dataclass
class Score:
    """How a proposal (each file that goes, with the one kept for it) fares against the truth."""

    copies: int = 0
    proposed: int = 0
    versions: int = 0
    proposed_versions: int = 0
    groups: int = 0
    right_keepers: int = 0
    wrong: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    misjudged: list[str] = field(default_factory=list)

    def add(self, other: Score) -> None:
        """Add the figures of another folder."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


def score(truth: Truth, removed: Mapping[str, str]) -> Score:
    """Judge what is proposed to go: ``removed`` names the file kept in the place of each."""
    result, can_go = Score(), set[str]()
    for group in truth.groups:
        gone = {file for file in group.files if file in removed}
        left = set(group.files) - gone
        result.groups += 1
        result.copies += len(group.copies)
        result.proposed += len(group.copies & gone)
        result.versions += len(group.versions)
        result.proposed_versions += len(group.versions & gone)
        result.missed += sorted(f"{group.what}: {file}" for file in group.copies - gone)
        spare = len(group.keepers) - 1
        can_go |= set(group.files)
        if len(group.files) - len(group.versions) < 2:
            result.groups -= 1  # nothing has to go
        elif gone and group.keepers & left and len(group.keepers & gone) <= spare:
            result.right_keepers += 1
        else:
            result.misjudged.append(f"{group.what}: {sorted(group.keepers)}, gone {sorted(gone)}")
        result.wrong += [
            f"{group.what}: {file} for {removed[file]}"
            for file in sorted(gone)
            if removed[file] not in group.files
        ]
        if not left:
            result.wrong.append(f"{group.what}: all of {sorted(gone)}")
    result.wrong += [f"{file} for {kept}" for file, kept in removed.items() if file not in can_go]
    return result
