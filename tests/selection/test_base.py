"""What the base refuses, and what `selection` may be."""

import numpy as np
import pytest

from sklearn_bbc.intervals import BBC, BBCF, NaiveBootstrap, RescaledBBC
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.selection import (
    BestScore,
    OneStandardError,
    Outcome,
    Selection,
    SimplestTied,
    as_selection,
    registered_selections,
)
from sklearn_bbc.selection._base import BoundSelection
from tests.selection.draws import predictions


@pytest.mark.parametrize("method", [BBC, BBCF, RescaledBBC, NaiveBootstrap])
def test_what_is_no_rule_is_refused_by_every_method(method):
    oof = predictions()
    with pytest.raises(ValueError, match=r"RefitCallable\(function\)"):
        method(selection=lambda results: 0).estimate(oof, "accuracy")
    with pytest.raises(ValueError, match=r"pass OneStandardError\(\.\.\.\), not the class"):
        method(selection=OneStandardError).estimate(oof, "accuracy")
    with pytest.raises(ValueError, match=r"must be a rule such as .*got 'best'"):
        method(selection="best").estimate(oof, "accuracy")


def test_none_is_the_best_score():
    assert isinstance(as_selection(None), BestScore)
    rule = SimplestTied("depth")
    assert as_selection(rule) is rule


def test_a_need_that_nobody_knows_is_a_mistake_of_the_author():
    cls = type("Needy", (BestScore,), {"needs": frozenset({"luck"})})
    oof = predictions()
    with pytest.raises(ValueError, match=r"Needy.needs names \['luck'\]"):
        cls().bind(oof, as_metric("accuracy").bind(oof))


def test_a_rule_of_ones_own_is_one_small_class(monkeypatch):
    registry = "sklearn_bbc.selection._base._REGISTRY"
    monkeypatch.setattr(registry, registered_selections())

    class BoundLast(BoundSelection):
        by = "the last one"

        def choose(self, weights):
            return Outcome({"config": np.full(len(weights), self.kernel.n_configs - 1)})

    class Last(Selection):
        name = "last"

        def _bind(self, oof, kernel):
            return BoundLast(kernel)

    oof = predictions()
    result = BBC(selection=Last(), n_bootstraps=64, random_state=0).estimate(oof, "roc_auc")
    assert result.details["winner"] == 5 and result.details["winner_share"] == 1
    assert result.details["winner_by"] == "the last one"
    only = predictions(
        responses={"predict_proba": oof.responses["predict_proba"][5:]}, params=None
    )
    alone = BBC(n_bootstraps=64, random_state=0).estimate(only, "roc_auc")
    assert result.estimate == pytest.approx(alone.estimate, rel=1e-12)
