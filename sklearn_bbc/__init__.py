"""Honest scores for tuned scikit-learn models."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._version import __version__ as __version__

if TYPE_CHECKING:
    from ._citations import citations
    from ._show_versions import show_versions
    from .comparison import compare
    from .intervals import bbc, holdout_interval, recommend
    from .predictions import OOFPredictions
    from .results import ComparisonResult, ConfidenceInterval
    from .search import BBCSearchCV, OOFRecorder

__all__ = [
    "BBCSearchCV",
    "ComparisonResult",
    "ConfidenceInterval",
    "OOFPredictions",
    "OOFRecorder",
    "bbc",
    "citations",
    "compare",
    "holdout_interval",
    "recommend",
    "show_versions",
]

_HOME = {
    "BBCSearchCV": ".search",
    "ComparisonResult": ".results",
    "ConfidenceInterval": ".results",
    "OOFPredictions": ".predictions",
    "OOFRecorder": ".search",
    "bbc": ".intervals",
    "citations": "._citations",
    "compare": ".comparison",
    "holdout_interval": ".intervals",
    "recommend": ".intervals",
    "show_versions": "._show_versions",
}
_ROOMS = ("comparison", "curves", "display", "exceptions", "intervals", "metrics", "predictions",
          "report", "resampling", "results", "search", "selection", "skore", "store",
          "testing")  # fmt: skip


def __getattr__(name: str) -> Any:
    # Loaded when first used: a program that imports the package pays for what it needs.
    if name in _HOME:
        value = getattr(import_module(_HOME[name], __name__), name)
        globals()[name] = value
        return value
    if name in _ROOMS:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_ROOMS})
