"""Honest scores for tuned scikit-learn models."""

from ._show_versions import show_versions
from .predictions import OOFPredictions
from .results import ConfidenceInterval
from .search import BBCSearchCV

__version__ = "0.1.0"

__all__ = ["BBCSearchCV", "ConfidenceInterval", "OOFPredictions", "show_versions"]
