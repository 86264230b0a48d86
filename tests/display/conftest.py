"""Results to draw, without a search: a display must not need more than values."""

from types import SimpleNamespace

import numpy as np
import pytest

from sklearn_bbc import ConfidenceInterval

plt = pytest.importorskip("matplotlib.pyplot", reason="pictures need the extra 'plot'")


def interval(method="bbc", estimate=0.9, low=0.84, high=0.95, **fields):
    """A result with draws around its estimate."""
    rng = np.random.default_rng(0)
    fields = {
        "confidence_level": 0.95,
        "alternative": "two-sided",
        "metric": "roc_auc",
        "estimand": "performance of the winner",
        "draws": estimate + 0.02 * rng.standard_normal(200),
        **fields,
    }
    return ConfidenceInterval(method=method, estimate=estimate, low=low, high=high, **fields)


@pytest.fixture
def make_interval():
    return interval


@pytest.fixture
def results():
    return {"BBC": interval(), "BBC-F": interval("bbcf", 0.89, 0.8, 0.96, alternative="greater")}


@pytest.fixture
def search():
    """The public attributes of a fitted search with two metrics; roc_auc selects."""
    return SimpleNamespace(
        refit="roc_auc",
        best_index_=1,
        cv_results_={
            "mean_test_accuracy": np.array([0.8, 0.7]),
            "mean_test_roc_auc": np.array([0.91, 0.93]),
        },
        ci_results_={
            "accuracy": {"bbc": interval(metric="accuracy", estimate=0.75, details={"winner": 0})},
            "roc_auc": {"bbc": interval(), "bbcf": interval("bbcf")},
        },
    )


@pytest.fixture(autouse=True)
def no_figure_is_left_open():
    yield
    plt.close("all")
