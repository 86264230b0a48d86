"""The examples run and print what they promise."""

import re
import runpy
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss
from sklearn.model_selection import ParameterGrid

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.display import RanksDisplay

pytest.importorskip("matplotlib", reason="the examples draw: they need the extra 'plot'")
PNG = b"\x89PNG"


@pytest.fixture
def run(repository, monkeypatch, capsys):
    """Run an example as a script; gives what it printed and its variables."""
    import matplotlib.pyplot as plt

    def run(name, *arguments):
        script = repository / "docs" / "examples" / name
        monkeypatch.setattr(sys, "argv", [str(script), *map(str, arguments)])
        variables = runpy.run_path(str(script), run_name="__main__")
        return capsys.readouterr().out, variables

    yield run
    plt.close("all")


def table(printed):
    """Rows of the printed table: label -> its numbers."""
    rows = {}
    for line in printed.splitlines():
        if found := re.fullmatch(r"(\S.*?)((?:\s{2,}-?\d\.\d+)+)\s*", line):
            rows[found[1]] = [float(number) for number in found[2].split()]
    return rows


def test_quickstart(run, tmp_path):
    picture = tmp_path / "picture.png"
    printed, variables = run("plot_quickstart.py", "--quick", "--output", picture)
    search = variables["search"]
    assert len(variables["y_tune"]) == 60
    assert len(variables["y_held_out"]) == 509
    rows = table(printed)
    assert list(rows) == ["best CV score", "BBC", "BBC-F", "held-out score"]
    assert rows["best CV score"] == [round(search.best_score_, 3)]
    assert rows["BBC"] == [round(number, 3) for number in (search.bbc_score_, *search.ci_)]
    assert rows["BBC-F"][0] == round(search.bbcf_score_, 3)
    held_out = search.score(variables["X_held_out"], variables["y_held_out"])
    assert rows["held-out score"] == [round(held_out, 3)]
    assert search.summary() in printed
    assert picture.read_bytes().startswith(PNG)


class Enough(Exception):
    """Ends a script before its search, which takes longer than a test may."""


@pytest.fixture
def stop_before_the_search(monkeypatch):
    def fit(self, X, y):
        raise Enough(self, X, y)

    monkeypatch.setattr(BBCSearchCV, "fit", fit)


def test_quickstart_searches_a_hundred_configurations_of_several_families(
    run, stop_before_the_search
):
    with pytest.raises(Enough) as stopped:
        run("plot_quickstart.py")
    search, X, y = stopped.value.args
    configurations = list(ParameterGrid(search.param_grid))
    assert len(configurations) == 113  # as its title says
    assert len({type(configuration["model"]) for configuration in configurations}) == 5
    assert (search.scoring, search.cv, search.n_jobs) == ("roc_auc", 10, 2)
    assert X.shape == (60, 30)
    assert y.sum() == 22  # malignant, as in the whole: 212 of 569


@pytest.mark.parametrize("name", ["quickstart", "credit_g", "survival"])
def test_an_example_runs_as_a_notebook_does(
    name, repository, stop_before_the_search, monkeypatch, shared, tmp_path
):
    if name == "survival":
        pytest.importorskip("lifelines", reason="the example fits lifelines' Cox model")
    data = pd.read_csv(shared / "data" / "credit-g.csv.gz", keep_default_na=False)
    data = data.drop(columns="target"), data["target"].map({0: "good", 1: "bad"})
    monkeypatch.setattr("sklearn.datasets.fetch_openml", lambda *_, **__: data)
    monkeypatch.setattr(sys, "argv", ["ipykernel_launcher.py", "-f", "kernel.json"])
    monkeypatch.chdir(tmp_path)
    code = (repository / "docs" / "examples" / f"plot_{name}.py").read_text()
    with pytest.raises(Enough):  # the parser, which would exit, comes before the search
        exec(code, {"__name__": "__main__"})


def test_the_gallery_hands_over_its_command_line(
    repository, stop_before_the_search, monkeypatch, shared
):
    """sphinx-gallery executes the code without `__file__`, with the script's name in argv."""
    script = repository / "docs" / "examples" / "plot_credit_g.py"
    monkeypatch.setattr("sklearn.datasets.fetch_openml", None)  # the local folder is taken
    monkeypatch.setattr(sys, "argv", [str(script), "--data-dir", str(shared / "data")])
    with pytest.raises(Enough):
        exec(script.read_text(), {"__name__": "__main__"})


def test_a_wrong_option_of_an_example_is_refused(run):
    with pytest.raises(SystemExit):
        run("plot_quickstart.py", "--quik")


def test_credit_g_is_fetched_by_default(run, stop_before_the_search, monkeypatch, shared):
    def fetch(name, *, version, as_frame, return_X_y):
        assert (name, version, as_frame, return_X_y) == ("credit-g", 1, True, True)
        X = pd.read_csv(shared / "data" / "credit-g.csv.gz", keep_default_na=False)
        y = X.pop("target").map({0: "good", 1: "bad"}).astype("category")
        return X.apply(lambda c: c if c.dtype.kind in "if" else c.astype("category")), y

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
    with pytest.raises(Enough) as stopped:
        run("plot_credit_g.py")
    search, X, y = stopped.value.args
    assert (search.n_iter, X.shape, y.sum()) == (30, (50, 20), 15)
    columns = search.estimator["columns"].fit(X)
    assert [len(names) for _, _, names in columns.transformers_[:2]] == [7, 13]


def test_credit_g_from_a_local_folder(run, tmp_path, shared):
    picture = tmp_path / "picture.png"
    printed, variables = run(
        "plot_credit_g.py", "--data-dir", shared / "data", "--n-iter", 4, "--n-samples", 2,
        "--output", picture,
    )  # fmt: skip
    first, held_out = variables["tuned"][0]
    assert first.oof_.n_samples == 50
    assert variables["y"].mean() == pytest.approx(0.3)
    kinds = variables["X"].dtypes.map(lambda dtype: dtype.kind).value_counts()
    assert kinds["O"] == 13
    assert first.summary() in printed
    rows = variables["table"]
    assert rows.loc[0].tolist() == [first.best_score_, first.bbc_score_, *first.ci_, held_out]
    off = variables["off"].mean()
    assert off["best score"] == pytest.approx((rows["best score"] - rows["held out"]).mean())
    assert f"best score    {off['best score']:.3f}" in printed
    assert picture.read_bytes().startswith(PNG)


def test_survival_from_a_local_folder(run, shared, tmp_path):
    pytest.importorskip(
        "lifelines", reason="the example fits lifelines' Cox model: extra 'survival'"
    )
    picture = tmp_path / "picture.png"
    printed, variables = run(
        "plot_survival.py", "--data-dir", shared / "data", "--output", picture
    )
    search = variables["search"]
    rows = table(printed)
    assert rows["best CV score"] == [round(search.best_score_, 3)]
    assert rows["BBC"] == [round(number, 3) for number in (search.bbc_score_, *search.ci_)]
    assert rows["held-out score"] == [round(variables["held_out"], 3)]
    assert 0.5 < search.bbc_score_ < search.best_score_
    assert picture.read_bytes().startswith(PNG)


def test_pooling(run, tmp_path):
    picture = tmp_path / "pooling.png"
    printed, variables = run("plot_pooling.py", "--quick", "--output", picture)
    means = variables["means"]
    assert list(means.index) == [0.001, 0.01, 0.1, 1]
    low = means.loc[0.001]
    assert low["BBC, pooled"] < low["mean over folds"] - 0.02
    assert abs(low["BBC, within folds"] - low["mean over folds"]) < 0.02
    assert variables["search"].summary() in printed
    assert variables["search"].ci_.details["mostly_pooling"]
    assert picture.read_bytes().startswith(PNG)


def test_threshold(run, tmp_path):
    picture = tmp_path / "threshold.png"
    printed, variables = run("plot_threshold.py", "--quick", "--output", picture)
    tuned, costs, samples = (variables[name] for name in ("tuned", "costs", "samples"))
    assert tuned.summary() in printed and costs.summary() in printed
    assert tuned.ci.metric == "balanced_accuracy" and tuned.luck > 0 and costs.luck > 0
    assert costs.threshold < tuned.threshold, "missed tumours cost ten times as much"
    assert f"489 other patients: {variables['held_out']:.3f}" in printed
    assert (samples["corrected"] < samples["apparent"]).all()
    assert picture.read_bytes().startswith(PNG)


def test_one_standard_error(run, tmp_path):
    picture = tmp_path / "picture.png"
    printed, variables = run("plot_one_standard_error.py", "--output", picture)
    best, simple = variables["best"], variables["simple"]
    assert simple.best_params_["lasso__alpha"] > best.best_params_["lasso__alpha"]
    assert simple.ci_.details["winner"] == simple.best_index_
    assert simple.bbc_score_ < best.bbc_score_  # what the text says that it costs
    assert simple.summary() in printed
    assert " 7 terms" in printed and "22 terms" in printed  # a third, as the text says
    assert picture.read_bytes().startswith(PNG)


def test_ensemble(run, tmp_path):
    picture = tmp_path / "picture.png"
    printed, variables = run("plot_ensemble.py", "--quick", "--output", picture)
    result, ensemble = variables["result"], variables["ensemble"]
    weights = variables["weights"]
    assert weights.sum() == pytest.approx(1) and len(ensemble.estimators_) > 1
    assert result.estimate < result.details["apparent_score"]
    assert f"corrected {-result.estimate:.3f}" in printed
    # The example's order of the parameters is that of the search.
    search = variables["search"]
    for name, params in zip(variables["names"], search.oof_.params, strict=True):
        assert name.startswith(type(params["model"]).__name__)
    assert picture.read_bytes().startswith(PNG)


def test_tied(run, tmp_path):
    picture = tmp_path / "tied.png"
    printed, variables = run("plot_tied.py", "--quick", "--output", picture)
    tied = variables["tied"]
    assert str(tied) in printed and variables["search"].summary() in printed
    assert 1 < len(tied) < tied.n_configs and tied.simplest in tied
    assert set(tied.families) == {
        "model=LogisticRegression", "model=KNeighborsClassifier", "model=DecisionTreeClassifier",
    }  # fmt: skip
    assert picture.read_bytes().startswith(PNG)


def test_differences(run, tmp_path):
    picture = tmp_path / "differences.png"
    printed, variables = run("plot_differences.py", "--output", picture)
    results, frame = variables["results"], variables["display"].frame()
    assert all(str(result) in printed for result in results.values())
    assert list(frame.index) == list(results) and set(frame["rope"]) == {0.02}
    assert frame["alternative"].tolist() == ["greater", "two-sided", "two-sided"]
    assert frame["difference"].iloc[0] > 0 > frame["difference"].iloc[2]
    assert picture.read_bytes().startswith(PNG)


def test_epochs(run, tmp_path):
    picture = tmp_path / "epochs.png"
    printed, variables = run("plot_epochs.py", "--quick", "--output", picture)
    oof, samples = variables["oof"], variables["samples"]
    assert oof.n_configs == 4 * variables["N_EPOCHS"] == 120
    # The last of a network's predictions for a fold, trained once more.
    X, y, here = variables["X_tune"], variables["y_tune"], oof.fold == 2
    *_, last = variables["train"](X[~here], y[~here], X[here], hidden=4, rate=0.1)
    config = oof.params.index({"hidden": 4, "rate": 0.1, "epoch": 30})
    np.testing.assert_array_equal(oof.matrix("neg_log_loss")[here, config], last)
    losses = [log_loss(y, oof.matrix("neg_log_loss")[:, k]) for k in range(oof.n_configs)]
    assert variables["apparent"] == pytest.approx(min(losses))
    assert variables["apparent"] < -variables["result"].estimate
    assert (samples["at the best epoch"] < samples["corrected"]).all()
    assert samples.mean().round(3).to_string() in printed
    assert picture.read_bytes().startswith(PNG)


def test_learning_curve(run, tmp_path):
    picture = tmp_path / "curve.png"
    printed, variables = run("plot_learning_curve.py", "--output", picture)
    curve = variables["curve"]
    assert str(curve) in printed and curve.sizes.tolist() == [25, 50, 100, 200, 300, 450]
    widths = [high - low for low, high in curve.test]
    assert widths[0] > 3 * widths[-1], "intervals of small sizes are wide, as the text says"
    assert picture.read_bytes().startswith(PNG)


def test_critical_difference(run, tmp_path):
    picture = tmp_path / "ranks.png"
    printed, variables = run("plot_critical_difference.py", "--output", picture)
    ranking, control = variables["ranking"], variables["control"]
    assert ranking.n_data_sets == 12 and str(ranking) in printed
    assert len(ranking.groups()) == 2 and ranking.details["friedman_p_value"] < 0.001
    assert control.names[control.control] == "tree"
    ranks = RanksDisplay.from_results(variables["scores"]).frame()
    assert list(ranks) == ranking.frame()["learner"].tolist()
    assert picture.read_bytes().startswith(PNG)


def test_optimism(run, tmp_path):
    picture = tmp_path / "optimism.png"
    printed, variables = run("plot_optimism.py", "--quick", "--output", picture)
    search, curve = variables["search"], variables["curve"]
    assert str(curve) in printed and search.summary() in printed
    frame = curve.frame()
    assert frame.index[-1] == len(search.cv_results_["params"]) == curve.sizes[-1]
    assert abs(frame["optimism"].iloc[0]) < 0.02 < frame["optimism"].iloc[-1]
    assert curve.corrected[-1, 0] == pytest.approx(search.bbc_score_, abs=0.02)
    shares = variables["frequency"].frame()["share"]
    assert shares.sum() == pytest.approx(1) and shares.iloc[0] < 0.9, "no clear winner"
    assert picture.read_bytes().startswith(PNG)


def test_several_data_sets(run, tmp_path):
    picture = tmp_path / "several.png"
    _, variables = run("plot_several_data_sets.py", "--output", picture)
    display, searches = variables["display"], variables["searches"]
    assert display.metrics == ["roc_auc", "neg_log_loss"] and len(display.axes_) == 2
    frame = display.frame().set_index("label")
    for name, search in searches.items():
        rows = frame.loc[name].set_index("metric")
        assert rows.loc["roc_auc", "estimate"] == search.ci_.estimate
        assert rows.loc["roc_auc", "best_score"] == search.best_score_
    assert picture.read_bytes().startswith(PNG)


def test_coverage(run, tmp_path):
    picture = tmp_path / "coverage.png"
    _, variables = run("plot_coverage.py", "--quick", "--output", picture)
    means = variables["study"].groupby("method")["coverage"].mean()
    assert means["BBC"] > 0.9 > means["bootstrap of the winner"]
    assert (variables["study"]["runs"] == 20).all()
    assert picture.read_bytes().startswith(PNG)
