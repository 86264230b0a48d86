"""Packages that load a file when a name of it is asked for."""

import ast
import importlib
import inspect
import pickle
import pydoc
import typing
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, BrokenBarrierError

import pytest

import sklearn_bbc
from sklearn_bbc import OOFPredictions, intervals
from sklearn_bbc.predictions import readers

ROOT = Path(sklearn_bbc.__file__).parent
CALLS = ("lazily", "_lazily")


def sources():
    """Each lazy package, and the tree of its file."""
    for path in ROOT.rglob("__init__.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        calls = (each for each in ast.walk(tree) if isinstance(each, ast.Call))
        if any(isinstance(call.func, ast.Name) and call.func.id in CALLS for call in calls):
            yield ".".join([ROOT.name, *path.parent.relative_to(ROOT).parts]), tree


PACKAGES = dict(sources())


def for_checkers(tree):
    """File -> names, as type checkers read them."""
    (block,) = (each for each in tree.body if isinstance(each, ast.If))
    found = {}
    for line in block.body:
        names = {each.name for each in line.names}
        if line.module is None:  # a file of the package
            found |= {name: found.get(name, set()) for name in names}
        else:
            found[line.module] = found.get(line.module, set()) | names
    return found


def at_run_time(package, tree):
    """File -> names, as the package looks them up."""
    (call,) = (
        each for each in ast.walk(tree)
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id in CALLS
    )  # fmt: skip
    given = {each.arg: ast.literal_eval(each.value) for each in call.keywords if each.arg}
    if package == "sklearn_bbc":
        given |= sklearn_bbc._PACKAGES
    return {home: set(names.split()) for home, names in given.items()}


@pytest.mark.parametrize("package", PACKAGES)
def test_checkers_and_programs_find_the_same(package):
    looked_up = at_run_time(package, PACKAGES[package])
    if package == "sklearn_bbc":  # a checker needs no list of packages
        looked_up = {home: names for home, names in looked_up.items() if names}
    assert looked_up == for_checkers(PACKAGES[package])


@pytest.mark.parametrize("package", PACKAGES)
def test_a_name_is_what_its_file_defines(package):
    module = importlib.import_module(package)
    for home, names in at_run_time(package, PACKAGES[package]).items():
        if home == "skore":  # needs it
            continue
        file = getattr(module, home)
        assert file is importlib.import_module(f"{package}.{home}")
        for name in names:
            assert getattr(module, name) is getattr(file, name)
    everything = {}
    exec(f"from {package} import *", everything)
    assert set(module.__all__) <= everything.keys()
    assert set(module.__all__) <= set(dir(module))
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nothing'"):
        getattr(module, "nothing")  # noqa: B009


def test_files_load_one_at_a_time(tmp_path, monkeypatch):
    """Threads that load what hangs together get half a file."""
    monkeypatch.syspath_prepend(tmp_path)
    folder = tmp_path / "loaded_by_threads"
    folder.mkdir()
    (folder / "__init__.py").write_text(
        "from sklearn_bbc._lazy import lazily\n"
        "__getattr__, __dir__ = lazily(__name__, [], a='A', b='B')\n"
    )
    for name in "ab":
        (folder / f"{name}.py").write_text(
            f"import {__name__} as tests\ntests.meet()\n{name.upper()} = 1\n"
        )
    package = importlib.import_module(folder.name)
    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(lambda name: getattr(package, name), "AB")) == [1, 1]
    assert MET == []


MET, BARRIER = [], Barrier(2)


def meet():
    """Note where two threads are here at once."""
    try:
        MET.append(BARRIER.wait(0.05))
    except BrokenBarrierError:
        pass


def test_no_file_asks_for_a_lazy_name_while_it_is_loaded():
    """It would wait for other threads, and they for it."""
    for path in set(ROOT.rglob("*.py")) - {ROOT / "__main__.py"}:  # a program
        parents = [ROOT.name, *path.parent.relative_to(ROOT).parts]
        for line in ast.parse(path.read_text(encoding="utf-8")).body:
            if not isinstance(line, ast.ImportFrom) or not line.level:
                continue
            above = parents[: len(parents) - line.level + 1]
            package = ".".join([*above, *filter(None, [line.module])])
            if package in PACKAGES:
                homes = at_run_time(package, PACKAGES[package])
                found = {name for names in homes.values() for name in names}
                if package == ROOT.name:
                    found |= homes.keys()
                asked = {each.name for each in line.names}
                eager = {each.asname for each in PACKAGES[package].body
                         if isinstance(each, ast.ImportFrom) for each in each.names}  # fmt: skip
                assert not asked & found - eager, path


def public_functions():
    """Name -> function or method that users find, but plots: they name classes of matplotlib."""
    for package in set(PACKAGES) - {"sklearn_bbc.display"}:
        module = importlib.import_module(package)
        for name in module.__all__:
            found = getattr(module, name)
            parts = {"": found} if inspect.isfunction(found) else vars(found)
            for part, each in parts.items():
                if (
                    part[:1] != "_"
                    and inspect.isfunction(each)
                    and each.__module__.startswith("sklearn_bbc")
                ):
                    yield f"{package}.{name}.{part}", each


def test_hints_name_what_there_is():
    for name, function in public_functions():
        assert typing.get_type_hints(function) is not None, name


def test_help_and_pickles_know_nothing_of_it():
    shown = pydoc.plain(pydoc.render_doc(intervals))
    assert "class BBC(" in shown or "BootstrapTilting" in shown
    assert pickle.loads(pickle.dumps(intervals.Wald)) is intervals.Wald


@pytest.mark.parametrize("name", readers.__all__)
def test_a_reader_is_a_class_method(name):
    class Mine(OOFPredictions):
        pass

    function = getattr(readers, name)
    for cls in (OOFPredictions, Mine):
        bound = getattr(cls, name)
        assert (bound.__self__, bound.__func__, bound.__doc__) == (cls, function, function.__doc__)
        assert "cls" not in inspect.signature(bound).parameters
    assert inspect.getattr_static(OOFPredictions, name).__func__ is function
    kinds = {each.name: each.kind for each in inspect.classify_class_attrs(OOFPredictions)}
    assert kinds[name] == "class method"
