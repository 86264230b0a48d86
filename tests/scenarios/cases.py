"""Named searches, of many kinds, whose every printed word is looked at.

Models predict with a column of the data as it stands. So no fit matters, and what is printed is
the same with all releases of the packages that we build on, with and without compiled kernels.
"""

import math
from dataclasses import dataclass, field

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.metrics import f1_score, make_scorer, recall_score
from sklearn.model_selection import (
    GroupKFold,
    HalvingGridSearchCV,
    KFold,
    LeaveOneOut,
    ShuffleSplit,
    TimeSeriesSplit,
)

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.curves import SurvivalCalibration, SurvivalNetBenefit
from sklearn_bbc.intervals import BBC, BBCF
from sklearn_bbc.metrics import (
    dynamic_auc,
    neg_integrated_brier_score,
    neg_survival_brier_score,
    uno_concordance,
    within_folds,
)
from sklearn_bbc.search import BBCSearchMixin, DropClearlyWorse
from sklearn_bbc.selection import (
    GreedyEnsemble,
    MeanCost,
    OneStandardError,
    SensitivityAt,
    SimplestTied,
    WithThreshold,
)

N, N_COLUMNS = 120, 8
FEW = 200
GOLDEN = (math.sqrt(5) - 1) / 2


def even(n, which):
    """Numbers in (0, 1) that lie evenly, in no order: multiples of a root, modulo 1."""
    return (np.arange(1, n + 1) * GOLDEN * (2 * which + 1) + 0.37 * which) % 1


def columns(truth, skills=None):
    """Columns of (0, 1), each with its skill in telling where `truth`, of (0, 1), is large."""
    if skills is None:
        skills = [0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.42]
    found = [
        skill * truth + (1 - skill) * even(len(truth), which + 1)
        for which, skill in enumerate(skills)
    ]
    return np.stack(found, axis=1).round(6)


Y = (even(N, 0) > 0.6).astype(int)
X = columns(Y)
AMOUNT = (10 * even(N, 0)).round(3)
CLASSES = np.digitize(even(N, 0), [0.4, 0.75])
GROUPS = np.arange(N) // 4


class Column(ClassifierMixin, BaseEstimator):
    """Predict two or three classes with a column as the risk; below 0 the fit fails."""

    def __init__(self, column=0, power=1):
        self.column, self.power = column, power

    def fit(self, X, y, sample_weight=None):
        if self.column < 0:
            raise ValueError(f"There is no column {self.column}.")
        self.classes_, self.n_features_in_ = np.unique(y), X.shape[1]
        return self

    def predict_proba(self, X):
        risk = np.asarray(X)[:, self.column] ** self.power
        if len(self.classes_) == 2:
            return np.column_stack([1 - risk, risk])
        middle = 2 * risk * (1 - risk)
        return np.column_stack([(1 - risk) ** 2, middle, risk**2])

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class Amount(RegressorMixin, BaseEstimator):
    """Predict numbers with ten times a column."""

    def __init__(self, column=0):
        self.column = column

    def fit(self, X, y):
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X):
        return 10 * np.asarray(X)[:, self.column]


class Surviving(Amount):
    """Predict probabilities of surviving times with a column as the hazard."""

    def predict_survival_function(self, X, times):
        return np.exp(-3 * np.outer(np.asarray(X)[:, self.column], times))


class HalvingBBC(BBCSearchMixin, HalvingGridSearchCV):
    """Successive halving that keeps its predictions."""


COLUMNS = {"column": list(range(N_COLUMNS))}


def search(estimator=None, grid=COLUMNS, **options):
    given = {"cv": KFold(5), "scoring": "roc_auc", "ci": BBC(n_bootstraps=FEW), "random_state": 0}
    return BBCSearchCV(Column() if estimator is None else estimator, grid, **{**given, **options})


def halving():
    return HalvingBBC(
        Column(), COLUMNS, cv=KFold(3), scoring="roc_auc", factor=2, random_state=0,
        min_resources=30,
    )  # fmt: skip


def cost(y_true, y_pred):
    return float(np.mean(np.abs(y_true - y_pred)))


def steady(results):
    return int(np.argmax(results["mean_test_score"] - results["std_test_score"]))


@dataclass
class Scenario:
    """A search, what it is fitted on, and what is asked of it afterwards.

    `asked` has functions of the fitted search, whose results are printed; `shown` is for its table
    and its report, whose text is looked at where `page` is true.
    """

    search: object
    data: tuple = (X, Y)
    fit: dict = field(default_factory=dict)
    asked: dict = field(default_factory=dict)
    shown: tuple = ()
    page: bool = False


RARE = (np.arange(N) % 15 == 7).astype(int)
NOISE = columns(even(N, 20), [0.0] * N_COLUMNS)
SHIFTED = X * 0.5 + 0.5 * (np.arange(N)[:, None] // 24 % 2)
TIMES = np.array(
    [(bool(e), t) for e, t in zip(even(N, 30) > 0.3, 1.01 - even(N, 0))],
    dtype=[("event", bool), ("time", float)],
)
SCENARIOS = {
    "binary": Scenario(search(), page=True),
    "one configuration": Scenario(search(grid={"column": [5]})),
    "equal configurations": Scenario(search(grid={"column": [5, 6], "power": [1, 2]})),
    "several metrics": Scenario(
        search(scoring=["roc_auc", "accuracy", "neg_log_loss"], refit="accuracy"), page=True),
    "several metrics and no refit": Scenario(search(scoring=["roc_auc", "f1"], refit=False)),
    "several methods": Scenario(search(ci=[BBC(n_bootstraps=FEW), BBCF(), "delong"])),
    "a method that ignores the selection": Scenario(search(ci="delong")),
    "one-sided": Scenario(search(ci=BBC(n_bootstraps=FEW, alternative="greater"))),
    "one-sided loss": Scenario(
        search(scoring="neg_brier_score", ci=BBC(n_bootstraps=FEW, alternative="less"))
    ),
    "level of 80%": Scenario(search(ci=BBC(n_bootstraps=FEW, confidence_level=0.8))),
    "few draws": Scenario(search(ci=BBC(n_bootstraps=20))),
    "no interval": Scenario(search(ci=[]), page=True),
    "no predictions": Scenario(search(record=False, ci=BBCF()), page=True),
    "accuracy by a formula": Scenario(search(scoring="accuracy", ci="wald")),
    "groups": Scenario(search(cv=GroupKFold(5)), fit={"groups": GROUPS}),
    "groups in several folds": Scenario(search(cv=KFold(7)), fit={"groups": GROUPS}),
    "repeats": Scenario(
        search(
            cv=[
                (np.flatnonzero(np.arange(N) * step % 5 != k),
                 np.flatnonzero(np.arange(N) * step % 5 == k))
                for step in (1, 2, 3)
                for k in range(5)
            ]
        )
    ),
    "repeats of 3 and 5 folds": Scenario(
        search(cv=[each for k in (3, 5) for each in KFold(k).split(X)])
    ),
    "some never held out": Scenario(search(cv=ShuffleSplit(3, test_size=0.2, random_state=0))),
    "a single split": Scenario(
        search(cv=[(np.arange(70), np.arange(70, N))], scoring="accuracy")
    ),
    "in time": Scenario(search(cv=TimeSeriesSplit(4), scoring="accuracy")),
    "in time by blocks": Scenario(
        search(cv=TimeSeriesSplit(4), scoring="accuracy", block_length=4)
    ),
    "leave one out": Scenario(
        search(cv=LeaveOneOut(), scoring="accuracy", grid={"column": [5, 7]})
    ),
    "twelve samples": Scenario(search(cv=KFold(3), scoring="accuracy"), (X[:12], Y[:12])),
    "a rare class": Scenario(search(), (columns(RARE), RARE)),
    "no skill": Scenario(search(), (NOISE, Y)),
    "below the median": Scenario(
        search(ci=BBC(n_bootstraps=FEW, below_median=True)), (NOISE, Y)
    ),
    "perfect": Scenario(search(scoring="accuracy"), (columns(Y, [0.9] * N_COLUMNS), Y)),
    "folds on other scales": Scenario(search(cv=KFold(5)), (SHIFTED, Y)),
    "within folds": Scenario(
        search(),
        (SHIFTED, Y),
        asked={
            "within folds": lambda s: s.interval(
                BBC(n_bootstraps=FEW), scoring=within_folds("roc_auc")
            ),
        },
    ),
    "a configuration that failed": Scenario(search(grid={"column": [-1, 2, 5, 7]}), page=True),
    "dropped configurations": Scenario(
        search(cv=KFold(10), drop=DropClearlyWorse(min_predictions=24, n_bootstraps=FEW)),
        page=True,
    ),
    "halving": Scenario(halving(), page=True),
    "a rule": Scenario(search(refit=SimplestTied("column", margin=0.02)), page=True),
    "one standard error": Scenario(search(refit=OneStandardError("column"))),
    "a function as the rule": Scenario(search(refit=steady)),
    "a threshold": Scenario(
        search(ci=BBC(selection=WithThreshold("balanced_accuracy"), n_bootstraps=FEW)), page=True),
    "a demanded specificity": Scenario(
        search(
            ci=BBC(
                selection=WithThreshold(SensitivityAt(0.9, report="specificity")),
                n_bootstraps=FEW,
            )
        )
    ),
    "costs": Scenario(
        search(ci=BBC(selection=WithThreshold(MeanCost([[0, 1], [5, 0]])), n_bootstraps=FEW))
    ),
    "thresholds afterwards": Scenario(
        search(),
        asked={
            "f1": lambda s: s.threshold("f1", method=BBC(n_bootstraps=FEW)),
            "costs": lambda s: s.threshold([[0, 1], [5, 0]], method=BBC(n_bootstraps=FEW)),
            "sensitivity": lambda s: s.threshold(
                SensitivityAt(0.8), method=BBC(n_bootstraps=FEW)
            ),
        },
    ),
    "an ensemble": Scenario(
        search(ci=BBC(selection=GreedyEnsemble(3), n_bootstraps=FEW)), page=True
    ),
    "labels of text": Scenario(
        search(scoring=make_scorer(f1_score, pos_label="case")),
        (X, np.array(["control", "case"])[Y]), page=True),
    "another positive class": Scenario(
        search(
            scoring={"specificity": make_scorer(recall_score, pos_label=0), "roc_auc": "roc_auc"},
            refit="specificity",
        )
    ),
    "three classes": Scenario(
        search(scoring=["neg_log_loss", "f1_macro"], refit="neg_log_loss"),
        (columns(CLASSES / 2), CLASSES), page=True),
    "numbers": Scenario(
        search(Amount(), scoring="neg_mean_absolute_error"),
        (columns(AMOUNT / 10), AMOUNT),
        page=True,
    ),
    "share explained": Scenario(search(Amount(), scoring="r2"), (columns(AMOUNT / 10), AMOUNT)),
    "times": Scenario(
        search(Amount(), scoring="concordance_index"), (columns(even(N, 0)), TIMES), page=True
    ),
    "surviving a time": Scenario(
        search(Surviving(), scoring=neg_survival_brier_score(0.5, censoring=TIMES),
               record="predict"),
        (columns(even(N, 0)), TIMES),
        asked={
            "auc": lambda s: s.interval(scoring=dynamic_auc([0.25, 0.5])),
            "uno": lambda s: s.interval(scoring=uno_concordance(0.5)),
        },
    ),
    "curves of survival": Scenario(
        search(
            Surviving(),
            scoring={
                "integrated Brier": neg_integrated_brier_score([0.2, 0.4, 0.6]),
                "Brier at 0.4": neg_survival_brier_score(0.4),
                "concordance": "concordance_index",
            },
            refit="Brier at 0.4",
        ),
        (columns(even(N, 0)), TIMES),
        asked={
            "Brier score": lambda s: s.curve("brier_over_time", method=BBC(n_bootstraps=FEW)),
            "AUC": lambda s: s.curve("auc_over_time", method=BBC(n_bootstraps=FEW)),
            "calibration": lambda s: s.curve(
                SurvivalCalibration(0.4), method=BBC(n_bootstraps=FEW)
            ),
            "decisions": lambda s: s.curve(SurvivalNetBenefit(0.4), method=BBC(n_bootstraps=FEW)),
            "subgroups": lambda s: s.subgroups(
                np.where(np.arange(N) % 3, "men", "women"), method=BBC(n_bootstraps=FEW)
            ),
            "stability": lambda s: s.prediction_stability(time=0.4, method=BBC(n_bootstraps=FEW)),
        },
        shown=("brier_over_time", SurvivalCalibration(0.4)), page=True),
    "a loss of one's own": Scenario(
        search(scoring=make_scorer(cost, greater_is_better=False))
    ),
    "calibration": Scenario(search(scoring=["neg_log_loss", "calibration_slope"],
                                   refit="neg_log_loss")),
    "curves": Scenario(
        search(),
        asked={
            "curve": lambda s: s.curve("net_benefit", method=BBC(n_bootstraps=FEW)),
            "optimism": lambda s: s.optimism_curve(method=BBC(n_bootstraps=FEW)),
        },
        shown=("roc", "calibration"), page=True),
    "subgroups and stability": Scenario(
        search(),
        asked={
            "subgroups": lambda s: s.subgroups(
                np.where(np.arange(N) % 3, "men", "women"), method=BBC(n_bootstraps=FEW)
            ),
            "stability": lambda s: s.prediction_stability(method=BBC(n_bootstraps=FEW)),
        }, page=True),
    "compared": Scenario(
        search(),
        asked={
            "default": lambda s: s.compare("default", X, Y, n_bootstraps=FEW, random_state=0),
            "another": lambda s: s.compare(
                Column(3), X, Y, n_bootstraps=FEW, random_state=0, alternative="greater"
            ),
            "tied": lambda s: s.tied_with_best(draws=BBC(n_bootstraps=FEW, random_state=0)),
        },
    ),
}  # fmt: skip
