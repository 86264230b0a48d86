"""Values given one per sample are the same in arrays, lists and Series of their kind."""

import numpy as np
import pandas as pd
import pytest

from sklearn_bbc.store import fingerprint
from sklearn_bbc.store._fingerprint import values_per_sample

NUMBERS = np.array([3, 1, 2])
TEXT = np.array(["bb", "a"])
DATES = np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[ns]")

SAME = {
    "numbers in a list": (NUMBERS, [3, 1, 2]),
    "numbers in a tuple": (NUMBERS, (3, 1, 2)),
    "numbers in a Series": (NUMBERS, pd.Series(NUMBERS, name="site", index=[5, 6, 7])),
    "numbers in an Index": (NUMBERS, pd.Index(NUMBERS)),
    "numbers of pandas": (NUMBERS, pd.Series(NUMBERS, dtype="Int64")),
    "fractions of pandas": (NUMBERS / 2, pd.Series(NUMBERS / 2, dtype="Float64")),
    "truths": (NUMBERS > 2, [True, False, False]),
    "truths of pandas": (NUMBERS > 2, pd.Series(NUMBERS > 2, dtype="boolean")),
    "rows of lists": (np.eye(2), [[1.0, 0.0], [0.0, 1.0]]),
    "text in a list": (TEXT, ["bb", "a"]),
    "text in a Series": (TEXT, pd.Series(["bb", "a"])),
    "text of pandas": (TEXT, pd.Series(["bb", "a"], dtype="string")),
    "text as objects": (TEXT, TEXT.astype(object)),
    "one text as an object": (TEXT[:1], TEXT[:1].astype(object)),
    "text with room": (TEXT, TEXT.astype("<U9")),
    "dates": (DATES, pd.Series(DATES)),
}  # fmt: skip


@pytest.mark.parametrize(("array", "other"), SAME.values(), ids=SAME)
def test_the_same_values(array, other):
    found = values_per_sample(other)
    np.testing.assert_array_equal(found, array)
    assert found.dtype == array.dtype
    assert fingerprint(found) == fingerprint(array)
    assert fingerprint(found) != fingerprint(values_per_sample(array[::-1])) or len(array) == 1
    assert fingerprint(values_per_sample(array)) == fingerprint(array), "as older stores have it"


MIXED = np.array([1, "a", None], dtype=object)

OTHERS = {
    "another kind of number": (NUMBERS, NUMBERS.astype(float)),
    "another size of number": (NUMBERS.astype(np.int32), NUMBERS),
    "numbers and text": (["1", "a"], [1, "a"]),
    "numbers as text": (NUMBERS, ["3", "1", "2"]),
    "categories": (TEXT, pd.Series(TEXT, dtype="category")),
    "numbers as objects": (NUMBERS, NUMBERS.astype(object)),
    "masked": (NUMBERS, np.ma.array(NUMBERS, mask=[0, 0, 1])),
    "a column": (NUMBERS, NUMBERS[:, None]),
    "no values of text": (np.array([], dtype=str), np.array([], dtype=object)),
}


@pytest.mark.parametrize(("one", "other"), OTHERS.values(), ids=OTHERS)
def test_other_values(one, other):
    assert fingerprint(values_per_sample(one)) != fingerprint(values_per_sample(other))


@pytest.mark.parametrize(
    "given",
    [
        [[1], [1, 2]], [1, "a"], [None, 1], pd.Series([1, None], dtype="Int64"), "text", None, 3,
        pd.Series(TEXT, dtype="category"), np.ma.array(TEXT.astype("<U9")),
        pd.Timestamp("2020-01-01"),
        pd.Series(DATES).dt.tz_localize("UTC"), pd.DataFrame({"a": [1]}),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_more_than_its_values_stays(given):
    assert values_per_sample(given) is given


def test_objects_in_a_series_are_an_array_of_objects():
    assert fingerprint(values_per_sample(pd.Series(MIXED))) == fingerprint(MIXED)
