import pytest

from sklearn_bbc._nearest import did_you_mean

KNOWN = ["bbc", "bbcf", "corrected_t"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [("BBC", "bbc"), ("bbc-f", "bbcf"), ("BBC_F", "bbcf"), ("corected t", "corrected_t")],
)
def test_case_signs_and_slips_do_not_matter(name, meant):
    assert did_you_mean(name, KNOWN) == f" Did you mean {meant!r}?"


def test_another_word_leads_to_the_name_unless_there_is_no_such_name():
    words = {"nadeau": "corrected_t", "jackknife": "infinitesimal"}
    assert did_you_mean("Nadeau", KNOWN, words) == " Did you mean 'corrected_t'?"
    assert did_you_mean("jackknife", KNOWN, words) == ""


@pytest.mark.parametrize("name", ["", "-", "xyz", "a very long name of something else"])
def test_nothing_near_is_nothing_said(name):
    assert did_you_mean(name, KNOWN) == ""
