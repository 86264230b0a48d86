"""What does not fit is refused, and the message says what was given."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, KFold

from sklearn_bbc import OOFPredictions
from tests.predictions.predicted import FOLD, SCORES, Y, rectangle, rows

from_search = OOFPredictions.from_search
pytestmark = pytest.mark.filterwarnings("ignore:.* groups are split between folds")


FINISHED = GridSearchCV(Ridge(), {"alpha": [1, 2]}, cv=2).fit(SCORES, Y)


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: OOFPredictions(Y, SCORES), TypeError, "no arguments by position.*y_pred, y_true"),
        (lambda: OOFPredictions(ytrue=Y), TypeError, r"Did you mean OOFPredictions\(y_true="),
        (lambda: from_search(FINISHED.cv_results_), ValueError, "pass search, not search.cv_resu"),
        (
            lambda: from_search(pd.DataFrame(FINISHED.cv_results_)),
            ValueError,
            "got a DataFrame of",
        ),
        (lambda: from_search(GridSearchCV(Ridge(), {})), ValueError, "GridSearchCV is not fitted"),
        (
            lambda: from_search(FINISHED, SCORES),
            ValueError,
            r"y is missing: from_search\(search, X",
        ),
        (lambda: from_search(FINISHED, group=Y), TypeError, r"mean from_search\(groups="),
    ],
)
def test_what_was_probably_meant(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


def test_a_file_in_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no folder .*none. Make it before"):
        rectangle().save(tmp_path / "none" / "x.npz")


# --- refusals ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fields, message",
    [
        ({"y_pred": SCORES[:-1]}, r"y_pred has shape \(11, 3\), but y_true has 12 samples"),
        ({"y_pred": np.zeros((2, 12, 3))}, r"y_pred has shape .* \(n_repeats, n_samples\)\.$"),
        ({"y_pred": SCORES.T}, r"y_pred has shape \(3, 12\).* transposed: pass y_pred\.T"),
        ({"y_pred": np.zeros((12, 0))}, "configurations"),
        ({"y_true": [], "y_pred": np.zeros((0, 3)), "fold": None}, "y_true has 0 samples"),
        ({"fold": FOLD[:-1]}, r"fold has shape \(11,\).*\(12,\)"),
        ({"fold": np.where(FOLD == 1, np.nan, FOLD)}, "fold contains missing labels"),
        ({"fold": [None, *"ab" * 5, "b"]}, "fold contains missing labels"),
        ({"fold": [float("nan"), *"ab" * 5, "b"]}, "fold contains missing labels"),
        ({"fold": pd.array([None, *FOLD[1:]], dtype="Int64")}, "fold contains missing labels"),
        ({"fold": np.where(FOLD == 1, -2, FOLD)}, "fold holds -2. -1 marks"),
        ({"fold": np.where(FOLD == 1, -0.5, FOLD)}, "fold holds -0.5. -1 marks"),
        ({"fold": ["-2", *"ab" * 5, "b"]}, "fold holds -2. -1 marks"),
        ({"fold": ["-1"] * 12}, "marks every sample with -1"),
        ({"fold": np.full(12, -1)}, "marks every sample with -1"),
        ({"y_true": np.where(Y == 1, np.nan, Y)}, "y_true contains 6 missing values.*12"),
        ({"y_true": [None] + ["a", "b"] * 5 + ["b"]}, "y_true contains 1 missing value "),
        ({"y_true": [float("nan")] + ["a", "b"] * 5 + ["b"]}, "y_true contains 1 missing value "),
        ({"groups": [float("nan")] + ["a", "b"] * 5 + ["b"]}, "groups contains 1 missing value "),
        ({"y_true": np.where(Y == 1, np.inf, Y)}, "y_true contains infinite"),
        ({"y_true": SCORES, "y_pred": Y, "fold": None}, "seem to be in each other's place"),
        ({"y_pred": {"a": [0, 1]}}, r"y_pred must be an array, got .*from_columns"),
        ({"y_pred": Ridge()}, r"y_pred must be an array, got Ridge\(\).*predict_proba"),
        ({"fold": 3}, r"list\(cv\.split\(X, y\)\), got 3"),
        ({"fold": KFold(3)}, r"got KFold\(n_splits=3"),
        ({"y_true": Y.astype("datetime64[D]")}, "y_true holds dates.* into text where they are"),
        ({"groups": Y[:-1]}, r"groups has shape \(11,\), expected \(12,\): one per sample"),
        ({"sample_weight": np.ones(3)}, "sample_weight has shape"),
        ({"sample_weight": -np.ones(12)}, "sample_weight must not be negative"),
        ({"sample_weight": np.zeros(12)}, "zero everywhere"),
        ({"sample_weight": np.full(12, 1e-320)}, "largest sample_weight is 1e-320"),
        ({"sample_weight": np.full(12, 1e308)}, "Multiply all weights by one number"),
        ({"sample_weight": np.where(Y == 1, np.nan, 1)}, "sample_weight contains 6 missing"),
        ({"params": [{}]}, "params has 1 entries for 3 configurations"),
        ({"classes": [1, 0]}, "classes must be sorted"),
        ({"classes": [0, 2]}, r"not in classes: \[1\]"),
        ({"y_pred": [["a", None, "b"]] * 12}, "y_pred holds text with missing values"),
        ({"y_pred": np.zeros((12, 2, 2, 2, 2))}, "y_pred has shape"),
    ],
    ids=lambda value: value if isinstance(value, str) else ",".join(value),
)
def test_arrays_that_do_not_fit_are_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        rectangle(**fields)


def test_what_goes_to_another_constructor_is_told():
    with pytest.raises(TypeError, match=r"no parameter 'responses'.*OOFPredictions\.from_rows"):
        OOFPredictions(y_true=Y, y_pred=SCORES, responses={"predict": Y[None]})
    with pytest.raises(TypeError, match=r"no parameter 'y_pred'.*goes to OOFPredictions itself"):
        OOFPredictions.from_rows(y_true=Y, y_pred=SCORES)
    with pytest.raises(ValueError, match=r"y_pred is None.*OOFPredictions\.from_fold_scores"):
        OOFPredictions(y_true=Y, y_pred=None)
    with pytest.raises(ValueError, match="fold_scores is empty"):
        OOFPredictions.from_fold_scores({})


@pytest.mark.parametrize(
    "fields, message",
    [
        ({"responses": SCORES}, "responses must map .* to arrays.*array of shape"),
        ({"responses": {}}, r"got \{\}.*OOFPredictions\(y_pred=\.\.\.\)"),
        ({"failed": [True]}, r"failed has shape \(1,\), expected \(3,\): one per configuration"),
        ({"train_size": [8]}, r"train_size has shape \(1,\), expected \(3,\): one per split"),
        ({"fold_scores": {"r2": np.zeros((4, 3))}}, "4 splits, but the rows have 3"),
        ({"fold_scores": {"r2": np.zeros((3, 2))}}, r"not one number >= 1: \[3, 2, 3\]|>= 1"),
        ({"fold_scores": {"r2": np.zeros(3)}}, r"expected \(n_splits, n_configs\)"),
        ({"responses": {"score": SCORES.T}}, r"unknown keys \['score'\]; known are"),
        ({"responses": {"predict_proba": SCORES.T, "decision_function": SCORES}}, "one shape"),
        ({"responses": {"predict_proba": SCORES[:, 0]}}, "one shape"),
        ({"responses": {"predict_proba": SCORES.T[:, :0]}, "fold": None}, "one shape"),
        ({"sample": np.arange(11)}, r"sample has shape \(11,\), expected \(12,\)"),
        ({"sample": np.arange(12) + 1}, r"outside 0\.\.11"),
        ({"fold": FOLD[:3]}, "fold has shape"),
        ({"repeat": [0]}, r"repeat has shape \(1,\), expected \(12,\)"),
        ({"responses": {"predict": SCORES.T}, "classes": [0, 1]}, "integer codes"),
        ({"responses": {"predict": 1 + (SCORES.T > 0).astype(int)}}, "integer codes"),
        ({"responses": {"predict": np.full((3, 12), "a")}}, "integer codes"),
        ({"responses": {"decision_function": np.full((3, 12), "a")}}, "must hold numbers"),
        ({"responses": {"predict_proba": np.zeros((3, 12, 4))}}, "4 columns for 2 classes"),
    ],
    ids=lambda value: value if isinstance(value, str) else ",".join(value),
)
def test_rows_that_do_not_fit_are_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        rows(**fields)
