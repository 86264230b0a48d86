"""A newcomer's package: one file each as the documentation shows it, registered by one import."""

import importlib
import re
import sys

import numpy as np
import pytest
from sklearn.metrics import make_scorer

from sklearn_bbc import OOFPredictions, display
from sklearn_bbc.comparison import registered as registered_comparisons
from sklearn_bbc.comparison import registered_tied
from sklearn_bbc.intervals import as_interval
from sklearn_bbc.metrics import as_metric, families
from sklearn_bbc.selection import registered_selections
from sklearn_bbc.testing import check_contract, check_metric, example_predictions

REGISTRIES = [
    "sklearn_bbc.intervals._base._INTERVALS",
    "sklearn_bbc.metrics._base._FAMILIES",
    "sklearn_bbc.display._base._DISPLAYS",
    "sklearn_bbc.selection._base._SELECTIONS",
    "sklearn_bbc.comparison._base._COMPARISONS",
    "sklearn_bbc.comparison._tied_methods._TIED_METHODS",
]
FILES = {
    "method": ("extending.md", "class MedianBBC"),
    "kernel": ("extending.md", "class ShareWithin"),
    "rule": ("extending.md", "class SecondBest"),
    "comparison": ("extending.md", "class SignTest"),
    "ties": ("extending.md", "class SignedRanks"),
    "picture": ("extending.md", "class EstimateDisplay"),
}
PACKAGE = "newcomer_of_the_docs"


def shown(repository, page, what):
    """The block of the page that defines something, without the lines that try it out."""
    text = (repository / "docs" / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, flags=re.M | re.S)
    (block,) = [block for block in blocks if what in block]
    return "import numpy as np\n" + re.sub(r"^check_\w+\(.*\n", "", block, flags=re.M)


@pytest.fixture
def newcomer(repository, tmp_path, monkeypatch):
    folder = tmp_path / PACKAGE
    folder.mkdir()
    for name, (page, what) in FILES.items():
        (folder / f"{name}.py").write_text(shown(repository, page, what), encoding="utf-8")
    imports = "".join(f"from . import {name}\n" for name in FILES)
    (folder / "__init__.py").write_text(imports, encoding="utf-8")
    for path in REGISTRIES:  # other tests must not find them registered
        module, name = path.rsplit(".", 1)
        registry = getattr(importlib.import_module(module), name)
        monkeypatch.setattr(path, dict(registry))
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module(PACKAGE)
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]


@pytest.mark.long
def test_one_import_registers_everything_and_the_public_checks_pass(newcomer):
    method = as_interval("median_bbc")
    assert type(method) is newcomer.method.MedianBBC
    check_contract(method)

    scorer = make_scorer(newcomer.kernel.share_within, tolerance=0.05)
    rng = np.random.default_rng(0)
    y = rng.normal(size=50)
    pred = y[:, None] + 0.1 * rng.normal(size=(50, 8))
    oof = OOFPredictions(y_true=y, y_pred=pred, fold=np.arange(50) % 5)
    assert families()["share_within"] is newcomer.kernel.ShareWithin
    assert as_metric(scorer).bind(oof).family == "share_within"
    check_metric(scorer, oof)

    rule = registered_selections()["second_best"]
    assert rule is newcomer.rule.SecondBest
    check_contract(rule())
    bbc = as_interval("bbc").set_params(selection=rule(), n_bootstraps=50, random_state=0)
    result = bbc.estimate(example_predictions(), "roc_auc")
    assert result.details["winner_by"] == "second best score"

    comparison = registered_comparisons()["sign"]
    assert comparison is newcomer.comparison.SignTest
    check_contract(comparison)

    ties = registered_tied()["signed_ranks"]
    assert ties is newcomer.ties.SignedRanks
    check_contract(ties)

    pytest.importorskip("matplotlib", reason="pictures need the extra 'plot'")
    plot = display.registered()["estimate"]
    assert plot is newcomer.picture.EstimateDisplay
    check_contract(plot)


def test_names_that_are_taken_stay_with_their_owner(newcomer):
    with pytest.raises(ValueError, match=rf"'median_bbc' .* is taken by {PACKAGE}\.method"):
        type("Another", (newcomer.method.MedianBBC,), {"name": "median_bbc"})
