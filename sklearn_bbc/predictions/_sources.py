"""Predictions from what other tools and runs left: files, fitted searches, several parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Self

from .._nearest import explain_arguments
from . import _io, _joined, _searches


class OtherSources:
    """Constructors of `OOFPredictions` besides that from arrays."""

    _quietly: ClassVar[Callable[..., Any]]

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read what `save` wrote.

        Parameters
        ----------
        path : str or Path
            File written by `save`, with or without ``.npz``; files of earlier versions too.

        Returns
        -------
        OOFPredictions
            The same predictions, bit for bit.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        ValueError
            If the file is damaged or not one that `save` wrote; the message says what it is.

        Notes
        -----
        There is no `mmap_mode`: NumPy maps no archives, and damage is noticed by checksums of all
        bytes. Where there are more predictions than memory, write each response to a file of its
        own with `numpy.save` and map it yourself, as in the example; the map stays a map.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> import numpy as np
        >>> from sklearn_bbc import OOFPredictions
        >>> from sklearn_bbc.testing import example_predictions
        >>> oof = example_predictions()
        >>> (method, array), = oof.responses.items()
        >>> path = Path(tempfile.mkdtemp()) / f"{method}.npy"
        >>> np.save(path, array)  # of shape (n_configs, n_rows)
        >>> mapped = np.load(path, mmap_mode="r")
        >>> again = OOFPredictions(
        ...     y_true=oof.y_true, responses={method: mapped}, sample=oof.sample, fold=oof.fold
        ... )
        >>> np.shares_memory(again.responses[method], mapped)
        True
        """
        return cls._quietly(**_io.load(path))

    @classmethod
    @explain_arguments()
    def from_search(
        cls,
        search: Any,
        X: Any = None,
        y: Any = None,
        *,
        groups: Any = None,
        sample_weight: Any = None,
        n_best: int | None = None,
        n_jobs: int | None = None,
        **fit_params: Any,
    ) -> Self:
        """Take what any fitted search knows, or let it predict again.

        Parameters
        ----------
        search : fitted GridSearchCV, RandomizedSearchCV or another ``*SearchCV``
            Most keep no predictions, so only methods that live on fold scores (BBC-F)
            work; a `BBCSearchCV` gives its `oof_`, whatever else is given. Others may not have
            all the attributes of scikit-learn's: ``cv_results_`` with scores per split is what
            is needed.
        X, y : array-like, default=None
            The data of the search. With them all configurations are fitted again on the same
            splits, and their predictions kept, for every method.
        groups : array-like of shape (n_samples,), default=None
            With `X`: groups of the splitter; they are what bootstraps resample.
        sample_weight : array-like of shape (n_samples,), default=None
            With `X`: weights that `fit` of the search was given.
        n_best : int or None, default=None
            With `X`: fit only the configurations with the best mean score again. None fits all.
        n_jobs : int or None, default=None
            With `X`: number of fits at the same time.
        **fit_params : dict
            With `X`: other parameters that `fit` of the search was given.

        Returns
        -------
        OOFPredictions
            Without `X` `fold_scores` but no responses. A single metric is named by `scoring`
            where that is a name, else ``"score"``. The repeats of repeated
            cross-validation are known from ``search.cv``. Of successive halving by samples
            only the last round can win; earlier ones were scored on fewer samples.

        Raises
        ------
        ValueError
            If the search is not fitted, its splits cannot be made again, or no configuration
            can be fitted, for example without the parameters that `fit` was given.

        Warns
        -----
        RecordingWarning
            If models that are fitted again score otherwise than in the search.
        """
        if hasattr(search, "oof_"):
            return search.oof_
        if X is not None:
            again = import_module("sklearn_bbc.search._predicted_again").predicted_again
            fit_params |= {"groups": groups, "sample_weight": sample_weight}
            return again(search, X, y, fit_params, n_best=n_best, n_jobs=n_jobs)
        if fit_params or any(each is not None for each in (y, groups, sample_weight, n_best)):
            raise ValueError(
                "y, groups, sample_weight, n_best and parameters of fit are for predicting again, "
                "which needs X, too."
            )
        return cls._quietly(**_searches.arguments_of(search))

    @classmethod
    def concat(cls, parts: Sequence[Any]) -> Self:
        """Put predictions of the same samples together.

        Parameters
        ----------
        parts : sequence of OOFPredictions
            At least two, of the same samples in the same order. Parts with the same splits
            add configurations; parts with other splits add repeats of the same configurations.

        Returns
        -------
        OOFPredictions
            Without a selected configuration: the methods select again by the metric. Scores
            per fold are kept where all parts have them.

        Raises
        ------
        ValueError
            If the samples differ, if splits and configurations both differ, or if both are
            the same.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_bbc import OOFPredictions
        >>> rng = np.random.default_rng(0)
        >>> y, fold = np.tile([0, 1], 20), np.arange(40) // 8
        >>> one = OOFPredictions(y_true=y, y_pred=rng.normal(size=(40, 3)), fold=fold)
        >>> other = OOFPredictions(y_true=y, y_pred=rng.normal(size=(40, 2)), fold=fold)
        >>> OOFPredictions.concat([one, other]).n_configs
        5
        """
        oof = cls._quietly(**_joined.arguments_of_joined(parts := list(parts)))
        return oof._with_fields(_from_arrays=all(part._from_arrays for part in parts))
