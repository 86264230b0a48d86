"""How the gallery runs the examples, which names they use, and where Colab finds them."""

import ast
import os
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FIRST = (
    "plot_credit_g.py", "plot_clinical.py", "plot_quickstart.py", "plot_optimism.py",
    "plot_pooling.py", "plot_one_standard_error.py", "plot_ensemble.py", "plot_tied.py",
    "plot_best_of.py", "plot_automl.py",
    "plot_differences.py", "plot_several_data_sets.py", "plot_critical_difference.py",
)  # fmt: skip
"""Examples in the order in which one would read them; the others follow by their names."""


class Order:
    """Where an example stands in the gallery.

    Parameters
    ----------
    src_dir : str
        Folder of the examples; as sphinx-gallery passes it.
    """

    def __init__(self, src_dir: str) -> None:
        self.src_dir = src_dir

    def __call__(self, filename: str) -> tuple[int, str]:
        name = Path(filename).name
        return (FIRST.index(name) if name in FIRST else len(FIRST)), name

    def __repr__(self) -> str:
        return "Order()"


class Arguments:
    """Command line of an example: where its data are, when a local folder has them.

    Without that folder examples fetch their data from OpenML.
    """

    def __call__(self, gallery_conf: dict, script_vars: dict) -> list[str]:
        folder = Path(os.environ.get("SKLEARN_BBC_SHARED", ROOT.parent / "shared")) / "data"
        source = Path(script_vars["src_file"]).read_text(encoding="utf-8")
        if folder.is_dir() and '"--data-dir"' in source:
            return ["--data-dir", str(folder)]
        return []

    def __repr__(self) -> str:
        return "Arguments()"  # without an address, or every build would start anew


def names_in_examples(folder: Path) -> set[str]:
    """Full names that examples import from this package: their API pages link the examples."""
    return {
        f"{node.module}.{alias.name}"
        for path in folder.glob("plot_*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "sklearn_bbc"
        for alias in node.names
    }


def add_colab_link(app: Any, page: str, source: list[str]) -> None:
    """End the page of an example with a link that opens its notebook in Colab.

    Colab opens notebooks from GitHub only: without their place there is no link.
    """
    folder, _, name = page.rpartition("/")
    if app.config.colab_notebooks and folder == "auto_examples" and name.startswith("plot_"):
        address = "https://colab.research.google.com/github"
        notebook = f"{address}/{app.config.colab_notebooks}/{name}.ipynb"
        source[0] += f"\n\n`Open this notebook in Colab <{notebook}>`__\n"


def setup(app: Any) -> dict[str, bool]:
    """Register the links."""
    app.add_config_value("colab_notebooks", "", "env", str)
    app.connect("source-read", add_colab_link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
