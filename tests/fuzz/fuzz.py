"""Feeds made-up bytes to every target for a while: ``python tests/fuzz/fuzz.py --seconds 60``.

A target is a pair (name, function of bytes); every module ``fuzz_*.py`` beside this one lists its
own as ``TARGETS``. A function may raise TwinsetError, which is an answer; anything else is a fault.
The input at work is always in ``build/fuzz/input``, so that it survives a crash.
"""

from __future__ import annotations

import argparse
import faulthandler
import importlib
import random
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from twinset.errors import TwinsetError

Target = tuple[str, Callable[[bytes], object]]

HERE = Path(__file__).parent
KEPT = HERE.parent.parent / "build" / "fuzz" / "input"
SEEDS = [
    b"",
    b"The quick brown fox. " * 20,
    "Съешь же ещё этих мягких французских булок. ".encode() * 5,
    "e\u0301\u0323 \u1100\u1161\u11a8 漢字かな हिन्दी ไทย 👨\u200d👩\u200d👧 İΣς ".encode() * 3,
    b'{"id": 1, "text": "a\\u00e9\\n"}\n' * 3,
    b'id,text\n1,"a ""b"""\n',
    b"<html><body><p>Text &amp; more</p><!-- x --></body></html>",
]


def targets() -> list[Target]:
    """All targets of all modules, in the order of their names."""
    sys.path.insert(0, str(HERE))
    modules = sorted(path.stem for path in HERE.glob("fuzz_*.py"))
    return [one for name in modules for one in importlib.import_module(name).TARGETS]


def make_input(rng: random.Random) -> bytes:
    """Random bytes, or a seed that was cut, joined, repeated and overwritten here and there."""
    if rng.random() < 0.2:
        return rng.randbytes(rng.randrange(300))
    data = bytearray(rng.choice(SEEDS))
    for _ in range(rng.randrange(6)):
        at = rng.randrange(len(data) + 1)
        change = rng.randrange(5)
        if change == 0:
            del data[at:]
        elif change == 1:
            data[at:at] = rng.randbytes(rng.randrange(5))
        elif change == 2:
            data[at:at] = rng.choice(SEEDS)
        elif change == 3 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        else:
            data = data[at:] + data[:at]
    return bytes(data) * (rng.randrange(1, 200) if rng.random() < 0.02 else 1)


def try_one(target: Target, data: bytes) -> bool:
    """Whether the target took the input without a fault."""
    name, function = target
    KEPT.write_bytes(data)
    try:
        function(data)
    except TwinsetError:
        pass
    except Exception:
        print(f"{name} failed on {data!r}\n{traceback.format_exc()}", file=sys.stderr)
        return False
    return True


def main() -> int:
    """Run all targets in turn until the time is up or one fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=None, help="default: another one every time")
    options = parser.parse_args()
    seed = random.SystemRandom().randrange(2**32) if options.seed is None else options.seed
    faulthandler.enable()
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    rng, all_targets, runs = random.Random(seed), targets(), 0
    end = time.monotonic() + options.seconds
    while time.monotonic() < end:
        data = make_input(rng)
        if not all(try_one(target, data) for target in all_targets):
            print(f"seed {seed}, input kept in {KEPT}", file=sys.stderr)
            return 1
        runs += 1
    print(f"{runs} inputs, {len(all_targets)} targets, seed {seed}: no fault")
    return 0


if __name__ == "__main__":
    sys.exit(main())
