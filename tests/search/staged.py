"""A stage on small predictions."""

import numpy as np

from sklearn_bbc import ConfidenceInterval, OOFPredictions
from sklearn_bbc.intervals import BBC, BaseInterval
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.search._stage import SearchState

RNG = np.random.default_rng(0)
Y = np.tile([0, 1], 30)
OOF = OOFPredictions(
    y_true=Y,
    responses={"predict": (RNG.random((4, 60)) < 0.3) ^ Y},
    fold=np.arange(60) // 10,
    sample_weight=RNG.uniform(1, 2, 60),
    failed=[True, False, False, False],
    selected=1,
)


def stage(**fields):
    given = {
        "oof": OOF,
        "metrics": {"accuracy": as_metric("accuracy"), "f1": as_metric("f1")},
        "mean_scores": {"accuracy": np.array([0.9, 0.5, 0.7, 0.7]), "f1": np.full(4, np.nan)},
        "unweighted": {"f1"},
        "primary": "accuracy",
        "seed": 3,
        "n_jobs": 2,
    }
    return SearchState(**{**given, **fields})


class Scripted(BaseInterval):
    """Fails, or gives a number that no other method gives."""

    estimand = "nothing"

    def __init__(self, *, fails=False, confidence_level=0.95, alternative="two-sided"):
        self.fails = fails
        self.confidence_level = confidence_level
        self.alternative = alternative

    def _estimate(self, oof, kernel):
        if self.fails:
            raise ValueError("it is broken")
        return self._from_draws(np.array([0.125, 0.125]), kernel.metric)


FOLDS = {name: RNG.random((6, 4)) for name in ("accuracy", "f1")}
BY_FOLDS = OOF._with_fields(responses={}, fold_scores=FOLDS, failed=np.zeros(4, bool))


def result(name="bbc", metric="accuracy", estimate=0.6, **details):
    return ConfidenceInterval(
        estimate=estimate, low=0.5, high=0.7, confidence_level=0.95, alternative="two-sided",
        method=name, metric=metric, estimand="", details=details,
    )  # fmt: skip


def notes_of(one, metric="accuracy", winner=2, method=BBC(), **details):  # noqa: B008
    found = one._with_best_index(result(metric=metric, winner=winner, **details), method)
    return found.details.get("best_index"), found.details.get("notes", [])
