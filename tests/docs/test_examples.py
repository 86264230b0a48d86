"""The examples run and print what they promise."""

import re
import runpy
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss, roc_curve

from sklearn_bbc import BBC, BBCSearchCV
from sklearn_bbc.display import BoxesDisplay

pytest.importorskip("matplotlib", reason="the examples draw: they need the extra 'plot'")


@pytest.fixture
def run(repository, monkeypatch, capsys, tmp_path):
    """Run an example as a script; gives what it printed and its variables."""
    import matplotlib.pyplot as plt

    def run(name, *arguments):
        script, plot = repository / "docs" / "examples" / f"plot_{name}.py", tmp_path / "plot.png"
        given = [str(script), *map(str, arguments), "--output", str(plot)]
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", given)
        variables = runpy.run_path(str(script), run_name="__main__")
        assert plot.read_bytes().startswith(b"\x89PNG")
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


class Enough(Exception):
    """Ends a script before its search, which takes longer than a test may."""


@pytest.fixture
def stop_before_the_search(monkeypatch):
    def fit(self, X, y):
        raise Enough(self, X, y)

    monkeypatch.setattr(BBCSearchCV, "fit", fit)


@pytest.mark.parametrize("name", ["quickstart", "credit_g", "survival"])
def test_an_example_runs_as_a_notebook_does(
    name, repository, stop_before_the_search, monkeypatch, shared, tmp_path
):
    if name == "survival":
        pytest.importorskip("sksurv", reason="the example fits models of scikit-survival")
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
    with pytest.raises(Enough) as stopped:
        exec(script.read_text(), {"__name__": "__main__"})
    search, X, y = stopped.value.args
    assert (search.n_iter, X.shape, y.sum()) == (30, (50, 20), 15)


@pytest.mark.parametrize("folder", ["docs/examples", "."])
def test_the_run_of_an_example_is_found_in_the_gallery_and_in_a_notebook(
    folder, repository, monkeypatch
):
    def estimate(self, oof, metric):
        raise Enough(oof)

    script = repository / "docs" / "examples" / "plot_automl.py"
    monkeypatch.setattr(BBC, "estimate", estimate)
    monkeypatch.setattr(sys, "argv", [str(script)])
    monkeypatch.chdir(repository / folder)
    with pytest.raises(Enough) as stopped:
        exec(script.read_text(), {"__name__": "__main__"})
    assert stopped.value.args[0].n_configs == 12


def quickstart(printed, search, display, X, y, **_):
    assert str(search.table()) in printed and search.summary() in printed
    held_out = display.frame().loc["held-out score", "estimate"]
    assert held_out == search.score(X[60:], y[60:])


def credit_g(printed, tuned, table, off, **_):
    first, held_out = tuned[0]
    assert first.oof_.n_samples == 50 and first.summary() in printed
    assert table.loc[0].tolist() == [
        first.best_score_, first.bbc_score_, *first.ci_, held_out,
    ]  # fmt: skip
    assert f"best score    {off['best score'].mean():.3f}" in printed


def survival(printed, search, held_out, truth, X_others, y_others, **_):
    rows = table(printed)
    for name, results in search.ci_results_.items():
        result = results["bbc"]
        assert rows[name][1:] == [
            round(number, 3) for number in (result.estimate, *result, held_out[name])
        ]
        assert result.estimate < rows[name][0]
    assert search.summary() in printed and "The event was seen in 83 samples" in printed
    assert held_out["dynamic_auc"] in search.ci_results_["dynamic_auc"]["bbc"]


def pooling(printed, search, means, **_):
    low = means.loc[0.001]
    assert low["BBC, pooled"] < low["mean over folds"] - 0.02
    assert abs(low["BBC, within folds"] - low["mean over folds"]) < 0.02
    assert search.summary() in printed and search.ci_.details["mostly_pooling"]


def clinical(printed, search, curves, intervals, tuned, page, risks, y_others, subgroups, **_):
    assert search.summary() in printed and search.summary("methods") in printed
    assert str(search.table(show=intervals)) in printed and tuned.summary() in printed
    assert [curve.curve for curve in curves] == ["roc", "precision_recall", "calibration",
                                                 "net_benefit"]  # fmt: skip
    others = (
        curves[0].frame().assign(others=np.interp(curves[0].grid, *roc_curve(y_others, risks)[:2]))
    )
    assert (others["low_joint"] <= others["others"]).mean() > 0.95
    assert all(curve.summary() in page.read_text() for curve in curves)
    assert subgroups.summary() in printed and len(subgroups.groups) == 4
    assert tuned.table().round(2).loc["sensitivity", "estimate"].astype(str) in printed


def one_standard_error(printed, best, simple, **_):
    assert simple.best_params_["lasso__alpha"] > best.best_params_["lasso__alpha"]
    assert simple.ci_.details["winner"] == simple.best_index_
    assert simple.bbc_score_ < best.bbc_score_  # what the text says that it costs
    assert " 7 terms" in printed and "22 terms" in printed  # a third, as the text says


def ensemble(printed, result, ensemble, weights, search, names, **_):
    assert weights.sum() == pytest.approx(1) and len(ensemble.estimators_) > 1
    assert result.estimate < result.details["apparent_score"]
    assert f"corrected {-result.estimate:.3f}" in printed
    # The example's order of the parameters is that of the search.
    for name, params in zip(names, search.oof_.params, strict=True):
        assert name.startswith(type(params["model"]).__name__)


def tied(printed, tied, search, **_):
    assert str(tied) in printed and search.summary() in printed
    assert 1 < len(tied) < tied.n_configs and tied.simplest in tied


def differences(printed, results, display, **_):
    frame = display.frame()
    assert all(str(result) in printed for result in results.values())
    assert frame["difference"].iloc[0] > 0 > frame["difference"].iloc[2]


def epochs(printed, oof, samples, train, X_tune, y_tune, apparent, result, **_):
    assert oof.n_configs == 120
    # The last of a network's predictions for a fold, trained once more.
    here = oof.fold == 2
    *_, last = train(X_tune[~here], y_tune[~here], X_tune[here], hidden=4, rate=0.1)
    config = oof.params.index({"hidden": 4, "rate": 0.1, "epoch": 30})
    np.testing.assert_array_equal(oof.matrix("neg_log_loss")[here, config], last)
    losses = [log_loss(y_tune, oof.matrix("neg_log_loss")[:, k]) for k in range(oof.n_configs)]
    assert apparent == pytest.approx(min(losses)) and apparent < -result.estimate
    assert samples.mean().round(3).to_string() in printed


def learning_curve(printed, curve, **_):
    widths = [high - low for low, high in curve.test]
    assert str(curve) in printed
    assert widths[0] > 3 * widths[-1], "intervals of small sizes are wide, as the text says"


def critical_difference(printed, ranking, control, scores, **_):
    assert ranking.n_data_sets == 12 and str(ranking) in printed
    assert len(ranking.groups()) == 2 and ranking.details["friedman_p_value"] < 0.001
    assert control.names[control.control] == "tree"
    ranks = BoxesDisplay.from_results(scores, ranks=True).frame()
    assert list(ranks) == ranking.frame()["learner"].tolist()


def optimism(printed, search, curve, frequency, **_):
    frame = curve.frame()
    assert str(curve) in printed and search.summary() in printed
    assert frame.index[-1] == len(search.cv_results_["params"])
    assert abs(frame["optimism"].iloc[0]) < 0.02 < frame["optimism"].iloc[-1]
    assert curve.corrected[-1, 0] == pytest.approx(search.bbc_score_, abs=0.02)
    assert frequency.frame()["share"].iloc[0] < 0.9, "no clear winner"


def several_data_sets(printed, display, searches, **_):
    frame = display.frame().set_index("label")
    assert display.metrics == ["roc_auc", "neg_log_loss"]
    for name, search in searches.items():
        rows = frame.loc[name].set_index("metric")
        assert rows.loc["roc_auc", "estimate"] == search.ci_.estimate
        assert rows.loc["roc_auc", "best_score"] == search.best_score_


def coverage(printed, study, **_):
    means = study.groupby("method")["coverage"].mean()
    assert means["BBC"] > 0.9 > means["bootstrap of the winner"]


QUICK = (quickstart, survival, clinical, pooling, ensemble, tied, epochs, optimism, coverage)
WHOLE = (one_standard_error, differences, learning_curve, critical_difference,
         several_data_sets)  # fmt: skip
OPTIONS = {check: ["--quick"] for check in QUICK} | {check: [] for check in WHOLE}
OPTIONS[credit_g] = ["--n-iter", 4, "--n-samples", 2]


@pytest.mark.long
@pytest.mark.parametrize("check", OPTIONS, ids=lambda check: check.__name__)
def test_what_it_promises(check, run, shared):
    local = ["--data-dir", shared / "data"] if check is credit_g else []
    if check is survival:
        pytest.importorskip("sksurv", reason="the example fits models of scikit-survival")
    printed, variables = run(check.__name__, *OPTIONS[check], *local)
    check(printed, **variables)


def test_automl_board_beside_corrected(run):
    printed, variables = run("automl")
    result, board, truth = (variables[name] for name in ("result", "board", "truth"))
    assert variables["oof"].n_configs == len(board) == len(truth) == 12
    assert "These predictions give the auc of the leaderboard of mljar" in printed
    assert result.estimate < board.iloc[0] and truth[board.index[0]] in result
    assert f"First line {board.iloc[0]:.3f}, corrected {result.estimate:.3f}" in printed
