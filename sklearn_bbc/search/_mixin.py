"""What a search that keeps its predictions can say about its winner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

from sklearn.utils.validation import check_is_fitted

from ..comparison import Side
from ..comparison._compare import compare_sides
from ..intervals import as_interval
from ..intervals._level import says_level
from ..metrics import Metric
from ..results import ComparisonResult, ConfidenceInterval, TiedSet
from ._checks import check_scorer_names, position_of, warn_of_positive_label
from ._comparing import baseline_side
from ._refit_rule import check_refit
from ._reporting import ReportingMixin
from ._threshold import ThresholdResult, tuned_threshold
from ._tied import tied_in_search


class BBCSearchMixin(ReportingMixin):
    """Makes any scikit-learn search keep its predictions and correct its best score.

    Goes before the search class in the bases: ``class HalvingBBC(BBCSearchMixin,
    HalvingGridSearchCV)``. Attributes and methods are those of `BBCSearchCV`. The
    parameters `ci`, `random_state`, `record` and `drop` are used when the class has them.

    Notes
    -----
    Searches that choose configurations by looking at the scores of earlier ones are
    flagged: the methods assume configurations that are fixed beforehand. Configurations
    that were evaluated on other splits than the winner's (early rounds of successive
    halving) cannot be compared with it and are left out.
    """

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Run the search, keep its predictions, and estimate what the winner is worth.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Training data; a square matrix for precomputed kernels and distances.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), default=None
            Target; None for unsupervised learning.
        **params : dict
            Parameters of the estimator's ``fit``, the scorer and the splitter, as for
            `GridSearchCV`. With `groups`, groups are what the bootstrap resamples.

        Returns
        -------
        self : object
            The fitted search.

        Raises
        ------
        ValueError
            If `ci` names an unknown method, or a method has an invalid parameter; before
            the search begins. A method that fails after the search only warns.
        """
        check_scorer_names(self.scoring, type(self).__name__)
        self._validate_params()
        check_refit(self.refit, self.scoring)
        warn_of_positive_label(self.scoring, y)
        for method in self._requested_methods():
            method._validate()
        return super().fit(X, y, **params)

    def interval(
        self,
        method: Any = None,
        scoring: Any = None,
        config: int | Mapping[str, Any] | None = None,
        *,
        tuned_by: Any = None,
    ) -> ConfidenceInterval:
        """Compute another interval from the predictions that were kept; nothing is refitted.

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
        check_is_fitted(self, "oof_")
        stage = self._stage()
        if method is None:
            method = next(iter(self._requested_methods()), "bbc")
        if config is not None:
            if tuned_by is not None:
                raise ValueError(
                    f"Give either config (got {config!r}) or tuned_by (got {tuned_by!r}): one "
                    "configuration was not selected by a metric."
                )
            config = position_of(config, self.cv_results_["params"])
        tuned = None if tuned_by is None else self._metric(stage, tuned_by)
        return stage.estimate(as_interval(method), self._metric(stage, scoring), config, tuned)

    def threshold(
        self, scoring: Any, *, thresholds: Any = 500, method: Any = None
    ) -> ThresholdResult:
        """Tune the threshold of the best estimator, and correct its score for that.

        The choices of configuration and threshold are repeated in every draw, on the
        predictions that were kept; nothing is refitted.

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
        check_is_fitted(self, "oof_")
        stage = self._stage()
        return tuned_threshold(self, stage, scoring, thresholds, method)

    @says_level("difference")
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
        check_is_fitted(self, "oof_")
        metric = self._own_metric(scoring)
        side, notes = self._comparison_side(metric)
        other, told = baseline_side(self, baseline, metric, (X, y), fit_params)
        if names is not None:
            side, other = (replace(s, name=str(n)) for s, n in zip((side, other), names))
        given = {
            "n_bootstraps": n_bootstraps,
            "confidence_level": confidence_level,
            "alternative": alternative,
            "random_state": self._facts.seed if random_state is None else random_state,
            "n_jobs": self.n_jobs,
        }
        return compare_sides(side, other, metric, method, given, (*notes, *told))

    def _own_metric(self, scoring: Any) -> Metric:
        """A metric of the search by its name, any other metric, or that which selects."""
        check_is_fitted(self, "oof_")
        return self._metric(self._stage(), scoring)

    def _comparison_side(self, metric: Metric) -> tuple[Side, list[str]]:
        """What the search selects as a side of a comparison, and what is to be said of it."""
        check_is_fitted(self, "oof_")
        stage = self._stage()
        tuned_by = metric if stage.selects_nothing else None
        side = Side(
            oof=stage._view(metric, tuned_by=tuned_by),
            selection=stage.selection(metric, tuned_by),
            name="the search",
        )
        return side, list(stage.notes)

    def tied_with_best(
        self,
        confidence_level: float | None = None,
        *,
        scoring: Any = None,
        method: Any = None,
        complexity: Any = None,
        family: Any = None,
        n_bootstraps: int = 1000,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> TiedSet:
        """Find the configurations that the data cannot tell from the best one.

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
            `sklearn_bbc.comparison.tied_with_best`.
        n_bootstraps : int, default=1000
            Draws behind the shares of draws won and the differences.
        random_state : int, RandomState instance or None, default=None
            Seed; None takes that of the search.
        n_jobs : int or None, default=None
            Number of threads; None takes that of the search.

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
        sklearn_bbc.comparison.tied_with_best : The same for any out-of-fold predictions.

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
        check_is_fitted(self, "oof_")
        stage = self._stage()
        return tied_in_search(
            stage,
            self._metric(stage, scoring),
            method,
            confidence_level=confidence_level,
            complexity=complexity,
            family=family,
            n_bootstraps=n_bootstraps,
            random_state=random_state,
            n_jobs=n_jobs,
        )
