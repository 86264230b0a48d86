"""Every public class, method and function gets bad values of every parameter, and names it.

The cases are made from the signatures: a new name or parameter is tested by being public. Where a
value that it needs is not known by its name, `GOOD` and `GIVEN` are the place to add it. What is
bad comes from the signature, from the constraint of the parameter and, so that a constraint that
allows too much is seen, from its name (`NEVER`). A message must name the parameter, say what it
got and, in the words of the constraint, what would work.
"""

import inspect
import re
import warnings
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.model_selection._search import BaseSearchCV

from sklearn_bbc import (
    BBC,
    BBCSearchCV,
    OOFPredictions,
    OOFRecorder,
    ScoreMoments,
    SequentialBestOf,
    best_of,
    samples_for_width,
    tied_with_best,
)
from sklearn_bbc._parameters import Flag, Kind, Number, OneOf, Whole, constraint_of
from sklearn_bbc._utils import got
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
OF_TOOLS = Path(__file__).parent / "predictions" / "readers" / "of_tools"
AUTOML_TARGET = pd.read_csv(OF_TOOLS / "autogluon_text_target.csv")["target"].to_numpy()
LIGHT_AUTOML = SimpleNamespace(
    data=np.full((60, 1), 0.5), features=["Lvl_0_A_prediction_0"], folds=np.arange(60) % 3,
    target=(AUTOML_TARGET == "malignant").astype(int),
    task=SimpleNamespace(name="binary", metric_name="auc"),
)  # fmt: skip
STUDY = SimpleNamespace(
    directions=[SimpleNamespace(name="MAXIMIZE")],
    trials=[
        SimpleNamespace(
            number=k, params={}, value=float(k),
            intermediate_values=dict.fromkeys(range(5), float(k)),
            state=SimpleNamespace(name="COMPLETE"),
        )
        for k in range(2)
    ],
)  # fmt: skip
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


def sequential():
    right = np.random.default_rng(0).integers(2, size=(5, 2))
    return SequentialBestOf(list("ab")).update(
        pd.DataFrame(right, columns=list("ab")), order="random"
    )


@cache
def pictured():
    """What pictures show, by the name of the class."""
    bbc = fitted().ci_
    return {
        "CriticalDifferenceDisplay": {"ranking": Nemenyi().compare(SYSTEMS)},
        "CurveDisplay": {"result": corrected_curve(OOF, "roc_auc", method=BBC(n_bootstraps=50))},
        "CoverageDisplay": {"study": pd.DataFrame({"method": ["a", "b"], "coverage": [0.9, 1.0]})},
        "BoxesDisplay": {"scores": SYSTEMS},
        "DifferencesDisplay": {"results": fitted().compare({"max_depth": 4}, n_bootstraps=40)},
        "DrawsDisplay": {"results": {"bbc": bbc}},
        "IntervalsDisplay": {"results": {"bbc": bbc}},
        "ForestDisplay": {"results": {"roc_auc": {"bbc": bbc}}},
        "LearningCurveDisplay": {"result": learnt()},
        "OptimismDisplay": {
            "curve": optimism_curve(OOF, "roc_auc", n_subsets=5, method=BBC(n_bootstraps=40))
        },
        "SelectionFrequencyDisplay": {"shares": {0: 0.25, 2: 0.75}},
        "SampleSizeDisplay": {"result": samples_for_width(OOF, **PLANNED)},
        "SequentialDisplay": {"evidence": sequential().evidence},
        "StabilityDisplay": {"result": fitted().prediction_stability(method=BBC(n_bootstraps=40))},
        "SystemsDisplay": {"result": best_of(SYSTEMS, n_bootstraps=40)},
        "TiedSetDisplay": {"tied": tied_with_best(OOF, "roc_auc", draws=BBC(n_bootstraps=40))},
    }


# What parameters without a default get, by their name; what makes a call quick, where it is known.
GOOD = {
    "X": X, "by": np.arange(len(Y)) % 2, "complexity": "k", "cv_results": {}, "estimator": ONE,
    "fold": 0, "fold_scores": {"auc": np.full((5, 2), 0.5)}, "function": len, "kernel": KERNEL,
    "chunks": [OOF], "n": 100, "n_configs": 3, "n_data_sets": 10, "n_learners": 3,
    "n_parameters": 20, "oof": OOF, "params": {"k": 1},
    "parts": [OOF, OOF], "path": "page.html", "predictions": np.zeros(12),
    "responses": OOF.responses, "rows": [("a", "b", "c")], "scores": SYSTEMS,
    "scoring": "roc_auc", "specificity": 0.8, "systems": ["a", "b"],
    "time": 5.0, "times": [4.0, 8.0], "y": Y,
    "y_pred": OOF.matrix("roc_auc"), "y_true": OOF.y_true,
}  # fmt: skip
QUICK = {
    "cv": 3, "n_bootstraps": 100, "n_folds": 3, "n_inner": 3, "n_outer": 2, "n_repeats": 1,
    "n_repetitions": 1, "n_subsets": 3, "random_state": 0, "train_sizes": (0.5, 1.0), "verbose": 0,
}  # fmt: skip
NAMES = {name: each for each, name in public_names().items()}
"""What single functions, classes and methods get."""
OF_TOOLS = Path(__file__).parent / "predictions" / "readers" / "of_tools"
GIVEN = {
    "BBCSearchCV": {"estimator": TREE, "param_grid": {"max_depth": [1, 2]}, "ci": FEW},
    "compare": {
        "first": OOF.matrix("roc_auc")[:, 0], "second": OOF.matrix("roc_auc")[:, 1],
        "y_true": OOF.y_true, "scoring": "roc_auc",
    },
    "concordance_index_score": SURVIVAL,
    "develop_binary": {"prevalence": 0.2, "r2_cox_snell": 0.3},
    "develop_continuous": {"r2": 0.2, "mean": 1.9, "sd": 0.6},
    "develop_survival": {
        "rate": 0.1, "mean_follow_up": 2, "time": 2, "r2_cox_snell": 0.1
    },
    "validate_binary": {
        "prevalence": 0.2, "c_statistic": 0.8, "threshold": 0.1, "sensitivity": 0.8,
        "specificity": 0.7,
    },
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
    "subgroup_scores": {"scoring": "roc_auc", "by": np.arange(OOF.n_samples) % 2},
    "tuned_threshold": {"scoring": "f1", "selected_by": "roc_auc"},
    "tied_with_best": {"scoring": "roc_auc"},
    "DataSetsComparison.compare": {},
    "OOFPredictions.from_autogluon": {
        "predictor": OF_TOOLS / "autogluon_text", "y": AUTOML_TARGET,
    },
    "OOFPredictions.from_h2o": {
        "models": OF_TOOLS / "h2o_text",
        "y": pd.read_csv(OF_TOOLS / "h2o_text_target.csv")["target"],
    },
    "OOFPredictions.from_lightautoml": {"predictions": LIGHT_AUTOML, "y": AUTOML_TARGET},
    "OOFPredictions.from_mljar": {"folder": OF_TOOLS / "mljar_text"},
    "OOFPredictions.from_optuna": {"study": STUDY},
    "OOFPredictions.from_columns": {"columns": {"a": np.arange(4.0)}, "y": [0, 1, 0, 1]},
    "OOFPredictions.from_long": {"table": OF_TOOLS / "caret_two.csv"},
    "OOFPredictions.from_orange": {"path": OF_TOOLS / "orange_two.csv"},
    "OOFPredictions.from_table": {
        "path": OF_TOOLS / "mlr_two.csv", "target": "truth", "predictions": ["prob.yes"],
        "rows_are_samples": True,
    },
    "OOFPredictions.from_weka": {"paths": [OF_TOOLS / "weka_tree.txt"]},
    "OOFPredictions.concat": {"parts": [OOF, AGAIN]},
    "OOFPredictions.from_search": {"search": LEARNT, "X": X, "y": Y},
    "OOFPredictions.from_inspect": {"logs": OF_TOOLS / "inspect", "missing": "drop_items"},
    "OOFPredictions.from_lm_eval": {
        "folder": OF_TOOLS / "lm_eval", "score": "exact_match,strict-match",
    },
    "OOFPredictions.from_promptfoo": {
        "results": OF_TOOLS / "promptfoo" / "results.json", "missing": "zero",
    },
    "OOFPredictions.from_deepeval": {"runs": OF_TOOLS / "deepeval", "missing": "zero"},
    "OOFPredictions.response": {"methods": "predict_proba"},
    "BBCSearchMixin.compare": {"baseline": {"max_depth": 4}},
    "BBCSearchMixin.record_again": {"record": "predict"},
    "BBCSearchMixin.report": {"tied": False, "show": ()},
    "RefitCallable": {"function": first_of_all},
    "OOFPredictions.from_fold_scores": {"y_true": Y, "fold": np.arange(len(Y)) % 5},
    "OOFRecorder.cross_val_score": {"y": Y},
    "OOFRecorder.record": {"predictions": np.zeros(len(Y) // 5)},
    "BBCSearchMixin.threshold": {"scoring": "f1"},
    "SequentialBestOf.update": {
        "scores": pd.DataFrame({"a": [1, 0], "b": [0, 1]}), "order": "shuffle"
    },
    "evidence_not_best": {"scores": [0, 1], "others": [[1], [0]]},
    "FiveByTwo.compare": {"first": ONE, "second": OTHER},
    "ScoreMoments.merge": {"other": ScoreMoments(3).update(SYSTEMS)},
    "ScoreMoments.from_predictions": {"scoring": "accuracy"},
    "ScoreMoments.part": {"configs": [0]},
    "ScoreMoments.bounds_of_shares": {"config": 0},
    "OOFPredictions.with_selected": {"selected": 1},
    "calibration_intercept": RISKS, "calibration_slope": RISKS,
    "expected_calibration_error": RISKS, "integrated_calibration_index": RISKS,
}  # fmt: skip


@cache
def metric_of(cls):
    """The first metric that a method of a class takes."""
    for metric in ("accuracy", "roc_auc", "f1"):
        try:
            run_on(metric, cls())
        except ValueError:
            continue
        return metric


def run_on(metric, method):
    """Run an interval method or a comparison on a metric."""
    if isinstance(method, BaseInterval):
        return method.estimate(OOF, metric)
    return method.compare(*SIDES.values(), metric)


def drawn_from(cls):
    """Predictions that a curve can be drawn of, and a metric of them."""
    if cls.__module__.endswith("_survival"):
        return AT_RISK, "concordance_index"
    return (NUMBERS, "r2") if cls is RegressionCalibration else (OOF, "roc_auc")


def use_of(cls):
    """What is done with an object of a class, for which its parameters are checked."""
    uses = {
        BaseInterval: lambda method: run_on(metric_of(cls), method),
        RefitInterval: lambda method: method.estimate(ONE, X, Y),
        BaseComparison: lambda method: run_on(metric_of(cls), method),
        FiveByTwo: lambda method: method.compare(ONE, OTHER, X, Y),
        BayesianSignedRank: lambda method: method.compare(SYSTEMS[:, :2]),
        DataSetsComparison: lambda method: method.compare(SYSTEMS),
        TiedMethod: lambda method: tied_with_best(OOF, "roc_auc", method=method),
        Selection: lambda rule: rule.bind(KERNEL),
        SensitivityAt: lambda rule: WithThreshold(rule).bind(KERNEL),
        LearnEvaluate: lambda step: step.select(KERNEL),
        TopShare: lambda rule: LearnEvaluate(rule).select(KERNEL),
        Redraw: lambda rule: BBC(n_bootstraps=20, degenerate=rule).estimate(OOF, "roc_auc"),
        Curve: lambda curve: corrected_curve(*drawn_from(cls), curve, method=BBC(n_bootstraps=20)),
        DropClearlyWorse: lambda drop: drop.replay(OOF, "roc_auc"),
        BBCSearchCV: lambda search: search.fit(X, Y),
        BaseDisplay: lambda display: display.frame(),
    }  # fmt: skip
    return next((use for base, use in uses.items() if issubclass(cls, base)), None)


def owner_of(cls):
    """An object whose methods are called."""
    owners = {
        BaseDisplay: lambda: cls(**pictured()[cls.__name__]),
        OOFPredictions: lambda: OOF,
        ScoreMoments: lambda: ScoreMoments(3).update(SYSTEMS),
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
        SequentialBestOf: sequential,
    }
    return next(make() for base, make in owners.items() if issubclass(cls, base))


# Values that methods make, what authors of methods call, what takes anything, and what needs a
# file or another package.
LEFT_OUT = {
    "sklearn_bbc.ComparisonResult", "sklearn_bbc.ConfidenceInterval", "sklearn_bbc.citations",
    "sklearn_bbc.OOFPredictions.load", "sklearn_bbc.SequentialBestOf.load",
    "sklearn_bbc.comparison.Pair",
    "sklearn_bbc.comparison.Side.open", "sklearn_bbc.comparison.TiedMethod.p_values",
    "sklearn_bbc.curves.Curve",
    "sklearn_bbc.display.BaseDisplay", "sklearn_bbc.display.ForestDisplay.from_searches",
    "sklearn_bbc.intervals.BootstrapInterval.draws_for",
    "sklearn_bbc.ScoreMoments.load",
    "sklearn_bbc.contest.Contest", "sklearn_bbc.contest.FoldContest",
    "sklearn_bbc.contest.FoldContest.choose", "sklearn_bbc.contest.Question",
    "sklearn_bbc.contest.Repeated", "sklearn_bbc.intervals.BaseInterval.answer",
    "sklearn_bbc.metrics.BoundMetric", "sklearn_bbc.metrics.Metric",
    "sklearn_bbc.metrics.MetricKernel", "sklearn_bbc.report.ResultsTable.from_frame",
    "sklearn_bbc.curves.ThresholdResult", "sklearn_bbc.selection.BoundSelection",
    "sklearn_bbc.selection.Outcome", "sklearn_bbc.selection.Selection", "sklearn_bbc.skore",
    "sklearn_bbc.testing.check_contract", "sklearn_bbc.testing.check_metric",
    "sklearn_bbc.testing.checks", "sklearn_bbc.results",
}  # fmt: skip
# Parameters of which anything is right, or which are read only where they are needed.
ANYTHING = {
    "BBCSearchCV.refit",  # as in scikit-learn: what counts as true
    "OOFRecorder.record.score",  # NaN is the score of a fit that failed
    "BBCSearchMixin.compare.X",
    "BBCSearchMixin.compare.y",  # only where a baseline is trained
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
            plot = ["plot"] if issubclass(thing, BaseDisplay) and "plot" in vars(thing) else []
            for member in [*public_members(thing), *plot]:
                function = inspect.getattr_static(thing, member)
                if not isinstance(function, property) and f"{name}.{member}" not in LEFT_OUT:
                    if parameters_of(getattr(thing, member)):
                        yield f"{name}.{member}"
        if not inspect.isabstract(thing) and parameters_of(thing):
            yield name


def key_of(name):
    """Name under which `GIVEN` and others have a class, function or method of a class."""
    return ".".join(name.split(".")[-1 if name in NAMES else -2 :])


def called(name):
    """A function that calls what has a public name, its parameters, and arguments that work."""
    (owner, _, member), key = name.rpartition("."), key_of(name)
    function = NAMES[name] if name in NAMES else getattr(owner_of(NAMES[owner]), member)
    parameters = parameters_of(function)
    given = {k: v for k, v in QUICK.items() if k in parameters} | GIVEN.get(key, {})
    if owner == "sklearn_bbc.display":
        given |= pictured().get(member, {})
    needed = [k for k, v in parameters.items() if v.default is v.empty and k not in given]
    new = [k for k in needed if k not in GOOD]
    assert not new, f"Write a value that works for {new} of {key} into GIVEN of this file."
    given |= {k: GOOD[k] for k in needed}

    def call(**changed):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = function(**given | changed)
            if inspect.isclass(function) and (use := use_of(function)):
                use(made)

    left = {each.rpartition(".")[2] for each in ANYTHING if each.rpartition(".")[0] == key}
    return call, {k: v for k, v in parameters.items() if k not in left}


# What parameters of a name never take, whatever their constraints say.
NEVER = {
    r"n_(?!jobs).+|bins|cap|horizon|max_.+|min_.+": (0, -1),
    "n_bootstraps": (19,),
    ".*confidence_level|.*share|alpha|assurance|low|high|level|power|prevalence|r2|shrinkage": (
        0, 1, -0.5, 95
    ),
    "bias_power|mean_follow_up|prior_strength|r|rate|scale|sd|variance|width.*": (0, -1),
    "rope|test_over_train|tolerance|time|tau|times|specificity": (-1,),
    "block_length": (0, -1, True, "always"),
    "bounds": ("arcsine", (1, 0), (0, np.inf), (0, np.nan)),
    "complexity": (3, [], ["k", 3], [("k", "down")], ("k",), [("k",)]),
    "config|fold|selected": (-1, 1000, True),
    "control": (-1, 1000, True, "nobody"),
    "drop": (0.99, "clearly worse", DropClearlyWorse),
    "family": (3, [3]),
    "grid": ("many", [], [0.5, 0.2], [0.1, np.nan], [0.1, 0.1]),
    "margin": (-1, np.inf, np.nan, True, "small", None),
    "names": (3, "me"),
    "random_state": ("seed", 1.5, -1, [1]),
    "record": (3, [], ["predict_proba", 1]),
    "results": (3, [], {}, [0.9]),
    "shares": ({}, [0.1]),
    "sizes": (2.5, [0]),
    "store": (3, ["folder"]),
    "tau|time": (True, np.nan, [0.3, 0.6], "1 year"),
    "thresholds": (0, 1, True, [], [np.nan], [[0.1]], "many"),
    "times": ([2, 1], [1, np.nan], "1 year"),
    "train_sizes": (5, "half", [], [5], [5, 5], [True, 5]),
    "winner": (-1,),
}  # fmt: skip
# Functions and classes are what these take, and numbers for true are what scikit-learn takes.
CALLABLE = {"complexity", "family", "function", "scoring", "selected_by", "tuned_by"}
# Where it is wrong to give anything, or not what belongs to the rest: what was given is not said.
NOT_SAID = {
    "FiveByTwo.compare.groups", "OOFRecorder.cross_val_score.estimator",
    "OOFRecorder.cross_val_score.y", "OOFRecorder.record.predictions", "OOFRecorder.record.rows",
    "learning_curve_intervals.groups",
}  # fmt: skip


def constraint_on(name, parameter):
    """The constraint of a parameter: of a class, of its constructor, or of a function."""
    if name not in NAMES:
        owner, _, member = name.rpartition(".")
        return constraint_of(getattr(NAMES[owner], member), parameter)
    made = inspect.isclass(NAMES[name]) and constraint_of(NAMES[name].__init__, parameter)
    return made or constraint_of(NAMES[name], parameter)


def bad_values(name, parameter):
    """Yield what is of no type, of another one than the signature says, and out of range."""
    said, default = str(parameter.annotation), parameter.default
    constraint = constraint_on(name, parameter.name)
    yield NOTHING
    if parameter.name not in CALLABLE:
        yield Nothing
    if not re.search("Any|None|Sequence", said) and default is not None:
        yield None
    if "bool" in said or isinstance(default, bool):
        yield from ("yes", 1, 0)
    elif re.search(r"\bint\b", said):
        yield from (2.5, np.nan, np.inf)
    elif said in ("float", "float | None"):
        yield from (np.nan, np.inf, "much", [0.5], True)
    elif isinstance(default, str) and parameter.name not in TEXTS:
        yield from ("no such", 3)
    for pattern, values in NEVER.items():
        if re.fullmatch(pattern, parameter.name):
            yield from values
    match constraint:
        case Whole(least=least):
            yield from (True, "3", [3], *([] if least is None else [least - 1]))
            yield float(max(2, least or 0))
        case Number(above=above, least=least, below=below, most=most):
            yield from (each for each in (above, below) if each is not None)
            yield from ([] if least is None else [least - 0.1])
            yield from ([] if most is None else [most + 0.1])
        case OneOf(options=options):
            yield from ("", 3, [*options], next(iter(options)).upper())
        case Kind():
            yield from (3, "text", constraint.kind)


def check_told(name, parameter, value, error):
    """Fail unless an error names the parameter, what it got, and what would work."""
    text = str(error)
    assert re.search(rf"\b{parameter.name}\b", text), f"not named: {error}"
    if f"{key_of(name)}.{parameter.name}" not in NOT_SAID:
        forms = {got(value), repr(value), getattr(value, "__name__", None)}
        if isinstance(value, float | int):
            forms.add(f"{value:g}")
        if isinstance(value, list | dict | tuple):
            forms |= {got(each) for each in value} or {"empty", "got none"}
        assert any(each and each in text for each in forms), f"not said what was got: {error}"
    constraint = constraint_on(name, parameter.name)
    if key_of(name) == "BBCSearchCV" and parameter.name in BaseSearchCV._parameter_constraints:
        return  # scikit-learn checks its own
    if isinstance(constraint, Flag | Number | OneOf | Kind):
        helpful = constraint.words() in text and constraint.advice(value).strip() in text
        assert helpful, f"what would work is not said: {error}"
    elif isinstance(constraint, Whole):
        least = constraint.least
        rounds = isinstance(value, float) and np.isfinite(value) and int(value) >= (least or 0)
        advice = f"Write {parameter.name}={int(value)}." if rounds else constraint.hint
        of_size = "" if least is None else f"at least {least}"
        assert of_size in text and advice in text, f"what would work is not said: {error}"


@pytest.mark.one_in(2)
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
                check_told(name, parameter, value, error)
            else:
                pytest.fail(f"{name} takes {parameter.name}={value!r}")


def test_defaults_are_allowed():
    """A default is not held against the constraint, so it must meet it."""
    for name in cases():
        owner, _, member = name.rpartition(".")
        thing = NAMES[name] if name in NAMES else getattr(NAMES[owner], member)
        for parameter in parameters_of(thing).values():
            constraint = constraint_on(name, parameter.name)
            if constraint is not None and parameter.default is not parameter.empty:
                constraint.check(parameter.name, parameter.default)


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
