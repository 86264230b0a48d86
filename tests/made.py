"""Predictions from fields that a table of cases gives, by the way in that takes them."""

from types import MappingProxyType

import numpy as np

from sklearn_bbc import OOFPredictions
from sklearn_bbc.predictions._predictions import with_fields


def made(*, selected=None, selected_by="given", **fields):
    """Make predictions from arrays, rows or fold scores; what arrays cannot have is added."""
    if fields.get("responses") is not None:
        oof = OOFPredictions.from_rows(**fields)
    elif fields.get("y_pred") is not None:
        added = {}
        if (train_size := fields.pop("train_size", None)) is not None:
            added["train_size"] = np.asarray(train_size)
        if "fold_scores" in fields:
            scores = fields.pop("fold_scores")
            added["fold_scores"] = MappingProxyType({k: np.array(v) for k, v in scores.items()})
        oof = with_fields(OOFPredictions(**fields), **added)
    else:
        oof = OOFPredictions.from_fold_scores(**fields)
    if selected is None and selected_by == "given":
        return oof
    return oof.with_selected(selected, by=selected_by)
