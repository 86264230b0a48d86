"""What published code does differently from the methods as they are right, to repeat its numbers.

Never for use on data of your own. Nothing in the package imports this module.
"""

from ._degenerate import Drop, Refuse
from ._ferrer_riera import FerrerRieraDraws
from ._proc_direction import ProcDirection
from ._published_tilting import PublishedTilting
from ._quantiles import LinearQuantile
from ._rink_counts import RinkCounts
from ._single_precision import single_precision

__all__ = [
    "Drop",
    "FerrerRieraDraws",
    "LinearQuantile",
    "ProcDirection",
    "PublishedTilting",
    "Refuse",
    "RinkCounts",
    "single_precision",
]
