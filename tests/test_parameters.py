"""Every public class, method and function gets bad values of every parameter, and names it.

The cases are made from the signatures: a new name or parameter is tested by being public. Where a
value that it needs is not known by its name, `GOOD` and `GIVEN` are the place to add it.
"""

import inspect
import re
import warnings
from functools import cache, partial

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

from sklearn_bbc import (
    BBC,
    BBCSearchCV,
    OOFPredictions,
    OOFRecorder,
    best_of,
    samples_for_width,
    tied_with_best,
)
from sklearn_bbc._parameters import Flag, Number, Whole, constraint_of
from sklearn_bbc.comparison import (
    BaseComparison,
    BayesianSignedRank,
    DataSetsComparison,
    FiveByTwo,
    Nemenyi,
    PairedBootstrap,
    Side,
    TiedMethod,
    learning_curve_intervals,
)
from sklearn_bbc.curves import Curve, RegressionCalibration, corrected_curve
from sklearn_bbc.display import BaseDisplay
from sklearn_bbc.intervals import (
    BaseInterval,
    LearnEvaluate,
    NestedCV,
    RefitInterval,
    TopShare,
    optimism_curve,
)
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.report import ResultsTable
from sklearn_bbc.resampling import Redraw
from sklearn_bbc.search import BBCSearchMixin, DropClearlyWorse
from sklearn_bbc.selection import Selection, SensitivityAt, WithThreshold
from sklearn_bbc.testing import example_predictions
from tests.search.small_search import TREE, X, Y
from tests.test_docstrings import public_members, public_names


class Nothing:
    """What no parameter takes."""

    def __repr__(self):
        return "<nothing>"


NOTHING = Nothing()
PARAMS = [{"k": k} for k in range(4)]
PLAIN = example_predictions()
OOF = OOFPredictions.from_rows(
    y_true=PLAIN.y_true, responses=PLAIN.responses, fold=PLAIN.fold, params=PARAMS
)
NUMBERS = OOFPredictions(
    y_true=X[:, 0], y_pred=X[:, 1:4] + X[:, :1], fold=np.arange(len(X)) % 5, params=PARAMS[:3]
)
FEW = BBC(n_bootstraps=20, random_state=0)
KERNEL = as_metric("roc_auc").bind(OOF)
AGAIN = OOFPredictions.from_rows(
    y_true=PLAIN.y_true, responses=PLAIN.responses, fold=np.arange(60) // 10, params=PARAMS
)
SIDES = {"first": Side(oof=OOF, config=0), "second": Side(oof=OOF, config=1)}
SYSTEMS = np.random.default_rng(0).normal(size=(40, 3)) + np.arange(3)
ONE, OTHER = LogisticRegression(), LogisticRegression(C=0.1)
LEARNT = GridSearchCV(TREE, {"max_depth": [1, 2]}, cv=3).fit(X, Y)
TIMES = np.zeros(40, dtype=[("event", bool), ("time", float)])
TIMES["event"], TIMES["time"] = np.arange(40) % 3 > 0, 1 + np.arange(40) % 17
FALLING = np.linspace(0.9, 0.1, 40)
HAZARDS = np.random.default_rng(0).normal(size=(2, 40)) - TIMES["time"] / 5
AT_RISK = OOFPredictions.from_rows(
    y_true=np.column_stack([TIMES["event"], TIMES["time"]]),
    responses={
        "predict": HAZARDS,
        "predict_survival_function(4.0,8.0)": np.exp(-np.exp(HAZARDS)[..., None] * [0.4, 0.8]),
    },
    fold=np.arange(40) % 4,
)
SURVIVAL = {"y_true": TIMES, "y_pred": FALLING}
CURVES = {"y_true": TIMES, "y_pred": np.column_stack([FALLING, FALLING**2])}
PLANNED = {"scoring": "roc_auc", "n_samples": [60], "n_studies": 20, "n_bootstraps": 100}
RISKS = {"y_true": OOF.y_true, "y_prob": OOF.matrix("roc_auc")[:, 0]}


def first_of_all(cv_results):
    return 0


@cache
def fitted():
    search = BBCSearchCV(TREE, {"max_depth": [1, 2, 4]}, scoring="roc_auc", random_state=0)
    return search.set_params(ci=BBC(n_bootstraps=40), cv=5).fit(X, Y)


@cache
def learnt():
    return learning_curve_intervals(
        ONE, X, Y, n_repeats=1, random_state=0, train_sizes=(0.25, 0.5, 1.0)
    )


@cache
def pictured():
    """What pictures show, by the name of the class."""
    bbc = fitted().ci_
    return {
        "CriticalDifferenceDisplay": {"ranking": Nemenyi().compare(SYSTEMS)},
        "CurveDisplay": {"result": corrected_curve(OOF, "roc_auc", n_bootstraps=50)},
        "CoverageDisplay": {"study": pd.DataFrame({"method": ["a", "b"], "coverage": [0.9, 1.0]})},
        "BoxesDisplay": {"scores": SYSTEMS},
        "DifferencesDisplay": {"results": fitted().compare({"max_depth": 4}, n_bootstraps=40)},
        "DrawsDisplay": {"results": {"bbc": bbc}},
        "IntervalsDisplay": {"results": {"bbc": bbc}},
        "ForestDisplay": {"results": {"roc_auc": {"bbc": bbc}}},
        "LearningCurveDisplay": {"result": learnt()},
        "OptimismDisplay": {"curve": optimism_curve(OOF, "roc_auc", n_subsets=5, n_bootstraps=40)},
        "SelectionFrequencyDisplay": {"shares": {0: 0.25, 2: 0.75}},
        "SampleSizeDisplay": {"result": samples_for_width(OOF, **PLANNED)},
        "StabilityDisplay": {"result": fitted().prediction_stability(n_bootstraps=40)},
        "SystemsDisplay": {"result": best_of(SYSTEMS, n_bootstraps=40)},
        "TiedSetDisplay": {"tied": tied_with_best(OOF, "roc_auc", n_bootstraps=40)},
    }


# What parameters without a default get, by their name; what makes a call quick, where it is known.
GOOD = {
    "X": X, "by": np.arange(len(Y)) % 2, "complexity": "k", "cv_results": {}, "estimator": ONE,
    "fold": 0, "fold_scores": {"auc": np.full((5, 2), 0.5)}, "function": len, "kernel": KERNEL,
    "n": 100, "n_data_sets": 10, "n_learners": 3, "n_parameters": 20, "oof": OOF,
    "params": {"k": 1},
    "parts": [OOF, OOF], "path": "page.html", "predictions": np.zeros(12),
    "responses": OOF.responses, "rows": [("a", "b", "c")], "scores": SYSTEMS,
    "scoring": "roc_auc", "specificity": 0.8, "time": 5.0, "times": [4.0, 8.0], "y": Y,
    "y_pred": OOF.matrix("roc_auc"), "y_true": OOF.y_true,
}  # fmt: skip
QUICK = {
    "cv": 3, "n_bootstraps": 100, "n_folds": 3, "n_inner": 3, "n_outer": 2, "n_repeats": 1,
    "n_repetitions": 1, "n_subsets": 3, "random_state": 0, "train_sizes": (0.5, 1.0), "verbose": 0,
}  # fmt: skip
NAMES = {name: each for each, name in public_names().items()}
"""What single functions, classes and methods get."""
GIVEN = {
    "BBCSearchCV": {"estimator": TREE, "param_grid": {"max_depth": [1, 2]}, "ci": FEW},
    "compare": {**SIDES, "scoring": "roc_auc"},
    "concordance_index_score": SURVIVAL,
    "develop_binary": {"prevalence": 0.2, "r2_cox_snell": 0.3},
    "develop_continuous": {"r2": 0.2, "mean": 1.9, "sd": 0.6},
    "develop_survival": {
        "rate": 0.1, "mean_follow_up": 2, "time": 2, "r2_cox_snell": 0.1
    },
    "validate_binary": {"prevalence": 0.2, "c_statistic": 0.8},
    "validate_continuous": {"r2": 0.9, "variance": 0.1, "width_of_mean": 0.1},
    "samples_for_power": {**SIDES, **PLANNED},
    "samples_for_width": {"predictions": OOF, **PLANNED},
    "dynamic_auc_score": SURVIVAL,
    "integrated_brier_score": CURVES,
    "holdout_interval": {"y_pred": OOF.matrix("roc_auc")[:, 0], "scoring": "roc_auc"},
    "optimism_curve": {"sizes": [1, 2]},
    "SurvivalCalibration": {"time": 8},
    "SurvivalNetBenefit": {"time": 8},
    "survival_brier_score": SURVIVAL,
    "uno_concordance_score": SURVIVAL,
    "write_report": {"results": FEW.estimate(OOF, "roc_auc"), "tied": False},
    "WithThreshold": {"scoring": "f1"},
    "DirectBootstrap": {"n_bootstraps": 20},
    "BaseComparison.compare": {**SIDES, "scoring": "roc_auc"},
    "BaseInterval.estimate": {"scoring": "roc_auc"},
    "bbc": {"scoring": "roc_auc"},
    "corrected_curve": {"scoring": "roc_auc"},
    "tied_with_best": {"scoring": "roc_auc"},
    "DataSetsComparison.compare": {},
    "OOFPredictions.concat": {"parts": [OOF, AGAIN]},
    "OOFPredictions.from_search": {"search": LEARNT},
    "OOFPredictions.response": {"methods": "predict_proba"},
    "BBCSearchMixin.compare": {"baseline": {"max_depth": 4}},
    "BBCSearchMixin.report": {"tied": False, "show": ()},
    "RefitCallable": {"function": first_of_all},
    "OOFPredictions.from_fold_scores": {"y_true": Y, "fold": np.arange(len(Y)) % 5},
    "OOFRecorder.cross_val_score": {"y": Y},
    "OOFRecorder.record": {"predictions": np.zeros(len(Y) // 5)},
    "BBCSearchMixin.threshold": {"scoring": "f1"},
    "FiveByTwo.compare": {"first": ONE, "second": OTHER},
    "OOFPredictions.with_selected": {"selected": 1},
    "calibration_intercept": RISKS, "calibration_slope": RISKS,
    "expected_calibration_error": RISKS, "integrated_calibration_index": RISKS,
}  # fmt: skip


def on_some_metric(run):
    """Run a method on the first metric that it takes; the error of the last one is seen."""
    for metric in ("accuracy", "roc_auc"):
        try:
            return run(metric)
        except ValueError:  # of the metric, or of a parameter, which the others show too
            continue
    return run("f1")


def drawn_from(cls):
    """Predictions that a curve can be drawn of, and a metric of them."""
    if cls.__module__.endswith("_survival"):
        return AT_RISK, "concordance_index"
    return (NUMBERS, "r2") if cls is RegressionCalibration else (OOF, "roc_auc")


def use_of(cls):
    """What is done with an object of a class, for which its parameters are checked."""
    uses = {
        BaseInterval: lambda method: on_some_metric(partial(method.estimate, OOF)),
        RefitInterval: lambda method: method.estimate(ONE, X, Y),
        BaseComparison: lambda method: on_some_metric(partial(method.compare, *SIDES.values())),
        FiveByTwo: lambda method: method.compare(ONE, OTHER, X, Y),
        BayesianSignedRank: lambda method: method.compare(SYSTEMS[:, :2]),
        DataSetsComparison: lambda method: method.compare(SYSTEMS),
        TiedMethod: lambda method: tied_with_best(OOF, "roc_auc", method=method),
        Selection: lambda rule: rule.bind(OOF, KERNEL),
        SensitivityAt: lambda rule: WithThreshold(rule).bind(OOF, KERNEL),
        LearnEvaluate: lambda step: step.select(OOF, KERNEL),
        TopShare: lambda rule: LearnEvaluate(rule).select(OOF, KERNEL),
        Redraw: lambda rule: BBC(n_bootstraps=20, degenerate=rule).estimate(OOF, "roc_auc"),
        Curve: lambda curve: corrected_curve(*drawn_from(cls), curve, n_bootstraps=20),
        DropClearlyWorse: lambda drop: drop.replay(OOF, "roc_auc"),
        BBCSearchCV: lambda search: search.fit(X, Y),
        BaseDisplay: lambda display: display.frame(),
    }  # fmt: skip
    return next((use for base, use in uses.items() if issubclass(cls, base)), None)


def owner_of(cls):
    """An object whose methods are called."""
    owners = {
        OOFPredictions: lambda: OOF,
        OOFRecorder: lambda: OOFRecorder(Y),
        BBCSearchMixin: fitted,
        BaseInterval: lambda: BBC(n_bootstraps=40),
        RefitInterval: lambda: NestedCV(cv=3, verbose=0),
        BaseComparison: lambda: PairedBootstrap(n_bootstraps=40),
        FiveByTwo: lambda: FiveByTwo(verbose=0),
        DataSetsComparison: Nemenyi,
        LearnEvaluate: LearnEvaluate,
        ResultsTable: lambda: ResultsTable([("a", "b", "c")]),
        DropClearlyWorse: DropClearlyWorse,
    }
    return next(make() for base, make in owners.items() if issubclass(cls, base))


# Values that methods make, what authors of methods call, what takes anything, and what needs a
# file or another package.
LEFT_OUT = {
    "sklearn_bbc.ComparisonResult", "sklearn_bbc.ConfidenceInterval", "sklearn_bbc.citations",
    "sklearn_bbc.OOFPredictions.load", "sklearn_bbc.comparison.Pair",
    "sklearn_bbc.comparison.TiedMethod.p_values", "sklearn_bbc.curves.Curve",
    "sklearn_bbc.display.BaseDisplay", "sklearn_bbc.display.ForestDisplay.from_searches",
    "sklearn_bbc.metrics.BoundKernel", "sklearn_bbc.metrics.Metric",
    "sklearn_bbc.metrics.MetricKernel", "sklearn_bbc.report.ResultsTable.from_frame",
    "sklearn_bbc.search.ThresholdResult", "sklearn_bbc.selection.BoundSelection",
    "sklearn_bbc.selection.Outcome", "sklearn_bbc.selection.Selection", "sklearn_bbc.skore",
    "sklearn_bbc.testing.check_contract", "sklearn_bbc.testing.check_metric",
    "sklearn_bbc.testing.checks", "sklearn_bbc.results",
}  # fmt: skip
# Parameters of which anything is right, or which are read only where they are needed.
ANYTHING = {
    "BBCSearchCV.refit",  # as in scikit-learn: what counts as true
    "OOFRecorder.record.score",  # NaN is the score of a fit that failed
    *(
        f"BBCSearchMixin.{method}.{data}"  # only where models have to be fitted again
        for method in ("interval", "threshold", "compare", "curve", "subgroups")
        for data in ("X", "y")
    ),
    "BBCSearchMixin.prediction_stability.X",
    "BBCSearchMixin.prediction_stability.y",
}
# Texts that may be any.
TEXTS = {"by", "code", "coverage", "label", "method", "metric", "name", "title"}


def parameters_of(function):
    return {
        name: each
        for name, each in inspect.signature(function).parameters.items()
        if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD) and name not in ("self", "cls")
    }


def cases():
    """Yield the names of all that is public and has parameters: functions, classes, methods."""
    for name, thing in NAMES.items():
        if any(f"{name}.".startswith(f"{each}.") for each in LEFT_OUT):
            continue
        if inspect.isclass(thing):
            if issubclass(thing, BaseException):
                continue
            for member in public_members(thing):
                function = inspect.getattr_static(thing, member)
                if not isinstance(function, property) and f"{name}.{member}" not in LEFT_OUT:
                    if parameters_of(getattr(thing, member)):
                        yield f"{name}.{member}"
        if not inspect.isabstract(thing) and parameters_of(thing):
            yield name


def called(name):
    """A function that calls what has a public name, its parameters, and arguments that work."""
    owner, _, member = name.rpartition(".")
    if name in NAMES:
        function, key = NAMES[name], member
    else:
        function = getattr(owner_of(NAMES[owner]), member)
        key = f"{owner.rpartition('.')[2]}.{member}"
    parameters = parameters_of(function)
    given = {k: v for k, v in QUICK.items() if k in parameters} | GIVEN.get(key, {})
    if owner == "sklearn_bbc.display":
        given |= pictured().get(member, {})
    needed = [k for k, v in parameters.items() if v.default is v.empty and k not in given]
    given |= {k: GOOD[k] for k in needed}

    def call(**changed):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = function(**given | changed)
            if inspect.isclass(function) and (use := use_of(function)):
                use(made)

    left = {each.rpartition(".")[2] for each in ANYTHING if each.rpartition(".")[0] == key}
    return call, {k: v for k, v in parameters.items() if k not in left}


def bad_values(name, parameter):
    """Yield what is of no type, of another one than the signature says, and out of range."""
    said, default = str(parameter.annotation), parameter.default
    yield NOTHING
    if "bool" in said or isinstance(default, bool):
        yield "yes"
    elif re.search(r"\bint\b", said):
        yield 2.5
    elif said in ("float", "float | None"):
        yield np.nan
        yield "much"
    elif isinstance(default, str) and parameter.name not in TEXTS:
        yield "no such"
    match inspect.isclass(NAMES.get(name)) and constraint_of(NAMES[name], parameter.name):
        case Flag():
            yield 1
        case Whole(least=least):
            yield True
            yield from () if least is None else [least - 1]
        case Number(above=above, least=least, below=below):
            yield True
            yield from (each for each in (above, below, np.inf) if each is not None)
            yield from () if least is None else [least - 0.1]


@pytest.mark.parametrize("name", [*cases()])
def test_a_bad_value_of_each_parameter_is_told_by_name(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    call, parameters = called(name)
    call()
    for parameter in parameters.values():
        for value in bad_values(name, parameter):
            try:
                call(**{parameter.name: value})
            except (TypeError, ValueError) as error:
                named = re.search(rf"\b{parameter.name}\b", str(error))
                assert named, f"{parameter.name}={value!r} is not named: {error}"
            else:
                pytest.fail(f"{name} takes {parameter.name}={value!r}")


def test_what_is_left_out_exists():
    known = {name.rpartition(".")[2]: thing for name, thing in NAMES.items()}
    for each in LEFT_OUT - {"sklearn_bbc.results", "sklearn_bbc.skore"}:
        owner, _, member = each.rpartition(".")
        assert each in NAMES or hasattr(NAMES[owner], member), each
    for each in ANYTHING:
        owner, *members, parameter = each.split(".")
        thing = known[owner]
        for member in members:
            thing = getattr(thing, member)
        assert parameter in inspect.signature(thing).parameters, each
