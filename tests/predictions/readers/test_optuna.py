"""Studies of Optuna, whose trials reported a value for each item or fold."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import BBCF

VALUES = np.random.default_rng(0).normal(size=(12, 5)) + np.arange(5) / 10
"""Items in rows, trials in columns."""


class RandomSampler:
    pass


def study(values=VALUES, states=None, direction="MAXIMIZE", sampler=None, value=np.mean):
    states = ["COMPLETE"] * values.shape[1] if states is None else states
    trials = []
    for number, (column, state) in enumerate(zip(values.T, states)):
        reported = {k: float(v) for k, v in enumerate(column) if not np.isnan(v)}
        trials.append(
            SimpleNamespace(
                number=number, state=SimpleNamespace(name=state), params={"x": number},
                intermediate_values=reported,
                value=float(value(list(reported.values()))) if state == "COMPLETE" else None,
            )
        )  # fmt: skip
    return SimpleNamespace(
        trials=trials, directions=[SimpleNamespace(name=direction)],
        sampler=RandomSampler() if sampler is None else sampler,
    )  # fmt: skip


@pytest.mark.parametrize("direction", ["MAXIMIZE", "MINIMIZE"])
def test_items_are_those_of_a_table_made_by_hand(direction):
    oof = OOFPredictions.from_optuna(study(direction=direction))
    greater = direction == "MAXIMIZE"
    by_hand = OOFPredictions.from_scores(VALUES, greater_is_better=greater)
    assert oof.score_sign == by_hand.score_sign
    assert_array_equal(oof.y_true, by_hand.y_true)
    for name, values in by_hand.responses.items():
        assert_array_equal(oof.responses[name], values)
    assert oof.params[4]["configuration"] == "trial 4"
    assert any("give the value of the study of Optuna" in note for note in oof.notes)


@pytest.mark.parametrize("direction", ["MAXIMIZE", "MINIMIZE"])
def test_folds_are_scores_per_fold(direction):
    sign = 1 if direction == "MAXIMIZE" else -1
    values = sign * (VALUES - 4)
    oof = OOFPredictions.from_optuna(study(values, None, direction), steps="folds", metric="r2")
    assert_allclose(oof.fold_scores["r2"], VALUES - 4)
    assert oof.params[3] == {"x": 3}
    by_hand = OOFPredictions.from_fold_scores({"r2": VALUES - 4})
    one, other = (BBCF(random_state=0).estimate(each, "r2") for each in (oof, by_hand))
    assert tuple(one) == tuple(other)


def test_pruned_and_short_trials_are_left_out():
    values = VALUES.copy()
    values[6:, 1] = values[:4, 2] = np.nan
    states = ["COMPLETE", "PRUNED", "COMPLETE", "FAIL", "COMPLETE"]
    oof = OOFPredictions.from_optuna(study(values, states, sampler=object()))
    assert [each["configuration"] for each in oof.params] == ["trial 0", "trial 4"]
    notes = "\n".join(oof.notes)
    assert "Of 5 trials left out" in notes and "1 pruned" in notes and "1 fail" in notes
    assert "since they reported other steps: trial 2" in notes
    assert "object may have chosen configurations" in notes
    assert not any("may have chosen" in note for note in OOFPredictions.from_optuna(study()).notes)


def test_values_that_are_no_means_are_warned_of():
    with pytest.warns(IntervalWarning, match="returns something else than the mean of the steps"):
        OOFPredictions.from_optuna(study(value=max))


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        (object(), {}, "must be a study of Optuna"),
        (study(VALUES[:2]), {}, "none has reported three steps"),
        (study(states=["PRUNED"] * 5), {}, "0 complete"),
        (study(), {"steps": "epochs"}, "steps must be 'items' or 'folds'"),
        (SimpleNamespace(trials=[], directions=[1, 2]), {}, "2 objectives"),
    ],
)
def test_bad_input(given, options, message):
    with pytest.raises(ValueError, match=message):
        OOFPredictions.from_optuna(given, **options)


def test_a_real_study():
    optuna = pytest.importorskip("optuna", reason="a study of Optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def objective(trial):
        x = trial.suggest_float("x", -1, 1)
        values = VALUES[:, 0] + x
        for step, value in enumerate(values):
            trial.report(value, step)
        return values.mean()

    real = optuna.create_study(sampler=optuna.samplers.RandomSampler(0), direction="maximize")
    real.optimize(objective, n_trials=6)
    oof = OOFPredictions.from_optuna(real, steps="folds")
    assert_allclose(oof.fold_scores["score"].mean(axis=0), [trial.value for trial in real.trials])
    assert oof.params[2] == real.trials[2].params and len(oof.notes) == 1


@pytest.mark.filterwarnings("ignore:WilcoxonPruner is experimental")
def test_trials_that_the_pruner_for_items_ended_are_left_out():
    optuna = pytest.importorskip("optuna", reason="a study of Optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    items = np.random.default_rng(1).normal(size=(30, 1))

    def objective(trial):
        x = trial.suggest_float("x", -1, 1)
        values = (items + np.random.default_rng(trial.number).normal(x, 0.3, (30, 1))).ravel()
        order = np.random.default_rng(trial.number + 50).permutation(30)
        for done, item in enumerate(order, start=1):
            trial.report(values[item], int(item))
            if trial.should_prune():  # its documentation says to return the mean so far
                return values[order[:done]].mean()
        return values.mean()

    pruner = optuna.pruners.WilcoxonPruner(p_threshold=0.1)
    sampler = optuna.samplers.RandomSampler(0)
    real = optuna.create_study(sampler=sampler, pruner=pruner, direction="maximize")
    real.optimize(objective, n_trials=12)
    whole = [trial for trial in real.trials if len(trial.intermediate_values) == 30]
    assert 2 < len(whole) < 12 and all(trial.state.name == "COMPLETE" for trial in real.trials)
    oof = OOFPredictions.from_optuna(real)
    assert [each["configuration"] for each in oof.params] == [f"trial {t.number}" for t in whole]
    assert_allclose(oof.responses["plain"].mean(axis=1), [trial.value for trial in whole])
    assert any("since they reported other steps" in note for note in oof.notes)
