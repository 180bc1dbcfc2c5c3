"""Little memory, and limits on the address space (``ulimit -v``): how to stay within them.

A limit on the address space counts what is reserved, not what is used. Arrow's usual allocator
reserves 1 GB at first use if it can, and does without if it cannot: a limit of 1.4 GB leaves
nothing for the work, while 0.8 GB is enough.
"""

from __future__ import annotations

import os
import resource
from contextlib import suppress

_M_ARENA_MAX = -8  # of glibc's malloc.h
_STACK = 2 << 20
SCARCE = 512 << 20
"""Bytes of memory up to which a run takes care of every megabyte."""


def address_space() -> int | None:
    """The limit in bytes; None where there is none."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if limit == resource.RLIM_INFINITY else limit


def spare_address_space() -> None:
    """Under a limit let Arrow take memory from the system as it needs it; children do the same.

    NumPy's algebra, which no command needs on several processors, would start a thread and reserve
    a buffer for each. Both libraries read this when they are loaded, so it has to be set before.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if address_space() is None:
        return
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    import ctypes
    import threading

    # The C library reserves 64 MB of address space for a thread, and 8 MB for its stack. A thread
    # of Python that finds nothing left when it begins is waited for without end.
    threading.stack_size(_STACK)
    with suppress(AttributeError, OSError):  # another C library
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)


def spare_memory(memory: str | None) -> None:
    """Where little memory is asked for, let Arrow take it from the system.

    Its usual allocator keeps what threads have freed: about 30 MB for a run, whatever is asked for.
    Only a command may decide on that: the program that calls the library has arrays of its own.
    """
    from twinset.plan.resources import parse_bytes

    if memory is not None and parse_bytes(memory) <= SCARCE:
        import pyarrow as pa

        pa.set_memory_pool(pa.system_memory_pool())


def is_for_want_of_memory(fault: Exception) -> bool:
    """Whether memory ran out, maybe for a library to be loaded or a thread to be started."""
    if isinstance(fault, MemoryError):
        return True
    signs = "failed to map segment", "cannot allocate memory", "can't start new thread"
    return any(sign in str(fault).lower() for sign in signs)


def short_of_memory() -> str:
    """The message when memory ran out."""
    limit = address_space()
    if limit is None:
        return "out of memory; give a smaller --memory or fewer --threads"
    return (
        f"out of memory: the address space is limited to {limit >> 20}MB (ulimit -v); "
        "raise the limit, or give a smaller --memory or fewer --threads"
    )
