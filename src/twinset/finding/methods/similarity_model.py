"""A learnt decision: which similarities are looked at, and the machine that weighs them up.

A model is one JSON file without code in it: numbers, names, and word counts as base64.

The support vector machine was trained elsewhere, and is applied with NumPy alone:
g(x) = Σ αⱼ K(xⱼ, x) + b over scaled similarity vectors; documents are near-duplicates if g(x) ≥ 0.
Sums run over one component or support vector after the other and not in a library for matrices,
whose results differ from one machine to the next.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from twinset._version import VERSION
from twinset.errors import ModelError
from twinset.finding.candidates.base import Numbers
from twinset.finding.methods.profiles import Known, ViewProfiles, Views, signals_of
from twinset.model import Floats
from twinset.plan import spec
from twinset.plan.shared import Kernel
from twinset.system.bounded import MODEL_BYTES, read_regular
from twinset.text.stopwords import hashes_of
from twinset.text.terms import Frequencies
from twinset.text.wording import WordChoice, rewriter_for

_AT_ONCE = 1 << 19  # kernel values in memory
_DIGITS = 12  # of a score: what is beyond depends on the machine


@dataclass(frozen=True, slots=True)
class Svm:
    """Support vectors with their coefficients; a row of ``vectors`` is a scaled similarity vector.

    A linear machine has one vector, its weights. ``slope`` makes scores of decision values.
    """

    kernel: Kernel
    gamma: float
    coef0: float
    degree: int
    mean: Floats
    scale: Floats
    vectors: Floats
    coefficients: Floats
    intercept: float
    slope: float = 1.0

    def decide(self, x: Floats) -> Floats:
        """g(x) of each row."""
        step = max(1, _AT_ONCE // max(len(self.vectors), 1))
        parts = [self._decide(x[begin : begin + step]) for begin in range(0, len(x), step)]
        return np.concatenate([np.empty(0), *parts])

    def scores(self, decided: Floats) -> Floats:
        """1/(1+exp(−slope·g)): 0.5 is the boundary."""
        with np.errstate(over="ignore"):
            squashed = 1 / (1 + np.exp(-self.slope * decided))
        scores: Floats = squashed.round(_DIGITS)
        return scores

    def _decide(self, x: Floats) -> Floats:
        scaled = (x - self.mean) / self.scale
        decided: Floats = (self._kernel(scaled) * self.coefficients).sum(axis=1) + self.intercept
        return decided

    def _kernel(self, x: Floats) -> Floats:
        total = np.zeros((len(x), len(self.vectors)))
        for column in range(x.shape[1]):
            a, b = x[:, column, None], self.vectors[None, :, column]
            total += (a - b) ** 2 if self.kernel == "rbf" else a * b
        if self.kernel == "linear":
            return total
        if self.kernel == "rbf":
            return np.exp(-self.gamma * total)
        inner = self.gamma * total + self.coef0
        result: Floats = np.tanh(inner) if self.kernel == "sigmoid" else inner**self.degree
        return result


FORMAT = 3
REMEDY = "make the model again with 'twinset lab learn'"
_MARK = "twinset model"
_ARRAYS = ("mean", "scale", "vectors", "coefficients")
_AROUND = ("file", "format", "twinset", "words", "digest", "training")
"""What of a file its digest is not made of."""
_PROBE = ("twinset", "near", "дубликат")


@dataclass(frozen=True, slots=True)
class Level:
    """Where candidates come from: pairs whose tf-idf cosine in a view reaches ``least``.

    ``kept`` is the share of the positive training pairs that do.
    """

    view: str
    least: float
    kept: float


@dataclass(frozen=True)
class SimilarityModel:
    """Everything that decides whether two documents are near-duplicates.

    ``training`` holds the figures of the training as plain values; no decision depends on them.
    """

    features: tuple[str, ...]
    views: Views
    known: Known
    svm: Svm
    level: Level
    training: dict[str, Any] = field(default_factory=dict)
    words: WordChoice | None = None
    wording: ClassVar[str] = ""
    """Of the plan beside it: there is none."""

    def profiles(self) -> ViewProfiles:
        """An empty set of profiles to add documents to."""
        with_signals = bool(signals_of(self.features))
        return ViewProfiles(self.views, self.known, rewriter_for(self.words), with_signals)

    def decide(self, profiles: ViewProfiles, left: Numbers, right: Numbers, threads: int) -> Floats:
        """g(x) of each pair."""
        return self.svm.decide(profiles.vectors(self.features, left, right, threads))

    def digest(self) -> str:
        """A name for what the model decides by: equal for equal models."""
        return _digest(self._decisive())

    def as_json(self) -> str:
        """The model as the text of its file."""
        head = {"file": _MARK, "format": FORMAT, "twinset": VERSION, "words": _probe()}
        whole = head | {"digest": self.digest()} | self._decisive() | {"training": self.training}
        return _text(whole) + "\n"

    def _decisive(self) -> dict[str, Any]:
        svm = dataclasses.asdict(self.svm)
        return {
            "features": list(self.features),
            "views": dataclasses.asdict(self.views),
            "candidates": dataclasses.asdict(self.level),
            "svm": {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in svm.items()},
            "frequencies": {
                kind: {
                    "documents": frequencies.documents,
                    "rare": frequencies.rare,
                    "terms": _packed(frequencies.hashes, "<u8"),
                    "df": _packed(frequencies.df, "<i8"),
                }
                for kind, frequencies in self.known.items()
            },
            **({} if self.words is None else {"words_as": _choice(self.words)}),
        }


def read_model(path: str | Path, within: Sequence[str] = ()) -> SimilarityModel:
    """A model from its file; what cannot be used is reported with the remedy.

    Where ``within`` names folders, the file must lie in one of them.
    """
    try:
        data = read_regular(path, MODEL_BYTES, within)
    except OSError as fault:
        reason = (fault.strerror or str(fault)).lower()
        raise ModelError(f"{path}: {reason}; 'twinset lab learn' makes a model") from None
    return model_of(data, path)


def model_of(data: bytes, path: str | Path) -> SimilarityModel:
    """A model from what its file at a path holds, or held."""
    try:
        raw = json.loads(data.decode())
    except (ValueError, RecursionError):
        raise ModelError(f"{path} is not a model of twinset: {REMEDY}") from None
    if not isinstance(raw, dict) or raw.get("file") != _MARK:
        raise ModelError(f"{path} is not a model of twinset: {REMEDY}")
    _check_version(path, raw)
    try:
        if raw["digest"] != _digest({k: raw[k] for k in raw if k not in _AROUND}):
            raise ValueError("it was changed after it was made")
        return _model(raw)
    except (KeyError, TypeError, ValueError, AttributeError) as fault:
        raise ModelError(f"{path} is broken ({_reason(fault)}): {REMEDY}") from None


def _check_version(path: str | Path, raw: dict[str, Any]) -> None:
    if raw.get("format") != FORMAT:
        raise ModelError(
            f"{path} is a model of format {raw.get('format')} by twinset {raw.get('twinset')}; "
            f"this version reads format {FORMAT}: {REMEDY}, or use that version"
        )
    if raw.get("words") != _probe():
        raise ModelError(
            f"{path} was made by twinset {raw.get('twinset')}, which takes words otherwise than "
            f"this version does: {REMEDY}, or use that version"
        )


def _model(raw: dict[str, Any]) -> SimilarityModel:
    features = tuple(raw["features"])
    views = Views(**raw["views"] | {"names": tuple(raw["views"]["names"])})
    known = {kind: _frequencies(raw["frequencies"][kind]) for kind in views.kinds()}
    arrays: dict[str, Any] = {name: np.array(raw["svm"][name], float) for name in _ARRAYS}
    svm, level = Svm(**(raw["svm"] | arrays)), Level(**raw["candidates"])
    words = _words(raw.get("words_as"))
    return SimilarityModel(features, views, known, svm, level, raw["training"], words)


def _choice(words: WordChoice) -> dict[str, Any]:
    """Forms and synonyms as plain values; a model needs no file beside it."""
    return {"forms": spec.spell("forms", words.forms), "synonyms": [*map(list, words.synonyms)]}


def _words(raw: dict[str, Any] | None) -> WordChoice | None:
    if raw is None:
        return None
    groups = tuple(tuple(map(str, group)) for group in raw["synonyms"])
    return WordChoice(spec.make("forms", str(raw["forms"])), groups)


def _frequencies(raw: dict[str, Any]) -> Frequencies:
    hashes, df = _unpacked(raw["terms"], "<u8"), _unpacked(raw["df"], "<i8")
    return Frequencies(hashes, df, int(raw["documents"]), int(raw["rare"]))


def _probe() -> list[str]:
    """Hashes of some words: another version may hash otherwise, and its counts are then useless."""
    return [f"{int(value):016x}" for value in hashes_of(list(_PROBE))]


def _packed(values: NDArray[Any], kind: str) -> str:
    return base64.b64encode(values.astype(kind).tobytes()).decode()


def _unpacked(text: str, kind: str) -> NDArray[Any]:
    raw = np.frombuffer(base64.b64decode(text, validate=True), kind)
    return raw.astype(np.uint64 if kind == "<u8" else np.int64)


def _digest(decisive: dict[str, Any]) -> str:
    return hashlib.sha256(_text(decisive).encode()).hexdigest()[:16]


def _text(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _reason(fault: Exception) -> str:
    return f"{fault.args[0]} is missing" if isinstance(fault, KeyError) else str(fault)
