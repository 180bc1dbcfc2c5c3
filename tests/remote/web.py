"""A small web server on this machine whose answers can go wrong."""

from __future__ import annotations

import contextlib
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Site:
    """Files by path, and how they are served.

    ``cuts`` is how often a connection is cut after half of an answer; ``sent`` counts bytes.
    """

    files: dict[str, bytes]
    has_ranges: bool = True
    has_length: bool = True
    cuts: int = 0
    status: int = 200
    sent: Counter[str] = field(default_factory=Counter)
    address: str = ""


def handler(site: Site) -> type[BaseHTTPRequestHandler]:
    class Answer(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self._head(site.files.get(self._path()))

        def do_GET(self) -> None:
            data = self._head(site.files.get(self._path()))
            if site.cuts > 0 and len(data) > 1 << 16:
                site.cuts -= 1
                self._send(data[: len(data) // 2])
                self.close_connection = True
                self.connection.close()
                return
            self._send(data)

        def _path(self) -> str:
            return self.path.partition("?")[0]

        def _send(self, data: bytes) -> None:
            with contextlib.suppress(OSError):
                site.sent[self._path()] += len(data)
                if site.has_length:
                    self.wfile.write(data)
                    return
                for begin in range(0, len(data), 1 << 16):
                    part = data[begin : begin + (1 << 16)]
                    self.wfile.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
                if len(data) == len(site.files[self._path()]):
                    self.wfile.write(b"0\r\n\r\n")

        def _head(self, data: bytes | None) -> bytes:
            if data is None or site.status != 200:
                self.send_response(404 if data is None else site.status)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return b""
            asked = self.headers.get("Range")
            if site.has_ranges and asked:
                first, _, last = asked.removeprefix("bytes=").partition("-")
                begin, end = int(first), min(int(last or len(data)), len(data) - 1)
                self.send_response(206)
                self.send_header("Content-Range", f"bytes {begin}-{end}/{len(data)}")
                data = data[begin : end + 1]
            else:
                self.send_response(200)
            if site.has_length:
                self.send_header("Content-Length", str(len(data)))
            else:
                self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            return data

        def log_message(self, *_: object) -> None:
            pass

    return Answer


@contextlib.contextmanager
def serving(site: Site) -> Iterator[Site]:
    """The site while it can be reached."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(site))
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    site.address = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
