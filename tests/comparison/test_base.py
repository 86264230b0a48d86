"""What the base of comparisons refuses, binds and tells."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from sklearn_bbc import OOFPredictions
from sklearn_bbc.comparison import BaseComparison, CorrectedResampledT, Side
from sklearn_bbc.testing import example_predictions


class Plain(BaseComparison):
    """Difference of the scores, without a spread."""

    label, estimand, assumptions = "plain difference", "difference", ("None.",)

    def __init__(self, *, confidence_level=0.95, alternative="two-sided"):
        self.confidence_level = confidence_level
        self.alternative = alternative
        self.name = "plain"  # of the object only, so the class is not registered

    def _compare(self, pair):
        self.pair = pair
        one, other = pair.details["scores"]
        return self._from_standard_error(pair, one - other, 0.1)


@pytest.fixture
def oof():
    return example_predictions()


def test_scores_are_those_of_the_two_configurations(oof):
    method = Plain()
    result = method.compare(Side(oof=oof, config=2), Side(oof=oof, config=1), "roc_auc")
    matrix = oof.matrix("roc_auc")
    expected = [roc_auc_score(oof.y_true, matrix[:, k]) for k in (2, 1)]
    np.testing.assert_allclose(result.details["scores"], expected, rtol=1e-12)
    assert result.difference == pytest.approx(expected[0] - expected[1])
    assert result.details["configs"] == [2, 1]
    assert result.details["unit"] == "sample" and result.details["n_samples"] == 60


def test_two_objects_give_what_one_gives(oof):
    other = example_predictions()
    one = Plain().compare(Side(oof=oof, config=2), Side(oof=oof, config=1), "roc_auc")
    two = Plain().compare(Side(oof=oof, config=2), Side(oof=other, config=1), "roc_auc")
    assert one.difference == two.difference and one.details == two.details


def test_rows_in_another_order_are_matched(oof):
    order = np.random.default_rng(0).permutation(oof.n_rows)
    mixed = OOFPredictions(
        y_true=oof.y_true,
        responses={name: array[:, order] for name, array in oof.responses.items()},
        sample=oof.sample[order],
        fold=oof.fold[order],
        repeat=oof.repeat[order],
    )
    one = Plain().compare(Side(oof=oof, config=2), Side(oof=oof, config=1), "roc_auc")
    two = Plain().compare(Side(oof=oof, config=2), Side(oof=mixed, config=1), "roc_auc")
    assert two.difference == pytest.approx(one.difference, abs=1e-12)


def test_a_tuned_side_is_its_winner_and_a_note_says_so(oof):
    tuned = Plain().compare(oof.with_selected(3), Side(oof=oof, config=0), "roc_auc")
    fixed = Plain().compare(Side(oof=oof, config=3), Side(oof=oof, config=0), "roc_auc")
    assert tuned.difference == fixed.difference
    assert any("chosen on these samples" in note for note in tuned.details["notes"])
    assert not any("chosen on these samples" in note for note in fixed.details["notes"])
    assert tuned.names[0] == "the winner of 4 configurations"


def test_the_winner_cannot_be_compared_with_itself(oof):
    with pytest.raises(ValueError, match="baseline is the winner itself"):
        Plain().compare(oof.with_selected(3), Side(oof=oof, config=3), "roc_auc")
    with pytest.raises(ValueError, match="nothing to compare"):
        Plain().compare(oof, oof, "roc_auc")


def test_a_failed_configuration_has_no_score(oof):
    failed = OOFPredictions(
        y_true=oof.y_true, responses=oof.responses, fold=oof.fold, failed=[True] + [False] * 3
    )
    with pytest.raises(ValueError, match="configuration 0 failed"):
        Plain().compare(Side(oof=failed, config=1), Side(oof=failed, config=0), "roc_auc")


def test_needs_are_checked_on_both_sides(oof):
    only_folds = OOFPredictions(
        y_true=np.empty(0), classes=None, fold_scores={"roc_auc": np.full((6, 1), 0.5)}
    )
    with pytest.raises(ValueError, match=r"needs out-of-fold predictions.*CorrectedResampledT"):
        Plain().compare(Side(oof=oof, config=0), only_folds, "roc_auc")
    result = CorrectedResampledT().compare(Side(oof=oof, config=0), only_folds, "roc_auc")
    assert any("cannot be checked" in note for note in result.details["notes"])


def test_given_and_recorded_predictions_do_not_mix_silently(oof):
    plain = OOFPredictions(y_true=oof.y_true, y_pred=np.linspace(0, 1, 60), fold=oof.fold)
    with pytest.raises(ValueError, match=r"predict_proba.*responses="):
        Plain().compare(Side(oof=oof, config=0), plain, "roc_auc")


def test_unknown_needs_are_refused_when_the_class_is_made():
    with pytest.raises(ValueError, match=r"requires holds \['magic'\]"):
        type("Magic", (Plain,), {"requires": frozenset({"magic"})})


def test_a_zero_standard_error_is_told(oof):
    method = Plain()
    method.compare(Side(oof=oof, config=2), Side(oof=oof, config=1), "roc_auc")
    with pytest.warns(UserWarning, match="no spread can be seen"):
        result = method._from_standard_error(method.pair, 0.2, 0.0)
    assert result.p_value == 0 and tuple(result) == (0.2, 0.2) and result.details["degenerate"]
    result = method._from_standard_error(method.pair, 0.0, 0.0)
    assert result.p_value == 1 and tuple(result) == (0.0, 0.0)
    less = replace_alternative(method, "less")._from_standard_error(method.pair, 0.0, 0.0)
    assert less.p_value == 1 and tuple(less) == (-1.0, 0.0)


def replace_alternative(method, alternative):
    return Plain(alternative=alternative)


def test_names_are_never_twice_the_same(oof):
    side = Side(oof=oof, config=1, name="model")
    result = Plain().compare(side, replace(side, config=2), "roc_auc")
    assert result.names == ("model (first)", "model (second)")
