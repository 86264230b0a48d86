"""Questions: what they open to, and that methods answer them as they do what they are given."""

import numpy as np
import pytest
from sklearn.base import clone

from sklearn_bbc import OOFPredictions
from sklearn_bbc.contest import Contest, FoldContest, Question
from sklearn_bbc.intervals import BBC, BBCF, CorrectedT, ShrunkenBBC, TibshiraniTibshirani
from sklearn_bbc.metrics import FoldTable, as_metric
from sklearn_bbc.selection import OneStandardError, SelectedBy, WithThreshold
from tests.selection.draws import predictions

AREA, BRIER = as_metric("roc_auc"), as_metric("neg_brier_score")
SIMPLE = OneStandardError("depth")
FEW = {"n_bootstraps": 40, "random_state": 0}


@pytest.mark.parametrize("rule", [None, SIMPLE, SelectedBy("neg_brier_score")])
@pytest.mark.parametrize("method", [BBC(**FEW), ShrunkenBBC(**FEW), BBCF(**FEW)])
def test_a_rule_of_the_question_is_as_one_of_the_method(method, rule):
    oof = predictions(n_samples=120)
    found = method.answer(Question(oof=oof, metric=AREA, rule=rule))
    expected = clone(method).set_params(selection=rule).estimate(oof, AREA)
    np.testing.assert_array_equal(found.draws, expected.draws)
    assert (found.estimate, found.details) == (expected.estimate, expected.details)


@pytest.mark.parametrize("rule", [None, SIMPLE, SelectedBy("neg_brier_score")])
def test_a_question_opens_to_the_winner_that_methods_report(rule):
    oof = predictions(n_samples=120, n_repeats=2)
    question = Question(oof=oof, metric=AREA, rule=rule)
    for method, contest in (
        (BBC(**FEW), question.open()),
        (BBCF(**FEW), question.open(on_folds=True)),
    ):
        details = method.answer(question).details
        assert (contest.winner, contest.winner_by) == (details["winner"], details["winner_by"])
        outcome = contest.rule.on_all()
        assert contest.selects_winner(outcome).all()


def test_scores_per_fold_and_predictions_are_one_contest_on_folds():
    oof = predictions(n_samples=120, n_repeats=2)
    scores = AREA.bind(oof).fold_scores()
    alone = OOFPredictions.from_fold_scores({"roc_auc": scores}, repeat=oof.split_repeat)
    contests = [FoldContest(FoldTable(AREA, each)) for each in (oof, alone)]
    for contest in contests:
        assert isinstance(contest, Contest) and contest.winner == scores.mean(axis=0).argmax()
        assert len(contest.repeats) == 2
        for repeat, part in enumerate(contest.repeats):
            np.testing.assert_array_equal(
                part.scored.fold_scores, scores[oof.split_repeat == repeat]
            )
        counts = np.random.default_rng(0).integers(0, 3, (20, 10))
        means = counts @ scores / counts.sum(axis=1, keepdims=True)
        np.testing.assert_array_equal(contest.choose(counts)["config"], means.argmax(axis=1))
    for method in (BBCF(), TibshiraniTibshirani(), CorrectedT()):
        one, other = (method.answer(Question(oof=each, metric=AREA)) for each in (oof, alone))
        assert one.estimate == pytest.approx(other.estimate, rel=1e-12)


def test_a_rule_of_ones_own_takes_the_metric_that_selects_and_its_weights():
    oof = predictions(n_samples=60)
    weights = 1.0 + np.arange(60) % 3
    asked = {"oof": oof, "metric": AREA, "selects": BRIER}
    rule = SelectedBy(BRIER, sample_weight=weights)
    own = Question(**asked, rule=rule).by(SIMPLE)
    assert (own.scoring, own.selection) == (BRIER, SIMPLE) and own.sample_weight is weights
    threshold = WithThreshold("f1")
    assert Question(**asked, rule=rule).by(threshold) is threshold
    assert Question(oof=oof, metric=AREA, selects=AREA).by(SIMPLE) is SIMPLE


def test_what_cannot_be_repeated_or_was_not_kept_is_said():
    question = Question(oof=predictions(), metric=AREA, why_not="It was a human.")
    with pytest.raises(ValueError, match="It was a human"):
        question.open()
    scores = OOFPredictions.from_fold_scores({"roc_auc": np.full((3, 2), 0.7)})
    question = Question(oof=scores, metric=AREA, why_unrecorded="the disk was full")
    with pytest.raises(ValueError, match=r"A curve needs out-of-fold .*: the disk was full"):
        question.predictions("A curve")
