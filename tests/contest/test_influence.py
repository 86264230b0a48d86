"""Influence values: their mean is the score, and they are its derivatives by weights."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, make_scorer

from sklearn_bbc import BBC, OOFPredictions, ScoreMoments
from sklearn_bbc.contest._influence import RowValues
from sklearn_bbc.contest._score_moments import moments_of
from sklearn_bbc.metrics import as_metric, within_folds

N = 60
KAPPA, WEIGHTED_KAPPA = (make_scorer(cohen_kappa_score, weights=w) for w in (None, "quadratic"))
OF_LABELS = (
    "balanced_accuracy", "f1_macro", "f1_micro", "f1_weighted", "precision_macro", "recall_macro",
    "jaccard_macro", "matthews_corrcoef", KAPPA, WEIGHTED_KAPPA,
)  # fmt: skip
OF_TWO = ("f1", "precision", "recall", "jaccard", "balanced_accuracy", "matthews_corrcoef", KAPPA)
OF_NUMBERS = (
    "neg_root_mean_squared_error", "neg_root_mean_squared_log_error", "r2", "explained_variance",
)  # fmt: skip


def labels(n_classes, n=N):
    rng = np.random.default_rng(0)
    y = rng.integers(n_classes, size=n)
    return y, np.where(rng.random((n, 4)) < 0.6, y[:, None], rng.integers(n_classes, size=(n, 4)))


def numbers(n=N):
    rng = np.random.default_rng(1)
    y = rng.normal(size=n) + 6
    return y, np.abs(y[:, None] + 0.3 * rng.normal(size=(n, 4)) + 0.1)


def times(n=N):
    rng = np.random.default_rng(2)
    end = np.round(rng.exponential(size=n), 1)  # with ties
    y = np.column_stack([rng.random(n) < 0.6, end])
    return y, np.round(rng.normal(size=(n, 4)) - end[:, None], 1)


CASES = [
    *((scoring, labels(3)) for scoring in OF_LABELS),
    *((scoring, labels(2)) for scoring in OF_TWO),
    *((scoring, numbers()) for scoring in OF_NUMBERS),
    ("concordance_index", times()),
]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("scoring", "data"), CASES)
@pytest.mark.parametrize("weighted", [False, True])
def test_values_are_the_score_and_its_derivatives(scoring, data, weighted):
    y, pred = data
    weight = np.random.default_rng(3).random(N) + 0.2 if weighted else np.ones(N)
    oof = OOFPredictions(y_true=y, y_pred=pred, sample_weight=weight if weighted else None)
    kernel = as_metric(scoring).bind(oof)
    values = RowValues(kernel, np.arange(4), 7)()
    scores = kernel.on_data()
    np.testing.assert_allclose(values @ weight / weight.sum(), scores, rtol=0, atol=1e-14)
    step, derivatives = 1e-4, np.empty(values.shape)
    for sample in range(N):
        times_of = np.ones((4, N))
        times_of[:, sample] += np.array([1, -1, 2, -2]) * step
        up, down, up2, down2 = kernel.scores(times_of)
        of_one = (8 * (up - down) - (up2 - down2)) / (12 * step)
        derivatives[:, sample] = of_one * weight.sum() / weight[sample]
    size = np.abs(derivatives).max()
    np.testing.assert_allclose(values - scores[:, None], derivatives, rtol=0, atol=1e-8 * size)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("scoring", "data"), CASES)
@pytest.mark.parametrize("shape", ["plain", "groups and weights", "repeats"])
def test_moments_have_the_score_and_nearly_the_variance_of_the_jackknife(scoring, data, shape):
    y, pred = data
    given = {}
    if shape == "groups and weights":
        given = {"groups": np.arange(N) // 2, "sample_weight": np.arange(N) % 3 + 1.0}
    elif shape == "repeats":
        fold = np.arange(N) % 3
        pred = np.stack([pred, pred[:, [1, 2, 3, 0]]])
        given = {"fold": np.stack([fold, fold[::-1]])}
    kernel = as_metric(scoring).bind(OOFPredictions(y_true=y, y_pred=pred, **given))
    moments = moments_of(kernel, np.arange(4))
    np.testing.assert_allclose(moments.means, kernel.on_data(), rtol=1e-12)
    units = np.arange(N) // (2 if "groups" in given else 1)
    n_units = units[-1] + 1
    without = kernel.scores((units != np.arange(n_units)[:, None]).astype(np.uint8))
    pseudo = (n_units - 1) * (without.mean(axis=0) - without)
    ratio = moments.variances / (pseudo**2).mean(axis=0)
    assert ((ratio > 0.7) & (ratio < 1.1)).all()


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("scoring", "data"), [*CASES, ("roc_auc", labels(2))])
@pytest.mark.parametrize("size", [1, 17, N])
def test_parts_of_predictions_give_the_moments_of_all(scoring, data, size):
    y, pred = data
    given = {"groups": np.arange(N) // 2, "sample_weight": np.arange(N) % 3 + 1.0}
    parts = [
        {"y_true": y[k : k + size], "y_pred": pred[k : k + size],
         **{name: each[k : k + size] for name, each in given.items()}}
        for k in range(0, N, size)
    ]  # fmt: skip
    classes = {"classes": np.unique(y)} if y.dtype.kind in "iu" else {}
    wanted = moments_of(
        as_metric(scoring).bind(OOFPredictions(y_true=y, y_pred=pred, **given)), np.arange(4)
    )
    for chunks in (parts, lambda: iter(parts)):
        found = ScoreMoments.from_predictions(chunks, scoring, **classes)
        np.testing.assert_allclose(found.means, wanted.means, rtol=1e-12)
        np.testing.assert_allclose(found.covariance, wanted.covariance, rtol=1e-7, atol=1e-12)
        assert found.n_units == N // 2


def test_labels_that_come_late_are_met():
    y, pred = np.array(["a", "b", "c"])[np.sort(labels(3)[0])], None
    pred = np.where(np.random.default_rng(4).random((N, 2)) < 0.7, y[:, None], "a")
    parts = [{"y_true": y[k : k + 5], "y_pred": pred[k : k + 5]} for k in range(0, N, 5)]
    found = ScoreMoments.from_predictions(parts, "f1_macro")
    kernel = as_metric("f1_macro").bind(OOFPredictions(y_true=y, y_pred=pred))
    np.testing.assert_allclose(found.means, kernel.on_data(), rtol=1e-12)


@pytest.mark.long
def test_sums_of_what_is_no_mean_are_about_these_samples(tmp_path):
    y, pred = labels(2, 1200)
    made = ScoreMoments.from_predictions({"y_true": y, "y_pred": pred}, "f1")
    moments = ScoreMoments.load(made.save(tmp_path / "f1"))
    for add in (
        lambda: moments + moments, lambda: ScoreMoments(4).merge(moments),
        lambda: moments.update(pred),
    ):  # fmt: skip
        with pytest.raises(
            ValueError, match="f1 is no mean over samples, so nothing can be added"
        ):
            add()
    oof = OOFPredictions(y_true=y, y_pred=pred)
    settings = {"n_bootstraps": 20_000, "random_state": 0}
    rows, normal = (
        BBC(draws=draws, **settings).estimate(oof, "f1") for draws in ("samples", "normal")
    )
    sums = BBC(**settings).estimate(moments)
    assert tuple(normal) == pytest.approx(tuple(sums), abs=1e-6)
    apart = np.subtract([rows.estimate, *rows], [sums.estimate, *sums]) / rows.width
    assert np.abs(apart).max() < 0.04
    assert "the f1 is" in str(sums).lower().replace("f1 score", "f1")


@pytest.mark.parametrize(
    ("scoring", "chunks", "message"),
    [
        ("f1", iter([{"y_true": [0, 1], "y_pred": [[0], [1]]}]), "its parts are looked at twice"),
        ("average_precision", [{"y_true": [0, 1], "y_pred": [[0.1], [0.2]]}], "cannot be added"),
        (within_folds("r2"), [{"y_true": [0, 1.5], "y_pred": [[0.1], [0.2]], "fold": [0, 1]}],
         "cannot be added up"),
        ("r2", [{"y_true": [1.5, 1.5], "y_pred": [[0.1], [0.2]]}], "the same everywhere"),
        ("roc_auc", [{"y_true": [0, 1], "y_pred": [[0.1], [0.2]]},
                     {"y_true": [0, 1], "y_pred": [[0.1], [0.2]], "groups": [0, 1]}],
         "Give the same arguments of each"),
        ("f1_macro", [{"y_true": np.arange(42) // 2, "y_pred": np.arange(42)[:, None] // 2}],
         "cannot be added up"),
        ("r2", [{"y_true": np.ones((4, 2)) * [[0], [1], [2], [3]],
                 "y_pred": np.zeros((4, 1, 2))}], "cannot be added up"),
    ],
)  # fmt: skip
def test_what_has_no_influence_values_is_told(scoring, chunks, message):
    with pytest.raises(ValueError, match=message):
        ScoreMoments.from_predictions(chunks, scoring)
