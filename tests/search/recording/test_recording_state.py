"""What a recording remembers, forgets and puts back: splitters, scorers, callbacks."""

import inspect
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import get_scorer, make_scorer
from sklearn.metrics._scorer import _MultimetricScorer
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_bbc.search._capture import CarriedScore, RecordingScorer
from sklearn_bbc.search._recording import (
    RecordedSplits,
    Recording,
    RecordingSearch,
    _checked_splitter,
    _has_callbacks,
    _has_two_classes,
    _weights_by_metric,
)
from sklearn_bbc.search._responses import FoldResponses
from tests.search.recording.recording_cases import DEPTHS, TREE, WEIGHTS, X, Y


def test_a_splitter_that_is_asked_again_is_remembered_by_its_last_answer():
    splits = []
    recorded = RecordedSplits(ShuffleSplit(3, test_size=2), splits)
    for n_samples in (9, 6):
        given = list(recorded.split(np.zeros(n_samples)))
        assert len(splits) == 3
        assert all(one is other for one, other in zip(splits, given))
    for name in ("_splitter", "_splits", "__len__"):
        with pytest.raises(AttributeError, match=name):
            getattr(RecordedSplits.__new__(RecordedSplits), name)


def carried(score, name="a"):
    return CarriedScore(score, FoldResponses({name: np.arange(2)}))


def test_responses_are_taken_off_the_scores_of_new_models():
    recording = Recording()
    out = [
        {"test_scores": carried(0.5), "fit_error": None},
        {"test_scores": 0.25, "fit_error": None},
        {"test_scores": np.nan, "fit_error": "it broke"},
        {"test_scores": {"x": carried(0.75), "y": 0.5}, "fit_error": None},
        {"test_scores": {"x": 0.5, "y": carried(0.125, "b")}, "fit_error": None},
    ]
    recording.take_from(out[:2])
    recording.take_from(out)
    assert recording.fit_failed == [False, False, True, False, False]
    heard = [None if cell is None else list(cell.arrays) for cell in recording.cells]
    assert heard == [["a"], None, None, ["a"], ["b"]]
    assert [type(each["test_scores"]) for each in out[:3]] == [float] * 3
    assert out[0]["test_scores"] == 0.5
    assert out[3]["test_scores"] == {"x": 0.75, "y": 0.5}
    assert {type(score) for each in out[3:] for score in each["test_scores"].values()} == {float}


class Kept(RecordingSearch, GridSearchCV):
    """Keeps the whole recording, and has no parameter `record`."""

    def _finish_fit(self, recording, X, y):
        self.kept = recording
        self.data = X, y


def test_a_search_without_the_parameter_records():
    found = Kept(TREE, DEPTHS, cv=4).fit(X, Y)
    assert found.kept.wanted and found.kept.binary
    assert found.data[0] is X and found.data[1] is Y
    assert [each.n_configs for each in found.kept.rounds] == [3]
    assert len(found.kept.cells) == 12 and all(cell.coded for cell in found.kept.cells)
    assert not any(found.kept.fit_failed) and found.kept.groups is None
    assert found.kept.score_params == {} and found.kept.score_weights == {"score": None}
    assert not {"_recording", "_run_search"} & set(vars(found))
    assert found.scorer_ is not None and not isinstance(found.scorer_, RecordingScorer)
    assert not isinstance(found.kept.scorers, RecordingScorer)


def test_several_scorers_keep_their_way_with_errors():
    def fails(estimator, X, y):
        raise RuntimeError("no score")

    scoring = {"good": "accuracy", "bad": fails}
    with pytest.warns(UserWarning, match="Scoring failed"):
        found = Kept(TREE, DEPTHS, scoring=scoring, refit="good", cv=4).fit(X, Y)
    assert np.isnan(found.cv_results_["mean_test_bad"]).all()
    with pytest.raises(RuntimeError, match="no score"):
        Kept(TREE, DEPTHS, scoring=scoring, refit="good", cv=4, error_score="raise").fit(X, Y)


def test_the_recording_does_not_travel_with_the_search():
    found = Kept(TREE, DEPTHS)
    found._recording, found._other = Recording(), 5
    found.__dict__["_run_search"] = lambda evaluate: None
    state = found.__getstate__()
    assert not {"_recording", "_run_search"} & set(state) and state["_other"] == 5


def test_parameters_are_checked_as_scikit_learn_does():
    with pytest.raises(ValueError, match="The 'scoring' parameter of Kept must be"):
        Kept(TREE, DEPTHS, scoring="nothing like this").fit(X, Y)
    with pytest.raises(ValueError, match="The 'verbose' parameter of Kept"):
        Kept(TREE, DEPTHS, verbose=-1).fit(X, Y)
    for scoring in (get_scorer("accuracy"), None, lambda estimator, X, y: 0.5, {"a": "accuracy"}):
        refit = "a" if isinstance(scoring, dict) else True
        assert Kept(TREE, {"max_depth": [1]}, scoring=scoring, refit=refit).fit(X, Y).kept.cells


def multimetric(**scorers):
    return _MultimetricScorer(scorers=scorers)


ACCURACY = get_scorer("accuracy")


@pytest.mark.skipif(
    not hasattr(ACCURACY, "_accept_sample_weight"),
    reason="this scikit-learn hands no sample weights to scorers without routing",
)
@pytest.mark.parametrize(
    ("scorers", "params", "expected"),
    [
        (ACCURACY, {}, {"score": None}),
        (ACCURACY, {"sample_weight": WEIGHTS}, {"score": WEIGHTS}),
        (multimetric(a=ACCURACY, b=ACCURACY), {}, {"a": None, "b": None}),
        (
            multimetric(a=ACCURACY, b=make_scorer(lambda y, other: 0.5)),
            {"sample_weight": WEIGHTS},
            {"a": WEIGHTS, "b": None},
        ),
        (multimetric(a=ACCURACY), {"other": 1}, {"a": None}),
    ],
)
def test_weights_are_known_by_metric(scorers, params, expected):
    found = _weights_by_metric(scorers, params)
    assert list(found) == list(expected)
    assert all(found[name] is value for name, value in expected.items())


def heard_by(**where):
    def owner(name):
        model = GaussianNB()
        if where.get(name):
            model._skl_callbacks = [1]
        return model

    inner = make_pipeline(StandardScaler(), owner("estimator"))
    found = Kept(inner, {"gaussiannb": []})
    if where.get("search"):
        found._skl_callbacks = [1]
    deep = make_pipeline(StandardScaler(), owner("inside a candidate"))
    candidates = [{"x": 1}, {"gaussiannb": owner("candidate"), "y": 2}, {"gaussiannb": deep}]
    return _has_callbacks(found, candidates)


@pytest.mark.parametrize("who", ["search", "estimator", "candidate", "inside a candidate"])
def test_whoever_has_callbacks_is_found(who):
    assert heard_by(**{who: True})


def test_without_callbacks_nobody_is():
    assert not heard_by()
    assert not _has_callbacks(Kept(TREE, DEPTHS), [])


def test_the_splitter_is_that_of_the_fit():
    splitter, other = KFold(3), KFold(4)

    def evaluate(candidates):
        return cv_orig, candidates

    cv_orig = splitter
    search = SimpleNamespace(_checked_cv_orig=other)
    assert _checked_splitter(search, evaluate) is splitter
    assert _checked_splitter(search, lambda candidates: search) is other


def test_rounds_go_on_with_their_own_splitter_and_results():
    calls = []

    def evaluate(candidates, cv, more_results, **context):
        calls.append((candidates, list(cv.split(np.zeros(6))), more_results, context))

    found = Kept(TREE, DEPTHS)
    found._recording = Recording()
    found._checked_cv_orig = KFold(3)
    run = found._recorded(evaluate)
    run(iter([{"max_depth": 1}, {"max_depth": 2}]))
    run([{"max_depth": 3}], cv=KFold(2), more_results={"a": [1]}, callback_ctx="tree")
    (one, splits, more, context), (other, fewer, results, no_context) = calls
    assert one == [{"max_depth": 1}, {"max_depth": 2}] and len(splits) == 3 and more is None
    assert other == [{"max_depth": 3}] and len(fewer) == 2 and results == {"a": [1]}
    assert context == no_context == {}
    assert [each.n_configs for each in found._recording.rounds] == [2, 1]
    assert [len(each.splits) for each in found._recording.rounds] == [3, 2]
    found._skl_callbacks = [1]
    run([{}], callback_ctx="tree")
    assert calls[-1][3] == {"callback_ctx": "tree"}
    run([{}])
    assert calls[-1][3] == {}


def test_a_target_of_another_array_kind_may_have_two_classes_or_none():
    assert _has_two_classes(np.array([[0], [1], [1]])) is True
    assert _has_two_classes(np.zeros((4, 2))) is False
    assert _has_two_classes(np.array(5)) is False
    assert _has_two_classes([[1, 2], [3]]) is False


def test_stand_ins_of_shared_models_are_gone_after_the_search():
    frozen = FrozenEstimator(GaussianNB().fit(X, Y))
    found = Kept(make_pipeline(StandardScaler(), frozen), {"standardscaler__with_mean": [True]})
    found.fit(X, Y)
    assert found.kept.cells[0] is not None
    assert "predict" not in {**vars(frozen), **vars(frozen.estimator)}

    def interrupted(estimator, X, y):
        estimator.predict(X)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        found.set_params(scoring=interrupted).fit(X, Y)
    assert "predict" not in {**vars(frozen), **vars(frozen.estimator)}


def test_a_context_goes_to_searches_that_take_one():
    heard = []

    class Knows(Kept):
        def _run_search(self, evaluate_candidates, *, callback_ctx=None):
            heard.append(callback_ctx)
            evaluate_candidates([{}])

    class Ignores(Kept):
        def _run_search(self, evaluate_candidates):
            heard.append("none")
            evaluate_candidates([{}])

    for kind, takes in ((Knows, True), (Ignores, False)):
        found = kind(TREE, DEPTHS)
        found._recording, found._checked_cv_orig = Recording(), KFold(3)
        run = found._make_recorded_run()
        assert ("callback_ctx" in inspect.signature(run).parameters) == takes
        evaluated = []
        context = {"callback_ctx": 7} if takes else {}
        run(lambda *given, evaluated=evaluated, **named: evaluated.append(given), **context)
        assert evaluated == [([{}],)] and len(found._recording.rounds) == 1
    assert heard == [7, "none"]
