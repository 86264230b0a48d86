"""Corrected resampled t interval."""

from __future__ import annotations

import numpy as np

from ...predictions import OOFPredictions
from ...results import ConfidenceInterval
from ._fold_scores import FoldSample, FoldScoresInterval


class CorrectedT(FoldScoresInterval):
    """Corrected resampled t interval from the scores per fold.

    The naive t interval over folds takes their scores as independent, although their
    training sets overlap. The correction adds the share of test to training samples to
    the variance.

    Parameters
    ----------
    config : int, default=None
        Configuration of interest. None takes the winner; the interval does not account
        for its selection, and `details` says so.
    test_over_train : float, default=None
        Ratio of test to training samples of a split. None takes the mean over the splits:
        the recorded sizes, or ``1 / (n_folds - 1)`` of K-fold when there are none.
        0 gives the naive t interval. Needed for repeats of one fold each (single random
        splits) when training sizes are not recorded and every repeat tests all samples.
    confidence_level : float in (0, 1), default=0.95
        {level}
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        ``"greater"`` keeps only the lower bound, ``"less"`` only the upper one.

    See Also
    --------
    CorrelationAdjusted : Another account of the overlap of the training sets.

    Notes
    -----
    With J scores of standard deviation S the standard error is
    ``S * sqrt(1 / J + n_test / n_train)``, and the quantile is Student's with J - 1
    degrees of freedom; J counts the folds of all repeats. The ratio is a heuristic: the
    method tends to be liberal, and no unbiased estimate of the variance of
    cross-validation exists [2]_. Any metric; time O(J).

    Stratified folds all have the same shares of the classes, so their scores do not show what
    new data with other shares would do. Where the classes are not predicted equally well this
    matters: discriminant analysis of 80 samples, 20% positive, accuracy, 5 folds: a 95%
    interval held the truth in 84% of 150 data sets with stratified folds, in 96% with random
    ones. A note tells how much of the variance that is, and from a quarter on a warning.

    `details` of the result: ``standard_error``, ``test_over_train``, ``degenerate``,
    ``config``, ``winner``, ``winner_by``, ``selection_accounted_for``, ``n_folds``,
    ``unit``, ``n_untested``, ``n_repeats``, ``n_configs``, ``n_folds_lacking_class`` (where the
    metric treats classes apart and has a value by convention), ``notes``.

    References
    ----------
    .. [1] C. Nadeau, Y. Bengio, "Inference for the generalization error", Machine
       Learning 52, 239-281 (2003). :doi:`10.1023/A:1024068626366`
    .. [2] Y. Bengio, Y. Grandvalet, "No unbiased estimator of the variance of K-fold
       cross-validation", Journal of Machine Learning Research 5, 1089-1105 (2004).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import CorrectedT
    >>> scores = np.array([[0.80], [0.75], [0.90], [0.70], [0.85]])
    >>> oof = OOFPredictions(y_true=np.empty(0), classes=None, fold_scores={"accuracy": scores})
    >>> low, high = CorrectedT().estimate(oof, "accuracy")
    >>> print(f"{low:.4f} to {high:.4f}")
    0.6528 to 0.9472
    """

    name = "corrected_t"
    meant_for = "one configuration of which only scores per fold are known"
    cost = "O(F)"
    limits = (
        "few folds: very wide; unequal folds; a heuristic that tends to be too narrow; "
        "stratified folds and accuracy where a class is badly predicted (noted)"
    )

    def __init__(
        self,
        *,
        config: int | None = None,
        test_over_train: float | None = None,
        confidence_level: float = 0.95,
        alternative: str = "two-sided",
    ) -> None:
        self.config = config
        self.test_over_train = test_over_train
        self.confidence_level = confidence_level
        self.alternative = alternative

    def _validate(self) -> None:
        super()._validate()
        ratio = self.test_over_train
        if ratio is not None and not (isinstance(ratio, (int, float)) and ratio >= 0):
            raise ValueError(
                f"test_over_train must be a number >= 0 or None, got {ratio!r}. For 10-fold "
                "cross-validation it is 1 / 9."
            )

    def _estimate(self, oof: OOFPredictions, kernel: FoldSample) -> ConfidenceInterval:
        n_scores = len(kernel.scores)
        ratio = self.test_over_train if self.test_over_train is not None else size_ratio(oof)
        kernel.details["test_over_train"] = ratio
        standard_error = self._spread(kernel) * float(np.sqrt(1 / n_scores + ratio))
        return self._symmetric(kernel, standard_error, degrees=n_scores - 1)


def size_ratio(oof: OOFPredictions, method: str = "CorrectedT") -> float:
    """Mean ratio of test to training samples over the splits; raises where it is unknown."""
    if oof.n_rows:
        test = np.bincount(oof.fold, minlength=oof.n_splits)
        if oof.train_size is not None:
            return float(np.mean(test / oof.train_size))
        # K-fold trains on what it does not test.
        n_tested = oof.n_samples - oof.n_untested
        if (test < n_tested).all():
            return float(np.mean(test / (n_tested - test)))
    folds = oof.n_splits / oof.n_repeats
    if folds <= 1:
        raise ValueError(
            f"{method} needs the ratio of test to training samples, which cannot be told from "
            "repeats of one fold each. Give test_over_train, such as 1 / 3 for splits that test "
            "on a quarter, or predictions with train_size."
        )
    return 1 / (folds - 1)
