"""What a fitted search says for papers: sentences, tables, a page, and its card in notebooks."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from sklearn import get_config
from sklearn.utils.validation import check_is_fitted

from .._citations import references_of
from .._files import check_place
from .._nearest import explain_arguments
from .._wording import card, count, method_words, printed_score, shown
from ..intervals import optimism_curve, registered
from ..report import ResultsTable, SearchFacts, results_table
from ..report._document import write_report
from ..report._paragraph import methods_paragraph
from ..report._references import Reference
from ..report._sentences import summary_of
from ..report._styles import style_named, styles
from ..report._tripod import tripod_frame
from ..results import ConfidenceInterval, OptimismCurve, TiedSet
from ._after_search import AfterSearch
from ._frame import frame_of
from ._report_facts import facts_of
from ._threshold import ThresholdResult
from ._tied import predictions_for

__all__ = ["ReportingMixin"]

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
        check_is_fitted(self, "oof_")
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
        return styles()[style].escape(summary_of(facts))

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
        sklearn_bbc.report.results_table : The same for some rows of `intervals_frame`.
        """
        frame, facts = self.intervals_frame(), self._report_facts()
        # The threshold of a rule has a metric of its own.
        signs = {name: facts.words(name).sign for name in frame["metric"].unique()}
        shown_too = {
            "sign": [signs[name] for name in frame["metric"]],
            "positive_class": [facts.positive.get(name) for name in frame["metric"]],
        }
        return results_table(frame.assign(**shown_too), uncorrected=uncorrected)

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
        check_is_fitted(self, "oof_")
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
        return facts_of(self, self._stage(), self._facts.seed)

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
        printed = printed_score(
            words, result.estimate, result.low, result.high,
            confidence_level=result.confidence_level, alternative=result.alternative,
            others=[best],
        )  # fmt: skip
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
