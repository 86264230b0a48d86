"""Parts of predictions: some samples and configurations, with all that belongs to them."""

from collections.abc import Mapping
from dataclasses import fields

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import DeLong, LearnEvaluate
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.predictions._parts import AXES, fields_of_samples
from sklearn_bbc.predictions._predictions import taken, with_fields
from tests.made import made

N = 40
RNG = np.random.default_rng(0)
Y = np.tile([0, 1], N // 2)
FOLD = RNG.permutation(np.arange(N) // 2) % 4
SCORES = RNG.random((3, 2 * N)).astype(np.float32)
WEIGHT = RNG.uniform(1, 9, N)


FIELDS = [f.name for f in fields(OOFPredictions) if f.name not in ("selected", "selected_by")]


def everything(**fields):
    return made(
        **{
            "y_true": Y,
            "responses": {"predict_proba": SCORES, "predict": (SCORES > 0.5).astype(np.int8)},
            "sample": np.tile(np.arange(N), 2),
            "fold": np.concatenate([FOLD, FOLD + 4]),
            "sample_weight": WEIGHT,
            "groups": np.arange(N),
            "params": [{"C": k} for k in range(3)],
            "failed": [False, True, False],
            "selected": 2,
            "fold_scores": {"roc_auc": np.zeros((8, 3))},
            **fields,
        }
    )


def test_a_part_keeps_what_belongs_to_its_samples():
    kept, configs = np.arange(N) % 3 > 0, np.array([2, 0])
    part = taken(everything(), configs=configs, samples=kept)
    rows = np.tile(kept, 2)
    np.testing.assert_array_equal(part.y_true, Y[kept])
    np.testing.assert_array_equal(part.sample_weight, WEIGHT[kept])
    np.testing.assert_array_equal(part.groups, np.arange(N)[kept])
    np.testing.assert_array_equal(part.responses["predict_proba"], SCORES[configs][:, rows])
    np.testing.assert_array_equal(part.sample, np.tile(np.arange(kept.sum()), 2))
    assert part.params == ({"C": 2}, {"C": 0}) and part.failed.tolist() == [False, False]
    assert part.n_repeats == 2 and part.selected is None and not part.fold_scores
    assert {name: array.dtype for name, array in part.responses.items()} == {
        "predict_proba": np.float32,
        "predict": np.int8,
    }


@given(st.integers(0, 1000))
def test_the_score_of_a_part_is_the_weighted_score_of_its_samples(seed):
    kept = np.random.default_rng(seed).random(N) < 0.6
    part = taken(everything(failed=None), samples=kept)
    found = as_metric("roc_auc").bind(part).scores(np.ones((1, kept.sum()), dtype=np.uint8))[0]
    expected = [
        np.mean(
            [
                roc_auc_score(Y[kept], half[kept], sample_weight=WEIGHT[kept])
                for half in np.split(column, 2)
            ]
        )
        for column in SCORES
    ]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_folds_of_a_part_hold_the_same_samples():
    kept = RNG.random(N) < 0.5
    part = taken(everything(), samples=kept)
    position = np.flatnonzero(kept)
    folds = [set(position[part.sample[part.fold == k]]) for k in range(part.n_splits)]
    expected = [set(np.flatnonzero(kept & (FOLD == k))) for k in range(4)]
    assert folds == [fold for fold in expected if fold] * 2


@pytest.mark.parametrize("split", [0, 3, 5])
def test_one_fold_of_one_configuration(split):
    oof = everything()
    fold = taken(oof, configs=np.array([2]), rows=np.flatnonzero(oof.fold == split))
    members = np.flatnonzero(FOLD == split % 4)
    np.testing.assert_array_equal(fold.y_true, Y[members])
    np.testing.assert_array_equal(fold.sample_weight, WEIGHT[members])
    np.testing.assert_array_equal(fold.groups, members)
    np.testing.assert_array_equal(
        fold.responses["predict_proba"], SCORES[2:, members + N * (split >= 4)]
    )


@pytest.mark.filterwarnings("error")
def test_the_user_is_not_warned_of_a_part_again():
    with pytest.warns(UserWarning, match="split between folds"):
        oof = everything(groups=np.arange(N) // 4)
    taken(oof, samples=np.ones(N, bool))
    taken(oof, configs=np.array([0]), rows=np.flatnonzero(oof.fold == 0))


def test_weights_reach_the_score_of_the_evaluation_part():
    n = 80
    y, rng = np.arange(n) % 2, np.random.default_rng(0)
    pred = rng.normal(size=(n, 3)) + y[:, None]
    weight = rng.integers(1, 9, size=n)
    oof = OOFPredictions(y_true=y, y_pred=pred, fold=np.arange(n) // 2 % 4, sample_weight=weight)
    result = DeLong(selection=LearnEvaluate(random_state=0)).estimate(oof, "roc_auc")
    samples = LearnEvaluate(random_state=0).select(as_metric("roc_auc").bind(oof), None)
    kept, config = samples.evaluate, result.details["config"]
    alone = OOFPredictions(y_true=y[kept], y_pred=pred[kept, config], sample_weight=weight[kept])
    own = as_metric("roc_auc").bind(alone).scores(np.ones((1, kept.sum()), dtype=np.uint8))[0, 0]
    assert result.estimate == own


def test_some_configurations_for_the_same_samples():
    oof = everything().with_selected(1)
    pair = taken(oof, configs=np.array([2, 0]))
    assert pair.n_configs == 2 and pair.selected is None
    for name, array in pair.responses.items():
        np.testing.assert_array_equal(array, oof.responses[name][[2, 0]])
    for name in ("y_true", "sample", "fold", "repeat", "groups", "sample_weight"):
        np.testing.assert_array_equal(getattr(pair, name), getattr(oof, name))
    assert pair.params == ({"C": 2}, {"C": 0}) and pair.failed.tolist() == [False, False]
    assert pair.fold_scores["roc_auc"].shape == (8, 2)
    assert all(not array.flags.writeable for array in pair.responses.values())


def test_all_configurations_are_the_predictions_themselves():
    oof = everything(selected=None)
    every = np.arange(oof.n_configs)
    assert taken(oof, configs=every) is oof
    assert taken(oof.with_selected(1), configs=every).selected is None


def with_every_field():
    """Predictions of which every field holds something, so that a lost one shows."""
    oof = everything(
        groups=FOLD + 5,
        train_size=np.arange(30, 38),
        pos_label=1,
        classes=[0, 1],
        metadata={
            "cost": np.arange(N) / 7,
            "series": pd.Series(np.arange(N) * 3, index=np.arange(N)[::-1]),
            "names": [f"sample {k}" for k in range(N)],
            "one": 3,
        },
        notes=["about all"],
    ).with_blocks(2, order=np.arange(N)[::-1])
    oof = with_fields(oof, score_sign=1, n_effective=np.array([30.0, 50.5, 40.0]))
    lost = [
        name for name in FIELDS if getattr(oof, name) is None or not np.size(getattr(oof, name))
    ]
    assert not lost
    return oof


def test_it_is_said_of_each_field_how_a_part_takes_it():
    assert sorted(AXES) == sorted([*FIELDS, "n_effective"])


def same_field(found, expected):
    if isinstance(expected, Mapping):
        assert found.keys() == expected.keys()
        for name in expected:
            same_field(found[name], expected[name])
    elif isinstance(expected, pd.Series):
        pd.testing.assert_series_equal(found, expected)
    else:
        np.testing.assert_array_equal(found, expected)


# Sizes of `with_every_field` all differ, so that a shape tells what an axis counts.
COUNTED = {N: "samples", 2 * N: "rows", 3: "configs", 8: "splits"}


def axes_of(value):
    """What the axes of a value count, by their lengths; "" for none of these."""
    if isinstance(value, (int, str)):
        return []
    if isinstance(value, Mapping):
        return axes_of(next(iter(value.values())))
    shape = (len(value),) if isinstance(value, (list, tuple)) else value.shape
    return [COUNTED.get(length, "") for length in shape]


def by_hand(value, index):
    """Take a value entry by entry along each axis that has an index."""
    if isinstance(value, Mapping):
        return {name: by_hand(entry, index) for name, entry in value.items()}
    if isinstance(value, pd.Series):
        return value.iloc[index["samples"]] if "samples" in index else value
    axes = axes_of(value)
    for k, axis in enumerate(axes):
        if axis in index:
            value = np.stack([np.take(value, i, axis=k) for i in index[axis]], axis=k)
    return value


@pytest.mark.parametrize("configs", [[2, 0], [1], slice(1, 3)], ids=str)
@pytest.mark.parametrize("name", [*FIELDS, "n_effective"])
def test_some_configurations_take_each_field(name, configs):
    oof = with_every_field()
    configs = configs if isinstance(configs, slice) else np.array(configs)
    part = taken(oof, configs=configs)
    expected = by_hand(getattr(oof, name), {"configs": np.arange(3)[configs]})
    same_field(getattr(part, name), expected)
    assert part.selected is None and part.selected_by == "given"


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize(
    "samples", [np.arange(N) % 3 > 0, np.array([5, 5, 0, 39, 7])], ids=["some", "repeated"]
)
def test_some_samples_take_each_field(samples, name):
    oof, configs = with_every_field(), np.array([2, 0])
    part = taken(oof, configs=configs, samples=samples)
    positions = np.flatnonzero(samples) if samples.dtype == bool else samples
    # By repeat, then by the place of the sample among those that were taken.
    rows = [
        r for half in (range(N), range(N, 2 * N)) for s in positions for r in half if r % N == s
    ]
    found, value = getattr(part, name), getattr(oof, name)
    if name == "sample":
        assert found.tolist() == 2 * list(range(len(positions)))
    elif name == "fold":  # splits are numbered anew where some have no sample left
        codes = {fold: k for k, fold in enumerate(sorted(set(oof.fold[rows].tolist())))}
        assert found.tolist() == [codes[fold] for fold in oof.fold[rows].tolist()]
    elif name == "split_repeat":
        assert found[part.fold].tolist() == oof.repeat[rows].tolist()
    elif "splits" in axes_of(value) or name == "notes":  # of whole splits, or of all samples
        assert not found
    else:
        same_field(found, by_hand(value, {"configs": configs, "samples": positions, "rows": rows}))


def test_rows_become_samples_of_their_own():
    oof = with_every_field()
    rows = np.flatnonzero(oof.fold == 5)
    part = taken(oof, configs=np.array([1]), rows=rows)
    for name in ("y_true", "groups", "sample_weight", "order"):
        np.testing.assert_array_equal(getattr(part, name), getattr(oof, name)[oof.sample[rows]])
    assert part.sample.tolist() == list(range(len(rows))) and part.failed.tolist() == [True]


def test_what_is_known_of_samples_does_not_depend_on_who_predicts_them():
    oof = with_every_field()
    other = with_fields(taken(oof, configs=np.array([1])), **fields_of_samples(oof))
    assert other == taken(oof, configs=np.array([1]))
    of_samples = {name for name in FIELDS if axes_of(getattr(oof, name)) == ["samples"]}
    assert fields_of_samples(oof).keys() == of_samples | {"block_length", "block_kind"}


def test_blocks_without_times_keep_the_order_of_the_rows():
    oof = everything(groups=None).with_blocks(2)
    assert oof.order is None
    part = taken(oof, samples=np.array([8, 3, 5]))
    assert part.order.tolist() == [8, 3, 5] and part.block_length == 2


class AllTurned(LearnEvaluate):
    """A step after which scores are judged in reverse."""

    def _turned(self, kernel, configs, samples):
        return np.ones(len(configs), dtype=bool)


def test_a_step_may_turn_scores_for_the_method():
    y, rng = np.arange(80) % 2, np.random.default_rng(1)
    scores = rng.normal(size=(80, 2)) + y[:, None]
    oof = OOFPredictions(y_true=y, y_pred=scores, fold=np.arange(80) // 2 % 4)
    plain, turned = (
        DeLong(selection=step(random_state=0)).estimate(oof, "roc_auc")
        for step in (LearnEvaluate, AllTurned)
    )
    assert turned.estimate == pytest.approx(1 - plain.estimate, abs=1e-12)
    assert oof.responses["plain"].tolist() == scores.T.tolist()
