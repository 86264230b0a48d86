"""Tasks in another order, results in that of scikit-learn."""

import numpy as np
import pytest

from sklearn_bbc.search._racing import SplitBySplit, in_place_of_parallel


class Script:
    """A judge that drops what it was told to."""

    def __init__(self, batches, dropped):
        self._batches, self._dropped = batches, dropped
        self.heard, self.asked = [], []

    def batches(self):
        return self._batches

    def after(self, split, results):
        self.heard.append((split, dict(results)))

    def left(self, n_done):
        self.asked.append(n_done)
        gone = {c for done, configs in self._dropped.items() if done <= n_done for c in configs}
        return np.array([c for c in range(3) if c not in gone])


def run(judge, n_configs=3, n_splits=4):
    calls, ended = [], []

    def parallel(tasks):
        calls.append([])
        out = []
        for cell in tasks:
            calls[-1].append(divmod(cell, n_splits))
            out.append({"test_scores": float(cell), "fit_error": None, "fit_time": cell})
        return out

    out = SplitBySplit(parallel, n_configs, judge, lambda: ended.append(True))(
        iter(range(n_configs * n_splits))
    )
    assert ended == [True]
    return calls, [each["test_scores"] for each in out]


def test_splits_come_one_after_the_other_and_results_configuration_by_configuration():
    judge = Script([[0], [1], [2, 3]], {})
    calls, out = run(judge)
    assert calls[0] == [(0, 0), (1, 0), (2, 0)]
    assert calls[2] == [(0, 2), (0, 3), (1, 2), (1, 3), (2, 2), (2, 3)]
    assert out == list(range(12))
    assert [split for split, _ in judge.heard] == [0, 1, 2, 3]
    assert judge.heard[1][1][2]["test_scores"] == 9


def test_what_is_dropped_is_not_run_again():
    calls, out = run(Script([[0], [1], [2, 3]], {1: [1], 2: []}))
    assert [len(call) for call in calls] == [3, 2, 4]
    assert all(config != 1 for call in calls[1:] for config, _ in call)
    assert out == [0, 1, 2, 3, 4, 4, 4, 4, 8, 9, 10, 11]  # stand-ins for what was not run


def test_one_configuration_alone_runs_its_splits_together():
    judge = Script([[0], [1], [2], [3]], {1: [0, 2]})
    calls, _ = run(judge)
    assert [len(call) for call in calls] == [3, 3]
    assert judge._batches == [[0], [1], [2], [3]]


def test_stand_ins_carry_no_predictions():
    class Heavy(float):
        pass

    def parallel(tasks):
        return [{"test_scores": {"a": Heavy(1), "b": 2.0}, "fit_error": None} for _ in tasks]

    judge = Script([[0], [1]], {1: [1]})
    out = SplitBySplit(parallel, 3, judge, lambda: None)(range(6))
    assert type(out[0]["test_scores"]["a"]) is Heavy
    assert type(out[3]["test_scores"]["a"]) is float


def test_a_wrong_number_of_tasks_is_left_to_scikit_learn():
    judge = Script([[0]], {})
    assert SplitBySplit(list, 3, judge, lambda: None)(range(4)) == [0, 1, 2, 3]
    assert judge.heard == []


def closure(parallel):
    def evaluate():
        return parallel

    return evaluate


def test_what_runs_the_tasks_is_exchanged_for_one_call_only():
    one, other = closure("usual"), closure("usual")
    with in_place_of_parallel(one, lambda before: ("new", before)):
        assert one() == ("new", "usual")
        assert other() == "usual"
    assert one() == "usual"
    with pytest.raises(KeyError), in_place_of_parallel(one, lambda before: "new"):
        raise KeyError
    assert one() == "usual"


def test_a_release_without_that_variable_is_refused():
    with (
        pytest.raises(RuntimeError, match="does not work with this release"),
        in_place_of_parallel(lambda: None, lambda before: before),
    ):
        pass


def test_the_judge_is_asked_after_each_batch_with_the_splits_that_are_done():
    judge = Script([[0], [1], [2, 3]], {})
    run(judge)
    assert judge.asked == [1, 2, 4]


def test_another_variable_is_not_taken_for_it():
    other = "usual"
    with (
        pytest.raises(RuntimeError, match="does not work with this release"),
        in_place_of_parallel(lambda: other, lambda before: before),
    ):
        pass


@pytest.mark.parametrize("n_configs", [0, 3])
def test_no_tasks_are_left_to_scikit_learn(n_configs):
    judge = Script([[0]], {})
    assert SplitBySplit(list, n_configs, judge, lambda: None)(iter([])) == []
    assert judge.heard == [] and judge.asked == []


def test_a_search_over_one_configuration_runs_everything_at_once():
    class Alone(Script):
        def left(self, n_done):
            self.asked.append(n_done)
            return np.array([0])

    judge = Alone([[0], [1, 2], [3, 4]], {})
    calls, out = run(judge, n_configs=1, n_splits=5)
    assert calls == [[(0, 0), (0, 1), (0, 2), (0, 3), (0, 4)]]
    assert out == [0, 1, 2, 3, 4]
    assert judge.asked == [5]


class Context:
    """Callbacks of one task."""

    told = []

    def __init__(self, cell):
        self.cell = cell

    def call_on_fit_task_begin(self, estimator):
        Context.told.append((self.cell, "begin", estimator))

    def call_on_fit_task_end(self, estimator):
        Context.told.append((self.cell, "end", estimator))


def test_callbacks_hear_of_each_fit_that_is_not_made_once():
    Context.told = []

    def parallel(tasks):
        return [{"test_scores": 0.0, "fit_error": None} for _ in tasks]

    tasks = [
        (None, (divmod(cell, 4),), {"callback_ctx": Context(divmod(cell, 4)), "caller": "search"})
        for cell in range(12)
    ]
    judge = Script([[0], [1], [2, 3]], {1: [2], 2: [1]})
    SplitBySplit(parallel, 3, judge, lambda: None)(tasks)
    missed = [(2, 1), (2, 2), (2, 3), (1, 2), (1, 3)]
    assert Context.told == [(cell, what, "search") for cell in missed for what in ("begin", "end")]


def test_a_stand_in_has_no_error_of_its_own():
    def parallel(tasks):
        return [{"test_scores": float(cell), "fit_error": "no", "n": cell} for cell in tasks]

    out = SplitBySplit(parallel, 3, Script([[0], [1]], {1: [1]}), lambda: None)(range(6))
    assert out[2] == {"test_scores": 2.0, "fit_error": "no", "n": 2}
    assert out[3] == {"test_scores": 2.0, "fit_error": None, "n": 2}
