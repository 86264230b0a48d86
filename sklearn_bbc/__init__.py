"""Honest scores for tuned scikit-learn models."""

import typing as _typing

from ._lazy import lazily as _lazily
from ._version import __version__ as __version__

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

_PACKAGES = {
    "comparison": "SequentialBestOf best_of compare tied_with_best",
    # What scores predictions is above the sums of the scores.
    "contest": "ScoreMoments",
    "curves": "",
    "display": "",
    "exceptions": "",
    "intervals": "BBC BBCF bbc holdout_interval recommend",
    # With the metrics, which predictions are asked for by their names.
    "metrics": "OOFPredictions",
    "planning": "samples_for_power samples_for_width",
    "predictions": "",
    "report": "",
    "resampling": "",
    "results": "ComparisonResult ConfidenceInterval",
    "search": "BBCSearchCV OOFRecorder write_report",
    "selection": "",
    "skore": "",
    "store": "",
    "testing": "",
}

if _typing.TYPE_CHECKING:
    from ._citations import citations
    from ._show_versions import show_versions
    from .comparison import SequentialBestOf, best_of, compare, tied_with_best
    from .contest import ScoreMoments
    from .intervals import BBC, BBCF, bbc, holdout_interval, recommend
    from .metrics import OOFPredictions
    from .planning import samples_for_power, samples_for_width
    from .results import ComparisonResult, ConfidenceInterval
    from .search import BBCSearchCV, OOFRecorder, write_report
else:
    # Loaded when first used: a program that imports the package pays for what it needs.
    __getattr__, __dir__ = _lazily(
        __name__,
        sorted(["__version__", *__all__, *_PACKAGES]),
        **_PACKAGES,
        _citations="citations",
        _show_versions="show_versions",
    )
