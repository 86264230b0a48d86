"""A part of the out-of-fold predictions: some samples, some configurations."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np

from ..results import frozen_array
from . import OOFPredictions
from ._metadata import taken_metadata


def configs_of(oof: OOFPredictions, configs: np.ndarray) -> OOFPredictions:
    """Predictions of some configurations, for the same samples.

    Parameters
    ----------
    oof : OOFPredictions
        All predictions.
    configs : ndarray of shape (n_kept_configs,) of int
        Configurations to keep, in this order.

    Returns
    -------
    OOFPredictions
        Configurations are counted anew from 0. The search's own choice is left behind.
    """
    if np.array_equal(configs, np.arange(oof.n_configs)):
        return oof if oof.selected is None else oof.with_selected(None)
    responses = {name: frozen_array(array[configs]) for name, array in oof.responses.items()}
    scores = {name: frozen_array(array[:, configs]) for name, array in oof.fold_scores.items()}
    return oof._with_fields(
        responses=MappingProxyType(responses),
        fold_scores=MappingProxyType(scores),
        params=tuple(oof.params[c] for c in configs) if oof.params else (),
        failed=frozen_array(oof.failed[configs]),
        selected=None,
        selected_by="given",
    )


def part_of(
    oof: OOFPredictions,
    samples: np.ndarray,
    configs: np.ndarray,
    *,
    turned: np.ndarray | None = None,
) -> OOFPredictions:
    """Predictions of some configurations for some samples.

    Parameters
    ----------
    oof : OOFPredictions
        All predictions.
    samples : ndarray of shape (n_samples,), bool
        Samples to keep.
    configs : ndarray of shape (n_kept_configs,) of int
        Configurations to keep, in this order.
    turned : ndarray of shape (n_kept_configs,), bool, default=None
        Which of these count in reverse; None where none does.

    Returns
    -------
    OOFPredictions
        Samples and configurations are counted anew from 0; folds that lost all their
        samples are gone. The search's own choice and its fold scores, which are about
        all samples, are left behind.
    """
    rows = np.flatnonzero(samples[oof.sample])
    new_index = np.cumsum(samples) - 1

    def response(values: np.ndarray) -> np.ndarray:
        part = values[np.ix_(configs, rows)]
        if turned is not None and part.dtype.kind == "f":  # scores, not codes of labels
            part[turned] = -part[turned]
        return part

    def kept(values: np.ndarray | None) -> np.ndarray | None:
        return None if values is None else values[samples]

    return OOFPredictions._quietly(
        y_true=oof.y_true[samples],
        responses={name: response(array) for name, array in oof.responses.items()},
        sample=new_index[oof.sample[rows]],
        fold=oof.fold[rows],
        repeat=oof.repeat[rows],
        groups=kept(oof.groups),
        sample_weight=kept(oof.sample_weight),
        classes=oof.classes_,
        params=[oof.params[c] for c in configs] if oof.params else None,
        failed=oof.failed[configs],
        metadata=taken_metadata(oof.metadata, samples),
        pos_label=oof.pos_label,
    )


def fold_of(oof: OOFPredictions, split: int, config: int) -> OOFPredictions:
    """Held-out rows of one split, predicted by one configuration.

    Parameters
    ----------
    oof : OOFPredictions
        All predictions.
    split : int
        Split, counted over all repeats.
    config : int
        Configuration.

    Returns
    -------
    OOFPredictions
        One configuration, one fold; samples are counted anew from 0.
    """
    rows = np.flatnonzero(oof.fold == split)
    sample = oof.sample[rows]
    return OOFPredictions._quietly(
        y_true=oof.y_true[sample],
        responses={name: array[[config]][:, rows] for name, array in oof.responses.items()},
        groups=None if oof.groups is None else oof.groups[sample],
        sample_weight=None if oof.sample_weight is None else oof.sample_weight[sample],
        classes=oof.classes_,
        metadata=taken_metadata(oof.metadata, sample),
        pos_label=oof.pos_label,
    )
