"""Out-of-fold predictions: the value that a search or a recorder gives and every method takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy as np

from .._lazy import ClassMethodLater
from .._notes import kind_of, warned, without_kind
from .._parameters import JOBS, By, OneOf, Text, Whole, constrained
from .._scorers import is_survival_response, scorer_named
from .._utils import check_arrays, explain_arguments, got, same
from .._warnings import warn_user
from ..exceptions import IntervalWarning
from ..results._results import frozen_array
from . import readers
from ._fields import aligned_arguments, checked_selected, fields_of_arrays, fields_of_rows
from ._files import by_config, load, save
from ._order import (
    BLOCK_KINDS,
    check_block_length,
    check_fits,
    check_rows_in_order,
    consecutive_blocks,
    series_in_order,
    time_order,
)
from ._parts import arguments_of_fields, fields_of_part
from ._scores import arguments_of_scores
from ._sources import arguments_of, arguments_of_joined
from ._validation import (
    IN_TIME,
    INDEPENDENT,
    METHODS,
    STRADDLING,
    Order,
    frozen_mapping,
    in_index_order,
    lacks_response,
    repeated_index_note,
    straddling_groups,
    warn_of_probability_columns,
)

Predictions = TypeVar("Predictions", bound="OOFPredictions")


def derived_labels(responses: Mapping[str, np.ndarray], classes: np.ndarray) -> np.ndarray | None:
    """Derive label codes from scores, for classifiers that were asked for scores only."""
    labels = None
    for method, threshold in (("decision_function", 0.0), ("predict_proba", 0.5)):
        scores = responses.get(method)
        if scores is None:
            continue
        if scores.ndim == 2 and len(classes) == 2:
            codes = _codes_above(scores, threshold)
        elif scores.ndim == 3 and scores.shape[2] == len(classes):
            codes = _codes_of_largest(scores)
        else:
            continue
        labels = codes if labels is None else _labels_of_both(labels, codes)
    return labels


def _codes_above(scores: np.ndarray, threshold: float) -> np.ndarray:
    def codes(config: int) -> np.ndarray:
        # argmax of (1 - p, p) takes the first class on a tie; so does `> 0`.
        above = (scores[config] > threshold).astype(np.int8)
        above[np.isnan(scores[config])] = -1
        return above

    return by_config(codes, scores, dtype=np.int8)


def _codes_of_largest(scores: np.ndarray) -> np.ndarray:
    def codes(config: int) -> np.ndarray:
        largest = np.argmax(scores[config], axis=1)
        largest[np.isnan(scores[config]).any(axis=1)] = -1
        return largest

    small = np.int16 if scores.shape[2] <= 2**15 else np.int64
    return by_config(codes, scores, scores.shape[:2], small)


def _labels_of_both(labels: np.ndarray, others: np.ndarray) -> np.ndarray:
    def codes(config: int) -> np.ndarray:
        return np.where(labels[config] < 0, others[config], labels[config])

    return by_config(codes, labels)


def _filled_up(array: np.ndarray, candidate: np.ndarray, holes: np.ndarray) -> np.ndarray:
    """Take `candidate` where `holes` marks configurations, else `array`."""
    return by_config(lambda c: candidate[c] if holes[c] else array[c], array)


def _empty(array: np.ndarray) -> np.ndarray:
    """Mark the configurations without any value, shape (n_configs,)."""
    coded = array.dtype.kind in "iu"
    return np.array([bool((row == -1 if coded else np.isnan(row)).all()) for row in array])


@dataclass(frozen=True, kw_only=True, eq=False, repr=False, init=False)
class OOFPredictions:
    """Out-of-fold predictions of every configuration for every sample.

    A prediction is out-of-fold when the model that made it did not see the sample. The
    predictions are kept as rows, not as a rectangle, so that every splitter fits: K-fold
    has one row per sample, R times repeated K-fold has R, shuffle splits leave some
    samples without any.

    Made from arrays here, from rows by `from_rows`, from scores per fold by `from_fold_scores`,
    and from a finished search by `from_search`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Labels, target values, or a structured survival target.
    y_pred : array-like
        What the metric consumes (scores, labels, probabilities or values), as
        ``(n_samples, n_configs)``, ``(n_samples, n_configs, n_classes)`` or
        ``(n_repeats, n_samples, n_configs[, n_classes])``; ``(n_samples,)`` is one
        configuration. The column names of a DataFrame name the configurations. NaN and
        masked values are missing: their configuration cannot win. A last axis of
        probabilities that sum to 1 is kept as the response ``"predict_proba"``, from which
        scikit-learn's metrics of labels, such as accuracy, derive the labels; scores without
        that axis are never cut into labels.
    fold : array-like of shape (n_samples,) or (n_repeats, n_samples), or list of \
            (train, test), default=None
        Fold in which each sample was held out; any labels, -1 (a number or text) marks samples
        that were never held out, and no other number is negative. A list of positions as from
        ``list(cv.split(X, y))`` works too. None puts everything in one fold.
    groups : array-like of shape (n_samples,), default=None
        Samples of one group depend on each other; groups are then the resampled units.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each sample in the metric.
    classes : array-like of shape (n_classes,), None or "infer", default="infer"
        Class labels in sorted order; None for a regression target.
    params : sequence of dict, default=None
        The configurations.
    failed : array-like of shape (n_configs,), default=None
        Configurations that can never win, since they failed in some fold or were dropped.
    notes : sequence of str, default=()
        What results should say of these predictions, in ``details["notes"]``.
    metadata : mapping of str to array-like of shape (n_samples,) or scalar, default=None
        What scorers ask for besides predictions, as ``amount`` in
        ``make_scorer(cost).set_score_request(amount=True)``, by the name under which they ask.
        In a draw they get the rows that were drawn. Arrays, lists and Series stay what they are.
        ``"y"`` is the target as a Series with its index, for functions of your own that use it.
    pos_label : label, default=None
        Which of two classes is the positive one: that for which the scores in a `y_pred` without
        an axis of classes are higher, and that of metrics such as F1 which name none themselves.
        None takes scores as higher for the second class in sorted order, as scikit-learn does.
        Scores of the first class are turned (1 minus a probability, else minus the score), so
        that what is kept is always for the second.

    Attributes
    ----------
    n_samples, n_configs, n_rows, n_splits : int
        Sizes; rows are the predictions of a configuration, splits those of all repeats.
    n_repeats : int
        Number of passes over the samples; 1 where the splits are not whole passes.
    tested : ndarray of shape (n_samples,)
        Whether each sample has an out-of-fold prediction.
    n_untested : int
        Number of samples without any.
    responses : mapping of str to ndarray of shape (n_configs, n_rows[, n_outputs])
        Response method to predictions; ``"plain"`` for a `y_pred` that is no probability.
    sample, fold, repeat : ndarray of shape (n_rows,)
        Sample, split and repeat of each row.
    selected : int or None
        Configuration that tuning selected, see `with_selected`; None lets the methods select.
    selected_by : str
        By whom or by what it was selected.
    train_size : ndarray of shape (n_splits,) or None
        Number of training samples per split.
    fold_scores : mapping of str to ndarray of shape (n_splits, n_configs)
        Recorded scores per split, greater is better, by metric name.
    classes_ : ndarray of shape (n_classes,) or None
        Class labels; None for regression, survival and multi-output targets.
    split_repeat : ndarray of shape (n_splits,)
        Repeat of each split.
    n_straddling_groups : int
        Number of groups of which some split holds out a part only.
    score_sign : {1, -1} or None
        Where the values are scores per item of systems that are fixed, as `from_scores` makes
        them: 1 where more is better, -1 for losses. None for predictions of trained models.
    order : ndarray of shape (n_samples,) or None
        Place of each sample in the order of time, see `with_blocks`; None is that of the rows.
    block_length : int, "auto" or None
        Samples per block, see `with_blocks`; None where samples are independent.
    block_kind : str
        How blocks are drawn, see `with_blocks`.
    notes : tuple of str
        The notes given, and one each on groups that are split between folds and on folds
        that follow each other in time.
    from_y_pred : bool
        Whether all were given as `y_pred`, in the form that the metric consumes.
    length_was_chosen : bool
        Whether `block_length` was ``"auto"`` and has been chosen for a metric.
    n_missing : mapping of str to int
        How many scores or runs each system of `from_scores` lacked; empty where none was missing.
    missing : str
        What was done about these, see `from_scores`.
    tool, tool_scores : str and mapping of str to float
        The tool that scored the items, and its own mean score of each system, where a reader such
        as `from_inspect` found them.
    n_labelled_units : int or None
        Units that people scored, where scores of a judge were corrected by theirs: as many show
        how far off a mean can be. None where all scores are of one kind.
    n_effective : ndarray of shape (n_configs,) or None
        There, where people only say right or wrong, the number of their scores that would tell as
        much of a mean without the judge.
    indexes : tuple of (str, Index)
        Name and index of each pandas object that was given, for values that come later.

    Raises
    ------
    ValueError
        If shapes do not match, labels are missing, fold labels do not fit, `pos_label` is not one
        of two classes, or pandas objects have different labels; see Notes.

    Warns
    -----
    IntervalWarning
        If groups are split between folds, the labels of an index come several times, each with
        one target, as those of repeats do, `y_pred` looks like the probabilities of one model, a
        column per class, or rows were taken by a plain index that several objects share.

    See Also
    --------
    sklearn_bbc.BBCSearchCV : Records these predictions during a search.

    Notes
    -----
    Pandas objects are brought into the order of `y_true` by their index, which a note says.
    Different labels are refused. Arrays are taken by position, and so is what has a plain
    RangeIndex beside other labels, since a frame that is made of an array has one; where these
    are the same labels in another order, it is refused, unless two of the objects have that index.

    Arrays are kept, not copied, where they have the right form and order already, as those
    of a search have: do not change them afterwards.

    Two objects are equal when all their fields hold the same, with NaN equal to NaN, as after
    pickling. The hash is that of the sizes.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 20)
    >>> scores = rng.normal(size=(40, 3)) + y[:, None]
    >>> OOFPredictions(y_true=y, y_pred=scores, fold=np.arange(40) // 8)
    OOFPredictions(n_samples=40, n_configs=3, n_splits=5, n_repeats=1, responses=['plain'])

    Scores that are higher for the cases, which do not sort last:

    >>> status = np.where(y == 1, "case", "control")
    >>> oof = OOFPredictions(y_true=status, y_pred=scores, pos_label="case")
    >>> bool(oof.pos_label == "case")
    True
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
    split_repeat: np.ndarray
    notes: tuple[str, ...]
    metadata: Mapping[str, Any]
    pos_label: Any
    score_sign: int | None
    order: np.ndarray | None
    block_length: int | str | None
    block_kind: str

    # Not among the fields, but computed from them.
    n_samples: ClassVar[int]
    n_configs: ClassVar[int]
    n_rows: ClassVar[int]
    n_splits: ClassVar[int]
    n_repeats: ClassVar[int]
    n_untested: ClassVar[int]
    tested: ClassVar[np.ndarray]

    # These say how the fields were given.
    from_y_pred = False
    length_was_chosen = False
    n_missing: ClassVar[Mapping[str, int]] = {}
    missing: ClassVar[str] = "raise"
    tool: ClassVar[str] = ""
    tool_scores: ClassVar[Mapping[str, float]] = {}
    n_labelled_units: ClassVar[int | None] = None
    n_effective: ClassVar[np.ndarray | None] = None
    indexes: ClassVar[tuple[Order, ...]] = ()

    @explain_arguments(
        " Predictions in rows go to OOFPredictions.from_rows, scores per fold to "
        "OOFPredictions.from_fold_scores."
    )
    def __init__(
        self,
        *,
        y_true: Any,
        y_pred: Any,
        fold: Any = None,
        groups: Any = None,
        sample_weight: Any = None,
        classes: Any = "infer",
        params: Sequence[Any] | None = None,
        failed: Any = None,
        notes: Sequence[str] = (),
        metadata: Mapping[str, Any] | None = None,
        pos_label: Any = None,
    ) -> None:
        arguments = {name: value for name, value in locals().items() if name != "self"}
        self._set_given(fields_of_arrays, arguments, from_y_pred=True)
        warn_of_probability_columns(y_pred, self.classes_)

    @classmethod
    @explain_arguments(" A matrix of what the metric consumes goes to OOFPredictions itself.")
    def from_rows(
        cls,
        *,
        y_true: Any,
        responses: Mapping[str, Any],
        sample: Any = None,
        fold: Any = None,
        repeat: Any = None,
        fold_scores: Mapping[str, Any] | None = None,
        train_size: Any = None,
        groups: Any = None,
        sample_weight: Any = None,
        classes: Any = "infer",
        params: Sequence[Any] | None = None,
        failed: Any = None,
        notes: Sequence[str] = (),
        metadata: Mapping[str, Any] | None = None,
        pos_label: Any = None,
    ) -> Self:
        """Make predictions from rows, as a search records them: for any splitter and metric.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Labels, target values, or a structured survival target.
        responses : mapping of str to array
            Response method (``"predict"``, ``"predict_proba"``, ``"decision_function"``, or of
            survival ``"predict_survival_function(90.0,365.0)"``, with the times) to array
            ``(n_configs, n_rows[, n_outputs])``. Of two classes only the column of the positive
            one. ``"predict"`` of a classifier holds codes into `classes`, with -1 for missing;
            the others mark missing with NaN.
        sample : array-like of shape (n_rows,), default=None
            Sample of each row. None is one row per sample, in their order.
        fold : array-like of shape (n_rows,), or list of (train, test), default=None
            Fold of each row, as in `OOFPredictions`.
        repeat : array-like of shape (n_rows,), default=None
            Repeat of each row. None finds the repeats of repeated K-fold.
        fold_scores : mapping of str to array of shape (n_splits, n_configs), default=None
            Recorded scores per split, greater is better, by metric name.
        train_size : array-like of shape (n_splits,), default=None
            Number of training samples per split.
        groups, sample_weight, classes, params : optional
            As in `OOFPredictions`.
        failed : array-like of shape (n_configs,), default=None
            Configurations that failed in some fold, or were dropped before the last one; they can
            never win.
        notes, metadata, pos_label : optional
            As in `OOFPredictions`.

        Returns
        -------
        OOFPredictions
            The predictions.

        Raises
        ------
        ValueError
            As `OOFPredictions`.

        Warns
        -----
        IntervalWarning
            As `OOFPredictions`.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_bbc import OOFPredictions
        >>> y, rng = np.tile([0, 1], 20), np.random.default_rng(0)
        >>> sample = rng.permutation(40)[:30]  # a shuffle split leaves samples out
        >>> OOFPredictions.from_rows(
        ...     y_true=y, responses={"predict_proba": rng.random((3, 30))}, sample=sample
        ... ).n_untested
        10
        """
        arguments = {name: value for name, value in locals().items() if name != "cls"}
        if not isinstance(responses, Mapping) or not responses:
            raise ValueError(
                "responses must map response methods to arrays, such as {'predict_proba': p}, got "
                f"{got(responses)}. Arrays of what the metric consumes go to "
                "OOFPredictions(y_pred=...), scores per fold to OOFPredictions.from_fold_scores."
            )
        oof = cls.__new__(cls)
        oof._set_given(fields_of_rows, arguments)
        return oof

    @classmethod
    @explain_arguments(" Predictions go to OOFPredictions itself.")
    def from_fold_scores(
        cls,
        fold_scores: Mapping[str, Any],
        *,
        params: Sequence[Any] | None = None,
        repeat: Any = None,
        train_size: Any = None,
        failed: Any = None,
        y_true: Any = None,
        fold: Any = None,
        sample: Any = None,
        groups: Any = None,
        sample_weight: Any = None,
        classes: Any = "infer",
        notes: Sequence[str] = (),
    ) -> Self:
        """Make predictions from nothing but scores per fold, for methods such as BBC-F.

        Parameters
        ----------
        fold_scores : mapping of str to array of shape (n_splits, n_configs)
            Scores per split, greater is better, by metric name.
        params : sequence of dict, default=None
            The configurations.
        repeat : array-like of shape (n_splits,), default=None
            Repeat of each split; None is a single one.
        train_size : array-like of shape (n_splits,), default=None
            Number of training samples per split.
        failed : array-like of shape (n_configs,), default=None
            Configurations that can never win.
        y_true : array-like of shape (n_samples,), default=None
            The target, if it is known; with `fold` the sizes of the folds are known, too.
        fold : array-like of shape (n_samples,), or list of (train, test), default=None
            Fold in which each sample was held out; `repeat` is then that of each row.
        sample : array-like of shape (n_rows,), default=None
            Sample of each entry of `fold`. None is one per sample, in their order.
        groups, sample_weight, classes, notes : optional
            As in `OOFPredictions`.

        Returns
        -------
        OOFPredictions
            Without responses.

        Raises
        ------
        ValueError
            As `OOFPredictions`.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_bbc import OOFPredictions
        >>> from sklearn_bbc.intervals import BBCF
        >>> accuracy = np.array([[.70, .60, .66], [.80, .90, .71], [.50, .65, .72],
        ...                      [.75, .55, .70], [.70, .60, .65]])
        >>> oof = OOFPredictions.from_fold_scores({"accuracy": accuracy})
        >>> round(BBCF().estimate(oof, "accuracy").estimate, 3)
        0.646
        """
        arguments = {name: value for name, value in locals().items() if name != "cls"}
        if isinstance(fold_scores, Mapping) and not fold_scores:
            raise ValueError("fold_scores is empty: give scores, such as {'roc_auc': scores}.")
        if y_true is None:
            arguments |= {"y_true": np.empty(0), "classes": None}
        oof = cls.__new__(cls)
        oof._set_given(fields_of_rows, {"metadata": None, **arguments})
        return oof

    def _set_given(self, fields_of: Callable[..., Any], given: dict[str, Any], **own: Any) -> None:
        """Set the fields from arguments of a user, whose pandas objects may be in any order."""
        given, orders = aligned_arguments(given)
        self._set_fields({**fields_of(**given), "indexes": orders, **own})
        for note in () if self.groups is None else notes_to_warn_of(self):
            warn_user(note, IntervalWarning)
        if orders and (again := repeated_index_note(orders, self.y_true, self.groups)):
            self._set_fields({"notes": (*self.notes, warned(again))})

    @classmethod
    def _of_rows(cls, **given: Any) -> Self:
        """Do as `predictions_of_rows`, for this class."""
        oof = cls.__new__(cls)
        oof._set_fields(fields_of_rows(**given))
        return oof

    def _set_fields(self, values: Mapping[str, Any]) -> None:
        """Set some fields, and what is computed from them."""
        held = vars(self)
        held.update(values)
        if "sample" in values or "y_true" in values:
            tested = np.zeros(len(self.y_true), dtype=bool)
            tested[self.sample] = True
            held["tested"] = frozen_array(tested)
            held["n_samples"], held["n_rows"] = len(tested), len(self.sample)
            held["n_untested"] = len(tested) - int(np.count_nonzero(tested))
            held.pop("is_partition", None)
        if "failed" in values:
            held["n_configs"] = len(self.failed)
        if "split_repeat" in values:
            held.pop("is_partition", None)
            held["n_splits"] = len(self.split_repeat)
            held["n_repeats"] = int(self.split_repeat.max()) + 1

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read what `save` wrote.

        Parameters
        ----------
        path : str or Path
            File written by `save`, with or without ``.npz``.

        Returns
        -------
        OOFPredictions
            The same predictions, bit for bit.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        ValueError
            If the file is damaged or not one that `save` wrote; the message says what it is.

        Notes
        -----
        There is no `mmap_mode`: NumPy maps no archives, and damage is noticed by checksums of all
        bytes. Where there are more predictions than memory, write each response to a file of its
        own with `numpy.save` and map it yourself, as in the example; the map stays a map.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> import numpy as np
        >>> from sklearn_bbc import OOFPredictions
        >>> from sklearn_bbc.testing import example_predictions
        >>> oof = example_predictions()
        >>> (method, array), = oof.responses.items()
        >>> path = Path(tempfile.mkdtemp()) / f"{method}.npy"
        >>> np.save(path, array)  # of shape (n_configs, n_rows)
        >>> mapped = np.load(path, mmap_mode="r")
        >>> again = OOFPredictions.from_rows(
        ...     y_true=oof.y_true, responses={method: mapped}, sample=oof.sample, fold=oof.fold
        ... )
        >>> np.shares_memory(again.responses[method], mapped)
        True
        """
        return cls._of_rows(**load(path))

    @classmethod
    @explain_arguments()
    @constrained(n_jobs=JOBS, n_best=Whole(1, or_none=True))
    def from_search(
        cls,
        search: Any,
        X: Any = None,
        y: Any = None,
        *,
        groups: Any = None,
        sample_weight: Any = None,
        n_best: int | None = None,
        n_jobs: int | None = None,
        record: Any = None,
        **fit_params: Any,
    ) -> Self:
        """Make predictions from what a fitted search knows, or by fitting it again.

        Parameters
        ----------
        search : fitted GridSearchCV, RandomizedSearchCV or another ``*SearchCV``
            Most keep no predictions, so only methods that live on fold scores (BBC-F)
            work; a `BBCSearchCV` gives its `oof_`. Others may not have
            all the attributes of scikit-learn's: ``cv_results_`` with scores per split is what
            is needed.
        X, y : array-like, default=None
            The data of the search. With them all configurations are fitted again on the same
            splits, and their predictions kept, for every method.
        groups : array-like of shape (n_samples,), default=None
            With `X`: groups of the splitter; they are what bootstraps resample.
        sample_weight : array-like of shape (n_samples,), default=None
            With `X`: weights that `fit` of the search was given.
        n_best : int or None, default=None
            With `X`: fit only the configurations with the best mean score again. None fits all.
        n_jobs : int or None, default=None
            With `X`: number of fits at the same time.
        record : str or list of str, default=None
            With `X`: what to keep besides the answers that the scorers ask for, as in
            `BBCSearchCV`: ``"predict_proba"`` for calibration, decision curves and the Brier
            score. What a `BBCSearchCV` lacks of it is fitted again.
        **fit_params : dict
            With `X`: other parameters that `fit` of the search was given.

        Returns
        -------
        OOFPredictions
            Without `X` `fold_scores` but no responses. A single metric is named by `scoring`
            where that is a name, by ``"accuracy"`` or ``"r2"`` where the models' own ``score``
            is scikit-learn's, else ``"score"``. The repeats of repeated cross-validation are
            known from ``search.cv``. Of successive halving by samples only the last round can
            win; earlier ones were scored on fewer samples.

        Raises
        ------
        ValueError
            If the search is not fitted, its splits cannot be made again, or no configuration
            can be fitted, for example without the parameters that `fit` was given.

        Warns
        -----
        RecordingWarning
            If models that are fitted again score otherwise than in the search.
        """
        if hasattr(search, "oof_") and (X is None or (record is None and search.oof_.responses)):
            if record is not None:
                raise ValueError(f"record={record!r} is for predicting again, which needs X, too.")
            return search.oof_
        if X is not None:
            check_arrays(X=X, y=y, sample_weight=sample_weight)
            # The one import upwards: what fits models stands above predictions.
            from ..search._recorder import predicted_again

            fit_params |= {"groups": groups, "sample_weight": sample_weight}
            again: Any = predicted_again(
                search, X, y, fit_params, n_best=n_best, n_jobs=n_jobs,
                record=True if record is None else record,
            )  # fmt: skip
            return again
        needs_data = (y, groups, sample_weight, n_best, record)
        if any(each is not None for each in needs_data):
            raise ValueError(
                "y, groups, sample_weight, n_best and record are for predicting again, which "
                "needs X, too."
            )
        return cls._of_rows(**arguments_of(search))

    if TYPE_CHECKING:
        from_autogluon = classmethod(readers.from_autogluon)
        from_columns = classmethod(readers.from_columns)
        from_deepeval = classmethod(readers.from_deepeval)
        from_h2o = classmethod(readers.from_h2o)
        from_inspect = classmethod(readers.from_inspect)
        from_lightautoml = classmethod(readers.from_lightautoml)
        from_lm_eval = classmethod(readers.from_lm_eval)
        from_long = classmethod(readers.from_long)
        from_mljar = classmethod(readers.from_mljar)
        from_optuna = classmethod(readers.from_optuna)
        from_orange = classmethod(readers.from_orange)
        from_promptfoo = classmethod(readers.from_promptfoo)
        from_table = classmethod(readers.from_table)
        from_weka = classmethod(readers.from_weka)

    @classmethod
    @explain_arguments()
    def from_scores(
        cls,
        scores: Any,
        *,
        names: Sequence[Any] | None = None,
        groups: Any = None,
        sample_weight: Any = None,
        greater_is_better: bool = True,
        item: Any = None,
        system: Any = None,
        score: Any = None,
        run: Any = None,
        missing: str = "raise",
    ) -> Self:
        """Make predictions from scores per item of systems that are fixed.

        Systems are prompts, language models, agents, frozen models or entries of a competition:
        nothing was trained on these items. Methods compare the means of their scores, without a
        metric, and say what they estimate accordingly.

        Parameters
        ----------
        scores : array-like or DataFrame
            Wide: of shape (n_items, n_systems), or (n_items, n_systems, n_runs), of which runs
            are averaged. A DataFrame of pandas or polars has a column for each system. Long,
            with `system`: a DataFrame with a row for each score.
        names : sequence of str, default=None
            Names of the systems. None takes those of the columns.
        groups : array-like of shape (n_items,) or str, default=None
            Items of one group (passage, patient, task) depend on each other; groups are then the
            resampled units. A text names a column of the DataFrame. A Series with the labels of
            its rows, or of `item`, in another order is brought into that of the table, which a
            note says; so are weights.
        sample_weight : array-like of shape (n_items,) or str, default=None
            Weight of each item, or the name of the column that holds it.
        greater_is_better : bool, default=True
            False for losses, whose smallest mean is the best.
        item : str or list of str, default=None
            Column that holds the item, or several that make it up, such as task and number; that
            of a wide table is set aside.
        system : str or list of str, default=None
            Column of a long table that holds the system; several, such as model and prompt, make
            one system of each combination. None is a wide table.
        score : str, default=None
            Column of a long table that holds the score.
        run : str or list of str, default=None
            Column, or several, of a long table that tell runs of one item apart; they are
            averaged.
        missing : {"raise", "drop_items", "drop_runs", "zero"}, default="raise"
            What happens where a system has no score for an item or a run of it: an error that
            counts them; a comparison on the items that every system has, with all runs, or by the
            runs that there are; or 0 for a wrong answer. A note says so. Missing is a NaN, a row
            that is not there, and a run that both this system (on another item) and this item (by
            another system) have.

        Returns
        -------
        OOFPredictions
            A sample for each item and a configuration for each system; ``score_sign`` is set.

        Raises
        ------
        ValueError
            If scores are no numbers, infinite, missing or double, names occur twice, or there
            are fewer than three items.

        Warns
        -----
        IntervalWarning
            If there are fewer than ten items, items were dropped, or some systems have fewer runs
            than others.

        See Also
        --------
        sklearn_bbc.best_of : Everything about the best of the systems, in one call.

        Examples
        --------
        >>> import pandas as pd
        >>> from sklearn_bbc import OOFPredictions
        >>> long = pd.DataFrame({
        ...     "question": [1, 1, 2, 2, 3, 3] * 4, "model": ["a", "b"] * 12,
        ...     "epoch": [1] * 6 + [2] * 6 + [3] * 6 + [4] * 6, "correct": [1, 0] * 12,
        ... })
        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")  # three items are few
        ...     oof = OOFPredictions.from_scores(
        ...         long, item="question", system="model", score="correct", run="epoch"
        ...     )
        >>> oof.n_samples, oof.n_configs, oof.params[0]["configuration"]
        (3, 2, 'a')
        """
        arguments = arguments_of_scores(
            scores, names=names, groups=groups, sample_weight=sample_weight,
            greater_is_better=greater_is_better, item=item, system=system, score=score,
            run=run, missing=missing,
        )  # fmt: skip
        n_missing = arguments.pop("n_missing")
        return with_fields(cls._of_rows(**arguments), n_missing=n_missing, missing=missing)

    @classmethod
    def concat(cls, parts: Sequence[Any]) -> Self:
        """Put predictions of the same samples together.

        Parameters
        ----------
        parts : sequence of OOFPredictions
            At least two, of the same samples in the same order. Parts with the same splits
            add configurations; parts with other splits add repeats of the same configurations.

        Returns
        -------
        OOFPredictions
            Without a selected configuration: the methods select again by the metric. Scores
            per fold are kept where all parts have them.

        Raises
        ------
        ValueError
            If the samples differ, if splits and configurations both differ, or if both are
            the same.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_bbc import OOFPredictions
        >>> rng = np.random.default_rng(0)
        >>> y, fold = np.tile([0, 1], 20), np.arange(40) // 8
        >>> one = OOFPredictions(y_true=y, y_pred=rng.normal(size=(40, 3)), fold=fold)
        >>> other = OOFPredictions(y_true=y, y_pred=rng.normal(size=(40, 2)), fold=fold)
        >>> OOFPredictions.concat([one, other]).n_configs
        5
        """
        check_arrays(parts=parts)
        oof = cls._of_rows(**arguments_of_joined(parts := list(parts)))
        return with_fields(oof, from_y_pred=all(part.from_y_pred for part in parts))

    @property
    def n_straddling_groups(self) -> int:
        """Number of groups of which some split holds out only a part."""
        return straddling_groups(self.groups, self.sample, self.fold)[0]

    @cached_property
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
        responses, classes = self.responses, self.classes_
        check_arrays(methods=[methods] if isinstance(methods, str) else methods)
        methods = (methods,) if isinstance(methods, str) else tuple(methods)
        if "plain" in responses:
            return responses["plain"], "plain"
        candidates = [(method, responses[method]) for method in methods if method in responses]
        if "predict" in methods and classes is not None:
            derived = derived_labels(responses, classes)
            candidates += [] if derived is None else [("derived", derived)]
        elif (
            classes is None
            and "predict" in responses
            and not any(is_survival_response(method) for method in methods)
        ):
            # A regressor scored by a ranking metric answers with `predict`, as in scikit-learn.
            candidates.append(("predict", responses["predict"]))
        if not candidates:
            raise lacks_response("The metric", methods, responses)
        name, array = candidates[0]
        used = [name]
        for name, candidate in candidates[1:]:
            if (array.dtype.kind, array.ndim) != (candidate.dtype.kind, candidate.ndim):
                continue  # labels are not filled with scores, nor scores with labels
            if (holes := _empty(array) & ~_empty(candidate)).any():
                array = _filled_up(array, candidate, holes)
                used.append(name)
        return array, "+".join(used)

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
        classes = self.classes_
        if isinstance(scoring, str) and scoring in METHODS:
            methods: Any = scoring
        else:
            scorer = scorer_named(scoring) if isinstance(scoring, str) else scoring
            if not callable(scorer):
                raise ValueError(
                    "scoring must be the name of a metric, such as 'roc_auc', a scorer, or a "
                    f"response method, one of {list(METHODS)}, got {got(scoring)}."
                )
            methods = getattr(scorer, "recorded_as", None)
            methods = methods or getattr(scorer, "_response_method", "predict")
            methods = "predict" if methods == "default" else methods
        array, used = self.response(methods)
        if classes is not None and used.split("+")[0] in ("predict", "derived"):
            labels, missing = classes[array], array < 0
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
            File to write; ``.npz`` is appended when it is missing. Values in `params`
            that JSON cannot hold (estimators, functions) are stored as their text. Metadata
            of Python objects is left out; what needs it then says so.

        Raises
        ------
        OSError
            If the file cannot be written, for example on a full disk. An older file of that
            name stays as it was, since the new one takes its place only when it is complete.
        """
        save(self, path)

    def with_selected(self, selected: int | None, by: str = "given") -> OOFPredictions:
        """Return the same predictions with another configuration as the winner.

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

        Examples
        --------
        >>> from sklearn_bbc.testing import example_predictions
        >>> example_predictions(n_configs=3).with_selected(2).selected
        2
        """
        Text().check("by", by)
        checked = checked_selected(selected, self.n_configs)
        return with_fields(self, selected=checked, selected_by=str(by))

    @constrained(block_length=By(check_block_length), kind=OneOf(BLOCK_KINDS))
    def with_blocks(
        self, block_length: int | str | None = "auto", *, order: Any = None, kind: str = "circular"
    ) -> OOFPredictions:
        """Return the same predictions of samples that depend on their neighbours in time.

        What draws samples then draws blocks of samples that follow each other; formulas take
        blocks as their independent units, as they take groups. With `groups` each group is a
        series of its own, such as a patient or a shop, and blocks stay within it.

        Parameters
        ----------
        block_length : int, "auto" or None, default="auto"
            Samples per block. ``"auto"`` chooses it for each metric by the autocorrelation of what
            every sample contributes to the winner's score [1]_ [2]_. None takes samples as
            independent; their order is kept for `DieboldMariano`.
        order : array-like of shape (n_samples,), default=None
            Times, as numbers or dates; within a group no two samples have the same. None is the
            order of the rows.
        kind : {"circular", "moving", "stationary", "consecutive"}, default="circular"
            How blocks are drawn. ``"circular"`` ones begin anywhere and go on at the first sample
            after the last; ``"moving"`` ones lie within the series; ``"stationary"`` ones are
            circular, with lengths that are random with the mean `block_length`;
            ``"consecutive"`` ones are cut once, side by side.

        Returns
        -------
        OOFPredictions
            Shares its arrays with this one.

        Raises
        ------
        ValueError
            If `block_length` or `kind` is none of these, there are no predictions, or times are
            missing or tied.
        UndefinedIntervalError
            If a block is longer than half of a series.

        Notes
        -----
        Samples that were never held out are in no block; samples on both sides of them count as
        neighbours. Series are drawn independently of each other: what all have in common at a
        time is not in the interval.

        References
        ----------
        .. [1] D. N. Politis, H. White, "Automatic block-length selection for the dependent
           bootstrap", Econometric Reviews 23, 53-70 (2004). :doi:`10.1081/ETC-120028836`
        .. [2] A. Patton, D. N. Politis, H. White, "Correction to 'Automatic block-length selection
           for the dependent bootstrap'", Econometric Reviews 28, 372-375 (2009).
           :doi:`10.1080/07474930802459016`

        Examples
        --------
        >>> from sklearn_bbc import BBC
        >>> from sklearn_bbc.testing import example_predictions
        >>> oof = example_predictions().with_blocks(3)
        >>> BBC(random_state=0).estimate(oof, "roc_auc").details["n_blocks"]
        20
        """
        if block_length is not None and not self.n_rows:
            raise ValueError(
                "Blocks are drawn of predictions, but there are only scores per fold. "
                "OOFPredictions.from_search(search, X, y) fits a search again and keeps them."
            )
        if order is not None:
            in_order, _, _ = in_index_order({"order": order}, self.n_samples, self.indexes)
            ordered = time_order(in_order["order"], self.groups, self.n_samples)
            order = np.empty(self.n_samples, dtype=np.intp)
            order[ordered] = np.arange(self.n_samples)
        elif block_length is not None:
            check_rows_in_order(self.indexes, self.groups, "Pass these times as order=.")
        places = None if order is None else frozen_array(order)
        other = in_blocks(self, block_length, places, kind)
        if isinstance(other.block_length, int):
            check_fits(other.block_length, [len(members) for members in other.series()])
        return other

    @property
    def has_single_samples(self) -> bool:
        """Whether samples are independent and of equal weight: no groups, blocks or weights."""
        return self.groups is None and self.block_length is None and self.sample_weight is None

    def series(self) -> list[np.ndarray]:
        """List the samples that were held out in their order, one array (n_members,) per series.

        Returns
        -------
        list of ndarray of int
            One for each group, or a single one.
        """
        return series_in_order(self.order, self.groups, self.tested)

    @property
    def clusters(self) -> np.ndarray | None:
        """Labels of the independent units, (n_samples,); None where every sample is one.

        They are groups, or blocks that follow each other.
        """
        if self.block_length is None:
            return self.groups
        if not isinstance(self.block_length, int):
            raise ValueError(
                "block_length='auto' is chosen for a metric. Give a number to with_blocks where "
                "no metric is given."
            )
        return consecutive_blocks(self.series(), self.block_length, self.n_samples)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        names = [f.name for f in fields(self)]
        return all(same(getattr(self, name), getattr(other, name)) for name in names)

    # Of the sizes only: equal predictions have equal sizes, and arrays of gigabytes stay unread.
    def __hash__(self) -> int:
        sizes = ("n_samples", "n_configs", "n_rows", "n_splits", "selected")
        return hash(tuple(getattr(self, name) for name in sizes))

    # Mapping proxies cannot be pickled, and unpickled arrays come back writeable.
    def __getstate__(self) -> dict[str, Any]:
        return {
            name: dict(value) if isinstance(value, MappingProxyType) else value
            for name, value in self.__dict__.items()
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        fields = dict(state)
        for name, value in state.items():
            if isinstance(value, np.ndarray):
                fields[name] = frozen_array(value)
            elif isinstance(value, dict):
                fields[name] = frozen_mapping(value)
        self._set_fields(fields)

    def __repr__(self) -> str:
        return (
            f"OOFPredictions(n_samples={self.n_samples}, n_configs={self.n_configs}, "
            f"n_splits={self.n_splits}, n_repeats={self.n_repeats}, "
            f"responses={sorted(self.responses)})"
        )


for _reader in dir(readers):
    setattr(OOFPredictions, _reader, ClassMethodLater(readers, _reader))


def with_fields(oof: Predictions, **fields: Any) -> Predictions:
    """Replace fields by values that were checked already; nothing is copied."""
    other = object.__new__(type(oof))
    vars(other).update(vars(oof))
    other._set_fields(fields)
    return other


def predictions_of_rows(**given: Any) -> OOFPredictions:
    """Make predictions from rows or fold scores without warnings; notes are kept."""
    return OOFPredictions._of_rows(**given)


def notes_to_warn_of(oof: OOFPredictions) -> list[str]:
    """List the notes that the user is also warned about."""
    return [note for note in oof.notes if kind_of(note) == STRADDLING]


def in_blocks(
    oof: Predictions,
    block_length: int | str | None,
    order: np.ndarray | None = None,
    kind: str = BLOCK_KINDS[0],
) -> Predictions:
    """Set blocks that may be too long; `order` are places."""
    notes = without_kind(oof.notes, INDEPENDENT.kind)
    if block_length is None and (kind := IN_TIME[0].kind) in (kinds := [*map(kind_of, notes)]):
        notes.insert(kinds.index(kind) + 1, INDEPENDENT)
    length = block_length if block_length in (None, "auto") else int(block_length)
    return with_fields(oof, order=order, block_length=length, block_kind=kind, notes=tuple(notes))


def taken(
    oof: OOFPredictions,
    *,
    configs: Any = None,
    samples: np.ndarray | None = None,
    rows: np.ndarray | None = None,
    **others: Any,
) -> OOFPredictions:
    """Take some configurations and samples, see `fields_of_part`, with `others` in their place."""
    every = np.arange(oof.n_configs)
    if configs is not None and np.array_equal(every[configs], every):
        configs = None
    part = fields_of_part(oof, configs, samples, rows) | others
    if samples is not None or rows is not None:
        return predictions_of_rows(**arguments_of_fields(part))
    is_whole = configs is None and oof.selected is None and not others
    return oof if is_whole else with_fields(oof, **part, selected=None, selected_by="given")
