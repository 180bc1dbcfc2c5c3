"""No sequence of selections, actions, undoings, kills and changes from outside loses a file.

Whatever is planned and wherever the process ends: all bytes that were somewhere before are
somewhere afterwards, every file that went has its keeper in place, nothing that came from outside
is overwritten, and in the end all that was removed comes back byte for byte.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from tests.review.cleaning.actions.conftest import Desk, contents, row
from tests.review.cleaning.actions.killing import killed_at
from twinset.review.cleaning.actions import carry_out, history, undo
from twinset.review.cleaning.actions.checks import is_plain

NAMES = ["a", "b", "c.txt", "d/a", "d/e", "d/f/g"]
DATA = [b"lease", b"curriculum", b"minutes"]
SHM = Path("/dev/shm")
# Memory is quick: every step waits for the disk several times.
NEAR = SHM if SHM.is_dir() else None

names = st.sampled_from(NAMES)
data = st.sampled_from(DATA)
kills = st.none() | st.tuples(st.integers(1, 80), st.booleans())
pairs = st.lists(st.tuples(names, names), min_size=1, max_size=4)
hows = st.sampled_from(["trash", "move"])
meddlings = st.lists(
    st.tuples(st.sampled_from(["write", "replace", "delete", "touch"]), names, data), max_size=2
)


class Sequences(RuleBasedStateMachine):
    """A folder, what the user believes to be in it, and the operations on it."""

    def __init__(self) -> None:
        super().__init__()
        self.patched = pytest.MonkeyPatch()
        self.top = Path(tempfile.mkdtemp(prefix="twinset-test-", dir=NEAR))
        data_home = self.top / "person" / "data"
        data_home.mkdir(parents=True)
        self.patched.setenv("HOME", str(self.top / "person"))
        self.patched.setenv("XDG_DATA_HOME", str(data_home))
        self.desk = Desk(
            self.top / "papers", self.top / "home", self.top / "removed", data_home / "Trash"
        )
        self.believed: dict[str, bytes | None] = {}

    @initialize(files=st.dictionaries(names, data, min_size=2))
    def fill(self, files: dict[str, bytes]) -> None:
        self.desk.write(files)
        self.believed = dict(files)

    @rule(pairs=pairs, how=hows, meddlings=meddlings, kill=kills)
    def act(self, pairs: Any, how: str, meddlings: Any, kill: Any) -> None:
        """Plan with files as they are, let somebody meddle, and carry the plan out."""
        there = [(f, k) for f, k in pairs if self._lies(f) and self._lies(k)]
        rows = [
            (row(self.desk.root / file, "remove"), row(self.desk.root / keeper, "keep"))
            for file, keeper in there
        ]
        plan = self.desk.plan(rows, how)
        for meddling in meddlings:
            self.meddle(*meddling)
        kept = {k: (self.desk.root / k).read_bytes() for _, k in there if self._is_plain(k)}
        before = self._all_bytes()
        done = []
        with killed_at(*(kill or (None,))):
            done = [*carry_out(plan).done]
        assert self._all_bytes() >= before
        keepers = {step.file.path: step.keeper for step in plan.steps}
        for file in done:
            keeper = keepers[file.path]
            assert is_plain(keeper.path), (file, keeper)
            name = str(keeper.path.relative_to(self.desk.root))
            assert keeper.path.read_bytes() == kept[name]

    @rule(place=st.integers(0, 3), kill=kills)
    def bring_back(self, place: int, kill: Any) -> None:
        """Undo some operation, the last or an earlier one."""
        standing = [past for past in history(self.desk.home) if past.standing]
        if standing:
            place %= len(standing)
            earlier = {step.path for step in standing[place].standing}
            for step in (step for past in standing[:place] for step in past.standing):
                if step.path in earlier:  # whichever comes back first has the name
                    self.believed[str(step.path.relative_to(self.desk.root))] = None
            before = self._all_bytes()
            with killed_at(*(kill or (None,))):
                undo(self.desk.home, standing[place].id)
            assert self._all_bytes() >= before

    @rule(way=st.sampled_from(["write", "replace", "delete", "touch"]), name=names, data=data)
    def meddle(self, way: str, name: str, data: bytes | None) -> None:
        """Somebody else changes a file."""
        path = self.desk.root / name
        assert data is not None
        if way == "delete":
            path.unlink(missing_ok=True)
            self.believed[name] = None  # an earlier file of that name may come back
        elif way == "touch":
            if self._is_plain(name):
                os.utime(path)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            if way == "replace":
                (self.top / "draft").write_bytes(data)
                os.replace(self.top / "draft", path)
            else:
                path.write_bytes(data)
            self.believed[name] = data

    def teardown(self) -> None:
        """Undo everything, the latest first."""
        try:
            for _ in range(2):
                for past in history(self.desk.home):
                    undo(self.desk.home, past.id)
            content = contents(self.desk.root)
            for name, expected in self.believed.items():
                if expected is not None:
                    assert content.get(name) == expected, name
            assert not [name for name in content if "twinset" in name]
        finally:
            self.patched.undo()
            shutil.rmtree(self.top, ignore_errors=True)

    def _lies(self, name: str) -> bool:
        return os.path.lexists(self.desk.root / name)

    def _is_plain(self, name: str) -> bool:
        return is_plain(self.desk.root / name)

    def _all_bytes(self) -> set[bytes]:
        """What whole files hold, wherever they are; drafts that were cut short may go."""
        folders = [self.desk.root, self.desk.target, self.desk.trash / "files"]
        held = {data for folder in folders for data in contents(folder).values()}
        return held & set(DATA)


TestSequences = Sequences.TestCase
TestSequences.settings = settings(stateful_step_count=10, deadline=None)
