"""Arrays that a value keeps."""

from __future__ import annotations

from typing import Any

import numpy as np


def frozen_array(values: Any, dtype: Any = None) -> np.ndarray:
    """Read-only view of `values`; the caller's own array keeps its flags."""
    array = np.asarray(values, dtype=dtype).view()
    array.flags.writeable = False
    return array
