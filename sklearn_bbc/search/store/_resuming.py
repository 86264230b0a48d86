"""A search that takes finished fits from a folder and adds its own."""

from __future__ import annotations

import types
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from sklearn.utils.validation import _num_samples

from ...predictions._matrix_file import Walk, remove_leftovers
from ...store import Cell, fingerprint
from .._progress import tell_callbacks
from ._cells import Wanted, result_of
from ._folder import SearchFolder
from ._held import HeldPredictions
from ._keys import ConfigKeys, split_key
from ._problem import problem_of
from ._settings import WithSettings
from ._splits import Split
from ._tasks import NOT_STORED, Target, fit_and_store

__all__ = ["Resuming", "resuming"]


def resuming(
    search: Any, X: Any, y: Any, params: Mapping[str, Any], recorded: bool
) -> Resuming | None:
    """What a search has to do with its ``store``; None when it has none.

    Parameters
    ----------
    search : BaseSearchCV
        Its `store`, where it has one, is the folder.
    X, y : array-like
        Data.
    params : mapping of str to object
        Further parameters of `fit`.
    recorded : bool
        Whether predictions are recorded.
    """
    if getattr(search, "store", None) is None:
        return None
    return Resuming(search, X, y, params, recorded)


class Resuming:
    """One `fit` with a store.

    Parameters
    ----------
    search, X, y, params, recorded
        As in `resuming`.

    Notes
    -----
    Fits are told apart by content, whatever their order and their number: those of a wider
    grid, of a random search or of the rounds of a halving search find theirs in the same way.
    """

    def __init__(
        self, search: Any, X: Any, y: Any, params: Mapping[str, Any], recorded: bool
    ) -> None:
        self._search, self._data = search, (X, y, params)
        self._wanted = Wanted(recorded, search.return_train_score, search.error_score)
        self._config = ConfigKeys(search.estimator)
        self._known: dict[tuple[str, str], Cell] = {}
        self._configs: dict[int, str] = {}
        self._splits: dict[int, str] = {}
        self._rounds: Counter[str] = Counter()
        self._not_stored: Counter[str] = Counter()
        self._message = ""
        self._folder: SearchFolder
        self._target: Target | None = None
        self._held: HeldPredictions | None = None

    @property
    def path(self) -> Path:
        """The folder."""
        return self._folder.path

    @property
    def seed(self) -> int:
        """What a search without a seed draws from."""
        return self._folder.seed

    def open(self, splitter: Any) -> None:
        """Read the folder, or make it, before the first fit.

        Parameters
        ----------
        splitter : splitter
            What ``fit`` made of ``cv``.

        Raises
        ------
        ValueError
            If the folder is of another problem; the message says what differs.
        OSError
            If the folder cannot be made.
        """
        X, y, params = self._data
        facts = problem_of(self._search, X, y, params, splitter)
        self._folder = SearchFolder(self._search.store, facts)
        remove_leftovers(self._folder.path)
        self._target = Target(self._folder.path, self._wanted)
        walk = Walk()
        for key, cell in self._folder.cells():
            for array in cell.arrays.values():
                walk.has_read(array)
            if key not in self._known and self._wanted.takes(cell):
                self._known[key] = cell
        walk.end()
        if self._wanted.predictions:
            self._held = HeldPredictions(self._target.run, self._folder.new_cells)

    def taking(self, evaluate_candidates: Callable[..., Any]) -> Callable[..., Any]:
        """scikit-learn's function that fits candidates, which then fits what is missing only.

        It is the very function of `fit`, with the same variables of `fit` around it, but for
        `parallel`: what runs the fits gets only those that are missing.
        """
        names = evaluate_candidates.__code__.co_freevars
        if "parallel" not in names:
            raise RuntimeError(
                f"store= does not know how {type(self._search).__name__} runs its fits. Leave it "
                "out, or use OOFRecorder, which works with any search."
            )
        around = evaluate_candidates.__closure__ or ()
        parallel = around[names.index("parallel")].cell_contents
        cells = dict(zip(names, around))
        cells["parallel"] = types.CellType(lambda tasks: self._run(parallel, tasks))
        taking = types.FunctionType(
            evaluate_candidates.__code__,
            evaluate_candidates.__globals__,
            evaluate_candidates.__name__,
            evaluate_candidates.__defaults__,
            tuple(cells.values()),
        )
        taking.__kwdefaults__ = evaluate_candidates.__kwdefaults__
        return taking

    def splitter(self, splitter: Any, candidates: list[dict[str, Any]]) -> StoredSplits:
        """The splitter of one round, with its stored splits where there are some.

        Parameters
        ----------
        splitter : splitter
            Of this round.
        candidates : list of dict
            Its configurations.
        """

        def split(X: Any, *args: Any, **kwargs: Any) -> list[Split]:
            # A random generator in the splitter is still as it was: this is before its use.
            name = fingerprint(splitter)
            number = self._rounds[name]
            self._rounds[name] += 1
            splits = self._folder.splits(
                f"{name}-{number}",
                lambda: list(splitter.split(X, *args, **kwargs)),
                _num_samples(X),
            )
            self._begin(candidates, splits)
            return splits

        return StoredSplits(splitter, split)

    def told(self) -> list[str]:
        """What a user should know when the search is done."""
        told = [
            f"Some stored fits of {self._folder.path} were made again. {note}"
            for note in self._folder.notes
        ]
        for why, n in self._not_stored.items():
            fits = "finished fit" if n == 1 else "finished fits"
            told.append(
                f"{n} {fits} could not be stored in {self._folder.path}: {why}. The results of "
                "this search are complete; another one with this store would fit them again."
            )
        return told

    def close(self) -> None:
        """Close what this process writes to, and let go of what was read."""
        if self._target is not None:
            self._target.close()
        self._known, self._held = {}, None

    def _begin(self, candidates: list[dict[str, Any]], splits: list[Split]) -> None:
        """Learn the fingerprints of a round; `id` tells its objects apart while it runs."""
        self._configs = {id(params): self._config(params) for params in candidates}
        self._splits = {id(test): split_key(train, test) for train, test in splits}
        pairs = [(c, s) for c in self._configs.values() for s in self._splits.values()]
        n_known = sum(pair in self._known for pair in pairs)
        self._message = f"Taking {n_known} of {len(pairs)} fits from {self._folder.path}"

    def _key(self, kwargs: Mapping[str, Any]) -> tuple[str, str]:
        params, train, test = kwargs["parameters"], kwargs["train"], kwargs["test"]
        config, split = self._configs.get(id(params)), self._splits.get(id(test))
        return config or self._config(params), split or split_key(train, test)

    def _run(self, parallel: Any, tasks: Iterator[Any]) -> list[dict[str, Any]]:
        """Results of all tasks in their order; those that are missing are fitted and stored."""
        taken: dict[int, dict[str, Any]] = {}
        fitted: list[dict[str, Any]] = parallel(self._missing(tasks, taken))
        rest = iter(fitted)
        results = []
        for position in range(len(taken) + len(fitted)):
            result = taken[position] if position in taken else next(rest)
            if NOT_STORED in result:
                self._not_stored[result.pop(NOT_STORED)] += 1
            results.append(result)
        return results

    def _missing(self, tasks: Iterator[Any], taken: dict[int, dict[str, Any]]) -> Iterator[Any]:
        """Tasks to run, in place of those of scikit-learn; fills `taken` on the way."""
        writable = False
        # One for all fits: making it takes as long as a quarter of a write.
        storing = WithSettings(fit_and_store)
        for position, (function, args, kwargs) in enumerate(tasks):
            if self._message and self._search.verbose > 0:
                print(self._message)
            self._message = ""
            key = self._key(kwargs)
            if key in self._known:
                taken[position] = result_of(self._known[key], self._wanted)
                tell_callbacks(kwargs)
                continue
            if not writable:
                self._folder.check_writable()
                writable = True
            # The function itself: it would look for the settings that `delayed` carries.
            inner = getattr(function, "function", function)
            yield storing, (inner, self._target, *key, *args), kwargs


class StoredSplits:
    """A splitter that gives stored splits; in everything else the splitter itself.

    Parameters
    ----------
    splitter : splitter
        The splitter.
    split : callable
        Takes its place as ``split``.
    """

    def __init__(self, splitter: Any, split: Callable[..., list[Split]]) -> None:
        self._splitter, self.split = splitter, split

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_splitter":
            raise AttributeError(name)
        return getattr(self._splitter, name)
