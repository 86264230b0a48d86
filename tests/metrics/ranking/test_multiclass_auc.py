"""The kernels of the area under the ROC curve of several classes or labels."""

import warnings

import numpy as np
import pytest
from sklearn.metrics import make_scorer, roc_auc_score

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals import BBC
from sklearn_bbc.metrics import as_metric
from tests.made import made
from tests.metrics.ranking.ranked import FEW, MANY, draw_counts

pytestmark = pytest.mark.usefixtures("kernels")

NAMES = ["roc_auc_ovr", "roc_auc_ovo", "roc_auc_ovr_weighted", "roc_auc_ovo_weighted"]


def make_data(seed, n_samples=40, n_configs=5, levels=None, n_classes=3, skill=(0, 2)):
    """Labels and probabilities; few `levels` make many ties."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=n_samples - n_classes)])
    scores = rng.normal(size=(n_samples, n_configs, n_classes))
    scores[np.arange(n_samples), :, y] += rng.uniform(*skill, n_configs)
    if levels is not None:
        scores = np.round(scores * levels) / levels
    likelihood = np.exp(scores)
    return y, likelihood / likelihood.sum(axis=2, keepdims=True)


def bind(y, scores, scoring, **kwargs):
    return as_metric(scoring).bind(made(y_true=y, y_pred=scores, **kwargs))


def scorer_of(**kwargs):
    return make_scorer(roc_auc_score, response_method="predict_proba", **kwargs)


@pytest.mark.parametrize("average", ["macro", "weighted", "micro"])
@pytest.mark.parametrize("levels", [None, 1])
def test_one_against_the_rest_on_any_weights(average, levels):
    y, scores = make_data(1, levels=levels)
    rng = np.random.default_rng(2)
    weights = 10 ** rng.uniform(-5, 5, size=(MANY, 40))
    scorer = scorer_of(multi_class="ovr", average=average)
    found = bind(y, scores, scorer).scores(weights)
    by_sample_weight = bind(y, scores, scorer, sample_weight=weights[0]).scores(np.ones((1, 40)))
    np.testing.assert_array_equal(by_sample_weight[0], found[0])
    for draw in range(FEW):
        for config in (0, 4):
            value = roc_auc_score(
                y,
                scores[:, config],
                multi_class="ovr",
                average=average,
                sample_weight=weights[draw],
            )
            assert found[draw, config] == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_first_of_equal_configurations_wins(name):
    y, scores = make_data(7)
    # Steps of 1/8 have exact sums, so that halves of the difference still rank alike.
    scores = np.round(scores * 8) / 8
    scores[:, :, 0] = 1 - scores[:, :, 1] - scores[:, :, 2]
    nearer = (scores[:, :1] + 1) / 4
    alike = np.concatenate([nearer, scores[:, :1], scores[:, 1:2]], axis=1)
    assert np.allclose(alike.sum(axis=2), 1)
    kernel = bind(y, alike, name)
    counts = draw_counts(np.random.default_rng(8), MANY, 40)
    np.testing.assert_array_equal(kernel.scores(counts)[:, 0], kernel.scores(counts)[:, 1])
    assert 1 not in kernel.winners(counts)


@pytest.mark.parametrize("name", NAMES)
def test_missing_class_is_undefined(name):
    y, scores = make_data(9)
    kernel = bind(y, scores, name)
    assert kernel.strata_names == ["class 0", "class 1", "class 2"]
    counts = draw_counts(np.random.default_rng(10), MANY, 40)
    broken = counts.copy()
    broken[4, y == 2] = 0
    for weights in (broken, broken[: FEW + 2]):
        found = kernel.scores(weights)
        assert np.isnan(found[4]).all()
        assert kernel.winners(weights)[4] == -1
        assert np.isnan(kernel.score_of(weights, 1)[4])
        np.testing.assert_array_equal(found[:4], kernel.scores(counts)[:4])


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("left", [(0, 1), (1, 2), (0, 1, 2), (2,)])
def test_given_labels_decide_what_a_missing_class_means(multi_class, average, left):
    y, scores = make_data(11)
    kwargs = {"multi_class": multi_class, "average": average, "labels": [0, 1, 2]}
    kernel = bind(y, scores, scorer_of(**kwargs))
    counts = draw_counts(np.random.default_rng(12), MANY, 40) * np.isin(y, left)
    rows = np.repeat(np.arange(40), counts[0])
    if left == (2,):
        value = np.nan
    elif multi_class == "ovr" and average == "macro" and len(left) < 3:
        value = np.nan
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a class is missing
            value = roc_auc_score(y[rows], scores[rows, 0], **kwargs)
    assert kernel.scores(counts)[0, 0] == pytest.approx(value, abs=1e-12, nan_ok=True)
    assert kernel.scores(counts[:1])[0, 0] == pytest.approx(value, abs=1e-12, nan_ok=True)
    assert (kernel.winners(counts)[0] == -1) == np.isnan(value)


def test_micro_average_needs_every_class_unless_labels_are_given():
    y, scores = make_data(13)
    counts = np.ones((1, 40), np.uint8) * (y > 0)
    rows = np.flatnonzero(y > 0)
    kwargs = {"multi_class": "ovr", "average": "micro"}
    assert np.isnan(bind(y, scores, scorer_of(**kwargs)).scores(counts)).all()
    kwargs["labels"] = [0, 1, 2]
    assert bind(y, scores, scorer_of(**kwargs)).scores(counts)[0, 0] == pytest.approx(
        roc_auc_score(y[rows], scores[rows, 0], **kwargs)
    )


def test_classes_must_be_compared_somehow():
    y, scores = make_data(14)
    with pytest.raises(ValueError, match=r"for two classes, but the target has 3.*'roc_auc_ovr'"):
        bind(y, scores, "roc_auc")


@pytest.mark.parametrize("scoring", [*NAMES, scorer_of(multi_class="ovr", average="micro")])
def test_scores_that_are_no_probabilities(scoring):
    y, scores = make_data(15)
    broken = scores.copy()
    # The same order of the samples as the first configuration, which stays defined.
    broken[:, 1:3] = 2 * scores[:, :1]
    kernel = bind(y, broken[:, [1, 0, 2, 3]], scoring)
    assert kernel.valid.tolist() == [False, True, False, True]
    counts = draw_counts(np.random.default_rng(16), MANY, 40)
    assert set(kernel.winners(counts)) == {1, 3}
    np.testing.assert_array_equal(
        kernel.winners(counts), np.nanargmax(kernel.scores(counts), axis=1)
    )
    sound = bind(y, scores, scoring).scores(counts)
    np.testing.assert_array_equal(kernel.scores(counts)[:, 1], sound[:, 0])
    assert np.isnan(kernel.scores(counts)[:, [0, 2]]).all()
    assert np.isnan(kernel.score_of(counts, 0)).all()
    # Repeats ask for all scores and choose the winner themselves.
    twice = OOFPredictions(
        y_true=y, y_pred=np.stack([broken, broken]), fold=np.arange(80).reshape(2, 40) % 40 // 8
    )
    assert set(as_metric(scoring).bind(twice).winners(counts)) <= {0, 3, 4}
    with pytest.raises(ValueError, match="no configuration's scores sum to 1"):
        bind(y, 2 * scores, scoring)


def test_text_labels():
    y, scores = make_data(17)
    labels = np.array(["a", "b", "c"])[y]
    kernel = bind(labels, scores, "roc_auc_ovo")
    assert kernel.strata_names == ["class a", "class b", "class c"]
    assert kernel.scores(np.ones((1, 40)))[0, 0] == pytest.approx(
        roc_auc_score(labels, scores[:, 0], multi_class="ovo")
    )


def test_a_class_with_one_sample_is_named():
    y, scores = make_data(18, 30)
    keep = np.concatenate([[0], np.flatnonzero(y > 0)])
    with pytest.raises(UndefinedIntervalError, match="roc_auc_ovr: class 0 has 1 sample,"):
        BBC(random_state=0).estimate(
            OOFPredictions(y_true=y[keep], y_pred=scores[keep]), "roc_auc_ovr"
        )


def several_labels(seed):
    rng = np.random.default_rng(seed)
    y = (rng.random((40, 3)) < [0.2, 0.5, 0.7]).astype(int)
    return y, np.round(rng.normal(size=(40, 4, 3)) + y[:, None], 1)


@pytest.mark.parametrize("average", ["macro", "weighted", "micro"])
def test_draws_need_both_values_of_each_label_unless_rare_ones_weigh_less(average):
    y, scores = several_labels(19)
    kernel = bind(y, scores, scorer_of(average=average))
    assert kernel.family == ("roc_auc_micro" if average == "micro" else "roc_auc_ovr")
    n_strata = {"macro": 6, "weighted": 0, "micro": 2}[average]
    assert len(kernel.strata_names) == n_strata


def test_a_label_that_every_row_or_no_row_has():
    y, scores = several_labels(22)
    without, always = np.ones((2, 1, 40))
    without[0, y[:, 0] == 1] = 0
    always[0, y[:, 2] == 0] = 0
    macro = bind(y, scores, scorer_of())
    assert np.isnan(macro.scores(np.concatenate([without, always]))).all()
    weighted = bind(y, scores, scorer_of(average="weighted"))
    # A label that no row has counts nothing; one that every row has cannot be scored.
    others = bind(y[:, 1:], scores[:, :, 1:], scorer_of(average="weighted"))
    np.testing.assert_allclose(
        weighted.scores(without), others.scores(without), rtol=0, atol=1e-15
    )
    assert np.isnan(weighted.scores(always)).all()


def test_the_rest_goes_another_way():
    y, scores = several_labels(23)
    y[:, 0], y[:, 1] = 1, 0  # every row has both kinds of labels
    kernel = bind(y, scores, scorer_of(average="samples"))
    assert kernel.family == "replay"
    assert kernel.scores(np.ones((1, 40), int))[0, 0] == pytest.approx(
        roc_auc_score(y, scores[:, 0], average="samples")
    )


def binds_to(scoring, y, scores):
    """Family, or the reason why scikit-learn does not score this."""
    try:
        return bind(y, scores, scoring).family
    except ValueError as error:
        return str(error)


def test_what_does_not_match_is_left_to_scikit_learn():
    y, scores = make_data(24)
    labels, of_labels = several_labels(25)
    kwargs = {"multi_class": "ovr", "labels": [0, 2, 1]}
    assert "'labels' must be ordered" in binds_to(scorer_of(**kwargs), y, scores)
    two = scores[:, :, :2] / scores[:, :, :2].sum(axis=2, keepdims=True)
    assert "columns in 'y_score'" in binds_to("roc_auc_ovr", y, two)
    assert "cannot be computed" in binds_to("roc_auc_ovo", y, scores[:, :, 0])
    assert "average=None" in binds_to(scorer_of(multi_class="ovo", average=None), y, scores)
    assert binds_to("roc_auc", labels, of_labels[:, :, :2]) == "replay"
    assert "cannot be computed" in binds_to("roc_auc", labels + 1, of_labels)
