"""Curves of the selected configuration, corrected for the selection."""

from ._base import Curve, corrected_curve
from ._binary import ROC, Calibration, NetBenefit, PrecisionRecall
from ._regression import RegressionCalibration
from ._survival import AUCOverTime, BrierOverTime, SurvivalCalibration, SurvivalNetBenefit

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
    "corrected_curve",
]


def __dir__() -> list[str]:
    return list(__all__)
