"""Bootstrap draws as counts per unit: samples, groups or folds."""

from ._base import Resampling
from ._chance import chance_of_all, chance_of_holding
from ._degenerate import DegenerateDraws, Drop, Redraw, Refuse
from ._ferrer_riera import FerrerRieraDraws
from ._plans import IID, Stratified, TwoStage
from ._spread import Spread

__all__ = [
    "IID",
    "DegenerateDraws",
    "Drop",
    "FerrerRieraDraws",
    "Redraw",
    "Refuse",
    "Resampling",
    "Spread",
    "Stratified",
    "TwoStage",
    "chance_of_all",
    "chance_of_holding",
]
