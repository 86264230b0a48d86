"""The learn/evaluation split: sizes, seeds, rules, and data that are too small for it."""

import numpy as np
import pytest
from sklearn.metrics import make_scorer

from benchmarks.published.replication import LearnEvaluate
from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals import Best, DeLong, SelectionRule, TopShare
from sklearn_bbc.metrics import as_metric
from tests.made import made


def predictions(n_samples=100, n_configs=20, seed=0, n_folds=5, **more):
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % 2
    scores = rng.normal(size=(n_samples, n_configs)) + y[:, None]
    return made(y_true=y, y_pred=scores, fold=np.arange(n_samples) // 2 % n_folds, **more)


def select(oof, scoring="roc_auc", **parameters):
    return LearnEvaluate(**parameters).select(as_metric(scoring).bind(oof))


def test_parts_have_the_right_size_and_the_size_is_rounded_down():
    selected = select(predictions(50), random_state=0)
    assert selected.learn.sum() == 37  # floor(0.75 * 50)
    assert np.array_equal(selected.evaluate, ~selected.learn)
    assert select(predictions(50), learn_share=0.6, random_state=0).learn.sum() == 30


def test_scores_are_fold_means_on_the_learn_part_and_plain_on_the_other():
    oof = predictions()
    selected = select(oof, random_state=1)
    metric, scores = as_metric("roc_auc").score_func, oof.matrix("roc_auc")
    for config in (0, 7):
        by_fold = [
            metric(oof.y_true[here], scores[here, config])
            for fold in range(5)
            for here in [selected.learn & (oof.fold == fold)]
        ]
        assert selected.learn_scores[config] == pytest.approx(np.mean(by_fold))
    evaluate = selected.evaluate
    expected = [metric(oof.y_true[evaluate], scores[evaluate, c]) for c in selected.candidates]
    np.testing.assert_allclose(selected.evaluate_scores, expected)
    assert selected.reported == selected.candidates[np.argmax(expected)]
    threshold = np.quantile(selected.learn_scores, 0.9)
    assert set(selected.candidates) == set(np.flatnonzero(selected.learn_scores >= threshold))


def test_a_seed_gives_the_same_split_and_its_own_seed_comes_first():
    oof = predictions()
    kernel = as_metric("roc_auc").bind(oof)
    once, again = (select(oof, random_state=4) for _ in range(2))
    assert np.array_equal(once.learn, again.learn)
    assert not np.array_equal(once.learn, select(oof, random_state=5).learn)
    given_seed = LearnEvaluate().select(kernel, random_state=4)
    assert np.array_equal(given_seed.learn, once.learn)
    own = LearnEvaluate(random_state=4).select(kernel, random_state=5)
    assert np.array_equal(own.learn, once.learn)
    unseeded = LearnEvaluate().select(kernel)
    repeated = LearnEvaluate(random_state=unseeded.seed).select(kernel)
    assert np.array_equal(unseeded.learn, repeated.learn)


def test_repeats_are_split_together():
    oof = predictions(60)
    scores = oof.matrix("roc_auc")
    folds = np.stack([oof.fold, oof.fold[::-1]])
    repeated = OOFPredictions(y_true=oof.y_true, y_pred=np.stack([scores, scores]), fold=folds)
    selected = select(repeated, random_state=0)
    assert selected.learn.sum() == 45
    once = select(oof, random_state=0)
    np.testing.assert_allclose(
        selected.evaluate_scores,
        as_metric("roc_auc").bind(oof).scores(selected.evaluate[None])[0, selected.candidates],
    )
    assert once.learn.shape == selected.learn.shape


def test_a_failed_configuration_is_no_candidate():
    failed = np.zeros(20, dtype=bool)
    oof = predictions()
    best = select(oof, rule=Best(), random_state=0).candidates[0]
    failed[best] = True
    again = select(predictions(failed=failed), rule=Best(), random_state=0)
    assert again.candidates[0] != best
    assert np.isnan(again.learn_scores[best])


def test_a_rule_of_ones_own():
    class FirstTwo(SelectionRule):
        label = "-first-two"

        def candidates(self, scores):
            return np.array([0, 1])

    oof = predictions()
    result = DeLong(selection=LearnEvaluate(FirstTwo(), random_state=0)).estimate(oof, "roc_auc")
    assert result.method == "DL-first-two"
    assert result.details["config"] in (0, 1)


def test_a_class_too_small_for_both_parts_raises():
    # Five of the minority, one per fold: the learn part needs all of them.
    y = np.arange(50) >= 45
    oof = OOFPredictions(
        y_true=y, y_pred=np.random.default_rng(0).normal(size=(50, 4)), fold=np.arange(50) % 5
    )
    with pytest.raises(UndefinedIntervalError, match="none of 1000 random splits into 37 and 13"):
        select(oof)


def test_the_level_for_all_candidates_is_sidaks_and_not_bonferronis():
    selected = select(predictions(), random_state=0)
    n = len(selected.candidates)
    assert n > 1
    level = selected.sidak_level(0.9)
    assert level == pytest.approx(0.9 ** (1 / n), abs=1e-15)
    assert level**n == pytest.approx(0.9, abs=1e-14), "independent intervals all hold so often"
    assert 1 - 0.1 / n - level > 1e-4, "Bonferroni's level is higher"


def numbers(n_samples=100, **fields):
    y = np.random.default_rng(0).normal(size=n_samples)
    return made(y_true=y, y_pred=np.stack([y, y / 2, 0 * y], axis=1), **fields)


def test_a_share_that_is_whole_but_for_rounding_is_whole():
    assert 0.29 * 100 < 29
    assert select(numbers(), "r2", learn_share=0.29, random_state=0).learn.sum() == 29


@pytest.mark.filterwarnings("ignore:.*groups are split between folds")
def test_groups_that_are_learned_from_are_whole_and_untested_samples_in_no_part():
    fold = np.where(np.arange(100) % 9 == 4, -1, np.arange(100) // 20)
    selected = select(numbers(fold=fold, groups=np.arange(100) // 4), "r2", random_state=0)
    assert not (selected.learn | selected.evaluate)[fold < 0].any()
    assert (selected.learn ^ selected.evaluate)[fold >= 0].all()
    of_group = [set(selected.learn[4 * g : 4 * g + 4][fold[4 * g : 4 * g + 4] >= 0])
                for g in range(25)]  # fmt: skip
    assert all(len(found) == 1 for found in of_group)
    assert sum(True in found for found in of_group) == 18  # floor(0.75 * 25)


def test_metrics_without_a_score_in_a_part_are_refused():
    def only(size):
        return make_scorer(lambda y, p: 1.0 if len(y) in size else np.nan)

    oof = numbers(fold=np.arange(100) % 2)
    with pytest.raises(UndefinedIntervalError, match="in some fold of the learn part for every"):
        select(oof, only({100, 50, 25}), random_state=0)
    oof = numbers(fold=np.zeros(100, int))
    with pytest.raises(UndefinedIntervalError, match="undefined on the evaluation part for every"):
        select(oof, only({100, 75}), random_state=0)
    assert select(oof, only({100, 75, 25}), random_state=0).reported == 0


def test_a_fold_without_a_class_is_the_one_that_is_named():
    y = np.repeat([0, 1], [10, 10])
    fold = np.r_[np.arange(10) % 2, np.arange(10) % 3]
    oof = OOFPredictions(y_true=y, y_pred=np.arange(20.0), fold=fold)
    with pytest.raises(UndefinedIntervalError, match="but fold 2 holds no class 0"):
        select(oof)


def test_candidates_without_a_score_on_the_evaluation_part_are_not_reported():
    """A constant prediction has no score on 25 samples."""
    scorer = make_scorer(lambda y, p: np.nan if len(y) == 25 and not p.any() else 1.0)
    oof = numbers(fold=np.zeros(100, int))
    selected = select(oof, scorer, rule=TopShare(0.9), random_state=0)
    assert selected.candidates.tolist() == [0, 1, 2] and selected.reported == 0
    assert np.isnan(selected.evaluate_scores).tolist() == [False, False, True]
