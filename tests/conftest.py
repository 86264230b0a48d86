"""What every test shares: fixed seeds for hypothesis, one thread for BLAS, the data folder."""

import functools
import gc
import inspect
import math
import os
import sys
from collections import defaultdict
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

REPOSITORY = Path(__file__).resolve().parents[1]
GOLDEN = (math.sqrt(5) - 1) / 2

# Before numpy is imported, here and in the processes a test starts; the `conftest.py` of a folder
# imports it. Two processes with two BLAS threads each fight for two cores: the suite takes twice
# as long.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
os.environ.setdefault("MPLBACKEND", "Agg")

if sys.version_info < (3, 12):
    # As younger Pythons do: what a class has is looked up once. scikit-learn 1.9 asks narwhals at
    # every check of an array, which was one twentieth of the time of all tests.
    inspect._shadowed_dict = functools.lru_cache(inspect._shadowed_dict)

# Derandomised: a failure is one of the change under test, not of the day. HYPOTHESIS_PROFILE
# =thorough looks further (random, many examples) for anyone who hunts a bug.
COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
# Before the default one, which is in use from then on, and whose values others begin with.
settings.register_profile("thorough", **COMMON, max_examples=2000)
settings.register_profile("default", **COMMON, derandomize=True, max_examples=15)
AS_DEFAULT = settings.get_profile("default")
# For `.ci/run`, where a minute matters less.
settings.register_profile("ci", AS_DEFAULT, max_examples=30)
# For a run that repeats what another one has looked at closely.
settings.register_profile("quick", AS_DEFAULT, max_examples=12)
# For `.ci/mutation.py`: a counterexample is enough, it need not be made small.
settings.register_profile(
    "mutation", AS_DEFAULT, max_examples=30, phases=[Phase.explicit, Phase.generate]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_addoption(parser):
    parser.addoption(
        "--approve",
        action="store_true",
        help="take the texts of tests/scenarios as they are now; their diff is to be read",
    )


@pytest.hookimpl(trylast=True)  # pytest-cov begins first: what an import runs is recorded, too
def pytest_sessionstart(session):
    """Fill the registries: tests replace them by copies, into which nothing may be loaded."""
    if session.config.getoption("tx", None) and not hasattr(session.config, "workerinput"):
        return  # this process gives the tests to others
    from sklearn_bbc import comparison, curves, display, intervals, selection
    from sklearn_bbc._lazy import load

    for package in (comparison, curves, display, intervals, selection):
        load(package.__name__)
    _ask_once()


def _ask_once():
    """Let scikit-learn look once at what it looks at in every call: a tenth of the time of tests.

    It asks functions for their parameters, and narwhals of each array whether that is a table.
    """
    import numpy as np
    from sklearn.utils import _param_validation, validation

    if hasattr(_param_validation, "signature"):
        _param_validation.signature = functools.cache(_param_validation.signature)
    is_table = getattr(validation, "_nw_into_df_or_series", None)
    if is_table is not None:  # from scikit-learn 1.9 on
        validation._nw_into_df_or_series = lambda x: type(x) is not np.ndarray and is_table(x)


# A process of its own costs several seconds of imports, which a few files are not worth.
FILES_PER_PROCESS = 30


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist looks at these options
def pytest_cmdline_main(config):
    """Run on all cores where much is asked for, and long tests where little is.

    `-n 0` means one process. So do `-s`, `--pdb` and `--trace`, since one cannot talk to several,
    and `--cov`, which has looked for `-n` before.
    """
    option = config.option
    much = _files_asked_for(config) >= 2 * FILES_PER_PROCESS
    if not much and option.markexpr == "not slow and not long":  # of pyproject.toml
        option.markexpr = "not slow"
    chosen = getattr(option, "numprocesses", 0) is not None or option.dist != "no" or option.tx
    alone = (
        hasattr(config, "workerinput")
        or option.collectonly
        or option.usepdb
        or option.trace
        or option.capture == "no"
        or getattr(option, "cov_source", None)
    )
    if much and not chosen and not alone:
        option.numprocesses = "logical"
        # Neighbours stay together, as far as that goes: they share fixtures.
        option.dist = "worksteal"


def _files_asked_for(config):
    """Number of Python files in the folders and files of the command line."""
    # `file.py::test` names a file, and so does `file.py::test[a/b]`.
    paths = [config.invocation_params.dir / str(arg).partition("::")[0] for arg in config.args]
    return sum(1 if path.is_file() else len(list(path.rglob("*.py"))) for path in paths)


_cases = defaultdict(count)


def pytest_itemcollected(item):
    """Of the cases of a test that is marked `one_in(n)` all but one in n are `long`.

    The first is not. The others are chosen by multiples of a root, modulo 1, which take all values
    of every argument equally often, in whatever order its cases come.
    """
    mark = item.get_closest_marker("one_in")
    if mark is not None:
        of_test = item.nodeid.removesuffix(item.name) + item.originalname
        if next(_cases[of_test]) * GOLDEN % 1 >= 1 / mark.args[0]:
            item.add_marker("long")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Look for garbage once after all tests were read, and leave out what is there ever after.

    Half a million objects, of imports and of the tests themselves. Python would go through them
    again and again: a third of the time of reading, and one twentieth of that of the tests.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()
        _remember_generators()


_generators = {}


def _remember_generators():
    """Of each module of tests, and under "" of modules from which others import something."""
    import numpy as np  # after the environment was set

    modules = {
        name: module
        for name, module in sys.modules.items()
        if name.startswith("tests.") and not hasattr(module, "__path__")  # of packages
    }
    shared = {
        getattr(value, "__module__", getattr(value, "__name__", None))
        for name, module in modules.items()
        for value in vars(module).values()
        if getattr(value, "__module__", None) != name
    }
    for name, module in modules.items():
        for value in vars(module).values():
            if isinstance(value, np.random.Generator):
                given = _generators.setdefault("" if name in shared else name, [])
                given.append((value, value.bit_generator.state))


@pytest.fixture(autouse=True)
def the_same_random_numbers_in_any_order(request):
    """Every test begins with the generators of its module as they were after the import."""
    name = getattr(getattr(request.node, "module", None), "__name__", None)  # of a doctest none
    for rng, state in (*_generators.get("", ()), *_generators.get(name, ())):
        rng.bit_generator.state = state


@pytest.fixture(autouse=True)
def no_warning_of_few_draws(request):
    """Most tests take few draws on purpose, and some count the warnings that they see."""
    from sklearn_bbc.intervals import _base  # after the environment was set

    kept = _base.FEW_DRAWS
    if request.node.get_closest_marker("few_draws") is None:
        _base.FEW_DRAWS = 0
    yield
    _base.FEW_DRAWS = kept


# Tests of what is around the package, and of every method on the same data. The lines that they
# run have tests of their own, and to record them takes up to half of the time.
NOT_RECORDED = (
    "benchmarks/", "docs/", "test_docs.py", "test_hostile.py", "display/test_small_axes.py",
    "_native/test_binary.py", "intervals/test_every_scorer.py",
    "intervals/test_properties.py", "intervals/test_published_numbers.py", "search/test_common.py",
)  # fmt: skip


def pytest_collection_modifyitems(items):
    """Refuse names that differ from process to process, since xdist compares them.

    Then take tests that show no lines of their own out of the measured coverage: to record takes
    as long as to run.
    """
    wild = [item.nodeid for item in items if " at 0x" in item.nodeid]
    if wild:
        raise pytest.UsageError(f"Give these tests ids without addresses: {wild}")
    for item in items:
        if item.nodeid.removeprefix("tests/").startswith(NOT_RECORDED):
            item.add_marker("no_cover")


@pytest.fixture(scope="session")
def shared():
    """Folder with published numbers and real data sets, which is not part of the repository.

    It is looked for in the environment variable SKLEARN_BBC_SHARED, then beside the repository.
    """
    folder = Path(os.environ.get("SKLEARN_BBC_SHARED", REPOSITORY.parent / "shared"))
    if not folder.is_dir():
        pytest.skip(
            f"needs the folder of published numbers and data sets, not found at {folder}; "
            "set SKLEARN_BBC_SHARED to where it is"
        )
    return folder


@pytest.fixture(scope="session")
def repository():
    """Root folder of the checkout; skips where the tests run from an installed copy."""
    if not (REPOSITORY / "pyproject.toml").is_file():
        pytest.skip(f"needs a checkout of the repository, {REPOSITORY} is not one")
    return REPOSITORY
