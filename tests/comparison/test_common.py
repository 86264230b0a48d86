"""The contract of comparisons, on every registered one; registry and files agree."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import sklearn_bbc.comparison
from sklearn_bbc.comparison import registered
from sklearn_bbc.testing import comparison_checks

FOLDER = Path(sklearn_bbc.comparison.__file__).parent


@pytest.mark.parametrize("check", comparison_checks(), ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", registered())
def test_contract(name, check):
    check(registered()[name])


def classes_with_a_name():
    """Names of public classes in the files of the package, found without importing them."""
    for path in sorted(FOLDER.rglob("_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                for line in node.body:
                    is_name = isinstance(line, ast.Assign) and line.targets[0].id == "name"
                    if is_name and isinstance(line.value, ast.Constant):
                        yield node.name, line.value.value


def test_every_class_in_a_file_is_public():
    """A comparison in a file that `comparison/__init__.py` does not import would be lost."""
    code = (
        "import sklearn_bbc.comparison as c\n"
        "for each in c.__all__:\n"
        "    name = getattr(getattr(c, each), 'name', None)\n"
        "    if isinstance(name, str) and name: print(each, name)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    known = {tuple(line.split()) for line in done.stdout.splitlines()}
    assert set(classes_with_a_name()) == known
    assert len(known) > 0


def test_registered_ones_are_public():
    for cls in registered().values():
        if cls.__module__.startswith("sklearn_bbc."):
            assert getattr(sklearn_bbc.comparison, cls.__name__) is cls
