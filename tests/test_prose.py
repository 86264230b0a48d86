"""The check of wording sees prose, not code, and names file and line."""

import pytest

from tests._scripts import script_of_ci


@pytest.fixture(scope="module")
def prose(repository):
    return script_of_ci(repository, "prose")


def test_a_phrase_is_found_across_lines_with_its_line(prose):
    text = prose.prose("# Title\n\nAn interval that holds\ntoo much.\n")
    (found,) = prose.own_findings("page.md", text, prose.phrases())
    assert found.startswith("page.md:3: 'holds too much': say ")


@pytest.mark.parametrize(
    "code",
    ["`utilize`", "``utilize``", "```python\nutilize()\n```", "<!-- utilize -->", "$utilize$"],
)
def test_code_is_left_out_and_lines_stay(prose, code):
    text = prose.prose(f"One.\n\n{code}\n\nWe utilize it.\n")
    (found,) = prose.own_findings("page.md", text, prose.phrases())
    assert found.startswith(f"page.md:{5 + code.count(chr(10))}: 'utilize'")
