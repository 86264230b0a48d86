"""References: from docstrings to text and BibTeX."""

import re

import pytest

from sklearn_bbc import comparison, intervals, selection
from sklearn_bbc.report._sentences import (
    SCIKIT_LEARN,
    Reference,
    bibtex,
    keys_of,
    references_in,
)

FAMILIES = (
    intervals.registered(), intervals.registered_refits(), comparison.registered(),
    {"five_by_two": comparison.FiveByTwo}, comparison.registered_tied(),
    comparison.registered_on_data_sets(), selection.registered_selections(),
)  # fmt: skip
WITH_SECTION = [
    cls
    for family in FAMILIES
    for cls in family.values()
    if cls.__module__.startswith("sklearn_bbc") and "References\n" in (cls.__doc__ or "")
]


@pytest.mark.parametrize("cls", WITH_SECTION, ids=lambda cls: cls.__name__)
def test_every_reference_of_a_method_is_read(cls):
    found = references_in(cls.__doc__)
    assert len(found) == len(re.findall(r"^ *\.\. \[\d\]", cls.__doc__, flags=re.M)) > 0
    for reference in found:
        assert reference.authors and reference.title and (reference.venue or reference.url)
        assert re.fullmatch(r"\d{4}|", reference.year) and "`" not in reference.text()
        assert all(" " in name for name in reference.authors)


def test_kinds_of_publications():
    text = """Method.

    References
    ----------
    .. [1] A. One, B. van der Two, "On things: a study",
       Journal of Things 12, 3-45 (1999). :doi:`10.1/x_y`
    .. [2] C. Three, "Theory", section 2.1, Springer (2000).
    .. [3] Ž. Šidák, "50% of R&D", PhD thesis, Charles University (1967).
    .. [4] D. Four, "Deep", Advances in Neural Information Processing Systems 3 (2001).
    .. [5] E. Five, "Fresh" (2024). arXiv:2401.01234
    .. [6] F. Six, "Code", software, https://example.org/code
    .. [7] This one has no title.

    Examples
    --------
    >>> 1
    """
    found = references_in(text)
    keys = keys_of([*found, found[0]])
    assert list(keys) == ["one1999", "three2000", "sidak1967", "four2001", "five2024", "six"]
    entries = {key: bibtex(key, each) for key, each in keys.items()}
    assert entries["one1999"] == (
        "@article{one1999,\n"
        "  author = {A. One and B. van der Two},\n"
        "  title = {{On things: a study}},\n"
        "  journal = {Journal of Things},\n"
        "  volume = {12},\n"
        "  pages = {3--45},\n"
        "  year = {1999},\n"
        "  doi = {10.1/x_y}\n}"
    )
    assert "@book{" in entries["three2000"] and "note = {section 2.1}" in entries["three2000"]
    assert r"{\v{Z}}. {\v{S}}id{\'{a}}k" in entries["sidak1967"]
    assert r"title = {{50\% of R\&D}}" in entries["sidak1967"]
    assert "@phdthesis{" in entries["sidak1967"]
    assert "school = {Charles University}" in entries["sidak1967"]
    assert "@inproceedings{" in entries["four2001"]
    assert "url = {https://arxiv.org/abs/2401.01234}" in entries["five2024"]
    assert "url = {https://example.org/code}" in entries["six"] and "year" not in entries["six"]


def test_keys_of_the_same_author_and_year_differ():
    made = [
        Reference(authors=("A. B. One",), title=title, venue="V", year="2000") for title in "abca"
    ]
    assert list(keys_of(made)) == ["one2000", "one2000b", "one2000c"]


def test_text():
    assert SCIKIT_LEARN.text() == (
        'F. Pedregosa, G. Varoquaux, A. Gramfort, et al., "Scikit-learn: machine learning in '
        'Python", Journal of Machine Learning Research 12, 2825-2830 (2011).'
    )
    many = Reference(
        authors=("A", "B", "C", "D", "others"), title="T", venue="V 1, 2", doi="10.1/x"
    )
    assert many.text() == 'A, B, C, et al., "T", V 1, 2. https://doi.org/10.1/x'
    for n, authors in ((8, "A, B, C, D, E, F, G, H"), (9, "A, B, C, et al.")):
        given = Reference(authors=tuple("ABCDEFGHI"[:n]), title="T", venue="V")
        assert given.text() == f'{authors}, "T", V.', n
    assert "and others}" in bibtex("c", many)


def test_without_a_section_there_are_none():
    assert references_in(None) == references_in("Method.") == []
