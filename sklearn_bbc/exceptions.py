"""Warnings and errors of this package.

Every error is also a `ValueError` and every warning also a `UserWarning`, so code that
handles scikit-learn's own conventions needs to know nothing of these names.
"""

__all__ = [
    "BBCWarning",
    "DroppingWarning",
    "IntervalWarning",
    "RecordingWarning",
    "SelectionError",
    "SlowMetricWarning",
    "UndefinedIntervalError",
]


def __dir__() -> list[str]:
    return list(__all__)


class BBCWarning(UserWarning):
    """Base of all warnings of this package."""


class IntervalWarning(BBCWarning):
    """Warning that a valid interval needs care, or that a search could not compute one."""


class RecordingWarning(BBCWarning):
    """Warning that predictions of some configuration or fold could not be kept."""


class DroppingWarning(BBCWarning):
    """Warning that early dropping could drop nothing, or no more; the search is complete."""


class SlowMetricWarning(BBCWarning):
    """Warning that a metric without a bootstrap kernel is replayed call by call, slowly."""


class UndefinedIntervalError(ValueError):
    """Error for data that cannot support the interval that was asked for."""


class SelectionError(ValueError):
    """Error for a user's selection function that failed, or returned no configuration.

    Parameters
    ----------
    reason : str
        What went wrong.
    draw : int or None, default=None
        Draw in which it happened, counted from 0; None on all samples.
    """

    def __init__(self, reason: str, draw: int | None = None) -> None:
        super().__init__(reason, draw)
        self.reason, self.draw = reason, draw

    def __str__(self) -> str:
        return (
            self.reason if self.draw is None else f"{self.reason} It happened in draw {self.draw}."
        )
