"""Formulas as MathML, which browsers draw by themselves: no script, nothing from the network."""

import re
from html import escape, unescape
from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
NAMESPACE = "http://www.w3.org/1998/Math/MathML"
ACCENTS = frozenset("ˉˆ~˙¨¯^")
"""Bar, hat, tilde and dots, as docutils writes them."""


def markup(node: nodes.Node, *, block: bool) -> str:
    """MathML of a formula. One that docutils cannot read is a warning, and stays LaTeX."""
    tex = node.astext()
    try:
        return indices_beside(tex2mathml(tex, as_block=block))
    except MathError as error:
        LOGGER.warning("The formula %r cannot be written as MathML: %s", tex, error, location=node)
        return f"<code>{escape(tex)}</code>"


def indices_beside(mathml: str) -> str:
    """Indices of letters with a bar or a hat beside the letter; docutils puts them below."""
    # XML knows none of HTML's names but these.
    named = re.sub(r"&(?!lt;|gt;|amp;|quot;|#)\w+;", lambda name: unescape(name[0]), mathml)
    ElementTree.register_namespace("", NAMESPACE)
    tree = ElementTree.fromstring(named)
    for element in [*tree.iter(f"{{{NAMESPACE}}}munderover")]:
        letter, index, accent = element
        if accent.text in ACCENTS:
            element.clear()
            element.tag = f"{{{NAMESPACE}}}msub"
            accented = ElementTree.SubElement(element, f"{{{NAMESPACE}}}mover", accent="true")
            accented.extend([letter, accent])
            element.append(index)
    return ElementTree.tostring(tree, encoding="unicode")


def inline(self: Any, node: nodes.math) -> None:
    """A formula within a sentence."""
    self.body.append(markup(node, block=False))
    raise nodes.SkipNode


def block(self: Any, node: nodes.math_block) -> None:
    """A formula on lines of its own, in a box that scrolls where it is too wide."""
    self.body.append(f'<div class="formula">{markup(node, block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, Any]:
    """Make it a renderer for `html_math_renderer`."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
