"""Predictions from files, searches and parts: constructors of subclasses, too."""

import numpy as np

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import BBC
from sklearn_bbc.testing import example_predictions


class Mine(OOFPredictions):
    """A subclass that somebody made."""


def test_each_source_gives_the_class_that_was_asked(tmp_path):
    oof = example_predictions(n_configs=3)
    oof.save(tmp_path / "oof.npz")
    assert type(Mine.load(tmp_path / "oof.npz")) is Mine
    other = OOFPredictions(
        y_true=oof.y_true, y_pred=np.zeros((oof.n_samples, 2)), fold=oof.fold, groups=oof.groups
    )
    first = OOFPredictions(
        y_true=oof.y_true, y_pred=np.ones((oof.n_samples, 1)), fold=oof.fold, groups=oof.groups
    )
    assert type(Mine.concat([first, other])) is Mine


def test_a_map_of_predictions_stays_a_map(tmp_path):
    """The way to more predictions than memory, since `load` cannot map an archive."""
    oof = example_predictions()
    ((method, array),) = oof.responses.items()
    np.save(tmp_path / "array.npy", array)
    mapped = np.load(tmp_path / "array.npy", mmap_mode="r")
    again = OOFPredictions(
        y_true=oof.y_true, responses={method: mapped}, sample=oof.sample, fold=oof.fold
    )
    assert np.shares_memory(again.responses[method], mapped)
    one, other = (BBC(random_state=0).estimate(each, "roc_auc") for each in (oof, again))
    assert (one.estimate, *one) == (other.estimate, *other)
