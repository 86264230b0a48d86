"""What to cite."""

import re

import numpy as np
import pytest

import sklearn_bbc
from sklearn_bbc import citations
from sklearn_bbc._citations import references_of
from sklearn_bbc.comparison import PairedDeLong
from sklearn_bbc.intervals import BBC, MABT, BaseInterval
from sklearn_bbc.selection import OneStandardError
from tests.search.small_search import FEW, X, Y, search

BASE = ["sklearn_bbc", "pedregosa2011"]


def keys(text):
    return re.findall(r"^@\w+\{(\w+),", text, flags=re.M)


def test_the_packages_are_always_cited():
    text = citations()
    assert keys(text) == BASE and f"version = {{{sklearn_bbc.__version__}}}" in text


@pytest.mark.parametrize(
    ("used", "expected"),
    [
        (["bbc"], ["tsamardinos2018"]),
        ([BBC, BBC(), "bbc", "bbc_2"], ["tsamardinos2018"]),
        (["bbcf"], ["paraschakis2024"]),
        ([MABT()], None),
        ([PairedDeLong()], ["delong1988", "obuchowski1997"]),
        (["nemenyi"], ["nemenyi1963", "demsar2006"]),
        ([OneStandardError("C")], ["breiman1984"]),
        (["conservative_z"], ["nadeau2003"]),
    ],
)
def test_methods_by_name_object_and_class(used, expected):
    found = keys(citations(*used))
    assert found[:2] == BASE and len(found) == len(set(found)) > 2
    assert expected is None or found[2:] == expected


def test_results_and_searches():
    fitted = search(ci=[FEW, "delong"], refit=OneStandardError("max_depth")).fit(X, Y)
    assert {"tsamardinos2018", "delong1988", "breiman1984"} <= set(keys(citations(fitted)))
    assert keys(citations(fitted.ci_)) == [*BASE, "tsamardinos2018"]


def test_methods_of_others_bring_their_own_reference(monkeypatch):
    import sklearn_bbc.intervals._base as base

    monkeypatch.setattr(base, "_INTERVALS", dict(base._INTERVALS))

    class Mine(BaseInterval):
        """Mine.

        References
        ----------
        .. [1] M. Mine, "My method", My Journal 1, 2-3 (2026).
        """

        name = "mine_for_citations"

        def _estimate(self, contest):
            raise NotImplementedError

    assert "@article{mine2026," in citations("mine_for_citations")
    Mine.__doc__ = None
    assert "% The docstring of mine_for_citations names no reference." in citations(Mine.name)


def test_what_is_no_method_is_refused():
    with pytest.raises(ValueError, match=r"no method 'delongs'.*Did you mean 'delong'\?"):
        citations("delongs")
    for wrong in (3, np.zeros(2), search()):
        with pytest.raises(TypeError, match="fitted searches, got"):
            citations(wrong)


def test_methods_are_known_by_their_names_in_results():
    by_name = {name: references_of(name) for name in ("mabt", "delong", "hanley_mcneil")}
    assert references_of("MABT") == by_name["mabt"]
    assert references_of("DLbest") == by_name["delong"]
    assert references_of("HM10p") == by_name["hanley_mcneil"]
