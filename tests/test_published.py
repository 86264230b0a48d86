"""Names of `replication`, by name."""

import pytest

from sklearn_bbc import replication
from sklearn_bbc._published import moved, published


def test_an_object_is_found_by_its_name():
    assert published("RinkCounts") is replication.RinkCounts
    with pytest.raises(AttributeError, match="Rink"):
        published("Rink")


def test_only_what_left_a_module_is_found_there():
    get = moved("some.module", ["Drop"])
    assert get("Drop") is replication.Drop
    with pytest.raises(AttributeError, match=r"module 'some\.module' has no attribute 'Refuse'"):
        get("Refuse")
