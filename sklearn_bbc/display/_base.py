"""Base of all plots: data in the constructor, `plot` returns self, `frame` the numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

import pandas as pd
from sklearn.utils._optional_dependencies import check_matplotlib_support

from .._lazy import whole
from .._utils import explain_init, got, register

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


_DISPLAYS: dict[str, type[BaseDisplay]] = {}


class BaseDisplay(ABC):
    """Base of all plots: a plot computes nothing, it shows values.

    A plot is a subclass with a `name`, a constructor that takes the values (by the name `shows`),
    `from_search` that builds it from a search, `frame` and `plot`. It registers itself by `name`.
    In `plot`, `_axes` gives the axes to draw on and sets the attributes below.

    Attributes
    ----------
    name : str
        Registered name.
    shows : str
        Parameter of the constructor that takes what `from_results` is given.
    ax_ : matplotlib Axes
        Axes of the plot, after `plot`.
    figure_ : matplotlib Figure
        The figure around it, after `plot`.

    Examples
    --------
    >>> from sklearn_bbc.display import BaseDisplay
    >>> import pandas as pd
    >>> class EstimateDisplay(BaseDisplay):
    ...     shows = "value"
    ...
    ...     def __init__(self, *, value):
    ...         self.value = value
    ...
    ...     @classmethod
    ...     def from_search(cls, search):
    ...         return cls(value=search.ci_.estimate)
    ...
    ...     def frame(self):
    ...         return pd.DataFrame({"estimate": [self.value]})
    ...
    ...     def plot(self, ax=None):
    ...         self._axes(ax, height=1.0).axvline(self.value)
    ...         return self
    >>> EstimateDisplay.from_results(0.9).plot().frame()
       estimate
    0       0.9
    """

    name: ClassVar[str]
    shows: ClassVar[str] = "results"
    why_no_search: ClassVar[str] = "it shows results that one search does not have"

    ax_: Axes
    figure_: Figure | SubFigure

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        explain_init(cls, " Make it with from_search or from_results.")
        if "name" in cls.__dict__:
            register(_DISPLAYS, cls, "display")

    @classmethod
    def from_results(cls, results: Any, **options: Any) -> Self:
        """Build the plot of one or more results.

        Parameters
        ----------
        results : object
            What the first parameter of the class takes.
        **options : dict
            Its other parameters.

        Returns
        -------
        BaseDisplay
            The plot, not yet drawn.
        """
        return cls(**{cls.shows: results}, **options)

    @classmethod
    def from_search(cls, search: Any) -> BaseDisplay:
        """Build the plot of a fitted search.

        Parameters
        ----------
        search : fitted BBCSearchCV
            Only its public attributes are read.

        Returns
        -------
        BaseDisplay
            The plot, not yet drawn.

        Raises
        ------
        ValueError
            If the plot shows what no single search knows; `why_no_search` says why.
        """
        raise ValueError(
            f"A {type(search).__name__} cannot be shown as {cls.__name__}: {cls.why_no_search}. "
            f"Use {cls.__name__}.from_results."
        )

    @abstractmethod
    def frame(self) -> pd.DataFrame:
        """Return the numbers that the plot shows.

        Returns
        -------
        DataFrame
            One row for each thing that is drawn.
        """

    @abstractmethod
    def plot(self, ax: Axes | None = None) -> BaseDisplay:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure that is as high as its rows need.

        Returns
        -------
        self : BaseDisplay
            With `ax_` and `figure_`.
        """

    def _axes(self, ax: Axes | None, *, height: float, width: float = 7.2) -> Axes:
        """Return axes to draw on, of a new figure of this size in inches when none are given."""
        check_matplotlib_support(f"{type(self).__name__}.plot")
        if ax is None:
            import matplotlib.pyplot as plt

            _, ax = plt.subplots(figsize=(width, height), layout="constrained")
        elif not hasattr(ax, "figure"):
            raise ValueError(f"ax must be matplotlib Axes or None, got {got(ax)}.")
        self.ax_ = ax
        self.figure_ = ax.figure
        return ax


def registered() -> dict[str, type[BaseDisplay]]:
    """Return the registered plots, name -> class."""
    return whole(__package__, _DISPLAYS)
