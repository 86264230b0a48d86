"""Citations of the methods that were used."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from typing import Any

from ._utils import did_you_mean
from ._version import __version__
from .comparison._base import registered as comparisons
from .comparison._data_sets import registered_on_data_sets
from .comparison._tied_methods import registered_tied
from .comparison._two_learners import FiveByTwo
from .intervals._base import registered as intervals
from .intervals._refit_base import registered_refits as intervals_with_refits
from .report._sentences import SCIKIT_LEARN, Reference, bibtex, keys_of, references_in
from .selection._base import registered_selections

OWN_REFERENCES = (
    "@software{sklearn_bbc,\n"
    "  author = {{The sklearn-bbc developers}},\n"
    "  title = {{sklearn-bbc: honest scores for tuned scikit-learn models}},\n"
    f"  version = {{{__version__}}},\n"
    "  url = {https://github.com/sklearn-bbc/sklearn-bbc}\n"
    "}"
)


def citations(*used: Any) -> str:
    """Write BibTeX entries of this package, scikit-learn and the methods that were used.

    Parameters
    ----------
    *used : str, method, result or fitted search
        Names of methods (``"bbc"``), their objects or classes, results (which know the name of
        their method), or fitted searches with all their intervals. Nothing gives the entries of
        the two packages.

    Returns
    -------
    str
        Entries for a ``.bib`` file, each once. The references of a method are those in its
        docstring, so methods of your own are cited, too.

    Raises
    ------
    ValueError
        If a name is not that of a method.
    TypeError
        If something is neither a method nor a result nor a fitted search.

    Examples
    --------
    >>> import sklearn_bbc
    >>> from sklearn_bbc.intervals import DeLong
    >>> entries = sklearn_bbc.citations("bbc", DeLong())
    >>> [line for line in entries.splitlines() if line.startswith("@")][:4]
    ['@software{sklearn_bbc,', '@article{pedregosa2011,', '@article{tsamardinos2018,', \
'@article{delong1988,']
    """
    found, unknown = [SCIKIT_LEARN], []
    for each in used:
        for method in _methods(each):
            cited = references_of(method)
            found += cited
            if not cited:
                name = method if isinstance(method, str) else method.__name__
                unknown.append(f"% The docstring of {name} names no reference.")
    entries = [bibtex(key, each) for key, each in keys_of(found).items()]
    return "\n\n".join([OWN_REFERENCES, *entries, *dict.fromkeys(unknown)])


def references_of(method: str | type) -> list[Reference]:
    """Read the references in the docstring of a method."""
    if isinstance(method, str):
        found = _class_of(method)
        if found is None:
            known = _known()
            raise ValueError(
                f"There is no method {method!r}. Known are {sorted(known)}."
                f"{did_you_mean(method, known)}"
            )
        method = found
    return references_in(inspect.getdoc(method))


def _class_of(method: str) -> type | None:
    """Find the class of a method by its name in results, such as "bbc_2", "MABT" or "DLbest"."""
    known = _known()
    base, _, number = method.rpartition("_")  # "bbc_2" is a second result of "bbc"
    name = base if method not in known and number.isdecimal() else method
    short = {cls.abbreviation: cls for cls in known.values() if hasattr(cls, "abbreviation")}
    starts = max((each for each in short if method.startswith(each)), key=len, default=None)
    return known.get(name) or (None if starts is None else short[starts])


def _known() -> dict[str, type]:
    tables: Iterable[Any] = (
        registered_selections(), registered_on_data_sets(), registered_tied(),
        {FiveByTwo.name: FiveByTwo}, comparisons(), intervals_with_refits(), intervals(),
    )  # fmt: skip
    return {name: cls for table in tables for name, cls in table.items()}


def _methods(used: Any) -> Iterator[str | type]:
    """Yield the names or classes of the methods behind one argument."""
    if isinstance(used, str):
        yield used
        return
    searched = getattr(used, "ci_results_", None)
    if searched is not None:
        for by_method in searched.values():
            yield from (result.method for result in by_method.values())
        rule = getattr(used, "refit", None)
        if getattr(type(rule), "name", None) in registered_selections():
            yield type(rule)
        return
    if isinstance(getattr(used, "method", None), str):  # a result
        if (cls := _class_of(used.method)) is not None:
            yield cls
        return
    cls = used if isinstance(used, type) else type(used)
    if cls not in _known().values():
        raise TypeError(
            "citations takes names of methods, methods, results and fitted searches, got "
            f"{used!r}."
        )
    yield cls
