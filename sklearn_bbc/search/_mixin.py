"""Search, keep the predictions, and answer questions about the winner afterwards."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pandas as pd
from sklearn import get_config
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

import sklearn_bbc.comparison as comparison
import sklearn_bbc.curves as curves
import sklearn_bbc.intervals as intervals
import sklearn_bbc.report as report
import sklearn_bbc.results as results
import sklearn_bbc.search as search

from .._parameters import Text, check_parameters
from .._utils import check_flag, explain_arguments, meant_by
from .._warnings import hold_warnings, release_warnings
from ..intervals._base import fill_confidence_level_doc
from ..intervals._bbc import BBC, INTERVAL_PARAMETERS, optimism_of
from ..metrics._metric import Metric
from ..recording._checks import config_position
from ..recording._finished import FinishedSearch
from ..recording._recording import FitData
from ..recording._search import RecordedSearch
from ..results._curves import CurveResult, StabilityResult, SubgroupResult
from ..results._results import ComparisonResult, ConfidenceInterval
from ..selection._base import BestScore
from ._again import answered, check_answers, record_again, with_again
from ._estimate import (
    EXPLAINED,
    INTERRUPTED,
    attributes,
    corrected_by,
    estimate,
    of_one,
    own_draws,
    requested_methods,
    with_joint_limits,
)

if TYPE_CHECKING:
    from ..comparison._base import Side
    from ..report._sentences import SearchFacts
    from ..results._curves import Plottable

PROBABILITIES = ("decision_function", "predict_proba")
REPORT_STYLES = ("text", "markdown", "latex", "methods")
BESIDE = "display:flex;flex-wrap:wrap;gap:1em;align-items:flex-start"


class BBCSearchMixin(RecordedSearch):
    """Mixin by which a scikit-learn search keeps its predictions and corrects its best score.

    It goes before the search class in the bases: ``class HalvingBBC(BBCSearchMixin,
    HalvingGridSearchCV)``. Attributes and methods are those of `BBCSearchCV`. The
    parameters `ci`, `random_state`, `record` and `drop` are used when the class has them.

    Notes
    -----
    Searches that choose configurations by looking at the scores of earlier ones are
    flagged: the methods assume configurations that are fixed beforehand. Configurations
    that were evaluated on other splits than the winner's (early rounds of successive
    halving) cannot be compared with it and are left out.
    """

    bbc_score_: float
    bbcf_score_: float
    optimism_: float
    optimism_parts_: dict[str, float]
    ci_: ConfidenceInterval
    ci_results_: dict[str, dict[str, ConfidenceInterval]]
    interval_time_: float

    def _check_search(self, X: Any, y: Any, params: dict[str, Any]) -> FitData:
        methods = requested_methods(self)
        data = super()._check_search(X, y, params)
        with hold_warnings() as held:
            for method in methods:
                check_parameters(method)
        release_warnings(held)
        return data._replace(warned=held)

    def _answer(self, finished: FinishedSearch) -> None:
        self.interval_time_ = 0.0
        found, self._reasons = attributes(self, finished)
        for name, value in found.items():
            setattr(self, name, value)

    # The state of a search.

    if not TYPE_CHECKING:  # a checker shall know the attributes above only

        def __getattr__(self, name: str) -> Any:
            if name not in EXPLAINED:  # raises again what was raised, or finds what a class adds
                return getattr(super(), "__getattr__", super().__getattribute__)(name)
            owner = type(self).__name__
            if "_reasons" not in vars(self):
                raise NotFittedError(f"This {owner} has no {name} yet: call fit first.")
            if name == "bbcf_score_" and "ci_" in vars(self) and name not in self._reasons:
                # Not in `fit`: with many configurations it takes longer than BBC.
                own = self.ci_results_[self._finished.primary].values()
                result = corrected_by("bbcf", self._as_finished(), own)
                if "error" not in result.details:
                    self.bbcf_score_ = result.estimate
                    return self.bbcf_score_
                self._reasons[name] = result.details["error"]
            why = self._failed or self._reasons.get(name, INTERRUPTED)
            raise AttributeError(f"This {owner} has no {name}: {why}")

    @explain_arguments()
    def record_again(
        self, X: Any, y: Any, record: Any, *, configs: Any = "winners", **fit_params: Any
    ) -> Self:
        """Record more of this finished search, by fitting configurations again.

        After a search by AUC there may be no probabilities, or no survival at the time that a
        curve is about. The configurations are fitted again on the splits of the search, and what
        they answer is kept in the search, for every question. A line on standard error says how
        many fits.

        Parameters
        ----------
        X, y : array-like
            The data of the search; `y` is None where its `fit` was given none.
        record : str or list of str
            What to record, as the parameter `record` of `BBCSearchCV`: ``"predict_proba"``,
            ``"predict"``, ``"decision_function"`` or, of survival models, for example
            ``"predict_survival_function(365)"``.
        configs : {"winners", "all"} or list of int or dict, default="winners"
            Which configurations: those that win draws of `BBC`, with the number of draws and the
            seed of the search, and the selected one; all; or those at some positions, or with
            some parameters, of ``cv_results_["params"]``. Curves, intervals of another metric,
            thresholds, subgroups and stability need the winners; what scores every
            configuration, such as `tied_with_best`, needs all.
        **fit_params : dict
            `sample_weight`, `groups` and all else that `fit` of the search was given.

        Returns
        -------
        self : object
            The search. Once all configurations have been recorded, `oof_` has their answers, too.

        Raises
        ------
        ValueError
            If these are not the data of the search, no predictions were kept, the model cannot
            answer, or no fit succeeds.
        NotFittedError
            If `fit` has not been called.

        Warns
        -----
        RecordingWarning
            If models score or predict otherwise than in the search; results then say so.

        See Also
        --------
        sklearn_bbc.OOFPredictions.from_search : The same for searches of other tools.

        Examples
        --------
        >>> import contextlib, io
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from sklearn_bbc import BBCSearchCV
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> tree = DecisionTreeClassifier(random_state=0)
        >>> search = BBCSearchCV(tree, {"max_depth": [1, 2, 3]}, random_state=0).fit(X, y)
        >>> with contextlib.redirect_stderr(io.StringIO()) as said:
        ...     slope = search.record_again(X, y, "predict_proba").interval(
        ...         scoring="calibration_slope"
        ...     )
        >>> print(said.getvalue().partition(",")[0])
        Fitting 3 configurations again on the 5 splits of the search: 15 fits
        """
        record_again(self, X, y, record, configs, fit_params)
        return self

    @explain_arguments(of_method="interval(BBC({}=...))")
    def interval(
        self,
        method: Any = None,
        scoring: Any = None,
        config: int | Mapping[str, Any] | None = None,
        *,
        tuned_by: Any = None,
    ) -> ConfidenceInterval:
        """Compute another interval from the predictions that were kept.

        Parameters
        ----------
        method : str or interval object, default=None
            For example ``"bbc"`` or ``BBC(confidence_level=0.9, alternative="greater")``.
            None takes the first of `ci`, or `BBC()`. A method without a seed of its own
            takes that of the search, so the same call gives the same result.
        scoring : str, scorer or Metric, default=None
            A metric of the search by its name, any scorer or a scorer's name. None takes
            the metric that selected. By any metric the interval is for the model that the
            search returns: every draw selects as the search did, and scores by `scoring`.
        config : int or dict, default=None
            One configuration to look at as if it were the only one, without a correction for
            selection: its position in ``cv_results_["params"]`` or its parameters, as in
            ``best_params_``. None looks at the configuration that tuning selects.
        tuned_by : str, scorer or Metric, default=None
            Select by this metric instead of what selected in the search: the result is about
            another question, "what if it had been tuned by this?", and says so.

        Returns
        -------
        ConfidenceInterval
            In scorer orientation: greater is better.

        Raises
        ------
        ValueError
            If the method cannot work on these data, or `config` is not one configuration of
            the search; the message says why.
        NotFittedError
            If `fit` has not been called.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from sklearn_bbc import BBCSearchCV
        >>> from sklearn_bbc.intervals import BBC
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> tree = DecisionTreeClassifier(random_state=0)
        >>> grid = {"max_depth": [1, 2, 3]}
        >>> search = BBCSearchCV(tree, grid, scoring="roc_auc", random_state=0).fit(X, y)
        >>> at_least = search.interval(BBC(alternative="greater"), scoring="accuracy")
        >>> bool(0.8 < at_least.low < at_least.estimate), at_least.high
        (True, 1.0)
        """
        finished = self._as_finished()
        if method is None:
            method = next(iter(requested_methods(self)), "bbc")
        if config is not None:
            if tuned_by is not None:
                raise ValueError(
                    f"Give either config (got {config!r}) or tuned_by (got {tuned_by!r}): one "
                    "configuration was not selected by a metric."
                )
            config = config_position(config, self.cv_results_["params"])
        method = intervals.as_interval(method)
        question = finished.ask(scoring, config=config, tuned_by=tuned_by)
        by_winners = config is not None or isinstance(method, BBC) or not method.selection_aware

        def estimated(known: FinishedSearch) -> ConfidenceInterval:
            same = known is finished
            again = question if same else known.ask(scoring, config=config, tuned_by=tuned_by)
            return estimate(known, again, method)

        return answered(
            self,
            finished,
            question.metric.response_method or (),
            estimated,
            question.metric.name,
            config=config,
            of_all=not by_winners or question.selects is question.metric,
        )

    @explain_arguments(of_method="threshold(..., method=BBC({}=...))")
    def threshold(
        self,
        scoring: Any,
        *,
        thresholds: Any = 500,
        method: Any = None,
    ) -> curves.ThresholdResult:
        """Tune the threshold of the best estimator, and correct its score for that.

        The choices of configuration and threshold are repeated in every draw, on the
        predictions that were kept.

        Parameters
        ----------
        scoring : str, scorer, Metric, array-like of shape (2, 2) or callable
            What the threshold is chosen by: a metric of labels such as ``"f1"`` or
            ``"balanced_accuracy"``; a cost matrix, true class by predicted class as in
            `sklearn.metrics.confusion_matrix`;
            ``SensitivityAt(specificity=0.9)`` of `sklearn_bbc.selection`; or a function
            ``f(tn, fp, fn, tp)`` of arrays, greater is better.
        thresholds : int or array-like of float, default=500
            A number: all cut points between distinct scores where there are no more than that,
            else as many quantiles of the scores; always also the threshold of the model itself,
            all samples positive and none. Or the thresholds themselves, and no others.
        method : BBC, default=None
            For another confidence level, side or number of draws. None is ``BBC()``.

        Returns
        -------
        ThresholdResult
            Threshold, apparent score, corrected score with its interval, and a classifier
            that is ready to predict.

        Raises
        ------
        ValueError
            If there are not two classes, the best estimator was not refitted, no
            probabilities or decision values were recorded, or the choice of the
            configuration cannot be repeated.
        NotFittedError
            If `fit` has not been called.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from sklearn_bbc import BBCSearchCV
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> tree = DecisionTreeClassifier(random_state=0)
        >>> grid = {"max_depth": [1, 2, 3, 4]}
        >>> search = BBCSearchCV(tree, grid, scoring="roc_auc", random_state=0).fit(X, y)
        >>> result = search.threshold([[0, 1], [5, 0]])  # a missed case costs five alarms
        >>> result.ci.metric, bool(result.luck > 0)
        ('neg_mean_cost', True)
        """
        finished = self._as_finished()
        again = {response for _, response in finished.again}
        return answered(
            self,
            finished,
            ("predict_proba",) if "predict_proba" in again else PROBABILITIES,
            lambda known: search._threshold.threshold_of_search(
                self, known, scoring, thresholds, method
            ),
            "threshold",
        )

    @explain_arguments()
    @fill_confidence_level_doc("difference")
    def compare(
        self,
        baseline: Any = "default",
        X: Any = None,
        y: Any = None,
        *,
        scoring: Any = None,
        method: Any = "auto",
        names: tuple[str, str] | None = None,
        n_bootstraps: int = 2000,
        confidence_level: float = 0.95,
        alternative: str = "two-sided",
        random_state: Any = None,
        **fit_params: Any,
    ) -> ComparisonResult:
        """Compare what the search selects with a baseline, its selection accounted for.

        In every draw the search selects anew, so it does not win by the luck of its many
        attempts. Only a baseline that the search has not tried itself is trained, once per
        split.

        Parameters
        ----------
        baseline : int, dict, "default", estimator or fitted search, default="default"
            A configuration of the search, by its position in ``cv_results_["params"]`` or by its
            parameters; the estimator with its own parameters; any other estimator, such as
            ``DummyClassifier()``; or another search on the same samples and splits.
        X, y : array-like, default=None
            The data of the search, where the baseline has to be trained.
        scoring : str, scorer or Metric, default=None
            A metric of the search by its name, any scorer or a scorer's name. None takes the
            metric that selected.
        method : str or comparison object, default="auto"
            See `sklearn_bbc.compare`.
        names : tuple of (str, str), default=None
            Names of the search and the baseline in sentences.
        n_bootstraps : int, default=2000
            Number of draws.
        confidence_level : float in (0, 1), default=0.95
            {level}
        alternative : {"two-sided", "greater", "less"}, default="two-sided"
            ``"greater"`` asks whether the search is better than the baseline.
        random_state : int, RandomState instance or None, default=None
            Seed of the draws; None takes that of the search.
        **fit_params : dict
            Passed to the baseline's ``fit``, as to `fit` of the search.

        Returns
        -------
        ComparisonResult
            ``print`` gives a sentence; it has one interval and one p-value.

        Raises
        ------
        ValueError
            If the baseline is what the search selects, is not known, has other splits or
            metrics, or has to be trained and there are no data.
        NotFittedError
            If `fit` has not been called.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from sklearn_bbc import BBCSearchCV
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> tree = DecisionTreeClassifier(random_state=0)
        >>> grid = {"max_depth": [1, 3, 5], "min_samples_leaf": [10, 20]}
        >>> search = BBCSearchCV(tree, grid, scoring="roc_auc", random_state=0).fit(X, y)
        >>> result = search.compare("default", X, y)
        >>> bool(result.difference > 0), result.names
        (True, ('the search', 'the default'))
        """
        metric = self._own_metric(scoring)
        side, notes = self._comparison_side(metric)
        finished = self._as_finished()
        other, of_other = search._comparison.baseline_side(
            self, finished, baseline, side, metric, X, y, fit_params
        )
        side, other = comparison.with_names((side, other), names)
        return comparison.compare_sides(
            side, other, metric, method, [*notes, *of_other],
            n_bootstraps=n_bootstraps, confidence_level=confidence_level, alternative=alternative,
            random_state=finished.seed if random_state is None else random_state,
            n_jobs=self.n_jobs,
        )  # fmt: skip

    def _own_metric(self, scoring: Any) -> Metric:
        """Return a metric of the search by its name, any other one, or that which selects."""
        return self._as_finished().metric(scoring)

    def _comparison_side(self, metric: Metric, owner: str = "search") -> tuple[Side, list[str]]:
        """Make the side of a comparison for what the search selects, and the notes on it.

        `owner` is what the search is called in the line of a message.
        """
        finished = self._as_finished()
        check_answers(self, finished, metric, owner)
        question = finished.ask(metric)
        side = comparison.Side(oof=question.oof, selection=question.selection, name="the search")
        return side, finished.notes

    @explain_arguments(of_method="tied_with_best(..., draws=BBC({}=...))")
    def tied_with_best(
        self,
        confidence_level: float | None = None,
        *,
        scoring: Any = None,
        method: Any = None,
        complexity: Any = None,
        family: Any = None,
        draws: BBC | None = None,
    ) -> results.TiedSet:
        """Find the configurations that the data cannot distinguish from the best one.

        Parameters
        ----------
        confidence_level : float in (0, 1), default=None
            Promised share of data sets for which the set holds the best configuration. None
            is 0.95, or the level of `method` where that is an object.
        scoring : str, scorer or Metric, default=None
            A metric of the search by its name, any scorer or a scorer's name. None takes
            the metric that selected.
        method : str or TiedMethod, default=None
            For example ``"model_confidence_set"``. None is `Bonferroni`.
        complexity : callable, str or list, default=None
            What is simple, as in `OneStandardError`; names the simplest member.
        family : str, list of str or callable, default=None
            Parameters whose values make a family, see
            `sklearn_bbc.tied_with_best`.
        draws : BBC, default=None
            For another number of the draws behind the shares of draws won and the differences,
            or another seed than that of the search. None is ``BBC(n_bootstraps=1000)``.

        Returns
        -------
        TiedSet
            Members, their simplest, and a table of all configurations.

        Raises
        ------
        ValueError
            If no predictions were kept, or a parameter is out of range.
        NotFittedError
            If `fit` has not been called.

        See Also
        --------
        sklearn_bbc.tied_with_best : The same for any out-of-fold predictions.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from sklearn_bbc import BBCSearchCV
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> tree = DecisionTreeClassifier(random_state=0)
        >>> grid = {"max_depth": [1, 2, 3, 4, 6, 8]}
        >>> search = BBCSearchCV(tree, grid, random_state=0).fit(X, y)
        >>> tied = search.tied_with_best(complexity="max_depth")
        >>> search.best_params_, tied.params[tied.simplest]
        ({'max_depth': 2}, {'max_depth': 1})
        """
        finished = self._as_finished()
        if isinstance(confidence_level, str):
            raise ValueError(
                f"confidence_level must be a number, got {confidence_level!r}. A method goes by "
                f"name: tied_with_best(method={confidence_level!r})."
            )
        question = finished.ask(scoring)
        check_answers(self, finished, question.metric)
        return search._comparison.tied_in_search(
            finished,
            question,
            method,
            draws,
            confidence_level=confidence_level,
            complexity=complexity,
            family=family,
        )

    @explain_arguments()
    def intervals_frame(self, *, joint: bool = False) -> pd.DataFrame:
        """Tabulate all intervals that `fit` computed.

        Parameters
        ----------
        joint : bool, default=False
            Whether to add ``low_joint`` and ``high_joint``: limits of `BBC` that hold for all
            metrics of the search at once. Each interval by itself misses its true score in 5 of
            100 data sets, some of several metrics in more.

        Returns
        -------
        DataFrame
            One row per metric and method, with the best mean cross-validated score of the
            metric (``best_score``), the estimate, the bounds, the kind of interval, the
            number of draws, whether the method accounts for the selection
            (``selection_aware``), in ``tuned_by`` a metric that selects for itself, since
            none of the search does, in ``error`` why it failed, and in ``printed_method``
            the name of the formula as `table` prints it. Scores are in scorer orientation.
            Joint limits are NaN in rows of other methods than ``"bbc"``.

        Raises
        ------
        ValueError
            With `joint`, if the search has no two-sided interval of `BBC`, or one with a rule of
            its own.

        See Also
        --------
        table : The same for a paper.

        Notes
        -----
        Joint limits come from draws that all metrics share, and that hold every class that one of
        them needs: the mean plus and minus the standard deviation of the draws times the quantile
        of the largest standardised deviation over the metrics, as in
        `sklearn_bbc.curves.corrected_curve`, and nowhere narrower than the interval itself.
        """
        check_flag("joint", joint)
        finished = self._as_finished()
        frame = search._reporting.frame_of(
            self.ci_results_, finished.oof.n_configs, finished.reported_score
        )
        return with_joint_limits(frame, self, finished) if joint else frame

    @explain_arguments(of_method="curve(..., method=BBC({}=...))")
    def curve(
        self,
        curve: Any = "roc",
        *,
        config: int | Mapping[str, Any] | None = None,
        scoring: Any = None,
        grid: Any = None,
        pos_label: Any = None,
        method: BBC | None = None,
    ) -> CurveResult:
        """Correct a curve of the selected model for the selection, with limits.

        In every draw the configuration that the search would select is taken, and its curve on
        the samples left out. Nothing is fitted again.

        Parameters
        ----------
        curve : {"roc", "precision_recall", "calibration", "net_benefit", "brier_over_time", \
                "auc_over_time"} or Curve, default="roc"
            Which curve; objects of `sklearn_bbc.curves` have options. Of survival times
            ``"calibration"`` and ``"net_benefit"`` are those at a time: the one at which survival
            was recorded, or that of ``SurvivalCalibration(time)``.
        config : int or dict, default=None
            One configuration to look at as if it were the only one, without a correction for
            selection: its position in ``cv_results_["params"]`` or its parameters, as in
            ``best_params_``. None looks at the configuration that tuning selects.
        scoring : str, scorer or Metric, default=None
            A metric that selects, for a search that selects nothing (``refit=False``). None takes
            the metric of the search.
        grid : array-like of shape (n_points,), default=None
            Where to read the curve, ascending; None takes the curve's own points. Of scores over
            time these are the times.
        pos_label : label, default=None
            The positive class; None takes the second of two. With more classes it is needed, and
            is taken against the rest by its column of `predict_proba`.
        method : BBC, default=None
            For another confidence level, number of draws, or a seed or threads other than the
            search's. None is ``BBC()``.

        Returns
        -------
        CurveResult
            Look at its `frame()`, or draw it with `sklearn_bbc.display.CurveDisplay`.

        Raises
        ------
        ValueError
            If no predictions were kept that the curve can use, `config` is not one configuration
            of the search, or a parameter is out of range.
        NotFittedError
            If `fit` has not been called.

        See Also
        --------
        sklearn_bbc.curves.corrected_curve : The same for any out-of-fold predictions.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from sklearn_bbc import BBCSearchCV
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> tree = DecisionTreeClassifier(random_state=0)
        >>> search = BBCSearchCV(tree, {"max_depth": [1, 2, 3]}, scoring="roc_auc", random_state=0)
        >>> search.fit(X, y).curve("roc", grid=[0.1, 0.2]).frame()["estimate"].round(2).tolist()
        [0.9, 0.96]
        """
        finished = self._as_finished()
        oof = with_again(finished)
        shape = curves.as_curve(curve, oof, grid)
        if config is not None:
            config = config_position(config, self.cv_results_["params"])

        def drawn(known: FinishedSearch) -> CurveResult:
            question = known.ask(scoring, config=config)
            result = curves.curve_of(question, shape, grid, pos_label, draws)
            return result if config is None else of_one(result, oof.n_configs, "curve")

        draws = own_draws(finished, method, "curve", INTERVAL_PARAMETERS)
        what = type(shape).__name__
        return answered(
            self, finished, curves.responses_read(shape, oof), drawn, what, config=config
        )

    @explain_arguments(of_method="subgroups(..., method=BBC({}=...))")
    def subgroups(
        self,
        by: Any,
        *,
        scoring: Any = None,
        method: BBC | None = None,
    ) -> SubgroupResult:
        """Score the selected model in groups of samples, corrected for the selection.

        In every draw the configuration that the search would select is scored on the samples left
        out, in each group and in all others. Nothing is fitted again.

        Parameters
        ----------
        by : array-like of shape (n_samples,) or DataFrame of shape (n_samples, n_variables)
            Group of each sample, in the order of `X`, or a pandas object with its index; a
            DataFrame, of polars as well, has a variable in each column. Samples without a value
            are in no group, and noted. Cut a measurement into ranges, for example by
            ``pd.cut(df["age"], [0, 40, 65, 120])``.
        scoring : str, scorer or Metric, default=None
            A metric of the search by its name, any scorer or a scorer's name. None takes the
            metric that selected. What selects is the same for any.
        method : BBC, default=None
            For another confidence level, of a group or of all of them at once, number of draws,
            or a seed or threads other than the search's. None is ``BBC()``.

        Returns
        -------
        SubgroupResult
            ``print`` it, or look at its `frame()`.

        Raises
        ------
        ValueError
            If `by` does not have one value for each sample, has other labels than `X`, two columns
            of one name, fewer than 2 groups or more than 20 different numbers or dates, no
            predictions were kept, or a parameter is out of range.
        UndefinedIntervalError
            If more than a tenth of the draws select a configuration without a score.
        NotFittedError
            If `fit` has not been called.

        Notes
        -----
        A group with fewer than 3 samples, of each class where the metric needs classes (AUC, F1,
        ...), stays in the table with NaN; a note names it, and groups with fewer than 20. Draws
        without a score of a group are left out for it and counted (``undefined``); where they are
        more than a tenth, as with 3 to 5 samples of a class, there are no estimate and no limits.

        The difference is that to all other samples whose group is known: of two groups it has the
        same size and the other sign. Limits are those of
        `sklearn_bbc.curves.corrected_curve`, with groups instead of points, over all variables of
        a DataFrame together; scores and differences have joint limits of their own. A group whose
        joint limits of the difference exclude zero differs from the rest, as far as these
        data go; that none does is no evidence that there is no difference. Rank metrics compare
        samples within a group only.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from sklearn.tree import DecisionTreeRegressor
        >>> from sklearn_bbc import BBCSearchCV
        >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
        >>> tree = DecisionTreeRegressor(random_state=0)
        >>> grid = {"max_depth": [1, 2, 3]}
        >>> search = BBCSearchCV(tree, grid, scoring="neg_mean_absolute_error", random_state=0)
        >>> result = search.fit(X, y).subgroups(by=(X["sex"] > 0).rename("male"))
        >>> result.frame()[["n", "estimate", "difference"]].round(1)
                 n  estimate  difference
        male
        False  235     -50.5        -0.4
        True   207     -50.2         0.4
        """
        finished = self._as_finished()
        question = finished.ask(scoring)
        draws = own_draws(finished, method, "subgroups", INTERVAL_PARAMETERS)

        def scored(known: FinishedSearch) -> SubgroupResult:
            again = question if known is finished else known.ask(scoring)
            return curves.subgroups_of(again, by, draws)

        return answered(
            self,
            finished,
            question.metric.response_method or (),
            scored,
            question.metric.name,
            of_all=question.selects is question.metric,
        )

    @explain_arguments(of_method="prediction_stability(..., method=BBC({}=...))")
    def prediction_stability(
        self,
        *,
        scoring: Any = None,
        time: float | None = None,
        pos_label: Any = None,
        method: BBC | None = None,
    ) -> StabilityResult:
        """Compare each sample's predictions by the configurations that draws select.

        Several configurations often have nearly the same score, and another sample of the same
        size would have selected another one. That may change a person's predicted risk.

        Parameters
        ----------
        scoring : str, scorer or Metric, default=None
            A metric that selects, for a search that selects nothing (``refit=False``); in any
            other search it changes nothing. None takes the metric of the search.
        time : float, default=None
            Of survival times, the time by which the risks of the event are compared. None takes
            the one at which survival was recorded, where there is only one.
        pos_label : label, default=None
            The class whose probabilities are compared; needed with more than two classes.
        method : BBC, default=None
            For another number of draws, or a seed or threads other than the search's. None is
            ``BBC()``.

        Returns
        -------
        StabilityResult
            ``print`` it, look at its `frame()`, or draw it with
            `sklearn_bbc.display.StabilityDisplay`.

        Raises
        ------
        ValueError
            If no probabilities of classes were kept, no predictions of a regression and no
            probabilities of surviving `time`, or a parameter is out of range.
        UndefinedIntervalError
            If what is selected, on all samples or in more than a tenth of the draws, predicts
            none.
        NotFittedError
            If `fit` has not been called.

        Notes
        -----
        In every draw a configuration is selected. The difference of a sample is the mean over the
        draws of the absolute difference between its out-of-fold prediction by that configuration
        and by the one that is selected on all samples. It is the mean absolute prediction error
        of [1]_ with a change: there models are fitted again to each draw, here only the selection
        is repeated. What fitting to other samples changes comes on top, so the numbers are lower
        limits of the instability. With repeated cross-validation predictions are means over the
        repeats.

        References
        ----------
        .. [1] R. D. Riley, G. S. Collins, "Stability of clinical prediction models developed
           using statistical or machine learning methods", Biometrical Journal 65, 2200302
           (2023). :doi:`10.1002/bimj.202200302`

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from sklearn_bbc import BBCSearchCV
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> tree = DecisionTreeClassifier(random_state=0)
        >>> grid = {"max_depth": [1, 2, 3, 4]}
        >>> search = BBCSearchCV(tree, grid, scoring="neg_log_loss", random_state=0).fit(X, y)
        >>> round(search.prediction_stability().mean_difference, 4)
        0.0007
        """
        unused = ("confidence_level", *INTERVAL_PARAMETERS)
        finished, what = self._as_finished(), "prediction_stability"
        draws = own_draws(finished, method, what, unused)
        oof = with_again(finished)
        time = curves.time_compared(oof, time)

        def compared(known: FinishedSearch) -> StabilityResult:
            question = known.ask(scoring)
            oof = question.predictions(what)
            return curves.stability_in(
                oof, lambda: estimate(known, question, draws), pos_label, time
            )

        return answered(self, finished, curves.responses_compared(oof, time), compared, what)

    @explain_arguments(of_method="optimism_curve(..., method=BBC({}=...))")
    def optimism_curve(
        self,
        *,
        scoring: Any = None,
        sizes: Sequence[int] | None = None,
        n_subsets: int = 50,
        method: BBC | None = None,
    ) -> results.OptimismCurve:
        """Estimate best and corrected score, had the search tried fewer of its configurations.

        Nothing is fitted again: the scores are those of random subsets of the configurations.

        Parameters
        ----------
        scoring : str, scorer or Metric, default=None
            A metric of the search by its name, any scorer or a scorer's name. None takes
            the metric that selected.
        sizes : sequence of int, default=None
            Numbers of configurations; None takes 10 of them, evenly on a logarithmic scale.
        n_subsets : int, default=50
            Random subsets of each size.
        method : BBC, default=None
            For another number of draws, or a seed or threads other than the search's. None is
            ``BBC(n_bootstraps=500)``.

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
        finished = self._as_finished()
        question = finished.ask(scoring)
        check_answers(self, finished, question.metric)
        unused = ("confidence_level", *INTERVAL_PARAMETERS)
        draws = own_draws(finished, method, "optimism_curve", unused, n_bootstraps=500)
        by_score = replace(question, rule=question.by(BestScore()), why_not="")
        return optimism_of(by_score, sizes, n_subsets, draws)

    @explain_arguments()
    def summary(self, style: str = "text") -> str:
        """Describe in a few sentences what the winner is worth, for a paper or a talk.

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
        estimates the expected score, on new samples, of the model that this
        tuning procedure selects.
        """
        report.style_named(style, REPORT_STYLES)
        _ = self.ci_  # where there is none, the error says why
        facts = self._report_facts()
        if style == "methods":
            return report.methods_paragraph(facts, search._reporting.cited_in(facts.results))
        return report.ESCAPES[style](report.summary_of(facts))

    @explain_arguments(
        " It returns a table: table().to_latex(), to_markdown(), to_html(), and "
        "to_frame().to_csv(path)."
    )
    def table(self, *, uncorrected: bool = True, show: Any = ()) -> report.ResultsTable:
        """Make a table for a paper: score, estimate with interval, method.

        Parameters
        ----------
        uncorrected : bool, default=True
            Whether a row with the best cross-validated score comes before the estimates of each
            metric.
        show : str, ConfidenceInterval or list of these, default=()
            Intervals for further rows, as for `report`, such as ``"calibration_slope"``.

        Returns
        -------
        ResultsTable
            ``print`` shows it; ``to_markdown()``, ``to_latex()`` and ``to_html()`` write it.

        See Also
        --------
        sklearn_bbc.report.ResultsTable.from_frame : For some rows of `intervals_frame`.
        """
        check_flag("uncorrected", uncorrected)
        facts = self._report_facts(shown := search._reporting.computed(self, show))
        # Where there are none, the error says why.
        results = facts.results if shown else self.ci_results_
        frame = search._reporting.frame_of(
            results, facts.n_configs, self._as_finished().reported_score
        )
        return search._reporting.table_of(frame, facts, uncorrected=uncorrected)

    @explain_arguments()
    def tripod_ai(self, *, show: Any = ()) -> pd.DataFrame:
        """Fill in the items of the TRIPOD+AI checklist that a search knows something about.

        Parameters
        ----------
        show : str, Curve, result or list of these, default=()
            Further results that are reported, as for `report`.

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
        return report.tripod_frame(self._report_facts(search._reporting.computed(self, show)))

    @explain_arguments()
    def report(
        self,
        path: str | os.PathLike[str],
        *,
        title: str = "Tuning report",
        tied: bool | results.TiedSet = True,
        threshold: Any = None,
        show: Any = None,
    ) -> Path:
        """Write one page of HTML with everything that a reader should know about the search.

        Data, protocol, estimates, configurations, the set of configurations that are tied with the
        best, notes in plain words, a methods paragraph, versions, the seed and the call that
        repeats the search. The page has no scripts and loads nothing. It needs jinja2
        (``pip install sklearn-bbc[report]``); plots are there when matplotlib is.

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
        show : str, Curve, result or list of these, default=None
            What else to report. None takes the curves that the predictions allow: of two classes
            ``"roc"`` and, where probabilities were recorded, ``"calibration"`` and
            ``"net_benefit"``, of a regression ``"calibration"``, of survival times
            ``"auc_over_time"``, where survival was recorded at several times
            ``"brier_over_time"``, and at one time ``"calibration"`` and ``"net_benefit"`` there;
            ``()`` takes nothing. Otherwise
            curves by name (see `curve`) or as objects, metrics by the name of their scorer
            (``"calibration_slope"``), or the results of `curve`, `interval`, `subgroups` and
            `prediction_stability`. Intervals are rows of the table, all others a plot and a
            sentence each. The methods paragraph and the TRIPOD+AI items name them.

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
            If `path` has another ending than ``.html``, the threshold cannot be tuned, or `show`
            names what is unknown or cannot be computed.
        """
        check_is_fitted(self, "oof_")
        search._reporting.check_page(path)
        Text().check("title", title)
        shown, left_out = (
            search._reporting.curves_of(self)
            if show is None
            else (search._reporting.computed(self, show), [])
        )
        facts = self._report_facts(shown)
        if threshold is not None and not isinstance(threshold, curves.ThresholdResult):
            with meant_by("threshold", "scoring"):
                threshold = self.threshold(threshold)
        search._reporting.check_tied(tied)
        found: results.TiedSet | str | None = tied if isinstance(tied, results.TiedSet) else None
        if found is None and tied:
            try:
                found = self.tied_with_best()
            except ValueError as error:  # a report does not fail for it
                found = str(error)
        return search._reporting.write_search_page(
            path,
            facts,
            title=title,
            table=self.table(show=shown) if facts.results else None,
            tied=found,
            threshold=None if threshold is None else curves.parts_of_report(threshold),
            left_out=left_out,
        )

    def _report_facts(self, shown: Sequence[Plottable | ConfidenceInterval] = ()) -> SearchFacts:
        return search._reporting.FactsOfSearch(
            self,
            self._as_finished(),
            [each for each in shown if isinstance(each, ConfidenceInterval)],
            [each for each in shown if isinstance(each, results.Plottable)],
        )

    # scikit-learn's diagram, with the corrected score beside it.
    def _repr_html_inner(self) -> str:
        diagram: str = super()._repr_html_inner()
        try:
            _, facts = self.ci_, self._report_facts()
        except AttributeError:  # no corrected score; a repr must not fail
            return diagram
        return (
            f'<div style="{BESIDE}"><div>{diagram}</div>{search._reporting.card_of(facts)}</div>'
        )

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if get_config()["display"] == "diagram":
            bundle["text/html"] = self._repr_html_inner()
        return bundle
