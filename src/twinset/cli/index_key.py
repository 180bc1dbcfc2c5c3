"""``twinset index key``: who may use the service of an index."""

from __future__ import annotations

import click

from twinset.cli.output import print_json, say_table
from twinset.errors import PlanError
from twinset.index.index import open_store
from twinset.service.access import ROLES, Role, add_key, revoke_key

ACTIONS = ("add", "list", "revoke")


def run_key(action: str, place: str, name: str | None, role: Role | None, json: bool) -> None:
    """Add, list or revoke keys of the index at a place."""
    if action not in ACTIONS:
        raise PlanError([f"{action!r} is none of add, list and revoke"])
    if action != "list" and name is None:
        raise PlanError([f"key {action} needs the name of a key"])
    if action == "list" and name is not None:
        raise PlanError(["key list takes no name"])
    if role is not None and (action != "add" or role not in ROLES):
        raise PlanError(["--role read or --role write says what a new key allows"])
    if place.startswith(("http://", "https://")):
        raise PlanError([f"keys are changed where the index lies, not over {place}"])
    store = open_store(place)
    try:
        if action == "add":
            key = add_key(store, name or "", role or "read")
            click.echo(f"The key {name} may {role or 'read'}. It is shown this once:", err=True)
            click.echo(key)
        elif action == "revoke":
            revoke_key(store, name or "")
            click.echo(f"Revoked: {name}. Services refuse it within some seconds.", err=True)
        else:
            rows = [(each, allowed) for each, (allowed, _) in store.roles().items()]
            if json:
                print_json([{"name": each, "role": allowed} for each, allowed in rows])
            else:
                say_table([("name", "role"), *rows], right=False)
    finally:
        store.close()
