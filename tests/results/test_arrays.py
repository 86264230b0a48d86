"""Arrays that a value keeps."""

import numpy as np

from sklearn_bbc.results import frozen_array


def test_frozen_array_leaves_the_callers_array_writeable():
    mine = np.zeros(3)
    theirs = frozen_array(mine)
    mine[0] = 1
    assert not theirs.flags.writeable and theirs[0] == 1
