"""The base of interval methods: quantile rule, sidedness, standard errors, needs."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import get_scorer, make_scorer, roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV, OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning, UndefinedIntervalError
from sklearn_bbc.intervals import BBC, BBCF, BaseInterval, PooledBootstrap, Redraw, as_interval
from sklearn_bbc.intervals._base import _REGISTRY
from sklearn_bbc.metrics import BoundKernel, Metric, as_metric
from sklearn_bbc.replication import Drop
from sklearn_bbc.resampling._draws import Draws

ACCURACY = as_metric("accuracy")
UNBOUNDED = Metric(name="accuracy", scorer=max)
"""For draws that are ranks."""


def bounds_of_draws(scores, level=0.95, alternative="greater", **options):
    method = BBC(confidence_level=level, alternative=alternative)
    scores = np.asarray(scores, dtype=float)
    metric = UNBOUNDED if np.nanmax(scores, initial=0) > 1 else ACCURACY
    return method._from_draws(scores, metric, **options)


@pytest.mark.parametrize("n, rank", [(500, 25), (1000, 50), (10, 0), (19, 0), (20, 1), (40, 2)])
def test_the_lower_bound_is_number_floor_of_alpha_b(n, rank):
    shuffled = np.random.default_rng(0).permutation(n)
    assert bounds_of_draws(shuffled).low == rank
    assert bounds_of_draws(shuffled, alternative="less").high == n - 1 - rank


@pytest.mark.parametrize("n, rank", [(1000, 25), (40, 1), (39, 0)])
def test_two_sided_bounds_mirror_each_other(n, rank):
    assert tuple(bounds_of_draws(np.arange(n), alternative="two-sided")) == (rank, n - 1 - rank)


def test_the_open_side_is_the_end_of_the_range():
    assert bounds_of_draws([0.1, 0.9]).high == 1.0
    assert bounds_of_draws([0.1, 0.9], alternative="less").low == 0.0
    loss = as_metric("neg_log_loss")
    method = BBC(alternative="greater")
    assert method._from_draws(np.array([-3.0, -2.0]), loss).high == 0.0
    method = BBC(alternative="less")
    assert method._from_draws(np.array([-3.0, -2.0]), loss).low == -np.inf


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(1, 30)), min_size=1, max_size=30),
    st.sampled_from([0.5, 0.8, 0.95]),
    st.sampled_from(["greater", "less", "two-sided"]),
)
def test_a_multiplicity_is_a_repetition(pairs, level, alternative):
    scores, times = (np.array(part) for part in zip(*pairs))
    counted = bounds_of_draws(scores, level, alternative, multiplicity=times)
    repeated = bounds_of_draws(np.repeat(scores, times), level, alternative)
    assert tuple(counted) == tuple(repeated)
    assert counted.estimate == pytest.approx(repeated.estimate)
    np.testing.assert_array_equal(counted.draws, np.sort(repeated.draws))


def test_a_huge_multiplicity_finds_its_rank():
    """0.1 of ten thousand million is a thousand million, whatever the last bit says."""
    times = np.array([10**9, 9 * 10**9])
    assert bounds_of_draws([0.1, 0.2], 0.9, multiplicity=times).low == 0.2
    times = np.array([10**9 + 1, 9 * 10**9 - 1])
    assert bounds_of_draws([0.1, 0.2], 0.9, multiplicity=times).low == 0.1


@pytest.mark.parametrize("level", [1e-12, 1e-3, 0.999, 1 - 1e-12])
@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_extreme_levels_stay_within_the_draws(level, alternative):
    result = bounds_of_draws(np.arange(1, 8) / 8, level, alternative)
    assert 0 <= result.low <= result.high <= 1


def test_the_estimate_is_the_mean_and_exact_for_equal_draws():
    assert bounds_of_draws([0.1, 0.2, 0.6]).estimate == pytest.approx(0.3)
    assert bounds_of_draws(np.full(1000, 0.1)).estimate == 0.1
    assert bounds_of_draws([0.1, 0.2], estimate=0.7).estimate == 0.7


def test_undefined_draws_are_left_out_and_counted():
    scores = np.append(np.arange(95.0), [np.nan] * 5)
    result = bounds_of_draws(scores)
    assert result.details["n_undefined"] == 5
    assert len(result.draws) == 95
    assert result.low == 4  # floor(0.05 * 95)


def test_too_many_undefined_draws():
    scores = np.append(np.arange(89.0), [np.nan] * 11)
    with pytest.raises(UndefinedIntervalError, match="accuracy: it is undefined in 11 of 100"):
        bounds_of_draws(scores)
    with pytest.raises(UndefinedIntervalError):
        bounds_of_draws([np.nan] * 20)


def test_standard_errors():
    result = BBC()._from_se(0.7, 0.1, ACCURACY)
    assert result.low == pytest.approx(0.7 - 1.959964 * 0.1, abs=1e-7)
    assert result.high == pytest.approx(0.7 + 1.959964 * 0.1, abs=1e-7)
    assert not {"unclipped", "unclipped_estimate"} & set(result.details)
    assert result.details["standard_error"] == 0.1
    one_sided = BBC(alternative="greater")._from_se(0.8, 0.1, ACCURACY, quantile=2.0)
    assert tuple(one_sided) == (pytest.approx(0.6), 1.0)


def test_names_and_scorers_are_the_same():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    oof = OOFPredictions(y_true=y, y_pred=rng.random((40, 3)))
    method = BBC(n_bootstraps=64, random_state=0)
    by_name, by_scorer, by_metric = (
        method.estimate(oof, scoring)
        for scoring in ("roc_auc", get_scorer("roc_auc"), as_metric("roc_auc"))
    )
    np.testing.assert_array_equal(by_name.draws, by_scorer.draws)
    np.testing.assert_array_equal(by_name.draws, by_metric.draws)
    assert by_name.metric == "roc_auc"


def test_a_metric_known_by_its_fold_scores_cannot_be_computed():
    oof = OOFPredictions(y_true=[], classes=None, fold_scores={"dice": np.ones((5, 2))})
    metric = BBCF()._metric(oof, "dice")
    with pytest.raises(ValueError, match="known by its fold scores only"):
        metric.scorer(None, None, None)


def test_two_classes_are_asked_for_where_they_are_needed():
    class Binary(BBC):
        requires = frozenset({"predictions", "binary"})

    values = OOFPredictions(y_true=np.arange(8) / 2, y_pred=np.zeros((8, 1)), classes=None)
    with pytest.raises(ValueError, match=r"Binary needs a target with 2 classes.*without classes"):
        Binary().estimate(values, "r2")
    three = OOFPredictions(y_true=np.arange(9) % 3, y_pred=np.zeros((9, 1)))
    with pytest.raises(ValueError, match="got 3 classes"):
        Binary().estimate(three, "accuracy")


def test_the_base_is_no_method():
    with pytest.raises(TypeError, match="abstract"):
        BaseInterval()
    assert BaseInterval not in _REGISTRY.values()


def test_a_method_of_three_lines_registers_and_works(monkeypatch):
    monkeypatch.setattr("sklearn_bbc.intervals._base._REGISTRY", dict(_REGISTRY))

    class Whole(BaseInterval):
        name = "whole_range"
        estimand = "nothing"

        def __init__(self, *, confidence_level=0.95, alternative="two-sided"):
            self.confidence_level = confidence_level
            self.alternative = alternative

        def _estimate(self, oof, kernel):
            return self._from_draws(np.array(kernel.metric.bounds), kernel.metric)

    oof = OOFPredictions(y_true=[0, 1], y_pred=[0, 1])
    result = as_interval("whole_range").estimate(oof, "accuracy")
    assert tuple(result) == (0.0, 1.0)
    assert result.method == "whole_range"


# ---------------------------------------------------------------------- arguments
def test_searches_in_the_place_of_predictions():
    tree, grid, y = (
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 2]},
        np.arange(30) % 2,
    )
    X = np.random.default_rng(0).normal(size=(30, 2))
    ours = BBCSearchCV(tree, grid, ci=[])
    with pytest.raises(ValueError, match=r"got BBCSearchCV\. Fit the search first"):
        BBC().estimate(ours, "accuracy")
    for arguments in ((), ("accuracy",)):
        with pytest.raises(ValueError, match=r"got BBCSearchCV\..* pass search\.oof_\."):
            BBC().estimate(ours.fit(X, y), *arguments)
    plain = GridSearchCV(tree, grid).fit(X, y)
    with pytest.raises(ValueError, match=r"GridSearchCV\. OOFPredictions\.from_search\(search\)"):
        BBC().estimate(plain)
    with pytest.raises(ValueError, match=r"got list\. Make one with OOFPredictions"):
        BBC().estimate([1, 2], "accuracy")


def test_the_metric_must_be_given():
    oof = OOFPredictions(y_true=[0, 1, 0, 1], y_pred=[0, 1, 1, 1])
    with pytest.raises(
        ValueError, match=r"scoring must be given, .* BBC\(\)\.estimate\(oof, 'roc"
    ):
        BBC().estimate(oof)


@pytest.mark.few_draws
def test_few_draws_are_told():
    y = np.tile([0, 1], 20)
    oof = OOFPredictions(y_true=y, y_pred=np.random.default_rng(0).normal(size=40) + y)
    for n_bootstraps, told in ((20, True), (199, True), (200, False)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            BBC(n_bootstraps=n_bootstraps, random_state=0).estimate(oof, "roc_auc")
        messages = [str(each.message) for each in caught if each.category is IntervalWarning]
        assert messages == [message for message in messages if "n_bootstraps=" in message]
        assert bool(messages) == told
        if told:
            assert f"n_bootstraps={n_bootstraps}: the bounds of so few draws" in messages[0]


def test_a_mean_over_samples_is_asked_for_where_it_is_needed():
    class Pointwise(BBC):
        requires = frozenset({"predictions", "pointwise"})

    oof = OOFPredictions(y_true=np.arange(20) % 2, y_pred=np.arange(20) % 2)
    assert Pointwise(n_bootstraps=20).estimate(oof, "accuracy").estimate == 1
    with pytest.raises(ValueError, match=r"Pointwise needs a metric .* mean over .* got f1"):
        Pointwise(n_bootstraps=20).estimate(oof, "f1")


def test_needs_that_nobody_checks_are_refused_when_the_class_is_defined():
    with pytest.raises(ValueError, match=r"Asks\.requires holds \['predicitons'\].*'predictions'"):

        class Asks(BBC):
            requires = frozenset({"predicitons", "folds"})


def test_needs_are_checked_and_what_meets_them_passes():
    y, pred = np.arange(24) % 2, np.random.default_rng(0).random(24)
    plain = {"y_true": y, "y_pred": pred}
    partial = make_scorer(roc_auc_score, max_fpr=0.5, response_method="predict_proba")
    cases = [
        ("folds", {}, "roc_auc", "needs at least 2 folds, got"),
        ("folds", {"fold": np.zeros(24, int)}, "roc_auc", "needs at least 2 folds, got 1"),
        ("folds", {"fold": y}, "accuracy", None),
        ("binary", {"fold": y}, "roc_auc", None),
        ("auc", {}, "roc_auc", None),
        ("auc", {}, "average_precision", "area under the whole ROC curve, got the metric average"),
        ("auc", {}, partial, "area under the whole ROC curve"),
        ("ungrouped", {}, "roc_auc", None),
        ("ungrouped", {"groups": np.arange(24) // 2}, "roc_auc", "predictions have groups"),
        ("ungrouped", {"sample_weight": pred}, "roc_auc", None),
        ("unweighted", {}, "roc_auc", None),
        ("unweighted", {"sample_weight": pred}, "roc_auc", "predictions have sample_weight"),
        ("unweighted", {"groups": np.arange(24) // 2}, "roc_auc", None),
        ("pointwise", {}, "neg_brier_score", None),
    ]
    for need, more, scoring, message in cases:

        class Needs(BBC):
            requires = frozenset({"predictions", need})

        oof = OOFPredictions(**plain, **more)
        if scoring == "accuracy":
            oof = OOFPredictions(y_true=y, y_pred=y, **more)
        method = Needs(n_bootstraps=200, random_state=0)
        if message is None:
            assert method.estimate(oof, scoring).method == "bbc"
        else:
            with pytest.raises(ValueError, match=f"Needs .*{message}"):
                method.estimate(oof, scoring)


def test_only_fold_scores_are_no_predictions_and_no_means_over_samples():
    class OfFolds(BBCF):
        requires = frozenset({"folds", "pointwise"})

    scores = {"dice": np.ones((5, 2)), "accuracy": np.ones((5, 2))}
    alone = OOFPredictions(y_true=[], classes=None, fold_scores=scores)
    assert BBCF().estimate(alone, "dice").metric == "dice"
    with pytest.raises(ValueError, match="OfFolds needs a metric that is a mean over samples"):
        OfFolds().estimate(alone, "accuracy")
    with pytest.raises(ValueError, match="BBC needs out-of-fold predictions, but there are only"):
        BBC().estimate(alone, "accuracy")
    for method, scoring in ((BBC(), "dice"), (BBCF(), "iou"), (BBCF(), ["dice"]), (BBCF(), 3)):
        with pytest.raises(ValueError) as caught:
            method.estimate(alone, scoring)
        assert "needs out-of-fold predictions" not in str(caught.value)


def test_parameters_are_checked_before_anything_else():
    oof = OOFPredictions(y_true=[0, 1, 0, 1], y_pred=[0, 1, 1, 1])
    for wrong, message in (
        ({"confidence_level": 2}, "strictly between 0 and 1"),
        ({"n_bootstraps": 19}, r"n_bootstraps must be .* at least 20.* 1000 or more"),
        ({"n_bootstraps": 2.5}, "n_bootstraps must be an integer"),
        ({"degenerate": "drop"}, r"degenerate must be an object such as Redraw\(\)"),
        ({"degenerate": Redraw(cap=0)}, "cap must be"),
    ):
        with pytest.raises(ValueError, match=message):
            BBC(**wrong).estimate(oof, "accuracy")
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        BBCF(confidence_level=2).estimate(oof, "accuracy")


def test_labels_and_classes_are_looked_at_before_the_metric_is():
    with pytest.raises(ValueError, match="7"):
        BBC().estimate(OOFPredictions(y_true=[0, 1, 0, 1], y_pred=[0, 7, 1, 1]), "accuracy")
    one = OOFPredictions(y_true=[1, 1, 1], y_pred=[0.1, 0.2, 0.3], classes=[0, 1])
    with pytest.raises(UndefinedIntervalError, match="every sample is of class 1"):
        BBC().estimate(one, "roc_auc")


def test_methods_allow_for_selection_and_for_what_is_left_out_unless_they_say_otherwise():
    assert BBC.selection_aware and not PooledBootstrap.selection_aware
    y = (np.arange(40) < 1).astype(int)
    oof = OOFPredictions(y_true=y, y_pred=np.linspace(1, 0, 40))
    with pytest.raises(UndefinedIntervalError, match="class 1 has 1 sample"):
        BBC().estimate(oof, "roc_auc")
    many = np.repeat(np.arange(15), [20] * 3 + [3] * 12)  # hardly ever all left out as well
    labels = OOFPredictions(y_true=many, y_pred=np.roll(many, 1))
    in_bag, both = (
        method(n_bootstraps=200, random_state=0).estimate(labels, "f1_macro").details
        for method in (PooledBootstrap, BBC)
    )
    assert in_bag["n_lacking_class"] == 0 < both["n_lacking_class"]


def test_other_bases_of_a_method_hear_of_its_subclasses():
    class Listening:
        def __init_subclass__(cls, **kwargs):
            super().__init_subclass__(**kwargs)
            heard.append(cls.__name__)

    heard = []

    class Both(BBC, Listening):
        pass

    assert heard == ["Both"]


@pytest.mark.parametrize("groups", [None, np.arange(30) // 3])
def test_draws_are_asked_for_with_all_that_they_depend_on(groups, monkeypatch):
    seen, announced = {}, []

    class Watched(Draws):
        def __init__(self, resampling, n_draws, entropy, **options):
            seen.update(options, n_units=resampling.n_units, n_draws=n_draws, entropy=entropy)
            super().__init__(resampling, n_draws, entropy, **options)

    monkeypatch.setattr("sklearn_bbc.intervals._base.Draws", Watched)
    monkeypatch.setattr(BoundKernel, "warn_if_slow", lambda self, *args: announced.append(args))
    y = np.arange(30) % 2
    oof = OOFPredictions(y_true=y, y_pred=np.random.default_rng(0).normal(size=(30, 3)),
                         groups=groups)  # fmt: skip
    kernel = as_metric("roc_auc").bind(oof)
    policy = Redraw(cap=7)
    method = BBC(n_bootstraps=200, random_state=5, n_jobs=2, degenerate=policy)
    counts = method._draws(oof, kernel).map(np.copy)
    assert (seen["n_jobs"], seen["degenerate"], seen["out_of_bag"]) == (2, policy, True)
    assert (seen["prefer"], seen["bytes_per_draw"]) == (kernel.prefers, kernel.bytes_per_draw)
    assert (seen["n_draws"], seen["entropy"]) == (200, 5)
    assert seen["n_units"] == (30 if groups is None else 10)
    assert counts.shape == (200, 30)  # of samples, whatever is drawn
    assert announced == [(200 * 4, 2)]  # three configurations in-bag, the winner out-of-bag


def test_the_policy_and_its_losses_are_told():
    y = np.repeat([0, 1, 2], [45, 4, 1])
    oof = OOFPredictions(y_true=y, y_pred=y)
    method = BBC(n_bootstraps=400, random_state=0, degenerate=Drop(max_share=1))
    details = method.estimate(oof, "f1_macro").details
    assert details["n_dropped"] > 0 and details["n_lacking_class"] == 400 - details["n_dropped"]
    kept = 400 - details["n_dropped"]
    assert any(f"{kept} of {kept} draws lack class 2" in note for note in details["notes"])
    y = np.repeat([0, 1], [48, 2])
    oof = OOFPredictions(y_true=y, y_pred=y)
    one, two = (
        BBC(n_bootstraps=200, random_state=0, degenerate=Redraw(min_out_of_bag=least))
        .estimate(oof, "f1").details["n_lacking_class"] for least in (1, 2)
    )  # fmt: skip
    assert one == 0 < two


HUGE = OOFPredictions(
    y_true=np.linspace(-1, 1, 24),
    y_pred=np.linspace(-1, 1, 48).reshape(24, 2) * 1e300,
    fold=np.arange(24) % 4,
    classes=None,
)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("name", sorted(_REGISTRY))
def test_overflow_brings_no_warning_of_numpy(name, n_jobs):
    """Scores of 1e300 have squares beyond all numbers; threads have settings of their own."""
    method = as_interval(name)
    given = {"n_bootstraps": 200, "random_state": 0, "n_jobs": n_jobs, "form": "normal"}
    method.set_params(**{k: v for k, v in given.items() if k in method.get_params()})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", IntervalWarning)
        try:
            result = method.estimate(HUGE, "neg_mean_absolute_error")
        except ValueError as error:
            assert len(str(error)) > 30
            return
    if not np.isfinite([result.estimate, *result]).all():
        assert result.details["reason"]


@pytest.mark.parametrize("method", [BBC(n_bootstraps=200, random_state=0), BBCF()])
def test_a_scorer_of_the_user_is_called_with_the_settings_of_the_user(method):
    def overflowing(estimator, X, y):
        return float(np.float64(1e300) * 1e10 > 0) + np.abs(estimator.predict(X) - y).mean()

    y = np.arange(24.0)
    oof = OOFPredictions(y_true=y, y_pred=y[:, None] + [0.5, 1], fold=y % 6, classes=None)
    with pytest.warns(RuntimeWarning, match="overflow"):
        method.estimate(oof, overflowing)
    with warnings.catch_warnings(), np.errstate(over="ignore"):
        warnings.simplefilter("error", RuntimeWarning)
        method.estimate(oof, overflowing)
