"""Find a method by its name (`as_interval`), or by the data (`recommend`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from .._parameters import constrained
from .._scorers import scorer_names
from .._text import method_words
from .._utils import did_you_mean, explain_arguments, got, nearest
from ..contest._notes import bound_alone, moved_by_pooling
from ..contest._question import check_oof
from ..metrics._consumed import Unbound
from ..metrics._metric import as_metric
from ..predictions._predictions import OOFPredictions
from ._analytic import PROPORTION_FORMS, BayleCV, Takahashi, Wald
from ._auc import CVAUC, DeLong, HanleyMcNeil
from ._base import BaseInterval, registered
from ._bbc import BBC
from ._bbcf import BBCF, TibshiraniTibshirani
from ._bootstrap import BOOTSTRAP_FORMS, HierarchicalBootstrap, PooledBootstrap
from ._fold_scores import (
    WORTH_A_NOTE,
    CorrectedT,
    CorrelationAdjusted,
    FoldGLMM,
    hidden_by_stratification,
)
from ._refit_base import RefitInterval, registered_refits
from ._refits import BatesNestedCV, ConservativeZ, DirectBootstrap, NestedCV
from ._shrunken_bbc import ShrunkenBBC
from ._tilting import MABT, BootstrapTilting

INTERVAL_ALIASES = {
    "bbccv": "bbc",
    "bootstrap": "pooled_bootstrap",
    "hierarchical": "hierarchical_bootstrap",
    "nadeaubengio": "corrected_t",
    "tt": "tibshirani",
}
"""What people call some methods, in small letters and digits only."""


def as_interval(method: Any) -> BaseInterval:
    """Turn a registered name into a method with its defaults; an object stays as it is."""
    if isinstance(method, BaseInterval):
        return method
    known = registered()
    if isinstance(method, str) and method in known:
        return known[method]()
    trains = _that_trains(method)
    if trains:
        raise ValueError(
            f"{trains} trains models, so it cannot work on predictions that were kept. Call it "
            f"by itself, {trains}().estimate(estimator, X, y), with a search or any other "
            "estimator."
        )
    if isinstance(method, type) and issubclass(method, BaseInterval):
        raise ValueError(f"Pass an instance, {method.__name__}(), instead of the class.")
    if isinstance(method, str) and method in scorer_names():
        raise ValueError(
            f"{method!r} is a metric, not an interval method: pass scoring={method!r}. Known "
            f"methods: {sorted(known)}."
        )
    meant = (
        _form_named(method, exactly=True)
        or did_you_mean(method, known, INTERVAL_ALIASES)
        or _form_named(method)
    )
    if isinstance(method, (bool, int, float)):
        level = method if 0 < method < 1 else 0.95
        meant = f" The level is a parameter of a method: BBC(confidence_level={level})."
    raise ValueError(
        f"Unknown interval method {got(method)}.{meant} Known names: {sorted(known)}."
    )


def _that_trains(method: Any) -> str | None:
    """Return the class name where `method` names, or is, a method that trains models."""
    if isinstance(method, str):
        plain = method.replace("_", "").replace("-", "").lower()
        names = {name.replace("_", ""): cls for name, cls in registered_refits().items()}
        return names[plain].__name__ if plain in names else None
    cls = method if isinstance(method, type) else type(method)
    return cls.__name__ if issubclass(cls, RefitInterval) else None


PUBLISHED: tuple[tuple[BaseInterval | RefitInterval, str | None], ...] = (
    (Wald(), None),
    *((Wald(form=form), form) for form in PROPORTION_FORMS if form != "normal"),
    (Takahashi(), None),
    (DeLong(), None),
    (DeLong(logit=True), "logit scale"),
    (HanleyMcNeil(), None),
    (CVAUC(), None),
    *((PooledBootstrap(form=form), form) for form in BOOTSTRAP_FORMS),
    *((HierarchicalBootstrap(form=form), form) for form in BOOTSTRAP_FORMS),
    (BayleCV(), None),
    (BayleCV(variance="within-fold"), "within-fold"),
    (CorrectedT(), None),
    (CorrelationAdjusted(), None),
    (CorrelationAdjusted(student=False), "normal"),
    (FoldGLMM(), None),
    (FoldGLMM(interval="profile"), "profile"),
    (BBC(), None),
    (BBCF(), None),
    (ShrunkenBBC(), None),
    (TibshiraniTibshirani(), None),
    (BootstrapTilting(), None),
    (MABT(), None),
    (NestedCV(), None),
    (NestedCV(corrected_t=True), "corrected t"),
    (BatesNestedCV(), None),
    (ConservativeZ(), None),
    (DirectBootstrap(), None),
)
"""Every published interval, and ``details["form"]`` of its result where a method has several."""


def published_intervals() -> pd.DataFrame:
    """List every published interval by name, with the call that gives it.

    Returns
    -------
    DataFrame
        A row for each: its name as results print it (``interval``), the method to make
        (``call``), the name that `holdout_interval` knows for it, where there is one
        (``holdout``), and what it is for (``for``).

    See Also
    --------
    recommend : Which one fits predictions.

    Examples
    --------
    >>> from sklearn_bbc.intervals import published_intervals
    >>> table = published_intervals().set_index("interval")
    >>> table.loc["Wilson's interval", "call"]
    "Wald(form='wilson')"
    """
    rows = []
    for method, form in PUBLISHED:
        name = method_words(method.name, form).sentence.removeprefix("the ")
        known = form if isinstance(method, (Wald, PooledBootstrap)) else None
        if form is None and isinstance(method, (DeLong, HanleyMcNeil, Takahashi, Wald)):
            known = method.name.replace("_", "-")
        rows.append((name, repr(method), known or "", method.meant_for))
    return pd.DataFrame(rows, columns=["interval", "call", "holdout", "for"])


def _form_named(name: Any, *, exactly: bool = False) -> str:
    """Write which method has a form of this name; empty where none has."""
    calls: dict[str, str] = {}
    for method, form in PUBLISHED:
        if form is not None and isinstance(method, BaseInterval):
            calls.setdefault(form, repr(method))
    form = nearest(name, calls) if isinstance(name, str) else None
    if form is None or (exactly and form.casefold() != name.casefold()):
        return ""
    return f" That is a form of a method: pass {calls[form]}."


class Facts:
    """Facts on the predictions, the metric and the search, and the user's wishes."""

    def __init__(
        self, oof: OOFPredictions, scoring: Any, fast: bool, refits: bool, dynamic: bool
    ) -> None:
        self.fast, self.refits, self.dynamic = fast, refits, dynamic
        self.several = oof.n_configs - int(oof.failed.sum()) > 1  # of which one is selected
        self.predictions = bool(oof.responses)  # not fold scores alone
        self.n_folds = oof.n_splits / oof.n_repeats  # 0 or 1 for a test set
        self.tested = oof.n_samples - oof.n_untested
        self.smallest = np.inf  # tested samples of the rarest class
        if oof.classes_ is not None and oof.y_true.ndim == 1:
            counts = np.unique(oof.y_true[oof.tested], return_counts=True)[1]
            self.smallest = float(counts.min())
        self.partition = oof.is_partition
        self.weighted = oof.sample_weight is not None
        self.plain = oof.has_single_samples
        # Of one configuration: area of two classes, mean over samples, each counting 0 or 1.
        self.auc = self.mean = self.share = False
        # Of several: the share of the variance that stratified folds hide, and whether pooling the
        # folds moves the score by a standard error.
        self.hidden, self.pooled = 0.0, False
        if not self.predictions:
            return
        metric = as_metric(scoring)
        if self.several:
            config = np.flatnonzero(~oof.failed)[0] if oof.selected is None else oof.selected
            one = bound_alone(Unbound(metric, oof), int(config))
            if one is not None:  # what was recorded may not be what the metric consumes
                self.pooled = moved_by_pooling(one, 0) is not None
                self.hidden = hidden_by_stratification(one, 0) if fast else 0.0
            return
        two = oof.classes_ is not None and len(oof.classes_) == 2
        whole = metric.score_func is roc_auc_score and not metric.kwargs.get("max_fpr")
        self.auc = whole and two
        values = metric.bind(oof).pointwise(0) if self.plain else None
        self.mean = values is not None
        self.share = values is not None and metric.sign > 0 and bool(np.isin(values, (0, 1)).all())

    def per_fold(self, least: int) -> bool:
        """Check whether a fold has at least this many samples of each class, on average."""
        return self.smallest >= least * self.n_folds


FEW_SAMPLES = 50
FEW_OF_A_CLASS = 10
FEW_IN_A_FOLD = 5
SMALL_SAMPLE = 100
ENOUGH_TO_COMPARE = 3
"""Of each class in a fold: with fewer, scores within folds are too rough."""


@dataclass(frozen=True)
class Recommendation:
    """A method with its defaults and the reason for it; unpacks as ``(method, reason)``."""

    method: BaseInterval | RefitInterval
    reason: str

    def __iter__(self) -> Iterator[Any]:
        return iter((self.method, self.reason))


@explain_arguments()
@constrained()
def recommend(
    oof: OOFPredictions,
    scoring: Any,
    *,
    fast: bool = False,
    refits: bool = False,
    dynamic: bool = False,
) -> Recommendation:
    """Recommend an interval method for these predictions and this metric.

    Parameters
    ----------
    oof : OOFPredictions
        Out-of-fold predictions, fold scores, or predictions on a test set (without
        folds).
    scoring : str, scorer or Metric
        The metric.
    fast : bool, default=False
        Of several configurations, prefer BBC-F to BBC where both are sound: for metrics
        without a kernel, or very large data.
    refits : bool, default=False
        Of one configuration, prefer a method that trains many models. Such a method is
        given the estimator and the data, not the predictions.
    dynamic : bool, default=False
        The configurations were chosen by looking at earlier scores, as by Bayesian
        optimisation or successive halving. Predictions do not show it.

    Returns
    -------
    Recommendation
        The method and the reason, in one sentence.

    See Also
    --------
    published_intervals : Every interval by its published name, with the call that gives it.

    Notes
    -----
    Several configurations: BBC, or BBC-F when only fold scores are there; for a rank metric
    that pooling the folds moves much, the reason says that `within_folds` avoids it. One
    configuration: CVAUC for roc_auc, BayleCV for means over samples, the corrected t
    for fold scores, the hierarchical bootstrap of percentiles for small data. A test set:
    DeLong for roc_auc, Wilson for accuracy, a bootstrap otherwise or with groups. The
    user guide shows the whole table, from which this function reads.

    Examples
    --------
    >>> from sklearn_bbc.intervals import recommend
    >>> from sklearn_bbc.testing import example_predictions
    >>> method, reason = recommend(example_predictions(), "roc_auc")
    >>> method
    BBC()
    """
    check_oof(oof)
    facts = Facts(oof, scoring, fast, refits, dynamic)
    rule = next(rule for rule in RULES if rule.holds(facts))
    return Recommendation(rule.method(), rule.reason)


def recommendations() -> dict[str, Recommendation]:
    """Map situations to methods and reasons, in the order in which `recommend` tries them."""
    return {rule.situation: Recommendation(rule.method(), rule.reason) for rule in RULES}


@dataclass(frozen=True)
class Rule:
    """A line of the table: when it applies, in words and as a function of `Facts`, and why."""

    situation: str
    method: Callable[[], BaseInterval | RefitInterval]
    reason: str
    holds: Callable[[Facts], bool]


RULES: tuple[Rule, ...] = (
    Rule(
        "the winner of a search that learns from its own scores (`dynamic=True`)",
        BBC,
        "Several configurations that a search chose by looking at earlier scores: BBC takes them "
        "as fixed beforehand, so its level is unproven here; compare with NestedCV of the search.",
        lambda facts: facts.several and facts.predictions and facts.dynamic,
    ),
    Rule(
        "the same, only scores per fold known, at least 3 folds",
        BBCF,
        "Several configurations that a search chose by looking at earlier scores, known by their "
        "fold scores: BBC-F takes them as fixed beforehand, so its level is unproven here.",
        lambda facts: facts.several and facts.dynamic and facts.n_folds >= 3,
    ),
    Rule(
        "the winner of several configurations, only scores per fold known, at least 3 folds",
        BBCF,
        "Several configurations of which only fold scores are known: BBC-F corrects the "
        "selection from fold scores alone.",
        lambda facts: facts.several and not facts.predictions and facts.n_folds >= 3,
    ),
    Rule(
        "the same with 2 folds",
        TibshiraniTibshirani,
        "Several configurations of which the scores of two folds are known: no interval accounts "
        "for the selection, but the estimate can be corrected.",
        lambda facts: facts.several and not facts.predictions,
    ),
    Rule(
        f"the winner of several configurations, fewer than {FEW_SAMPLES} samples or "
        f"{FEW_OF_A_CLASS} of a class",
        BBC,
        f"Several configurations and few data (below {FEW_SAMPLES} samples or {FEW_OF_A_CLASS} of "
        "a class): BBC covers, but expect a very wide interval.",
        lambda facts: (
            facts.several and (facts.tested < FEW_SAMPLES or facts.smallest < FEW_OF_A_CLASS)
        ),
    ),
    Rule(
        f"the winner of several configurations in a hurry (`fast=True`): at least {FEW_IN_A_FOLD} "
        f"folds with {FEW_IN_A_FOLD} of each class, not stratified if a class is badly predicted",
        BBCF,
        "Several configurations and at least 5 folds with enough of each class: BBC-F corrects "
        "the selection in the shortest time.",
        lambda facts: (
            facts.several
            and facts.fast
            and facts.partition
            and facts.n_folds >= FEW_IN_A_FOLD
            and facts.per_fold(FEW_IN_A_FOLD)
            and facts.hidden < WORTH_A_NOTE
        ),
    ),
    Rule(
        "the winner of several configurations, a metric that compares samples (AUC, average "
        "precision, concordance), where pooling the folds moves the score by more than a standard "
        f"error, on average at least {ENOUGH_TO_COMPARE} of each class in a fold",
        BBC,
        "Several configurations and a metric that compares samples, whose score on all folds "
        "together is far from its mean over the folds: BBC corrects the selection, and as a "
        "metric within_folds(...) of sklearn_bbc.metrics leaves that difference out.",
        lambda facts: facts.several and facts.pooled and facts.per_fold(ENOUGH_TO_COMPARE),
    ),
    Rule(
        "the winner of several configurations otherwise",
        BBC,
        "Several configurations: BBC corrects the selection, for any metric and splitter; "
        "ShrunkenBBC, from the same draws, is mostly nearer to the truth and narrower.",
        lambda facts: facts.several,
    ),
    Rule(
        "one configuration, only scores per fold known",
        CorrectedT,
        "One configuration of which only fold scores are known: the corrected t interval allows "
        "for overlapping training sets.",
        lambda facts: not facts.predictions,
    ),
    Rule(
        "a frozen model and a test set, groups or sample weights",
        PooledBootstrap,
        "One model on a test set whose samples are not alike: the bootstrap draws groups, and "
        "keeps weights.",
        lambda facts: facts.n_folds < 2 and not facts.plain,
    ),
    Rule(
        "a frozen model and a test set, AUC of two classes",
        DeLong,
        "One model on a test set: DeLong's interval is right for roc_auc.",
        lambda facts: facts.n_folds < 2 and facts.auc,
    ),
    Rule(
        "a frozen model and a test set, a proportion such as accuracy",
        partial(Wald, form="wilson"),
        "One model on a test set and a proportion: Wilson's interval covers.",
        lambda facts: facts.n_folds < 2 and facts.share,
    ),
    Rule(
        "a frozen model and a test set otherwise",
        PooledBootstrap,
        "One model on a test set: the bootstrap takes any metric.",
        lambda facts: facts.n_folds < 2,
    ),
    Rule(
        "one configuration and time to train many models (`refits=True`), a metric that is a "
        "mean over samples",
        BatesNestedCV,
        "One configuration, a mean over samples and time for many fits: nested cross-validation "
        "measures how far cross-validation is off.",
        lambda facts: facts.refits and facts.mean,
    ),
    Rule(
        "the same, any other metric, no groups",
        ConservativeZ,
        "One configuration, any metric and time for many fits: disjoint halves of the data give "
        "a variance that errs on the safe side.",
        lambda facts: facts.refits and facts.plain,
    ),
    Rule(
        f"one configuration, fewer than {SMALL_SAMPLE} samples, on average at least 2 of each "
        "class in "
        "a fold",
        partial(HierarchicalBootstrap, form="percentile"),
        "One configuration and few samples: the hierarchical bootstrap allows for folds, and its "
        "percentile form held its level wherever models were trained, if a little wide.",
        lambda facts: facts.tested < SMALL_SAMPLE and facts.per_fold(2),
    ),
    Rule(
        f"one configuration, AUC of two classes, on average at least {FEW_IN_A_FOLD} of each in "
        "a fold",
        CVAUC,
        "One configuration and roc_auc: the influence curve compares within folds only.",
        lambda facts: facts.auc and not facts.weighted and facts.per_fold(FEW_IN_A_FOLD),
    ),
    Rule(
        f"one configuration, a metric that is a mean over at least {SMALL_SAMPLE} samples",
        BayleCV,
        "One configuration and a mean over samples: the central limit theorem of "
        "cross-validation holds for the models of the folds (for the method itself, use "
        "CorrectedT).",
        lambda facts: facts.mean and facts.tested >= SMALL_SAMPLE,
    ),
    Rule(
        "one configuration otherwise",
        CorrectedT,
        "One configuration and any metric: the corrected t interval allows for overlapping "
        "training sets.",
        lambda facts: True,
    ),
)
"""The table, of which the first line that applies counts; the user guide shows it."""
