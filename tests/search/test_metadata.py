"""What is routed to scorers is recorded, and comes with the rows of every draw."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, get_scorer, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.utils.metadata_routing import MetadataRequest

from sklearn_bbc import BBCSearchCV, OOFPredictions
from sklearn_bbc.contest._contest import Contest
from sklearn_bbc.exceptions import IntervalWarning, SlowMetricWarning
from sklearn_bbc.intervals import BBC, BBCF, NestedCV
from sklearn_bbc.metrics import as_metric, within_folds
from sklearn_bbc.predictions._predictions import taken, with_fields
from sklearn_bbc.search import DropClearlyWorse
from sklearn_bbc.selection import GreedyEnsemble, OneStandardError

N = 90
X, Y = make_classification(n_samples=N, n_features=5, flip_y=0.25, random_state=0)
RNG = np.random.default_rng(0)
AMOUNT = RNG.lognormal(2, 1.5, N)
GROUPS = RNG.permutation(np.arange(N) // 3)
LABELS = pd.Index([f"patient {k}" for k in RNG.permutation(N)])
BY_LABEL = pd.Series(AMOUNT, index=LABELS)
GRID = {"C": [0.001, 0.01, 1.0]}
CV = StratifiedKFold(4, shuffle=True, random_state=1)
DRAWS = BBC(n_bootstraps=32, random_state=5)


@pytest.fixture(autouse=True)
def routing():
    with config_context(enable_metadata_routing=True):
        yield


def cost(y_true, y_pred, amount=None):
    amount = np.ones(len(y_true)) if amount is None else np.asarray(amount)
    return float(np.sum((np.asarray(y_true) != y_pred) * amount) / len(y_true))


def cost_of_series(y_true, y_pred, amount):
    """Takes nothing but a Series, and looks at its labels."""
    return cost(y_true, y_pred, BY_LABEL[amount.index])


def cost_of_list(y_true, y_pred, amount):
    assert isinstance(amount, list)
    return cost(y_true, y_pred, amount)


def mean_over_groups(y_true, y_pred, groups):
    right = pd.Series(np.asarray(y_true) == y_pred)
    return float(right.groupby(np.asarray(groups)).mean().pow(2).mean())


def error_of_risk(y_true, y_pred, amount, power):
    return -float(np.mean(np.abs(y_true - y_pred) ** power * amount))


def by_index(y_true, y_pred):
    """Has the amounts from elsewhere, by the labels of the target."""
    return cost(y_true, y_pred, BY_LABEL[y_true.index])


def above(y_true, y_pred, amount, least=0.0):
    return cost(y_true, y_pred, np.where(np.asarray(amount) > least, amount, 0))


class Scorer:
    """A scorer that `make_scorer` did not make."""

    __name__ = "own_scorer"

    def __call__(self, estimator, X, y, amount=None):
        return -cost(y, estimator.predict(X), amount)

    def get_metadata_routing(self):
        request = MetadataRequest(owner=self)
        request.score.add_request(param="amount", alias="fee")
        return request


def asking(scorer, **asked):
    """Scorers are made while routing is off, too."""
    with config_context(enable_metadata_routing=True):
        return scorer.set_score_request(**asked)


def loss(function=cost, **asked):
    return asking(make_scorer(function, greater_is_better=False), **asked or {"amount": True})


def search(scoring, model=None, **options):
    model = LogisticRegression() if model is None else model
    defaults = {"cv": CV, "scoring": scoring, "ci": DRAWS, "random_state": 0}
    return BBCSearchCV(model, GRID, **{**defaults, **options})


@pytest.fixture(scope="module")
def found():
    with config_context(enable_metadata_routing=True):
        return search(loss()).fit(X, Y, amount=AMOUNT)


def by_hand(found, score):
    """Scores of BBC's draws by a loop over repeated rows; `score` of target, labels, samples."""
    oof = found.oof_
    metric = found._as_finished().metrics[found.ci_.metric]
    counts = DRAWS.draws_for(Contest(metric.bind(oof))).map(np.copy)
    pred = oof.classes_[oof.responses["predict"]]

    def scores(weights):
        """Of each configuration, mean over the repeats."""
        of_repeats = []
        for repeat in range(oof.n_repeats):
            here = np.flatnonzero(oof.repeat == repeat)
            rows = np.repeat(here, weights[oof.sample[here]])
            sample = oof.sample[rows]
            of_repeats.append([score(Y[sample], each[rows], sample) for each in pred])
        return np.mean(of_repeats, axis=0)

    in_bag = [scores(count) for count in counts.astype(int)]
    left_out = [scores((count == 0).astype(int)) for count in counts]
    return np.array([out[np.argmax(inside)] for inside, out in zip(in_bag, left_out)])


def amount_of(function=cost):
    return lambda y, pred, sample: -function(y, pred, AMOUNT[sample])


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("scoring", "given", "score", "options"),
    [
        (loss(), {"amount": AMOUNT}, amount_of(), {}),
        (loss(), {"amount": list(AMOUNT)}, amount_of(), {}),
        (loss(cost_of_list), {"amount": tuple(AMOUNT)}, amount_of(), {}),
        (loss(cost_of_series), {"amount": BY_LABEL * 0}, amount_of(), {}),
        (loss(amount="fee"), {"fee": AMOUNT}, amount_of(), {}),
        (Scorer(), {"fee": AMOUNT}, amount_of(), {}),
        (loss(above, amount=True, least=True), {"amount": AMOUNT, "least": 5.0},
         lambda y, pred, s: -above(y, pred, AMOUNT[s], 5.0), {}),
        (loss(), {"amount": AMOUNT}, amount_of(),
         {"cv": RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)}),
        (loss(), {"amount": AMOUNT}, amount_of(),
         {"cv": ShuffleSplit(4, test_size=0.3, random_state=0)}),
        (loss(), {"amount": AMOUNT, "groups": GROUPS}, amount_of(), {"cv": GroupKFold(5)}),
        (asking(make_scorer(mean_over_groups), groups=True), {"groups": GROUPS},
         lambda y, pred, s: mean_over_groups(y, pred, GROUPS[s]), {"cv": GroupKFold(5)}),
        (loss(), {"amount": AMOUNT}, amount_of(), {"n_jobs": 2}),
        (loss(), {"amount": AMOUNT}, amount_of(), {"drop": DropClearlyWorse()}),
    ],
    ids=["array", "list", "tuple", "Series", "alias", "own scorer", "scalar", "repeats",
         "shuffled", "grouped", "of groups", "processes", "drop"],
)  # fmt: skip
def test_every_draw_is_scored_with_the_metadata_of_its_rows(scoring, given, score, options):
    found = search(scoring, **options).fit(X, Y, **given)
    expected = by_hand(found, score)
    np.testing.assert_allclose(np.sort(found.ci_.draws), np.sort(expected), rtol=1e-12)
    assert found.ci_.estimate == pytest.approx(expected.mean())
    assert found.bbc_score_ == found.ci_.estimate
    # The predictions themselves are scikit-learn's.
    if found.oof_.is_partition and found.oof_.n_repeats == 1:
        model = clone(found.estimator).set_params(**found.best_params_)
        splits = list(found.cv.split(X, Y, given.get("groups")))
        pred = cross_val_predict(model, X, Y, cv=splits)
        recorded = found.oof_.matrix("predict")[:, found.best_index_]
        np.testing.assert_array_equal(recorded, pred)


@pytest.mark.long
def test_each_metric_has_what_it_asked_for():
    one, other = RNG.uniform(0.1, 3, N), RNG.uniform(0.1, 3, N)
    scoring = {
        "one": get_scorer("accuracy").set_score_request(sample_weight="first"),
        "two": make_scorer(f1_score).set_score_request(sample_weight="second"),
        "cost": loss(amount="fee"),
        "none": get_scorer("recall").set_score_request(sample_weight=False),
    }
    for drop in (None, DropClearlyWorse()):
        found = search(scoring, refit="cost", drop=drop, ci=BBC(n_bootstraps=20))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            # Of a busy machine.
            warnings.simplefilter("ignore", SlowMetricWarning)
            found.fit(X, Y, first=one, second=other, fee=AMOUNT)
        stage = found._as_finished()
        for name, metric in stage.metrics.items():
            scores = metric.bind(stage.view(metric)).fold_scores()
            np.testing.assert_allclose(scores, found.oof_.fold_scores[name], err_msg=name)
    with pytest.raises(ValueError, match=r"asks for 'second' as sample_weight.*other weights"):
        BBC().estimate(found.oof_, scoring["two"])


TABLE = pd.DataFrame({"a": AMOUNT})


def cost_of_anything(y_true, y_pred, amount):
    return cost(y_true, y_pred)


@pytest.mark.parametrize(
    ("amount", "why"),
    [
        (TABLE, "that is a DataFrame"),
        (np.array([1.0, 5.0]), "that has 2 entries for 90 samples"),
        ({"case": 5.0}, "that is a dict"),
        (np.ma.masked_array(AMOUNT, AMOUNT < 1), "that is a MaskedArray"),
    ],
    ids=["table", "another length", "dict", "masked"],
)
def test_what_cannot_be_repeated_is_refused_by_name(amount, why):
    with pytest.warns(
        IntervalWarning, match=rf"BBC-F's.*cost_of_anything asks for 'amount'.*{why}"
    ):
        found = search(loss(cost_of_anything), ci=None).fit(X, Y, amount=amount)
    assert found.ci_.method == "bbcf"
    assert found.ci_.estimate == BBCF().estimate(found.oof_, "cost_of_anything").estimate
    assert "BBC-F" in found.summary() and "by chance" not in found.summary()
    with pytest.raises(ValueError, match=f"'amount' by set_score_request, but {why}"):
        found.interval("bbc")
    with pytest.raises(AttributeError, match=f"asks for 'amount'.*{why}"):
        found.bbc_score_  # noqa: B018


def test_another_metric_gets_what_was_recorded_or_says_what_it_lacks(found):
    other = loss(above, amount=True)
    expected = search(other).fit(X, Y, amount=AMOUNT).ci_
    assert found.interval(DRAWS, scoring=other).estimate == expected.estimate
    lacking = loss(above, amount=True, least="limit")
    with pytest.raises(ValueError, match=r"above asks for 'limit'.*Known are \['amount'\]"):
        found.interval(scoring=lacking)
    assert found.interval(DRAWS, scoring="accuracy").metric == "accuracy"
    # Of the search's own metric, what was not given is not missing.
    assert search(loss()).fit(X, Y).ci_.estimate == pytest.approx(
        search(make_scorer(cost, greater_is_better=False)).fit(X, Y).ci_.estimate
    )


@pytest.mark.parametrize("held", [np.asarray, list, lambda values: pd.Series(values, LABELS)])
def test_it_stays_with_the_predictions(held, tmp_path):
    found = search(loss()).fit(X, Y, amount=held(AMOUNT))
    found.oof_.save(tmp_path / "oof")
    for oof in (
        OOFPredictions.load(tmp_path / "oof"),
        pickle.loads(pickle.dumps(found)).oof_,
        OOFPredictions(
            y_true=Y,
            y_pred=found.oof_.matrix("predict"),
            fold=found.oof_.fold,
            metadata={"amount": held(AMOUNT)},
        ),
    ):
        assert type(oof.metadata["amount"]) is type(held(AMOUNT))
        again = DRAWS.estimate(oof.with_selected(found.best_index_), loss())
        assert (again.estimate, *again) == (found.ci_.estimate, *found.ci_)
    assert OOFPredictions.load(tmp_path / "oof") == found.oof_


@pytest.mark.parametrize(
    "value",
    [
        AMOUNT,
        AMOUNT.astype(np.float32),
        np.array(["a", "bc"] * 45),
        np.array(["a", "bc"] * 45, dtype=object),
        np.arange(N).astype("datetime64[D]"),
        np.c_[AMOUNT, AMOUNT],
        list("abc") * 30,
        BY_LABEL,
        pd.Series(["a", "b", "c"] * 30, index=np.arange(N) * 2, name="stage"),
        pd.Series(["a", "b", "c"] * 30, dtype="category"),
        pd.Series(pd.date_range("2020-01-01", periods=N)),
        2.5,
        "mean",
        True,
    ],
    ids=lambda value: f"{type(value).__name__} {getattr(value, 'dtype', '')}",
)
def test_files_bring_back_what_was_saved(value, tmp_path):
    oof = OOFPredictions(y_true=Y, y_pred=X, metadata={"m": value, "other": AMOUNT})
    oof.save(tmp_path / "oof")
    back = OOFPredictions.load(tmp_path / "oof")
    assert back == oof and type(back.metadata["m"]) is type(value)
    assert getattr(back.metadata["m"], "dtype", None) == getattr(value, "dtype", None)
    if isinstance(value, pd.Series):
        pd.testing.assert_series_equal(back.metadata["m"], value, check_index_type="equiv")


def test_parts_and_joined_predictions_keep_their_rows(found):
    one = found.oof_
    other = search(loss(), cv=StratifiedKFold(4, shuffle=True, random_state=9), ci=[])
    other = other.fit(X, Y, amount=list(AMOUNT)).oof_
    with pytest.raises(ValueError, match="other metadata of scorers"):
        OOFPredictions.concat([one, with_fields(other, metadata={"amount": AMOUNT[::-1]})])
    other = with_fields(other, metadata=one.metadata)
    both = OOFPredictions.concat([one, other])
    mean = (as_metric(loss()).bind(one).on_data() + as_metric(loss()).bind(other).on_data()) / 2
    np.testing.assert_allclose(as_metric(loss()).bind(both).on_data(), mean)
    metric = within_folds(loss())
    scores, sizes = one.fold_scores["cost"], np.bincount(one.fold)
    np.testing.assert_allclose(metric.bind(one).on_data(), sizes @ scores / N)
    two = np.array([2])
    for part, sample in (
        (taken(one, configs=two, samples=np.arange(N) % 3 > 0), np.flatnonzero(np.arange(N) % 3)),
        (taken(one, configs=two, rows=np.flatnonzero(one.fold == 1)), one.sample[one.fold == 1]),
        (taken(one, configs=two), np.arange(N)),
    ):
        pred = one.matrix("predict")[sample, 2]
        expected = -cost(Y[sample], pred, AMOUNT[sample])
        assert as_metric(loss()).bind(part).score_on_data(0) == pytest.approx(expected)


def test_rules_and_ensembles_score_with_it():
    rule = search(loss(), refit=OneStandardError("C")).fit(X, Y, amount=AMOUNT)
    assert rule.ci_.details["rule"] and np.isfinite(rule.ci_.estimate)
    scoring = asking(
        make_scorer(error_of_risk, response_method="predict_proba"), amount=True, power=True
    )
    oof = search(scoring, ci=[]).fit(X, Y, amount=AMOUNT, power=1.5).oof_
    kernel = as_metric(scoring).bind(oof)
    ensemble = GreedyEnsemble(3).bind(kernel)
    counts = np.arange(N)[None] % 3
    chosen = ensemble.choose(counts)
    risk = oof.matrix("predict_proba") @ chosen["weights"][0]
    rows = np.repeat(np.arange(N), counts[0])
    expected = error_of_risk(Y[rows], risk[rows], AMOUNT[rows], 1.5)
    assert ensemble.score(chosen, counts)[0] == pytest.approx(expected)
    with pytest.raises(
        ValueError, match=r"asks for 'amount'.*thresholds are scored by the counts"
    ):
        rule.threshold(loss())


def test_comparisons_train_and_score_with_it(found):
    model = LogisticRegression(C=100.0)
    result = found.compare(model, X, Y, n_bootstraps=40)
    alone = GridSearchCV(model, {"C": [100.0]}, cv=CV, scoring=loss()).fit(X, Y, amount=AMOUNT)
    oof = OOFPredictions.from_search(alone, X, Y, amount=AMOUNT)
    other = found.compare(oof, n_bootstraps=40)
    assert (result.difference, *result) == (other.difference, *other)
    with pytest.raises(ValueError, match="the metadata of their scorers differs"):
        found.compare(with_fields(oof, metadata={}), n_bootstraps=40)
    with pytest.raises(ValueError, match="the metadata of their scorers differs"):
        found.compare(with_fields(oof, metadata={"amount": AMOUNT[::-1]}), scoring="accuracy")
    bare = found.compare(with_fields(oof, metadata={}), scoring="accuracy", n_bootstraps=40)
    assert bare.difference == found.compare(oof, scoring="accuracy", n_bootstraps=40).difference
    with config_context(enable_metadata_routing=False):
        with pytest.raises(ValueError, match=r"asks for 'amount'.*only metadata routing"):
            found.compare(model, X, Y, n_bootstraps=40)
        plain = found.compare(model, X, Y, scoring="accuracy", n_bootstraps=40)
        assert plain.difference == bare.difference  # accuracy asks for nothing


def test_a_store_is_of_one_metadata(tmp_path):
    found = search(loss(), store=tmp_path / "s").fit(X, Y, amount=AMOUNT)
    again = search(loss(), store=tmp_path / "s").fit(X, Y, amount=AMOUNT)
    assert again.oof_ == found.oof_ and again.ci_ == found.ci_
    for changed in ({"amount": AMOUNT[::-1]}, {"amount": AMOUNT[::-1].tolist()}):
        with pytest.raises(ValueError, match="another problem: fit parameter amount changed"):
            search(loss(), store=tmp_path / "s").fit(X, Y, **changed)
    given = {"a": AMOUNT, "b": AMOUNT / 2}
    search(loss(above, amount="a", least="b"), store=tmp_path / "t").fit(X, Y, **given)
    with pytest.raises(ValueError, match="another problem: scoring changed"):
        search(loss(above, amount="b", least="a"), store=tmp_path / "t").fit(X, Y, **given)


def test_methods_that_refit_pass_it_on():
    inner = search(loss(), cv=3, ci=[])
    method = NestedCV(cv=3, verbose=0)
    seen = []

    def watched(y_true, y_pred, amount=None):
        seen.append(amount)
        return cost(y_true, y_pred, amount)

    method.estimate(inner, X, Y, scoring=loss(watched), amount=AMOUNT)
    assert seen and all(amount is not None for amount in seen)
    with pytest.raises(ValueError, match=r"watched asks for 'amount'.*pass it"):
        method.estimate(inner, X, Y, scoring=loss(watched))


def test_a_target_with_an_index_comes_with_it():
    with config_context(enable_metadata_routing=False):
        scoring = make_scorer(by_index, greater_is_better=False)
        found = search(scoring).fit(X, pd.Series(Y, index=LABELS, name="case"))
        expected = by_hand(found, amount_of())
        np.testing.assert_allclose(np.sort(found.ci_.draws), np.sort(expected), rtol=1e-12)
        assert pickle.loads(pickle.dumps(found)).oof_ == found.oof_
        # scikit-learn's functions look at the values only: nothing more is kept.
        plain = search("accuracy", ci=[]).fit(X, pd.Series(Y, index=LABELS))
        same = search("accuracy", ci=[]).fit(X, Y)
        assert plain.oof_ == same.oof_ and not plain.oof_.metadata


def test_a_target_that_loses_its_index_leaves_the_fold_scores():
    def of_frame(y_true, y_pred):
        return cost(y_true.iloc[:, 0], y_pred.ravel(), BY_LABEL[y_true.index])

    target = pd.DataFrame({"case": Y}, index=LABELS)
    with config_context(enable_metadata_routing=False):
        scoring = make_scorer(of_frame, greater_is_better=False)
        with pytest.warns(IntervalWarning, match="BBC-F's.*of_frame cannot be computed again"):
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "A column-vector y")
                found = search(scoring, ci=None).fit(X, target)
    assert found.ci_.method == "bbcf" and np.isfinite(found.ci_.low)


def weighted_cost(y_true, y_pred, amount, sample_weight=None):
    return cost(y_true, y_pred, np.asarray(amount) * sample_weight) / np.mean(sample_weight)


def test_weights_beside_metadata_multiply_the_rows():
    weight = RNG.uniform(0.5, 2, N)
    model = LogisticRegression().set_fit_request(sample_weight=False)
    scoring = loss(weighted_cost, amount=True, sample_weight=True)
    found = search(scoring, model).fit(X, Y, amount=AMOUNT, sample_weight=weight)

    def score(y, pred, sample):
        return -weighted_cost(y, pred, AMOUNT[sample], weight[sample])

    np.testing.assert_allclose(np.sort(found.ci_.draws), np.sort(by_hand(found, score)))


@pytest.mark.parametrize(
    "value", [[1, "a"] * 45, [None, 1] * 45, pd.Series([None, (1, 2)] * 45), [object()] * N]
)
def test_what_a_file_cannot_hold_is_refused_by_name_after_loading(value, tmp_path):
    oof = OOFPredictions(y_true=Y, y_pred=Y[:, None], metadata={"amount": value})
    oof.save(tmp_path / "oof")
    back = OOFPredictions.load(tmp_path / "oof")
    with pytest.raises(ValueError, match=r"'amount'.*of Python objects, which are not saved"):
        BBC().estimate(back, loss())
    back.save(tmp_path / "again")
    assert OOFPredictions.load(tmp_path / "again") == back


def test_arrays_refuse_what_is_not_per_sample():
    with pytest.raises(ValueError, match=r"metadata\['amount'\] has 3 entries for 90 samples"):
        OOFPredictions(y_true=Y, y_pred=X, metadata={"amount": [1, 2, 3]})
    with pytest.raises(ValueError, match="index"):
        shuffled = pd.Series(AMOUNT, index=RNG.permutation(N))
        OOFPredictions(y_true=pd.Series(Y), y_pred=X, metadata={"amount": shuffled})
