"""``twinset.learn``: a model from documents and labelled or generated pairs."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from twinset.engine.opening import open_documents
from twinset.engine.progress import Progress, Silent
from twinset.errors import PlanError
from twinset.lab.evaluation.list_columns import Kind, ListFormat, column_names
from twinset.lab.evaluation.list_files import read_list
from twinset.lab.generation import Recipe, generate
from twinset.lab.learning.examples import Prepared, prepare, profiled, survey
from twinset.lab.learning.features import Learning
from twinset.lab.learning.held_out import check_enough, judged
from twinset.lab.learning.labels import Labelled, labelled
from twinset.lab.learning.options import Weights
from twinset.lab.learning.result import Model
from twinset.lab.learning.training import require_sklearn, train
from twinset.methods.profiles import views_of
from twinset.methods.similarity_model import SimilarityModel
from twinset.model import Documents
from twinset.plan import Plan, Reading, Resources, reading_arguments, reads_documents
from twinset.plan.shared import Kernel

if TYPE_CHECKING:
    from typing_extensions import Unpack


@reads_documents
def learn(
    documents: Any,
    labels: Any = None,
    *,
    grade: float | None = None,
    labels_kind: Kind = "auto",
    labels_columns: str | Sequence[str] = (),
    ops: Sequence[str] | None = None,
    recipe: Recipe | str | None = None,
    limit: int | None = None,
    variants: int = 1,
    features: Sequence[str] | str | None = None,
    kernel: Kernel | None = None,
    c: float | None = None,
    gamma: float | None = None,
    class_weight: Weights | None = None,
    degree: int | None = None,
    coef0: float | None = None,
    folds: int | None = None,
    seed: int | None = None,
    improve: bool | None = None,
    text_top: int | None = None,
    sentence_top: int | None = None,
    shingle: int | None = None,
    stop: str | None = None,
    forms: str | Any = None,
    synonyms: str | None = None,
    candidate_recall: float | None = None,
    negatives: float | None = None,
    training_pairs: int | None = None,
    max_terms: int | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    progress: Progress | None = None,
    **reading: Unpack[Reading],
) -> Model:
    """A model that tells near-duplicates from others, trained on pairs of these documents.

    >>> texts = {str(n): " ".join(f"word{n * k % 97}" for k in range(12)) for n in range(1, 31)}
    >>> model = learn(texts, ops=["truncate:10%"], features="words.cosine,words.jaccard")
    >>> model.training["positive"], model.training["negative"]
    (30, 150)
    >>> model.query(texts["7"], texts)
    [Match(id='7', score=1.0)]

    ``labels``: a file, a table, (id, id, label) tuples, (id, id) near-duplicates or a dictionary of
    id to cluster; ``grade`` is the least label of a near-duplicate. Without labels ``ops`` or a
    ``recipe`` make ``variants`` of ``limit`` documents (as in `twinset.generate`). ``features`` are
    names as words.cosine or signals.lcs, or of sets (usual, paper, sentences, signals). The other
    options are fields of `Learning`, of its views and its training, and of ``twinset.read``. A
    machine that is asked for (``kernel``, ``c``, ``gamma``, ``class_weight``) is kept as it was
    trained, unless ``improve`` is given.
    """
    read = reading_arguments(reading, "learn")
    require_sklearn()
    making = ops is not None or recipe is not None
    if making == (labels is not None):
        raise PlanError(
            ["give either labels (--labels FILE) or operations that make near-duplicates (--op)"]
        )
    learning = Learning.make(
        features,
        kernel=kernel,
        c=c,
        gamma=gamma,
        class_weight=class_weight,
        degree=degree,
        coef0=coef0,
        folds=folds,
        seed=seed,
        improve=improve,
        text_top=text_top,
        sentence_top=sentence_top,
        shingle=shingle,
        stop=stop,
        forms=forms,
        synonyms=synonyms,
        within=reading.get("within", ()),
        candidate_recall=candidate_recall,
        negatives=negatives,
        training_pairs=training_pairs,
        max_terms=max_terms,
    )
    resources = Resources.make(threads, memory)
    bar = progress or Silent()
    if not making:
        form = ListFormat("--labels", labels_kind, column_names(labels_columns), graded=True)
        opened, _ = open_documents(documents, Plan.make(**read), resources, read)
        return _learn(opened, labels, grade, form, learning, resources, bar)
    collection = generate(
        documents,
        ops=ops,
        recipe=recipe,
        limit=limit,
        variants=variants,
        originals="all",
        seed=learning.training.seed,
        threads=resources.threads,
        **read,
    )
    rows = [(document.id, document.text) for document in collection.documents]
    kinds = {name: read[name] for name in ("html", "page_text", "repeated")}
    opened, _ = open_documents(rows, Plan.make(**kinds), resources, {})
    pairs = [(pair.left, pair.right) for pair in collection.truth]
    return _learn(
        opened, pairs, None, ListFormat("--labels"), learning, resources, bar, generated=True
    )


def _learn(
    documents: Documents,
    labels: Any,
    grade: float | None,
    form: ListFormat,
    options: Learning,
    resources: Resources,
    progress: Progress,
    *,
    generated: bool = False,
) -> Model:
    threads = resources.threads
    counted = survey(documents, options, threads, progress)
    listed = read_list(labels, dataclasses.replace(form, known=counted.ids))
    pairs = labelled(listed, counted.ids, grade, options.training.seed)
    used = None if pairs.open else np.unique(np.concatenate([pairs.left, pairs.right]))
    viewed = options
    if generated:  # to know which sources are alike themselves
        names = views_of([*(f"{view}.x" for view in options.views.names), "shingles.x"])
        viewed = dataclasses.replace(options, views=dataclasses.replace(options.views, names=names))
    profiles = profiled(documents, counted.known, viewed, used, threads, progress)
    count = len(counted.ids)
    ready = prepare(profiles, pairs, used, count, options, threads, generated=generated)
    progress.stage("training", None)
    training = _trained(ready, pairs, options, count)
    return Model(
        SimilarityModel(
            options.features,
            options.views,
            counted.known,
            training.pop("svm"),
            ready.level,
            training | {"generated": generated},
            options.words,
        )
    )


def _trained(ready: Prepared, pairs: Labelled, options: Learning, documents: int) -> dict[str, Any]:
    check_enough(ready.examples, options.training.folds)
    final = train(options.features, ready.examples, options.training)
    held = judged(options.features, ready.examples, options.training, final)
    return {
        "svm": final.svm,
        "documents": documents,
        **ready.facts,
        "kernel": options.training.kernel,
        "class_weight": options.training.class_weight,
        "c": final.c,
        "gamma": None if options.training.kernel == "linear" else final.gamma,
        "folds": options.training.folds,
        "seed": options.training.seed,
        "cross_validated_f1": final.f1,
        "support_vectors": len(final.svm.vectors),
        "single": final.single and final.single.feature,
        "improved": options.training.improve,
        "machine_f1": final.machine,
        "boundary": {"g": final.cut, "cross_validated_f1": final.moved},
        "best_single": {
            "feature": final.best.feature,
            "threshold": final.best.threshold,
            "rises": final.best.rises,
            "cross_validated_f1": final.alone,
        },
        "sought": pairs.open,
        "held_out": held,
    }
