"""A plan as a script to read and run later, or as a table.

A script checks before each removal that file and keeper are there, as they were seen, and two
files; equal ones are compared byte by byte. Names stand in it as data alone, whatever they are.
"""

from __future__ import annotations

import io
import os
import shlex
from collections.abc import Callable
from datetime import datetime, timezone

from twinset.model.spreadsheet import Writer
from twinset.review.cleaning.actions.checks import ActionPlan, FileStep, KnownFile
from twinset.review.cleaning.model import Reason

Words = Callable[[Reason], str]
COLUMNS = ("path", "action", "keeper", "kind", "reason", "bytes", "modified")

_SHELL = r"""#!/bin/sh
# Removes copies of files; written by twinset. Read it, then run it: sh FILE
# A file goes only if the one to keep is there, neither has changed, and no link leads to them;
# without b2sum, which macOS lacks, a change is seen by the size alone.
set -u
removed=0 kept=0

# To use the desktop's trash instead, write: gio trash -- "$1"
drop() { rm -f -- "$1"; }

# is_other FILE BYTES DIGEST
is_other() {
    [ "$(wc -c < "$1" | tr -d ' \t')" = "$2" ] || return 0
    [ "$3" != - ] && command -v b2sum > /dev/null 2>&1 || return 1
    [ "$(b2sum -l 128 < "$1" | cut -c 1-32)" != "$3" ]
}

# Whether a link leads to the folder of a file; the x keeps a line break at the end of its name.
is_linked() {
    [ "$(cd -P -- "${1%/*}/" 2> /dev/null && pwd -P; echo x)" != "${1%/*}
x" ]
}

# remove FILE BYTES DIGEST KEEPER BYTES DIGEST equal|other
remove() {
    if [ -L "$1" ] || [ ! -f "$1" ]; then why='it is not there'
    elif [ -L "$4" ] || [ ! -f "$4" ]; then why='the file to keep is not there'
    elif is_linked "$1" || is_linked "$4"; then why='a link leads to its folder now'
    elif [ "$1" -ef "$4" ]; then why='both names are one file'
    elif is_other "$1" "$2" "$3"; then why='it has changed'
    elif is_other "$4" "$5" "$6"; then why='the file to keep has changed'
    elif [ "$7" = equal ] && ! cmp -s -- "$1" "$4"; then why='the two files differ'
    elif drop "$1"; then removed=$((removed + 1)); return
    else why='it could not be removed'
    fi
    kept=$((kept + 1))
    printf 'kept: %s (%s)\n' "$1" "$why" >&2
}

"""
_SHELL_END = r"""
printf '%s removed, %s kept\n' "$removed" "$kept"
[ "$kept" -eq 0 ]
"""


def as_script(plan: ActionPlan) -> bytes:
    """A script for any POSIX shell; names that are no UTF-8 stay as they are."""
    lines = [
        f"remove {_facts(step.file)} {_facts(step.keeper)} {_likeness(step)}\n"
        for step in plan.steps
    ]
    return os.fsencode(_SHELL + "".join(lines) + _SHELL_END)


def as_csv(plan: ActionPlan, words: Words = lambda reason: reason.name) -> bytes:
    """One row per file: those to remove with their keepers, then those that stay and why."""
    out = io.StringIO()
    writer = Writer(out)
    writer.writerow(COLUMNS)
    for step in plan.steps:
        file = step.file
        changed = datetime.fromtimestamp(file.modified / 1e9, timezone.utc).isoformat(
            timespec="seconds"
        )
        kind, reason = words(Reason(step.kind)) if step.kind else "", words(step.why)
        writer.writerow(
            [str(file.path), "remove", str(step.keeper.path), kind, reason, file.bytes, changed]
        )
    for refusal in plan.refused:
        writer.writerow([str(refusal.path), "keep", "", "", words(refusal.reason), "", ""])
    return out.getvalue().encode("utf-8", "surrogateescape")


def _likeness(step: FileStep) -> str:
    return "equal" if step.kind == "equal-bytes" else "other"


def _facts(file: KnownFile) -> str:
    digest = "-" if file.digest is None else file.digest.hex()
    return f"{_quoted(file.path)} {file.bytes} {digest}"


def _quoted(path: os.PathLike[str]) -> str:
    return shlex.quote(_real(path))


def _real(path: os.PathLike[str]) -> str:
    """A path to which no link leads: so the script knows one that was put there since."""
    folder, name = os.path.split(os.path.abspath(path))
    return os.path.join(os.path.realpath(folder), name)
