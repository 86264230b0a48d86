"""The table of the intervals of a search."""

from __future__ import annotations

import itertools
import math
import os
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn import get_config
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils._pprint import _EstimatorPrettyPrinter
from sklearn.utils.validation import check_is_fitted

from .._citations import references_of
from .._text import card, count, is_usual_positive, method_words, printed_result, shown
from .._utils import check_place, explain_arguments
from .._version import __version__
from ..intervals._base import registered
from ..intervals._bbc import optimism_curve
from ..predictions._predictions import OOFPredictions
from ..report._citations import Reference
from ..report._sentences import SearchFacts, methods_paragraph, summary_of, tripod_frame
from ..report._table import ESCAPES, ResultsTable, style_named
from ..results._results import ConfidenceInterval
from ..results._sets import OptimismCurve, TiedSet
from ._racing import dropped_of
from ._stage import DYNAMIC_NOTE, AfterSearch, SearchState, predictions_for
from ._threshold import ThresholdResult


def frame_of(
    results: Mapping[str, Mapping[str, ConfidenceInterval]],
    best_score: Callable[[ConfidenceInterval], float],
    selection_aware: Callable[[ConfidenceInterval], bool],
) -> pd.DataFrame:
    """Table of the results of a search."""
    rows = [
        {
            "metric": result.metric,  # a threshold is about another one than the search's
            "method": method,
            "best_score": best_score(result),
            "estimate": result.estimate,
            "low": result.low,
            "high": result.high,
            "confidence_level": result.confidence_level,
            "alternative": result.alternative,
            "n_bootstraps": result.n_bootstraps,
            "selection_aware": selection_aware(result),
            "tuned_by": result.details.get("tuned_by"),
            "error": result.details.get("error"),
        }
        for by_method in results.values()
        for method, result in by_method.items()
    ]
    return pd.DataFrame(rows)


PACKAGES = ("scikit-learn", "numpy", "scipy", "pandas")
LONGEST_VALUES = 160
"""Characters of the values of one parameter."""
MOST_CLASSES = 20
"""Classes that are listed one by one."""
STRATEGIES = {
    "GridSearchCV": "grid search",
    "RandomizedSearchCV": "random search",
    "HalvingGridSearchCV": "successive halving",
    "HalvingRandomSearchCV": "successive halving",
}


def facts_of(search: Any, stage: SearchState) -> SearchFacts:
    """Gather what a report says about a finished search."""
    oof: OOFPredictions = search.oof_
    spaces = _spaces(search)
    results = _by_reported_metric(getattr(search, "ci_results_", {}))
    main = getattr(search, "ci_", None)
    # Of a search in rounds the last one counts; what was left behind has scores, but others.
    scored = np.all([np.isfinite(means) for means in stage.mean_scores.values()], axis=0)
    left_out = oof.failed & scored & (DYNAMIC_NOTE in stage.notes)
    dropped = dropped_of(search.cv_results_)
    tested = oof.tested if oof.n_rows else stage.held_out
    if tested is None or len(tested) != oof.n_samples:
        tested = np.ones(oof.n_samples, dtype=bool)
    groups = None if oof.groups is None else len(np.unique(oof.groups[tested]))
    return SearchFacts(
        search=type(search).__name__,
        strategy=_strategy(search),
        estimator=_estimator(search.estimator, spaces),
        space=_space(spaces),
        cv=_cv(search, oof),
        n_samples=oof.n_samples,
        n_configs=oof.n_configs,
        n_failed=int(np.count_nonzero(oof.failed & ~left_out & ~dropped)),
        n_dropped=int(np.count_nonzero(dropped)),
        n_left_out=int(np.count_nonzero(left_out)),
        dynamic=DYNAMIC_NOTE in stage.notes,
        n_splits=oof.n_splits,
        n_repeats=oof.n_repeats,
        n_untested=int(np.count_nonzero(~tested)),
        folds=_folds(oof),
        n_groups=groups,
        n_features=getattr(search, "n_features_in_", None),
        target=_target(oof, tested),
        primary=stage.primary,
        signs={name: metric.sign for name, metric in stage.metrics.items()},
        mean_scores=stage.mean_scores,
        results=results,
        best_scores={
            (metric, name): stage.reported_score(result)
            for metric, by_method in results.items()
            for name, result in by_method.items()
        },
        main=main,
        aware=frozenset(name for name, cls in registered().items() if cls.selection_aware),
        params=oof.params,
        best_index=None if stage.best_index is None else int(stage.best_index),
        seed=stage.seed,
        notes=_distinct(
            note for source in (stage.notes, oof.notes, *_notes(results)) for note in source
        ),
        versions=_versions(),
        code=_code(search, stage.seed),
        positive=_positive(results, oof),
    )


def _positive(
    results: Mapping[str, Mapping[str, ConfidenceInterval]], oof: OOFPredictions
) -> dict[str, Any]:
    """Metric -> class that it takes as positive, where that does not go without saying."""
    classes = [] if oof.classes_ is None else oof.classes_.tolist()
    found = {
        metric: result.details["positive_class"]
        for metric, by_method in results.items()
        for result in by_method.values()
        if "positive_class" in result.details
    }
    return {name: each for name, each in found.items() if not is_usual_positive(each, classes)}


def _by_reported_metric(
    results: Mapping[str, Mapping[str, ConfidenceInterval]],
) -> dict[str, dict[str, ConfidenceInterval]]:
    """Results by the metric that each is about: a threshold has another than the search."""
    sorted_: dict[str, dict[str, ConfidenceInterval]] = {}
    for by_method in results.values():
        for name, result in by_method.items():
            there = sorted_.setdefault(result.metric, {})
            free = (f"{result.method}_{k}" for k in itertools.count(2))
            there[name if name not in there else next(n for n in free if n not in there)] = result
    return sorted_


def _notes(results: Mapping[str, Mapping[str, ConfidenceInterval]]) -> Iterable[Sequence[str]]:
    for by_method in results.values():
        for name, result in by_method.items():
            yield result.details.get("notes", ())
            if "error" in result.details:
                yield [f"No {name} interval for {result.metric}: {result.details['error']}"]


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


def _strategy(search: Any) -> str:
    for cls in type(search).__mro__:
        if cls.__name__ == "BBCSearchCV":
            return "grid search" if search.n_iter is None else "random search"
        if cls.__name__ in STRATEGIES:
            return STRATEGIES[cls.__name__]
    return type(search).__name__


def _estimator(estimator: Any, spaces: Sequence[Mapping[str, Any]]) -> str:
    """The class of an estimator; of a pipeline those of its steps and of what was tried there."""
    if not isinstance(estimator, Pipeline):
        return type(estimator).__name__
    steps = []
    for name, step in estimator.steps:
        tried = [each for space in spaces for each in _listed(space.get(name, ()))] or [step]
        kinds = dict.fromkeys(
            "no step" if each is None or isinstance(each, str) else type(each).__name__
            for each in tried
        )
        if list(kinds) != ["no step"]:
            steps.append(" or ".join(kinds))
    if len(steps) < 2:
        return f"A pipeline of {steps[0]}" if steps else "A pipeline"
    return f"A pipeline of {', '.join(steps[:-1])} and {steps[-1]}"


def _listed(values: Any) -> Iterable[Any]:
    """Values of a parameter; a distribution has none that could be listed."""
    return () if hasattr(values, "rvs") else values


def _spaces(search: Any) -> list[Mapping[str, Any]]:
    for name in ("param_grid", "param_distributions"):
        space = getattr(search, name, None)
        if space is not None:
            return [space] if isinstance(space, Mapping) else list(space)
    return []


def _space(spaces: Sequence[Mapping[str, Any]]) -> tuple[tuple[str, str], ...]:
    rows = []
    for k, each in enumerate(spaces, start=1):
        where = f" (space {k})" if len(spaces) > 1 else ""
        rows += [(f"{name}{where}", _values(values)) for name, values in each.items()]
    return tuple(rows)


def _values(values: Any) -> str:
    frozen = getattr(values, "dist", None)
    if hasattr(values, "rvs"):
        if frozen is None:
            return _line(values)
        given = [f"{value:g}" if isinstance(value, float) else str(value) for value in values.args]
        given += [f"{name}={value}" for name, value in values.kwds.items()]
        return f"distribution {frozen.name}({', '.join(given)})"
    texts = [_line(value) for value in values]
    listed: list[str] = []
    length = 0
    for text in texts:
        length += len(text) + 2
        if length > LONGEST_VALUES and listed:
            return f"{', '.join(listed)}, ... ({len(texts):,} values)"
        listed.append(text)
    return ", ".join(listed)


def _line(value: Any) -> str:
    if isinstance(value, (float, np.floating)):
        return f"{value:.4g}"
    text = " ".join(str(value).split())
    return text if len(text) <= LONGEST_VALUES else text[: LONGEST_VALUES - 3] + "..."


def _folds(oof: OOFPredictions) -> tuple[int, ...]:
    """Number of folds of each repeat; empty where repeats are no whole passes over the samples.

    Without predictions only the sizes of the training sets tell.
    """
    whole = oof.is_partition
    if not oof.n_rows:
        held_out = 0 if oof.train_size is None else np.sum(oof.n_samples - oof.train_size)
        whole = bool(held_out and held_out == oof.n_samples * oof.n_repeats)
    return tuple(np.bincount(oof.split_repeat).tolist()) if whole else ()


def _cv(search: Any, oof: OOFPredictions) -> str:
    """The kind of splits, in words."""
    given = search.cv
    by_number = given is None or isinstance(given, int)
    name = "" if by_number else type(given).__name__
    kinds = []
    if "Stratified" in name or (
        by_number and is_classifier(search.estimator) and oof.classes_ is not None
    ):
        kinds.append("stratified")
    if "Group" in name:
        kinds.append("grouped")
    folds = _folds(oof)
    if oof.n_splits == 1:
        return f"a single split ({name})" if hasattr(given, "split") else "a single split"
    if not folds:
        kind = f"{name} with " if hasattr(given, "split") else ""
        return f"cross-validation ({kind}{count(oof.n_splits, 'split')})"
    if len(set(folds)) > 1:
        sizes = [f"{n:,}" for n in folds]
        return f"cross-validation with repeats of {', '.join(sizes[:-1])} and {sizes[-1]} folds"
    if folds[0] == oof.n_samples:
        return "leave-one-out cross-validation"
    again = f" with {count(len(folds), 'repeat')}" if len(folds) > 1 else ""
    return " ".join([*kinds, f"{folds[0]:,}-fold cross-validation{again}"])


def _target(oof: OOFPredictions, tested: np.ndarray) -> tuple[tuple[str, str], ...]:
    """Describe the target of the held-out samples, a mask of shape (n_samples,)."""
    y = np.asarray(oof.y_true)[tested]
    if not len(y):
        return (("target", "none"),)
    if y.dtype.names is not None:
        event = next(name for name in y.dtype.names if y[name].dtype.kind == "b")
        n_events = int(y[event].sum())
        return (("events", f"{n_events:,}"), ("censored", f"{len(y) - n_events:,}"))
    if y.ndim > 1:
        return (("outputs", f"{y.shape[1]:,}"),)
    if oof.classes_ is not None:
        labels, sizes = np.unique(y, return_counts=True)
        if len(labels) > MOST_CLASSES:
            return (("classes", f"{len(labels):,}"), ("smallest class", f"{sizes.min():,}"))
        return tuple((f"class {label}", f"{size:,}") for label, size in zip(labels, sizes))
    ends = (float(y.min()), float(y.max()))
    _, low, high, mean = shown(max(map(abs, ends)), *ends, float(y.mean()))
    return (("target", f"{low} to {high}, mean {mean}"),)


def _versions() -> dict[str, str]:
    found = {"sklearn-bbc": __version__, "Python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # a build without metadata
            continue
    return found


def _code(search: Any, seed: int) -> str:
    """The call that made the search; whole, where the repr of scikit-learn is cut."""
    whole = _EstimatorPrettyPrinter(compact=True, indent=1, indent_at_name=True)
    made = whole.pformat(search)
    lines = [f"search = {made}", "search.fit(X, y)"]
    if not isinstance(getattr(search, "random_state", None), (int, np.integer)):
        lines.append(f"# random_state was not a number. The seed of the draws was {seed}.")
    return "\n".join(lines)


HTML = ("", ".html", ".htm", ".xhtml")
"""Endings of the file of a report."""
STYLES = ("text", "markdown", "latex", "methods")
BESIDE = "display:flex;flex-wrap:wrap;gap:1em;align-items:flex-start"


class ReportingMixin(AfterSearch):
    """Sentences, tables and pages about a search that has intervals."""

    def intervals_frame(self) -> pd.DataFrame:
        """Table of all intervals that `fit` computed.

        Returns
        -------
        DataFrame
            One row per metric and method, with the best mean cross-validated score of the
            metric (``best_score``), the estimate, the bounds, the kind of interval, the
            number of draws, whether the method accounts for the selection
            (``selection_aware``), in ``tuned_by`` a metric that selects for itself, since
            none of the search does, and in ``error`` why it failed. Scores are in scorer
            orientation.

        See Also
        --------
        table : The same for a paper.
        """
        results = self.ci_results_  # says so before `fit`
        methods, single = registered(), self.oof_.n_configs == 1

        def aware(result: ConfidenceInterval) -> bool:
            method = methods.get(result.method)
            return single or method is None or method.selection_aware

        return frame_of(results, self._stage().reported_score, aware)

    @explain_arguments()
    def optimism_curve(
        self,
        *,
        scoring: Any = None,
        sizes: Sequence[int] | None = None,
        n_subsets: int = 50,
        n_bootstraps: int = 500,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> OptimismCurve:
        """Best and corrected score, had the search tried fewer of its configurations.

        Nothing is fitted again: random subsets of the configurations are looked at.

        Parameters
        ----------
        scoring : str, scorer or Metric, default=None
            A metric of the search by its name, any scorer or a scorer's name. None takes
            the metric that selected.
        sizes : sequence of int, default=None
            Numbers of configurations; None takes 10 of them, evenly on a logarithmic scale.
        n_subsets : int, default=50
            Random subsets of each size.
        n_bootstraps : int, default=500
            Number of draws of samples.
        random_state : int, RandomState instance or None, default=None
            Seed; None takes that of the search.
        n_jobs : int or None, default=None
            Number of threads; None takes that of the search.

        Returns
        -------
        OptimismCurve
            ``print`` it, look at its `frame()`, or draw it with
            `sklearn_bbc.display.OptimismDisplay`.

        Raises
        ------
        ValueError
            If no predictions were kept, or a parameter is out of range.
        NotFittedError
            If `fit` has not been called.

        See Also
        --------
        sklearn_bbc.intervals.optimism_curve : The same for any out-of-fold predictions.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from sklearn_bbc import BBCSearchCV
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> tree = DecisionTreeClassifier(random_state=0)
        >>> search = BBCSearchCV(tree, {"max_depth": [1, 2, 3, 4]}, random_state=0).fit(X, y)
        >>> search.optimism_curve().frame().index.tolist()
        [1, 2, 3, 4]
        """
        stage = self._stage()
        metric = self._metric(stage, scoring)
        selects = stage.selecting(metric, metric if stage.selects_nothing else None)
        return optimism_curve(
            predictions_for(stage, metric, "optimism_curve"),
            metric,
            selected_by=None if selects is metric else selects,
            sizes=sizes,
            n_subsets=n_subsets,
            n_bootstraps=n_bootstraps,
            random_state=stage.seed if random_state is None else random_state,
            n_jobs=stage.n_jobs if n_jobs is None else n_jobs,
        )

    @explain_arguments()
    def summary(self, style: str = "text") -> str:
        """Say in a few sentences what the winner is worth, for a paper or a talk.

        Parameters
        ----------
        style : {"text", "markdown", "latex", "methods"}, default="text"
            ``"markdown"`` and ``"latex"`` are the same sentences with everything special
            escaped. ``"methods"`` is a paragraph for the methods section, with numbered
            references; `sklearn_bbc.citations` gives them as BibTeX.

        Returns
        -------
        str
            Best score, corrected estimate and interval, with the method, the number of
            draws, the seed, the resampled unit, the numbers of samples, groups, folds and
            configurations, how many of these failed, and what the estimate is of. Metrics have the
            names and signs that people print: a mean absolute error is positive.

        Raises
        ------
        ValueError
            If there is no such style.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from sklearn.linear_model import Ridge
        >>> from sklearn_bbc import BBCSearchCV
        >>> X, y = load_diabetes(return_X_y=True)
        >>> grid = {"alpha": [0.01, 0.1, 1]}
        >>> scoring = "neg_mean_absolute_error"
        >>> search = BBCSearchCV(Ridge(), grid, scoring=scoring, random_state=0)
        >>> print(search.fit(X, y).summary())
        The best of 3 configurations had a cross-validated mean absolute
        error of 44.3 (442 samples, 5 folds). Corrected for the selection by
        bootstrap bias correction (BBC, 2,000 bootstrap draws of samples,
        seed 0), it is 44.3 (95% confidence interval 40.5 to 48.3). It
        estimates the score on new samples of the configuration that tuning
        selects, trained on as many samples as a training fold has.
        """
        style_named(style, STYLES)
        facts = self._facts_with_main()
        if style == "methods":
            return methods_paragraph(facts, self._cited())
        return ESCAPES[style](summary_of(facts))

    @explain_arguments(
        " It returns a table: table().to_latex(), to_markdown(), to_html(), and "
        "to_frame().to_csv(path)."
    )
    def table(self, *, uncorrected: bool = True) -> ResultsTable:
        """Make a table for a paper: score, estimate with interval, method.

        Parameters
        ----------
        uncorrected : bool, default=True
            Whether a row with the best cross-validated score comes before the estimates of each
            metric.

        Returns
        -------
        ResultsTable
            ``print`` shows it; ``to_markdown()``, ``to_latex()`` and ``to_html()`` write it.

        See Also
        --------
        sklearn_bbc.report.ResultsTable.from_frame : For some rows of `intervals_frame`.
        """
        frame, facts = self.intervals_frame(), self._report_facts()
        # The threshold of a rule has a metric of its own.
        signs = {name: facts.words(name).sign for name in frame["metric"].unique()}
        shown_too = {
            "sign": [signs[name] for name in frame["metric"]],
            "positive_class": [facts.positive.get(name) for name in frame["metric"]],
        }
        return ResultsTable.from_frame(frame.assign(**shown_too), uncorrected=uncorrected)

    def tripod_ai(self) -> pd.DataFrame:
        """Fill in the items of the TRIPOD+AI checklist that a search knows something about.

        Returns
        -------
        DataFrame
            ``item``, ``topic`` and ``text``, a row for each item. They are facts to be completed
            by the authors: how the data came about, for example, no search can know.

        References
        ----------
        .. [1] G. S. Collins, K. G. M. Moons, P. Dhiman, and others, "TRIPOD+AI statement: updated
           guidance for reporting clinical prediction models that use regression or machine
           learning methods", BMJ 385, e078378 (2024). :doi:`10.1136/bmj-2023-078378`
        """
        return tripod_frame(self._report_facts())

    @explain_arguments()
    def report(
        self,
        path: str | os.PathLike[str],
        *,
        title: str = "Tuning report",
        tied: bool | TiedSet = True,
        threshold: Any = None,
    ) -> Path:
        """Write one page of HTML with everything that a reader should know about the search.

        Data, protocol, estimates, configurations, the set of configurations that cannot be told
        from the best, notes in plain words, a methods paragraph, versions, the seed and the call
        that repeats the search. The page has no scripts and loads nothing. It needs jinja2
        (``pip install sklearn-bbc[report]``); pictures are there when matplotlib is.

        Parameters
        ----------
        path : str or path-like
            The file. An older one is replaced once the new one is complete.
        title : str, default="Tuning report"
            Heading of the page.
        tied : bool or TiedSet, default=True
            Whether to compute `tied_with_best`, or its result. It takes a second for hundreds of
            configurations and minutes for many thousands; False leaves it out.
        threshold : ThresholdResult or argument `scoring` of `threshold`, default=None
            A tuned threshold to report; None reports none.

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
            If `path` has another ending than ``.html``, or the threshold cannot be tuned.
        """
        check_is_fitted(self, "oof_")
        if Path(path).suffix.lower() not in HTML:
            raise ValueError(
                f"report writes HTML, so path must end in .html, got {str(path)!r}. A browser "
                "prints the page as PDF; summary('latex') and table().to_latex() are for papers."
            )
        check_place(Path(path))
        from ..report._page import write_report  # with the displays, which only a report needs

        facts = self._report_facts()
        if threshold is not None and not isinstance(threshold, ThresholdResult):
            threshold = self.threshold(threshold)
        return write_report(
            path,
            facts,
            title=title,
            table=self.table() if facts.results else None,
            tied=self._tied_or_reason(tied),
            threshold=None
            if threshold is None
            else {"text": threshold.summary(), "methods": threshold._methods()},
            cited=self._cited(),
        )

    def _tied_or_reason(self, tied: bool | TiedSet) -> TiedSet | str | None:
        """The tied set of a report, or why there is none: a report does not fail for it."""
        if isinstance(tied, TiedSet):
            return tied
        if not tied:
            return None
        try:
            return self.tied_with_best()
        except ValueError as error:
            return str(error)

    def _report_facts(self) -> SearchFacts:
        return facts_of(self, self._stage())

    def _facts_with_main(self) -> SearchFacts:
        check_is_fitted(self, "oof_")
        _ = self.ci_  # says why, where there is none
        return self._report_facts()

    def _cited(self) -> dict[str, list[Reference]]:
        """References of the methods that the search used."""
        results = getattr(self, "ci_results_", {})
        names = {each.method for by_method in results.values() for each in by_method.values()}
        return {name: references_of(name) for name in sorted(names)}

    # scikit-learn's diagram, with the corrected score beside it.
    def _repr_html_inner(self) -> str:
        diagram = super()._repr_html_inner()
        told = self._card()
        return f'<div style="{BESIDE}"><div>{diagram}</div>{told}</div>' if told else diagram

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle = super()._repr_mimebundle_(**kwargs)
        if get_config()["display"] == "diagram":
            bundle["text/html"] = self._repr_html_inner()
        return bundle

    def _card(self) -> str:
        """The corrected score; empty where there is none, since a repr must not fail."""
        try:
            facts = self._facts_with_main()
        except AttributeError:  # as `NotFittedError` is
            return ""
        result: Any = facts.main
        words, best = facts.words(result.metric), facts.best_score(result)
        tried = ("tried", f"{count(facts.n_configs, 'configuration')}, {facts.samples()}")
        if math.isnan(result.estimate):
            why = str(result.details.get("error", result.details.get("reason", "")))
            (printed_best,) = shown(words.natural(best))
            rows = [("cross-validated", printed_best), tried, ("why", why)]
            return card(words.name, "no corrected score", rows)
        printed = printed_result(words, result, [best])
        corrected = result.method in facts.aware and facts.n_configs > 1
        rows = [
            ("interval", printed.interval()),
            ("cross-validated", f"{printed.others[0]}, not corrected"),
            ("method", method_words(result.method).short),
            tried,
        ]
        notes = result.details.get("notes", ())
        told = [f"{count(len(notes), 'note')} in ci_.details['notes']"] if notes else []
        title = f"{'Corrected' if corrected else 'Estimated'} {words.name}"
        return card(title, printed.estimate, rows, told)
