"""What is done when a search is finished: no fault of that stage costs the search."""

import pytest

from sklearn_bbc.exceptions import RecordingWarning
from sklearn_bbc.search import _after_search

from .small_search import FEW, X, Y, search


@pytest.mark.parametrize("stage", ["kept_predictions", "scorer_failures", "checked_predictions"])
def test_an_unforeseen_fault_costs_the_intervals_only(stage, monkeypatch):
    def broken(*given, **named):
        raise RuntimeError("the stage is broken")

    expected = search(ci=FEW).fit(X, Y)
    monkeypatch.setattr(_after_search, stage, broken)
    with pytest.warns(RecordingWarning, match="RuntimeError: the stage is broken"):
        found = search(ci=FEW).fit(X, Y)
    assert found.best_params_ == expected.best_params_
    assert found.best_score_ == expected.best_score_
    assert found.predict(X).shape == Y.shape
    for attribute in ("ci_", "bbc_score_", "optimism_", "optimism_parts_"):
        with pytest.raises(AttributeError, match="the stage is broken"):
            getattr(found, attribute)


def test_an_interrupt_leaves_nothing_half_fitted(monkeypatch):
    def interrupted(*given, **named):
        raise KeyboardInterrupt

    monkeypatch.setattr(_after_search, "kept_predictions", interrupted)
    found = search(ci=FEW)
    with pytest.raises(KeyboardInterrupt):
        found.fit(X, Y)
    assert not [name for name in vars(found) if name.endswith("_") and name != "scorer_"]


def test_optimism_is_the_difference_of_the_two_scores_and_has_two_parts():
    found = search(ci=FEW).fit(X, Y)
    assert found.optimism_ == found.best_score_ - found.bbc_score_
    assert set(found.optimism_parts_) == {"pooling", "selection"}
    assert sum(found.optimism_parts_.values()) == pytest.approx(found.optimism_, abs=1e-12)
