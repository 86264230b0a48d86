"""Out-of-fold predictions on disk: one npz file, no pickle."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

FORMAT = 1
_ARRAYS = ("y_true", "sample", "fold", "repeat", "groups", "sample_weight", "failed", "train_size")


def save(oof: Any, path: str | Path) -> None:
    arrays = {name: getattr(oof, name) for name in _ARRAYS if getattr(oof, name) is not None}
    if oof.classes_ is not None:
        arrays["classes"] = oof.classes_
    arrays.update({f"response:{name}": array for name, array in oof.responses.items()})
    arrays.update({f"fold_scores:{name}": array for name, array in oof.fold_scores.items()})
    header = {
        "format": FORMAT,
        "selected": oof.selected,
        "selected_by": oof.selected_by,
        "params": [_plain(params) for params in oof.params],
    }
    np.savez_compressed(path, header=np.array(json.dumps(header)), **arrays)


def load(path: str | Path) -> dict[str, Any]:
    """Arguments of the constructor, as `save` found them."""
    if not Path(path).exists() and Path(f"{path}.npz").exists():
        path = f"{path}.npz"  # numpy appended it in `save`
    with np.load(path, allow_pickle=False) as file:
        if "header" not in file:
            raise ValueError(f"{path} was not written by OOFPredictions.save.")
        arrays = {name: file[name] for name in file.files if name != "header"}
        header = json.loads(str(file["header"]))
    if header["format"] > FORMAT:
        raise ValueError(
            f"{path} has format {header['format']}, this version reads up to {FORMAT}: "
            "upgrade sklearn-bbc."
        )
    arguments: dict[str, Any] = {"classes": None, "responses": {}, "fold_scores": {}}
    for name, array in arrays.items():
        target, _, key = name.partition(":")
        if key:
            arguments["responses" if target == "response" else target][key] = array
        else:
            arguments[name] = array
    arguments["selected"] = header["selected"]
    arguments["selected_by"] = header.get("selected_by", "given")
    arguments["params"] = header["params"] or None
    return arguments


def _plain(value: Any) -> Any:
    """JSON form of a parameter value; what JSON cannot hold becomes its text."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    return value if isinstance(value, (str, int, float, bool, type(None))) else repr(value)
