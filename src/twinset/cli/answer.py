"""What ``find`` and ``dedup`` answer on the terminal, a line each.

What was found, where the kept and removed documents are, what can go, the largest clusters, what
was wrong with the input, where the report is and what to run next. How far a result can be trusted
is said by ``--verbose`` and in ``report.html``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from twinset.cli.output import command_line, one_line, say, say_next, size
from twinset.plan import ReadOptions
from twinset.plan.spec import counted, options_of
from twinset.system.remote import Place, is_remote

if TYPE_CHECKING:
    from twinset.result.select import Cluster
    from twinset.run import Findings

LARGEST = 3
HEAD = 60
NAME = 40


@dataclass(frozen=True)
class Answer:
    """A finished run: the command, its inputs and options, what it found and where that is."""

    name: str
    inputs: tuple[str, ...]
    options: dict[str, Any]
    findings: Findings
    folder: Place

    def print(self, *, verbose: bool, quiet: bool = False) -> None:
        """All lines; ``quiet`` leaves out what else could be done."""
        from twinset.result.words import finding, input_faults, summary, target_met

        manifest = self.findings.manifest
        said = [finding(manifest), *target_met(manifest)]
        for line in (*said, *self._documents()):
            say(line)
        self._print_clusters()
        # What is said above needs no second sentence.
        for sentence in summary(manifest) if verbose else input_faults(manifest):
            if sentence not in said:
                say(sentence)
        if "no-text" in manifest["faults"] and self.options.get("ocr", "no") == "no":
            say("To read scans, too: install tesseract and give --ocr yes.")
        say(f"Report: {self.folder / 'report.html'}")
        say_next(*self.next_commands())
        for command in () if quiet else self.asking():
            say(f"Twenty answers would tell what you call a copy: {command}")

    def asking(self) -> list[str]:
        """The command that asks, where its answers would change much and it takes the documents."""
        from twinset.result.words import can_be_asked, is_doubtful

        manifest = self.findings.manifest
        is_settled = any(map(self.options.get, ("plan", "engine"))) or "-" in self.inputs
        if is_settled or not can_be_asked(manifest) or not is_doubtful(manifest):
            return []
        known = {*options_of(ReadOptions), "mask"}
        options = {name: value for name, value in self.options.items() if name in known}
        return [command_line("ask", *self.inputs, options=options)]

    def next_commands(self) -> list[str]:
        """What to run next: look at the largest cluster, then remove.

        What came from standard input cannot be read a second time.
        """
        counts, folder = self.findings.manifest["counts"], str(self.folder)
        older = self.options.get("against")
        can_repeat, removed = "-" not in self.inputs, counts.get("removed")
        if not (counts["pairs"] if older else counts["clusters"]):
            return []
        again = command_line("dedup", *self.inputs, "-o", f"{folder}-dedup", options=self.options)
        if older:
            first = (str(self.findings.pairs[side][0]) for side in ("left", "right"))
            pair = command_line("show", folder, "--pair", *first)
            commands = [command_line("show", folder)]
            commands += [pair] if can_repeat and "-" not in map(str, older) else []
            return commands + ([again] if removed is None and can_repeat else [])
        commands = [command_line("show", folder, "--cluster", str(self.largest[0].number))]
        are_here = not any(map(is_remote, (self.folder, *self.inputs)))
        if are_here and (self._removed_files() or (removed is None and self._are_files())):
            commands.append(command_line("clean", folder))
        elif removed is None and can_repeat:
            commands.append(again)
        return commands

    @cached_property
    def largest(self) -> list[Cluster]:
        """The largest clusters, each with the document that stands for it."""
        from twinset.result.select import largest_clusters

        return largest_clusters(self.findings.clusters, LARGEST, 1)

    def _documents(self) -> Iterator[str]:
        """Where the documents are, and what can go."""
        manifest = self.findings.manifest
        counts, written = manifest["counts"], manifest.get("written", {})
        if counts.get("removed") is None:
            return
        # A reference is read, too, but stays where it is.
        entries = manifest.get("inputs", [])
        elsewhere = sum(entry["documents"] for entry in entries if entry.get("reference"))
        known = {"kept": counts["kept"] - elsewhere, "removed": counts["removed"]}
        is_of_records = not elsewhere and all(entry.get("reader") != "files" for entry in entries)
        unread = counts["bad"] if is_of_records and "unread" not in written else 0
        for name, count in known.items():
            where = " (not written)"
            if name in written:
                count, where = written[name]["documents"], self._where(written[name])
                if name == "kept" and unread:  # lines that stay as they are
                    where = f", {unread:,} of them unread{where}"
            yield f"{name.capitalize()} {counted(count, 'document')}{where}"
        for name in (name for name in written if name not in ("kept", "removed")):
            words = name.replace("_", " ").capitalize()
            count = counted(written[name]["documents"], "document")
            yield f"{words}: {count}{self._where(written[name])}"
        files, removed = self._removed_files(), counts["removed"]
        if files:
            records = f"; {counted(removed - len(files), 'record')}" if removed > len(files) else ""
            yield f"Can go: {counted(len(files), 'file')}, {size(sum(files))}{records}"
        elif removed:
            amount = f", {size(written['removed']['bytes'])}" if "removed" in written else ""
            yield f"Can go: {removed:,} of {counted(counts['documents'], 'document')}{amount}"

    def _where(self, route: dict[str, Any]) -> str:
        files = f" ({counted(route['files'], 'file')})" if route["files"] > 1 else ""
        return f" → {self.folder / route['path']}{files}"

    def _are_files(self) -> bool:
        """Whether every document is a file, which can be removed as such, or a part of one."""
        documents = self.findings.documents
        return "file" in documents.column_names and not documents["file"].null_count

    def _removed_files(self) -> list[int]:
        """The bytes of every removed document that is a file of its own."""
        import pyarrow as pa

        from twinset.model import compute as pc

        documents: pa.Table = self.findings.documents
        if self.findings.keep is None or not {"file", "part", "bytes"} <= {*documents.schema.names}:
            return []
        removed = documents.filter(pa.array(~self.findings.keep))
        is_file = pc.and_(pc.is_valid(removed["file"]), pc.is_null(removed["part"]))
        sizes: list[int] = removed.filter(is_file)["bytes"].fill_null(0).to_pylist()
        return sizes

    def _print_clusters(self) -> None:
        if not self.largest:
            return
        say("Largest clusters:" if len(self.largest) > 1 else "The cluster:")
        members = [cluster.members[0] for cluster in self.largest]
        heads = self.findings.heads([member.id for member in members])
        for cluster, member in zip(self.largest, members, strict=True):
            role = "kept " if member.role == "kept" else ""
            name = f"{role}{one_line(member.id, NAME)}"
            head = one_line(heads.get(member.id, ""), HEAD)
            say(
                f"  cluster {cluster.number}: {counted(cluster.size, 'document')}, {name}",
                f": {head}" if head else "",
            )
