"""Gather facts about finished searches, or predictions, for summaries, tables and reports."""

from __future__ import annotations

import itertools
import math
import os
import platform
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy
import sklearn
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils._pprint import _EstimatorPrettyPrinter

from .._citations import references_of
from .._parameters import Text, constrained
from .._rounding import levelled
from .._scorers import scorer_names
from .._text import card, count, is_usual_positive, number, printed_result, result_words, shown
from .._utils import check_place, explain_arguments, got, path_of
from .._version import __version__
from ..comparison._tied import tied_with_best
from ..contest._contest import fold_scores_of
from ..contest._notes import unequal_amounts
from ..contest._question import check_oof
from ..curves._base import Curve, of_survival, registered_curves
from ..exceptions import BBCWarning
from ..intervals._base import registered
from ..intervals._bbc import BBC
from ..metrics._metric import Metric, as_metric
from ..metrics._survival import SURVIVAL_SCORES, WEIGHTED, follow_up
from ..predictions._predictions import OOFPredictions
from ..recording._finished import FinishedSearch
from ..recording._racing import dropped_of
from ..report._sentences import Reference, SearchFacts
from ..report._table import ResultsTable
from ..results._curves import CurveResult, Plottable
from ..results._rankings import TiedSet
from ..results._results import ConfidenceInterval

PACKAGES = {"scikit-learn": sklearn, "numpy": np, "scipy": scipy, "pandas": pd}
LONGEST_VALUES = 160
"""Characters of the values of one parameter."""
MOST_CLASSES_NAMED = 20
"""Classes that are listed one by one."""
STRATEGIES = {
    "GridSearchCV": "grid search",
    "RandomizedSearchCV": "random search",
    "HalvingGridSearchCV": "successive halving",
    "HalvingRandomSearchCV": "successive halving",
}

Results = Mapping[str, Mapping[str, ConfidenceInterval]]
"""Metric -> name of the method -> result."""


def frame_of(
    results: Results, n_configs: int, best_score: Callable[[ConfidenceInterval], float]
) -> pd.DataFrame:
    """Make the table of intervals, with the uncorrected score of each."""
    methods = registered()
    rows = [
        {
            "metric": result.metric,  # a threshold is about another one than the search's
            "method": name,
            "best_score": best_score(result),
            "estimate": result.estimate,
            "low": result.low,
            "high": result.high,
            "confidence_level": result.confidence_level,
            "alternative": result.alternative,
            "n_bootstraps": result.n_bootstraps,
            "selection_aware": n_configs == 1
            or result.method not in methods
            or methods[result.method].selection_aware,
            "tuned_by": result.details.get("tuned_by"),
            "error": result.details.get("error"),
            "printed_method": result_words(result).short,
        }
        for by_method in results.values()
        for name, result in by_method.items()
    ]
    return pd.DataFrame(rows)


def table_of(frame: pd.DataFrame, facts: SearchFacts, *, uncorrected: bool = True) -> ResultsTable:
    """Make the table for a paper."""
    # The threshold of a rule has a metric of its own.
    signs = {name: facts.words(name).sign for name in frame["metric"].unique()}
    shown_too = {
        "sign": [signs[name] for name in frame["metric"]],
        "positive_class": [facts.positive.get(name) for name in frame["metric"]],
    }
    return ResultsTable.from_frame(frame.assign(**shown_too), uncorrected=uncorrected)


def computed(search: Any, show: Any) -> list[Plottable | ConfidenceInterval]:
    """Compute what `show` of `report` names; results stay what they are."""
    single = isinstance(show, (str, Curve, Plottable, ConfidenceInterval))
    results, known = [], registered_curves()
    for each in [show] if single or not np.iterable(show) else show:
        if isinstance(each, Curve) or (isinstance(each, str) and each in known):
            each = search.curve(each)
        elif isinstance(each, str) and each in scorer_names():
            each = search.interval(scoring=each)
        elif not isinstance(each, (Plottable, ConfidenceInterval)):
            raise ValueError(
                f"show takes curves ({', '.join(map(repr, known))}), scorers by name, such "
                "as 'calibration_slope', and what curve(), interval(), subgroups(), "
                f"prediction_stability() and samples_for_width() return, got {got(each)}."
            )
        results.append(each)
    return results


def curves_of(search: Any) -> tuple[list[CurveResult], list[str]]:
    """Compute the curves that a report has unasked, and say why others cannot be drawn."""
    oof = search.oof_
    survival = of_survival(oof)
    if not oof.responses or (oof.y_true.ndim > 1 and not survival):
        return [], []
    names = ["calibration"] if oof.classes_ is None else ["roc", "calibration", "net_benefit"]
    if survival:
        names = ["auc_over_time", "brier_over_time", "calibration", "net_benefit"]
    if oof.classes_ is not None and len(oof.classes_) != 2:
        return [], []  # of which class, nobody said
    curves, reasons = [], []
    for name in names:
        try:
            with warnings.catch_warnings():  # the search has given them
                warnings.simplefilter("ignore", BBCWarning)
                curves.append(search.curve(name))
        except ValueError as error:  # a report does not fail for it
            reasons.append(str(error))
    return curves, reasons


def by_metric(results: Iterable[tuple[str, ConfidenceInterval]]) -> dict[str, dict[str, Any]]:
    """Sort named results by their metrics; a name that is taken gets a number."""
    found: dict[str, dict[str, ConfidenceInterval]] = {}
    for name, result in results:
        there = found.setdefault(result.metric, {})
        free = (f"{result.method}_{k}" for k in itertools.count(2))
        there[name if name not in there else next(n for n in free if n not in there)] = result
    return found


class FactsOfPredictions(SearchFacts):
    """Facts about predictions and results on them, computed when they are used."""

    _oof: OOFPredictions
    _tested: np.ndarray
    _metrics: Mapping[str, Metric]

    def __init__(
        self,
        oof: OOFPredictions,
        results: Results,
        mean_scores: Mapping[str, np.ndarray],
        best_score: Callable[[ConfidenceInterval], float],
        metrics: Mapping[str, Metric],
        **more: Any,
    ) -> None:
        main = next((each for named in results.values() for each in named.values()), None)
        tested = oof.tested if oof.n_rows else np.ones(oof.n_samples, dtype=bool)
        given = {
            "n_failed": int(np.count_nonzero(oof.failed)),
            "n_samples": oof.n_samples,
            "n_configs": oof.n_configs,
            "n_splits": oof.n_splits,
            "n_repeats": oof.n_repeats,
            "unequal_amounts": unequal_amounts(oof),
            "primary": None if main is None else main.metric,
            "mean_scores": mean_scores,
            "results": results,
            "best_scores": {
                (metric, name): best_score(result)
                for metric, by_method in results.items()
                for name, result in by_method.items()
            },
            "main": main,
            "selection_aware": frozenset(
                name for name, cls in registered().items() if cls.selection_aware
            ),
            "params": oof.params,
            "best_index": oof.selected,
            "seed": None if main is None else main.details.get("seed"),
            "signs": {name: metric.sign for name, metric in metrics.items()},
            "_oof": oof,
            "_tested": tested,
            "_metrics": metrics,
            **more,
        }
        tested = given["_tested"]
        given["n_untested"] = int(np.count_nonzero(~tested))
        given["n_groups"] = None if oof.groups is None else len(np.unique(oof.groups[tested]))
        vars(self).update(given)  # as the base class is frozen

    @cached_property
    def positive(self) -> Mapping[str, Any]:
        classes = [] if self._oof.classes_ is None else self._oof.classes_.tolist()
        return {
            metric: result.details["positive_class"]
            for metric, by_method in self.results.items()
            for result in by_method.values()
            if "positive_class" in result.details
            and not is_usual_positive(result.details["positive_class"], classes)
        }

    @cached_property
    def notes(self) -> tuple[str, ...]:
        notes = [*self._own_notes, *self._oof.notes]
        notes += [note for each in self.further_results for note in each.details["notes"]]
        for by_method in self.results.values():
            for name, result in by_method.items():
                notes += result.details.get("notes", ())
                if "error" in result.details:
                    error = result.details["error"]
                    notes.append(f"No {name} interval for {result.metric}: {error}")
        return tuple(dict.fromkeys(notes))

    @cached_property
    def folds(self) -> tuple[int, ...]:
        """Number of folds of each repeat; empty where repeats do not hold out each sample once.

        Without predictions only the sizes of the training sets show it.
        """
        oof = self._oof
        whole = oof.is_partition
        if not oof.n_rows:
            held_out = 0 if oof.train_size is None else np.sum(oof.n_samples - oof.train_size)
            whole = bool(held_out and held_out == oof.n_samples * oof.n_repeats)
        return tuple(np.bincount(oof.split_repeat).tolist()) if whole else ()

    @cached_property
    def cv(self) -> str:
        splitter, folds = self._splitter, self.folds
        if self._lacks_folds:
            return "cross-validation (the folds were not given)"
        if self.n_splits == 1:
            return f"a single split ({splitter})" if splitter else "a single split"
        if not folds:
            kind = f"{splitter} with " if splitter else ""
            return f"cross-validation ({kind}{count(self.n_splits, 'split')})"
        if len(set(folds)) > 1:
            return f"cross-validation with {self.splits()}"
        if folds[0] == self.n_samples:
            return "leave-one-out cross-validation"
        again = f" with {count(len(folds), 'repeat')}" if len(folds) > 1 else ""
        return " ".join([*self._kinds, f"{folds[0]:,}-fold cross-validation{again}"])

    def splits(self) -> str:
        return "folds not given" if self._lacks_folds else super().splits()

    @property
    def _splitter(self) -> str:
        """Name of the user's own splitter."""
        return ""

    @property
    def _kinds(self) -> list[str]:
        """Words for how the folds were made."""
        return []

    @property
    def _own_notes(self) -> list[str]:
        """Notes that are in no result."""
        return []

    @property
    def _lacks_folds(self) -> bool:
        """Whether all samples were given as one fold, which nothing but a search has."""
        return not self.search and self.n_splits == 1 and not self.n_untested

    @cached_property
    def target(self) -> tuple[tuple[str, str], ...]:
        """Description of the target of the held-out samples."""
        y = np.asarray(self._oof.y_true)[self._tested]
        if not len(y):
            return (("target", "none"),)
        if self.followed is not None:
            n_events, n_censored, median = self.followed
            length = "not reached" if np.isnan(median) else number(median)
            return (
                ("events", f"{n_events:,}"), ("censored", f"{n_censored:,}"),
                ("median follow-up", f"{length} (reverse Kaplan-Meier)"),
            )  # fmt: skip
        if y.ndim > 1:
            return (("outputs", f"{y.shape[1]:,}"),)
        if self._oof.classes_ is not None:
            labels, sizes = np.unique(y, return_counts=True)
            if len(labels) > MOST_CLASSES_NAMED:
                return (("classes", f"{len(labels):,}"), ("smallest class", f"{sizes.min():,}"))
            return tuple((f"class {label}", f"{size:,}") for label, size in zip(labels, sizes))
        ends = (float(y.min()), float(y.max()))
        _, low, high, mean = shown(max(map(abs, ends)), *ends, float(y.mean()))
        return (("target", f"{low} to {high}, mean {mean}"),)

    @cached_property
    def followed(self) -> tuple[int, int, float] | None:
        """Events, censored samples and median follow-up of a survival target; None of others."""
        y = np.asarray(self._oof.y_true)[self._tested]
        is_survival = any(each.score_func in SURVIVAL_SCORES for each in self._metrics.values())
        return follow_up(y) if len(y) and (is_survival or y.dtype.names is not None) else None

    @cached_property
    def weighted(self) -> str:
        """Samples whose censoring gives the weights of the metrics, see `SearchFacts`."""
        given = {
            each.kwargs.get("censoring") is not None
            for each in self._metrics.values()
            if each.score_func in WEIGHTED
        }
        return " or ".join(
            "all samples at once" if each else "the samples that are scored, in each fold and draw"
            for each in given
        )

    @cached_property
    def versions(self) -> dict[str, str]:
        # From the modules: the metadata of installed packages take milliseconds to read.
        others = {name: module.__version__ for name, module in PACKAGES.items()}
        return {"sklearn-bbc": __version__, "Python": platform.python_version(), **others}


class FactsOfSearch(FactsOfPredictions):
    """Facts about a finished search for its reports."""

    _search: Any
    _finished: FinishedSearch

    def __init__(
        self,
        search: Any,
        finished: FinishedSearch,
        more: Iterable[ConfidenceInterval] = (),
        shown: Sequence[Plottable] = (),
    ) -> None:
        oof: OOFPredictions = search.oof_
        # Of a search in rounds the last one counts; what was left behind has scores, but others.
        scored = np.all([np.isfinite(means) for means in finished.mean_scores.values()], axis=0)
        left_out = oof.failed & scored & finished.in_rounds
        dropped = dropped_of(search.cv_results_)
        tested = oof.tested if oof.n_rows else finished.held_out
        if tested is None or len(tested) != oof.n_samples:
            tested = np.ones(oof.n_samples, dtype=bool)
        every = getattr(search, "ci_results_", {}).values()
        own = [item for by_method in every for item in by_method.items()]
        super().__init__(
            oof,
            by_metric([*own, *((each.method, each) for each in more)]),
            finished.mean_scores,
            finished.reported_score,
            finished.metrics,
            _search=search,
            _finished=finished,
            _tested=tested,
            search=type(search).__name__,
            n_configs=oof.n_configs + finished.n_earlier,
            n_earlier=finished.n_earlier,
            n_failed=int(np.count_nonzero(oof.failed & ~left_out & ~dropped)),
            n_dropped=int(np.count_nonzero(dropped)),
            n_left_out=int(np.count_nonzero(left_out)),
            dynamic=finished.in_rounds,
            n_features=getattr(search, "n_features_in_", None),
            primary=finished.primary,
            main=getattr(search, "ci_", None),
            best_index=finished.best_index,
            seed=finished.seed,
            further_results=shown,
        )

    @cached_property
    def strategy(self) -> str:
        for cls in type(self._search).__mro__:
            if cls.__name__ == "BBCSearchCV":
                return "grid search" if self._search.n_iter is None else "random search"
            if cls.__name__ in STRATEGIES:
                return STRATEGIES[cls.__name__]
        return self.search

    @cached_property
    def estimator(self) -> str:
        """Class of the estimator, or those of a pipeline's steps and what was tried."""
        estimator = self._search.estimator
        if not isinstance(estimator, Pipeline):
            return type(estimator).__name__
        steps = []
        for name, step in estimator.steps:
            values = [space.get(name, ()) for space in self._spaces]
            # A distribution has none that could be listed.
            tried = [v for each in values if not hasattr(each, "rvs") for v in each] or [step]
            kinds = dict.fromkeys(
                "no step" if each is None or isinstance(each, str) else type(each).__name__
                for each in tried
            )
            if list(kinds) != ["no step"]:
                steps.append(" or ".join(kinds))
        if len(steps) < 2:
            return f"A pipeline of {steps[0]}" if steps else "A pipeline"
        return f"A pipeline of {', '.join(steps[:-1])} and {steps[-1]}"

    @cached_property
    def _spaces(self) -> list[Mapping[str, Any]]:
        found = [getattr(self._search, n, None) for n in ("param_grid", "param_distributions")]
        space: Any = next((each for each in found if each is not None), [])
        return [space] if isinstance(space, Mapping) else list(space)

    @cached_property
    def space(self) -> tuple[tuple[str, str], ...]:
        several = len(self._spaces) > 1
        return tuple(
            (f"{name} (space {k})" if several else name, _values_tried(values))
            for k, each in enumerate(self._spaces, start=1)
            for name, values in each.items()
        )

    @property
    def _splitter(self) -> str:
        given = self._search.cv
        return type(given).__name__ if hasattr(given, "split") else ""

    @property
    def _kinds(self) -> list[str]:
        given = self._search.cv
        by_number = given is None or isinstance(given, int)
        name = "" if by_number else type(given).__name__
        classes = is_classifier(self._search.estimator) and self._oof.classes_ is not None
        kinds = ["stratified"] if "Stratified" in name or (by_number and classes) else []
        return kinds + ["grouped"] * ("Group" in name)

    @property
    def _own_notes(self) -> list[str]:
        return self._finished.notes

    @cached_property
    def code(self) -> str:
        """Call that made the search; whole, where the repr of scikit-learn is cut."""
        whole = _EstimatorPrettyPrinter(compact=True, indent=1, indent_at_name=True)
        lines = [f"search = {whole.pformat(self._search)}", "search.fit(X, y)"]
        if not isinstance(getattr(self._search, "random_state", None), (int, np.integer)):
            lines.append(
                f"# random_state was not a number. The seed of the draws was {self.seed}."
            )
        return "\n".join(lines)


def _values_tried(values: Any) -> str:
    """List the values of one parameter that were tried, or name their distribution."""
    if hasattr(values, "rvs"):
        frozen = getattr(values, "dist", None)
        if frozen is None:
            return _line(values)
        given = [f"{value:g}" if isinstance(value, float) else str(value) for value in values.args]
        given += [f"{name}={value}" for name, value in values.kwds.items()]
        return f"distribution {frozen.name}({', '.join(given)})"
    texts = [_line(value) for value in values]
    lengths = np.cumsum([len(text) + 2 for text in texts])
    n_listed = max(1, int(np.count_nonzero(lengths <= LONGEST_VALUES)))
    listed = ", ".join(texts[:n_listed])
    return listed + f", ... ({len(texts):,} values)" * (n_listed < len(texts))


def _line(value: Any) -> str:
    if isinstance(value, (float, np.floating)):
        return f"{value:.4g}"
    text = " ".join(str(value).split())
    return text if len(text) <= LONGEST_VALUES else text[: LONGEST_VALUES - 3] + "..."


@explain_arguments()
@constrained(title=Text(), code=Text())
def write_report(
    path: str | os.PathLike[str],
    oof: OOFPredictions,
    results: ConfidenceInterval | Sequence[ConfidenceInterval | CurveResult],
    *,
    scoring: Any = None,
    title: str = "Tuning report",
    tied: bool | TiedSet = True,
    code: str = "",
) -> Path:
    """Write the page of `BBCSearchCV.report` for predictions of any other tool.

    What only a search knows, such as the estimator and the parameters that were searched, is left
    out, and the page notes it. It needs jinja2 (``pip install sklearn-bbc[report]``); plots are
    there when matplotlib is.

    Parameters
    ----------
    path : str or path-like
        The file, with the ending ``.html``. An older one is replaced once the new one is complete.
    oof : OOFPredictions
        Predictions of all configurations, or their scores per fold.
    results : ConfidenceInterval or sequence of ConfidenceInterval and CurveResult
        What methods found on these predictions; the first interval leads the page. Curves become
        plots.
    scoring : str, scorer or Metric, default=None
        Metric of the results, where their `metric` is not the name of a scorer.
    title : str, default="Tuning report"
        Heading of the page.
    tied : bool or TiedSet, default=True
        Whether to compute `tied_with_best` by the metric of the first result, or its result.
    code : str, default=""
        Program or command that repeats the analysis, printed at the end of the page.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ImportError
        If jinja2 is missing.
    OSError
        If the folder is not there, or `path` is one.
    ValueError
        If `path` has another ending than ``.html``, there is no result or one with another number
        of configurations, or a metric is not known by its name.

    See Also
    --------
    BBCSearchCV.report : The page of a search.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn_bbc import BBC, write_report
    >>> from sklearn_bbc.testing import example_predictions
    >>> oof = example_predictions()
    >>> result = BBC(random_state=0).estimate(oof, "roc_auc")
    >>> path = Path(tempfile.mkdtemp()) / "report.html"
    >>> write_report(path, oof, result) == path  # doctest: +SKIP
    True
    """
    check_page(path)
    check_oof(oof)
    check_tied(tied)
    single = isinstance(results, (ConfidenceInterval, Plottable)) or not np.iterable(results)
    given: list[Any] = [results] if single else list(results)
    further = [each for each in given if isinstance(each, Plottable)]
    given = [each for each in given if not isinstance(each, Plottable)]
    metrics = _metrics_of(oof, given, scoring)
    scores = {result.metric: _mean_scores(oof, result.metric, metrics) for result in given}

    def best_score(result: ConfidenceInterval) -> float:
        if "apparent_score" in result.details:
            return float(result.details["apparent_score"])
        means, winner = scores[result.metric], result.details.get("winner")
        if winner is None:
            winner = 0 if np.isnan(means).all() else np.nanargmax(levelled(means))
        return float(means[winner])

    named = by_metric((result.method, result) for result in given)
    facts = FactsOfPredictions(
        oof, named, scores, best_score, metrics,
        best_index=given[0].details.get("winner", oof.selected), code=code,
        search="", strategy="", estimator="", space=(), n_features=None, further_results=further,
    )  # fmt: skip
    found: TiedSet | str | None = tied if isinstance(tied, TiedSet) else None
    if found is None and tied and oof.n_configs > 1:
        try:
            scorer = metrics.get(given[0].metric, given[0].metric)
            found = tied_with_best(
                oof, scorer, draws=BBC(n_bootstraps=1000, random_state=facts.seed)
            )
        except ValueError as error:  # a report does not fail for it
            found = str(error)
    table = table_of(frame_of(named, oof.n_configs, best_score), facts)
    return write_search_page(path, facts, title=title, table=table, tied=found)


def _metrics_of(
    oof: OOFPredictions, results: Sequence[ConfidenceInterval], scoring: Any
) -> dict[str, Metric]:
    """Find the metrics of results by their names; check that they can be of these predictions."""
    wrong = [each for each in results if not isinstance(each, ConfidenceInterval)]
    if not results or wrong:
        raise ValueError(
            "results must be one or several ConfidenceInterval, as BBC().estimate(oof, 'roc_auc') "
            f"returns, got {got(wrong[0]) if wrong else 'none'}."
        )
    metrics = {}
    for result in results:
        n_configs = result.details.get("n_configs", oof.n_configs)
        if n_configs != oof.n_configs:
            raise ValueError(
                f"oof has {count(oof.n_configs, 'configuration')}, but the {result.method} result "
                f"is about {n_configs:,}: pass the predictions on which it rests."
            )
        given = None if scoring is None else as_metric(scoring)
        if given is not None and given.name == result.metric:
            metrics[given.name] = given
            continue
        try:
            metrics[result.metric] = as_metric(result.metric)
        except ValueError:
            if not {result.metric}.isdisjoint(oof.fold_scores) or "threshold" in result.details:
                continue
            raise ValueError(
                f"A result is about {result.metric!r}, which is not the name of a scorer: pass "
                "the scorer as scoring."
            ) from None
    return metrics


def _mean_scores(oof: OOFPredictions, name: str, metrics: Mapping[str, Metric]) -> np.ndarray:
    """Score each configuration on the folds, or on all samples where a fold has no score."""
    if name in oof.fold_scores:
        return np.where(oof.failed, np.nan, oof.fold_scores[name].mean(axis=0))
    if name not in metrics:
        return np.full(oof.n_configs, np.nan)
    weighted = metrics[name].weighted(oof)
    try:
        kernel = metrics[name].bind(weighted)
    except ValueError:  # a threshold makes the labels that its metric scores
        return np.full(oof.n_configs, np.nan)
    means = fold_scores_of(kernel).mean(axis=0)
    return kernel.on_data() if np.isnan(means).all() else means


HTML = ("", ".html", ".htm", ".xhtml")
"""Endings of the file of a report."""


def check_page(path: str | os.PathLike[str]) -> None:
    """Raise where no page can be written."""
    file = path_of(path)
    if file.suffix.lower() not in HTML:
        raise ValueError(
            f"report writes HTML, so path must end in .html, got {str(path)!r}. A browser "
            "prints the page as PDF; summary('latex') and table().to_latex() are for papers."
        )
    check_place(file)


def check_tied(tied: Any) -> None:
    """Raise unless `tied` is True, False or a tied set."""
    if not isinstance(tied, (bool, np.bool_, TiedSet)):
        raise ValueError(
            f"tied must be True, False or what tied_with_best() returns, got {got(tied)}."
        )


def write_search_page(path: str | os.PathLike[str], facts: SearchFacts, **parts: Any) -> Path:
    """Write the page with the references of the methods that were used."""
    from ..report._page import write_page as write  # with the displays, which only it needs

    return write(
        path,
        facts,
        **{"threshold": None, "left_out": [], **parts, "cited": cited_in(facts.results)},
    )


def cited_in(results: Results) -> dict[str, list[Reference]]:
    """Collect the references of the methods of results."""
    names = {each.method for by_method in results.values() for each in by_method.values()}
    return {name: references_of(name) for name in sorted(names)}


def card_of(facts: SearchFacts) -> str:
    """Write the HTML of the corrected score, to stand beside scikit-learn's diagram."""
    result: Any = facts.main
    words, best = facts.words(result.metric), facts.best_score(result)
    sizes = [count(facts.n_configs, "configuration"), facts.samples()]
    tried = ("tried", ", ".join(filter(None, sizes)))
    if math.isnan(result.estimate):
        why = str(result.details.get("error", result.details.get("reason", "")))
        rows: Iterable[tuple[str, str]]
        rows = [("cross-validated", shown(words.natural(best))[0]), tried, ("why", why)]
        return card(words.name, "no corrected score", rows)
    printed = printed_result(words, result, [best])
    corrected = result.method in facts.selection_aware and facts.n_configs > 1
    known = [] if math.isnan(best) else [f"{printed.others[0]}, not corrected"]
    rows = [
        ("interval", printed.interval()),
        *(("cross-validated", text) for text in known),
        ("method", result_words(result).short),
        tried,
    ]
    notes = result.details.get("notes", ())
    noted = [f"{count(len(notes), 'note')} in ci_.details['notes']"] if notes else []
    title = f"{'Corrected' if corrected else 'Estimated'} {words.name}"
    return card(title, printed.estimate, rows, noted)
