"""Splits are checked before the first fit, in whatever form scikit-learn would take them."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV

from sklearn_bbc import BBCSearchCV, OOFPredictions, OOFRecorder, bbc
from sklearn_bbc.intervals import BBC, BBCF

RNG = np.random.default_rng(0)
N = 20
X = RNG.normal(size=(N, 3))
Y = X[:, 0] + RNG.normal(size=N)
GRID = {"alpha": [0.1, 10.0]}
FOLDS = np.arange(N) % 4
CV = [(np.flatnonzero(FOLDS != k), np.flatnonzero(FOLDS == k)) for k in range(4)]
BLOCKS = np.array_split(np.arange(N), 4)
FEW = BBC(n_bootstraps=20, random_state=0)


class NeverFitted(Ridge):
    def fit(self, X, y):
        raise AssertionError("a model was fitted")


class Combined:
    """Two blocks are held out at a time, and given as two arrays."""

    def split(self, X, y=None, groups=None):
        for i in range(4):
            for j in range(i):
                train = np.concatenate([BLOCKS[k] for k in range(4) if k not in (i, j)])
                yield train, [BLOCKS[j], BLOCKS[i]]

    def get_n_splits(self, X=None, y=None, groups=None):
        return 6


def with_side(test=None, train=None):
    pairs = [list(pair) for pair in CV]
    pairs[2][1] = pairs[2][1] if test is None else test
    pairs[2][0] = pairs[2][0] if train is None else train
    return [tuple(pair) for pair in pairs]


JOIN = r"Join them: cv=\[\(train, numpy.concatenate\(test\)\) for train, test in cv.split\(X, y\)"
REFUSED = {
    "combined": (Combined(), JOIN),
    "uneven": (with_side([[1, 2], [3]]), JOIN),
    "two dimensions": (with_side(np.ones((2, 2), dtype=int)), JOIN),
    "nested tuples": (with_side(((1, 2), (3, 4))), JOIN),
    "train": (with_side(train=[[1], [2, 3]]), r"\[\(numpy.concatenate\(train\), test\) for"),
    "one number": (with_side(np.array(3)), r"test side of split 2 .* shape \(\)"),
    "fractions": (with_side(np.array([1.0, 2.0])), "test side of split 2 .* such as 1.0"),
    "text": (with_side(["1"]), "such as '1'"),
    "too far": (with_side([1, N]), f"split 2 of cv holds position {N}, but there are {N} samples"),
    "too far back": (with_side([-N - 1]), f"position -{N + 1}"),
    "short mask": (with_side(np.ones(3, dtype=bool)), "a mask of 3 values for 20 samples"),
}


@pytest.mark.parametrize(("cv", "why"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_split_is_refused_before_the_first_fit(cv, why, tmp_path):
    with pytest.raises(ValueError, match=why):
        BBCSearchCV(NeverFitted(), GRID, cv=cv).fit(X, Y)
    with pytest.raises(ValueError, match=why):
        BBCSearchCV(NeverFitted(), GRID, cv=cv, store=tmp_path / "fits").fit(X, Y)
    with pytest.raises(ValueError, match=why):
        OOFRecorder(Y, cv=cv)


def test_splits_of_several_arrays_are_refused_where_arrays_are_given():
    with pytest.raises(ValueError, match=r"Join them: fold=\[\(train, numpy.concatenate"):
        bbc(Y, Y[:, None], "r2", fold=list(Combined().split(X)))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("store", [False, True])
@pytest.mark.parametrize("form", ["masks", "from the end", "lists", "unsigned"])
def test_other_forms_of_the_same_splits_give_the_same(form, store, tmp_path):
    forms = {
        "masks": lambda side: np.isin(np.arange(N), side),
        "from the end": lambda side: side - N,
        "lists": lambda side: side.tolist(),
        "unsigned": lambda side: side.astype(np.uint8),
    }
    cv = [tuple(map(forms[form], pair)) for pair in CV]
    options = {"ci": FEW, "scoring": "r2"} | ({"store": tmp_path / "fits"} if store else {})
    ours, plain = (BBCSearchCV(Ridge(), GRID, cv=each, **options) for each in (cv, CV))
    if store:
        plain.set_params(store=tmp_path / "others")
    ours, plain = ours.fit(X, Y), plain.fit(X, Y)
    assert ours.ci_.estimate == plain.ci_.estimate
    recorder = OOFRecorder(Y, cv=cv)
    for alpha in GRID["alpha"]:
        recorder.cross_val_score(Ridge(), X, params={"alpha": alpha}, scoring="r2")
    assert FEW.estimate(recorder.oof_, "r2").estimate == ours.ci_.estimate


def test_notes_on_splits_that_overlap_evenly_are_true():
    cv = [(train, np.concatenate(tests)) for train, tests in Combined().split(X)]
    found = BBCSearchCV(Ridge(), GRID, cv=cv, scoring="r2", ci=FEW).fit(X, Y)
    for method, how in ((FEW, "scored together"), (BBCF(), "depend on each other")):
        (note,) = [n for n in found.interval(method).details["notes"] if "overlap" in n]
        assert note.startswith("The splits overlap: each sample was held out 3 times, and ")
        assert note.endswith(f"{how}.")
    plain = GridSearchCV(Ridge(), GRID, cv=cv, scoring="r2").fit(X, Y)
    assert OOFPredictions.from_search(plain).notes == (
        "The splits share samples: their scores depend on each other.",
    )
