"""Names of methods: all of ours have one."""

import pytest

from sklearn_bbc._text import method_words
from sklearn_bbc.comparison import registered_tied
from sklearn_bbc.intervals import registered, registered_refits

OURS = sorted(
    name
    for name, cls in {**registered(), **registered_refits(), **registered_tied()}.items()
    if cls.__module__.startswith(("sklearn_bbc.intervals", "sklearn_bbc.comparison"))
)


@pytest.mark.parametrize("name", OURS)
def test_our_methods_have_printed_names(name):
    words = method_words(name)
    assert "_" not in words.sentence and "_" not in words.short
    assert not words.sentence.startswith("the method '")


def test_second_results_and_methods_of_others():
    assert method_words("bbc_2") == method_words("bbc")
    assert method_words("mine").sentence == "the method 'mine'"
    assert method_words("mine_2").short == "mine_2"
