"""The tasks of a running search: the one place that knows what is inside scikit-learn's `fit`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Protocol

import sklearn

PARALLEL, SPLITTER = "parallel", "cv_orig"
"""Variables of `fit`: what runs its tasks and, before 1.9, the splitter that it made of ``cv``."""
SCORE_SIDES = ("test_scores", "train_scores")
OTHER_FIT = (
    "{name} cannot be used: {owner} with scikit-learn {version} runs its fits in another way than "
    "searches of scikit-learn 1.7 to 1.9, which are known here. Use {name}=None; `OOFRecorder` "
    "works with any search."
)


class TaskRunner(Protocol):
    """What runs the tasks of a search, each a fit of a model on a split."""

    # The parameter of a search that asks for it; empty where a search can do without it.
    parameter: str

    def run(self, parallel: Callable[[Iterable[Any]], list[Any]], tasks: Iterable[Any]) -> Any:
        """Return the results of all tasks in their order; `parallel` runs those it is given."""


@contextmanager
def tasks_of(
    evaluate_candidates: Callable[..., Any], search: Any, runners: Sequence[TaskRunner]
) -> Iterator[None]:
    """Run what ``evaluate_candidates`` does by `runners`, of which the last one gets all tasks.

    Only this inner function of scikit-learn's ``fit`` sees the variable that runs the tasks. It
    is exchanged there, for this call, so nothing that other searches or threads use is touched.
    """
    names = evaluate_candidates.__code__.co_freevars
    if PARALLEL not in names:
        runners = [runner for runner in runners if runner.parameter]
    if not runners:
        yield
        return
    if PARALLEL not in names:
        raise RuntimeError(
            OTHER_FIT.format(
                name=runners[0].parameter, owner=type(search).__name__, version=sklearn.__version__
            )
        )
    variable = (evaluate_candidates.__closure__ or ())[names.index(PARALLEL)]
    before = variable.cell_contents
    try:
        for runner in runners:
            variable.cell_contents = partial(runner.run, variable.cell_contents)
        yield
    finally:
        variable.cell_contents = before


def splitter_of(evaluate_candidates: Callable[..., Any], search: Any) -> Any:
    """Find the splitter that ``fit`` made of ``cv``: an attribute since 1.9, a local before."""
    local = inspect.getclosurevars(evaluate_candidates).nonlocals
    return local[SPLITTER] if SPLITTER in local else search._checked_cv_orig


class WithSplit:
    """A splitter with another method `split`; in everything else the splitter itself."""

    def __init__(self, splitter: Any, split: Callable[..., Iterable[Any]]) -> None:
        self._splitter, self.split = splitter, split

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_splitter":
            raise AttributeError(name)
        return getattr(self._splitter, name)


def skip_callbacks(kwargs: Mapping[str, Any]) -> None:
    """Let callbacks see a fit that is not made begin and end, so that bars go on."""
    context = kwargs.get("callback_ctx")
    if context is not None:
        context.call_on_fit_task_begin(estimator=kwargs["caller"])
        context.call_on_fit_task_end(estimator=kwargs["caller"])
