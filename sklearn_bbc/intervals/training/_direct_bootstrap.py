"""Bootstrap of the whole tuning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import check_cv
from sklearn.model_selection._search import BaseSearchCV
from sklearn.multioutput import ClassifierChain, RegressorChain
from sklearn.pipeline import Pipeline

from ..._integers import is_integer
from ..._warn import warn_user
from ...exceptions import IntervalWarning, UndefinedIntervalError
from ...resampling import IID
from ...resampling._draws import Draws
from ...resampling._units import Units, check_possible
from ...results import ConfidenceInterval
from ...selection import AsRefit, RefitCallable, Selection, as_selection
from .._base import check_n_bootstraps
from .._quantiles import QuantileRule
from ..winner._bbc_notes import told_outside
from ._base import RefitInterval
from ._checks import parts_of
from ._drawn_rule import (
    keeps_predictions,
    reported_metric,
    score_by_rule,
    split_rule,
    tell_of_draws,
)
from ._problem import Problem


class DirectBootstrap(RefitInterval):
    """Bootstrap of the whole tuning: search, refit and score, on every resample.

    The expensive original that BBC imitates on the predictions of one search. It is here
    to check others against.

    Parameters
    ----------
    n_bootstraps : int, default=200
        Number of draws, at least 20; each is a whole search.
    confidence_level : float in (0, 1), default=0.95
        {level}
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        ``"greater"`` keeps only the lower bound, ``"less"`` only the upper one.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws.
    n_jobs : int or None, default=None
        Number of draws to run at the same time.
    verbose : int, default=1
        1 tells the number of fits before the run, more tells the progress too.
    quantile : QuantileRule, default=None
        How bounds are read off the sorted draws. None is `OrderStatistic`, as published;
        `NormalScoreQuantile` and `sklearn_bbc.replication.LinearQuantile` repeat other code.
    selection : Selection, default=None
        Rule by which the search in each draw selects, on its own fold scores; None leaves the
        search as it is. Only for an estimator that is a search, with one metric unless the
        rule is `RefitCallable`, whose function gets the ``cv_results_`` of the draw. A threshold
        or an ensemble is chosen on the out-of-fold predictions of that search, which must be
        one that keeps them (`BBCSearchCV`); members of an ensemble are fitted on the draw.

    See Also
    --------
    BBC : The same idea without refitting anything.

    Notes
    -----
    Each draw takes as many samples as there are (with groups: groups), with replacement;
    the estimator is fitted on them and scored on the samples left out. A search splits
    the distinct samples of a draw with its own splitter, and the copies of a sample go
    where the sample goes, so that no model is scored on a copy of what it was trained on.
    That holds for searches, for estimators with a parameter `cv` and for pipelines of
    them. It does not hold for what splits inside of these or inside another container (a
    search whose estimator is a search, a search in ``VotingClassifier``): it sees copies on
    both sides, and a warning and a note name it. An estimator that splits its data in a
    way of its own, as early stopping does, sees them too, without a warning.
    A `cv` that cannot split a draw, such as a share or a list of splits, is refused.
    Draws that lack a class in-bag or out-of-bag are drawn again. A draw trains on about
    63% distinct samples, so the estimate is pessimistic. Cost: n_bootstraps * (fits of
    one search).

    `details` of the result: ``n_redrawn``, ``n_undefined``, ``n_fits`` (those of the members
    of ensembles included), ``unit``,
    ``seed``, ``degenerate`` (all draws score the same, which a warning tells), ``median``
    (where the estimate is outside the interval), ``demand`` (of a threshold that must keep a
    rate, see `WithThreshold`), ``notes``.

    References
    ----------
    .. [1] K. Paraschakis, A. Castellani, G. Borboudakis, I. Tsamardinos, "Confidence
       interval estimation of predictive performance in the context of AutoML", AutoML
       Conference (2024), section 2.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from sklearn_bbc.intervals import DirectBootstrap
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> search = GridSearchCV(tree, {"max_depth": [1, 2]}, cv=3)
    >>> result = DirectBootstrap(n_bootstraps=20, random_state=0).estimate(search, X, y)
    DirectBootstrap: 20 runs of GridSearchCV with 7 fits, 140 in all
    >>> bool(0.8 < result.low < result.estimate < result.high < 1)
    True
    """

    name = "direct_bootstrap"
    estimand = "score on new samples of what tuning and training give on about 63% of the samples"
    meant_for = "a whole tuning procedure, when it can be run hundreds of times"
    cost = "B searches"
    limits = "trains on about 63% of the samples: too low; a class with one sample"

    def __init__(
        self,
        *,
        n_bootstraps: int = 200,
        confidence_level: float = 0.95,
        alternative: str = "two-sided",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 1,
        quantile: QuantileRule | None = None,
        selection: Selection | None = None,
    ) -> None:
        self.n_bootstraps = n_bootstraps
        self.confidence_level = confidence_level
        self.alternative = alternative
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.quantile = quantile
        self.selection = selection

    def _validate(self) -> None:
        super()._validate()
        check_n_bootstraps(self.n_bootstraps)
        as_selection(self.selection)

    def _n_models(self, problem: Problem) -> int:
        return self.n_bootstraps

    def _estimate(self, problem: Problem) -> ConfidenceInterval:
        rule, reported = None, problem.metric
        if self.selection is not None:
            estimator, rule = selecting(problem.estimator, self.selection)
            problem = replace(problem, estimator=estimator)
        if rule is not None:
            reported = reported_metric(problem, rule)
        check_splitting(problem, type(self).__name__)
        n_samples = problem.n_samples
        of_sample = np.arange(n_samples)
        if problem.groups is not None:
            of_sample = np.unique(problem.groups, return_inverse=True)[1]
        units = Units(problem.details["unit"], of_sample, int(of_sample.max()) + 1)
        labels = problem.labels()
        strata, names = None, ["the data"]
        if labels is not None:
            classes = np.unique(labels)
            strata = labels == classes[:, None]
            names = [f"class {label}" for label in classes]
        indicator = units.indicator(strata)
        check_possible(indicator, names, units.kind, type(self).__name__, problem.metric.name)
        draws = Draws(
            IID(units.n_units),
            self.n_bootstraps,
            problem.entropy,
            indicator=indicator,
            expand=units.expand,
        )
        tell_uncovered(problem, type(self).__name__)
        counts = draws.map(lambda of_draw: of_draw)
        done = self._run(score_of_draw, [(problem, row, rule) for row in counts])
        scores = np.array([score for score, _, _ in done])
        if rule is not None:
            tell_of_draws(problem, rule, [reached for _, _, reached in done])
        problem.details["n_redrawn"] = draws.n_redrawn
        if problem.details["n_fits"] is not None:
            problem.details["n_fits"] += sum(n_fits for _, n_fits, _ in done)
        self._count_undefined(scores, reported)
        least, most = float(np.nanmin(scores)), float(np.nanmax(scores))
        with np.errstate(invalid="ignore"):
            self._tell_degenerate(problem, most - least, min(least, most, key=abs))
        result = self._from_draws(
            scores, reported, n_bootstraps=self.n_bootstraps, details=problem.details
        )
        return told_outside(result)


def selecting(estimator: Any, selection: Selection) -> tuple[Any, Selection | None]:
    """A search that selects by a rule, and what is left of the rule.

    Parameters
    ----------
    estimator : estimator
        The search.
    selection : Selection
        The rule.

    Returns
    -------
    estimator : estimator
        A clone of the search with the rule as its `refit`, if scores per fold are enough.
    rule : Selection or None
        A rule on single samples, which goes on where the search ends.
    """
    if not isinstance(estimator, BaseSearchCV):
        raise ValueError(
            f"selection={selection!r} is for searches, got {type(estimator).__name__}. Give a "
            "search such as GridSearchCV as the estimator, or selection=None."
        )
    on_samples = "predictions" in selection.needs
    if on_samples and not keeps_predictions(estimator):
        raise ValueError(
            f"{selection!r} needs the out-of-fold predictions of the search in each draw, which "
            f"{type(estimator).__name__} does not keep. Give a BBCSearchCV with record=True. For "
            "a threshold TunedThresholdClassifierCV as the estimator works too."
        )
    if isinstance(selection, RefitCallable):
        if selection.scoring is not None or selection.cv_results is not None:
            raise ValueError(
                f"The search in each draw gives {selection!r} its own cv_results_, so there is no "
                "use for scoring and cv_results. Give RefitCallable(function), and the metrics to "
                "the search."
            )
        return clone(estimator).set_params(refit=selection.function), None
    scoring = estimator.scoring
    if isinstance(scoring, (Mapping, list, tuple, set)):
        raise ValueError(
            f"selection={selection!r} needs a search with one metric, got scoring={scoring!r}."
        )
    if on_samples:
        selection._validate()
        return split_rule(estimator, selection)
    return clone(estimator).set_params(refit=AsRefit(selection)), None


def score_of_draw(
    problem: Problem, counts: np.ndarray, rule: Selection | None = None
) -> tuple[float, int, bool | None]:
    """Score a draw out-of-bag; fits beside those of a search; whether a demand was reached.

    Parameters
    ----------
    problem : Problem
        Estimator, data and metric.
    counts : ndarray of shape (n_samples,)
        How often each sample is in the draw.
    rule : Selection, default=None
        A rule on single samples, see `score_by_rule`.
    """
    params = {
        name: splits_of_copies(splitting, problem, counts)
        for name, splitting in splitting_parts(problem.estimator)
    }
    if rule is not None:
        return score_by_rule(problem, rule, counts, params)
    in_bag = np.repeat(np.arange(len(counts)), counts)
    return problem.score(problem.fit(in_bag, **params), np.flatnonzero(counts == 0)), 0, None


def splitting_parts(estimator: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Parts of an estimator that split the data they are given, by their parameter `cv`.

    Parameters
    ----------
    estimator : estimator
        A search, an estimator with a cross-validation of its own, or a pipeline of these.
    prefix : str, default=""
        Goes before the name of the parameter.

    Yields
    ------
    name : str
        Parameter to set, for example ``"gridsearchcv__cv"``.
    part : estimator
        Whose parameter it is.
    """
    if isinstance(estimator, Pipeline):
        for name, step in estimator.steps:
            yield from splitting_parts(step, f"{prefix}{name}__")
    elif splits_its_data(estimator):
        yield f"{prefix}cv", estimator


def check_splitting(problem: Problem, method: str) -> None:
    """Raise before the first fit when some `cv` cannot split the samples of a draw."""
    for name, part in splitting_parts(problem.estimator):
        cv = part.cv
        is_number = is_integer(cv, 2)
        if cv is None or is_number or hasattr(cv, "split"):
            continue
        if isinstance(cv, (Integral, float)):
            what, share = f"{cv!r} is not a number of folds", ""
            if isinstance(cv, float) and 0 < cv < 1:
                share = f", such as StratifiedShuffleSplit(n_splits=1, test_size={cv!r})"
        else:
            what, share = "a list of splits is one of all samples, but each draw has others", ""
        raise ValueError(
            f"{method} splits the samples of each draw by the cv of {type(part).__name__} "
            f"({name}): {what}. Give a number of folds of at least 2, or a splitter{share}."
        )


def tell_uncovered(problem: Problem, method: str) -> None:
    """Warn of parts that split their data where copies cannot be kept together."""
    names = uncovered_parts(problem.estimator)
    if names:
        note = (
            f"Copies of a sample are on both sides of the splits of {', '.join(names)}, which "
            "scores what it was trained on: tuning there is too optimistic and may choose "
            "overfitted candidates."
        )
        problem.details["notes"].append(note)
        warn_user(f"{method}: {note}", IntervalWarning)


def splits_its_data(part: Any) -> bool:
    """Whether the part splits what it is fitted on, by its parameter `cv`."""
    if not hasattr(part, "get_params") or "cv" not in part.get_params(deep=False):
        return False
    if isinstance(part, (ClassifierChain, RegressorChain)) and part.cv is None:
        return False  # trains on the true targets
    return not isinstance(part.cv, str)  # "prefit"


def uncovered_parts(estimator: Any) -> list[str]:
    """Parts with a parameter `cv` that `splitting_parts` does not reach, by name."""
    covered = {id(part) for _, part in splitting_parts(estimator)}
    return [
        f"{type(part).__name__} ({name})"
        for name, part in parts_of(estimator)
        if id(part) not in covered and splits_its_data(part)
    ]


def splits_of_copies(
    splitting: Any, problem: Problem, counts: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Splits of a draw in which the copies of a sample stay together.

    Parameters
    ----------
    splitting : estimator
        Its `cv` says how to split.
    problem : Problem
        The data.
    counts : ndarray of shape (n_samples,)
        Copies of each sample in the draw.

    Returns
    -------
    list of (train, test)
        Positions in the draw, which lists its samples in order, copies side by side.
    """
    distinct = np.flatnonzero(counts)
    starts = np.cumsum(counts[distinct], dtype=np.intp) - counts[distinct]

    def positions(chosen: np.ndarray) -> np.ndarray:
        return np.concatenate(
            [np.arange(starts[k], starts[k] + counts[distinct[k]]) for k in chosen]
        )

    y = np.asarray(problem.y)[distinct]
    groups = None if problem.groups is None else problem.groups[distinct]
    splitter = check_cv(splitting.cv, y, classifier=is_classifier(splitting))
    try:
        # Splitters look at the number of rows of X only.
        splits = list(splitter.split(np.zeros((len(distinct), 1)), y, groups))
    except ValueError as error:
        raise UndefinedIntervalError(
            f"DirectBootstrap cannot split the {len(distinct)} distinct samples of a draw by the "
            f"cv of {type(splitting).__name__}: {error} Use fewer folds there, or more samples: a "
            "draw holds about 63% of them."
        ) from error
    return [(positions(train), positions(test)) for train, test in splits]
