"""Gather what summaries, tables and reports say about a finished search."""

from __future__ import annotations

import itertools
import math
import platform
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils._pprint import _EstimatorPrettyPrinter

from .._text import card, count, is_usual_positive, method_words, printed_result, shown
from .._version import __version__
from ..intervals._base import registered
from ..predictions._predictions import OOFPredictions
from ..report._sentences import SearchFacts
from ..results._curves import CurveResult
from ..results._results import ConfidenceInterval
from ._estimate import DYNAMIC_NOTE, SearchState
from ._racing import dropped_of

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

Results = Mapping[str, Mapping[str, ConfidenceInterval]]
"""Metric -> name of the method -> result."""


def frame_of(results: Results, state: SearchState) -> pd.DataFrame:
    """Make the table of the intervals of a search."""
    methods, single = registered(), state.oof.n_configs == 1
    rows = [
        {
            "metric": result.metric,  # a threshold is about another one than the search's
            "method": name,
            "best_score": state.reported_score(result),
            "estimate": result.estimate,
            "low": result.low,
            "high": result.high,
            "confidence_level": result.confidence_level,
            "alternative": result.alternative,
            "n_bootstraps": result.n_bootstraps,
            "selection_aware": single
            or result.method not in methods
            or methods[result.method].selection_aware,
            "tuned_by": result.details.get("tuned_by"),
            "error": result.details.get("error"),
        }
        for by_method in results.values()
        for name, result in by_method.items()
    ]
    return pd.DataFrame(rows)


class FactsOfSearch(SearchFacts):
    """Facts about a finished search for its reports, computed when they are used."""

    _search: Any
    _state: SearchState
    _oof: OOFPredictions
    _tested: np.ndarray

    def __init__(
        self, search: Any, state: SearchState, given: Results, curves: Sequence[CurveResult] = ()
    ) -> None:
        oof: OOFPredictions = search.oof_
        # Of a search in rounds the last one counts; what was left behind has scores, but others.
        dynamic = DYNAMIC_NOTE in state.notes
        scored = np.all([np.isfinite(means) for means in state.mean_scores.values()], axis=0)
        left_out = oof.failed & scored & dynamic
        dropped = dropped_of(search.cv_results_)
        tested = oof.tested if oof.n_rows else state.held_out
        if tested is None or len(tested) != oof.n_samples:
            tested = np.ones(oof.n_samples, dtype=bool)
        # A threshold has another metric than the search.
        results: dict[str, dict[str, ConfidenceInterval]] = {}
        for by_method in given.values():
            for name, result in by_method.items():
                there = results.setdefault(result.metric, {})
                free = (f"{result.method}_{k}" for k in itertools.count(2))
                there[name if name not in there else next(n for n in free if n not in there)] = (
                    result
                )
        vars(self).update(  # as the base class is frozen
            _search=search,
            _state=state,
            _oof=oof,
            _tested=tested,
            search=type(search).__name__,
            n_samples=oof.n_samples,
            n_configs=oof.n_configs,
            n_failed=int(np.count_nonzero(oof.failed & ~left_out & ~dropped)),
            n_dropped=int(np.count_nonzero(dropped)),
            n_left_out=int(np.count_nonzero(left_out)),
            dynamic=dynamic,
            n_splits=oof.n_splits,
            n_repeats=oof.n_repeats,
            n_untested=int(np.count_nonzero(~tested)),
            n_groups=None if oof.groups is None else len(np.unique(oof.groups[tested])),
            n_features=getattr(search, "n_features_in_", None),
            primary=state.primary,
            signs={name: metric.sign for name, metric in state.metrics.items()},
            mean_scores=state.mean_scores,
            results=results,
            best_scores={
                (metric, name): state.reported_score(result)
                for metric, by_method in results.items()
                for name, result in by_method.items()
            },
            main=getattr(search, "ci_", None),
            aware=frozenset(name for name, cls in registered().items() if cls.selection_aware),
            params=oof.params,
            best_index=state.best_index,
            seed=state.seed,
            curves=curves,
        )

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
        notes = [*self._state.notes, *self._oof.notes]
        notes += [note for curve in self.curves for note in curve.details["notes"]]
        for by_method in self.results.values():
            for name, result in by_method.items():
                notes += result.details.get("notes", ())
                if "error" in result.details:
                    error = result.details["error"]
                    notes.append(f"No {name} interval for {result.metric}: {error}")
        return tuple(dict.fromkeys(notes))

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
        """Name the class of the estimator, or those of a pipeline's steps and what was tried."""
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
            (f"{name} (space {k})" if several else name, _values(values))
            for k, each in enumerate(self._spaces, start=1)
            for name, values in each.items()
        )

    @cached_property
    def folds(self) -> tuple[int, ...]:
        """Count the folds of each repeat; empty where repeats do not hold out each sample once.

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
        given, folds = self._search.cv, self.folds
        by_number = given is None or isinstance(given, int)
        name = "" if by_number else type(given).__name__
        own = hasattr(given, "split")
        if self.n_splits == 1:
            return f"a single split ({name})" if own else "a single split"
        if not folds:
            kind = f"{name} with " if own else ""
            return f"cross-validation ({kind}{count(self.n_splits, 'split')})"
        if len(set(folds)) > 1:
            return f"cross-validation with {self.splits()}"
        if folds[0] == self.n_samples:
            return "leave-one-out cross-validation"
        classes = is_classifier(self._search.estimator) and self._oof.classes_ is not None
        kinds = ["stratified"] if "Stratified" in name or (by_number and classes) else []
        kinds += ["grouped"] if "Group" in name else []
        again = f" with {count(len(folds), 'repeat')}" if len(folds) > 1 else ""
        return " ".join([*kinds, f"{folds[0]:,}-fold cross-validation{again}"])

    @cached_property
    def target(self) -> tuple[tuple[str, str], ...]:
        """Describe the target of the held-out samples."""
        y = np.asarray(self._oof.y_true)[self._tested]
        if not len(y):
            return (("target", "none"),)
        if y.dtype.names is not None:
            event = next(name for name in y.dtype.names if y[name].dtype.kind == "b")
            n_events = int(y[event].sum())
            return (("events", f"{n_events:,}"), ("censored", f"{len(y) - n_events:,}"))
        if y.ndim > 1:
            return (("outputs", f"{y.shape[1]:,}"),)
        if self._oof.classes_ is not None:
            labels, sizes = np.unique(y, return_counts=True)
            if len(labels) > MOST_CLASSES:
                return (("classes", f"{len(labels):,}"), ("smallest class", f"{sizes.min():,}"))
            return tuple((f"class {label}", f"{size:,}") for label, size in zip(labels, sizes))
        ends = (float(y.min()), float(y.max()))
        _, low, high, mean = shown(max(map(abs, ends)), *ends, float(y.mean()))
        return (("target", f"{low} to {high}, mean {mean}"),)

    @cached_property
    def versions(self) -> dict[str, str]:
        found = {"sklearn-bbc": __version__, "Python": platform.python_version()}
        for name in PACKAGES:
            try:
                found[name] = version(name)
            except PackageNotFoundError:  # a build without metadata
                continue
        return found

    @cached_property
    def code(self) -> str:
        """Write the call that made the search; whole, where the repr of scikit-learn is cut."""
        whole = _EstimatorPrettyPrinter(compact=True, indent=1, indent_at_name=True)
        lines = [f"search = {whole.pformat(self._search)}", "search.fit(X, y)"]
        if not isinstance(getattr(self._search, "random_state", None), (int, np.integer)):
            lines.append(
                f"# random_state was not a number. The seed of the draws was {self.seed}."
            )
        return "\n".join(lines)


def _values(values: Any) -> str:
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


def card_of(facts: SearchFacts) -> str:
    """Write the HTML of the corrected score, to stand beside scikit-learn's diagram."""
    result: Any = facts.main
    words, best = facts.words(result.metric), facts.best_score(result)
    tried = ("tried", f"{count(facts.n_configs, 'configuration')}, {facts.samples()}")
    if math.isnan(result.estimate):
        why = str(result.details.get("error", result.details.get("reason", "")))
        rows: Iterable[tuple[str, str]]
        rows = [("cross-validated", shown(words.natural(best))[0]), tried, ("why", why)]
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
    noted = [f"{count(len(notes), 'note')} in ci_.details['notes']"] if notes else []
    title = f"{'Corrected' if corrected else 'Estimated'} {words.name}"
    return card(title, printed.estimate, rows, noted)
