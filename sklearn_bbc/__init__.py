"""Honest scores for tuned scikit-learn models."""

from .predictions import OOFPredictions
from .results import ConfidenceInterval

__version__ = "0.1.0"

__all__ = ["ConfidenceInterval", "OOFPredictions"]
