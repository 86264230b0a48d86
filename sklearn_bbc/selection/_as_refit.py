"""A rule as the `refit` callable of a scikit-learn search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..metrics import Metric
from ..predictions import OOFPredictions
from ._folds import FoldTable


class AsRefit:
    """Apply a rule to the fold scores in ``cv_results_``.

    Parameters
    ----------
    selection : Selection
        A rule that needs nothing but scores per fold and parameters.
    name : str, default="score"
        Metric in ``split*_test_<name>``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn_bbc.selection import AsRefit, OneStandardError
    >>> rule = OneStandardError([("n_neighbors", "larger is simpler")])
    >>> search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5, 15, 45]},
    ...                       refit=AsRefit(rule))
    >>> search.fit(*load_iris(return_X_y=True)).best_params_
    {'n_neighbors': 15}
    """

    def __init__(self, selection: Any, name: str = "score") -> None:
        self.selection = selection
        self.name = name

    def __call__(self, cv_results: Mapping[str, Any]) -> int:
        """Index of the selected configuration.

        Parameters
        ----------
        cv_results : dict
            As a search makes it.

        Returns
        -------
        int
            The index.

        Raises
        ------
        ValueError
            If there are no scores per split, or nothing can be selected.
        """
        if self.selection.takes_cv_results:
            return self.selection(cv_results)
        columns: list[np.ndarray] = []
        while f"split{len(columns)}_test_{self.name}" in cv_results:
            columns.append(np.asarray(cv_results[f"split{len(columns)}_test_{self.name}"]))
        if not columns:
            raise ValueError(
                f"cv_results_ has no split*_test_{self.name}; it has {sorted(cv_results)}. Give "
                "AsRefit the name of a metric of the search."
            )
        scores = np.array(columns, dtype=float)
        oof = OOFPredictions(
            y_true=[],
            classes=None,
            fold_scores={self.name: scores},
            params=[dict(each) for each in cv_results["params"]],
        )
        table = FoldTable(Metric(name=self.name, scorer=_known_by_folds), scores)
        config = int(self.selection.bind(oof, table).on_all()["config"][0])
        if config < 0:
            raise ValueError("No configuration has a score in every fold: nothing to select.")
        return config


def _known_by_folds(estimator: Any, X: Any, y: Any) -> float:
    raise ValueError("This metric is known by its fold scores only; it cannot be computed.")
