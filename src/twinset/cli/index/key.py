"""``twinset index key``: who may use the service of an index."""

from __future__ import annotations

from typing import Annotated

import click

from twinset.cli.index import IndexPlace
from twinset.cli.options import Json, Quiet
from twinset.cli.output import print_json, say_table
from twinset.cli.parameters import argument, option
from twinset.errors import PlanError, did_you_mean

ACTIONS = ("add", "list", "revoke")


def command(
    action: Annotated[str, argument(metavar="add|list|revoke", help="What to do.")],
    place: IndexPlace,
    name: Annotated[
        str | None, argument(metavar="NAME", help="Name of the key, for add and revoke.")
    ] = None,
    role: Annotated[
        str | None,
        option(
            "--role",
            metavar="read|write",
            help="What a new key allows; write includes read.",
            shown="read",
        ),
    ] = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Make, list and revoke the keys that 'twinset serve' lets in.

    A new key is printed once; the index keeps a hash of it. Once there is a key, nobody comes in
    without one. A running service refuses a revoked key within some seconds.

    \b
    Example:
      twinset index key add pages newsroom --role write
      twinset index key list pages
      twinset index key revoke pages newsroom
    """
    from twinset.index.index import open_store
    from twinset.service.access import ROLES, add_key, revoke_key

    if action not in ACTIONS:
        meant = did_you_mean(action, ACTIONS)
        raise PlanError([f"there is no key {action}; {meant}choose add, list or revoke"])
    if (action == "list") != (name is None):
        raise PlanError(["key list takes no name, and key add and key revoke need one"])
    if role is not None and action != "add":
        raise PlanError([f"--role says what a new key allows: key {action} takes none"])
    allowed = next((each for each in ROLES if each == (role or "read")), None)
    if allowed is None:
        raise PlanError([f"--role {role} is neither read nor write; choose one of them"])
    if place.startswith(("http://", "https://")):
        raise PlanError([f"keys are changed where the index lies, not over {place}"])
    store = open_store(place)
    try:
        if action == "add":
            key = add_key(store, name or "", allowed)
            if json:
                print_json({"name": name, "role": allowed, "key": key})
            else:
                click.echo(f"The key {name} may {allowed}. It is shown this once:", err=True)
                click.echo(key)
        elif action == "revoke":
            revoke_key(store, name or "")
            click.echo(f"Revoked: {name}. Services refuse it within some seconds.", err=True)
        else:
            rows = [(each, given) for each, (given, _) in store.roles().items()]
            if json:
                print_json([{"name": each, "role": given} for each, given in rows])
            else:
                say_table([("name", "role"), *rows], right=False)
    finally:
        store.close()
