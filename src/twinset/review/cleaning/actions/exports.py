"""A plan as a script to read and run later, or as a table.

A script checks before each removal that file and keeper are there, as they were seen, and two
files; equal ones are compared byte by byte. Names stand in it as data alone, whatever they are.
"""

from __future__ import annotations

import io
import os
import re
import shlex
from collections.abc import Callable
from datetime import datetime, timezone

from twinset.model.spreadsheet import Writer
from twinset.review.cleaning.actions.model import ActionPlan, FileStep, KnownFile
from twinset.review.cleaning.model import Reason

Words = Callable[[Reason], str]
COLUMNS = ("path", "action", "keeper", "kind", "reason", "bytes", "modified")

_SHELL = r"""#!/bin/sh
# Removes copies of files; written by twinset. Read it, then run it: sh FILE
# A file goes only if the one to keep is there and neither has changed; without b2sum, which
# macOS lacks, a change is seen by the size alone.
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

# remove FILE BYTES DIGEST KEEPER BYTES DIGEST equal|other
remove() {
    if [ -L "$1" ] || [ ! -f "$1" ]; then why='it is not there'
    elif [ -L "$4" ] || [ ! -f "$4" ]; then why='the file to keep is not there'
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
_POWERSHELL = r"""# Removes copies of files; written by twinset. Read it, then run it.
# A file goes only if the one to keep is there and neither has changed in size.
$ErrorActionPreference = 'Stop'
$removed = 0; $kept = 0

function Remove-Copy($file, $bytes, $keeper, $keeperBytes, $equal) {
    $one = Get-Item -LiteralPath $file -Force -ErrorAction SilentlyContinue
    $other = Get-Item -LiteralPath $keeper -Force -ErrorAction SilentlyContinue
    if (-not $one -or $one.PSIsContainer -or $one.LinkType -eq 'SymbolicLink') {
        $why = 'it is not there'
    } elseif (-not $other -or $other.PSIsContainer -or $other.LinkType -eq 'SymbolicLink') {
        $why = 'the file to keep is not there'
    } elseif ($one.FullName -eq $other.FullName) {
        $why = 'both names are one file'
    } elseif ($one.Length -ne $bytes) {
        $why = 'it has changed'
    } elseif ($other.Length -ne $keeperBytes) {
        $why = 'the file to keep has changed'
    } elseif ($equal -and (Get-FileHash -LiteralPath $file).Hash -ne
              (Get-FileHash -LiteralPath $keeper).Hash) {
        $why = 'the two files differ'
    } else {
        Remove-Item -LiteralPath $file -Force
        $script:removed++
        return
    }
    $script:kept++
    Write-Warning "kept: $file ($why)"
}

"""
_POWERSHELL_END = r"""
Write-Output "$removed removed, $kept kept"
"""
_QUOTES = re.compile("(['\u2018\u2019\u201a\u201b])")


def as_script(plan: ActionPlan) -> bytes:
    """A script for any POSIX shell; names that are no UTF-8 stay as they are."""
    lines = [
        f"remove {_facts(step.file)} {_facts(step.keeper)} {_likeness(step)}\n"
        for step in plan.steps
    ]
    return os.fsencode(_SHELL + "".join(lines) + _SHELL_END)


def as_powershell(plan: ActionPlan) -> bytes:
    """The same for PowerShell, with the mark by which its older versions know UTF-8."""
    lines = [
        f"Remove-Copy {_quoted_there(step.file.path)} {step.file.bytes} "
        f"{_quoted_there(step.keeper.path)} {step.keeper.bytes} "
        f"${str(_likeness(step) == 'equal').lower()}\n"
        for step in plan.steps
    ]
    text = _POWERSHELL + "".join(lines) + _POWERSHELL_END
    return text.encode("utf-8-sig", "replace")


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
        kind, reason = step.kind or "", words(step.why)
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
    return shlex.quote(os.path.abspath(path))


def _quoted_there(path: os.PathLike[str]) -> str:
    """Between apostrophes, which PowerShell also sees in four typographic ones."""
    return "'" + _QUOTES.sub(r"\1\1", os.path.abspath(path)) + "'"
