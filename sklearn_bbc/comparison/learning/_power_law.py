"""The curve a + b n^-c through mean scores."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar

LARGEST_C = 2.0
SMALLEST_C = 1e-3


def fit_power_law(
    sizes: np.ndarray, scores: np.ndarray
) -> tuple[tuple[float, float, float], list[str]]:
    """Fit ``a + b * n ** -c`` by least squares, c in (0, 2].

    For a given c the best a and b are those of a straight line in ``n ** -c``, so only c is
    searched: on a grid first, since the sum of squares can have several minima.

    Parameters
    ----------
    sizes : ndarray of shape (n_sizes,)
        Numbers of training samples, at least three, all different.
    scores : ndarray of shape (n_sizes,)
        Mean scores.

    Returns
    -------
    curve : tuple of (float, float, float)
        a, b and c.
    notes : list of str
        What does not let one trust the fit.
    """
    scale = float(np.exp(np.log(sizes).mean()))  # powers of n itself would lose digits
    relative = np.asarray(sizes, dtype=float) / scale
    if np.ptp(scores) <= 1e-12 * max(1.0, float(np.abs(scores).max())):
        return (float(scores.mean()), 0.0, 1.0), [
            "The mean scores are the same at all sizes, so the fitted curve is a level line."
        ]

    def line(c: float) -> tuple[float, float, float]:
        powers = relative**-c
        x, y = powers - powers.mean(), scores - scores.mean()
        b = float(x @ y / (x @ x))
        a = float(scores.mean() - b * powers.mean())
        return a, b, float(np.square(y - b * x).sum())

    grid = np.geomspace(SMALLEST_C, LARGEST_C, 200)
    best = int(np.argmin([line(c)[2] for c in grid]))
    around = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    found = minimize_scalar(
        lambda c: line(c)[2], bounds=around, method="bounded", options={"xatol": 1e-12}
    )
    c = float(min(found.x, grid[best], key=lambda c: line(c)[2]))
    a, b, _ = line(c)
    notes = []
    if c > 0.999 * LARGEST_C:
        notes.append("The fitted exponent is at its largest allowed value, 2.")
    if c < 0.02:
        notes.append(
            "The fitted exponent is close to 0: the curve has not begun to level off, so where it "
            "ends cannot be told. Do not use `predict` beyond the largest size."
        )
    if len(sizes) == 3:
        notes.append("Three sizes fit any such curve: add sizes to see whether it has this shape.")
    return (a, b * scale**c, c), notes
