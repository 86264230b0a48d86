"""Parts of predictions keep everything that belongs to their samples and configurations."""

import numpy as np

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import DeLong, LearnEvaluate
from sklearn_bbc.intervals._part import fold_of, part_of
from sklearn_bbc.metrics import as_metric

N = 12
RNG = np.random.default_rng(3)
Y = np.array(list("ab"))[np.arange(N) % 2]
WEIGHT = RNG.random(N) + 0.1
OOF = OOFPredictions(
    y_true=Y,
    responses={
        "decision_function": RNG.normal(size=(3, N)),
        "predict": np.tile(np.arange(N) % 2, (3, 1)),
    },
    fold=np.arange(N) // 4,
    groups=np.arange(N) // 2,
    sample_weight=WEIGHT,
    params=[{"C": c} for c in range(3)],
    failed=[False, True, False],
    selected=2,
)
KEPT = np.arange(N) % 3 > 0


def test_what_belongs_to_samples_and_configurations_comes_along():
    part = part_of(OOF, KEPT, np.array([2, 1]))
    for name in ("y_true", "groups", "sample_weight"):
        np.testing.assert_array_equal(getattr(part, name), getattr(OOF, name)[KEPT])
    np.testing.assert_array_equal(part.sample, np.arange(KEPT.sum()))
    np.testing.assert_array_equal(part.fold, OOF.fold[KEPT])
    for name, values in OOF.responses.items():
        np.testing.assert_array_equal(part.responses[name], values[[2, 1]][:, KEPT])
    assert part.params == ({"C": 2}, {"C": 1})
    assert part.failed.tolist() == [False, True]
    assert part.classes_.tolist() == ["a", "b"]
    assert part.selected is None


def test_scores_may_be_turned_but_not_labels():
    part = part_of(OOF, KEPT, np.array([0, 2]), turned=np.array([False, True]))
    scores, labels = OOF.responses["decision_function"], OOF.responses["predict"]
    np.testing.assert_array_equal(
        part.responses["decision_function"], np.array([scores[0], -scores[2]])[:, KEPT]
    )
    np.testing.assert_array_equal(part.responses["predict"], labels[[0, 2]][:, KEPT])


def test_a_fold_keeps_its_weights_and_groups():
    fold = fold_of(OOF, 1, 2)
    here = OOF.fold == 1
    np.testing.assert_array_equal(fold.sample_weight, WEIGHT[here])
    np.testing.assert_array_equal(fold.groups, OOF.groups[here])
    np.testing.assert_array_equal(
        fold.responses["decision_function"], OOF.responses["decision_function"][[2]][:, here]
    )


def test_weights_reach_the_score_of_the_evaluation_part():
    n = 80
    y, rng = np.arange(n) % 2, np.random.default_rng(0)
    pred = rng.normal(size=(n, 3)) + y[:, None]
    weight = rng.integers(1, 9, size=n)
    oof = OOFPredictions(y_true=y, y_pred=pred, fold=np.arange(n) // 2 % 4, sample_weight=weight)
    result = DeLong(selection=LearnEvaluate(random_state=0)).estimate(oof, "roc_auc")
    samples = LearnEvaluate(random_state=0).select(oof, as_metric("roc_auc").bind(oof), None)
    kept, config = samples.evaluate, result.details["config"]
    alone = OOFPredictions(y_true=y[kept], y_pred=pred[kept, config], sample_weight=weight[kept])
    own = as_metric("roc_auc").bind(alone).scores(np.ones((1, kept.sum()), dtype=np.uint8))[0, 0]
    assert result.estimate == own
