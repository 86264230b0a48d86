"""Means and covariances as sums: parts equal the whole, in any order and by any route."""

import copy
import json
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_bbc import BBC, OOFPredictions, ScoreMoments
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.predictions import _moments

FACTS = ("means", "variances", "covariance", "largest_shares", "skewness")


def two_pass(scores, weight=None, groups=None):
    """Means, covariance and values of the units, written out: a ratio of sums over units."""
    n = len(scores)
    weight = np.ones(n) if weight is None else weight
    groups = np.arange(n) if groups is None else groups
    mean = np.average(scores, axis=0, weights=weight)
    labels = np.unique(groups)
    total = np.array([weight[groups == label].sum() for label in labels])
    values = np.stack(
        [(weight[groups == g, None] * (scores[groups == g] - mean)).sum(axis=0) for g in labels]
    )
    values /= total.mean()
    return mean, values.T @ values / len(labels), values


def in_parts(scores, ends, *, sample_weight=None, groups=None, **arguments):
    """Moments of each part of the rows."""
    parts = []
    for rows in np.split(np.arange(len(scores)), ends):
        own = {"sample_weight": sample_weight, "groups": groups}
        own = {name: None if given is None else given[rows] for name, given in own.items()}
        parts.append(ScoreMoments(scores.shape[1], **arguments).update(scores[rows], **own))
    return parts


def assert_same(one, other, tolerance=1e-12):
    for name in FACTS:
        first, second = getattr(one, name), getattr(other, name)
        np.testing.assert_allclose(first, second, rtol=1e-9, atol=tolerance * np.abs(first).max())
    assert one.n_samples == other.n_samples
    assert one.n_units == other.n_units


@given(
    seed=st.integers(0, 10_000),
    offset=st.sampled_from([0.0, 1.0, -1e3, 1e6]),
    weighted=st.booleans(),
    grouped=st.booleans(),
    ends=st.lists(st.integers(0, 60), max_size=5),
)
def test_sums_of_parts_are_those_of_a_loop_over_all(seed, offset, weighted, grouped, ends):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(60, 4)) * [1, 5, 0.1, 1] + offset
    scores[:, 3] = offset
    weight = rng.random(60) + 0.1 if weighted else None
    groups = rng.integers(12, size=60) if grouped else None
    ends = sorted(ends)
    found = sum(in_parts(scores, ends, sample_weight=weight, groups=groups))
    mean, covariance, values = two_pass(scores, weight, groups)
    size = max(1.0, abs(offset))
    np.testing.assert_allclose(found.means, mean, rtol=1e-14, atol=1e-14)
    np.testing.assert_allclose(found.covariance, covariance, rtol=0, atol=1e-13 * size + 1e-12)
    np.testing.assert_allclose(found.variances, covariance.diagonal(), atol=1e-13 * size + 1e-12)
    assert found.n_units == (len(np.unique(groups)) if grouped else 60)
    square = values[:, :3] ** 2
    skewed = (values[:, :3] ** 3).sum(axis=0) / square.sum(axis=0) ** 1.5
    np.testing.assert_allclose(found.skewness, [*skewed, 0], atol=1e-9 * size)
    share = square.max(axis=0) / square.sum(axis=0)
    assert (found.largest_shares[:3] >= share - 1e-9 * size).all()
    if not (weighted or grouped):
        np.testing.assert_allclose(found.largest_shares, [*share, 0], atol=1e-9 * size)


@pytest.mark.parametrize("weighted, grouped", [(False, False), (True, False), (True, True)])
def test_shares_of_differences_are_bounded_without_another_look(weighted, grouped):
    rng = np.random.default_rng(3)
    scores = rng.gamma(0.3, size=(300, 1)) + rng.random((300, 4)) * [1, 0.1, 3, 0]
    weight = rng.random(300) if weighted else None
    groups = np.arange(300) // 3 if grouped else None
    known = {"sample_weight": weight, "groups": groups}
    bounds = ScoreMoments(4).update(scores, **known).bounds_of_shares(1)
    apart = ScoreMoments(4).update(scores - scores[:, [1]], **known)
    assert (bounds >= apart.largest_shares - 1e-12).all()
    assert (np.sqrt(bounds) >= np.abs(apart.skewness) - 1e-12).all()
    assert (bounds[[0, 2]] < 3).all() and bounds[1] == 0


def test_what_does_not_differ_has_no_bound():
    scores = np.random.default_rng(0).random((50, 1)) + [0.0, 1.0]
    assert ScoreMoments(2).update(scores).bounds_of_shares(0)[1] > 1e9


def test_a_large_mean_costs_no_digits():
    rng = np.random.default_rng(0)
    scores = np.round(rng.normal(size=(200_000, 3)) * 2**10) / 2**10  # exact beside the mean
    plain, moved = (
        sum(in_parts(scores + offset, range(1000, 200_000, 7000))) for offset in (0.0, 2.0**40)
    )
    np.testing.assert_allclose(moved.covariance, plain.covariance, rtol=1e-12)
    np.testing.assert_allclose(plain.covariance, np.cov(scores.T, bias=True), rtol=1e-12)


def test_the_order_of_parts_and_the_tree_by_which_they_are_added_do_not_matter():
    rng = np.random.default_rng(1)
    scores, groups = rng.exponential(size=(90, 3)), np.arange(90) % 13
    parts = in_parts(scores, [20, 50, 70], groups=groups)
    left = parts[0] + parts[1] + parts[2] + parts[3]
    assert_same(left, (parts[3] + parts[1]) + (parts[2] + parts[0]))
    # A part that is added is not changed, and may be computed again after a failure.
    assert_same(left, sum(parts))
    again = sum(in_parts(scores, [20, 50, 70], groups=groups))
    for name in FACTS:
        assert np.array_equal(getattr(again, name), getattr(sum(parts), name))


def test_a_group_in_several_parts_is_one_unit():
    rng = np.random.default_rng(2)
    scores = rng.normal(size=(40, 2))
    labels = np.array(["a", "b", "c", "d", "e"])[np.arange(40) % 5]
    whole = ScoreMoments(2).update(scores, groups=labels)
    assert whole.n_units == 5
    assert_same(whole, sum(in_parts(scores, [3, 11], groups=labels)))
    assert_same(whole, whole.copy().close_groups())
    apart = in_parts(scores[np.argsort(labels)], [16], groups=np.sort(labels))
    assert_same(whole, apart[0].close_groups() + apart[1].close_groups())


def test_a_group_that_was_closed_cannot_come_again():
    closed = ScoreMoments(1).update([[1.0], [2.0]], groups=["a", "b"]).close_groups()
    for more in ([["a"]], [["c"], ["b"]]):
        with pytest.raises(ValueError, match=r"closed by close_groups\(\) and comes again"):
            closed.copy().update([[1.0]] * len(more), groups=np.ravel(more))
    other = ScoreMoments(1).update([[3.0]], groups=["b"])
    for first, second in ((closed, other), (other, closed), (closed, closed)):
        with pytest.raises(ValueError, match="comes again"):
            first + second
    assert closed.n_samples == 2


def test_a_label_is_a_text_in_all_parts_or_in_none():
    numbers = ScoreMoments(1).update([[1.0], [2.0]], groups=[1, 2])
    texts = ScoreMoments(1).update([[3.0]], groups=["1"])
    for change in (
        lambda: numbers.update([[3.0]], groups=["1"]),
        lambda: numbers.copy().close_groups().update([[3.0]], groups=["1"]),
        lambda: texts.update([[3.0], [1.0]], groups=np.array([1, "1"], dtype=object)),
        lambda: numbers + texts,
        lambda: texts + numbers.copy().close_groups(),
    ):
        with pytest.raises(ValueError, match="Some groups are texts, such as '1', and others"):
            change()
    assert (numbers.n_samples, texts.n_samples) == (2, 1)


@pytest.mark.parametrize("copied", [ScoreMoments.copy, copy.copy, lambda one: sum([one])])
def test_a_copy_does_not_change_with_the_sums_it_was_taken_of(copied):
    moments = ScoreMoments(1).update([[1.0], [2.0]])
    assert moments.means == 1.5
    other = copied(moments)
    moments.update([[9.0], [9.0]])
    assert (other.means, other.n_samples, other.n_units) == (1.5, 2, 2)
    other.update([[3.0]])
    assert (moments.means, moments.n_samples) == (5.25, 4)


@pytest.mark.parametrize("grouped", [False, True])
def test_effective_units_are_those_of_equal_weight(grouped):
    weight = np.array([0.0, 1.0, 1.0, 2.0, 0.0, 4.0])
    groups = np.array([0, 0, 1, 1, 2, 3]) if grouped else None
    found = ScoreMoments(1).update(np.arange(6.0)[:, None], sample_weight=weight, groups=groups)
    own = np.array([1.0, 3.0, 0.0, 4.0]) if grouped else weight
    assert found.effective_units == pytest.approx(own.sum() ** 2 / (own @ own))


def test_parts_without_samples_add_nothing():
    scores = np.arange(6.0).reshape(3, 2)
    found = ScoreMoments(2).update(scores)
    assert_same(found, ScoreMoments(2) + found + ScoreMoments(2).update(scores[:0]))
    with pytest.raises(ValueError, match="no samples yet"):
        _ = ScoreMoments(2).update(scores[:0]).means


def test_columns_of_a_table_are_taken_by_name():
    table = pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": [0.0, 1.0, 1.0]})
    found = ScoreMoments(2).update(table)
    assert found.names == ("a", "b")
    assert_same(found + found, found.copy().update(table[["b", "a"]]))
    assert_same(found, ScoreMoments(2, ["a", "b"]).update(table.to_numpy()))


@pytest.mark.parametrize("arguments", [{}, {"groups": np.arange(30) % 7}, {"pairs": False}])
def test_a_file_holds_the_same_sums(arguments, tmp_path):
    scores, pairs = np.random.default_rng(3).normal(size=(30, 3)), arguments.get("pairs", True)
    groups = arguments.get("groups")
    moments = ScoreMoments(3, ["x", "y", "z"], greater_is_better=False, pairs=pairs)
    moments.update(scores[:20], groups=None if groups is None else groups[:20])
    for copied in (
        ScoreMoments.load(moments.save(tmp_path / "sums")),
        pickle.loads(pickle.dumps(moments)),
    ):
        for each in (copied, moments.copy()):
            each.update(scores[20:], groups=None if groups is None else groups[20:])
        whole = moments.copy().update(scores[20:], groups=None if groups is None else groups[20:])
        for name in FACTS if pairs else ("means", "variances"):
            assert np.array_equal(getattr(copied, name), getattr(whole, name))
        assert (copied.names, copied.metric) == (whole.names, "neg_mean_loss")


def test_another_file_is_told(tmp_path):
    path = tmp_path / "other.npz"
    with pytest.raises(FileNotFoundError, match="There is no file"):
        ScoreMoments.load(path)
    path.write_bytes(b"no archive")
    with pytest.raises(ValueError, match="was not written by ScoreMoments"):
        ScoreMoments.load(path)
    np.savez(path, header=np.array(json.dumps({"score_moments": 99})))
    with pytest.raises(ValueError, match="has format 99"):
        ScoreMoments.load(path)


@pytest.mark.parametrize(
    ("scores", "arguments", "message"),
    [
        ([[1.0, 2.0, 3.0]], {}, r"shape \(n_samples, 2\)"),
        ([1.0, 2.0], {}, r"shape \(n_samples, 2\)"),
        ([["a", "b"]], {}, "must be numbers"),
        ([[1.0, 2.0], [np.nan, 1.0]], {}, "missing .NaN.: of 'a', sample 1 of this part"),
        ([[1.0, -np.inf]], {}, "infinite: of 'b', sample 0"),
        ([[1e200, 0.0], [-1e200, 0.0]], {}, "so large that their squares are infinite"),
        ([[1.0, 2.0]], {"sample_weight": [-1.0]}, "finite and not negative"),
        ([[1.0, 2.0]], {"sample_weight": [1.0, 2.0]}, "one number for each of 1 samples"),
        ([[1.0, 2.0]], {"groups": ["a", "b"]}, "groups has 2 entries for 1 sample"),
        (np.array([[1.0, 2.0j]]), {}, "must be numbers"),
        (np.zeros((1, 2), dtype="M8[D]"), {}, "must be numbers"),
        (np.ma.array([[1.0, 2.0]], mask=[[0, 1]]), {}, "scores is a masked array with 1 masked"),
        ([[1.0, 2.0]], {"sample_weight": np.ma.array([1.0], mask=[1])}, "sample_weight is a mask"),
        ([[1.0, 2.0]], {"groups": np.ma.array([1], mask=[1])}, "groups is a masked array"),
        ([[1.0, 2.0]], {"groups": ["a"]}, "Some parts have groups and others have none"),
        (pd.DataFrame({"a": [1.0], "c": [1.0]}), {}, "other names of configurations: 'b' here"),
    ],
)  # fmt: skip
def test_bad_input_is_explained_and_adds_nothing(scores, arguments, message):
    moments = ScoreMoments(2, ["a", "b"]).update([[1.0, 2.0], [3.0, 1.0]])
    before = moments.copy()
    with pytest.raises(ValueError, match=message):
        moments.update(scores, **arguments)
    assert_same(moments, before)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (lambda: ScoreMoments(3).update(np.eye(3)), "2 and 3 configurations"),
        (lambda: ScoreMoments(2, ["a", "c"]).update(np.eye(2)), "'b' here is 'c' there"),
        (lambda: ScoreMoments(2, greater_is_better=False), "Only sums of the same score"),
        (lambda: ScoreMoments(2, pairs=False), "means and variances only"),
        (lambda: ScoreMoments(2).update(np.eye(2), groups=[0, 1]), "Some parts have groups"),
        (lambda: np.eye(2), "other must be ScoreMoments"),
    ],
)  # fmt: skip
def test_parts_that_do_not_belong_together_are_refused(other, message):
    moments = ScoreMoments(2, ["a", "b"]).update([[1.0, 2.0], [3.0, 1.0]])
    before = moments.copy()
    with pytest.raises(ValueError, match=message):
        moments.merge(other())
    assert_same(moments, before)


def test_predictions_are_scored_part_by_part():
    rng = np.random.default_rng(4)
    y = rng.integers(3, size=120)
    labels = np.where(rng.random((120, 4)) < 0.7, y[:, None], rng.integers(3, size=(120, 4)))
    groups, weight = np.arange(120) // 4, rng.random(120)
    parts = (
        {"y_true": y[k], "y_pred": labels[k], "groups": groups[k], "sample_weight": weight[k]}
        for k in np.split(np.arange(120), [30, 50])
    )
    found = ScoreMoments.from_predictions(parts, "accuracy", classes=[0, 1, 2])
    assert_same(
        found,
        ScoreMoments(4).update(labels == y[:, None], groups=groups, sample_weight=weight),
    )
    assert (found.metric, found.bounds, found.is_fixed) == ("accuracy", (0.0, 1.0), False)


@pytest.mark.parametrize("scoring", ["neg_log_loss", "neg_brier_score"])
@pytest.mark.parametrize("labels", [(0, 1), (1, 2), (0, 1, 2)])
def test_a_part_without_one_of_the_classes_is_scored_as_in_the_whole(scoring, labels):
    rng = np.random.default_rng(5)
    codes = np.sort(rng.integers(len(labels), size=60))
    y, values = np.array(labels)[codes], rng.dirichlet(np.ones(len(labels)), size=(60, 3))
    values = values[..., 1] if len(labels) == 2 else values
    parts = [{"y_true": y[k : k + 10], "y_pred": values[k : k + 10]} for k in range(0, 60, 10)]
    found = ScoreMoments.from_predictions(parts, scoring, classes=list(labels))
    whole = ScoreMoments.from_predictions({"y_true": y, "y_pred": values}, scoring)
    np.testing.assert_allclose(found.means, whole.means, rtol=1e-12)


def test_a_part_may_not_take_another_class_as_positive():
    y, values = np.array([1, 1, 1, 2]), np.full((4, 2), 0.3)
    parts = [{"y_true": y[rows], "y_pred": values[rows]} for rows in (slice(2), slice(2, 4))]
    with pytest.raises(ValueError, match=r"Name all of them for all parts: classes=\[1, 2\]"):
        ScoreMoments.from_predictions(parts, "neg_brier_score")


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
def test_a_sample_that_was_held_out_in_several_repeats_is_one_unit(weighted, grouped):
    rng = np.random.default_rng(6)
    y, values = rng.integers(2, size=40), rng.random((2, 40, 3))
    oof = OOFPredictions(
        y_true=y, y_pred=values, fold=np.stack([np.arange(40) // 3 % 5, np.arange(40) // 3 % 4]),
        sample_weight=rng.integers(1, 4, size=40) if weighted else None,
        groups=np.arange(40) // 3 if grouped else None,
    )  # fmt: skip
    losses = -((values - y[:, None]) ** 2).mean(axis=0)
    plain = ScoreMoments(3).update(losses, sample_weight=oof.sample_weight, groups=oof.groups)
    assert_same(plain, ScoreMoments.from_predictions(oof, "neg_brier_score"))
    np.testing.assert_allclose(plain.means, as_metric("neg_brier_score").bind(oof).on_data())


def test_a_sample_that_was_held_out_more_often_weighs_more():
    sample = np.array([0, 1, 2, 2, 3, 2, 0])
    oof = OOFPredictions.from_rows(
        y_true=np.array([0.0, 1.0, 2.0, 5.0]), responses={"predict": np.ones((1, 7))},
        sample=sample, fold=np.array([0, 0, 0, 1, 1, 2, 2]), classes=None,
    )  # fmt: skip
    found = ScoreMoments.from_predictions(oof, "neg_mean_absolute_error")
    assert found.n_units == found.n_samples == 4
    np.testing.assert_allclose(
        found.means, as_metric("neg_mean_absolute_error").bind(oof).on_data()
    )


def test_losses_of_predictions_are_negative_and_can_go_on_by_hand():
    rng = np.random.default_rng(5)
    y, values = rng.normal(size=50), rng.normal(size=(50, 3))
    found = ScoreMoments.from_predictions(
        {"y_true": y, "y_pred": values}, "neg_mean_squared_error"
    )
    loss = (values - y[:, None]) ** 2
    np.testing.assert_allclose(found.means, -loss.mean(axis=0))
    assert_same(found + found, found.copy().update(loss))
    oof = OOFPredictions(y_true=y, y_pred=values)
    assert_same(found, ScoreMoments.from_predictions(oof, as_metric("neg_mean_squared_error")))


@pytest.mark.parametrize(
    ("parts", "scoring", "message"),
    [
        ([], "accuracy", "chunks is empty"),
        (3, "accuracy", "chunks must be OOFPredictions"),
        ([3], "accuracy", "Each part must be OOFPredictions"),
        (
            [{"y_true": [0, 1], "y_pred": [[0.1], [0.3]]}], "average_precision",
            "cannot be added up over parts",
        ),
        (
            [{"y_true": [0, 1], "y_pred": np.eye(2)}, {"y_true": [0, 1], "y_pred": [[0], [1]]}],
            "accuracy", "Part 1 has 1 configurations",
        ),
        (
            [{"y_true": [0.0, 1.0], "y_pred": [[0.0, np.nan], [1.0, 1.0]]}],
            "neg_mean_squared_error", "configuration 1 lacks a prediction in part 0",
        ),
    ],
)  # fmt: skip
def test_predictions_that_cannot_be_added_up_are_told(parts, scoring, message):
    with pytest.raises(ValueError, match=message):
        ScoreMoments.from_predictions(parts, scoring)


def test_parts_without_some_class_are_of_the_same_score():
    y, shares = np.repeat([0, 1], 600), np.random.default_rng(7).uniform(0.1, 0.9, size=(1200, 2))
    parts = [{"y_true": y[k : k + 400], "y_pred": shares[k : k + 400]} for k in (0, 400, 800)]
    of_parts = [
        ScoreMoments.from_predictions(part, "neg_log_loss", classes=[0, 1]) for part in parts
    ]
    found = sum(of_parts)
    assert {each.metric for each in of_parts} == {"neg_log_loss"}
    whole = OOFPredictions(y_true=y, y_pred=shares)
    assert_same(found, ScoreMoments.from_predictions(whole, "neg_log_loss"))
    result = BBC(random_state=0).estimate(found, "neg_log_loss")
    assert result.metric == BBC().estimate(whole, "neg_log_loss").metric


def test_contenders_win_all_but_a_few_draws():
    rng = np.random.default_rng(6)
    scores = rng.normal(size=(2000, 300)) + np.linspace(0, 1, 300)
    first = ScoreMoments(300, pairs=False).update(scores[:900]) + ScoreMoments(
        300, pairs=False
    ).update(scores[900:])
    second = first.contenders()
    assert 1 < second.n_configs < 200
    second.update(scores[:, second.columns])
    whole = ScoreMoments(300).update(scores)
    np.testing.assert_allclose(second.means, whole.means[second.columns])
    results = [BBC(random_state=0, n_bootstraps=20_000).estimate(each) for each in (second, whole)]
    for name in ("winner", "winner_name", "n_configs"):
        assert results[0].details[name] == results[1].details[name]
    assert set(results[1].details["won"]) <= set(second.columns.tolist())
    np.testing.assert_allclose(*[[each.estimate, *each] for each in results], atol=0.002)


def test_moments_without_pairs_send_to_contenders():
    moments = ScoreMoments(2, pairs=False).update(np.eye(2))
    with pytest.raises(ValueError, match=r"Call contenders\(\)"):
        BBC().estimate(moments)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["far from zero", "rising", "few apart", "zeros and ones"])
def test_ten_million_rows_are_those_of_two_passes(kind):
    """In chunks, whose means are far from each other in units of the spread."""
    n, n_chunks = 10**7, 40

    def chunk(k):
        rng = np.random.default_rng(k)
        x = rng.normal(size=(n // n_chunks, 2)) @ [[1.0, 0.3], [0.0, 1.0]]
        if kind == "far from zero":
            return x + 1e6 + k
        if kind == "rising":
            return x + 1000.0 * k
        if kind == "few apart":
            return x + (1e5 if k == n_chunks - 1 else 0.0)
        return (x > 3.0 - 0.05 * k).astype(float)

    moments = ScoreMoments(2)
    for k in range(n_chunks):
        moments.update(chunk(k))
    mean = [math.fsum(chunk(k)[:, c].sum() for k in range(n_chunks)) / n for c in range(2)]
    second = np.zeros((n_chunks, 2, 2))
    rest = np.zeros((n_chunks, 2))
    for k in range(n_chunks):
        apart = chunk(k) - mean
        second[k], rest[k] = apart.T @ apart, apart.sum(axis=0)
    of_mean = rest.sum(axis=0) / n  # what the mean lacks by rounding
    wanted = np.array([[math.fsum(second[:, i, j]) for j in range(2)] for i in range(2)]) / n
    wanted -= np.multiply.outer(of_mean, of_mean)
    np.testing.assert_allclose(moments.means, mean, rtol=1e-12)
    np.testing.assert_allclose(moments.covariance, wanted, rtol=1e-12)


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.float32, float])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("order", ["C", "F"])
def test_zeros_and_ones_are_summed_as_other_numbers(dtype, sign, order, monkeypatch):
    monkeypatch.setattr(_moments, "_MOST_COUNTED", 2500)
    monkeypatch.setattr(_moments, "_NUMBERS", 200)
    rng = np.random.default_rng(0)
    right = (rng.random((6000, 4)) < [0.0, 0.3, 0.9, 1.0]).astype(float)
    mixed = np.vstack([right[:3500], 0.5 + right[3500:]])
    for values, scores in ((right, np.asarray(right, dtype, order)), (mixed, mixed.copy(order))):
        found = ScoreMoments(4, greater_is_better=sign > 0)
        plain = ScoreMoments(4, greater_is_better=sign > 0)
        for k in (0, 4500):
            found.update(scores[k : k + 4500])
            # With weights nothing is counted.
            part = values[k : k + 4500]
            plain.update(part, sample_weight=np.ones(len(part)))
        np.testing.assert_allclose(found.means, sign * values.mean(axis=0), rtol=1e-13)
        wanted = np.cov(values.T, bias=True)
        np.testing.assert_allclose(found.covariance, wanted, rtol=1e-12, atol=1e-15)
        for name in ("covariance", "largest_shares", "skewness"):
            one, other = getattr(found, name), getattr(plain, name)
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-13)


def test_a_mean_far_from_those_before_costs_no_digits():
    rng = np.random.default_rng(1)
    parts = [rng.normal(size=(500, 3)) + shift for shift in (0.0, 1e8, -1e8, 3.0)]
    found = sum(ScoreMoments(3).update(part) for part in parts)
    whole = np.concatenate(parts)
    np.testing.assert_allclose(found.covariance, np.cov(whole.T, bias=True), rtol=1e-12)
    alone = ScoreMoments(3).update(np.ones((5, 3)) * 1e8).update(parts[0])
    exact = np.cov(np.concatenate([np.ones((5, 3)) * 1e8, parts[0]]).T, bias=True)
    np.testing.assert_allclose(alone.covariance, exact, rtol=1e-12)
