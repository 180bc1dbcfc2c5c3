"""A trained model: what it learnt, saved and loaded, and put to use on documents at hand."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from twinset.engine.documents import ids_of
from twinset.engine.opening import open_documents
from twinset.methods.similarity_model import SimilarityModel, read_model
from twinset.model import Floats
from twinset.model import compute as pc
from twinset.plan import Plan, Reading, Resources, reading_arguments, reads_documents
from twinset.report.files import ensure_free_file, write_file

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Match(NamedTuple):
    """A near-duplicate of the document that was asked for; the score is 0.5 or more."""

    id: str
    score: float


@dataclass(frozen=True)
class Model:
    """A learnt decision on pairs of documents.

    ``training`` has the figures: pairs, the choice of C and gamma, and the confusion of held out
    pairs beside that of the best single similarity.
    """

    similarity: SimilarityModel

    @property
    def features(self) -> tuple[str, ...]:
        """The similarities that are weighed up."""
        return self.similarity.features

    @property
    def training(self) -> dict[str, Any]:
        """The figures of the training, as plain values."""
        return self.similarity.training

    def save(self, path: str | os.PathLike[str], force: bool = False) -> Path:
        """Write the model to one JSON file; ``force`` replaces an older one."""
        ensure_free_file(path, force, "model.json")
        return write_file(path, self.similarity.as_json().encode())

    @reads_documents
    def query(
        self,
        document: str,
        documents: Any,
        *,
        least: float = 0.5,
        threads: int | None = None,
        **reading: Unpack[Reading],
    ) -> list[Match]:
        """The near-duplicates of a text among documents, best first.

        They are those that `twinset.find` pairs with it by this model. ``documents`` are what
        `twinset.find` takes; options such as ``text`` say how they are read.
        """
        given = reading_arguments(reading, "query")
        resources = Resources.make(threads)
        opened, _ = open_documents(documents, Plan.make(**given), resources, given)
        matches: list[Match] = []
        for batch in opened.batches():
            if len(batch):
                scores = self._scores(document, batch.texts, resources.threads)
                good = np.flatnonzero(scores >= least)
                ids = ids_of(batch)
                matches += [Match(ids[int(row)].as_py(), float(scores[row])) for row in good]
        return sorted(matches, key=lambda match: -match.score)

    def _scores(self, document: str, texts: pa.Array, threads: int) -> Floats:
        model = self.similarity
        profiles = model.profiles()
        words = profiles.add([document], threads).lengths
        words = np.concatenate([words, profiles.add(texts, threads).lengths])
        first, second = (
            np.zeros(len(texts), np.uint32),
            np.arange(1, len(texts) + 1, dtype=np.uint32),
        )
        scores = model.svm.scores(model.decide(profiles, first, second, threads))
        near = profiles.nearness(first, second, threads) >= model.level.least - 1e-12
        same = np.asarray(pc.equal(pc.fill_null(texts, ""), document), bool)
        decided: Floats = np.where(same, 1.0, np.where(near, scores, 0.0))
        return np.where((words[1:] > 0) & (words[0] > 0), decided, 0.0)

    def __repr__(self) -> str:
        svm, held = self.similarity.svm, self.training.get("held_out", {})
        f1 = f", F1 {held['model']['f1']:.3f} on held out pairs" if held else ""
        return f"<twinset model: {svm.kernel} kernel, {len(self.features)} features{f1}>"


def load_model(path: str | os.PathLike[str]) -> Model:
    """A model from the file that `Model.save` or 'twinset learn' wrote.

    >>> from twinset import learn
    >>> texts = {str(n): " ".join(f"word{n * k % 97}" for k in range(12)) for n in range(1, 31)}
    >>> model = learn(texts, ops=["truncate:10%"], features="words.cosine,words.jaccard")
    >>> load_model(model.save("model.json")).features
    ('words.cosine', 'words.jaccard')
    """
    return Model(read_model(Path(path)))
