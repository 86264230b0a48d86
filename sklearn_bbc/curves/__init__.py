"""Curves, subgroups, stability and threshold of the selected configuration, corrected for it."""

from typing import TYPE_CHECKING

from .._lazy import lazily

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

if TYPE_CHECKING:
    from ._base import Curve, corrected_curve
    from ._base import as_curve as as_curve
    from ._base import curve_of as curve_of
    from ._base import limits_of as limits_of
    from ._base import registered_curves as registered_curves
    from ._base import responses_read as responses_read
    from ._binary import ROC, Calibration, NetBenefit, PrecisionRecall
    from ._regression import RegressionCalibration
    from ._stability import prediction_stability
    from ._stability import responses_compared as responses_compared
    from ._stability import stability_in as stability_in
    from ._stability import time_compared as time_compared
    from ._subgroups import subgroup_scores
    from ._subgroups import subgroups_of as subgroups_of
    from ._survival import AUCOverTime, BrierOverTime, SurvivalCalibration, SurvivalNetBenefit
    from ._threshold import ThresholdResult, tuned_threshold
    from ._threshold import parts_of_report as parts_of_report
else:
    __getattr__, __dir__ = lazily(
        __name__,
        __all__,
        _base="registered_curves Curve corrected_curve as_curve curve_of responses_read limits_of",
        _binary="Calibration NetBenefit PrecisionRecall ROC",
        _regression="RegressionCalibration",
        _stability="prediction_stability responses_compared stability_in time_compared",
        _subgroups="subgroup_scores subgroups_of",
        _survival="AUCOverTime BrierOverTime SurvivalCalibration SurvivalNetBenefit",
        _threshold="ThresholdResult tuned_threshold parts_of_report",
    )
