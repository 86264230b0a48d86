"""Names of methods for intervals and tied sets as people print them."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["MethodWords", "method_words"]

NAMES = {
    "bates_nested_cv": (
        "nested cross-validation (Bates, Hastie and Tibshirani)",
        "Bates nested CV",
    ),
    "bayle_cv": ("the normal approximation of Bayle et al.", "Bayle"),
    "bbc": ("bootstrap bias correction (BBC)", "BBC"),
    "bbcf": ("bootstrap bias correction on folds (BBC-F)", "BBC-F"),
    "bonferroni": ("Bonferroni's correction", "Bonferroni"),
    "conservative_z": ("the conservative Z interval", "conservative Z"),
    "corrected_t": ("the corrected resampled t interval", "corrected t"),
    "correlation_adjusted": ("the correlation-adjusted t interval", "correlation-adjusted t"),
    "cvc": ("cross-validation with confidence", "CV with confidence"),
    "cvauc": ("the influence curve of the cross-validated AUC", "influence curve (cvAUC)"),
    "delong": ("DeLong's method", "DeLong"),
    "direct_bootstrap": ("the direct bootstrap", "direct bootstrap"),
    "fold_glmm": ("a mixed model of the folds", "mixed model of folds"),
    "hanley_mcneil": ("the method of Hanley and McNeil", "Hanley-McNeil"),
    "hierarchical_bootstrap": ("the hierarchical bootstrap", "hierarchical bootstrap"),
    "mabt": ("multiplicity-adjusted bootstrap tilting (MABT)", "MABT"),
    "model_confidence_set": ("the model confidence set", "model confidence set"),
    "naive_bootstrap": ("the naive bootstrap", "naive bootstrap"),
    "nested_cv": ("nested cross-validation", "nested CV"),
    "pooled_bootstrap": ("the bootstrap of pooled predictions", "pooled bootstrap"),
    "rescaled_bbc": ("rescaled bootstrap bias correction (RescaledBBC)", "RescaledBBC"),
    "softmin": ("softmin with leave-one-out means", "softmin"),
    "takahashi": ("the method of Takahashi et al.", "Takahashi"),
    "tibshirani": ("the bias correction of Tibshirani and Tibshirani", "Tibshirani-Tibshirani"),
    "tilting": ("bootstrap tilting", "bootstrap tilting"),
    "wald": ("the Wald interval", "Wald"),
}
"""Registered name -> name in a sentence, name in a table."""


@dataclass(frozen=True)
class MethodWords:
    """A method in print.

    Parameters
    ----------
    sentence : str
        For a sentence: "estimated by ...".
    short : str
        For a table.
    """

    sentence: str
    short: str


def method_words(method: str) -> MethodWords:
    """Find out how a method is printed.

    Parameters
    ----------
    method : str
        Registered name, or the name of a second result of the same method, ``"bbc_2"``.

    Returns
    -------
    MethodWords
        Methods of third parties go by their registered name.
    """
    base, _, number = method.rpartition("_")
    if method not in NAMES and number.isdecimal() and base in NAMES:
        method = base
    return MethodWords(*NAMES.get(method, (f"the method {method!r}", method)))
