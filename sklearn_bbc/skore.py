"""A check for reports of skore: was a model tuned, and is its best score corrected for that?

Nothing here needs skore to be imported; the extra ``skore`` installs it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._text import MetricWords, count, metric_words, printed_result, result_words
from .intervals._bbcf import BBCF
from .metrics._metric import as_metric
from .predictions._predictions import OOFPredictions
from .predictions._sources import n_in_earlier_rounds
from .results._results import ConfidenceInterval

ADVICE = (
    "BBCSearchCV in place of {} gives corrected scores and intervals from the predictions of the "
    "same search. Scores of this report on its test set are not concerned."
)

__all__ = [
    "TunedWithoutCorrection",
]


def __dir__() -> list[str]:
    return list(__all__)


class TunedWithoutCorrection:
    """Tip for a report of skore whose model was tuned and whose best score is not corrected.

    The best of many cross-validated scores is too high on average, since noise helped to make it
    the best. For a fitted search other than `BBCSearchCV` the check corrects `best_score_` by
    BBC-F, which needs no more than the scores per fold in ``cv_results_``.

    It follows skore's protocol ``skore.Check``: pass it to ``report.checks.add``. A report of
    cross-validation fits the search in every split and scores it on other samples; that is nested
    cross-validation, so only reports of a single fit are checked.

    Attributes
    ----------
    code : str
        ``"BBC001"``: by this name skore ignores or removes the check.
    title : str
        What the summary of checks prints.
    report_types : list of str
        The types of reports that skore runs it on: ``["estimator"]``.
    severity : str
        ``"tip"``: a score to be read with care, not a fault of the model.
    docs_url : None
        There is no page in skore's own guide.
    slow : bool
        False: nothing is fitted.

    See Also
    --------
    sklearn_bbc.BBCSearchCV : The search whose scores are corrected.
    sklearn_bbc.BBCF : The correction that is used here.

    References
    ----------
    .. [1] I. Tsamardinos, E. Greasidou, G. Borboudakis, "Bootstrapping the out-of-sample
       predictions for efficient and accurate cross-validation", Machine Learning 107,
       1895-1922 (2018). :doi:`10.1007/s10994-018-5714-4`

    Examples
    --------
    With skore: ``report = skore.evaluate(search, X, y, splitter=0.3)``, then
    ``report.checks.add([TunedWithoutCorrection()])`` and ``report.checks.summarize()``. What the
    check says of a search, without skore:

    >>> from types import SimpleNamespace
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from sklearn_bbc.skore import TunedWithoutCorrection
    >>> X, y = make_classification(n_samples=60, flip_y=0.5, random_state=0)
    >>> grid = {"max_depth": [1, 2, 3, 5, 8], "min_samples_leaf": [1, 2, 3, 5, 8]}
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> search = GridSearchCV(tree, grid, scoring="roc_auc").fit(X, y)
    >>> report = SimpleNamespace(estimator_=search)
    >>> print(TunedWithoutCorrection().check_function(report))
    The best of 25 configurations had a cross-validated ROC AUC of ...
    """

    code = "BBC001"
    title = "Tuned without correction"
    report_types = ["estimator"]
    docs_url = None
    severity = "tip"
    slow = False

    def check_function(self, report: Any) -> str | None:
        """Explain how much the best score of the search in a report is biased.

        Parameters
        ----------
        report : skore.EstimatorReport
            Its model is a fitted search, or a pipeline that ends in one.

        Returns
        -------
        str or None
            The explanation; None if the search corrects its scores itself.

        Raises
        ------
        skore.CheckNotApplicable
            If the model is no search, or the search tried one configuration only.
        """
        search = _search_in(report.estimator_)
        if search is None:
            raise _not_applicable("The model is not a search over configurations.")
        if hasattr(search, "bbc_score_") or hasattr(search, "ci_results_"):
            return None
        n_configs = len(search.cv_results_["params"]) + n_in_earlier_rounds(search)
        if n_configs < 2:
            raise _not_applicable("The search tried one configuration only.")
        name = type(search).__name__
        try:
            result, best = _corrected(search)
        except ValueError as error:
            return (
                f"{name} chose the best of {n_configs:,} configurations, so its best score is too "
                f"high on average. It cannot be corrected from the scores per fold: {error} "
                + ADVICE.format(name)
            )
        words = _skore_words(search, result, best)
        return _explained(words, result, best, n_configs) + " " + ADVICE.format(name)


def _search_in(model: Any) -> Any:
    """Find the fitted search that a model is or ends in; None where there is none."""
    while hasattr(model, "steps"):
        model = model.steps[-1][1]
    return model if hasattr(model, "cv_results_") else None


def _not_applicable(reason: str) -> Exception:
    from skore import CheckNotApplicable  # who asks with a report of skore has it

    return CheckNotApplicable(reason)


def _corrected(search: Any) -> tuple[ConfidenceInterval, float]:
    """Correct the scores per fold by BBC-F; also the uncorrected score of the winner."""
    oof = OOFPredictions.from_search(search)
    refit = getattr(search, "refit", True)
    metric = refit if isinstance(refit, str) else next(iter(oof.fold_scores))
    result = BBCF(random_state=0).estimate(oof, metric)
    return result, float(oof.fold_scores[metric][:, search.best_index_].mean())


def _skore_words(search: Any, result: ConfidenceInterval, best: float) -> MetricWords:
    """Find the name and sign of the metric, those of the scorer where it shows them."""
    name, sign = result.metric, None
    scorer = getattr(search, "scorer_", None)
    scorer = scorer.get(name) if isinstance(scorer, Mapping) else scorer
    if hasattr(scorer, "_score_func"):
        metric = as_metric(scorer)
        name, sign = metric.name if name == "score" else name, metric.sign
    return metric_words(name, [best, result.estimate, result.low, result.high], sign)


def _explained(words: MetricWords, result: ConfidenceInterval, best: float, n_configs: int) -> str:
    printed = printed_result(words, result, [best])
    text = (
        f"The best of {count(n_configs, 'configuration')} had a cross-validated {words.name} of "
        f"{printed.others[0]}. Corrected for the selection by "
        f"{result_words(result).sentence} it is {printed.estimate} ({printed.interval()})."
    )
    return " ".join([text, *result.details.get("notes", ())])
