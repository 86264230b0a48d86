"""Which response methods a scorer asks, so that no others are listened to."""

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, get_scorer, log_loss
from sklearn.metrics._scorer import _PassthroughScorer, _Scorer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_bbc.search._capture import (
    Listener,
    asked_by,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = (X[:, 0] + RNG.normal(size=60) > 0).astype(int)


class OfItsOwn(_Scorer):
    """May call whatever it likes."""


def test_of_others_it_is_not_known():
    model = LogisticRegression()
    unknown = [
        _PassthroughScorer(model),
        lambda estimator, X, y: estimator.score(X, y),
        OfItsOwn(accuracy_score, 1, {}, "predict"),
        # Asks `predict_proba` of the estimator, which is to be heard.
        _Scorer(log_loss, -1, {}, "predict_log_proba"),
    ]
    for scorer in unknown:
        assert asked_by([scorer]) is None
        assert asked_by([get_scorer("accuracy"), scorer]) is None


def stand_ins(model, asked):
    listener = Listener(model, X, lambda name, answer: answer, None, asked)
    parts = [model, model[-1]]
    found = [sorted({"predict", "predict_proba"} & set(vars(part))) for part in parts]
    listener.stop()
    return found


def test_nothing_else_is_listened_to():
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, Y)
    assert stand_ins(model, ("predict",)) == [["predict"], []]
    assert stand_ins(model, None) == [["predict", "predict_proba"]] * 2
    assert vars(model[-1]).keys() == vars(LogisticRegression().fit(X, Y)).keys()
