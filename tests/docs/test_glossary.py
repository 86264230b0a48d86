"""Words that pages link to the glossary are in it.

Sphinx does not say so: its warning is off, since docstrings that scikit-learn hands down link
the glossary of scikit-learn.
"""

import re

import pytest

LINK = re.compile(r"\{term\}`(?:[^`<]*<)?([^`<>]+)>?`")


@pytest.fixture
def docs(repository):
    folder = repository / "docs"
    if not folder.is_dir():
        pytest.skip("needs the folder docs of a checkout")
    return folder


@pytest.fixture
def words(docs):
    """Words that the glossary explains: lines without indentation."""
    text = (docs / "user_guide" / "glossary.md").read_text(encoding="utf-8")
    block = re.search(r"^```\{glossary\}\n:sorted:\n(.*?)^```", text, re.M | re.S)
    return [line for line in block.group(1).splitlines() if line and not line.startswith(" ")]


def test_every_linked_word_is_explained(docs, words):
    explained = {word.lower() for word in words}
    linked = {
        (page.relative_to(docs).as_posix(), word)
        for page in docs.rglob("*.md")
        for word in LINK.findall(page.read_text(encoding="utf-8"))
    }
    assert len(linked) > 50
    assert sorted((page, word) for page, word in linked if word.lower() not in explained) == []


def test_every_word_is_explained_once(words):
    lower = [word.lower() for word in words]
    assert len(lower) > 40
    assert len(set(lower)) == len(lower)
