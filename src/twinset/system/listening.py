"""A socket that a server listens at."""

from __future__ import annotations

import socket

from twinset.errors import TwinsetError


def listen(host: str, port: int, backlog: int, or_any: bool = False) -> socket.socket:
    """A socket at this address; ``or_any`` takes a free port where this one is in use."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except (OSError, OverflowError) as fault:
        if not or_any:
            listening.close()
            why = getattr(fault, "strerror", None) or "ports are 0 to 65535"
            raise TwinsetError(
                f"cannot listen at {host}, port {port}: {why}; choose another --port or --host"
            ) from None
        listening.bind((host, 0))
    listening.listen(backlog)
    return listening
