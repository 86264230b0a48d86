"""Curves of the selected configuration, corrected for the selection."""

from ._base import Curve, corrected_curve
from ._kinds import ROC, Calibration, NetBenefit, PrecisionRecall, RegressionCalibration

__all__ = [
    "ROC",
    "Calibration",
    "Curve",
    "NetBenefit",
    "PrecisionRecall",
    "RegressionCalibration",
    "corrected_curve",
]


def __dir__() -> list[str]:
    return list(__all__)
