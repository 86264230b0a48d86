"""What is scored and what chooses, bound once: configurations, a rule and a metric.

Interval methods are given a `Contest`, those on scores per fold a `FoldContest`; who writes one
finds here what it can be asked.
"""

from typing import TYPE_CHECKING

from .._lazy import lazily

__all__ = ["Contest", "FoldContest", "Question", "Repeated"]

if TYPE_CHECKING:
    from ._contest import Contest, Repeated
    from ._folds import FoldContest
    from ._question import Question
    from ._score_moments import ScoreMoments as ScoreMoments
else:
    __getattr__, __dir__ = lazily(
        __name__,
        __all__,
        _contest="Contest Repeated",
        _folds="FoldContest",
        _question="Question",
        _score_moments="ScoreMoments",
    )
