"""Writes the page of the API reference from what each public module lists in `__all__`."""

import importlib
import inspect
import pkgutil
from pathlib import Path

import sklearn_bbc

HEAD = """API reference
=============

Everything public. Modules and names that begin with an underscore may change at any time.
"""


def public_modules() -> list:
    """The package, then its public modules in the order of the alphabet."""
    names = [
        info.name
        for info in pkgutil.iter_modules(sklearn_bbc.__path__, "sklearn_bbc.")
        if not info.name.rpartition(".")[2].startswith("_")
    ]
    return [sklearn_bbc, *(importlib.import_module(name) for name in sorted(names))]


def page() -> str:
    """The page as reStructuredText; each name stands where users import it from."""
    parts, seen = [HEAD], set()
    for module in public_modules():
        names = []
        for name in sorted(module.__all__, key=str.lower):
            thing = getattr(module, name)
            if (inspect.isclass(thing) or inspect.isfunction(thing)) and thing not in seen:
                seen.add(thing)
                names.append(name)
        if not names:
            continue
        title = module.__name__
        parts.append(f"{title}\n{'-' * len(title)}\n\n{module.__doc__.strip().splitlines()[0]}\n")
        parts.append(f".. currentmodule:: {title}\n\n.. autosummary::\n   :toctree: .\n")
        parts.append("\n".join(f"   {name}" for name in names) + "\n")
    return "\n".join(parts)


def write(folder: Path) -> None:
    """Write the page into `folder`, where autosummary puts the pages of the names too."""
    folder.mkdir(exist_ok=True)
    (folder / "index.rst").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    print(page())
