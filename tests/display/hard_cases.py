"""Pictures with long names, many rows and long metrics: what small axes make hard."""

from functools import cache

import numpy as np
import pandas as pd
from sklearn.linear_model import Ridge

from sklearn_bbc import BBC, ConfidenceInterval, OOFPredictions, SequentialBestOf, best_of
from sklearn_bbc.comparison import BonferroniDunn, Nemenyi, learning_curve_intervals
from sklearn_bbc.curves import corrected_curve
from sklearn_bbc.display import (
    BoxesDisplay,
    CoverageDisplay,
    CriticalDifferenceDisplay,
    CurveDisplay,
    DifferencesDisplay,
    DrawsDisplay,
    ForestDisplay,
    IntervalsDisplay,
    LearningCurveDisplay,
    OptimismDisplay,
    SampleSizeDisplay,
    SelectionFrequencyDisplay,
    SequentialDisplay,
    StabilityDisplay,
    SystemsDisplay,
    TiedSetDisplay,
)
from sklearn_bbc.metrics import neg_survival_brier_score
from sklearn_bbc.results import ComparisonResult, OptimismCurve, SampleSizeResult, TiedSet
from sklearn_bbc.results._curves import StabilityResult
from sklearn_bbc.testing import example_predictions

LONG = "select__estimator__histgradientboosting__min_samples_leaf"
METRIC = "roc_auc_ovr_weighted"


def interval(metric=METRIC, estimate=0.9, half=0.06, method="bbc", **fields):
    rng = np.random.default_rng(0)
    given = {
        "confidence_level": 0.95, "alternative": "two-sided", "estimand": "", "method": method,
        "draws": estimate + half / 2 * rng.standard_normal(200), **fields,
    }  # fmt: skip
    return ConfidenceInterval(
        metric=metric, estimate=estimate, low=estimate - half, high=estimate + half, **given
    )


def several(metric=METRIC, scale=1.0):
    return {
        "bootstrap bias correction of the search (BBC)": interval(metric, scale * 0.9),
        "ShrunkenBBC": interval(metric, scale * 0.88, 0.05),
        "the conservative Z interval": interval(metric, scale * 0.85, 0.1, alternative="greater"),
    }


def marks(scale=1.0):
    values = {"best_score": 0.94, "held_out_score": 0.89, "pooled_score": 0.93}
    return {name: scale * value for name, value in values.items()}


def tied(n_families=3, each=6, metric=METRIC, sign=1):
    n = n_families * each
    scores = sign * np.linspace(0.9, 0.6, n)[:: 1 if sign > 0 else -1]
    scores = np.sort(scores)[::-1].copy()
    scores[-1] -= 4
    return TiedSet(
        members=range(n // 2), best=0, scores=scores, p_values=np.linspace(1, 0, n),
        difference=np.zeros(n), low=np.zeros(n), high=np.zeros(n),
        won=np.array([0.4, 0.3, 0.1, *np.full(n - 3, 0.2 / (n - 3))]), confidence_level=0.95,
        method="softmin", metric=metric, simplest=2,
        params=[{LONG: k % each, "model": f"RegressionModel{k // each}()"} for k in range(n)],
        families=[f"model=HistGradientBoostingClassifier(kind={k // each})" for k in range(n)],
    )  # fmt: skip


def systems(n=14):
    rng = np.random.default_rng(0)
    names = [f"a-language-model-with-a-long-name / prompt {k}" for k in range(n)]
    return best_of(
        (rng.normal(size=(60, n)) + np.linspace(0, 1, n)) * 1000, names=names, n_bootstraps=200,
        random_state=0,
    )  # fmt: skip


def difference(**fields):
    given = {
        "difference": 0.03, "low": 0.01, "high": 0.05, "statistic": 2.9, "p_value": 0.004,
        "confidence_level": 0.95, "alternative": "two-sided", "method": "bbc_difference",
        "metric": METRIC, "estimand": "", "names": ("the winner of the search", "logistic model"),
        "label": "BBC difference, each selection repeated", **fields,
    }  # fmt: skip
    return ComparisonResult(**given)


@cache
def ranked(n=6, control=None):
    names = ["histogram-based gradient boosting", "logistic regression with elastic net", "tree",
             "linear discriminant analysis", "naive Bayes", "k nearest neighbours"]  # fmt: skip
    scores = np.random.default_rng(0).normal(size=(12, n)) + 0.6 * np.arange(n)
    method = Nemenyi() if control is None else BonferroniDunn(control=control)
    return method.compare(scores, names=names[:n])


@cache
def curve():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    return learning_curve_intervals(
        Ridge(), X, X.sum(axis=1) + rng.normal(size=90), scoring="neg_root_mean_squared_error",
        n_repeats=2, random_state=0,
    )  # fmt: skip


def tried(n_configs=2000, metric=METRIC, sign=1):
    rng = np.random.default_rng(0)
    sizes = np.unique(np.round(np.geomspace(1, n_configs, 10)).astype(int))
    gain = 0.05 * np.log1p(sizes)[:, None]
    noise = 0.02 * rng.normal(size=(len(sizes), 30))
    base = 0.5 if sign > 0 else -4000
    return OptimismCurve(
        sizes=sizes,
        best=base + gain + noise,
        corrected=base + gain / 3 + noise,
        metric=metric,
        n_bootstraps=500,
    )


def stability(n=60):
    risks = np.linspace(0.001, 0.999, n)
    return StabilityResult(
        sample=np.arange(n), predicted=risks, difference=risks * (1 - risks) / 2,
        low=risks**2, high=np.sqrt(risks), mean_difference=0.083, label="risk", metric=METRIC,
        n_bootstraps=2000,
    )  # fmt: skip


def planned(metric=METRIC, target=0.05, largest=2000, excludes=None, **details):
    sizes = np.round(np.geomspace(60, largest, 8)).astype(int)
    widths = 2 / np.sqrt(sizes)[:, None] * np.random.default_rng(0).uniform(0.7, 1.3, (8, 30))
    return SampleSizeResult(
        n_samples=1600, value=target, sizes=sizes, widths=widths, at_hand=0.26, n_at_hand=60,
        target=target, metric=metric, method="bbc", confidence_level=0.95,
        excludes=None if excludes is None else widths < np.quantile(widths, excludes),
        details={"noun": "item", "notes": [], "difference": 0.1, **details},
    )  # fmt: skip


def survival_curve():
    rng = np.random.default_rng(0)
    signal, end = rng.normal(size=90), 20_000 * rng.exponential(size=90)
    time = 10_000 * rng.exponential(np.exp(-signal))
    risk = np.exp(signal + rng.normal(size=90))
    oof = OOFPredictions(
        y_true=np.column_stack([time <= end, np.minimum(time, end)]),
        y_pred=np.exp(-12345.6 / 10_000 * risk)[:, None],
    )
    scorer = neg_survival_brier_score(12345.6)
    return corrected_curve(oof, scorer, "calibration", method=BBC(n_bootstraps=50, random_state=0))


def forest(n_rows=4):
    rows = {
        f"hospital in {city}, 2019 to 2023": several_metrics(0.8 + 0.02 * k)
        for k, city in enumerate(["Heraklion", "Thessaloniki", "Athens", "Patras"][:n_rows])
    }
    best = {
        label: {r.metric: r.estimate + 0.05 * abs(r.estimate) for r in row}
        for label, row in rows.items()
    }
    return ForestDisplay.from_results(rows, best_scores=best)


def several_metrics(score):
    return [
        interval("roc_auc", score),
        interval("neg_root_mean_squared_error", -4000 * score, 300),
    ]


def study(n_methods=5):
    rng = np.random.default_rng(0)
    rows = [
        {
            "method": f"{name} of the winner",
            "coverage": min(1, rng.normal(mean, 0.03)),
            "runs": 200,
        }
        for name, mean in [
            ("BBC", 0.97),
            ("ShrunkenBBC", 0.96),
            ("10-fold DeLong interval", 0.8),
            ("BBC-F", 0.95),
            ("naive bootstrap", 0.6),
        ][:n_methods]
        for _ in range(30)
    ]
    rows[3]["coverage"] = np.nan
    return pd.DataFrame(rows)


def table(n=6):
    names = ranked(n).names
    scores = np.random.default_rng(0).normal(size=(20, n)) + 0.4 * np.arange(n)
    return pd.DataFrame(scores, columns=names)


def sequential(n_systems):
    rng = np.random.default_rng(0)
    right = rng.random((120, n_systems)) < np.linspace(0.3, 0.9, n_systems)
    names = [f"{LONG}={k}" for k in range(n_systems)]
    run = SequentialBestOf(names).update(pd.DataFrame(right, columns=names), order="random")
    return run.evidence


CASES = {
    "curve": lambda: CurveDisplay.from_results(
        corrected_curve(
            example_predictions(), "roc_auc", "net_benefit", method=BBC(n_bootstraps=50)
        )
    ),
    "sample_size": lambda: SampleSizeDisplay.from_results(planned()),
    "sample_size_far": lambda: SampleSizeDisplay.from_results(
        planned("neg_root_mean_squared_error", 0.001, largest=600_000)
    ),
    "sample_size_power": lambda: SampleSizeDisplay.from_results(
        planned(target=0.8, largest=90, excludes=0.7)
    ),
    "curve_survival": lambda: CurveDisplay.from_results(survival_curve()),
    "stability": lambda: StabilityDisplay.from_results(stability()),
    "optimism": lambda: OptimismDisplay.from_results(tried()),
    "optimism_few": lambda: OptimismDisplay.from_results(
        tried(14, "neg_root_mean_squared_error", -1)
    ),
    "optimism_one": lambda: OptimismDisplay.from_results(tried(1)),
    "selection_frequency": lambda: SelectionFrequencyDisplay.from_results(tied()),
    "selection_frequency_numbers": lambda: SelectionFrequencyDisplay(
        shares={7: 0.62, 1: 0.3, 0: 0.08}, winner=1, metric=METRIC
    ),
    "forest": forest,
    "forest_one_metric": lambda: ForestDisplay.from_results(several()),
    "coverage": lambda: CoverageDisplay.from_results(study()),
    "coverage_runs_unknown": lambda: CoverageDisplay.from_results(
        study(2).drop(columns="runs"), level=0.9
    ),
    "boxes": lambda: BoxesDisplay.from_results(table(), metric=METRIC),
    "boxes_loss": lambda: BoxesDisplay.from_results(
        table(3) ** 2, metric="log_loss", greater_is_better=False
    ),
    "ranks": lambda: BoxesDisplay.from_results(table(), metric=METRIC, ranks=True),
    "intervals": lambda: IntervalsDisplay.from_results(several(), **marks()),
    "intervals_loss": lambda: IntervalsDisplay.from_results(
        several("neg_root_mean_squared_error", -4000.0), **marks(-4000.0)
    ),
    "intervals_large": lambda: IntervalsDisplay.from_results(
        several("neg_mean_squared_error", -3.2e7), **marks(-3.2e7)
    ),
    "intervals_many": lambda: IntervalsDisplay.from_results(
        {f"{LONG}={k}": interval() for k in range(7)}
    ),
    "draws": lambda: DrawsDisplay.from_results(several(), **marks()),
    "draws_one": lambda: DrawsDisplay.from_results(interval("neg_log_loss", -0.4)),
    "tied_set": lambda: TiedSetDisplay.from_results(tied()),
    "tied_set_loss": lambda: TiedSetDisplay.from_results(
        tied(2, 5, "neg_mean_absolute_percentage_error", -1)
    ),
    "differences": lambda: DifferencesDisplay.from_results(
        [difference(), difference(names=("forest", "tree"), p_value=0.2, low=-0.1)], rope=0.01
    ),
    "critical_difference": lambda: CriticalDifferenceDisplay.from_results(ranked()),
    "critical_difference_control": lambda: CriticalDifferenceDisplay.from_results(ranked(5, 2)),
    "learning_curve": lambda: LearningCurveDisplay.from_results(curve()),
    "sequential": lambda: SequentialDisplay.from_results(sequential(12)),
    "sequential_two": lambda: SequentialDisplay.from_results(sequential(2), alpha=0.2),
    "systems": lambda: SystemsDisplay.from_results(systems()),
}
"""Name -> function that makes a picture."""
