"""Curves, subgroups, stability and threshold of the selected configuration, corrected for it."""

from ._base import Curve, corrected_curve
from ._binary import ROC, Calibration, NetBenefit, PrecisionRecall
from ._regression import RegressionCalibration
from ._stability import prediction_stability
from ._subgroups import subgroup_scores
from ._survival import AUCOverTime, BrierOverTime, SurvivalCalibration, SurvivalNetBenefit
from ._threshold import ThresholdResult, tuned_threshold

__all__ = [
    "ROC",
    "AUCOverTime",
    "BrierOverTime",
    "Calibration",
    "Curve",
    "NetBenefit",
    "PrecisionRecall",
    "RegressionCalibration",
    "SurvivalCalibration",
    "SurvivalNetBenefit",
    "ThresholdResult",
    "corrected_curve",
    "prediction_stability",
    "subgroup_scores",
    "tuned_threshold",
]


def __dir__() -> list[str]:
    return list(__all__)
