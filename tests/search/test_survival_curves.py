"""Curves, subgroups and stability of a search of survival models, recorded or fitted again."""

import functools
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV, OOFPredictions
from sklearn_bbc.curves import AUCOverTime, BrierOverTime, SurvivalCalibration
from sklearn_bbc.display import CurveDisplay, StabilityDisplay
from sklearn_bbc.exceptions import RecordingWarning
from sklearn_bbc.intervals import BBC
from sklearn_bbc.metrics import dynamic_auc, neg_integrated_brier_score, neg_survival_brier_score
from tests.search.test_survival_times import AtTimes, Frame, Functions, RiskOnly, make_data

X, Y = make_data(160)
TIMES = [0.3, 0.6, 0.9]
FEW = {"n_bootstraps": 60}


def fitted(model=None, scoring="concordance_index", **options):
    model = AtTimes() if model is None else model
    name = f"{model.steps[-1][0]}__strength" if hasattr(model, "steps") else "strength"
    grid = {name: [0.0, 1.0, 2.0]}
    given = {"cv": KFold(4, shuffle=True, random_state=0), "random_state": 0, "ci": [], **options}
    return BBCSearchCV(model, grid, scoring=scoring, **given).fit(X, Y)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("model", [
    Functions(), Frame(), AtTimes(), make_pipeline(StandardScaler(), Functions()),
])  # fmt: skip
def test_survival_is_recorded_fitted_again_or_that_of_a_scorer(model, capsys):
    """Three ways to the same predictions, of any kind of model."""
    again, recorded = fitted(model), fitted(model, record="predict_survival_function(0.6)")
    scored = fitted(
        model, {"brier": neg_survival_brier_score(0.6), "c": "concordance_index"}, refit="c"
    )
    curve = SurvivalCalibration(0.6)
    again.record_again(X, Y, "predict_survival_function(0.6)")
    found = again.curve(curve, method=BBC(**FEW))
    assert "fits, less than a second" in capsys.readouterr().err
    for other in (recorded, scored):
        assert "predict_survival_function(0.6)" in other.oof_.responses
        same = other.curve("calibration", method=BBC(**FEW))
        np.testing.assert_allclose(same.frame(), found.frame())
        assert same.details["winner"] == found.details["winner"]
    with pytest.raises(
        ValueError,
        match=r"record_again\(X, y, 'predict_survival_function\(0.3\)'.*record='predict_sur",
    ):
        again.curve(SurvivalCalibration(0.3))
    again.record_again(X, Y, "predict_survival_function(0.3, 0.6, 0.9)", configs="all")
    values = again.curve(BrierOverTime(), grid=TIMES, method=BBC(**FEW))
    integral = again.interval(BBC(**FEW), scoring=neg_integrated_brier_score(TIMES))
    mean = np.trapezoid(values.estimate, TIMES) / 0.6
    assert mean == pytest.approx(-integral.estimate, rel=1e-9)


def test_several_responses_are_recorded_by_name():
    search = fitted(record=["predict_survival_function(0.3, 0.6)", "predict", "predict"])
    assert set(search.oof_.responses) == {"predict", "predict_survival_function(0.3,0.6)"}
    assert search.curve("brier_over_time", method=BBC(**FEW)).grid.tolist() == [0.3, 0.6]
    again = OOFPredictions.from_search(
        search, X, Y, record="predict_survival_function(0.3,0.6)"
    )  # fmt: skip
    name = "predict_survival_function(0.3,0.6)"
    np.testing.assert_allclose(again.responses[name], search.oof_.responses[name])


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ("predict_survival_function()", "must name times, as predict_survival_function(365)"),
        ("predict_survival_function(a year)", "must name times"),
        ("predict_survival_function(2,1)", "must ascend without repetition"),
        ("predict_survival_function(-1)", "must not be negative, got -1"),
        ("predict_survival_function", "'predict_survival_function(365)', with the times; got"),
    ],
)
def test_what_cannot_be_recorded_is_refused(record, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        fitted(record=record)


def test_functions_that_end_before_the_time_are_named():
    with pytest.warns(RecordingWarning, match="ends at 1, the last time of its training data"):
        search = fitted(Frame(), record="predict_survival_function(1.5)")
    assert "predict_survival_function(1.5)" not in search.oof_.responses
    with pytest.raises(ValueError, match="RiskOnly has no predict_survival_function"):
        fitted(RiskOnly()).curve(SurvivalCalibration(0.6))
    with pytest.raises(ValueError, match="RiskOnly has no predict_survival_function"):
        fitted(RiskOnly()).record_again(X, Y, "predict_survival_function(0.6)")
    assert np.isfinite(fitted(RiskOnly()).curve("auc_over_time", method=BBC(**FEW)).estimate).all()


def test_times_outside_of_follow_up_are_refused_before_anything_is_fitted(capsys):
    search = fitted()
    for curve in (SurvivalCalibration(99), BrierOverTime([0.5, 99])):
        with pytest.raises(ValueError, match="got 0 beyond 99"):
            search.curve(curve)
    assert not capsys.readouterr().err


@pytest.mark.parametrize("scoring", ["brier", "auc"])
def test_a_curve_at_one_time_is_the_interval_of_the_metric_there(scoring):
    given = {"brier": neg_survival_brier_score(0.6), "auc": dynamic_auc(0.6)}
    search = fitted(scoring=given, refit=scoring)
    kind = {"brier": BrierOverTime, "auc": AUCOverTime}[scoring]
    curve, interval = search.curve(kind([0.6])), search.interval("bbc")
    sign = -1 if scoring == "brier" else 1
    assert curve.details["won"] == interval.details["won"]
    assert curve.estimate[0] == pytest.approx(sign * interval.estimate, rel=1e-12)
    assert curve.low[0] == pytest.approx(min(sign * np.array([*interval])), abs=3e-3)


@pytest.mark.parametrize("given", [False, True], ids=["of each group", "given"])
def test_subgroups_are_scored_by_survival_metrics_as_a_loop_over_the_draws(given):
    y = Y if given else None
    scoring = {"brier": neg_survival_brier_score(0.6, censoring=y), "auc": dynamic_auc(0.6)}
    search = fitted(scoring=scoring, refit="brier")
    group = np.where(X[:, 1] > 0, "high", "low")
    for name in scoring:
        found = search.subgroups(group, scoring=name, method=BBC(**FEW))
        oof = search.oof_
        for k, (_, label) in enumerate(found.groups):
            own = group == label
            alone = OOFPredictions.from_rows(
                y_true=Y[own],
                responses={key: v[:, np.argsort(oof.sample)][:, own]
                           for key, v in oof.responses.items()},
            )  # fmt: skip
            winner = found.details["winner"]
            expected = alone.with_selected(winner)
            matrix = expected.matrix(scoring[name])[:, winner]
            score = scoring[name]._sign * scoring[name]._score_func(
                Y[own], matrix, **scoring[name]._kwargs
            )
            assert found.scores["apparent"][k] == pytest.approx(score, rel=1e-12)
            assert found.scores["low_joint"][k] < score < found.scores["high_joint"][k]
        assert found.undefined.max() < 0.1


def test_subgroups_with_few_events_say_so_and_do_not_differ():
    few = np.zeros(160, dtype=bool)
    few[np.flatnonzero(Y["dead"] & (Y["years"] < 0.6))[:8]] = True
    few[np.flatnonzero(Y["years"] > 0.6)[:30]] = True
    scoring = {"brier": neg_survival_brier_score(0.6, censoring=Y), "c": "concordance_index"}
    search = fitted(scoring=scoring, refit="brier")
    found = search.subgroups(pd.Series(few, name="few"), method=BBC(**FEW))
    notes = [note for note in found.details["notes"] if "events up to 0.6" in note]
    assert [note[:31] for note in notes] == ["few True has 8 events up to 0.6"]
    assert found.details["few"].tolist() == [True, True]
    assert "Too few samples to judge that: few False, few True." in found.summary()
    of_all = search.subgroups(pd.Series(few, name="few"), scoring="c", method=BBC(**FEW))
    assert not of_all.details["few"].any()  # later events count, too


def test_stability_of_the_risk_at_a_time_is_that_of_a_loop():
    search = fitted(scoring=neg_survival_brier_score(0.6))
    found = search.prediction_stability(method=BBC(**FEW))
    assert found == search.prediction_stability(time=0.6, method=BBC(**FEW))
    won = search.interval(BBC(**FEW)).details["won"]
    assert len(won) > 1
    risks = 1 - search.oof_.responses["predict_survival_function(0.6)"].reshape(3, 160)
    risks = risks[:, np.argsort(search.oof_.sample)]
    own = risks[search.best_index_]
    np.testing.assert_allclose(found.predicted, own)
    away = sum(share * np.abs(risks[config] - own) for config, share in won.items())
    np.testing.assert_allclose(found.difference, away)
    assert found.summary().startswith("The predicted risk at 0.6 of a sample differs by ")
    label = StabilityDisplay.from_results(found).plot().ax_.get_xlabel()
    assert label.startswith("predicted risk at 0.6 by the selected configuration")
    search.record_again(X, Y, "predict_survival_function(0.3)")
    other = search.prediction_stability(time=0.3, method=BBC(**FEW))
    assert other.label == "risk at 0.3" and other.mean_difference < found.mean_difference


def test_stability_needs_a_time_that_is_known():
    several = fitted(scoring=neg_integrated_brier_score(TIMES))
    with pytest.raises(ValueError, match=r"at several: 0.3, 0.6, 0.9. Name it: prediction_stab"):
        several.prediction_stability()
    assert several.prediction_stability(time=0.3, method=BBC(**FEW)).label == "risk at 0.3"
    with pytest.raises(ValueError, match=r"about a time. Name it: prediction_stability\(time=365"):
        fitted().prediction_stability()
    with pytest.raises(ValueError, match=r"record_again\(X, y, 'predict_survival_function\(0.6"):
        fitted().prediction_stability(time=0.6)
    with pytest.raises(ValueError, match="have no positive class, got pos_label=1"):
        several.prediction_stability(time=0.3, pos_label=1)
    tree = BBCSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2]}, ci=[])
    tree.set_params(scoring="neg_log_loss").fit(X, Y["dead"])
    with pytest.raises(ValueError, match="time is for survival times, event and time as the targ"):
        tree.prediction_stability(time=365)


def test_a_report_has_the_curves_that_were_recorded(tmp_path, without_pictures):
    pytest.importorskip("jinja2", reason="report needs jinja2, extra report")
    search = fitted(scoring=neg_survival_brier_score(0.6), ci=BBC(**FEW))
    search.curve = functools.partial(search.curve, method=BBC(**FEW))
    text = search.report(tmp_path / "page.html", tied=False).read_text(encoding="utf-8")
    for heading in ("AUC over time", "Calibration curve at 0.6", "Decision curve at 0.6"):
        assert f"<h2>{heading}</h2>" in text
    assert "BrierOverTime needs predict_survival_function at 20 times" in text
    search = fitted(scoring=neg_integrated_brier_score(TIMES), ci=BBC(**FEW))
    search.curve = functools.partial(search.curve, method=BBC(**FEW))
    text = search.report(
        tmp_path / "page.html", tied=False, show=["brier_over_time", SurvivalCalibration(0.3)]
    ).read_text(encoding="utf-8")
    for heading in ("Brier score over time", "Calibration curve at 0.3"):
        assert f"<h2>{heading}</h2>" in text


def test_axes_have_the_words_of_the_field():
    search = fitted(record=["predict_survival_function(0.6)"])
    for name, labels in {
        "calibration": ("predicted risk at 0.6", "observed risk"),
        "net_benefit": ("threshold of the risk at 0.6", "net benefit"),
        "auc_over_time": ("time", "AUC"),
    }.items():
        ax = CurveDisplay.from_search(search, name, method=BBC(**FEW)).plot().ax_
        assert (ax.get_xlabel(), ax.get_ylabel()) == labels
        assert bool(ax.patches) == (name == "calibration")  # bars of the predicted risks
    several = fitted().record_again(X, Y, "predict_survival_function(0.3, 0.6, 0.9)")
    brier = several.curve("brier_over_time", method=BBC(**FEW))
    assert brier.grid.tolist() == TIMES
    ax = CurveDisplay.from_results(brier).plot().ax_
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("time", "Brier score")
    benefit = CurveDisplay.from_search(
        search, "net_benefit", difference_to="treat all", method=BBC(**FEW)
    )
    assert benefit.plot().ax_.get_ylabel() == "net benefit, difference to treat all"
