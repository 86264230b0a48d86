"""Complexity from a function, a name, or names with directions; what has no order is refused."""

import numpy as np
import pytest

from sklearn_bbc.selection._rules import check_complexity, complexity_ranks

GRID = [{"depth": 3, "leaf": 1}, {"depth": 1, "leaf": 1}, {"depth": 3, "leaf": 5}]


@pytest.mark.parametrize(
    ("complexity", "ranks"),
    [
        ("depth", [1, 0, 1]),
        (["depth"], [1, 0, 1]),
        ([("depth", "larger is simpler")], [0, 1, 0]),
        (["depth", ("leaf", "larger is simpler")], [2, 0, 1]),
        ([("leaf", "larger is simpler"), "depth"], [2, 1, 0]),
        (lambda params: params["depth"] / params["leaf"], [2, 1, 0]),
        (lambda params: np.float32(1), [0, 0, 0]),
    ],
)
def test_ranks(complexity, ranks):
    check_complexity(complexity)
    assert complexity_ranks(complexity, GRID).tolist() == ranks


@pytest.mark.parametrize(
    "complexity", [3, None, [], ["depth", 3], [("depth", "down")], ("depth",), [("depth",)]]
)
def test_other_forms_are_refused(complexity):
    with pytest.raises(ValueError, match="'smaller is simpler' and 'larger is simpler'"):
        check_complexity(complexity)


@pytest.mark.parametrize("value", [None, "linear", float("nan"), [1]])
def test_values_without_an_order_are_named_with_a_way_out(value):
    with pytest.raises(ValueError, match=r"depth of configuration 1 is .* Give a function"):
        complexity_ranks("depth", [{"depth": 1}, {"depth": value}])
    with pytest.raises(ValueError, match="complexity for configuration 0"):
        complexity_ranks(lambda params: value, [{"depth": 1}])


def test_a_missing_parameter_and_a_failing_function_are_named():
    with pytest.raises(ValueError, match=r"'C', which configuration 0 does not have.*'depth'"):
        complexity_ranks("C", [{"depth": 1}])
    with pytest.raises(ValueError, match=r"failed on configuration 0.*KeyError\('C'\)"):
        complexity_ranks(lambda params: params["C"], [{"depth": 1}])
