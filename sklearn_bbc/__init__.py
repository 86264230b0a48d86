"""Honest scores for tuned scikit-learn models."""

import importlib as _importlib
import typing as _typing

from ._version import __version__ as __version__

if _typing.TYPE_CHECKING:
    from ._citations import citations
    from ._show_versions import show_versions
    from .comparison import SequentialBestOf, best_of, compare, tied_with_best
    from .intervals import BBC, BBCF, bbc, holdout_interval, recommend
    from .planning import samples_for_power, samples_for_width
    from .predictions import OOFPredictions, ScoreMoments
    from .results import ComparisonResult, ConfidenceInterval
    from .search import BBCSearchCV, OOFRecorder, write_report

__all__ = [
    "BBC",
    "BBCF",
    "BBCSearchCV",
    "ComparisonResult",
    "ConfidenceInterval",
    "OOFPredictions",
    "OOFRecorder",
    "ScoreMoments",
    "SequentialBestOf",
    "bbc",
    "best_of",
    "citations",
    "compare",
    "holdout_interval",
    "recommend",
    "samples_for_power",
    "samples_for_width",
    "show_versions",
    "tied_with_best",
    "write_report",
]

_HOME = {
    "_citations": ("citations",),
    "_show_versions": ("show_versions",),
    "comparison": ("SequentialBestOf", "best_of", "compare", "tied_with_best"),
    # What scores predictions is above the sums of the scores.
    "contest": ("ScoreMoments",),
    "intervals": ("BBC", "BBCF", "bbc", "holdout_interval", "recommend"),
    "planning": ("samples_for_power", "samples_for_width"),
    "results": ("ComparisonResult", "ConfidenceInterval"),
    # With the searches, which let `from_search` fit a search of another class again.
    "search": ("BBCSearchCV", "OOFPredictions", "OOFRecorder", "write_report"),
}
_PACKAGES = ("comparison", "curves", "display", "exceptions", "intervals", "metrics",
             "planning", "predictions", "report", "resampling", "results", "search", "selection",
             "skore", "store", "testing")  # fmt: skip


def __getattr__(name: str) -> _typing.Any:
    # Loaded when first used: a program that imports the package pays for what it needs.
    for home, names in _HOME.items():
        if name in names:
            value = getattr(_importlib.import_module(f".{home}", __name__), name)
            globals()[name] = value
            return value
    if name in _PACKAGES:
        return _importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(["__version__", *__all__, *_PACKAGES])
