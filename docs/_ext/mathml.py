"""Formulas as MathML, which browsers draw by themselves: no script, nothing from the network."""

from html import escape
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)


def markup(node: nodes.Node, *, block: bool) -> str:
    """MathML of a formula. One that docutils cannot read is a warning, and stays LaTeX."""
    tex = node.astext()
    try:
        return tex2mathml(tex, as_block=block)
    except MathError as error:
        LOGGER.warning("The formula %r cannot be written as MathML: %s", tex, error, location=node)
        return f"<code>{escape(tex)}</code>"


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
