"""The simulations have the truths that they say they have, and methods hold them or not."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, log_loss, roc_auc_score

from benchmarks.data import learning
from benchmarks.studies import groups, judged, rare, single, systems, thesis, training
from benchmarks.studies import methods as _methods
from sklearn_bbc.intervals import ConservativeZ, DirectBootstrap, registered

SEED = np.random.SeedSequence(3)


@pytest.fixture
def captured(monkeypatch):
    """What a study hands to the methods, instead of the intervals."""
    for module in (single, training):
        monkeypatch.setattr(module, "intervals", lambda oof, metric: {metric: oof})


@pytest.fixture
def small_population(monkeypatch):
    monkeypatch.setattr(learning, "POPULATION", 3000)
    learning.population.cache_clear()
    yield
    learning.population.cache_clear()


def test_every_method_on_predictions_takes_part():
    used = {type(m) for ms in (_methods.ANY_METRIC, *_methods.ONLY.values()) for m in ms.values()}
    missing = {
        name
        for name, cls in registered().items()
        if cls not in used and cls.__module__.startswith("sklearn_bbc.")
    }
    assert missing == {"tibshirani"}, "it has no interval"
    assert set(_methods.SHORT) | _methods.LESS_COMMON <= set(_methods.ANY_METRIC)
    assert ("roc_auc", "MABT") not in _methods.pairs(("roc_auc",), _methods.LESS_COMMON)


def test_scores_of_single_have_their_truth(captured):
    setting = single.Single(0.9, 40000)
    parts = {part.name: part for part in single.draw(setting, SEED, 0)}
    assert tuple(parts) == single.METRICS
    oof = parts["roc_auc"].intervals["roc_auc"]
    y = np.asarray(oof.y_true)
    auc = roc_auc_score(y, oof.matrix("roc_auc")[:, 0])
    assert auc == pytest.approx(0.9, abs=0.006)
    assert parts["roc_auc"].truths == {"truth": 0.9}
    decisions = parts["f1"].intervals["f1"].matrix("f1")[:, 0]
    for metric in ("accuracy", "f1"):
        assert parts[metric].truths["truth"] == setting.accuracy
    assert f1_score(y, decisions) == pytest.approx(setting.accuracy, abs=0.01)
    assert (y == decisions).mean() == pytest.approx(setting.accuracy, abs=0.006)
    proba = parts["neg_log_loss"].intervals["neg_log_loss"].matrix("neg_log_loss")[:, 0]
    truth = parts["neg_log_loss"].truths["truth"]
    assert truth == setting.log_loss == pytest.approx(-log_loss(y, proba), abs=0.02)
    right = np.log(proba[y == 1]).mean(), np.log1p(-proba[y == 0]).mean()
    assert right[0] < 3 * right[1], "the classes differ, so their shares matter"
    assert np.ptp(np.bincount(oof.fold, weights=y)) <= 1, "folds are stratified"


@pytest.mark.parametrize("curved", [False, True])
def test_labels_follow_the_logistic_model(curved):
    process = learning.Process(6, 2.0, curved, correlation=0.5)
    X, y = process.sample(40000, np.random.default_rng(0))
    assert np.corrcoef(X[:, 0], X[:, 1])[0, 1] == pytest.approx(0.5, abs=0.02)
    assert np.corrcoef(X[:, 0], X[:, 2])[0, 1] == pytest.approx(0.25, abs=0.02)
    assert X.std(axis=0) == pytest.approx(np.ones(6), abs=0.02)
    assert y.mean() == pytest.approx(0.5, abs=0.05)
    scores = LogisticRegression().fit(X, y).decision_function(X)
    if curved:
        assert scores.std() < 1.5, "a linear learner sees half of the signal"
    else:
        assert scores.std() == pytest.approx(2.0, abs=0.1)


def test_exact_auc_by_double_integration():
    process = learning.Process(5, 1.5, False, correlation=0.0)
    weights = np.array([0.3, -1.0, 0.2, 0.1, 0.4])
    rho = weights @ learning.WEIGHTS / np.linalg.norm(weights)

    def density(other, one):  # logits of a positive and of a negative sample
        ahead = norm.cdf(rho * (one - other) / np.sqrt(2 * (1 - rho**2)))
        return expit(1.5 * one) * expit(-1.5 * other) * ahead * norm.pdf(one) * norm.pdf(other)

    grid, step = np.linspace(-8, 8, 801, retstep=True)  # exact enough: it vanishes at the ends
    expected = step**2 * density(*np.meshgrid(grid, grid)).sum() / 0.25
    assert process.auc(weights) == pytest.approx(expected, abs=1e-7)


def test_exact_auc_of_the_ends():
    process = learning.Process(5, 1.0, False, correlation=0.0)
    assert process.auc(np.zeros(5)) == 0.5
    # The score is the logit: two samples are drawn, and half of the pairs have one of each class.
    best = process.auc(learning.WEIGHTS)
    assert best == pytest.approx(process.auc(7 * learning.WEIGHTS)) and 0.73 < best < 0.75
    with pytest.raises(ValueError, match="linear"):
        learning.Process(5, 1.0, True).auc(np.ones(5))


def test_truths_are_those_of_the_models(captured, small_population):
    setting = training.Training("logistic regression", 100)
    parts = list(training.draw(setting, SEED, 5))
    again = list(training.draw(setting, SEED, 5))
    assert [part.truths for part in parts] == [part.truths for part in again]
    oof = parts[0].intervals["roc_auc"]
    assert (oof.n_samples, oof.n_splits) == (100, 5)
    truths = parts[0].truths
    assert 0.7 < truths["truth fold models"] < truths["truth final model"] < 0.9
    # Trained on what the folds leave, scored on the same population.
    X, y = training.PROCESS.sample(100, np.random.Generator(np.random.PCG64(SEED)))
    fresh = LogisticRegression(max_iter=500).fit(X, y)
    expected = learning.true_scores(fresh, *learning.population(training.PROCESS, 5))
    assert truths["truth final model"] == pytest.approx(expected["roc_auc"])
    assert parts[1].truths["truth final model"] == pytest.approx(expected["accuracy"])


@pytest.mark.parametrize("name", list(training.SETTINGS))
def test_methods_that_train_take_part_where_models_are_quick(name, small_population, monkeypatch):
    setting = training.SETTINGS[name]
    announced = set(training.TRAINING.parts(setting))
    methods = {method for _, method in announced}
    everything = set(training.REFITTING)
    expected = {
        "logistic-regression_N100": everything - {training.STRATIFIED},
        "LDA_N80_rare": everything,
    }
    assert everything & methods == expected.get(name, set())
    assert ("roc_auc", training.BATES) not in announced
    if not setting.refits:
        return
    few = {
        "conservative-Z": ConservativeZ(n_outer=2, n_inner=3),
        training.STRATIFIED: ConservativeZ(n_outer=2, n_inner=3, stratify=True),
        "direct bootstrap": DirectBootstrap(n_bootstraps=20),
    }
    monkeypatch.setattr(training, "REFITTING", {**training.REFITTING, **few})
    for part in training.draw(setting, SEED, 0):
        for method in training.REFITTING:
            assert (method in part.intervals) == ((part.name, method) in announced)
            if method in part.intervals and method != training.BATES:
                result = part.intervals[method](500, 3)
                assert result.low <= result.estimate <= result.high
                # Stratified outer folds of a classifier that is nearly constant.
                assert result.low < result.high or result.details["degenerate"]
                assert result.low == part.intervals[method](500, 3).low


def test_the_learner_is_the_mean_of_its_models():
    found = pd.DataFrame(
        {
            "setting": list("aaaab"), "part": "x", "repetition": [0, 0, 1, 1, 0],
            "method": list("mnmnm"), "truth fold models": [0.6, 0.6, 0.8, 0.8, 0.5],
        }
    )  # fmt: skip
    found = training.with_learner(found)
    assert list(found["truth learner"]) == pytest.approx([0.7, 0.7, 0.7, 0.7, 0.5])


def test_the_thesis_stands_beside_ours(shared):
    ours = pd.DataFrame(
        {"N": [100, 100, 500], "part": ["roc_auc", "accuracy", "roc_auc"],
         "method": ["DeLong", "DeLong", "hierarchical, studentised"], "runs": 20}
    )  # fmt: skip
    with_theirs = thesis.beside(ours, shared / "reference")
    table, alone = with_theirs[:3], with_theirs[3:]
    pd.testing.assert_frame_equal(table[list(ours)], ours)
    assert list(alone["N"]) == [100, 500]
    assert set(alone["method"]) == {"GLMM-UG (published only)"}
    assert set(alone["runs"]) == {0}
    assert list(alone["thesis_coverage"]) == pytest.approx([0.981, 0.959])
    assert list(alone["thesis_width"]) == pytest.approx([0.607, 0.312])
    of_100 = thesis.beside(ours[:1], shared / "reference")
    assert list(of_100["N"]) == [100, 100], "of a size that did not run nothing is shown"
    of_accuracy = thesis.beside(ours[1:2], shared / "reference")
    assert len(of_accuracy) == 1, "published numbers are of the AUC"
    assert list(table["thesis"].fillna("")) == ["Baseline", "", "Boot-hier-stud"]
    assert table["thesis_coverage"][0] == pytest.approx(0.775)
    assert table["thesis_width"][2] == pytest.approx(0.127)
    pd.testing.assert_frame_equal(thesis.beside(ours, shared / "nowhere"), ours)
    assert set(thesis.PUBLISHED.values()) <= set(_methods.methods_for("roc_auc"))
    assert len(thesis.SETTINGS) == 12 * 3 * 2


def test_groups_have_their_correlation_and_truth():
    setting = groups.Groups(0.6, 4000)
    group = np.repeat(np.arange(4000), groups.GROUP_SIZE)
    rng = np.random.default_rng(0)
    scores = setting.scores(np.array([0.8, 0.7]), group, rng)
    for column, auc in zip(scores.T, (0.8, 0.7), strict=True):
        assert roc_auc_score(group % 2, column) == pytest.approx(auc, abs=0.015)
    centred = scores - np.array([scores[group % 2 == k].mean(axis=0) for k in (0, 1)])[group % 2]
    assert centred.var(axis=0) == pytest.approx(np.ones(2), abs=0.05)
    grid = centred.reshape(4000, groups.GROUP_SIZE, 2)
    assert (grid[:, 0] * grid[:, 1]).mean(axis=0) == pytest.approx([0.6, 0.6], abs=0.05)
    assert (grid[:, 0, 0] * grid[:, 1, 1]).mean() == pytest.approx(0.3, abs=0.05)


def test_the_winner_has_the_best_mean_over_the_folds_of_all_repeats():
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 20)
    scores = rng.normal(size=(2, 40, 3))
    scores[1, :, 2] += 5 * y  # best, but only in the second repeat
    fold = np.stack([np.arange(40) // 8, 5 + np.arange(40) // 8])
    assert groups.best_of_folds(y, scores, fold) == 2
    first = [
        np.mean([roc_auc_score(y[fold[0] == k], column[fold[0] == k]) for k in range(5)])
        for column in scores[0].T
    ]
    assert groups.best_of_folds(y, scores[0], fold[0]) == np.argmax(first)


@pytest.fixture
def few_repeats(monkeypatch):
    monkeypatch.setattr(groups, "N_REPEATS", 2)
    monkeypatch.setattr(groups, "PARTITIONS", {"one": 1, "two": 2})


@pytest.mark.usefixtures("small_population", "few_repeats")
@pytest.mark.parametrize(
    ("study", "setting"),
    [
        (groups.GROUPS, groups.Groups(0.2, 20)),
        (groups.GROUPS, groups.Repeats(60)),
        (judged.JUDGED, judged.Judged("groups", "fair", 3, 150)),
        (rare.RARE, rare.SETTINGS["share0.05_N50"]),
        (systems.SYSTEMS, systems.SYSTEMS.settings["normal_30_3_0_none-ahead"]),
        (thesis.THESIS, thesis.SETTINGS["1_logistic-regression_N100"]),
    ],
)
def test_every_part_is_announced_and_has_its_truth(study, setting):
    parts = list(study.draw(setting, SEED, 0))
    drawn = [(part.name, method) for part in parts for method in part.intervals]
    assert set(study.parts(setting)) <= set(drawn), "what is drawn besides is not run"
    for part in parts:
        assert part.truths.keys() == set(study.truths)
        assert all(np.isfinite(truth) and truth < 1 for truth in part.truths.values())
        method, interval = next(iter(part.intervals.items()))
        assert np.isfinite(interval(20, 0).estimate), method
