"""Every public name explains itself: numpydoc's checks on all that `__all__` lists."""

import importlib
import inspect
import pkgutil

import pytest

import sklearn_bbc
from sklearn_bbc import comparison, intervals

# Of numpydoc's checks these are left out; everything else holds.
LEFT_OUT = {
    "GL01": "the summary starts on the line of the opening quotes",
    "GL08": "missing docstrings have a test of their own below",
    "ES01": "one line may be all there is to say",
    "SA01": "'See Also' is written where there is something to see",
    "SA04": "its entries need no description",
    "EX01": "examples are asked of classes and functions (test below), not of every method",
    "RT02": "named return values, as in scikit-learn",
    "RT03": "descriptions may start with a small letter, a formula or a name",
    "RT05": "and need no full stop after a list or a formula",
    "PR08": "as RT03",
    "PR09": "as RT05",
    "SS05": "a summary may name the result: 'Scores of all configurations'",
    "SS06": "a summary may take two lines",
}
# Left out for one name only.
ALSO_LEFT_OUT = {
    "sklearn_bbc.search.BBCSearchMixin": {"PR01"},  # the parameters are the other base's
}
# Subpackages for authors of methods: their use is shown in docs/extending.md and in BBC itself.
WITHOUT_EXAMPLES = ("sklearn_bbc.resampling.", "sklearn_bbc.search.BBCSearchMixin")


def public_modules():
    """The package and its public subpackages and modules."""
    yield sklearn_bbc
    for info in pkgutil.iter_modules(sklearn_bbc.__path__, "sklearn_bbc."):
        if not info.name.rpartition(".")[2].startswith("_"):
            yield importlib.import_module(info.name)


def public_names():
    """Class or function -> the shortest dotted name under which users import it."""
    names = {}
    for module in public_modules():
        for name in getattr(module, "__all__", []):
            thing = getattr(module, name)
            if inspect.isclass(thing) or inspect.isfunction(thing):
                names.setdefault(thing, f"{module.__name__}.{name}")
    return names


def public_members(cls):
    """Names of the methods and properties that a class of ours adds.

    A method that redefines one of a base class keeps the promise that stands there.
    """
    for name, member in vars(cls).items():
        kind = inspect.isfunction(member) or isinstance(member, (classmethod, property))
        new = not any(hasattr(base, name) for base in cls.__bases__)
        if kind and new and not name.startswith("_"):
            yield name


TOP = {name: thing for thing, name in public_names().items()}
MEMBERS = {
    f"{name}.{member}": getattr(cls, member)
    for name, cls in TOP.items()
    if inspect.isclass(cls)
    for member in public_members(cls)
}


@pytest.mark.long
@pytest.mark.parametrize("name", [*TOP, *MEMBERS])
def test_docstring_follows_numpydoc(name):
    numpydoc = pytest.importorskip(
        "numpydoc.validate", reason="numpydoc comes with the development tools: '.[dev]'"
    )
    errors = numpydoc.validate(name)["errors"]
    left_out = LEFT_OUT.keys() | ALSO_LEFT_OUT.get(name, set())
    problems = [f"{code}: {text}" for code, text in errors if code not in left_out]
    assert not problems, f"{name}\n" + "\n".join(problems)


def test_every_docstring_is_there():
    lacking = [name for name, thing in {**TOP, **MEMBERS}.items() if not inspect.getdoc(thing)]
    assert not lacking and TOP and MEMBERS


def test_classes_and_functions_have_an_example():
    used = [
        name
        for name, thing in TOP.items()
        # Errors are met, not used; bases are used by writing a class.
        if not (inspect.isclass(thing) and issubclass(thing, BaseException))
        and not inspect.isabstract(thing)
        and not name.startswith(WITHOUT_EXAMPLES)
    ]
    lacking = [name for name in used if ">>>" not in (TOP[name].__doc__ or "")]
    assert not lacking and used


def test_public_modules_list_their_names():
    for module in public_modules():
        assert module.__doc__, f"{module.__name__} has no docstring"
        assert hasattr(module, "__all__"), f"{module.__name__} has no __all__"
        missing = [name for name in module.__all__ if not hasattr(module, name)]
        assert not missing, f"{module.__name__}.__all__ names {missing}, which are not there"
        assert sorted(set(module.__all__)) == sorted(module.__all__)
        assert module is sklearn_bbc or dir(module) == sorted(module.__all__)
    leaks = {"Any", "TYPE_CHECKING", "import_module", "typing", "importlib"}
    assert not leaks & {*vars(sklearn_bbc), *dir(sklearn_bbc)}


# A parameter that every method of a kind has means the same in each, so the words are the same.
# These mean something else, or more.
SHARED = ("confidence_level", "alternative", "config", "random_state", "n_jobs")
OWN_WORDS = {
    ("TibshiraniTibshirani", "confidence_level"): "it has no interval",
    ("TibshiraniTibshirani", "alternative"): "it has no interval",
    ("BootstrapTilting", "alternative"): "published for one side",
    ("MABT", "alternative"): "published for one side",
    ("BootstrapTilting", "random_state"): "its selection step draws too",
    ("MABT", "random_state"): "its selection step draws too",
    ("BayesianCorrelatedT", "confidence_level"): "of a difference, not of data sets",
    ("BayesianCorrelatedT", "alternative"): "it has no p value",
    ("KFoldPairedT", "confidence_level"): "it does not hold what it promises",
}


@pytest.mark.parametrize("kind", [intervals, comparison], ids=["intervals", "comparisons"])
@pytest.mark.parametrize("parameter", SHARED)
def test_a_shared_parameter_is_described_in_the_same_words(parameter, kind):
    docscrape = pytest.importorskip(
        "numpydoc.docscrape", reason="numpydoc comes with the development tools: '.[dev]'"
    )
    texts = {}
    for cls in kind.registered().values():
        for found, _, text in docscrape.ClassDoc(cls)["Parameters"]:
            if found == parameter and (cls.__name__, parameter) not in OWN_WORDS:
                texts.setdefault(" ".join(text), []).append(cls.__name__)
    assert len(texts) <= 1, texts
