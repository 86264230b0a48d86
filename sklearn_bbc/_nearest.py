"""What was probably meant, for messages about unknown names and arguments."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from inspect import Parameter, signature
from typing import Any, ParamSpec, TypeVar

__all__ = ["check_splitter", "did_you_mean", "explain_arguments", "explain_init", "got", "nearest"]

P = ParamSpec("P")
R = TypeVar("R")

LONGEST = 80
"""Characters of a value in a message."""

PARAMETERS = {
    "alpha": "confidence_level",
    "axes": "ax",
    "b": "n_bootstraps",
    "baseestimator": "estimator",
    "conf": "confidence_level",
    "cores": "n_jobs",
    "cv": "fold",
    "folds": "fold",
    "group": "groups",
    "level": "confidence_level",
    "metric": "scoring",
    "metrics": "scoring",
    "model": "estimator",
    "nboot": "n_bootstraps",
    "nbootstrap": "n_bootstraps",
    "ncores": "n_jobs",
    "ndraws": "n_bootstraps",
    "niter": "n_bootstraps",
    "nresamples": "n_bootstraps",
    "paramdistributions": "param_grid",
    "params": "param_grid",
    "pred": "y_pred",
    "predictions": "y_pred",
    "rng": "random_state",
    "rule": "selection",
    "scorer": "scoring",
    "seed": "random_state",
    "sided": "alternative",
    "splitter": "cv",
    "tail": "alternative",
    "target": "y_true",
    "weight": "sample_weight",
    "weights": "sample_weight",
    "workers": "n_jobs",
    "y": "y_true",
    "yprob": "y_pred",
    "yproba": "y_pred",
    "yscore": "y_pred",
    "ytest": "y_true",
}
"""What people call some parameters, in small letters and digits only."""
REMARKS = {
    "alpha": " It is 1 - alpha: 0.95 for alpha=0.05.",
    "param_distributions": (
        " It is RandomizedSearchCV's word: pass the distributions as param_grid, together with "
        "n_iter (for example n_iter=60), which makes it a random search."
    ),
}
OF_METHODS = ("alternative", "confidence_level", "n_bootstraps", "n_jobs", "random_state")
"""Parameters of an interval method, which people look for where the method is called."""


def nearest(
    name: str, known: Iterable[str], aliases: Mapping[str, str] | None = None
) -> str | None:
    """Find the nearest known name; None where none is near.

    Parameters
    ----------
    name : str
        What was given.
    known : iterable of str
        What there is.
    aliases : mapping of str to str, default=None
        Other words, in small letters and digits only, for some of the known names.
    """
    known = sorted(known)
    plain = {_plain(each): each for each in known}
    also = {word: target for word, target in (aliases or {}).items() if target in known}
    wanted = _plain(name)
    found = also.get(wanted) or plain.get(wanted)
    if found is None:
        # One wrong letter of three is a third of a short word.
        cutoff = 0.75 if len(wanted) > 3 else 0.66
        near = difflib.get_close_matches(wanted, [*plain, *also], n=1, cutoff=cutoff)
        found = {**plain, **also}[near[0]] if near else None
    return found


def did_you_mean(name: Any, known: Iterable[str], aliases: Mapping[str, str] | None = None) -> str:
    """Sentence that names the nearest known name; empty where none is near.

    Parameters
    ----------
    name : object
        What was given; what is no text has no near name.
    known : iterable of str
        What there is.
    aliases : mapping of str to str, default=None
        Other words, in small letters and digits only, for some of the known names.

    Returns
    -------
    str
        With a space in front, to be put behind another sentence.
    """
    found = nearest(name, known, aliases) if isinstance(name, str) else None
    return "" if found is None else f" Did you mean {found!r}?"


def _plain(name: str) -> str:
    """Small letters and digits only: case, hyphens and underscores are what people mix up."""
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def got(value: Any) -> str:
    """Describe a value in a message: large and long ones by their kind."""
    kind = type(value).__name__
    if isinstance(value, type):
        return f"the class {value.__name__}"
    words = f"{'an' if kind[0] in 'AEIOUaeiou' else 'a'} {kind}"
    if getattr(value, "shape", ()):
        return f"{'an array' if kind == 'ndarray' else words} of shape {value.shape}"
    line = " ".join(repr(value).split())
    return line if len(line) <= LONGEST else words


def explain_arguments(
    hint: str = "", of_method: str = ""
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make a decorator: a function called with arguments that it lacks says what was meant.

    Parameters
    ----------
    hint : str, default=""
        Sentence behind the message.
    of_method : str, default=""
        Where parameters of an interval method go, with a place for the name, such as
        ``"interval(BBC({}=...))"``.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        parameters = signature(function).parameters
        kinds = {each.kind for each in parameters.values()}
        named = [name for name, each in parameters.items() if each.kind != Parameter.VAR_KEYWORD]
        placed = [
            name
            for name, each in parameters.items()
            if each.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
        ]
        bound = placed[:1] if placed[:1] in (["self"], ["cls"]) else []
        name_of = function.__name__

        def has(owner: str, name: str) -> str:
            own = sorted({*named} - {*bound})
            found = nearest(name, own, PARAMETERS)
            words = f"{owner} has no parameter {name!r}."
            target = None if found or not of_method else nearest(name, OF_METHODS, PARAMETERS)
            if found:
                words += f" Did you mean {owner}({found}=...)?"
            elif target:
                words += f" It belongs to the method: {of_method.format(target)}."
            return words + REMARKS.get(name, "") * bool(found or target) + its(own)

        def its(own: list[str]) -> str:
            return f" Its parameters are {', '.join(own)}." if own else " It takes none."

        def too_many(owner: str, args: tuple[Any, ...]) -> str:
            take, behind = placed[len(bound) :], sorted({*named} - {*placed})
            those = f"only {', '.join(take)}" if take else "no arguments"
            ask = f" Give the others by name: {', '.join(behind)}." if behind else ""
            return f"{owner} takes {those} by position; {got(args[len(placed)])} is too much.{ask}"

        @wraps(function)
        def explained(*args: P.args, **kwargs: P.kwargs) -> R:
            unknown = [name for name in kwargs if name not in parameters]
            if unknown and Parameter.VAR_KEYWORD in kinds:  # they may be of `fit`
                unknown = [name for name in unknown if PARAMETERS.get(_plain(name)) in named]
            owner = type(args[0]).__name__ if name_of == "__init__" else name_of
            if unknown:
                raise TypeError(has(owner, unknown[0]) + hint)
            if len(args) > len(placed) and Parameter.VAR_POSITIONAL not in kinds:
                raise TypeError(too_many(owner, args) + hint)
            return function(*args, **kwargs)

        return explained

    return decorate


def explain_init(cls: type, hint: str = "", of_method: str = "") -> None:
    """Make the constructor of a class say what was meant, see `explain_arguments`."""
    if "__init__" in cls.__dict__:
        cls.__init__ = explain_arguments(hint, of_method)(cls.__dict__["__init__"])  # type: ignore[misc]


def check_splitter(cv: Any) -> None:
    """Raise for a class of splitters, and for a list of what are no pairs (train, test)."""
    if isinstance(cv, type):
        call = "n_splits=5" if "n_splits" in signature(cv).parameters else ""
        raise ValueError(
            f"cv must be a splitter object, got the class: pass {cv.__name__}({call})."
        )
    if isinstance(cv, (list, tuple)):
        for each in cv:
            if not hasattr(each, "__len__") or len(each) != 2:
                raise ValueError(
                    "cv must be a number, a splitter or a list of pairs (train, test), such as "
                    f"list(splitter.split(X, y)); it holds {got(each)}."
                )
