"""How values that hold arrays are compared, hashed and pickled."""

from __future__ import annotations

from dataclasses import fields
from types import MappingProxyType
from typing import Any

import numpy as np

from .._equality import same
from ..results import frozen_array
from ._metadata import frozen_metadata


class Value:
    """Equality by content, and pickling, of a frozen dataclass of arrays and mappings."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        names = [f.name for f in fields(self)]  # type: ignore[arg-type]
        return all(same(getattr(self, name), getattr(other, name)) for name in names)

    # Of the sizes only: equal predictions have equal sizes, and arrays of gigabytes stay unread.
    def __hash__(self) -> int:
        sizes = ("n_samples", "n_configs", "n_rows", "n_splits", "selected")
        return hash(tuple(getattr(self, name) for name in sizes))

    # Mapping proxies cannot be pickled, and unpickled arrays come back writeable.
    def __getstate__(self) -> dict[str, Any]:
        return {
            name: dict(value) if isinstance(value, MappingProxyType) else value
            for name, value in self.__dict__.items()
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            if isinstance(value, np.ndarray):
                value = frozen_array(value)
            elif isinstance(value, dict):
                value = frozen_metadata(value)
            object.__setattr__(self, name, value)
