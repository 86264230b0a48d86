import numpy as np
import pytest
from sklearn.metrics import recall_score

from sklearn_bbc.selection import MeanCost, SensitivityAt

CELLS = tuple(
    np.array(cell, dtype=float) for cell in ([9, 8, 5], [1, 2, 5], [3, 0, 1], [7, 10, 9])
)


def test_the_cost_of_each_decision_is_looked_up_in_the_matrix():
    costs = np.array([[-1.0, 2.0], [5.0, -3.0]])
    y = np.repeat([0, 0, 1, 1], [9, 1, 3, 7])
    said = np.repeat([0, 1, 0, 1], [9, 1, 3, 7])
    assert MeanCost(costs)(*CELLS)[0] == pytest.approx(-costs[y, said].mean())


def test_the_best_sensitivity_of_those_that_keep_the_specificity():
    choice = SensitivityAt(0.8)
    y = np.repeat([0, 0, 1, 1], [9, 1, 3, 7])
    said = np.repeat([0, 1, 0, 1], [9, 1, 3, 7])
    scores = choice(*CELLS)
    assert scores[0] == pytest.approx(recall_score(y, said))
    assert scores[1] == 1  # 8 of 10: reached in spite of rounding
    assert scores[2] == pytest.approx(-0.5)  # below every sensitivity
    np.testing.assert_allclose(choice.reported(*CELLS), [0.7, 1, 0.9])
    of_negatives = SensitivityAt(0.8, report="specificity").reported(*CELLS)
    np.testing.assert_allclose(of_negatives, [0.9, 0.8, 0.5])


@pytest.mark.parametrize("costs", [[1, 2], [[0, 1, 2]], [[0, np.nan], [1, 0]], [["a", 1], [1, 0]]])
def test_four_finite_numbers_make_a_cost_matrix(costs):
    with pytest.raises(ValueError, match="cost matrix must be four finite numbers"):
        MeanCost(costs)


@pytest.mark.parametrize("specificity", [0, 1.1, -1, True, "0.9", np.nan])
def test_a_specificity_out_of_range(specificity):
    with pytest.raises(ValueError, match="specificity must be above 0 and at most 1"):
        SensitivityAt(specificity)
    with pytest.raises(ValueError, match="report must be one of"):
        SensitivityAt(0.9, report="recall")
