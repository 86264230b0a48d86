"""Bootstrap draws as counts per unit: samples, groups or folds."""

from .._published import moved
from ._base import BLOCK, Resampling, draw_with_replacement, entropy_of
from ._chance import chance_of_all, chance_of_holding
from ._degenerate import DegenerateDraws, Redraw
from ._draws import Draws
from ._folds import MAX_EXACT_FOLDS, enumerate_fold_draws
from ._plans import IID, Stratified, TwoStage
from ._spread import Spread
from ._units import Units, check_possible

__all__ = [
    "BLOCK",
    "IID",
    "MAX_EXACT_FOLDS",
    "DegenerateDraws",
    "Draws",
    "Redraw",
    "Resampling",
    "Spread",
    "Stratified",
    "TwoStage",
    "Units",
    "chance_of_all",
    "chance_of_holding",
    "check_possible",
    "draw_with_replacement",
    "entropy_of",
    "enumerate_fold_draws",
]

__getattr__ = moved(__name__, ["Drop", "FerrerRieraDraws", "Refuse"])
