"""Versions for a bug report."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

from . import _native
from ._version import __version__

# By the names under which they are installed; the second group is optional.
NEEDED = ("numpy", "scipy", "scikit-learn", "pandas", "joblib", "threadpoolctl")
OPTIONAL = (
    "matplotlib",
    "statsmodels",
    "scikit-posthocs",
    "scikit-survival",
    "skore",
    "dask",
    "ray",
    "rich",
    "jinja2",
)


def show_versions() -> None:
    """Print the versions that matter for results, speed and bug reports.

    Prints whether the compiled kernels or NumPy do the work.

    See Also
    --------
    sklearn.show_versions : Also lists the thread pools of the numerical libraries.

    Examples
    --------
    >>> import sklearn_bbc
    >>> sklearn_bbc.show_versions()
    sklearn-bbc: 0...
    """
    system = {
        "python": sys.version.replace("\n", " "),
        "executable": sys.executable,
        "machine": platform.platform(),
    }
    print(f"sklearn-bbc: {_version('sklearn-bbc')}")
    print(f"    kernels: {_native.status()}")
    for title, lines in (
        ("System", system),
        ("Dependencies", {name: _version(name) for name in NEEDED}),
        ("Optional", {name: _version(name) for name in OPTIONAL}),
    ):
        width = max(map(len, lines))
        print(f"\n{title}:")
        for name, value in lines.items():
            print(f"{name:>{width}}: {value}")


def _version(name: str) -> str:
    if name == "sklearn-bbc":
        return __version__
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
