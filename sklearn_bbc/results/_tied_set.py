"""What a search for the configurations tied with the best returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from .._equality import same
from .._wording import (
    card,
    config_words,
    count,
    method_words,
    metric_words,
    number,
    param_name,
    param_value,
    percent,
)
from ._arrays import frozen_array

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["TiedSet"]

ARRAYS = ("scores", "p_values", "difference", "low", "high", "won")
LONGEST = 60
"""Characters of the parameters of a configuration in a sentence."""
MOST_FAMILIES = 8
"""Families that a card for notebooks lists."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TiedSet:
    """Configurations that the data cannot tell from the best one.

    ``print(tied)`` gives a sentence, ``config in tied`` tells whether a configuration is a
    member, ``len(tied)`` how many there are, and iterating gives their indices. All scores are
    in scorer orientation: greater is better.

    Parameters
    ----------
    members : ndarray of shape (n_members,)
        Indices of the configurations in the set, ascending. `best` is one of them.
    best : int
        Configuration with the best score on all held-out predictions together.
    scores : ndarray of shape (n_configs,)
        Score of each configuration on these predictions; NaN where undefined.
    p_values : ndarray of shape (n_configs,)
        Of the hypothesis that the configuration is the best one; NaN where it has no score.
    difference, low, high : ndarray of shape (n_configs,)
        By how much a configuration is better (if negative, worse) than what selection finds,
        selection accounted for: in every draw the best configuration in-bag is taken, and
        both are scored out-of-bag. `difference` is the mean over the draws, `low` and `high`
        are bounds of its two-sided interval, for each configuration by itself.
    won : ndarray of shape (n_configs,)
        Share of draws in which the configuration, or one that predicts the same, is the best
        in-bag.
    confidence_level : float
        Promised share of data sets for which the set holds the best configuration.
    method : str
        Name of the method, for example ``"softmin"``.
    metric : str
        Name of the metric, for example ``"roc_auc"``.
    params : sequence of dict, default=()
        Parameters of each configuration; empty when they are not known.
    families : sequence of str, default=()
        Family of each configuration, by the values of some parameters; empty without `params`.
    simplest : int or None, default=None
        Simplest member; None where it was not said what is simple.
    details : mapping, default={}
        By-products: ``best_p_value`` (small where the best is shown to be better than every
        other one), ``shared`` (parameters that have one value in all members, but not in all
        configurations), ``unit``, ``n_units``, ``n_bootstraps``, ``seed``, ``notes``, ...

    Notes
    -----
    Two sets are equal when all their fields hold the same, with NaN equal to NaN; so a set
    equals its unpickled copy. It can be hashed.

    Examples
    --------
    >>> from sklearn_bbc.comparison import tied_with_best
    >>> from sklearn_bbc.testing import example_predictions
    >>> tied = tied_with_best(example_predictions(), "roc_auc", random_state=0)
    >>> tied.members, tied.best, 0 in tied
    (array([1, 2, 3]), 3, False)
    """

    members: np.ndarray
    best: int
    scores: np.ndarray
    p_values: np.ndarray
    difference: np.ndarray
    low: np.ndarray
    high: np.ndarray
    won: np.ndarray
    confidence_level: float
    method: str
    metric: str
    params: Sequence[Mapping[str, Any]] = ()
    families: Sequence[str] = ()
    simplest: int | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "members", frozen_array(self.members, dtype=np.intp))
        for name in ARRAYS:
            object.__setattr__(self, name, frozen_array(getattr(self, name), dtype=float))
        object.__setattr__(self, "confidence_level", float(self.confidence_level))
        object.__setattr__(self, "best", int(self.best))
        object.__setattr__(self, "params", tuple(map(dict, self.params)))
        object.__setattr__(self, "families", tuple(map(str, self.families)))
        object.__setattr__(self, "details", MappingProxyType(dict(self.details)))

    @property
    def n_configs(self) -> int:
        """Number of configurations that were compared, with and without a score."""
        return len(self.scores)

    def frame(self) -> pd.DataFrame:
        """Return all configurations as a table, best score first.

        Returns
        -------
        DataFrame
            Indexed by configuration: ``param_...`` for each parameter, ``score``,
            ``difference``, ``low``, ``high``, ``p_value``, ``won``, ``family`` and ``member``.
        """
        import pandas as pd

        names = dict.fromkeys(name for each in self.params for name in each)
        columns: dict[str, Any] = {}
        for name in names:
            values = np.empty(self.n_configs, dtype=object)
            for config, each in enumerate(self.params):
                values[config] = each.get(name)
            columns[f"param_{name}"] = pd.Series(values).infer_objects()
        member = np.zeros(self.n_configs, dtype=bool)
        member[self.members] = True
        columns |= {
            "score": self.scores,
            "difference": self.difference,
            "low": self.low,
            "high": self.high,
            "p_value": self.p_values,
            "won": self.won,
        }
        if self.families:
            columns["family"] = list(self.families)
        columns["member"] = member
        frame = pd.DataFrame(columns).rename_axis("config")
        return frame.sort_values("score", ascending=False, kind="stable")

    def by_family(self) -> pd.DataFrame:
        """Return one row per family, the one with the best score first.

        Returns
        -------
        DataFrame
            Indexed by family: ``n_configs``, ``n_members``, ``best_config``, ``best_score``
            and, of the members, the values of the parameters that vary within the family.

        Raises
        ------
        ValueError
            If the parameters of the configurations are not known.
        """
        import pandas as pd

        if not self.families:
            raise ValueError(
                "There are no families, since the parameters of the configurations are not "
                "known. Pass them as OOFPredictions(..., params=[...])."
            )
        family, member = np.array(self.families), set(self.members.tolist())
        filled = np.where(np.isnan(self.scores), -np.inf, self.scores)
        rows = []
        for name in dict.fromkeys(self.families):
            configs = np.flatnonzero(family == name)
            best = int(configs[filled[configs].argmax()])
            chosen = [int(config) for config in configs if config in member]
            rows.append(
                {
                    "family": name,
                    "n_configs": len(configs),
                    "n_members": len(chosen),
                    "best_config": best,
                    "best_score": self.scores[best],
                    "members": _ranges(self.params, configs, chosen),
                }
            )
        frame = pd.DataFrame(rows).set_index("family")
        return frame.sort_values("best_score", ascending=False, kind="stable")

    def summary(self) -> str:
        """Say in one or two sentences what was found.

        Returns
        -------
        str
            How many configurations cannot be told from the best, by what, and the simplest.
        """
        n_scored = int(np.isfinite(self.scores).sum())
        metric = metric_words(self.metric, self.scores).name
        by = method_words(self.method).sentence
        how = f"by {metric} ({percent(self.confidence_level)} confidence, {by})"
        if n_scored == 1:
            text = f"{self._named(self.best)} is the only configuration with a score."
            return text[0].upper() + text[1:]
        if len(self) == 1:
            text = f"{self._named(self.best)} is the only one of {n_scored:,} configurations"
            text += f" that may be the best {how}."
            return text[0].upper() + text[1:]
        text = f"{len(self):,} of {n_scored:,} configurations cannot be told from the best {how}."
        if self.simplest is not None:
            text += f" The simplest of them is {self._named(self.simplest)}."
        return text

    def _repr_html_(self) -> str:
        """Card for notebooks."""
        words = metric_words(self.metric, self.scores)
        best = words.natural(self.scores[self.best])
        rows = [("best", f"{self._named(self.best)}: {words.name} {number(best)}")]
        if self.simplest is not None:
            rows.append(("simplest", self._named(self.simplest)))
        if self.families:
            table = self.by_family()
            members = table[table["n_members"] > 0]
            rows += [
                (str(family), f"{row['n_members']:,} of {count(row['n_configs'], 'configuration')}"
                 + (f": {row['members']}" if row["members"] else ""))
                for family, row in members.head(MOST_FAMILIES).iterrows()
            ]  # fmt: skip
            if len(members) > MOST_FAMILIES:
                rows.append(("", f"and {len(members) - MOST_FAMILIES:,} more families"))
        n_scored = int(np.isfinite(self.scores).sum())
        return card(
            "Configurations that cannot be told from the best",
            f"{len(self):,} of {count(n_scored, 'configuration')} "
            f"({words.name}, {percent(self.confidence_level)} confidence)",
            rows,
            self.details.get("notes", ()),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as a plain dictionary.

        Returns
        -------
        dict
            One entry per field, `details` included.
        """
        result = {f.name: getattr(self, f.name) for f in fields(self)}
        return {**result, "details": dict(self.details)}

    def _named(self, config: int) -> str:
        return config_words(config, self.params, LONGEST)

    def __len__(self) -> int:
        return len(self.members)

    def __iter__(self) -> Iterator[int]:
        return iter(self.members.tolist())

    def __contains__(self, config: object) -> bool:
        return config in self.members.tolist()

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return (
            f"TiedSet({len(self)} of {self.n_configs} configurations, best={self.best}, "
            f"simplest={self.simplest}, {100 * self.confidence_level:g}%, "
            f"method={self.method!r}, metric={self.metric!r})"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TiedSet):
            return NotImplemented
        return all(same(getattr(self, f.name), getattr(other, f.name)) for f in fields(self))

    # Of what cannot be NaN: NaN equals NaN here, but not every NaN has the same hash.
    def __hash__(self) -> int:
        return hash((self.method, self.metric, self.best, self.members.tobytes()))

    # A mapping proxy cannot be pickled, and unpickled arrays come back writeable.
    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "details": dict(self.details)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        TiedSet.__post_init__(self)


def _ranges(params: Sequence[Mapping[str, Any]], configs: np.ndarray, members: list[int]) -> str:
    """Values that the members of a family have, of the parameters that vary in the family."""
    if not members:
        return ""
    names = dict.fromkeys(name for config in configs for name in params[config])
    texts = []
    for name in names:
        every = {param_value(params[config].get(name)) for config in configs}
        if len(every) < 2:
            continue
        values: list[Any] = [params[config].get(name) for config in members]
        distinct = list(dict.fromkeys(map(param_value, values)))
        name = param_name(name, names)
        numbers = all(_is_number(value) for value in values)
        if numbers and len(distinct) > 1:
            texts.append(f"{name} {param_value(min(values))} to {param_value(max(values))}")
        elif len(distinct) <= 3:
            texts.append(f"{name} {', '.join(distinct)}")
        else:
            texts.append(f"{name} {len(distinct)} values")
    return "; ".join(texts)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
