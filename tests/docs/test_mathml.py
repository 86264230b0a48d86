"""Formulas are drawn by the browser, and one that cannot be written so is a warning."""

import re

import pytest

pytest.importorskip("sphinx", reason="the extension is one of Sphinx: extra 'docs'")
docutils_math = pytest.importorskip(
    "docutils.utils.math.latex2mathml", reason="needs docutils 0.22 or newer"
)
BLOCK = re.compile(r"```\{math\}\n(.*?)```", re.S)


@pytest.fixture
def mathml(docs_ext):
    return docs_ext("mathml")


@pytest.mark.parametrize("name", ["formulas", "formulas_one", "formulas_training"])
def test_every_formula_of_the_pages_can_be_written(mathml, repository, monkeypatch, name):
    from docutils import nodes

    said = []
    monkeypatch.setattr(mathml.LOGGER, "warning", lambda *text, **_: said.append(text))
    text = (repository / "docs" / "design" / f"{name}.md").read_text(encoding="utf-8")
    formulas = BLOCK.findall(text) + re.findall(r"\$([^$]+)\$", BLOCK.sub("", text))
    assert len(formulas) > 5
    for tex in formulas:
        assert mathml.markup(nodes.math(tex, tex), block=False).startswith("<math")
        assert "\\" not in re.sub(r"<[^>]*>", "", mathml.markup(nodes.math(tex, tex), block=True))
    assert not said


def test_indices_of_a_mean_stand_beside_it(mathml):
    from docutils import nodes

    found = mathml.markup(nodes.math("", "\\bar M_c + \\sum_b s_b"), block=True)
    assert re.sub(r"\s+", "", found).count("<msub><moveraccent") == 1
    assert found.count("<munder>") == 1, "those of a sum stay below"


def test_an_unknown_command_is_a_warning_and_stays_as_it_is(mathml, monkeypatch):
    from docutils import nodes

    said = []
    monkeypatch.setattr(mathml.LOGGER, "warning", lambda *text, **_: said.append(text))
    assert mathml.markup(nodes.math("", "\\mystery < 1"), block=False) == (
        "<code>\\mystery &lt; 1</code>"
    )
    assert len(said) == 1 and "mystery" in said[0][1]
