"""The project around the code: versions, commands and limits that are written in two places."""

import ast
import re
import sys
import tomllib
from importlib import metadata
from types import SimpleNamespace

import numpy as np
import pytest
from packaging.requirements import Requirement

import sklearn_bbc

COMMANDS = [
    'python -m pip install -e ".[plot]" && python docs/examples/plot_quickstart.py',
    'python -m pip install -e ".[test]" && python -m pytest',
]


@pytest.fixture(scope="module")
def pyproject(repository):
    return tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))


def requirements(pyproject):
    found = [Requirement(line) for line in pyproject["project"]["dependencies"]]
    return {requirement.name: requirement for requirement in found}


def test_the_version_is_said_once(pyproject, repository):
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.?(a|b|rc|dev)\d+)?", sklearn_bbc.__version__)
    where = pyproject["tool"]["setuptools"]["dynamic"]["version"]["attr"].split(".")
    # Packaging reads the file without running it; the names are those of a file in the package.
    text = repository.joinpath(*where[:-1]).with_suffix(".py").read_text(encoding="utf-8")
    assert f'{where[-1]} = "{sklearn_bbc.__version__}"' in text
    changelog = (repository / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\n## {sklearn_bbc.__version__} " in changelog


def test_the_installed_version_is_the_one_imported():
    try:
        installed = metadata.version("sklearn-bbc")
    except metadata.PackageNotFoundError:
        pytest.skip("runs from the checkout, nothing is installed")
    assert installed == sklearn_bbc.__version__


def test_readme_gives_the_two_commands(repository):
    text = (repository / "README.md").read_text(encoding="utf-8")
    assert [line.strip() for line in text.splitlines() if 'pip install -e "' in line] == COMMANDS


def test_ci_runs_the_oldest_releases_that_the_metadata_promises(pyproject, repository):
    script = (repository / ".ci" / "run").read_text(encoding="utf-8")
    pins = dict(re.findall(r'"([\w-]+)==([\d.]+)(?:\.\*)?"', script))
    lowest = {
        name: next(iter(requirement.specifier)).version
        for name, requirement in requirements(pyproject).items()
    }
    assert set(pins) == {"scikit-learn", "numpy", "scipy", "pandas", "joblib"}
    for name, pin in pins.items():
        assert pin.removesuffix(".0") == lowest[name].removesuffix(".0"), name
        assert str(next(iter(requirements(pyproject)[name].specifier))).startswith(">=")


def test_pages_name_the_oldest_releases(pyproject, repository):
    lowest = {
        name: next(iter(requirement.specifier)).version
        for name, requirement in requirements(pyproject).items()
    }
    contributing = (repository / "CONTRIBUTING.md").read_text(encoding="utf-8")
    install = (repository / "docs" / "install.md").read_text(encoding="utf-8")
    for name in ("scikit-learn", "numpy", "scipy", "pandas", "joblib"):
        assert f"{name} {lowest[name]}" in contributing.replace("\n", " ")
        assert re.search(rf"{name}\s\({re.escape(lowest[name])}\b", install), name
    script = (repository / ".ci" / "run").read_text(encoding="utf-8")
    (pins,) = re.findall(r"^OLDEST=\((.*)\)$", script, flags=re.M)
    assert pins in contributing  # to have the same set by hand


def packages_of(requirements):
    return {re.match("[a-z0-9-]+", requirement)[0] for requirement in requirements}


@pytest.mark.long
def test_an_extra_is_named_on_the_page_and_has_something_behind_it(pyproject, repository):
    extras = dict(pyproject["project"]["optional-dependencies"])
    page = (repository / "docs" / "install.md").read_text()
    table = "".join(line for line in page.splitlines() if line.startswith("| `"))
    assert set(re.findall(r"`([a-z]+)`", table)) == set(extras)
    used = " ".join(
        path.read_text()
        for folder in ("sklearn_bbc", "docs/user_guide", "docs/examples", "tests/search")
        for path in sorted((repository / folder).rglob("*"))
        if path.suffix in (".py", ".md") and path.name != "_show_versions.py"
    )
    for name in set(extras) - {"test", "docs", "dev"}:
        for package in packages_of(extras[name]):
            assert re.search(rf"\b{package}\b", used), f"{package} of the extra {name!r}"


def test_the_documentation_needs_what_its_examples_import(pyproject, repository):
    given = packages_of(pyproject["project"]["optional-dependencies"]["docs"])
    given |= packages_of(pyproject["project"]["dependencies"])
    modules = {"scikit-learn": "sklearn", "scikit-survival": "sksurv"}
    given = {modules.get(name, name) for name in given} | {"sklearn_bbc"}
    for path in (repository / "docs" / "examples").glob("*.py"):
        imports = re.findall(r"^(?:from|import) (\w+)", path.read_text(), flags=re.M)
        assert {name for name in imports if name not in sys.stdlib_module_names} <= given, path


@pytest.mark.parametrize(
    ("given", "folders", "processes", "marks"),
    [
        ({}, ["tests", "sklearn_bbc"], "logical", "not slow and not long"),
        ({"markexpr": "long"}, ["tests"], "logical", "long"),
        ({"numprocesses": 0}, ["tests"], 0, "not slow and not long"),
        ({"usepdb": True}, ["tests"], None, "not slow and not long"),
        ({"capture": "no"}, ["tests"], None, "not slow and not long"),
        ({"cov_source": [True]}, ["tests"], None, "not slow and not long"),
        ({}, ["tests/docs"], None, "not slow"),
        ({"markexpr": "slow"}, ["tests/docs"], None, "slow"),
        ({}, ["tests/test_docs.py::test_code_of_the_page_runs[a/b.md]"], None, "not slow"),
    ],
)
def test_many_files_take_all_cores_and_a_few_run_their_long_tests(
    given, folders, processes, marks, repository, request
):
    conftest = request.config.pluginmanager.getplugin(str(repository / "tests" / "conftest.py"))
    asked = {
        "numprocesses": None, "dist": "no", "tx": [], "collectonly": False, "usepdb": False,
        "trace": False, "capture": "fd", "markexpr": "not slow and not long", **given,
    }  # fmt: skip
    option, where = SimpleNamespace(**asked), SimpleNamespace(dir=repository)
    config = SimpleNamespace(option=option, args=folders, invocation_params=where)
    conftest.pytest_cmdline_main(config)
    assert (option.numprocesses, option.markexpr) == (processes, marks)
    assert option.dist == ("worksteal" if processes else "no")


def test_marks_left_out_are_those_that_the_command_for_a_file_knows(pyproject):
    options = pyproject["tool"]["pytest"]["ini_options"]["addopts"]
    assert options[options.index("-m") + 1] == "not slow and not long"


def test_of_the_cases_of_a_table_one_in_so_many_is_not_long(repository, request):
    conftest = request.config.pluginmanager.getplugin(str(repository / "tests" / "conftest.py"))

    class Case:
        name, originalname, nodeid = "test_it[1]", "test_it", "tests/test_file.py::test_it[1]"

        def __init__(self, mark):
            self.mark, self.marks = mark, []

        def get_closest_marker(self, name):
            assert name == "one_in"
            return self.mark

        def add_marker(self, name):
            self.marks.append(name)

    for one_in in (2, 4, 7):
        conftest._cases.clear()
        cases = [Case(pytest.mark.one_in(one_in).mark) for _ in range(420)]
        for case in cases:
            conftest.pytest_itemcollected(case)
        stay = np.array([case.marks == [] for case in cases])
        assert stay[0] and all(case.marks in ([], ["long"]) for case in cases)
        assert abs(stay.sum() - 420 / one_in) <= 2
        for size in range(2, 11):  # of an argument: each of its values is run, by the others, too
            for each in (np.arange(420) % size, np.arange(420) * size // 420):
                assert np.bincount(each[stay], minlength=size).min() >= 420 / size / one_in / 2
    plain = Case(None)
    conftest.pytest_itemcollected(plain)
    assert plain.marks == []


PRIVATE_BUT_TAKEN = {
    "_comparison_side": "asked of a search by layers below, which cannot import it",
    "_own_metric": "asked of a search by layers below, which cannot import it",
    "_validate": "asked of all that has parameters, by the function that checks them",
    **dict.fromkeys(("_kwargs", "_run_search", "_score_func", "_scorers"), "scikit-learn's"),
    "_replace": "a named tuple's",
    "_score": "scikit-learn's, which warns of a scorer that failed",
}


def names_in(path):
    """Names that a file makes, and names that it takes from objects and modules."""
    made, taken = set(), set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.FunctionDef(name) | ast.ClassDef(name) | ast.Name(name, ast.Store()):
                made.add(name)
            case ast.Attribute(ast.Name("self" | "cls"), name, ast.Store()):
                made.add(name)
            case ast.Attribute(ast.Name("self" | "cls") | ast.Call(ast.Name("super"))):
                pass  # of its own class, or of a base
            case ast.Attribute(attr=name):
                taken.add(name)
            case ast.Call(ast.Name("getattr" | "hasattr"), [_, ast.Constant(name), *_]):
                taken.add(name)
            case ast.ImportFrom(module=str(), names=names):
                taken |= {each.name for each in names}
    return made, taken


@pytest.mark.long
def test_a_private_name_stays_in_its_file(repository):
    """A name that the other file makes, too, passes: nothing tells whose it is."""
    files = {path: names_in(path) for path in (repository / "sklearn_bbc").rglob("*.py")}
    private = {name for made, _ in files.values() for name in made if re.match("_[a-z]", name)}
    for path, (made, taken) in files.items():
        assert taken & private - made <= PRIVATE_BUT_TAKEN.keys(), path
