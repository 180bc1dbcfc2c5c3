"""A model looks at words in the forms it was trained with, wherever it is used."""

from __future__ import annotations

from pathlib import Path

import pytest

import twinset
from tests.text.russian import INFLECTED, LETTER, OTHER
from twinset.errors import PlanError
from twinset.finding.methods.similarity_model import read_model

NUMBERS = {str(n): " ".join(f"слово{n * k % 97}" for k in range(12)) for n in range(1, 31)}
DOCUMENTS = NUMBERS | {"letter": LETTER, "other": OTHER}
OPTIONS = {"ops": ["truncate:10%"], "features": "words.cosine,words.jaccard", "text_top": 100}


def test_a_model_keeps_forms_and_synonyms(tmp_path: Path) -> None:
    synonyms = tmp_path / "synonyms.txt"
    synonyms.write_text("молот, кувалда\n", encoding="utf-8")
    plain = twinset.learn(DOCUMENTS, **OPTIONS)
    model = twinset.learn(DOCUMENTS, **OPTIONS, forms="stem", synonyms=str(synonyms))
    synonyms.unlink()  # a model needs no file beside it
    path = model.save(tmp_path / "model.json")
    assert read_model(path).words == model.similarity.words
    rows = [*DOCUMENTS.items(), ("copy", INFLECTED.replace("молоты", "кувалды"))]
    found = twinset.find(rows, method=f"learned:model={path}").pairs
    assert [(row["left"], row["right"]) for row in found.to_pylist()] == [("letter", "copy")]
    plain_path = plain.save(tmp_path / "plain.json")
    assert not len(twinset.find(rows, method=f"learned:model={plain_path}").pairs)


def test_a_model_takes_no_file_of_stop_words() -> None:
    with pytest.raises(PlanError, match=r"leave 'mine\.txt' out of stop"):
        twinset.learn(DOCUMENTS, **OPTIONS, stop="ru+mine.txt")
