"""Sizes of predictions from any splitter."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions

Y = np.tile([0, 1], 3)
SCORES = np.zeros((6, 2))
SPLITS = {
    "one pass": ({"y_pred": SCORES, "fold": [0, 0, 1, 1, 2, 2]}, (6, 2, 6, 3, 1, 0, True)),
    "twice": (
        {"y_pred": [SCORES, SCORES], "fold": [[0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1]]},
        (6, 2, 12, 4, 2, 0, True),
    ),
    "untested": ({"y_pred": SCORES, "fold": [-1, 0, 0, 1, 1, 1]}, (6, 2, 5, 2, 1, 1, False)),
    "shuffled": (
        {"responses": {"predict_proba": SCORES[:3].T}, "sample": [0, 1, 1], "fold": [0, 0, 1]},
        (6, 2, 3, 2, 1, 4, False),
    ),
}


@pytest.mark.parametrize(("given", "expected"), SPLITS.values(), ids=SPLITS)
def test_sizes(given, expected):
    oof = OOFPredictions(y_true=Y, **given)
    sizes = oof.n_samples, oof.n_configs, oof.n_rows, oof.n_splits, oof.n_repeats
    assert (*sizes, oof.n_untested, oof.is_partition) == expected
    assert oof.tested.tolist() == np.isin(np.arange(6), oof.sample).tolist()


def test_groups_of_which_a_split_holds_out_a_part():
    def straddling(groups):
        return OOFPredictions._quietly(
            y_true=Y, y_pred=SCORES, fold=[0, 0, 1, 1, 2, 2], groups=groups
        ).n_straddling_groups

    assert straddling([0, 0, 1, 1, 2, 2]) == 0
    assert straddling([0, 1, 1, 2, 2, 2]) == 2
