"""The value that flows: out-of-fold predictions of every configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from . import _oof_arrays, _oof_io, _oof_responses
from ._scorers import scorer_named
from .results import frozen_array

__all__ = ["OOFPredictions"]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False, init=False)
class OOFPredictions:
    """Out-of-fold predictions of every configuration for every sample.

    A prediction is out-of-fold when the model that made it did not see the sample. The
    predictions are kept as rows, not as a rectangle, so that every splitter fits: K-fold
    has one row per sample, R times repeated K-fold has R, shuffle splits leave some
    samples without any.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Labels, target values, or a structured survival target.
    y_pred : array-like, default=None
        What the metric consumes (scores, labels, probabilities or values), as
        ``(n_samples, n_configs)``, ``(n_samples, n_configs, n_classes)`` or
        ``(n_repeats, n_samples, n_configs[, n_classes])``; ``(n_samples,)`` is one
        configuration. The column names of a DataFrame name the configurations.
    fold : array-like of shape (n_samples,), (n_repeats, n_samples) or (n_rows,), \
            default=None
        Fold in which each sample was held out; any labels, -1 marks samples that were
        never held out. None puts everything in one fold.
    responses : mapping of str to array, default=None
        Instead of `y_pred`: response method (``"predict"``, ``"predict_proba"``,
        ``"decision_function"``) to array ``(n_configs, n_rows[, n_outputs])``. Of two
        classes only the column of the positive one. ``"predict"`` of a classifier holds
        codes into `classes`, with -1 for missing; the others mark missing with NaN.
    sample : array-like of shape (n_rows,), default=None
        With `responses`: sample of each row.
    repeat : array-like of shape (n_rows,), default=None
        With `responses`: repeat of each row. None finds the repeats of repeated K-fold.
    groups : array-like of shape (n_samples,), default=None
        Samples of one group depend on each other; groups are then the resampled units.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each sample in the metric.
    classes : array-like of shape (n_classes,), None or "infer", default="infer"
        Class labels in sorted order; None for a regression target.
    params : sequence of dict, default=None
        The configurations.
    failed : array-like of shape (n_configs,), default=None
        Configurations that failed in some fold; they can never win.
    selected : int, default=None
        Configuration that tuning selected. None lets the methods select by the metric.
    selected_by : str, default="given"
        By whom or by what it was selected, for ``details["winner_by"]`` of results.
    train_size : array-like of shape (n_splits,), default=None
        Number of training samples per split.
    fold_scores : mapping of str to array of shape (n_splits, n_configs), default=None
        Scores per split, greater is better, by metric name.

    Attributes
    ----------
    n_samples, n_configs, n_rows, n_splits, n_repeats : int
        Sizes.
    classes_ : ndarray of shape (n_classes,) or None
        Class labels; None for regression, survival and multi-output targets.

    Raises
    ------
    ValueError
        If shapes do not match, labels are missing, or fold labels do not fit.

    See Also
    --------
    sklearn_bbc.BBCSearchCV : Records these predictions during a search.

    Notes
    -----
    Arrays are kept, not copied, where they have the right form and order already, as those
    of a search have: do not change them afterwards.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 20)
    >>> scores = rng.normal(size=(40, 3)) + y[:, None]
    >>> OOFPredictions(y_true=y, y_pred=scores, fold=np.arange(40) // 8)
    OOFPredictions(n_samples=40, n_configs=3, n_splits=5, n_repeats=1, responses=['plain'])
    """

    y_true: np.ndarray
    responses: Mapping[str, np.ndarray]
    sample: np.ndarray
    fold: np.ndarray
    repeat: np.ndarray
    groups: np.ndarray | None
    sample_weight: np.ndarray | None
    classes_: np.ndarray | None
    params: tuple[Any, ...]
    failed: np.ndarray
    selected: int | None
    selected_by: str
    train_size: np.ndarray | None
    fold_scores: Mapping[str, np.ndarray]

    def __init__(
        self,
        *,
        y_true: Any,
        y_pred: Any = None,
        fold: Any = None,
        responses: Mapping[str, Any] | None = None,
        sample: Any = None,
        repeat: Any = None,
        groups: Any = None,
        sample_weight: Any = None,
        classes: Any = "infer",
        params: Sequence[Any] | None = None,
        failed: Any = None,
        selected: int | None = None,
        selected_by: str = "given",
        train_size: Any = None,
        fold_scores: Mapping[str, Any] | None = None,
    ) -> None:
        y_true = _oof_arrays.column_or_table(_oof_arrays.plain_array(y_true, "y_true"))
        n_samples = len(y_true)
        if y_pred is not None and responses is not None:
            raise ValueError("Give either y_pred or responses, not both.")
        if y_pred is None and not responses and not fold_scores:
            raise ValueError("Give y_pred or responses, or at least fold_scores.")
        if y_pred is not None:
            if sample is not None or repeat is not None:
                raise ValueError("sample and repeat describe rows of responses, not of y_pred.")
            if params is None and isinstance(y_pred, pd.DataFrame):
                params = [{"configuration": name} for name in y_pred.columns]
            rows = _oof_arrays.rows_from_rectangle(y_pred, fold, n_samples)
        else:
            rows = _oof_arrays.rows_from_responses(
                responses or {}, sample, fold, repeat, n_samples
            )
        if isinstance(classes, str) and classes == "infer":
            # Labels are recorded as codes, so fractions in "predict" are a regressor's.
            fractions = "predict" in rows.responses and rows.responses["predict"].dtype.kind == "f"
            classes = None if fractions else _oof_arrays.infer_classes(y_true)
        if classes is not None:
            classes = _oof_arrays.check_classes(
                _oof_arrays.plain_array(classes, "classes"), y_true
            )
        rows.responses = _oof_arrays.settle_responses(rows.responses, classes)
        scores = {k: frozen_array(v, dtype=float) for k, v in (fold_scores or {}).items()}
        for name, array in scores.items():
            if array.ndim != 2 or not array.size:
                raise ValueError(
                    f"fold_scores[{name!r}] has shape {array.shape}, expected (n_splits, "
                    "n_configs)."
                )
        sized = [array.shape[0] for array in rows.responses.values()]
        sized += [array.shape[1] for array in scores.values()]
        n_configs = sized[0]
        if n_configs < 1 or len(set(sized)) > 1:
            raise ValueError(f"The number of configurations is not one number >= 1: {sized}.")

        def keep(name: str, value: Any) -> None:
            object.__setattr__(self, name, value)

        keep("y_true", frozen_array(y_true))
        responses = {name: frozen_array(array) for name, array in rows.responses.items()}
        keep("responses", MappingProxyType(responses))
        keep("sample", frozen_array(rows.sample))
        keep("fold", frozen_array(rows.fold))
        keep("repeat", frozen_array(rows.repeat))
        keep("groups", self._per("groups", groups, n_samples, "sample"))
        keep("sample_weight", self._per("sample_weight", sample_weight, n_samples, "sample"))
        if self.sample_weight is not None and not (
            (self.sample_weight >= 0).all() and self.sample_weight.any()
        ):
            raise ValueError("sample_weight must not be negative, nor zero everywhere.")
        keep("classes_", None if classes is None else frozen_array(classes))
        keep("params", tuple(params) if params is not None else ())
        if self.params and len(self.params) != n_configs:
            raise ValueError(
                f"params has {len(self.params)} entries for {n_configs} configurations."
            )
        failed = np.zeros(n_configs, dtype=bool) if failed is None else failed
        keep("failed", self._per("failed", np.asarray(failed, bool), n_configs, "configuration"))
        keep("selected", _checked_selected(selected, n_configs))
        keep("selected_by", str(selected_by))
        keep("fold_scores", MappingProxyType(scores))
        for name, array in scores.items():
            if len(array) != self.n_splits:
                raise ValueError(
                    f"fold_scores[{name!r}] has {len(array)} splits, but the rows have "
                    f"{self.n_splits}."
                )
        keep("train_size", self._per("train_size", train_size, self.n_splits, "split"))

    @staticmethod
    def _per(name: str, values: Any, size: int, what: str) -> np.ndarray | None:
        if values is None:
            return None
        array = _oof_arrays.plain_array(values, name)
        if array.shape != (size,):
            raise ValueError(
                f"{name} has shape {array.shape}, expected ({size},): one per {what}."
            )
        return frozen_array(array)

    @property
    def n_samples(self) -> int:
        """Number of samples, tested or not."""
        return len(self.y_true)

    @property
    def n_configs(self) -> int:
        """Number of configurations."""
        return len(self.failed)

    @property
    def n_rows(self) -> int:
        """Number of predictions per configuration."""
        return len(self.sample)

    @property
    def n_splits(self) -> int:
        """Number of splits over all repeats."""
        if len(self.fold):
            return int(self.fold.max()) + 1
        return len(next(iter(self.fold_scores.values())))

    @property
    def n_repeats(self) -> int:
        """Number of full partitions; 1 when the splits are no partition."""
        return int(self.repeat.max()) + 1 if len(self.repeat) else 1

    @property
    def tested(self) -> np.ndarray:
        """Boolean array of shape (n_samples,): has the sample any out-of-fold prediction."""
        tested = np.zeros(self.n_samples, dtype=bool)
        tested[self.sample] = True
        return tested

    @property
    def n_untested(self) -> int:
        """Number of samples without any out-of-fold prediction."""
        return self.n_samples - int(np.count_nonzero(self.tested))

    @property
    def is_partition(self) -> bool:
        """Whether every repeat holds every sample exactly once."""
        whole = np.tile(np.arange(self.n_samples), self.n_repeats)
        return bool(np.array_equal(self.sample, whole))

    def response(self, methods: str | Sequence[str]) -> tuple[np.ndarray, str]:
        """Pick what a metric consumes, configuration by configuration.

        A search space may mix estimators with and without `decision_function`, so each
        configuration gives the first of `methods` that it has. Labels that were not
        recorded are derived from the sign of `decision_function` or the largest
        probability, as scikit-learn's classifiers do.

        Parameters
        ----------
        methods : str or sequence of str
            Response methods in order of preference, as a scorer names them.

        Returns
        -------
        array : ndarray of shape (n_configs, n_rows) or (n_configs, n_rows, n_outputs)
            Responses; NaN (or -1 for label codes) where there are none.
        used : str
            Names of the methods used, joined by ``"+"``; ``"derived"`` for derived labels.

        Raises
        ------
        ValueError
            If none of `methods` was recorded; the message lists what there is.
        """
        return _oof_responses.choose(self.responses, self.classes_, methods)

    def matrix(self, scoring: Any) -> np.ndarray:
        """Return what a metric consumes as a matrix, samples by configurations.

        Parameters
        ----------
        scoring : str or scorer
            Name of a scorer (``"roc_auc"``), a scorer, or a response method
            (``"predict_proba"``).

        Returns
        -------
        ndarray of shape (n_rows, n_configs) or (n_rows, n_configs, n_outputs)
            For one K-fold pass the rows are the samples in their order, and this is the
            N x C matrix of the literature. Labels are given as labels, not as codes, and
            missing ones as NaN or None.
        """
        if isinstance(scoring, str) and scoring in _oof_arrays.METHODS:
            methods: Any = scoring
        else:
            scorer = scorer_named(scoring) if isinstance(scoring, str) else scoring
            methods = getattr(scorer, "_response_method", "predict")
            methods = "predict" if methods == "default" else methods
        array, used = self.response(methods)
        if self.classes_ is not None and used.split("+")[0] in ("predict", "derived"):
            labels, missing = self.classes_[array], array < 0
            if missing.any():
                labels = labels.astype(float if labels.dtype.kind in "iufb" else object)
                labels[missing] = np.nan if labels.dtype.kind == "f" else None
            array = labels
        return np.moveaxis(array, 0, 1)

    def save(self, path: str | Path) -> None:
        """Write everything to one ``.npz`` file, without pickle.

        Parameters
        ----------
        path : str or Path
            File to write; numpy appends ``.npz`` when it is missing. Values in `params`
            that JSON cannot hold (estimators, functions) are stored as their text.
        """
        _oof_io.save(self, path)

    @classmethod
    def load(cls, path: str | Path) -> OOFPredictions:
        """Read what `save` wrote.

        Parameters
        ----------
        path : str or Path
            File written by `save`, with or without ``.npz``.

        Returns
        -------
        OOFPredictions
            The same predictions, bit for bit.
        """
        return cls(**_oof_io.load(path))

    @classmethod
    def from_search(cls, search: Any) -> OOFPredictions:
        """Take the scores per fold of any fitted scikit-learn search.

        Parameters
        ----------
        search : fitted GridSearchCV, RandomizedSearchCV or other BaseSearchCV
            These keep no predictions, so only methods that live on fold scores (BBC-F)
            work; a `BBCSearchCV` gives its `oof_`.

        Returns
        -------
        OOFPredictions
            With `fold_scores`, without responses. A single metric is named by `scoring`
            where that is a name, else ``"score"``.

        Raises
        ------
        ValueError
            If the search is not fitted.
        """
        if hasattr(search, "oof_"):
            return search.oof_
        if not hasattr(search, "cv_results_"):
            raise ValueError(f"{type(search).__name__} is not fitted: call fit first.")
        results, splits = search.cv_results_, range(search.n_splits_)
        prefix = "mean_test_"
        names = [key.removeprefix(prefix) for key in results if key.startswith(prefix)]
        scores = {
            name: np.stack([results[f"split{k}_test_{name}"] for k in splits]) for name in names
        }
        failed = np.isnan(np.stack(list(scores.values()))).any(axis=(0, 1))
        if names == ["score"] and isinstance(search.scoring, str):
            scores = {search.scoring: scores["score"]}
        return cls(
            y_true=np.empty(0),
            classes=None,
            fold_scores=scores,
            params=results["params"],
            failed=failed,
            selected=getattr(search, "best_index_", None),
            selected_by="the search",
        )

    def with_selected(self, selected: int | None, by: str = "given") -> OOFPredictions:
        """Give the same predictions with another configuration as the winner.

        Parameters
        ----------
        selected : int or None
            Configuration; None lets the methods select by the metric.
        by : str, default="given"
            By whom or by what it was selected, for ``details["winner_by"]`` of results.

        Returns
        -------
        OOFPredictions
            Shares its arrays with this one.

        Raises
        ------
        ValueError
            If there is no such configuration.

        See Also
        --------
        sklearn_bbc.intervals.with_winner : Selects by a criterion.

        Examples
        --------
        >>> from sklearn_bbc.testing import example_predictions
        >>> example_predictions(n_configs=3).with_selected(2).selected
        2
        """
        checked = _checked_selected(selected, self.n_configs)
        return self._with_fields(selected=checked, selected_by=str(by))

    def _with_fields(self, **fields: Any) -> OOFPredictions:
        """The same predictions, not copied, with other values in some fields, checked already."""
        other = copy(self)
        for name, value in fields.items():
            object.__setattr__(other, name, value)
        return other

    def __repr__(self) -> str:
        return (
            f"OOFPredictions(n_samples={self.n_samples}, n_configs={self.n_configs}, "
            f"n_splits={self.n_splits}, n_repeats={self.n_repeats}, "
            f"responses={sorted(self.responses)})"
        )

    # Mapping proxies cannot be pickled, and unpickled arrays come back writeable.
    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        return {**state, "responses": dict(self.responses), "fold_scores": dict(self.fold_scores)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            if isinstance(value, np.ndarray):
                value = frozen_array(value)
            elif isinstance(value, dict):
                value = MappingProxyType({k: frozen_array(v) for k, v in value.items()})
            object.__setattr__(self, name, value)


def _checked_selected(selected: int | None, n_configs: int) -> int | None:
    if selected is None:
        return None
    whole = isinstance(selected, Integral) and not isinstance(selected, (bool, np.bool_))
    if not whole or not 0 <= int(selected) < n_configs:
        raise ValueError(f"selected={selected!r} is not a configuration in 0..{n_configs - 1}.")
    return int(selected)
