"""Predictions of any tuner: cross-validation that keeps what its models predicted."""

from __future__ import annotations

import platform
import threading
from collections.abc import Mapping
from typing import Any

import numpy as np
import sklearn
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils.multiclass import type_of_target

from ..._equality import same
from ..._groups import one_per_sample
from ..._integers import is_integer
from ..._warn import warn_user
from ...exceptions import RecordingWarning
from ...predictions import OOFPredictions
from ...store import fingerprint
from .._search import BBCSearchCV
from ._cells import KINDS, RecordedCell, assembled
from ._folder import RecorderFolder

ADAPTIVE = (
    "A tuner that looks at scores chose the configurations; the method assumes that they are "
    "fixed beforehand, so some optimism may remain."
)


class OOFRecorder:
    """Keeps the out-of-fold predictions of every configuration that a tuner of any kind tries.

    Use `cross_val_score` inside the objective of Optuna, hyperopt, a loop or anything else, or
    hand over predictions of models that you train yourself to `record`; `oof_` is then what
    the interval methods take.

    Parameters
    ----------
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Target, the same for all configurations.
    cv : int, splitter or list of (train, test), default=5
        How to split. The splits are made once, so all configurations share them: those of a
        splitter without a seed, too.
    folder : str or Path, default=None
        Where finished fits are stored, for this process and others at the same time. A fit that
        is in the folder is not made again. None keeps them in memory.
    X : array-like of shape (n_samples, n_features), default=None
        Only for splitters that look at it.
    groups : array-like of shape (n_samples,), default=None
        For the splitter; groups are what bootstraps resample.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each sample in metrics that are computed from `oof_`.
    adaptive : bool, default=True
        Whether the tuner chooses configurations by the scores of earlier ones, as most do.
        Results say so. False for a fixed list.

    Attributes
    ----------
    splits : list of (train, test)
        Positions of the samples of each split.
    oof_ : OOFPredictions
        Predictions of all configurations that are complete.

    Raises
    ------
    ValueError
        If the folder is of other data or other splits; the message names what differs.

    See Also
    --------
    BBCSearchCV : Grid and random search that record by themselves.
    OOFPredictions.from_search : For a search that is finished.

    Notes
    -----
    Threads and processes may record at the same time: each process writes a file of its own,
    one write with a checksum per fit. After a crash all but the fits in flight are there.

    An attempt is a configuration of its own when its parameters, its estimator (with the code of
    one's own) or `X` are others: a loop over features or models is a choice like any other. Where
    parameters are equal, ``"attempt"`` numbers them in the `params` of `oof_`, in the order of
    their first fits.

    The same attempt again takes the recorded fits, if `scoring` and the versions of the packages
    are the same as well; else they are made again and replaced, and a warning names what
    differs. So does `record` with the parameters and the fold of an earlier call, since it is
    only told the parameters. Results note how many fits were replaced by others.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from sklearn_bbc import OOFRecorder
    >>> from sklearn_bbc.intervals import BBC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> recorder = OOFRecorder(y, cv=5, adaptive=False)
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> for depth in (1, 2, 3):
    ...     scores = recorder.cross_val_score(
    ...         tree, X, params={"max_depth": depth}, scoring="roc_auc"
    ...     )
    >>> BBC(random_state=0).estimate(recorder.oof_, "roc_auc").details["n_configs"]
    3
    """

    def __init__(
        self,
        y: Any,
        cv: Any = 5,
        *,
        folder: Any = None,
        X: Any = None,
        groups: Any = None,
        sample_weight: Any = None,
        adaptive: bool = True,
    ) -> None:
        self.y = np.asarray(y)
        self.groups = None if groups is None else np.asarray(one_per_sample(groups))
        self.sample_weight = None if sample_weight is None else np.asarray(sample_weight)
        self.adaptive = adaptive
        self._lock = threading.Lock()
        self._cells: dict[tuple[str, int], RecordedCell] = {}
        self._replaced: dict[tuple[str, int], set[str]] = {}  # all predictions that differ
        classifier = self.y.ndim == 1 and type_of_target(self.y) in ("binary", "multiclass")
        given = isinstance(cv, (list, tuple))
        splitter = check_cv(cv, self.y, classifier=classifier)

        def split() -> list[tuple[np.ndarray, np.ndarray]]:
            table = np.zeros((len(self.y), 1)) if X is None else X
            return list(splitter.split(table, self.y, self.groups))

        if folder is None:
            self._folder = None
            self.splits = split()
        else:
            facts = {"y": self.y, "groups": self.groups, "sample_weight": self.sample_weight}
            self._folder = RecorderFolder(folder, facts)
            self.splits = self._folder.splits(split, repr(cv) if not given else None)

    def cross_val_score(
        self,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        params: Mapping[str, Any] | None = None,
        scoring: Any = None,
        n_jobs: int | None = None,
    ) -> np.ndarray:
        """Fit and score one configuration on every split, and keep its predictions.

        Parameters
        ----------
        estimator : estimator object
            Is cloned for every fit.
        X : array-like of shape (n_samples, n_features)
            Data.
        y : array-like, default=None
            May be given for the habit of it; must be the `y` of the recorder.
        params : dict, default=None
            Parameters of this configuration, set on the clone. They name the configuration,
            with a number where `X` or the estimator make it another one; None takes those that
            the estimator has.
        scoring : str, callable or None, default=None
            One metric. For others use `oof_` later.
        n_jobs : int or None, default=None
            Number of splits that are fitted at the same time.

        Returns
        -------
        ndarray of shape (n_splits,)
            Scores, greater is better.

        Raises
        ------
        ValueError
            If `y` is not that of the recorder or `scoring` names several metrics. Errors of
            the estimator are not caught; splits that were finished stay recorded.
        """
        if y is not None and not same(np.asarray(y), self.y):
            raise ValueError(
                "y is not the y of the recorder. One recorder is for one target; make another."
            )
        if isinstance(scoring, (list, tuple, set, dict)):
            raise ValueError(
                f"scoring={scoring!r} names several metrics, but a tuner follows one. Other "
                "metrics can be computed from oof_ later."
            )
        model = clone(estimator)
        if params is None:
            params = model.get_params()
        else:
            model.set_params(**{name: clone(value, safe=False) for name, value in params.items()})
        config = fingerprint([dict(params), model, X], versions=False)
        recipe = self._recipe(model, scoring)
        self._refresh()
        missing = [k for k in range(len(self.splits)) if not self._known(config, k, recipe)]
        name = scoring if isinstance(scoring, str) else "score"
        tasks = (
            delayed(fitted_cell)(model, X, self.y, self.groups, self.splits[k], scoring, name)
            for k in missing
        )
        results = Parallel(n_jobs=n_jobs, return_as="generator")(tasks)
        for split, (scores, responses) in zip(missing, results):
            cell = RecordedCell(config, split, dict(params), recipe, scores, responses)
            self._keep(cell)
        self._refresh()
        with self._lock:
            cells = [self._cells[config, split] for split in range(len(self.splits))]
        return np.array([cell.scores[name] for cell in cells])

    def record(
        self,
        params: Mapping[str, Any],
        fold: int,
        predictions: Any,
        *,
        rows: Any = None,
        response: str = "plain",
        score: float | None = None,
    ) -> None:
        """Keep predictions of a model that you trained yourself.

        Parameters
        ----------
        params : dict
            Names the configuration. Predictions of the same parameters and fold are replaced, so
            give what else differs between your models a name in it, such as the features.
        fold : int
            Number of the split in `splits`, whose training samples the model has seen.
        predictions : array-like of shape (n_test,) or (n_test, n_outputs)
            For the test samples of the split, in their order.
        rows : array-like of int of shape (n_test,), default=None
            Positions of the samples when they are in another order.
        response : {"plain", "predict_proba", "decision_function", "predict"}, default="plain"
            What they are. ``"plain"`` is what the metric consumes. Of two classes, give the
            probabilities of the positive one, or both columns as ``"predict_proba"``.
        score : float, default=None
            Score of the split by the tuner's metric, greater is better.

        Raises
        ------
        ValueError
            If the predictions do not fit the split.
        """
        if response not in KINDS:
            raise ValueError(f"response must be one of {sorted(KINDS)}, got {response!r}.")
        if not is_integer(fold, 0) or fold >= len(self.splits):
            raise ValueError(f"fold={fold!r} is not one of the {len(self.splits)} splits.")
        array = self._in_order(np.asarray(predictions), int(fold), rows)
        if response == "predict_proba" and array.ndim == 2 and array.shape[1] == 2:
            array = array[:, 1]
        if response == "predict" and type_of_target(self.y) in ("binary", "multiclass"):
            array = _codes(array, np.unique(self.y))
        scores = {} if score is None else {"score": float(score)}
        config = fingerprint(dict(params))
        recipe = {"by hand": response}
        self._keep(
            RecordedCell(config, int(fold), dict(params), recipe, scores, {response: array})
        )

    @property
    def oof_(self) -> OOFPredictions:
        """Predictions of all configurations that have every split, in the order of their first."""
        self._refresh()
        with self._lock:
            cells = list(self._cells.values())
            n_replaced = sum(len(differ) - 1 for differ in self._replaced.values())
        notes = [ADAPTIVE] if self.adaptive else []
        if n_replaced:
            were = "recorded fit was" if n_replaced == 1 else "recorded fits were"
            notes.append(
                f"{n_replaced:,} {were} replaced by a later one of the same parameters. If these "
                "were attempts to choose from, that choice is not corrected for."
            )
        notes += [] if self._folder is None else self._folder.notes
        return assembled(cells, self.splits, self.y, self.groups, self.sample_weight, notes)

    def _in_order(self, array: np.ndarray, fold: int, rows: Any) -> np.ndarray:
        """Predictions in the order of the split's test samples."""
        test = np.asarray(self.splits[fold][1])
        if array.shape[:1] != test.shape or array.ndim > 2:
            raise ValueError(
                f"predictions has shape {array.shape}, but split {fold} holds out {len(test)} "
                "samples: expected one prediction (or one row of them) per sample."
            )
        if rows is None:
            return array
        rows = np.asarray(rows)
        if rows.shape != test.shape or not np.array_equal(np.sort(rows), np.sort(test)):
            raise ValueError(f"rows are not the {len(test)} samples that split {fold} holds out.")
        position = {sample: place for place, sample in enumerate(rows.tolist())}
        return array[[position[sample] for sample in test.tolist()]]

    def _recipe(self, model: Any, scoring: Any) -> dict[str, str]:
        """What a stored fit of the same attempt must agree with, by name."""
        return {
            "version of the estimator": fingerprint(model),
            "scoring": fingerprint(scoring),
            "Python": platform.python_version().rpartition(".")[0],
            "NumPy": np.__version__,
            "scikit-learn": sklearn.__version__,
        }

    def _known(self, config: str, split: int, recipe: dict[str, str]) -> bool:
        with self._lock:
            cell = self._cells.get((config, split))
        if cell is None:
            return False
        if cell.recipe == recipe:
            return True
        different = [name for name in recipe if cell.recipe.get(name) != recipe[name]]
        shown = [
            f"{name} {cell.recipe[name]} to {recipe[name]}"
            if name in ("Python", "NumPy", "scikit-learn") and name in cell.recipe
            else f"{name} changed"
            for name in different
        ]
        warn_user(
            f"A recorded fit of the same attempt is not used, since {', '.join(shown)}; it is "
            "made again and takes the other's place.",
            RecordingWarning,
        )
        return False

    def _keep(self, cell: RecordedCell) -> None:
        with self._lock:
            if self._folder is None:
                self._take(cell)
            else:  # read back as a memory map
                self._folder.append(cell)

    def _refresh(self) -> None:
        """Take in what other processes have written."""
        if self._folder is None:
            return
        with self._lock:
            for cell in self._folder.new():
                self._take(cell)

    def _take(self, cell: RecordedCell) -> None:
        """Take the place of an earlier fit, and remember how many there were that differ."""
        key = cell.config, cell.split
        other = self._cells.get(key)
        if other is not None:
            prints = [fingerprint(dict(each.responses)) for each in (other, cell)]
            self._replaced.setdefault(key, set()).update(prints)
            if cell.time < other.time:  # of another process, whose file was read later
                return
        self._cells[key] = cell


def fitted_cell(
    model: Any, X: Any, y: Any, groups: Any, split: Any, scoring: Any, name: str
) -> tuple[dict[str, float], dict[str, np.ndarray]]:
    """Score and responses of one fit, recorded as by any search."""
    search = BBCSearchCV(
        model, [{}], scoring=scoring, cv=[split], refit=False, ci=[], error_score="raise"
    )
    search.fit(X, y, **({} if groups is None else {"groups": groups}))
    oof = search.oof_
    score = float(search.cv_results_["mean_test_score"][0])
    # Rows are kept sorted by sample; the split may have them in another order.
    back = np.argsort(np.argsort(np.asarray(split[1]), kind="stable"), kind="stable")
    responses = {name: array[0][back] for name, array in oof.responses.items()}
    return {name: score}, responses


def _codes(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Codes into the classes, -1 for missing labels."""
    there = np.array([label is not None and label == label for label in labels.tolist()])
    given = labels[there]  # what is missing has no order among the others
    place = np.searchsorted(classes, given).clip(max=len(classes) - 1)
    known = classes[place] == given
    if not known.all():
        strange = np.unique(given[~known]).tolist()
        raise ValueError(f"predictions holds labels {strange} that y does not.")
    codes = np.full(labels.shape, -1)
    codes[there] = place
    return codes
