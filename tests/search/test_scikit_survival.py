"""Searches of scikit-survival's models and wrappers, against its functions called in a loop."""

import functools

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_bbc import BBCSearchCV, OOFPredictions
from sklearn_bbc.curves import SurvivalCalibration
from sklearn_bbc.exceptions import DroppingWarning, RecordingWarning
from sklearn_bbc.intervals import BBC
from sklearn_bbc.metrics import (
    as_metric,
    dynamic_auc,
    neg_integrated_brier_score,
    uno_concordance,
)
from sklearn_bbc.search import DropClearlyWorse

theirs = pytest.importorskip("sksurv.metrics", reason="scikit-survival is optional")
CoxPH = pytest.importorskip("sksurv.linear_model").CoxPHSurvivalAnalysis

TIMES = np.array([0.3, 0.6, 0.9])
CV = KFold(4, shuffle=True, random_state=0)
ALPHAS = [0.01, 3.0, 300.0]
FEW = BBC(n_bootstraps=50)
WRAPPERS = {
    "brier": lambda model: theirs.as_integrated_brier_score_scorer(model, times=TIMES),
    "auc": lambda model: theirs.as_cumulative_dynamic_auc_scorer(model, times=TIMES),
    "uno": lambda model: theirs.as_concordance_index_ipcw_scorer(model, tau=0.9),
}


def make_data(n_samples=120, seed=0):
    """Exponential times; the study ends for those who are left, which scikit-survival needs."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, 4))
    time, end = rng.exponential(np.exp(-X[:, 0])), rng.exponential(2.0, n_samples)
    end = np.minimum(end, 2 + 1e-3 * rng.random(n_samples))
    y = np.empty(n_samples, dtype=[("dead", bool), ("years", float)])
    y["dead"], y["years"] = time <= end, np.minimum(time, end)
    return X, y


def search(kind, model=None, prefix="estimator__", **kwargs):
    X, y = make_data()
    model = WRAPPERS[kind](CoxPH()) if model is None else model
    options = {"ci": FEW, "random_state": 0, **kwargs}
    return BBCSearchCV(model, {f"{prefix}alpha": ALPHAS}, cv=CV, **options).fit(X, y)


@functools.cache
def searched(kind):
    """The search of a wrapper, fitted once, to be looked at."""
    return search(kind)


def their_score(kind, train, test, answer):
    if kind == "brier":
        return -theirs.integrated_brier_score(train, test, answer, TIMES)
    if kind == "auc":
        return theirs.cumulative_dynamic_auc(train, test, answer, TIMES)[1]
    return theirs.concordance_index_ipcw(train, test, answer, tau=0.9)[0]


@functools.cache
def predictions(kind):
    """Out-of-fold answers of each configuration, (n_configs, n_samples[, n_times])."""
    X, y = make_data()
    found = np.empty((len(ALPHAS), len(X), *([len(TIMES)] * (kind == "brier"))))
    for train, test in CV.split(X):
        for config, alpha in enumerate(ALPHAS):
            model = CoxPH(alpha=alpha).fit(X[train], y[train])
            found[config, test] = (
                [curve(TIMES) for curve in model.predict_survival_function(X[test])]
                if kind == "brier" else model.predict(X[test])
            )  # fmt: skip
    return found


@pytest.mark.long
@pytest.mark.parametrize("kind", WRAPPERS)
def test_a_wrapper_is_the_score_of_the_search_and_of_its_draws(kind):
    X, y = make_data()
    found = searched(kind)
    plain = GridSearchCV(WRAPPERS[kind](CoxPH()), found.param_grid, cv=CV).fit(X, y)
    np.testing.assert_array_equal(
        plain.cv_results_["mean_test_score"], found.cv_results_["mean_test_score"]
    )
    answers = predictions(kind)
    (recorded,) = found.oof_.responses.values()
    np.testing.assert_allclose(recorded, answers, rtol=1e-12)
    assert found.ci_.method == "bbc" and found.ci_.low < found.bbc_score_ < found.ci_.high
    # On all samples it is their number with all samples as those that tell of censoring.
    winner = found.best_index_
    assert found.ci_.details["winner"] == winner
    assert found.ci_.details["pooled_score"] == pytest.approx(
        their_score(kind, y, y, answers[winner]), abs=1e-10
    )
    assert found.bbcf_score_ == pytest.approx(found.best_score_, abs=0.05)
    (note,) = [each for each in found.ci_.details["notes"] if "of scikit-survival" in each]
    assert type(found.estimator).__name__ in note and "tied_tol" not in note


@pytest.mark.parametrize("kind", WRAPPERS)
@pytest.mark.parametrize("of_draw", [True, False], ids=["censoring of the draw", "given"])
def test_every_draw_has_the_score_of_scikit_survival(kind, of_draw):
    _, y = make_data()
    answers, rng = predictions(kind), np.random.default_rng(1)
    censoring = None if of_draw else y
    weights = None
    if kind == "auc":  # their mean over times moves with the draw: one time
        times = TIMES[1:2]
        scorer = dynamic_auc(times, weights=weights, censoring=censoring)
    elif kind == "brier":
        scorer = neg_integrated_brier_score(TIMES, censoring=censoring)
    else:
        scorer = uno_concordance(0.9, censoring=censoring)
    oof = OOFPredictions(y_true=y, y_pred=np.moveaxis(answers, 0, 1))
    kernel = as_metric(scorer).bind(oof)
    counts = rng.multinomial(len(y), np.full(len(y), 1 / len(y)), size=8).astype(np.uint8)
    winners = kernel.winners(counts)
    outside = kernel.score_of(counts == 0, winners)
    for draw, count in enumerate(counts):
        scores = []
        for rows in (np.repeat(np.arange(len(y)), count), np.flatnonzero(count == 0)):
            test, train = y[rows], y[rows] if of_draw else y
            which = range(len(ALPHAS)) if not scores else [winners[draw]]
            if kind == "auc":
                scores.append([
                    theirs.cumulative_dynamic_auc(train, test, answers[k, rows], times)[0][0]
                    for k in which
                ])  # fmt: skip
            else:
                scores.append([their_score(kind, train, test, answers[k, rows]) for k in which])
        inside, (left_out,) = scores
        np.testing.assert_allclose(kernel.scores(counts[draw : draw + 1])[0], inside, atol=1e-10)
        assert winners[draw] == np.argmax(np.round(inside, 12))
        assert outside[draw] == pytest.approx(left_out, abs=1e-10)


@pytest.mark.long
def test_pipelines_around_and_inside_processes_and_stores_give_the_same(tmp_path):
    around = search(
        "brier", WRAPPERS["brier"](make_pipeline(StandardScaler(), CoxPH())),
        "estimator__coxphsurvivalanalysis__",
    )  # fmt: skip
    inside = search(
        "brier", make_pipeline(StandardScaler(), WRAPPERS["brier"](CoxPH())),
        "as_integrated_brier_score_scorer__estimator__", n_jobs=2,
    )  # fmt: skip
    assert around.oof_.responses.keys() == {"predict_survival_function(0.3,0.6,0.9)"}
    assert tuple(around.ci_) == tuple(inside.ci_)
    stored = [search("brier", store=tmp_path / "fits") for _ in range(2)]
    assert tuple(stored[0].ci_) == tuple(stored[1].ci_) == tuple(searched("brier").ci_)
    # The scores have weights that predictions do not show, so nothing can be told early.
    with pytest.warns(DroppingWarning, match="drop had no effect"):
        dropped = search("brier", drop=DropClearlyWorse())
    assert tuple(dropped.ci_) == tuple(stored[0].ci_)


def test_a_search_of_scikit_learn_is_fitted_again():
    X, y = make_data()
    plain = GridSearchCV(WRAPPERS["uno"](CoxPH()), {"estimator__alpha": ALPHAS}, cv=CV).fit(X, y)
    oof = OOFPredictions.from_search(plain, X, y)
    few = BBC(n_bootstraps=50, random_state=0)
    result = few.estimate(oof, uno_concordance(0.9, censoring=y))
    assert tuple(result) == tuple(searched("uno").interval(few))


def test_a_large_tolerance_of_ties_is_remarked():
    model = theirs.as_concordance_index_ipcw_scorer(CoxPH(), tied_tol=0.1)
    notes = search("uno", model).ci_.details["notes"]
    assert any("tied_tol=0.1 are taken as different" in note for note in notes)


def test_their_models_need_no_wrapper():
    _, y = make_data()
    scorer = neg_integrated_brier_score(TIMES, censoring=y)
    found = search("brier", CoxPH(), "", scoring=scorer)
    assert found.ci_.estimate == pytest.approx(searched("brier").ci_.estimate, abs=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("kind", WRAPPERS)
def test_curves_of_wrappers_are_those_of_their_models(kind):
    """What was not recorded is fitted again, around the same model."""
    X, y = make_data()
    found, few = search(kind, ci=[]), {"method": BBC(n_bootstraps=40)}
    at = [f"predict_survival_function({times})" for times in ("0.3, 0.6, 0.9", "0.6")]
    found.record_again(X, y, ["predict", *at])
    brier = found.curve("brier_over_time", grid=TIMES, **few)
    winner = found.best_index_
    answer = predictions("brier")[winner]
    later = y.copy()
    later["years"][~y["dead"]] += 1e-9
    expected = theirs.brier_score(later, later, answer, TIMES)[1]
    np.testing.assert_allclose(brier.apparent, expected, atol=1e-7)
    area = found.curve("auc_over_time", grid=TIMES, **few)
    risks = predictions("uno")[winner]
    expected = theirs.cumulative_dynamic_auc(later, later, risks, TIMES)[0]
    np.testing.assert_allclose(area.apparent, expected, atol=1e-7)
    found.curve(SurvivalCalibration(0.6), **few)
    assert found.prediction_stability(time=0.6, **few).label == "risk at 0.6"


def test_models_that_refuse_survival_functions_say_why():
    X, y = make_data()
    model = pytest.importorskip("sksurv.linear_model").CoxnetSurvivalAnalysis()
    options, at = (
        {"scoring": "concordance_index", "ci": [], "cv": CV},
        "predict_survival_function(0.6)",
    )
    found = BBCSearchCV(model, {"alphas": [[0.1], [0.01]]}, **options).fit(X, y)
    with pytest.warns(RecordingWarning, match=r"fit_baseline_model option.*\(8 models\)"):
        with pytest.raises(ValueError, match="but only predict was recorded"):
            found.record_again(X, y, at).curve(SurvivalCalibration(0.6))
    model.set_params(fit_baseline_model=True)
    able = BBCSearchCV(model, {"alphas": [[0.1], [0.01]]}, **options).fit(X, y)
    able.record_again(X, y, at).curve(SurvivalCalibration(0.6), method=BBC(n_bootstraps=40))
