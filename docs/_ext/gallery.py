"""How the gallery runs the examples, and which names they use."""

import ast
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


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
