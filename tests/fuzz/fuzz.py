"""Feeds made-up bytes to every target for a while: ``python tests/fuzz/fuzz.py --seconds 60``.

Every module ``fuzz_*.py`` beside this one lists its own targets as ``TARGETS``; each gets input
that is made out of its own seeds. A function may raise TwinsetError, which is an answer; anything
else is a fault, and so is one input that takes longer than ``SLOW`` seconds. The input at work is
always in ``build/fuzz/input``, so that it survives a crash; those of faults lie beside it.
"""

from __future__ import annotations

import argparse
import faulthandler
import importlib
import logging
import random
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from tests.fuzz.mutation import Target, make_input
from twinset.errors import TwinsetError

HERE = Path(__file__).parent
KEPT = HERE.parent.parent / "build" / "fuzz" / "input"
SLOW = 30


def known_targets() -> list[Target]:
    """All targets of all modules, in the order of their names."""
    modules = sorted(path.stem for path in HERE.glob("fuzz_*.py"))
    return [
        target
        for name in modules
        for target in importlib.import_module(f"tests.fuzz.{name}").TARGETS
    ]


def fault_of(target: Target, data: bytes) -> BaseException | None:
    """What the target died of, if not of a sentence for users; taking too long counts as well."""
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    KEPT.write_bytes(data)
    signal.alarm(SLOW)
    # Compiled code hears no alarm; the whole process ends with a traceback then.
    faulthandler.dump_traceback_later(2 * SLOW, exit=True, file=sys.__stderr__)
    try:
        target.function(data)
    except TwinsetError:
        return None
    except Exception as fault:
        return fault
    finally:
        signal.alarm(0)
        faulthandler.cancel_dump_traceback_later()
    return None


@dataclass
class Faults:
    """What went wrong so far, once for each place in the code, with the input that did it."""

    seen: dict[tuple[str, int], Path] = field(default_factory=dict)

    def add(self, target: Target, data: bytes, fault: BaseException) -> None:
        """Tell a new fault and keep its input."""
        last = traceback.extract_tb(fault.__traceback__)[-1]
        place = (last.filename, last.lineno or 0)
        if place in self.seen:
            return
        self.seen[place] = KEPT.with_name(f"{target.name}-{len(self.seen)}")
        self.seen[place].write_bytes(data)
        shown = "".join(traceback.format_exception(fault))
        print(f"{target.name} failed on {data!r}\n{shown}", file=sys.stderr)
        print(f"its input is kept in {self.seen[place]}\n", file=sys.stderr)


def feed(
    targets: Sequence[Target], rng: random.Random, until: Callable[[int, Faults], bool]
) -> tuple[int, Faults]:
    """Feed the targets in turn; how many inputs there were, and what went wrong."""
    inputs, faults = 0, Faults()
    seeds = {target.name: target.seeds() for target in targets}
    while True:
        for target in targets:
            if until(inputs, faults):
                return inputs, faults
            data = make_input(seeds[target.name], rng)
            if (fault := fault_of(target, data)) is not None:
                faults.add(target, data, fault)
            inputs += 1


def _give_up(number: int, frame: FrameType | None) -> None:
    raise TimeoutError(f"one input took longer than {SLOW} seconds")


def main() -> int:
    """Run all targets in turn until the time is up or one fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=None, help="default: another one every time")
    parser.add_argument("--only", default="", help="targets with this in their name")
    parser.add_argument("--all", action="store_true", help="go on after a fault")
    options = parser.parse_args()
    seed = random.SystemRandom().randrange(2**32) if options.seed is None else options.seed
    faulthandler.enable()
    signal.signal(signal.SIGALRM, _give_up)
    logging.disable()  # broken PDF files make their reader talk
    warnings.simplefilter("ignore")
    chosen = [target for target in known_targets() if options.only in target.name]
    end = time.monotonic() + options.seconds

    def enough(inputs: int, faults: Faults) -> bool:
        return time.monotonic() >= end or bool(faults.seen and not options.all)

    inputs, faults = feed(chosen, random.Random(seed), enough)
    told = f"{len(faults.seen)} faults" if faults.seen else "no fault"
    print(f"{inputs} inputs, {len(chosen)} targets, seed {seed}: {told}")
    return 1 if faults.seen else 0


if __name__ == "__main__":
    sys.exit(main())
