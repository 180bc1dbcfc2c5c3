"""Who may ask: keys, which the index keeps as hashes only.

A key is 256 bits by chance, so that no slow hash is needed to protect it: nobody can try them all.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from twinset.errors import PlanError

if TYPE_CHECKING:
    from twinset.index.local import Store

Role = Literal["read", "write"]
ROLES: tuple[Role, ...] = ("read", "write")
MARK = "twinset_"
"""What keys begin with, so that a leaked one is recognised by whoever looks for such."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who has sent a request: the name of a key, and what it allows."""

    name: str
    may_write: bool


ANYBODY = Caller("", True)


def hash_of(key: str) -> str:
    """What the index keeps of a key."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def add_key(store: Store, name: str, role: Role) -> str:
    """A new key, which is shown once and never again."""
    key = MARK + secrets.token_urlsafe(32)
    if not name or len(name) > 100 or not name.isprintable():
        raise PlanError(["the name of a key must have 1 to 100 characters that can be printed"])
    if not store.set_role(name, role, hash_of(key)):
        raise PlanError([f"there is a key {name!r} already: revoke it, or choose another name"])
    return key


def revoke_key(store: Store, name: str) -> None:
    """Take a key back; running services refuse it within some seconds."""
    if not store.set_role(name, None):
        names = ", ".join(store.roles()) or "none"
        raise PlanError([f"there is no key {name!r}; there are: {names}"])


class Access:
    """The keys as they were read last; once there are any, nobody comes in without."""

    def __init__(self, roles: dict[str, tuple[str, str]], needs_keys: bool) -> None:
        self._roles, self.needs_keys = roles, needs_keys or bool(roles)

    def update(self, roles: dict[str, tuple[str, str]]) -> None:
        """Go by these keys from now on; that the last one is gone opens nothing."""
        self._roles, self.needs_keys = roles, self.needs_keys or bool(roles)

    def caller(self, authorization: str) -> Caller | None:
        """Who comes with this header; None for whoever must not come in."""
        scheme, _, key = authorization.partition(" ")
        if scheme.lower() != "bearer":
            return None if self.needs_keys else ANYBODY
        hashed, result = hash_of(key.strip()), None
        for name, (role, known) in self._roles.items():
            if hmac.compare_digest(hashed, known):
                result = Caller(name, role == "write")
        return result if self.needs_keys else ANYBODY
