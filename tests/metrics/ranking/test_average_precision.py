"""The kernels of average precision, against scikit-learn on weights and repeated rows."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, make_scorer

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals import BBC
from sklearn_bbc.metrics import as_metric
from tests.made import made
from tests.metrics.ranking.ranked import (
    FEW,
    MANY,
    draw_counts,
    draw_weights,
    make_data,
    settings_of_data,
    some_data,
)

pytestmark = pytest.mark.usefixtures("kernels")


def bind(y, scores, scoring="average_precision", **kwargs):
    return as_metric(scoring).bind(made(y_true=y, y_pred=scores, **kwargs))


def expected(y, scores, weight, **kwargs):
    """scikit-learn's value, NaN where some column has no positive."""
    if not ((y[weight > 0] == 1).any(axis=0)).all():
        return np.nan
    return average_precision_score(y, scores, sample_weight=weight, **kwargs)


@given(whole=st.booleans(), **settings_of_data)
def test_scores_equal_scikit_learn_on_weights_and_on_repeated_rows(whole, **how):
    y, scores, rng = some_data(**how)
    weights = (draw_counts if whole else draw_weights)(rng, MANY, len(y))
    kernel = bind(y, scores)
    assert kernel.family == "average_precision"
    found = kernel.scores(weights)
    for draw in range(2):
        for config in (0, 1, 3):
            value = expected(y, scores[:, config], weights[draw])
            assert found[draw, config] == pytest.approx(value, abs=1e-12, nan_ok=True)
            if whole and not np.isnan(value):
                rows = np.repeat(np.arange(len(y)), weights[draw])
                repeated = average_precision_score(y[rows], scores[rows, config])
                assert found[draw, config] == pytest.approx(repeated, abs=1e-12)


def test_perfect_and_constant_scores():
    y, _ = make_data(7, 40)
    kernel = bind(y, np.column_stack([np.zeros(40), y]))
    counts = draw_counts(np.random.default_rng(8), MANY, 40)
    found = kernel.scores(counts)
    np.testing.assert_allclose(found[:, 0], counts[:, y == 1].sum(axis=1) / 40, atol=1e-14)
    assert (found[:, 1] == 1).all()


def test_undefined_without_positives_and_one_without_negatives():
    y, scores = make_data(9, 30, 3)
    counts = draw_counts(np.random.default_rng(10), MANY, 30)
    kernel = bind(y, scores)
    broken = counts.copy()
    broken[3, y == 1] = 0
    broken[5, y == 0] = 0
    for weights in (broken, broken.astype(float), broken[: FEW + 3]):
        found = kernel.scores(weights)
        assert np.isnan(found[3]).all()
        assert (found[5] == 1).all()
        assert kernel.winners(weights)[3] == -1
        assert kernel.winners(weights)[5] == 0
        np.testing.assert_allclose(found[:3], kernel.scores(counts)[:3], rtol=1e-12)


def test_only_positives_are_needed_in_every_draw():
    y, scores = make_data(11, 20, 2, n_positive=1)
    with pytest.raises(UndefinedIntervalError, match="average_precision: class 1 has 1 sample,"):
        BBC(random_state=0).estimate(OOFPredictions(y_true=y, y_pred=scores), "average_precision")
    y, scores = make_data(11, 20, 2, n_positive=19)
    result = BBC(random_state=0).estimate(
        OOFPredictions(y_true=y, y_pred=scores), "average_precision"
    )
    assert 0.5 < result.estimate <= 1


def test_text_labels_need_pos_label():
    y, scores = make_data(12, 30, 2)
    labels = np.array(["ill", "well"])[y]
    with pytest.raises(ValueError, match=r"pos_label=1, but the classes are \['ill', 'well'\]"):
        bind(labels, scores)
    for pos_label, turned in (("well", 1), ("ill", -1)):
        scorer = make_scorer(
            average_precision_score, response_method="decision_function", pos_label=pos_label
        )
        kernel = bind(labels, scores, scorer)
        assert kernel.strata_names == [f"class {pos_label}"]
        assert kernel.scores(np.ones((1, 30)))[0, 0] == pytest.approx(
            average_precision_score(labels == pos_label, scores[:, 0])
        )
        # Recorded scores are those of the second class.
        recorded = OOFPredictions.from_rows(
            y_true=labels, responses={"decision_function": scores.T}, fold=np.arange(30) % 5
        )
        kernel = as_metric(scorer).bind(recorded)
        assert kernel.scores(np.ones((1, 30)))[0, 0] == pytest.approx(
            average_precision_score(labels == pos_label, turned * scores[:, 0])
        )


@pytest.mark.parametrize("labels", [(0, 1), (-1, 1), (False, True), (1, 2)])
def test_the_label_one_is_positive(labels):
    y, scores = make_data(13, 30, 2)
    y = np.array(labels)[y]
    kernel = bind(y, scores)
    assert kernel.family == "average_precision"
    assert kernel.scores(np.ones((1, 30)))[0, 1] == pytest.approx(
        average_precision_score(y, scores[:, 1])
    )


def several_labels(seed, n_samples=40, n_configs=4, levels=None):
    rng = np.random.default_rng(seed)
    y = (rng.random((n_samples, 3)) < [0.2, 0.5, 0.7]).astype(int)
    scores = rng.normal(size=(n_samples, n_configs, 3)) + y[:, None]
    if levels is not None:
        scores = np.round(scores * levels) / levels
    return y, scores


def test_a_label_that_is_missing_in_a_draw():
    y, scores = several_labels(17)
    weights = np.ones((1, 40))
    weights[0, y[:, 0] == 1] = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # no positive class
        of_the_others = average_precision_score(
            y, scores[:, 0], average="weighted", sample_weight=weights[0]
        )
    values = {"macro": np.nan, "weighted": of_the_others}
    for average, value in values.items():
        scorer = make_scorer(
            average_precision_score, response_method="predict_proba", average=average
        )
        kernel = bind(y, scores, scorer)
        found = kernel.scores(weights)[0, 0]
        assert found == pytest.approx(value, abs=1e-12, nan_ok=True)
        names = [f"label {k} = 1" for k in range(3)] if average == "macro" else []
        assert kernel.strata_names == names
    assert np.isnan(
        bind(np.arange(40) % 3, scores).scores(weights * (np.arange(40) % 3 > 0))
    ).all()


@pytest.mark.parametrize("kwargs", [{"average": "samples"}])
def test_the_rest_goes_another_way(kwargs):
    y, scores = several_labels(18)
    y[:, 0] = 1  # every row has a label
    scorer = make_scorer(average_precision_score, response_method="predict_proba", **kwargs)
    kernel = bind(y, scores, scorer)
    assert kernel.family == "replay"
    assert kernel.scores(np.ones((1, 40), int))[0, 0] == pytest.approx(
        average_precision_score(y, scores[:, 0], **kwargs)
    )


def test_several_classes_have_no_pos_label():
    y, scores = several_labels(19)
    scorer = make_scorer(average_precision_score, response_method="predict_proba", pos_label=2)
    with pytest.raises(ValueError, match="pos_label is fixed to 1"):
        bind(y, scores, scorer)
