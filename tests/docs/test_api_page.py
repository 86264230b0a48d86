"""Every public name stands on the page of one topic."""

import re

import pytest


@pytest.fixture
def api_page(docs_ext):
    return docs_ext("api_page")


def test_every_public_name_is_listed_once(api_page):
    listed = re.findall(r"^   ~(\S+)$", "\n".join(api_page.pages().values()), re.M)
    assert sorted(listed) == sorted(api_page.public_names())
    assert {"sklearn_bbc.BBCSearchCV", "sklearn_bbc.BBC"} <= set(listed)


def test_names_stand_under_their_topic(api_page):
    topics = {
        name.rpartition(".")[2]: api_page.topic_of(name, thing).name
        for name, thing in api_page.public_names().items()
    }
    expected = {
        "BBCSearchCV": "search", "OOFRecorder": "predictions", "bbc": "intervals_choice",
        "MABT": "intervals_choice", "DeLong": "intervals_one", "holdout_interval": "intervals",
        "McNemar": "comparisons", "Nemenyi": "comparisons_data_sets", "Bonferroni": "tied",
        "TiedMethod": "extending", "check_contract": "extending",
    }  # fmt: skip
    assert {name: topics[name] for name in expected} == expected


def test_methods_of_parents_are_listed(api_page):
    methods = api_page.own_methods()
    assert {
        "compare", "interval", "intervals_frame", "optimism_curve", "report", "summary", "table",
        "threshold", "tied_with_best", "tripod_ai",
    } <= set(methods["sklearn_bbc.BBCSearchCV"])  # fmt: skip
    assert "predict" not in methods["sklearn_bbc.BBCSearchCV"]
    assert {"concat", "from_search", "load", "save"} <= set(methods["sklearn_bbc.OOFPredictions"])


def test_a_name_without_a_topic_is_an_error(api_page):
    class Stray:
        pass

    Stray.__module__ = "sklearn_bbc.elsewhere"
    with pytest.raises(ValueError, match=r"sklearn_bbc\.elsewhere\.Stray .* belongs to no topic"):
        api_page.topic_of("sklearn_bbc.elsewhere.Stray", Stray)


def test_pages_link_names_that_the_reference_has(api_page, repository):
    """Sphinx shows a name that it does not find as plain text, without a warning."""
    link = re.compile(r"\{(?:class|func|meth|attr)\}`(?:[^`<]*<)?~?(sklearn_bbc[\w.]*)>?`")
    names = set(api_page.public_names())
    docs = repository / "docs"
    missing = {
        (page.name, name)
        for page in [*docs.glob("*.md"), *docs.glob("*/*.md")]
        for name in link.findall(page.read_text(encoding="utf-8"))
        if name not in names and name.rpartition(".")[0] not in names
    }
    assert not missing
