"""The errors a user can meet. Each message states the fault, the value and the remedy."""

from __future__ import annotations

from twinset.extras import remedy


class TwinsetError(Exception):
    """Any fault that is not a bug in twinset; the command line prints it without a traceback."""


class PlanError(TwinsetError):
    """Options that do not fit; ``faults`` lists all of them, not only the first."""

    def __init__(self, faults: list[str]) -> None:
        self.faults = faults
        super().__init__("; ".join(faults))


class ReadError(TwinsetError):
    """An input that cannot be read, with the file and, where known, the line."""

    def __init__(self, source: str, line: int | None, fault: str) -> None:
        self.source, self.line, self.fault = source, line, fault
        place = source if line is None else f"{source}:{line}"
        super().__init__(f"{place}: {fault}")


class ReportError(TwinsetError):
    """A report folder that cannot be written or read."""


class MissingExtraError(TwinsetError):
    """An optional package that is not installed, with the command that installs it."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed: {remedy(extra)}")


class ModelError(TwinsetError):
    """A model file that cannot be used."""


class Stopped(BaseException):
    """Work that was ended on request, by a signal or a `StopFlag`.

    Like ``KeyboardInterrupt`` it is no ``Exception``: what takes faults for results must not go on.
    """
