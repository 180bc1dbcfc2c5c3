"""Python objects through a socket: large arrays and bytes go as they are, without a copy."""

from __future__ import annotations

import pickle
import socket
import struct
from typing import Any

_COUNT, _SIZE = struct.Struct("<I"), struct.Struct("<Q")
_MOST_AT_ONCE = 64  # buffers in one call of the system


def send(link: socket.socket, message: Any) -> None:
    """Send an object; what `pickle.PickleBuffer` wraps is sent from where it lies."""
    buffers: list[pickle.PickleBuffer] = []
    packed = pickle.dumps(message, protocol=5, buffer_callback=buffers.append)
    parts = [memoryview(packed), *(buffer.raw() for buffer in buffers)]
    sizes = b"".join(_SIZE.pack(part.nbytes) for part in parts)
    waiting = [
        memoryview(_COUNT.pack(len(parts)) + sizes),
        *(part for part in parts if part.nbytes),
    ]
    while waiting:
        sent = link.sendmsg(waiting[:_MOST_AT_ONCE])
        while waiting and sent >= waiting[0].nbytes:
            sent -= waiting.pop(0).nbytes
        if sent:
            waiting[0] = waiting[0][sent:]


def receive(link: socket.socket) -> Any:
    """The next object; raises `EOFError` where the other side has closed its end."""
    (count,) = _COUNT.unpack(_received(link, _COUNT.size))
    sizes = _SIZE.iter_unpack(_received(link, count * _SIZE.size))
    packed, *buffers = [_received(link, size) for (size,) in sizes]
    return pickle.loads(packed, buffers=buffers)


def _received(link: socket.socket, size: int) -> bytearray:
    data = bytearray(size)
    view = memoryview(data)
    while view:
        count = link.recv_into(view)
        if not count:
            raise EOFError
        view = view[count:]
    return data
