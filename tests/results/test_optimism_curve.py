"""OptimismCurve: a value with a table and a sentence."""

import pickle

import numpy as np
import pytest

from sklearn_bbc.results import OptimismCurve


def made(**fields):
    given = {
        "sizes": [1, 10],
        "best": [[0.5, 0.7, np.nan], [0.9, np.nan, np.nan]],
        "corrected": [[0.5, 0.6, np.nan], [0.7, np.nan, np.nan]],
        "metric": "roc_auc", "n_bootstraps": 100, **fields,
    }  # fmt: skip
    return OptimismCurve(**given)


def test_frame():
    frame = made().frame()
    assert frame.index.tolist() == [1, 10] and frame["n_subsets"].tolist() == [2, 1]
    np.testing.assert_allclose(frame["best"], [0.6, 0.9])
    np.testing.assert_allclose(frame["optimism"], [0.05, 0.2])
    np.testing.assert_allclose(frame["best_low"], [0.51, 0.9])
    np.testing.assert_allclose(frame["best_high"], [0.69, 0.9])
    undefined = made(corrected=np.full((2, 3), np.nan)).frame()
    assert undefined["corrected"].isna().all() and undefined["optimism_low"].isna().all()


def test_a_sentence_with_printed_names_and_signs():
    assert str(made()) == (
        "The best of 10 configurations has ROC AUC 0.900 on the predictions that chose it, and "
        "0.700 when it is corrected; a single one, taken at random, has 0.600 and 0.550."
    )
    loss = made(
        best=[[-0.5, -0.3, np.nan], [-0.2, np.nan, np.nan]],
        corrected=[[-0.5, -0.4, np.nan], [-0.3, np.nan, np.nan]], metric="neg_log_loss",
    )  # fmt: skip
    assert "has log loss 0.200 on" in str(loss) and "has 0.400 and 0.450." in str(loss)


def test_the_sentence_is_about_the_fewest_that_were_asked_for():
    assert str(made(sizes=[5, 10])).endswith(
        "corrected; the best of 5, taken at random, has 0.600 and 0.550."
    )


def test_is_a_value():
    curve = made(details={"seed": 1})
    again = pickle.loads(pickle.dumps(curve))
    assert again == curve and hash(again) == hash(curve) and curve != 3
    assert curve != made(details={"seed": 2})
    assert curve.to_dict()["details"] == {"seed": 1}
    assert repr(curve).startswith("OptimismCurve(10 configurations, 2 sizes, metric='roc_auc'")
    with pytest.raises(ValueError, match="read-only"):
        again.best[0] = 0
    with pytest.raises(TypeError):
        again.details["x"] = 1
