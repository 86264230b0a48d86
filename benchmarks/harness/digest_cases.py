"""Cases whose results `benchmarks.harness.digests` keeps: small, many, and by public names only.

Most cases are expressions, separated by semicolons, which are their names, too. `NAMES` is the
one place to change when a public name moves. Names are looked up when a case needs them, so a
missing one fails the cases that use it, and they name it. Results before and after a change are
matched by the names of cases: when a parameter is renamed, write ``old expression := new
expression``.
"""

from __future__ import annotations

import io
import warnings
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import redirect_stdout, suppress
from functools import cache, partial
from importlib import import_module
from itertools import product
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import sklearn
from scipy.stats import randint  # noqa: F401 (in an expression, as the next ones)
from sklearn import cluster, datasets, dummy, linear_model, svm  # noqa: F401
from sklearn import metrics as skm
from sklearn import model_selection as ms
from sklearn import pipeline as sp
from sklearn.base import clone
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import benchmarks.published.replication  # noqa: F401 (enters "ferrer-riera")

NAMES = {  # module -> its names; here=there where the cases call it otherwise
    "sklearn_bbc": "BBCSearchCV OOFPredictions OOFRecorder bbc best_of citations compare "
    "holdout_interval recommend samples_for_power samples_for_width",
    "sklearn_bbc.comparison": "BBCDifference BayesianCorrelatedT Bonferroni BonferroniDunn "
    "CorrectedResampledT Friedman Holm McNemar ModelConfidenceSet Nemenyi PairedBootstrap Side "
    "SoftminLeaveOneOut Wilcoxon critical_difference learning_curve_intervals tied_with_best "
    "all_tied=registered_tied all_pairs=registered FiveByTwo "
    "all_on_data_sets=registered_on_data_sets",
    "sklearn_bbc.curves": "AUCOverTime BrierOverTime Calibration NetBenefit PrecisionRecall ROC "
    "RegressionCalibration SurvivalCalibration SurvivalNetBenefit corrected_curve",
    "sklearn_bbc.display": "ForestDisplay all_displays=registered",
    "sklearn_bbc.intervals": "BBC BBCF BayleCV BootstrapTilting CVAUC CorrectedT DeLong "
    "CorrelationAdjusted FoldGLMM HanleyMcNeil HierarchicalBootstrap LearnEvaluate MABT "
    "NormalScoreQuantile PooledBootstrap ShrunkenBBC TopShare Wald as_interval "
    "optimism_curve recommendations all_intervals=registered all_refits=registered_refits",
    "sklearn_bbc.metrics": "as_metric concordance_index_score families within_folds",
    "benchmarks.published.naive": "NaiveBootstrap",
    "benchmarks.published.replication": "DroppingBBC FerrerRieraDraws LinearQuantile "
    "PublishedTilting RinkCounts single_precision AutoLearnEvaluate=LearnEvaluate "
    "PublishedHM=HanleyMcNeil PublishedBT=BootstrapTilting PublishedMABT=MABT",
    "sklearn_bbc.report": "ResultsTable",
    "sklearn_bbc.resampling": "IID Redraw Stratified TwoStage chance_of_all chance_of_holding",
    "sklearn_bbc.search": "BBCSearchMixin DropClearlyWorse",
    "sklearn_bbc.selection": "BestScore GreedyEnsemble MeanCost OneStandardError "
    "RefitCallable SelectedBy SensitivityAt SimplestTied WithThreshold",
}
PLACES = {
    each.partition("=")[0]: (module, each.partition("=")[2] or each)
    for module, names in NAMES.items()
    for each in names.split()
}
Case = tuple[str, Callable[[], Any]]


class Package(dict[str, Any]):
    """The public names of `NAMES`, each looked up when it is used."""

    def __missing__(self, name: str) -> Any:
        module, there = PLACES[name]
        try:
            return attrgetter(there)(import_module(module))
        except (ImportError, AttributeError) as error:
            raise LookupError(f"{module}.{there} is missing: change {__name__}.NAMES") from error

    __getattr__ = __missing__


pkg = Package()
SEED, FEW, N = 0, 100, 60
SEEDED: dict[str, Any] = {"n_bootstraps": FEW, "random_state": SEED}
QUICK = {**SEEDED, "n_draws": 500, "n_repetitions": 1, "n_inner": 2, "n_outer": 2, "cv": 3,
         "verbose": 0}  # fmt: skip


def cases() -> Iterator[Case]:
    """Yield the name of each case and the call that makes its result."""
    for family in (interval_cases, scorer_cases, rule_cases, comparison_cases, tied_cases,
                   array_cases, prediction_cases, search_cases, question_cases, curve_cases,
                   system_cases, planning_cases, store_cases, display_cases,
                   refusal_cases):  # fmt: skip
        try:
            yield from family()
        except LookupError as error:  # a registry is missing: only this family cannot be listed
            yield family.__name__, partial(_raise, error)


def _raise(error: Exception) -> None:
    raise error


def expressions(text: str) -> list[str]:
    """Split a list of expressions."""
    return [" ".join(each.split()) for each in text.split(";")]


def value(expression: str, **given: Any) -> Any:
    """Evaluate an expression with the names of the package, of this module and those given."""
    return eval(expression.partition(" := ")[2] or expression, globals(), ChainMap(given, pkg))


def each(prefix: str, call: Callable[..., Any], *lists: Iterable[Any]) -> Iterator[Case]:
    """Yield a case for each choice of one argument, or tuple of arguments, out of each list."""
    for chosen in product(*lists):
        flat = [part for one in chosen for part in (one if isinstance(one, tuple) else (one,))]
        yield " | ".join([prefix, *(a.partition(" := ")[0] for a in flat)]), partial(call, *flat)


def ours(registry: str) -> list[str]:
    """Names of what the package registered, without what somebody else did in this process."""
    found = pkg[registry]().items()
    return [name for name, made in found if made.__module__.startswith("sklearn_bbc.")]


def quick(method: Any, **settings: Any) -> Any:
    """Copy a method, with few draws and a seed."""
    known = method.get_params(deep=False)
    quickly = {name: setting for name, setting in QUICK.items() if name in known}
    return clone(method).set_params(**(quickly | settings))


def texts(result: Any) -> dict[str, str]:
    """Collect what a result prints."""
    html = result._repr_html_() if hasattr(result, "_repr_html_") else ""
    summary = result.summary() if hasattr(result, "summary") else ""
    return {"repr": repr(result), "str": str(result), "html": html, "summary": summary}


# --- predictions -------------------------------------------------------------------------------

METRICS = {
    "two classes": "roc_auc accuracy f1 neg_log_loss average_precision",
    "repeats": "roc_auc balanced_accuracy", "groups": "roc_auc accuracy neg_brier_score",
    "weights": "roc_auc matthews_corrcoef", "all three": "roc_auc accuracy neg_log_loss",
    "rare": "roc_auc f1", "tied scores": "roc_auc average_precision",
    "failed and untested": "roc_auc accuracy", "text labels": "accuracy f1_macro",
    "three classes": "roc_auc_ovr f1_macro neg_log_loss", "label sets": "f1_macro roc_auc",
    "numbers": "r2 neg_mean_absolute_error", "numbers, all three": "r2 neg_median_absolute_error",
    "times": "concordance_index", "fold scores": "roc_auc",
}  # fmt: skip


def on_data(*names: str) -> list[tuple[str, str]]:
    """List each metric with the name of the data that it is computed on."""
    return [(scoring, name) for name in names or METRICS for scoring in METRICS[name].split()]


@cache
def data(name: str, seed: int = SEED) -> Any:
    """Predictions of five configurations for 60 samples; another seed has the same targets."""
    fixed, rng = np.random.default_rng(SEED), np.random.default_rng([seed, 1])
    row, skill = np.arange(N), np.linspace(0.5, 2, 5)[:, None]
    fold, classes, groups = row // 3 % 5, row % 3, row // 3 % 5 * 4 + fixed.integers(4, size=N)
    weights, target = fixed.integers(1, 4, N) / 2, fixed.gamma(2, size=N)
    times, sets = fixed.exponential(size=(2, N)), fixed.integers(2, size=(N, 3))
    given: dict[str, Any] = {"fold": fold}
    if "all three" in name or name == "repeats":
        again = 5 + (fold + groups + 1) % 5
        given = {"sample": np.tile(row, 2), "repeat": np.repeat([0, 1], N),
                 "fold": np.concatenate([fold, again])}  # fmt: skip
    if "all three" in name or name == "groups":
        given["groups"] = groups
    if "all three" in name or name == "weights":
        given["sample_weight"] = weights
    of = given.get("sample", row)

    def proba(y: np.ndarray) -> np.ndarray:
        right = y[of][:, None] == np.arange(y.max() + 1)
        logits = skill[..., None] * right + rng.normal(size=(5, *right.shape))
        return np.exp(logits) / np.exp(logits).sum(axis=2, keepdims=True)

    y = {"three classes": classes, "rare": (row % 12 == 0) * 1}.get(name, (classes == 0) * 1)
    scores = proba(y)
    responses = {"predict_proba": scores, "predict": scores.argmax(axis=2)}
    if name == "tied scores":
        responses = {"predict_proba": scores.round(1)}
    elif name == "text labels":
        y, responses = np.array(["no", "yes"])[y], {"predict": scores.argmax(axis=2)}
    elif name == "failed and untested":
        scores[2, 7], given["failed"] = np.nan, [False, False, False, True, False]
        kept = row[row % 10 > 0]
        responses = {method: each[:, kept] for method, each in responses.items()}
        given |= {"sample": kept, "fold": fold[kept]}
    elif name == "label sets":
        y, scores = sets, 0.6 * sets + 0.7 * rng.random((5, N, 3))
        responses = {"predict_proba": scores, "predict": (scores > 0.6) * 1}
    elif name.startswith("numbers"):
        noise = rng.gamma(20, 0.05, (5, len(of)))
        y, responses = target, {"predict": (target[of] + 0.1 * skill[::-1]) * noise}
    elif name == "times":
        y = np.column_stack([times[0] < 1.5 * times[1], times.min(axis=0)])
        responses = {"predict": rng.normal(size=(5, N)) - skill * y[:, 1]}
    elif name == "fold scores":
        by_fold = {"roc_auc": 0.7 + 0.1 * rng.random((5, 5))}
        return pkg.OOFPredictions.from_fold_scores(by_fold)
    params = [{"max_depth": 5 - k // 2, "min_samples_leaf": 1 + k % 2} for k in range(5)]
    return pkg.OOFPredictions.from_rows(y_true=y, responses=responses, params=params, **given)


# --- intervals ---------------------------------------------------------------------------------

VARIANTS = expressions("""
    PooledBootstrap(form="basic"); PooledBootstrap(form="normal"); PooledBootstrap(form="bca");
    PooledBootstrap(form="studentised"); PooledBootstrap(stratify=True); BBC(alternative="less");
    HierarchicalBootstrap(form="percentile"); HierarchicalBootstrap(form="basic");
    HierarchicalBootstrap(form="normal"); HierarchicalBootstrap(second_stage=False);
    HierarchicalBootstrap(stratify=True); Wald(form="wilson"); Wald(form="clopper-pearson");
    Wald(form="agresti-coull"); Wald(form="jeffreys"); NaiveBootstrap(form="normal");
    naive_bootstrap := NaiveBootstrap();
    BayleCV(variance="within-fold"); CVAUC(half_credit=False); FoldGLMM(marginal=True);
    CorrelationAdjusted(r=0.3, on_logit_scale=True); CorrelationAdjusted(student=False, config=1);
    CorrectedT(config=1, test_over_train=0.5); FoldGLMM(interval="profile"); DeLong(logit=True);
    DeLong(selection=LearnEvaluate(random_state=1)); BootstrapTilting(alternative="greater");
    DeLong(selection=LearnEvaluate(random_state=1, auto_direction=True)) :=
    DeLong(selection=AutoLearnEvaluate(random_state=1, auto_direction=True));
    BootstrapTilting(config=1);
    HanleyMcNeil(replicate=RinkCounts(sidak=True)) :=
    PublishedHM(replicate=RinkCounts(sidak=True)); MABT(selection=LearnEvaluate(TopShare(0.5)));
    BootstrapTilting(replicate=PublishedTilting()) :=
    PublishedBT(replicate=PublishedTilting()); BBC(degenerate=Redraw(min_out_of_bag=5));
    MABT(replicate=PublishedTilting(across_classes=False)) :=
    PublishedMABT(replicate=PublishedTilting(across_classes=False));
    BBC(quantile=LinearQuantile()); BBC(quantile=NormalScoreQuantile());
    BBC(alternative="greater", confidence_level=0.8);
    BBC(degenerate=Drop()) := DroppingBBC(); ShrunkenBBC(bounds=(0, 1));
    ShrunkenBBC(confidence_level=0.9)""")


def interval_cases() -> Iterator[Case]:
    methods = ours("all_intervals")
    some = [*on_data("two classes", "repeats", "groups", "rare"), ("f1_macro", "three classes")]
    yield from each("interval", _estimate, methods, on_data())
    yield from each("interval", _estimate, VARIANTS, some)
    paired = [name for name in methods if hasattr(pkg.all_intervals()[name], "difference")]
    three = on_data("two classes", "groups", "numbers")
    yield from each("difference", _estimate, paired, three, ["difference"])
    two = [("roc_auc", "two classes")]
    yield from each("texts", lambda *given: texts(_estimate(*given)), methods, two)
    metrics = ("accuracy", "roc_auc", "neg_log_loss")
    yield from each("trained", _trained, ours("all_refits"), metrics)
    yield from each("optimism curve", _optimism, on_data())
    yield from each("recommend", _recommended, on_data())
    yield "recommendations", lambda: {k: repr(v) for k, v in pkg.recommendations().items()}


def _estimate(method: str, scoring: Any, name: str, call: str = "estimate") -> Any:
    made = value(method) if "(" in method else pkg.as_interval(method)
    return getattr(quick(made), call)(data(name), scoring)


def _trained(method: str, scoring: str) -> Any:
    model = ms.GridSearchCV(LOGISTIC, PENALTIES, cv=3, scoring=scoring)
    made = pkg.all_refits()[method]()
    few = {"n_bootstraps": 20} if "n_bootstraps" in made.get_params() else {}
    return quick(made, confidence_level=0.9, **few).estimate(model, X, Y)


def _optimism(scoring: str, name: str) -> Any:
    curve = pkg.optimism_curve(data(name), scoring, n_subsets=5, method=pkg.BBC(**SEEDED))
    return {"curve": curve, "frame": curve.frame(), **texts(curve)}


def _recommended(scoring: str, name: str) -> Any:
    asked = [{}, {"fast": True}, {"refits": True}, {"dynamic": True}]
    found = [pkg.recommend(data(name), scoring, **options) for options in asked]
    return [[repr(one.method), one.reason] for one in found]


# --- metrics -----------------------------------------------------------------------------------


def share_right(estimator: Any, X: Any, y: Any) -> float:
    return float(np.mean(estimator.predict(X) == y))


loss = partial(skm.make_scorer, greater_is_better=False)
of_proba = partial(skm.make_scorer, response_method="predict_proba")
SCORERS = expressions("""
    skm.make_scorer(skm.fbeta_score, beta=2); loss(skm.mean_pinball_loss, alpha=0.9);
    loss(skm.zero_one_loss); loss(skm.hamming_loss); of_proba(skm.roc_auc_score, max_fpr=0.3);
    of_proba(skm.roc_auc_score, multi_class="ovr", average="weighted"); (share_right);
    of_proba(skm.top_k_accuracy_score, k=2); of_proba(skm.label_ranking_average_precision_score);
    ("concordance_index"); single_precision("roc_auc"); within_folds("roc_auc");
    within_folds("roc_auc_ovr"); within_folds("average_precision"); within_folds("f1_macro");
    within_folds("r2"); within_folds("concordance_index")""")


def kernel_example(name: str) -> Any:
    given, _ = pkg.families()[name].example
    is_scorer = isinstance(given, str) or hasattr(given, "_score_func")
    return given if is_scorer else skm.make_scorer(given[0], **given[1])


def scorer_cases() -> Iterator[Case]:
    names = ("two classes", "all three", "rare", "tied scores", "text labels", "three classes",
             "label sets", "numbers", "numbers, all three", "times")  # fmt: skip
    kernels = [f"kernel_example({k!r})" for k, cls in pkg.families().items() if cls.example]
    yield from each("scorer", _scored, [*skm.get_scorer_names(), *kernels, *SCORERS], names)


def _scored(scoring: str, name: str) -> dict[str, Any]:
    """Score whole and fractional weights, find winners, score folds, and run two methods."""
    metric = pkg.as_metric(value(scoring) if "(" in scoring else scoring)
    oof, rng = data(name), np.random.default_rng(SEED)
    kernel, counts = metric.bind(oof), rng.multinomial(N, np.full(N, 1 / N), 6).astype(np.uint8)
    left_out = (counts == 0).astype(np.uint8)
    found = {"scores": kernel.scores(counts), "winners": kernel.winners(counts),
             "left out": kernel.score_of(left_out, np.arange(6) % 5), "data": kernel.on_data(),
             "folds": kernel.fold_scores(counts[0]), "parts": kernel.pointwise(1),
             "bounds": metric.bounds, "sign": metric.sign, "valid": kernel.valid}  # fmt: skip
    with suppress(ValueError):  # of a metric that takes whole weights only
        found["fractions"] = kernel.scores(counts * 0.3)
    methods = pkg.BBC(n_bootstraps=20, random_state=SEED), pkg.BBCF(n_bootstraps=20)
    return {**found, **{method.name: method.estimate(oof, metric) for method in methods}}


# --- rules of selection ------------------------------------------------------------------------


def steady(results: Mapping[str, Any]) -> int:
    steadiness = results["mean_test_score"] - results["std_test_score"]
    return int(np.argmax(steadiness.round(9)))  # else a tie is broken by the last bit


SIMPLE = ["max_depth", ("min_samples_leaf", "larger is simpler")]
RULES = expressions("""
    BestScore(); OneStandardError(SIMPLE); SimplestTied("max_depth", margin=0.03);
    SimplestTied(SIMPLE, margin=Bonferroni()); GreedyEnsemble(4); RefitCallable(steady);
    WithThreshold("balanced_accuracy", thresholds=12);
    WithThreshold("f1", thresholds=[0.3, 0.5], jointly=True);
    WithThreshold(MeanCost([[0, 1], [5, 0]]), configuration=OneStandardError(SIMPLE));
    WithThreshold(SensitivityAt(0.8, report="specificity"))""")


def rule_cases() -> Iterator[Case]:
    some = on_data("two classes", "all three", "groups", "rare", "three classes", "numbers")
    methods = ("bbc", "bbcf", "shrunken_bbc")
    yield from each("rule", _with_rule, methods, RULES, some)
    yield from each("rule, trained", _trained_with_rule, RULES)


def _with_rule(method: str, rule: str, scoring: str, name: str) -> Any:
    made = quick(pkg.as_interval(method), selection=value(rule), n_bootstraps=20)
    return made.estimate(data(name), scoring)


def _trained_with_rule(rule: str) -> Any:
    method = pkg.all_refits()["direct_bootstrap"]()
    return quick(method, selection=value(rule), n_bootstraps=20).estimate(search(ci=[]), X, Y)


# --- comparisons -------------------------------------------------------------------------------

SIDES = expressions("""
    (Side(oof=oof, config=3), Side(oof=oof, config=0)); (oof, Side(oof=oof, config=0));
    (oof, other); (Side(oof=oof, selection=OneStandardError(SIMPLE), name="simple"), other)""")
PAIRS = expressions("""
    McNemar(form="exact"); McNemar(form="corrected", alternative="greater");
    PairedBootstrap(form="studentised"); PairedBootstrap(form="bca", stratify=True);
    BayesianCorrelatedT(rope=0.1, test_over_train=0.5); CorrectedResampledT(alternative="less");
    BBCDifference(confidence_level=0.8, alternative="greater")""")
TABLE = np.random.default_rng(SEED).normal(size=(9, 4)).round(1) + [0, 0.5, 1, 1]
TABLES = expressions("""
    dict(scores=TABLE); dict(scores=np.tile(TABLE[:, :1], 3));
    dict(scores=-TABLE, greater_is_better=False, names=list("abcd"));
    dict(scores=pd.DataFrame(TABLE[:, [0, 3]], columns=["one", "other"]))""")
RANKINGS = expressions("""
    Friedman(corrected=False); BonferroniDunn(control="a"); Holm(control=1);
    Wilcoxon(control=0, confidence_level=0.9); Nemenyi(confidence_level=0.9)""")
CURVES = expressions("""
    dict(scoring="roc_auc"); dict(scoring="accuracy", acceptable=0.9, n_repeats=1);
    dict(scoring="neg_log_loss", train_sizes=[0.4, 0.7, 1.0], tolerance=0.1);
    dict(scoring="accuracy", groups=np.arange(90) // 3, fit=False)""")


def comparison_cases() -> Iterator[Case]:
    some = on_data("two classes", "repeats", "groups", "weights", "all three", "three classes",
                   "numbers", "times", "failed and untested")  # fmt: skip
    pairs, few = ours("all_pairs"), on_data("two classes", "groups", "numbers")
    yield from each("compare", _compare, ["auto", *pairs], SIDES, some)
    yield from each("compare", _compare, PAIRS, SIDES, few)
    two = [(SIDES[0], "accuracy", "two classes"), (SIDES[2], "roc_auc", "two classes")]
    yield from each("texts", lambda *given: texts(_compare(*given)), pairs, two)
    yield from each("ranking", _rank, [*ours("all_on_data_sets"), *RANKINGS], TABLES)
    yield from each("trained", _train_two, ["five_by_two"], ["accuracy", "roc_auc"])
    yield from each("learning curve", _learning_curve, CURVES)
    yield "critical differences", lambda: [pkg.critical_difference(k, 9) for k in (2, 5, 30)]


def _compare(method: str, sides: str, scoring: Any, name: str) -> Any:
    chosen: Any = method
    if method != "auto":
        chosen = quick(value(method) if "(" in method else pkg.all_pairs()[method]())
    first, second = value(sides, oof=data(name), other=data(name, 5))
    return pkg.compare(first, second, scoring, **SEEDED, method=chosen)


def _rank(method: str, given: str) -> Any:
    made = quick(value(method) if "(" in method else pkg.all_on_data_sets()[method]())
    result = made.compare(**value(given))
    groups = [list(group) for group in result.groups()]
    frames = {"frame": result.frame(), "pairs": result.pairs(), "groups": groups}
    return {"result": result, **frames, **texts(result)}


def _train_two(method: str, scoring: str) -> Any:
    made = quick(pkg.FiveByTwo())
    return made.compare(TREE, LOGISTIC, X, Y, scoring=scoring)


def _learning_curve(given: str) -> Any:
    options = {"n_folds": 3, "n_repeats": 2, "random_state": SEED, **value(given)}
    curve = pkg.learning_curve_intervals(LOGISTIC, X, Y, **options)
    beyond = curve.predict(180) if curve.curve else None
    return {"curve": curve, "frame": curve.frame(), "beyond": beyond, **texts(curve)}


# --- tied sets and racing ----------------------------------------------------------------------

TIED = expressions("""
    dict(method="cvc", confidence_level=0.8); dict(complexity=SIMPLE);
    dict(method=ModelConfidenceSet(statistic="range", n_bootstraps=FEW, random_state=SEED));
    dict(method=SoftminLeaveOneOut(scale=1, standardized=False));
    dict(family="min_samples_leaf", complexity=lambda params: params["max_depth"])""")

LEVELS = np.linspace(0.55, 0.99, 12).tolist()


def tied_cases() -> Iterator[Case]:
    yield from each("tied", _tied, [*ours("all_tied"), *TIED], on_data())
    yield from each("racing", _race, on_data())


def _tied(method: str, scoring: str, name: str) -> Any:
    options = value(method) if "(" in method else {"method": method}
    tied = pkg.tied_with_best(data(name), scoring, draws=pkg.BBC(**SEEDED), **options)
    families = tied.by_family() if "family" in options else None
    return {"tied": tied, "frame": tied.frame(), "families": families, **texts(tied)}


def _race(scoring: str, name: str) -> Any:
    """Replay races at many levels: what comes out are counts, which hide small changes."""
    options = {**SEEDED, "min_predictions": 12, "min_per_class": 2}
    rules = [pkg.DropClearlyWorse(confidence_level=p, **options) for p in LEVELS]
    return [rule.replay(data(name, seed), scoring) for rule in rules for seed in (0, 1)]


# --- functions on arrays -----------------------------------------------------------------------

Y60, FOLD, GROUPS = np.arange(N) % 2, np.arange(N) // 2 % 5, np.arange(N) // 4
SCORES = Y60 + np.random.default_rng(SEED).normal(size=(2, N))
LABELS = (SCORES > 0.5) * 1
HOLDOUT = expressions("""
    {}; dict(confidence_level=0.8); dict(alternative="less"); dict(sample_weight=1.0 + GROUPS);
    dict(groups=GROUPS); dict(groups=GROUPS, method="bca"); dict(pool_seeds=True);
    dict(groups=GROUPS, group_bootstrap="two-stage"); dict(groups=GROUPS, method="basic");
    dict(groups=GROUPS, group_bootstrap="two-stage", method="basic", pool_seeds=True);
    dict(groups=GROUPS, group_bootstrap="ferrer-riera"); dict(groups=GROUPS, pool_seeds=True);
    dict(groups=GROUPS, group_bootstrap="ferrer-riera", method="basic")""") + [
    f"dict(method={form!r})"
    for form in ("percentile basic normal studentised bca delong wald hanley-mcneil takahashi "
    "wilson clopper-pearson jeffreys").split()
]  # fmt: skip
ARRAYS = expressions("""
    bbc(Y60, SCORES.T, "roc_auc", fold=FOLD, **SEEDED);
    bbc(Y60, LABELS.T, "f1", groups=GROUPS, **SEEDED);
    bbc(Y60, SCORES.T, "roc_auc", sample_weight=1.0 + GROUPS, random_state=SEED,
        selection=WithThreshold("accuracy", thresholds=9));
    texts(compare(*SCORES, "roc_auc", y_true=Y60, fold=FOLD, **SEEDED));
    compare(*LABELS, "f1", y_true=Y60, groups=GROUPS, **SEEDED);
    compare(*LABELS, "accuracy", y_true=Y60, method="mcnemar");
    compare(SCORES.T, SCORES[0], "roc_auc", y_true=Y60, **SEEDED);
    holdout_interval(None, SCORES[0], **SEEDED); citations("bbc", "mabt", "bates_nested_cv");
    concordance_index_score(np.c_[Y60, GROUPS], SCORES[1]); chance_of_holding(3, 20);
    concordance_index_score(np.c_[Y60, GROUPS], SCORES[1], predicts="time");
    chance_of_all([np.arange(4), np.arange(4, 20)], 20); IID(N).draw(np.random.default_rng(1), 5);
    Stratified(Y60).draw(np.random.default_rng(1), 5);
    TwoStage(GROUPS).draw(np.random.default_rng(1), 5);
    FerrerRieraDraws(GROUPS, 5).map(lambda counts: counts)""")


def array_cases() -> Iterator[Case]:
    metrics = ("roc_auc", "accuracy", "f1", "neg_mean_squared_error")
    yield from each("holdout", _hold_out, ("one", "pair"), metrics, HOLDOUT)
    yield from each("arrays", value, ARRAYS)


def _hold_out(what: str, scoring: str, given: str) -> Any:
    options = {**SEEDED, **value(given)}
    one, other = LABELS if scoring in ("accuracy", "f1") else SCORES
    if "pool_seeds" in options:
        one, other = np.stack([one, other], axis=1), np.stack([other, one], axis=1)
    options["y_pred_other"] = other if what == "pair" else None
    return pkg.holdout_interval(Y60, one, scoring, **options)


# --- predictions and searches of others --------------------------------------------------------

SIZES = ("is_partition n_configs n_repeats n_rows n_samples n_splits n_straddling_groups "
         "n_untested tested").split()  # fmt: skip
FROM = expressions("""
    ms.GridSearchCV(TREE, GRID, scoring="roc_auc", cv=4); search(ci=[]);
    ms.RandomizedSearchCV(TREE, {"max_depth": randint(1, 5)}, n_iter=4, refit="accuracy", cv=3,
                          scoring=["roc_auc", "accuracy"], random_state=SEED);
    ms.HalvingGridSearchCV(TREE, GRID, random_state=SEED, cv=3)""")
PREDICTIONS = expressions("""
    OOFPredictions.concat([data("groups"), data("groups", 5)]);
    data("two classes").with_selected(2, by="hand");
    OOFPredictions(y_true=list("abcabcabc"), y_pred=[["a", "b"], ["c", "a"], ["c", "b"]] * 3,
                   fold=[0, 0, 0, 1, 1, 1, 2, 2, -1]).with_selected(1)""")


def prediction_cases() -> Iterator[Case]:
    yield from each("predictions", _predictions, METRICS)
    yield from each("predictions", value, PREDICTIONS)
    given = expressions("{}; dict(X=X, y=Y); dict(X=X, y=Y, n_best=2); dict(X=X[1:], y=Y[1:])")
    yield from each("from_search", _from_search, FROM, given)


def _predictions(name: str) -> Any:
    oof = data(name)
    with TemporaryDirectory(prefix="digests-") as folder:
        oof.save(Path(folder, "oof.npz"))
        again = pkg.OOFPredictions.load(Path(folder, "oof.npz"))
    matrix = oof.matrix(METRICS[name].split()[0]) if oof.responses else None
    sizes = {size: getattr(oof, size) for size in SIZES}
    return {"oof": oof, "again": again == oof, "matrix": matrix, "repr": repr(oof), **sizes}


def _from_search(made: str, given: str) -> Any:
    oof = pkg.OOFPredictions.from_search(value(made).fit(X, Y), **value(given))
    scoring = "accuracy" if oof.responses else min(oof.fold_scores)
    method = quick(pkg.BBC() if oof.responses else pkg.BBCF())
    return {"oof": oof, "repr": repr(oof), "interval": method.estimate(oof, scoring)}


# --- searches ----------------------------------------------------------------------------------

X, Y = datasets.make_classification(90, 6, flip_y=0.3, random_state=SEED)
REGRESSION = datasets.make_regression(80, 4, noise=40, random_state=SEED)
TREE = DecisionTreeClassifier(random_state=0)
GRID = {"max_depth": [1, 2, 4], "min_samples_leaf": [1, 5]}
LOGISTIC, PENALTIES = linear_model.LogisticRegression(), {"C": [0.01, 1]}
SEVERAL: dict[str, Any] = {"scoring": ["roc_auc", "accuracy", "neg_log_loss"], "refit": "accuracy"}
PIPELINE = sp.make_pipeline(StandardScaler(), linear_model.Ridge())
MODELS = {"ridge": [linear_model.Ridge(), linear_model.Lasso()], "ridge__alpha": [0.1, 1, 10]}


class Risk(linear_model.Ridge):
    """Ridge regression of minus the logarithm of the time."""

    def fit(self, X: Any, y: Any) -> Any:
        return super().fit(X, -np.log(y["time"]))


def search(estimator: Any = TREE, grid: Any = GRID, **options: Any) -> Any:
    ci = [pkg.BBC(n_bootstraps=FEW), pkg.BBCF(n_bootstraps=FEW)]
    given = {"scoring": "roc_auc", "cv": 4, "ci": ci, "random_state": SEED, **options}
    return pkg.BBCSearchCV(estimator, grid, **given)


def halving() -> Any:
    class HalvingBBC(pkg.BBCSearchMixin, ms.HalvingGridSearchCV):  # type: ignore[misc, name-defined]
        """Successive halving that keeps its predictions."""

    return HalvingBBC(TREE, GRID, cv=3, scoring="roc_auc", random_state=SEED)


def racing(**options: Any) -> Any:
    grid = {"max_depth": [1, 2, 4], "min_samples_leaf": [1, 10, 40]}
    drop = pkg.DropClearlyWorse(min_predictions=20, n_bootstraps=FEW)
    return search(grid=grid, cv=10, drop=drop, **options)


def weighted() -> Any:
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = skm.get_scorer("neg_log_loss").set_score_request(sample_weight=True)
        model = linear_model.LogisticRegression().set_fit_request(sample_weight=True)
        weights = np.linspace(0.5, 2, 90)
        return search(model, PENALTIES, scoring=scorer).fit(X, Y, sample_weight=weights)


def survival() -> Any:
    time, end = np.random.default_rng(SEED).exponential(np.exp([-X[:, 0], X[:, 0] * 0 + 1]))
    y = np.array(list(zip(time <= end, np.minimum(time, end))), [("event", bool), ("time", float)])
    return search(Risk(), {"alpha": [0.1, 1000.0]}, scoring="concordance_index", cv=3).fit(X, y)


SEARCHES = expressions("""
    search().fit(X, Y); search(cv=ms.StratifiedGroupKFold(4)).fit(X, Y, groups=np.arange(90) // 3);
    search(**SEVERAL).fit(X, Y); search(PIPELINE, MODELS, scoring="neg_mean_absolute_error",
                                        return_train_score=True).fit(*REGRESSION);
    BBCSearchCV(TREE, {"max_depth": [1, 3]}, random_state=1).fit(X, Y);
    search(grid={"max_depth": randint(1, 6)}, n_iter=4).fit(X, Y);
    search(grid={"max_depth": [2]}).fit(X, Y); search(scoring=["f1", "r2"], refit=False).fit(X, Y);
    search(refit=OneStandardError(SIMPLE)).fit(X, Y); search(refit=steady).fit(X, Y);
    search(scoring=["roc_auc", "f1"], refit=SelectedBy("f1", SimplestTied(SIMPLE))).fit(X, Y);
    search(refit=lambda s: s["mean_train_score"].argmax(), return_train_score=True).fit(X, Y);
    search(record=False, ci=None).fit(X, Y); search(ci=[]).fit(X, Y);
    search(ci=["bbc", "mabt", "delong", "wald", "bbc"]).fit(X, Y);
    search(cv=ms.RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=SEED)).fit(X, Y);
    search(cv=ms.ShuffleSplit(5, random_state=SEED)).fit(X, Y); weighted(); survival();
    search(LOGISTIC, {"C": [-1, 0.1, 1]}).fit(X, Y); search(svm.LinearSVC(), PENALTIES).fit(X, Y);
    search(svm.LinearSVC(), PENALTIES, scoring="f1_macro").fit(
        pd.DataFrame(X, columns=list("abcdef")), np.array(["no", "yes"])[Y]);
    search(scoring="roc_auc_ovr").fit(X, (Y + (X[:, 0] > 1)) % 3);
    search(scoring="f1_macro").fit(
        *datasets.make_multilabel_classification(60, 5, n_classes=3, random_state=SEED));
    search(scoring=None).fit(X, Y); search(scoring=share_right).fit(X, Y);
    search(cluster.KMeans(random_state=0), {"n_clusters": [2, 3]}, scoring=None).fit(X);
    search(dummy.DummyClassifier(random_state=0), {"strategy": ["prior", "uniform"]}).fit(X, Y);
    halving().fit(X, Y); racing().fit(X, Y); racing(scoring="accuracy").fit(X, Y)""")
OF_ALL = expressions("""
    s.best_index_; s.best_params_; s.best_score_; s.bbc_score_; s.bbcf_score_; s.optimism_; s.ci_;
    s.classes_; s.ci_results_; s.n_splits_; s.optimism_parts_; s.intervals_frame(); s.summary();
    s.summary("methods"); str(s.table()); s.tripod_ai(); page(s); repr(s);
    s._repr_html_().rpartition("</body>")[2]; [repr(s.ci_), s.ci_._repr_html_()];
    s.tied_with_best(n_bootstraps=FEW).frame() :=
        s.tied_with_best(draws=BBC(n_bootstraps=FEW)).frame();
    threshold(s, "balanced_accuracy"); compared(s, "default"); compared(s, 0)""")
OF_SOME = expressions("""
    s.interval("bbc", "accuracy"); s.interval(BBC(n_bootstraps=FEW, alternative="greater"));
    s.interval("bbcf", config=s.best_params_);
    str(ResultsTable.from_frame(s.intervals_frame(), uncorrected=False)); s.summary("markdown");
    s.table(uncorrected=False).to_markdown(); s.summary("latex"); s.table().to_html();
    s.table().to_latex(caption="Scores", label="t"); s.table()._repr_html_(); citations(s);
    s.table().to_frame(); s.tied_with_best(0.8, scoring="accuracy", method="softmin");
    s.optimism_curve(n_subsets=5, n_bootstraps=FEW) :=
        s.optimism_curve(n_subsets=5, method=BBC(n_bootstraps=FEW));
    threshold(s, [[0, 1], [4, 0]]); threshold(s, SensitivityAt(0.7)); page(s, threshold="f1");
    compared(s, fitted(SEARCHES[2])); compared(s, LOGISTIC, scoring="accuracy")""")
PRINTED: dict[str, list[str]] = {}


@cache
def fitted(made: str) -> Any:
    """Fit a search, once for all that is asked of it, and keep what it printed and warned of."""
    with warnings.catch_warnings(record=True) as caught, redirect_stdout(io.StringIO()) as printed:
        warnings.simplefilter("always")
        found = value(made)
    words = {f"{one.category.__name__}: {one.message}" for one in caught}
    PRINTED[made] = [printed.getvalue(), *sorted(words)]
    return found


def search_cases() -> Iterator[Case]:
    yield from each("fit", lambda made: [_fit_of(fitted(made)), PRINTED[made]], SEARCHES)
    yield from each("search", lambda made, call: value(call, s=fitted(made)), SEARCHES, OF_ALL)
    yield from each(
        "search", lambda made, call: value(call, s=fitted(made)), SEARCHES[:3], OF_SOME
    )


def _fit_of(search: Any) -> Any:
    return {"cv_results_": search.cv_results_, "oof_": search.oof_}


def threshold(search: Any, scoring: Any) -> Any:
    result = search.threshold(scoring, thresholds=30, method=quick(pkg.BBC()))
    scores = [result.threshold, result.apparent_score, result.luck]
    return {"scores": scores, "ci": result.ci, **texts(result)}


def compared(search: Any, baseline: Any, **options: Any) -> Any:
    result = search.compare(baseline, X, Y, n_bootstraps=FEW, **options)
    return {"result": result, **texts(result)}


def page(search: Any, **options: Any) -> str:
    with TemporaryDirectory(prefix="digests-") as folder:
        return Path(search.report(Path(folder, "page.html"), **options)).read_text("utf-8")


# --- questions after a search: curves, subgroups, stability, joint limits ----------------------

RECORDED = expressions("""
    search(record="predict_proba").fit(X, Y); search(record="predict_proba", **SEVERAL).fit(X, Y);
    search(record="predict_proba", refit=OneStandardError(SIMPLE)).fit(X, Y);
    search(record="predict_proba", cv=ms.StratifiedGroupKFold(4)).fit(
        X, Y, groups=np.arange(90) // 3);
    search(record="predict_proba", cv=ms.RepeatedStratifiedKFold(
        n_splits=3, n_repeats=2, random_state=SEED)).fit(X, Y);
    search(PIPELINE, MODELS, scoring="neg_mean_absolute_error", record=True).fit(*REGRESSION);
    search(record="predict_proba", ci=["bbc", "shrunken_bbc", "wald"]).fit(X, Y); survival()""")
ASKED = expressions("""
    shown(s.curve("roc", **SEEDED)) := shown(s.curve("roc", method=BBC(**SEEDED)));
    shown(s.curve("calibration", scoring="accuracy", **SEEDED)) :=
        shown(s.curve("calibration", scoring="accuracy", method=BBC(**SEEDED)));
    shown(s.curve("net_benefit", grid=[0.2, 0.5], **SEEDED)) :=
        shown(s.curve("net_benefit", grid=[0.2, 0.5], method=BBC(**SEEDED)));
    shown(s.curve("auc_over_time", **SEEDED)) :=
        shown(s.curve("auc_over_time", method=BBC(**SEEDED)));
    shown(subgroups(s)); shown(subgroups(s, scoring="accuracy"));
    shown(s.prediction_stability(**SEEDED)) := shown(s.prediction_stability(method=BBC(**SEEDED)));
    s.intervals_frame(joint=True)""")


def question_cases() -> Iterator[Case]:
    yield from each("asked", lambda made, call: value(call, s=fitted(made)), RECORDED, ASKED)


def shown(result: Any) -> Any:
    return {"result": result, "frame": result.frame(), **texts(result)}


def subgroups(search: Any, **options: Any) -> Any:
    row = np.arange(len(search.oof_.y_true))
    by = pd.DataFrame({"half": row % 2, "third": pd.Categorical(list("abc"))[row // 4 % 3]})
    return search.subgroups(by=by, method=pkg.BBC(**SEEDED), **options)


# --- curves, systems and numbers of samples from arrays ----------------------------------------

SHAPES = expressions("""
    ROC(); PrecisionRecall(); Calibration(); Calibration(bins=4); NetBenefit()""")
SYSTEMS = expressions("""
    {}; dict(baseline="system 1"); dict(groups=np.arange(40) // 2, baseline="system 2");
    dict(greater_is_better=False, confidence_level=0.8, names=list("abcd"), baseline="d");
    dict(sample_weight=np.arange(1, 41) / 20)""")
ITEMS = expressions("""
    ITEM_SCORES; ITEM_SCORES.round(); ITEM_SCORES[:, :1]; ITEM_SCORES[:, [0, 0, 1]];
    np.stack([ITEM_SCORES, ITEM_SCORES.round()], axis=2)""")
ITEM_SCORES = np.random.default_rng(SEED).random((40, 4)) ** [1, 0.9, 0.8, 0.5]
WIDTHS = expressions("""
    dict(width=0.2); dict(n_samples=[40, 90]); dict(width=0.3, assurance=0.8);
    dict(n_samples=80, method="shrunken_bbc"); dict(n_samples=50, method="pooled_bootstrap")""")
POWERS = expressions("""
    dict(power=0.8); dict(n_samples=[40, 90]); dict(n_samples=80, confidence_level=0.8)""")
STUDIES: dict[str, Any] = {"n_studies": 20, "n_bootstraps": 20, "random_state": SEED}


def curve_cases() -> Iterator[Case]:
    some = on_data("two classes", "all three", "groups", "weights", "rare", "tied scores")
    rules = ["None", "OneStandardError(SIMPLE)"]
    yield from each("curve", _curve, SHAPES, rules, some)
    yield from each("curve", _curve, ["RegressionCalibration()"], rules, on_data("numbers"))
    yield from each("curve", _curve, ["AUCOverTime([0.3, 0.6])"], rules, on_data("times"))


def _curve(shape: str, rule: str, scoring: str, name: str) -> Any:
    method = pkg.BBC(selection=value(rule), **SEEDED)
    return shown(pkg.corrected_curve(data(name), scoring, value(shape), method=method))


def system_cases() -> Iterator[Case]:
    yield from each("best of", _best_of, ITEMS, SYSTEMS)


def _best_of(scores: str, options: str) -> Any:
    return shown(pkg.best_of(value(scores), **SEEDED, **value(options)))


def planning_cases() -> Iterator[Case]:
    some = on_data("two classes", "groups", "numbers", "times")
    yield from each("width", _width, WIDTHS, some)
    yield from each("power", _power, POWERS, some)


def _width(options: str, scoring: str, name: str) -> Any:
    return shown(pkg.samples_for_width(data(name), scoring=scoring, **STUDIES, **value(options)))


def _power(options: str, scoring: str, name: str) -> Any:
    two = data(name), data(name, 5)
    return shown(pkg.samples_for_power(*two, scoring=scoring, **STUDIES, **value(options)))


# --- stores and recorders ----------------------------------------------------------------------


class Tally:
    """Counts fits in this process, and interrupts the one after `most`."""

    def begin(self, most: int | None = None) -> None:
        self.n_fits, self.most = 0, most

    def count(self) -> None:
        if self.n_fits == self.most:
            raise KeyboardInterrupt
        self.n_fits += 1


class Counted(DecisionTreeClassifier):
    """A tree whose fits are counted."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        tally.count()
        return super().fit(X, y, sample_weight=sample_weight)


tally, counted, SMALL = Tally(), Counted(random_state=0), {"max_depth": [1, 2]}
STORES = expressions("""
    [dict(), dict()]; [dict(most=0), dict(most=9), dict()];
    [dict(grid=SMALL), dict(), dict(grid=SMALL)]; [dict(most=5, n_iter=3), dict(n_iter=5)];
    [dict(most=9, **SEVERAL), SEVERAL]; [dict(grid=SMALL), dict(grid=SMALL, scoring="f1")];
    [dict(most=5, drop=DropClearlyWorse(min_predictions=20, n_bootstraps=FEW)),
     dict(drop=DropClearlyWorse(min_predictions=20, n_bootstraps=FEW))];
    [dict(grid=SMALL), dict(grid=SMALL, cv=3)]; [dict(grid=SMALL), dict(grid=SMALL, y=1 - Y)];
    [dict(grid=SMALL), dict(grid=SMALL, X=X + 1)]""")
RECORDERS = expressions("""
    {}; dict(folder=True); dict(adaptive=False); dict(scoring="f1", groups=np.arange(90) // 3);
    dict(sample_weight=np.linspace(1, 2, 90), scoring=None);
    dict(cv=ms.RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=1))""")


def store_cases() -> Iterator[Case]:
    yield from each("store", _stored, STORES)
    yield from each("recorder", _recorded, RECORDERS)
    yield "recorder | predictions of others", _recorded_by_hand


def _stored(runs: str) -> Any:
    """Fit into one folder again and again, sometimes interrupted after so many fits."""
    found: dict[str, Any] = {"fits": [], "printed": []}
    with TemporaryDirectory(prefix="digests-") as folder:
        for given in value(runs):
            options = {"verbose": 1, "n_jobs": 1, "store": folder, **given}
            target = options.pop("X", X), options.pop("y", Y)
            tally.begin(options.pop("most", None))
            model = search(counted, **options)
            with redirect_stdout(io.StringIO()) as printed, suppress(KeyboardInterrupt):
                model.fit(*target)
            found["fits"].append(tally.n_fits)
            found["printed"].append(printed.getvalue())
    return {**found, **_fit_of(model), "ci_results_": model.ci_results_}


def _recorded(given: str) -> Any:
    options = {"scoring": "roc_auc", "cv": 4, "folder": False, **value(given)}
    scoring, found = options.pop("scoring"), {"fits": [], "scores": []}
    with TemporaryDirectory(prefix="digests-") as path:
        options["folder"] = path if options["folder"] else None
        for depths in ([1, 2], [1, 2, 4]):
            recorder = pkg.OOFRecorder(Y, **options)
            tally.begin()
            found["scores"] += [
                recorder.cross_val_score(
                    counted, X, params={"max_depth": k}, scoring=scoring, n_jobs=1
                )
                for k in depths
            ]
            found["fits"].append(tally.n_fits)
        oof = recorder.oof_
    interval = quick(pkg.BBC()).estimate(oof, "accuracy")
    return {**found, "oof": oof, "repr": repr(recorder), "interval": interval}


def _recorded_by_hand() -> Any:
    recorder = pkg.OOFRecorder(Y, 3)
    for depth, (fold, (train, test)) in product((1, 3), enumerate(recorder.splits)):
        proba = (
            clone(TREE).set_params(max_depth=depth).fit(X[train], Y[train]).predict_proba(X[test])
        )
        recorder.record({"d": depth}, fold, proba, response="predict_proba", score=depth / 7)
    recorder.record({"d": 9}, 0, np.zeros(len(recorder.splits[0][1])))
    return [recorder.oof_, quick(pkg.BBC()).estimate(recorder.oof_, "roc_auc")]


# --- displays ----------------------------------------------------------------------------------

SHOWN = {
    "critical_difference": "Nemenyi().compare(TABLE)", "boxes": "TABLE", "ranks": "TABLE",
    "differences": "compare(data('groups'), data('groups', 5), 'roc_auc', **SEEDED)",
    "forest": "dict(a=fitted(SEARCHES[0]).ci_, b=fitted(SEARCHES[1]).ci_)",
    "intervals": "fitted(SEARCHES[0]).ci_results_['roc_auc']",
    "learning_curve": "_learning_curve(CURVES[0])['curve']",
    "optimism": "optimism_curve(data('groups'), 'roc_auc', n_subsets=5, method=BBC(**SEEDED))",
    "selection_frequency": "tied_with_best(data('groups'), 'roc_auc', draws=BBC(**SEEDED))",
    "tied_set": "tied_with_best(data('groups'), 'roc_auc', family='max_depth', "
    "draws=BBC(**SEEDED))",
    "coverage": "pd.DataFrame(dict(method=list('abcd'), coverage=[0.5, 0.9, 0.95, 1]))",
}  # fmt: skip


def display_cases() -> Iterator[Case]:
    yield from each("display", _shown, ours("all_displays"))
    yield from each("display", _shown, ours("all_displays"), SEARCHES[:4])
    several = "{of: fitted(of) for of in SEARCHES[:2]}"
    yield "display | searches", lambda: _drawn(pkg.ForestDisplay.from_searches(value(several)))


def _shown(name: str, made: str = "") -> Any:
    cls = pkg.all_displays()[name]
    if made:
        return _drawn(cls.from_search(fitted(made)))
    return _drawn(cls.from_results(value(SHOWN.get(name, "fitted(SEARCHES[0]).ci_"))))


def _drawn(display: Any) -> Any:
    """Draw, and collect the numbers of the plot and its texts."""
    from matplotlib import pyplot as plt
    from matplotlib.text import Text

    display.plot()
    plt.gcf().canvas.draw()
    words = [text.get_text() for text in plt.gcf().findobj(Text)]
    plt.close("all")
    return {"frame": display.frame(), "texts": [word for word in words if word]}


# --- what is refused ---------------------------------------------------------------------------

Y12, PRED, NAN = np.tile([0, 1], 6), np.linspace(0, 1, 36).reshape(12, 3), np.tile([1, np.nan], 6)
FIELDS = expressions("""
    dict(y_pred=None); dict(responses={"predict": Y12[None]}); dict(y_pred=PRED[1:]);
    dict(y_pred=PRED[:, :0]); dict(y_true=NAN); dict(classes=[0, 2]); dict(fold=Y12[1:]);
    dict(y_true=[None, *"ab" * 5, "b"]); dict(fold=NAN); dict(fold=-np.ones(12)); dict(y_true=3);
    dict(sample=np.arange(12)); dict(groups=Y12[1:]); dict(sample_weight=np.ones(3));
    dict(sample_weight=-np.ones(12)); dict(sample_weight=NAN); dict(failed=[True]);
    dict(params=[{}]); dict(selected=3); dict(y_pred=None, responses={"predict": PRED.T});
    dict(classes=[1, 0]); dict(train_size=[8, 9, 10]); dict(fold_scores={"r2": np.zeros(3)});
    dict(y_pred=None, responses={"score": PRED.T})""")
SETTINGS = expressions("""
    dict(n_bootstraps=0); dict(confidence_level=95); dict(form="a"); dict(alternative="both");
    dict(random_state="x"); dict(quantile=0.5); dict(config=9); dict(repeats="all");
    dict(selection="best"); dict(degenerate="drop"); dict(n_jobs="all")""")
REFUSED = expressions("""
    BBC().estimate(PRED, "roc_auc"); BBC().estimate(two); BBC().estimate(two, "roc_acu");
    BBC().estimate(two, ["roc_auc", "f1"]); BBC().estimate(given(), "accuracy");
    BBC().estimate(given(y_true=Y12 * 0), "roc_auc"); BBCF().estimate(data("fold scores"), "f1");
    as_interval("bcc"); as_interval(BBC); compare(Y12, Y12, "accuracy"); Side(oof=two, config=7);
    compare(Y12, Y12, "accuracy", y_true=Y12, method="t"); compare(two, data("rare"), "roc_auc");
    Nemenyi().compare(TABLE[:, :1]); Friedman().compare(np.full((4, 3), np.nan));
    BonferroniDunn(control="z").compare(TABLE); tied_with_best(two, "roc_auc", method="all");
    tied_with_best(two, "roc_auc", complexity="C"); OneStandardError([]).bind(None);
    tied_with_best(two, "roc_auc", confidence_level=2); holdout_interval(Y12, Y12);
    holdout_interval(Y12, Y12, "f1", method="delong"); optimism_curve(two, "roc_auc", sizes=[9]);
    holdout_interval(Y12, Y12, "f1", group_bootstrap="two-stage"); OOFPredictions.load(__file__);
    OOFPredictions.concat([two, data("rare")]); OOFRecorder(Y).record({}, 0, Y);
    OOFPredictions.from_search(ms.GridSearchCV(TREE, GRID)); OOFRecorder(Y).oof_;
    DropClearlyWorse(confidence_level=0.4).replay(two, "f1"); search(scoring="roc").fit(X, Y);
    search(ci="bcc").fit(X, Y); search(refit=OneStandardError).fit(X, Y);
    search(refit=GreedyEnsemble()).fit(X, Y); search(drop=True).fit(X, Y);
    search(refit=BestScore(), scoring=["f1", "roc_auc"]).fit(X, Y); racing(record=False).fit(X, Y);
    search(grid={"max_depth": randint(1, 3)}).fit(X, Y); search().interval(); search().bbc_score_;
    BBCSearchCV(TREE, param_distributions=GRID); fitted(SEARCHES[0]).summary("word");
    fitted(SEARCHES[0]).interval(config={"max_depth": 77}); fitted(SEARCHES[0]).compare("best");
    fitted(SEARCHES[0]).compare(LOGISTIC); fitted(SEARCHES[3]).threshold("f1");
    ResultsTable.from_frame(pd.DataFrame({"a": [1]}))""")


def given(**fields: Any) -> Any:
    made = {"y_true": Y12, "fold": np.arange(12) // 4}
    if not {"responses", "fold_scores", "sample", "repeat"}.isdisjoint(fields):
        rows = {"responses": {"plain": PRED.T}} if "fold_scores" not in fields else {}
        way = pkg.OOFPredictions.from_rows if rows else pkg.OOFPredictions.from_fold_scores
        return way(**{**made, **rows, **fields})
    return pkg.OOFPredictions(**{**made, "y_pred": PRED, **fields})


def refusal_cases() -> Iterator[Case]:
    yield from each("refused, predictions", lambda fields: given(**value(fields)), FIELDS)
    methods = ("BBC", "BBCF", "PooledBootstrap", "Wald")
    yield from each("refused, setting", _with_setting, methods, SETTINGS)
    yield from each("refused", lambda call: value(call, two=data("two classes")), REFUSED)


def _with_setting(method: str, setting: str) -> Any:
    return pkg[method](**value(setting)).estimate(data("two classes"), "roc_auc")
