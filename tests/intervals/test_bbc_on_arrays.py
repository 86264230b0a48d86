"""One call on arrays gives what the objects give."""

import inspect

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, brier_score_loss, make_scorer

from sklearn_bbc import OOFPredictions, bbc
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import BBC, holdout_interval
from sklearn_bbc.metrics import within_folds
from sklearn_bbc.selection import WithThreshold
from tests.made import made

RNG = np.random.default_rng(0)
Y = np.tile([0, 1], 30)
SCORES = RNG.normal(size=(60, 4)) + Y[:, None]
FOLD = np.arange(60) // 2 % 5
DATA = {
    "plain": ({}, {}),
    "folds": ({"fold": FOLD}, {}),
    "groups": ({"groups": np.arange(60) // 2}, {}),
    "weights": ({"sample_weight": RNG.uniform(1, 2, 60)}, {}),
    "method": (
        {},
        {"n_bootstraps": 300, "confidence_level": 0.8, "alternative": "greater", "n_jobs": 2},
    ),
}


@pytest.mark.parametrize(("data", "method"), DATA.values(), ids=DATA)
def test_it_is_the_method_on_the_predictions(data, method):
    found = bbc(Y, SCORES, "roc_auc", random_state=3, **data, **method)
    oof = made(y_true=Y, y_pred=SCORES, **data)
    assert found == BBC(random_state=3, **method).estimate(oof, "roc_auc")


def test_a_rule_is_repeated():
    proba = 1 / (1 + np.exp(-SCORES))
    both = np.stack([1 - proba, proba], axis=2)
    rule = WithThreshold("balanced_accuracy")
    found = bbc(Y, both, "balanced_accuracy", fold=FOLD, selection=rule, random_state=0)
    oof = OOFPredictions(y_true=Y, y_pred=both, fold=FOLD)
    assert found == BBC(selection=rule, random_state=0).estimate(oof, "balanced_accuracy")


def test_its_defaults_are_those_of_the_method():
    ours, theirs = (inspect.signature(each).parameters for each in (bbc, BBC))
    common = set(ours) & set(theirs)
    assert common == set(theirs) - {"quantile", "degenerate", "draws"}
    assert all(ours[name].default == theirs[name].default for name in common)


def test_its_errors_name_what_was_given():
    with pytest.raises(ValueError, match="y_pred has shape"):
        bbc(Y, SCORES[:50], "roc_auc")
    made_already = OOFPredictions(y_true=Y, y_pred=SCORES)
    with pytest.raises(
        ValueError, match=r"got an OOFPredictions.*predictions: BBC\(\).estimate\(oof"
    ):
        bbc(made_already, "roc_auc")
    with pytest.raises(TypeError, match=r"bbc needs y_pred.*it is BBC\(\).estimate\(oof"):
        bbc(made_already, scoring="roc_auc")


# --- the positive class --------------------------------------------------------------------

STATUS = np.where(Y == 1, "case", "control")  # the cases do not sort last
RISKS = 1 / (1 + np.exp(-SCORES))
LABELS = np.where(SCORES > 0.5, "case", "control")


@pytest.mark.parametrize(
    ("scoring", "pred", "numbers"),
    [
        ("roc_auc", SCORES, SCORES),
        ("roc_auc", RISKS, RISKS),
        ("average_precision", SCORES, SCORES),
        ("average_precision", RISKS, RISKS),
        (within_folds("average_precision"), RISKS, RISKS),
        ("neg_log_loss", RISKS, RISKS),
        ("neg_brier_score", RISKS, RISKS),
        ("f1", LABELS, (SCORES > 0.5).astype(int)),
        ("precision", LABELS, (SCORES > 0.5).astype(int)),
        ("balanced_accuracy", LABELS, (SCORES > 0.5).astype(int)),
        (make_scorer(average_precision_score), RISKS, RISKS),
    ],
)
def test_the_positive_class_is_named(scoring, pred, numbers):
    """Cases and controls score as ones and zeros do."""
    given = {"fold": FOLD, "n_bootstraps": 100, "random_state": 0}
    found = bbc(STATUS, pred, scoring, pos_label="case", **given)
    expected = bbc(Y, numbers, scoring, **given)
    # Rounding of 1 - p aside.
    assert tuple(found) == pytest.approx(tuple(expected), rel=1e-12)
    assert found.estimate == pytest.approx(expected.estimate, rel=1e-12)
    assert found.details["winner"] == expected.details["winner"]
    assert not any("pos_label" in note for note in found.details["notes"])
    if scoring != "balanced_accuracy":  # which treats both alike
        assert found.details["positive_class"] == "case"
        assert expected.details["positive_class"] == 1


def test_scores_whose_class_is_not_named_are_said_to_be_for_the_last_one():
    result = bbc(STATUS, SCORES, "roc_auc", n_bootstraps=100, random_state=0)
    assert result.estimate < 0.4 and result.details["positive_class"] == "control"
    (note,) = [note for note in result.details["notes"] if "pos_label='case'" in note]
    assert "higher for class 'control', the last one in sorted order" in note
    assert "positive class</th>" in result._repr_html_()
    for y in (Y, Y == 1, 2 * Y - 1):
        usual = bbc(y, SCORES, "roc_auc", n_bootstraps=100, random_state=0)
        assert not any("pos_label" in note for note in usual.details["notes"])
        assert "positive class" not in usual._repr_html_()
    one_two = bbc(Y + 1, SCORES, "roc_auc", n_bootstraps=100, random_state=0)
    assert any("higher for class 2" in note for note in one_two.details["notes"])


@pytest.mark.parametrize(
    ("y", "pos_label", "pred", "words"),
    [
        (STATUS, "Case", SCORES, r"pos_label='Case' is not a class: .* 'case' and 'control'"),
        (Y % 3 + (np.arange(60) % 3 == 0) * 2, 1, SCORES, "names one of two classes, but y_true"),
        (RNG.normal(size=60), 1, SCORES, "names one of two classes, but y_true has none"),
        (Y, 0, (SCORES > 0).astype(int), r"it may be labels or scores.*make_scorer\(f1_score"),
    ],
)
def test_a_class_that_is_none_is_refused(y, pos_label, pred, words):
    with pytest.raises(ValueError, match=words):
        bbc(y, pred, "roc_auc", pos_label=pos_label)


@pytest.mark.parametrize("method", ["auto", "percentile"])
def test_a_test_set_takes_the_class_too(method):
    given = {"method": method, "random_state": 0}
    found = holdout_interval(STATUS, RISKS[:, 0], "roc_auc", pos_label="case", **given)
    assert tuple(found) == pytest.approx(
        tuple(holdout_interval(Y, RISKS[:, 0], "roc_auc", **given))
    )
    assert found.details["positive_class"] == "case"
    with pytest.raises(ValueError, match="without y_true there are none"):
        holdout_interval(None, SCORES[:, 0], pos_label="case")


def test_a_column_that_is_left_out_is_named_and_warned_of():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 30)
    frame = pd.DataFrame({f"m{k}": rng.random(60) for k in range(4)})
    frame.iloc[5, 2] = np.nan
    with pytest.warns(IntervalWarning, match="m2 is left out"):
        result = bbc(y, frame, "roc_auc", random_state=0)
    assert any(note.startswith("m2 is left out") for note in result.details["notes"])


@pytest.mark.parametrize(
    "scoring, n_classes, end",
    [("neg_brier_score", 2, -1.0), ("neg_brier_score", 3, -2.0), ("accuracy", 2, 0.0)],
)
def test_the_open_end_is_that_of_the_range_for_so_many_classes(scoring, n_classes, end):
    """Whatever the release of scikit-learn: newer ones know a Brier score of several classes."""
    if n_classes > 2 and "scale_by_half" not in inspect.signature(brier_score_loss).parameters:
        pytest.skip("this release has no Brier score of several classes")
    rng = np.random.default_rng(0)
    y = np.arange(60) % n_classes
    risks = rng.dirichlet(np.ones(n_classes), size=(60, 2))  # (n_samples, n_configs, n_classes)
    pred = risks[..., 1] if n_classes == 2 else risks
    if scoring == "accuracy":
        pred = risks.argmax(axis=2)
    result = bbc(y, pred, scoring, n_bootstraps=50, random_state=0, alternative="less")
    assert result.low == end
