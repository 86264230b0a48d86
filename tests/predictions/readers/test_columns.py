"""A column, a file or a function for each configuration."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from sklearn_bbc import BBC, OOFPredictions, bbc

N = 30
RNG = np.random.default_rng(0)
Y = np.tile(["no", "yes", "maybe"], 10)
P = RNG.dirichlet([1, 1, 1], size=(2, N))
TWO = np.tile([0, 1], 15)
SCORES = RNG.random((N, 2))


@pytest.mark.parametrize("form", ["array", "function", "npy", "csv", "series"])
def test_all_ways_give_the_numbers_of_a_matrix(form, tmp_path):
    columns = {}
    for k in range(2):
        values = SCORES[:, k]
        if form == "npy":
            np.save(tmp_path / f"{k}.npy", values)
        if form == "csv":
            pd.DataFrame({"p": values}).to_csv(tmp_path / f"{k}.csv", index=False)
        columns[f"m{k}"] = {
            "array": values, "function": lambda values=values: values, "series": pd.Series(values),
            "npy": tmp_path / f"{k}.npy", "csv": str(tmp_path / f"{k}.csv"),
        }[form]  # fmt: skip
    fold = np.arange(N) % 5
    result = BBC(random_state=0).estimate(
        OOFPredictions.from_columns(columns, TWO, fold), "roc_auc"
    )
    by_hand = bbc(TWO, SCORES, "roc_auc", fold=fold, random_state=0)
    assert (result.estimate, result.low, result.high) == (
        by_hand.estimate,
        by_hand.low,
        by_hand.high,
    )


@pytest.mark.parametrize("stem", ["{}", "prob.{}", "m ({})", "prediction_{}", ".pred_{}"])
def test_columns_of_classes_are_found_whatever_their_order(stem, tmp_path):
    classes = ["maybe", "no", "yes"]
    frame = pd.DataFrame(P[0], columns=[stem.format(each) for each in classes])
    frame[frame.columns[::-1]].to_csv(tmp_path / "a.csv", index=False)
    oof = OOFPredictions.from_columns({"a": tmp_path / "a.csv", "b": P[1]}, Y)
    assert oof.classes_.tolist() == classes
    assert_array_equal(oof.responses["predict_proba"], P)


@pytest.mark.parametrize("written", [False, True])
def test_rows_are_brought_into_the_order_of_y_by_their_index(written, tmp_path):
    y = pd.Series(TWO, index=[f"p{k}" for k in range(N)])
    mixed = pd.Series(SCORES[:, 0], index=y.index, name="p").sample(frac=1, random_state=0)
    source = mixed
    if written:
        source = tmp_path / "a.csv"
        mixed.to_csv(source)
    oof = OOFPredictions.from_columns({"a": source}, y)
    assert_array_equal(oof.responses["plain"][0], SCORES[:, 0])


def test_tables_with_rows_in_different_orders_are_refused_where_y_has_no_index():
    one = pd.DataFrame({"p": SCORES[:, 0]}, index=[f"p{k}" for k in range(N)])
    with pytest.raises(
        ValueError, match=r"'a' and 'b' are labelled differently \(in another order"
    ):
        OOFPredictions.from_columns({"a": one, "b": one.iloc[::-1]}, TWO)


def wrong(k, value):
    return np.where(np.arange(N) == k, value, SCORES[:, 0])


@pytest.mark.parametrize(
    ("source", "y", "words"),
    [
        (SCORES[:20, 0], TWO, "'b' has 20 rows, but y has 30"),
        (np.where(np.arange(N) == 4, "x", "yes"), Y, "'b' has 'x' in row 5"),
        (P[0] * 2, Y, "'b': the probabilities of row 1 are"),
        (P[0], TWO, "'b' has 3 columns, but y has 2 classes"),
        (np.array(["yes"] * N), TWO, "'b' has 'yes' in row 1, which is not a number"),
        (
            pd.Series(TWO, index=[*range(5, N + 5)]),
            pd.Series(TWO, index=[*range(1, N + 1)]),
            "no row for 4 labels of the index of y, such as 1. It",
        ),
        (pd.DataFrame({"u": TWO, "v": TWO}), TWO, "columns u, v, of which none are named"),
        ("nothing.npy", TWO, "there is no file nothing.npy"),
        (lambda: SCORES[:5, 0], TWO, "what its function returned"),
    ],
)
def test_what_is_wrong_is_named_by_configuration_and_row(source, y, words):
    first = P[0] if y is Y else SCORES[:, 0]
    with pytest.raises((ValueError, FileNotFoundError), match=words.replace("(", r"\(")):
        OOFPredictions.from_columns({"a": first, "b": source}, y)


@pytest.mark.parametrize(
    ("content", "words"), [("", "is empty"), ("p\n0.1\n0.", "written by half")]
)
def test_files_that_are_empty_or_written_by_half_are_refused(content, words, tmp_path):
    (tmp_path / "a.csv").write_text(content)
    with pytest.raises(ValueError, match=words):
        OOFPredictions.from_columns({"a": tmp_path / "a.csv"}, [0, 1])


def test_half_of_an_array_is_refused(tmp_path):
    np.save(tmp_path / "a.npy", SCORES[:, 0])
    content = (tmp_path / "a.npy").read_bytes()
    (tmp_path / "a.npy").write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match=r"a\.npy\) cannot be read"):
        OOFPredictions.from_columns({"a": tmp_path / "a.npy"}, TWO)


def test_functions_are_called_in_turn_and_once():
    called = []

    def source(k):
        return lambda: called.append(k) or SCORES[:, k]

    OOFPredictions.from_columns({"a": source(0), "b": source(1)}, TWO)
    assert called == [0, 1]


@pytest.mark.filterwarnings("ignore:a is left out")
def test_a_missing_prediction_is_kept_and_its_configuration_cannot_win():
    perfect = np.where(np.arange(N) == 3, np.nan, TWO)
    oof = OOFPredictions.from_columns({"a": perfect, "b": SCORES[:, 1]}, TWO)
    result = BBC(random_state=0, n_bootstraps=50).estimate(oof, "roc_auc")
    assert result.details["winner"] == 1


@pytest.mark.parametrize("positive", ["no", "yes", None])
def test_scores_in_one_column_are_of_the_event(positive):
    """So are those of a long table and of a matrix; probabilities of both classes stay theirs."""
    y, score = np.tile(["no", "yes"], 15), SCORES[:, 0]
    table = pd.DataFrame({"row": np.arange(N), "model": "a", "y": y, "p": score})
    of_class = score if positive == "no" else 1 - score
    found = [
        OOFPredictions.from_columns({"a": score}, y, positive=positive),
        OOFPredictions(y_true=y, y_pred=score, pos_label=positive),
        OOFPredictions.from_long(
            table, sample="row", config="model", target="y", prediction="p", positive=positive
        ),
        OOFPredictions.from_columns(
            {"a": np.column_stack([of_class, 1 - of_class])}, y, positive=positive
        ),
    ]
    estimates = [BBC(random_state=0).estimate(oof, "roc_auc").estimate for oof in found]
    assert estimates == pytest.approx([estimates[0]] * 4)
    assert [oof.pos_label for oof in found] == [positive] * 4


def test_an_event_that_is_no_class_is_named():
    with pytest.raises(ValueError, match="positive='maybe' must be one of two classes"):
        OOFPredictions.from_columns(
            {"a": SCORES[:, 0]}, np.tile(["no", "yes"], 15), positive="maybe"
        )
