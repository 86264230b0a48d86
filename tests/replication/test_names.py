"""Names that left for `replication`: found where they were, and not loaded before."""

import pickle
import subprocess
import sys
from importlib import import_module

import pytest

from sklearn_bbc import replication

MOVED = {
    "sklearn_bbc.intervals": [
        "Drop",
        "LinearQuantile",
        "PublishedTilting",
        "Refuse",
        "RinkCounts",
    ],
    "sklearn_bbc.metrics": ["single_precision"],
    "sklearn_bbc.resampling": ["Drop", "FerrerRieraDraws", "Refuse"],
}
PLACES = [(module, name) for module, names in MOVED.items() for name in names]


@pytest.mark.parametrize(("module", "name"), PLACES)
def test_a_name_is_found_where_it_was_and_listed_where_it_is(module, name):
    assert getattr(import_module(module), name) is getattr(replication, name)
    assert name in replication.__all__
    assert name not in import_module(module).__all__
    assert pickle.loads(f"c{module}\n{name}\n.".encode()) is getattr(replication, name)


@pytest.mark.parametrize("module", MOVED)
def test_a_name_that_never_was_is_an_ordinary_error(module):
    with pytest.raises(AttributeError, match=f"module '{module}' has no attribute 'Dropped'"):
        import_module(module).Dropped  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'Dropped'"):
        exec(f"from {module} import Dropped")


def test_nothing_of_the_package_loads_it():
    code = (
        "import sys, pkgutil, importlib, sklearn_bbc\n"
        "for info in pkgutil.iter_modules(sklearn_bbc.__path__, 'sklearn_bbc.'):\n"
        "    if info.name != 'sklearn_bbc.replication':\n"
        "        importlib.import_module(info.name)\n"
        "assert 'sklearn_bbc.replication' not in sys.modules\n"
        "from sklearn_bbc.intervals import PublishedTilting\n"
        "assert PublishedTilting.__module__.startswith('sklearn_bbc.replication')\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    "thing",
    [
        replication.Drop(max_share=0.5),
        replication.LinearQuantile(),
        replication.PublishedTilting(across_classes=False),
        replication.Refuse(min_out_of_bag=2),
        replication.RinkCounts(sidak=True),
    ],
    ids=lambda thing: type(thing).__name__,
)
def test_objects_survive_a_pickle(thing):
    assert pickle.loads(pickle.dumps(thing)).get_params() == thing.get_params()
