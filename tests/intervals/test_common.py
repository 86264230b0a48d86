"""The contract of interval methods, on every registered one; registry and files agree."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import sklearn_bbc.intervals
from sklearn_bbc.intervals import BaseInterval, as_interval, registered, registered_refits
from sklearn_bbc.testing import check_interval, interval_checks, refit_checks

FOLDER = Path(sklearn_bbc.intervals.__file__).parent


@pytest.mark.parametrize("check", interval_checks(), ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", registered())
def test_contract(name, check):
    check(registered()[name])


@pytest.mark.parametrize("check", refit_checks(), ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", registered_refits())
def test_contract_of_methods_that_train(name, check):
    check(registered_refits()[name])


def test_check_interval_runs_all_of_them():
    check_interval(as_interval("bbcf"))
    with pytest.raises(AssertionError, match="does not lead to"):
        check_interval(type("Unnamed", (type(as_interval("bbcf")),), {}))


def classes_with_a_name():
    """Names of methods written in the files of the package, found without importing them."""
    for path in sorted(FOLDER.glob("_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                for line in node.body:
                    is_name = isinstance(line, ast.Assign) and line.targets[0].id == "name"
                    public = not node.name.startswith("_")
                    if is_name and public and isinstance(line.value, ast.Constant):
                        yield path.stem, node.name, line.value.value


def test_files_and_registry_agree():
    """A method in a file that `intervals/__init__.py` does not import would be lost."""
    code = (
        "from sklearn_bbc.intervals import registered, registered_refits\n"
        "for name, cls in (registered() | registered_refits()).items(): print(cls.__name__, name)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    known = [tuple(line.split()) for line in done.stdout.splitlines()]
    written = sorted((cls, name) for _, cls, name in classes_with_a_name())
    assert sorted(known) == written


def test_every_method_is_public_by_its_class():
    for cls in [*registered().values(), *registered_refits().values()]:
        if not cls.__module__.startswith("sklearn_bbc."):
            continue  # made by a test that ran before
        assert getattr(sklearn_bbc.intervals, cls.__name__) is cls
        assert cls.__name__ in sklearn_bbc.intervals.__all__


def test_a_file_holds_one_method():
    files = [stem for stem, _, _ in classes_with_a_name()]
    assert len(files) == len(set(files))


def test_unknown_names_are_told_the_known_ones():
    with pytest.raises(ValueError, match=r"Unknown interval method 'bbx'.*'bbc', 'bbcf'"):
        as_interval("bbx")
    with pytest.raises(ValueError, match=r"instance, BBC\(\)"):
        as_interval(registered()["bbc"])
    with pytest.raises(ValueError, match="Unknown interval method 3"):
        as_interval(3)
    method = registered()["bbc"](confidence_level=0.9)
    assert as_interval(method) is method


@pytest.mark.parametrize("name", registered())
def test_methods_know_what_they_need(name):
    known = {
        "predictions", "folds", "binary", "pointwise", "auc", "ungrouped", "unweighted", "groups",
    }  # fmt: skip
    cls = registered()[name]
    assert issubclass(cls, BaseInterval)
    assert cls.requires <= known, "the base does not check this need"
