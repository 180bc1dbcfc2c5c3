"""What a service is started with."""

from __future__ import annotations

from twinset.lazy_dataclass import dataclass

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class ServiceSettings:
    """The index, the address, and the bounds of a request.

    ``is_open`` says that anybody who reaches another address than this machine's may come in
    without a key, as long as there are no keys.
    """

    place: str
    host: str = "127.0.0.1"
    port: int = 8760
    workers: int = 1
    is_open: bool = False
    most_bytes: int = 16 << 20
    most_documents: int = 1000
    most_waiting: int = 256
    timeout: float = 30.0

    @property
    def most_bytes_at_once(self) -> int:
        """Bytes of all requests that are being read or worked on."""
        return 8 * self.most_bytes

    @property
    def is_local(self) -> bool:
        """Whether only programs of this machine reach the service."""
        return self.host in LOOPBACK
