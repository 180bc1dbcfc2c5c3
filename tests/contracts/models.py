"""Methods made ready to run: one that needs a model gets one, trained here on small documents."""

from __future__ import annotations

import atexit
import itertools
import random
import shutil
import tempfile
from functools import cache
from pathlib import Path

from tests.contracts.collection import collection
from twinset.plan import spec as parts

EXPERTS = "0.5 lcs -4.0 3.0; 0.25 cosine2 -2.0 2.0; 0.25 jaccard3+z5c -3.0 1.5 1.0"


def ready(method: str) -> str:
    """The method's spec with what it cannot run without."""
    name, _, rest = method.partition(":")
    known = parts.names("method")
    asks = parts.load("method", name).about.asks if name in known else ""
    if not asks or f"{asks}=" in rest:
        return method
    if asks == "field":
        return f"{name}:field=embedding"
    if asks == "experts":
        return f'{name}:experts="{EXPERTS}"' + (f",{rest}" if rest else "")
    return f"{name}:model={model()}" + (f",{rest}" if rest else "")


def edited(text: str, share: float, rng: random.Random) -> str:
    """The text with a share of its words replaced."""
    return " ".join("other" if rng.random() < share else word for word in text.split(" "))


def labelled_collection(documents: int = 30) -> tuple[dict[str, str], list[tuple[str, str, int]]]:
    """Texts with edited copies, of which light ones are near-duplicates; and labels."""
    rng = random.Random(11)
    texts = collection(documents, seed=8)
    # texts of a few words as well: where similarities are all or nothing
    texts |= {f"s{i:02}": " ".join(t.split(" ")[:6]) for i, t in enumerate([*texts.values()][:10])}
    labels = [(a, b, 0) for a, b in itertools.islice(itertools.combinations(texts, 2), 0, 780, 13)]
    for name, text in list(texts.items()):
        for share, label in ((0.0, 1), (0.1, 1), (0.6, 0)):
            copy = f"{name}-{share}"
            texts[copy] = edited(text, share, rng) + ("" if share else "!")
            labels.append((name, copy, label))
    return texts, labels


@cache
def model() -> Path:
    """A model in a file that goes when the tests end."""
    from twinset.lab.learn import learn

    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    texts, labels = labelled_collection()
    return learn(texts, labels, features="paper,length.ratio", c=10, gamma=0.1).save(
        folder / "model.json"
    )
