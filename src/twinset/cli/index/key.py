"""``twinset index key``: who may use the service of an index."""

from __future__ import annotations

import sys
from typing import Annotated

from twinset.cli.index import IndexPlace
from twinset.cli.options import Json, Quiet
from twinset.cli.output import print_json, say, say_table
from twinset.cli.parameters import argument, option
from twinset.errors import PlanError

ACTIONS = ("add", "list", "revoke")


def command(
    action: Annotated[str, argument(metavar="add|list|revoke", help="What to do.")],
    place: IndexPlace,
    name: Annotated[
        str | None, argument(metavar="NAME", help="Name of the key to add or to revoke.")
    ] = None,
    role: Annotated[
        str | None,
        option("--role", metavar="read|write", help="What a new key allows.", shown="read"),
    ] = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Add, list or revoke keys of the service; a new key is printed once, its hash is kept.

    \b
    Example:
      twinset index key add pages newsroom --role write
      twinset index key list pages
      twinset index key revoke pages newsroom
    """
    from twinset.index.index import SERVICES, open_store
    from twinset.service.access import ROLES, Role, add_key, revoke_key

    if action not in ACTIONS:
        raise PlanError([f"'{action}' is none of add, list and revoke"])
    if (action == "list") != (name is None):
        takes = "takes no name" if action == "list" else "needs the name of a key"
        raise PlanError([f"key {action} {takes}"])
    if role is not None and (action != "add" or role not in ROLES):
        raise PlanError(["--role read or --role write says what a new key allows"])
    if place.startswith(SERVICES):
        raise PlanError([f"keys are changed where the index lies, not over {place}"])
    store = open_store(place)
    try:
        if name is None:
            rows = [(each, allowed) for each, (allowed, _) in store.roles().items()]
            if json:
                print_json([{"name": each, "role": allowed} for each, allowed in rows])
            else:
                say_table([("name", "role"), *rows], right=False)
        elif action == "add":
            allowed: Role = "write" if role == "write" else "read"
            key = add_key(store, name, allowed)
            if json:
                print_json({"name": name, "role": allowed, "key": key})
            else:
                print(f"The key {name} may {allowed}. It is shown this once:", file=sys.stderr)
                say(key)
        else:
            revoke_key(store, name)
            if json:
                print_json({"name": name, "revoked": True})
            else:
                say(f"Revoked: {name}. Services refuse it within some seconds.")
    finally:
        store.close()
