"""scikit-learn: train a model on texts without their near-duplicates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import twinset


class NearDuplicateDropper(TransformerMixin, BaseEstimator):
    """Drops the texts that are near an earlier one of the same X; there is nothing to learn."""

    def __init__(self, threshold: float = 0.8, exact: bool = False) -> None:
        self.threshold, self.exact = threshold, exact

    def fit(self, X: Any, y: Any = None) -> NearDuplicateDropper:
        return self

    def transform(self, X: Any) -> Any:
        return self._findings(X).kept

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """As samplers of imbalanced-learn, which their pipelines call in training only."""
        findings = self._findings(X)
        return findings.kept, np.asarray(y)[findings.mask]

    def _findings(self, X: Any) -> Any:
        return twinset.dedup(X, threshold=self.threshold, exact=self.exact)


reviews = pd.read_csv("reviews.csv")
texts, labels = NearDuplicateDropper().fit_resample(reviews["text"], reviews["label"])
model = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(texts, labels)
