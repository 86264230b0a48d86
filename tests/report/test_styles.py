"""Texts for Markdown, LaTeX and HTML: what is special is escaped, and reads the same."""

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_bbc.report._table import ESCAPES, style_named

TEXT, MARKDOWN, LATEX, HTML = ESCAPES.values()


@pytest.mark.long
@given(st.text())
def test_plain_text_stays_and_html_comes_back(text):
    assert TEXT(text) == text
    escaped = HTML(text)
    assert html.unescape(escaped) == html.unescape(text) or html.unescape(escaped) == text
    assert not set('<>"') & set(escaped)


@given(st.text(alphabet=st.characters(codec="ascii")))
def test_markdown_is_undone_by_taking_backslashes_away(text):
    escaped = MARKDOWN(text)
    assert re.sub(r"\\([^a-zA-Z0-9\s])", r"\1", escaped) == text
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*_\[<|#$&]", escaped)


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("95% of 10_000 & more #1", r"95\% of 10\_000 \& more \#1"),
        ("{'C': 0.1}", r"\{'C': 0.1\}"),
        (r"a\b^c~d", r"a\textbackslash{}b\textasciicircum{}c\textasciitilde{}d"),
        ("R² < 1 > $0", r"R\textsuperscript{2} \textless{} 1 \textgreater{} \$0"),
        ("-0.12 to 0.3", "$-$0.12 to 0.3"),
        ("(-0.12, -1,234)", "($-$0.12, $-$1,234)"),
        ("10-fold, 2010-11, BBC-F, x-1", "10-fold, 2010-11, BBC-F, x-1"),
        ("1.23e+07 and -4e-05", r"$1.23\times10^{7}$ and $-4\times10^{-5}$"),
        ('say "x" | y', r"say \textquotedbl{}x\textquotedbl{} \textbar{} y"),
    ],
)
def test_latex(text, latex):
    assert LATEX(text) == latex


@given(st.text(alphabet=st.characters(codec="ascii")))
def test_latex_has_no_bare_special_character(text):
    escaped = re.sub(r"\$-?\$|\$-?[\d.,]+\\times10\^\{-?\d+\}\$", "", LATEX(text))
    escaped = re.sub(r"\\(?:text[a-z]+\{\}|[{}$&#_%])", "", escaped)
    assert not set('\\{}$&#_%^~<>|"') & set(escaped)


def test_an_unknown_style_names_the_known_ones():
    with pytest.raises(ValueError, match=r"style must be one of \['text', 'latex'\], got 'latx'."
                       r" Did you mean 'latex'\?"):  # fmt: skip
        style_named("latx", ("text", "latex"))
