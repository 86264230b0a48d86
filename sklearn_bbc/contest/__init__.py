"""What is scored and what chooses, bound once: configurations, a rule and a metric.

Interval methods are given a `Contest`, those on scores per fold a `FoldContest`; who writes one
finds here what it can be asked.
"""

from ._contest import Contest as Contest
from ._contest import Repeated as Repeated
from ._folds import FoldContest as FoldContest
from ._question import Question as Question
from ._score_moments import ScoreMoments as ScoreMoments

__all__ = ["Contest", "FoldContest", "Question", "Repeated"]


def __dir__() -> list[str]:
    return list(__all__)
