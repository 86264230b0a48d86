"""Approved texts: files beside the tests, which ``--approve`` writes anew."""

import html
import re
from pathlib import Path

APPROVED = Path(__file__).parent / "approved"
PACKAGES = "scikit-learn|sklearn-bbc|numpy|scipy|pandas|Python"
VOLATILE = {
    rf"\b({PACKAGES}) \d[\w.+]*\w": r"\1 (version)",
    r"0x[0-9a-f]+": "ADDRESS",
}
"""What differs between releases, and what is written in its place."""


def in_lines(text):
    """A line for each sentence, so that a change of one is a change of one line."""
    for pattern, instead in VOLATILE.items():
        text = re.sub(pattern, instead, text)
    lines = re.sub(r"(?<=[a-z\d)'\]][.?]) (?=[A-Z\d])", "\n", text).splitlines()
    return [line.rstrip() for line in lines if line.strip()]


def text_of_html(page):
    """The text of a page, a line for each row and paragraph."""
    page = re.sub(r"(?s)<style>.*?</style>", "", page)
    page = re.sub(
        r"<(?=/?(p|tr|li|h\d|div|dt|figcaption|section)\b)", "\n<", " ".join(page.split())
    )
    lines = html.unescape(re.sub("<[^>]*>", " ", page)).splitlines()
    return "\n".join(" ".join(line.split()) for line in lines if line.strip())


def check_approved(request, path, text):
    """Compare a text with its file, or write the file."""
    if request.config.getoption("approve"):
        path.write_text(text, encoding="utf-8")
    known = path.read_text(encoding="utf-8") if path.is_file() else ""
    assert text == known, "`python -m pytest tests/scenarios --approve` takes the new words over"
