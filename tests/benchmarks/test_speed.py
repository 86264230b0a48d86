"""The measurements measure what they say; how fast anything is, no test can know."""

from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest

from benchmarks import speed
from benchmarks.harness import record
from benchmarks.timing import (
    curve_times,
    footprint,
    interpreter,
    method_times,
    moments_times,
    roof_times,
    scaling,
    search_memory,
    search_on_disk,
    tied_times,
)
from benchmarks.timing.cases import CASES, make_case
from benchmarks.timing.curve_times import time_curve
from benchmarks.timing.interpreter import Interpreter, has_metric, time_interval, time_loop
from sklearn_bbc.intervals import BBC
from sklearn_bbc.metrics import as_metric


@pytest.fixture
def states(monkeypatch):
    """Both states of the kernels, played by this process."""
    both = {
        name: lambda function, *arguments: function(*arguments) for name in ("NumPy", "native")
    }
    monkeypatch.setattr(speed, "open_states", lambda: both)
    return both


@pytest.mark.parametrize(
    "name", [name for name, (scoring, _) in CASES.items() if has_metric(scoring)]
)
def test_the_package_and_the_loop_see_the_same_predictions(name):
    case = make_case(name, 60, 4)
    metric = as_metric(case.scoring)
    kernel = metric.bind(case.oof)
    ours = kernel.scores(np.ones((1, 60)))[0]
    theirs = [metric.sign * metric.score_func(case.y, pred, **metric.kwargs) for pred in case.pred]
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    assert case.oof.n_splits == 10
    assert 0 < len(case.strata(np.arange(60))) == case.n_strata
    assert all(pred.flags.c_contiguous for pred in case.pred)


def test_times_are_of_whole_intervals(monkeypatch):
    clock = iter(range(100))
    monkeypatch.setattr(interpreter.time, "process_time", lambda: next(clock))
    seen = []
    monkeypatch.setattr(BBC, "estimate", lambda self, *rest: seen.append((self, *rest)))
    assert time_interval("roc_auc", 40, 3, 25) == 1
    [(interval, oof, scoring)] = seen
    assert (interval.n_bootstraps, interval.random_state, interval.n_jobs) == (25, 0, 1)
    assert (oof.n_samples, oof.n_configs, scoring) == (40, 3, "roc_auc")


@pytest.mark.parametrize("budget, n_in_bag", [(10**6, 25 * 3), (7, 5)])
def test_a_slice_of_the_loop_gives_the_whole(monkeypatch, budget, n_in_bag):
    """With a clock on which every step takes one second, the whole takes one per step."""
    clock = iter(range(10**6))
    monkeypatch.setattr(interpreter.time, "process_time", lambda: next(clock))
    calls = []
    metric = as_metric("roc_auc")
    function = metric.score_func
    monkeypatch.setitem(
        vars(metric),
        "score_func",
        lambda y, p, **rest: calls.append(len(y)) or function(y, p, **rest),
    )
    monkeypatch.setattr(interpreter, "as_metric", lambda scoring: metric)
    assert time_loop("roc_auc", 40, 3, 25, budget) == 25 * (1 + 3 + 1)
    assert calls.count(40) == n_in_bag
    assert all(5 < n < 40 for n in calls if n != 40), "out-of-bag scores see the rows left out"


def test_runs_of_all_states_alternate():
    order = []

    def state(name):
        return lambda function, *arguments: order.append((name, function(*arguments))) or 1.0

    tasks = {"loop": (str, ("loop",)), "bbc": (str, ("bbc",))}
    times = speed.measure({"a": state("a"), "b": state("b")}, tasks, 2)
    one_round = [("a", "loop"), ("a", "bbc"), ("b", "loop"), ("b", "bbc")]
    assert order == one_round * 3, "the first is for warming up"
    assert times == {key: [1.0, 1.0] for key in one_round}


def test_a_row_holds_medians_and_ratios_within_a_process(monkeypatch):
    times = {
        ("NumPy", "loop"): [10.0, 12.0, 11.0], ("NumPy", "bbc"): [2.0, 1.0, 3.0],
        ("native", "loop"): [9.0, 9.0, 9.0], ("native", "bbc"): [0.1, 0.5, 0.3],
    }  # fmt: skip
    monkeypatch.setattr(speed, "measure", lambda *arguments: times)
    row = speed.against_the_loop({"NumPy": None, "native": None}, "roc_auc", (500, 5, 200), 3)
    assert (row["N"], row["C"], row["B"], row["loop, s"]) == (500, 5, 200, 9.5)
    assert (row["NumPy, s"], row["native, s"]) == (2.0, 0.3)
    assert (row["loop / NumPy"], row["loop / native"]) == (5.5, pytest.approx(30))
    assert row["NumPy / native"] == pytest.approx(2 / 0.3)
    assert row["native, quartiles"] == "0.2 to 0.4"


def test_kernels_in_a_process_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.setenv(interpreter.SWITCH, "1")
    numpy_only = Interpreter(native=False)
    assert numpy_only(interpreter.os.getenv, "OMP_NUM_THREADS") == "1"
    assert numpy_only(interpreter.os.getenv, interpreter.SWITCH) == "0"
    assert not numpy_only(interpreter.native_in_use)
    assert interpreter.os.environ["OMP_NUM_THREADS"] == "7"
    assert interpreter.os.environ[interpreter.SWITCH] == "1"

    monkeypatch.setattr(speed, "open_states", lambda: {"NumPy": numpy_only})
    monkeypatch.setattr(speed, "KERNELS", [(40, 3, 20), (10**6, 3, 20)])
    table = speed.main(["kernels", "--runs", "1", "--largest", "1000", "--output", str(tmp_path)])
    numpy_only.close()
    assert list(table["N"]) == [40]
    assert (table["loop / NumPy"] >= 0).all()
    stored = pd.read_csv(tmp_path / "speed_kernels.csv")
    assert stored["code"][0] == record.code()
    text = (tmp_path / "speed_kernels.md").read_text(encoding="utf-8")
    assert text.startswith("| N | C | B | loop, s |")
    assert "Made by `" in text


def test_curves_are_timed_against_their_limits(states, tmp_path, monkeypatch):
    seconds = {"roc": 0.6, "calibration": 0.6}
    monkeypatch.setattr(curve_times, "time_curve", lambda what, *size: seconds.get(what, 3.1))
    table = speed.main(["curves", "--runs", "1", "--output", str(tmp_path)])
    within = table.set_index("curve or number")["within"]
    assert within["calibration"] == "yes" and (within.drop("calibration") == "no").all()


def test_a_curve_is_timed():
    for what in ("roc", "calibration_slope", "brier_over_time", "survival_net_benefit"):
        assert time_curve(what, 60, 3, 20) >= 0


@pytest.mark.parametrize("scoring", ["roc_auc", "accuracy", "f1"])
def test_every_method_can_be_timed(scoring):
    for method, metric in method_times.timed_pairs():
        if metric == scoring:
            assert method_times.time_method(method, scoring, 300, 12, 20) >= 0


@pytest.mark.parametrize("method", method_times.REFITTING)
def test_every_method_that_trains_can_be_timed(method):
    assert method_times.time_refitting(method) >= 0


def test_scaling_draws_ours_and_theirs(states, tmp_path, monkeypatch, shared):
    seen = []
    monkeypatch.setattr(speed, "time_interval", lambda *arguments: seen.append(arguments) or 1.0)
    reference = shared / "reference" / "reference_timings.csv"
    table = speed.main(
        ["scaling", "--runs", "1", "--largest", "500", "--output", str(tmp_path),
         "--reference", str(reference)]
    )  # fmt: skip
    assert ("roc_auc", 500, 5, 200, 3, "bbc", 0) in seen
    assert ("roc_auc", 500, 5, 200, 50, "bbcf", 0) in seen
    assert set(table["kernels"]) == {"NumPy", "native"}
    assert table["N"].max() == 500
    assert (tmp_path / "speed_scaling.png").read_bytes().startswith(b"\x89PNG")
    theirs = scaling.published(reference)
    for sweep in "NCF":
        published = set(theirs.loc[theirs["sweep"] == sweep, sweep])
        assert published <= set(scaling.SWEEPS[sweep]), "every published point has one of ours"
    base = theirs[theirs["sweep"] == "N"].iloc[0]
    assert (base["C"], base["F"], base["B"]) == tuple(scaling.BASE[k] for k in "CFB")


def test_figure_3_at_the_published_sizes(states, tmp_path, monkeypatch, shared):
    seen = []
    monkeypatch.setattr(speed, "time_interval", lambda *arguments: seen.append(arguments) or 1.0)
    reference = shared / "reference" / "reference_timings.csv"
    table = speed.main(
        ["figure3", "--runs", "1", "--output", str(tmp_path), "--reference", str(reference)]
    )
    theirs = pd.read_csv(reference)
    assert len(theirs) == 38
    assert len(table) == 2 * 38, "every published point in both states of the kernels"
    assert not table["published, s"].isna().any()
    [row] = table.query("C == 250 and method == 'BBC' and kernels == 'NumPy'").to_dict("records")
    assert (row["N"], row["F"], row["B"], row["published, s"]) == (500, 3, 200, 36.5463)
    assert ("roc_auc", 10000, 5, 200, 3, "bbcf", 0) in seen
    assert (tmp_path / "speed_figure3.png").read_bytes().startswith(b"\x89PNG")


def figure3(tmp_path, *more):
    given = ["--repetitions", "1", "--output", str(tmp_path), "--reference", "nowhere.csv"]
    return speed.main(["figure3", *given, *more])


@pytest.fixture
def sizes(monkeypatch):
    """Sizes of this process, played: what ran in it before decides how far it really grows."""
    given = {"VmRSS": iter([100.0, 104.0]), "VmHWM": iter([110.0])}
    monkeypatch.setattr(footprint, "resident", lambda field: next(given[field]))
    return given


def test_the_size_of_this_process_is_found():
    footprint.forget_peak()
    assert all(footprint.resident(field) > 0 for field in ("VmRSS", "VmHWM"))


def test_a_search_on_disk_has_the_interval_of_one_in_memory(monkeypatch, tmp_path):
    monkeypatch.setattr(search_on_disk, "CASES", search_on_disk.CASES[:2])
    size = ["--size", "300", "8", "20"]
    table = speed.main(["search_on_disk", *size, "--output", str(tmp_path)])
    assert table["predictions are"].tolist() == ["store", "in memory"]
    assert (table.groupby("answers")[["low", "high"]].nunique() == 1).all(axis=None)
    stored = table["predictions are"] == "store"
    predictions = table["predictions, MB"]
    assert (
        table["on disk, MB"][stored] > predictions[stored]
    ).all()  # with what is written anyway
    assert (table["on disk, MB"][~stored] == 0).all()


@pytest.mark.parametrize("answers", search_memory.RESPONSES)
@pytest.mark.parametrize("kind", ["GridSearchCV", *search_memory.SEARCHES])
def test_growth_is_that_of_a_search(kind, answers, sizes):
    assert search_memory.growth(kind, answers, 1, 200, 4, 20) == 10


def test_tied_sets_are_timed_with_every_metric_and_method(states, tmp_path):
    table = speed.main(["tied", "--size", "60", "4", "100", "--output", str(tmp_path)])
    assert len(table) == 2 * len(tied_times.METRICS) * len(tied_times.METHODS)
    assert table["members"].between(1, 4).all() and (table["s"] >= 0).all()
    assert set(table["kernels"]) == {"NumPy", "native"}
    assert (tmp_path / "speed_tied.csv").is_file()


@pytest.fixture
def here(monkeypatch):
    """Functions are run in this process, and sizes are small."""

    class Here:
        def __init__(self, native, single=True):
            self.close = lambda: None

        def __call__(self, function, *arguments):
            return function(*arguments)

    monkeypatch.setattr(roof_times, "Interpreter", Here)
    monkeypatch.setattr(roof_times, "full_load", lambda n_processes: nullcontext())
    small = [task._replace(size=(60, 4, 20)) for task in roof_times.TASKS]
    monkeypatch.setattr(roof_times, "TASKS", tuple(small))
    splits = [task._replace(size=(60, 4, 20)) for task in roof_times.SPLITS]
    monkeypatch.setattr(roof_times, "SPLITS", tuple(splits))
    monkeypatch.setattr(roof_times, "MOST_OF_RUN", 2)
    monkeypatch.setattr(roof_times, "fresh", lambda code: [0.01])


def test_every_kind_of_interval_is_a_ratio_to_what_it_is_beside(here, tmp_path):
    table = speed.main(["roof", "--runs", "2", "--output", str(tmp_path)])
    n_splits, n_imports = 2 * len(roof_times.SPLITS), len(roof_times.IMPORTS)
    assert len(table) == len(roof_times.TASKS) + n_splits + n_imports
    split = {"million: preparation", "million: a draw"}
    assert set(table["part"]) == {*roof_times.PARTS, *split, "import"}
    assert set(table["beside"]) == {"product", "roc_auc", "quiet", "seconds"}
    assert (table["from"] <= table["ratio"]).all() and (table["ratio"] <= table["to"]).all()
    assert (table["runs"] == np.where(table["part"] == "import", 4, 2)).all()
    assert (tmp_path / "speed_roof.md").is_file()


def test_some_parts_of_the_ratios(here, tmp_path):
    table = speed.main(["roof", "--runs", "1", "--parts", "small", "--output", str(tmp_path)])
    assert list(table["part"]) == ["small", "small"]


def test_memory_of_intervals_with_a_small_working_memory(here, tmp_path):
    table = speed.main(["memory", "--size", "200", "5", "40", "--output", str(tmp_path)])
    assert list(table["metric"]) == list(roof_times.PEAKS)
    assert (table["limit, MB"] == 64 + 16 * 5 * 40 / 2**20).all()


def test_normal_draws_are_timed_beside_draws_of_samples(tmp_path):
    table = speed.main(["moments", "--size", "1000", "3", "50", "--output", str(tmp_path)])
    kinds = [f"best_of, {kind}" for kind in moments_times.SYSTEMS]
    assert table["what"].tolist() == ["accuracy", "neg_log_loss", "sums", *kinds]
    assert (table["ratio"].dropna() > 0).all()
    assert (tmp_path / "speed_moments.csv").is_file()
