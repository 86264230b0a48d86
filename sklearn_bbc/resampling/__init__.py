"""Bootstrap draws as counts per unit: samples, groups or folds."""

from .._published import moved
from ._base import Resampling
from ._chance import chance_of_all, chance_of_holding
from ._degenerate import DegenerateDraws, Redraw
from ._plans import IID, Stratified, TwoStage
from ._spread import Spread

__all__ = [
    "IID",
    "DegenerateDraws",
    "Redraw",
    "Resampling",
    "Spread",
    "Stratified",
    "TwoStage",
    "chance_of_all",
    "chance_of_holding",
]

__getattr__ = moved(__name__, ["Drop", "FerrerRieraDraws", "Refuse"])
