"""References: read from the docstrings of methods, written as text and as BibTeX."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u",
    "\u0307": ".", "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0327": "c",
    "\u0328": "k",
}  # fmt: skip
"""Combining characters and the accents of LaTeX."""
LETTERS = {"ß": r"{\ss}", "ø": r"{\o}", "Ø": r"{\O}", "ł": r"{\l}", "Ł": r"{\L}",
           "æ": r"{\ae}"}  # fmt: skip

MOST_AUTHORS, FIRST_AUTHORS = 8, 3
"""With more authors than the first, a list of references names as many as the second."""


@dataclass(frozen=True, kw_only=True)
class Reference:
    """A publication or a program.

    Parameters
    ----------
    authors : tuple of str
        ``"I. Tsamardinos"``, in the order of the publication.
    title : str
        The title.
    venue : str
        Journal, conference, publisher or school, with volume, pages and sections.
    year : str, default=""
        Year of publication.
    doi, url : str, default=""
        Where it is.
    """

    authors: tuple[str, ...]
    title: str
    venue: str
    year: str = ""
    doi: str = ""
    url: str = ""

    @property
    def key(self) -> str:
        """Key for BibTeX: last name of the first author, and year."""
        last = self.authors[0].split()[-1] if self.authors else "anonymous"
        plain = unicodedata.normalize("NFKD", last).encode("ascii", "ignore").decode()
        return re.sub(r"[^a-z]", "", plain.lower()) + self.year

    def text(self) -> str:
        """The reference in one line, for a list of references."""
        authors = list(self.authors)
        if len(authors) > MOST_AUTHORS or "others" in authors:
            authors = [*authors[:FIRST_AUTHORS], "et al."]
        parts = [", ".join(authors), f'"{self.title}"', self.venue]
        line = ", ".join(part for part in parts if part) + (f" ({self.year})" if self.year else "")
        where = f" https://doi.org/{self.doi}" if self.doi else f" {self.url}" if self.url else ""
        return f"{line}.{where}"


SCIKIT_LEARN = Reference(
    authors=(
        "F. Pedregosa", "G. Varoquaux", "A. Gramfort", "V. Michel", "B. Thirion", "O. Grisel",
        "M. Blondel", "P. Prettenhofer", "R. Weiss", "V. Dubourg", "J. Vanderplas", "A. Passos",
        "D. Cournapeau", "M. Brucher", "M. Perrot", "E. Duchesnay",
    ),
    title="Scikit-learn: machine learning in Python",
    venue="Journal of Machine Learning Research 12, 2825-2830",
    year="2011",
)  # fmt: skip


def references_in(docstring: str | None) -> list[Reference]:
    """Read the section "References" of a docstring in numpydoc's form."""
    section = re.search(r"\n\s*References\n\s*-{3,}\n(.*?)(?=\n\s*\w+\n\s*-{3,}\n|\Z)",
                        docstring or "", flags=re.S)  # fmt: skip
    if section is None:
        return []
    entries = re.split(r"\.\. \[\w+\]", section[1])[1:]
    found = [_reference(" ".join(entry.split())) for entry in entries]
    return [reference for reference in found if reference is not None]


def _reference(text: str) -> Reference | None:
    parts = re.fullmatch(r'(.*?), "(.*?)"(?:, | )(.*)', text)
    if parts is None:
        return None
    authors, title, rest = parts.groups()

    def found(pattern: str) -> str:
        match = re.search(pattern, rest)
        return match[1].rstrip(".,") if match else ""

    preprint = found(r"arXiv:\s?([\d.]+\d)")
    year = r"\((\d{4})\)"
    venue = re.sub(r":doi:`[^`]+`|https?://\S+", "", rest)
    venue = re.sub(rf"\s*{year}", "", venue).split(": ")[0]
    return Reference(
        authors=tuple(name.strip() for name in authors.split(",")),
        title=title,
        venue=re.sub(r"\s+", " ", venue).strip(" .,"),
        year=found(year),
        doi=found(r":doi:`([^`]+)`"),
        url=found(r"(https?://\S+)") or (f"https://arxiv.org/abs/{preprint}" if preprint else ""),
    )


def keys_of(references: Iterable[Reference]) -> dict[str, Reference]:
    """References by keys that differ, each once: ``brown2001``, ``brown2001b``."""
    keys: dict[str, Reference] = {}
    seen = set()
    for reference in references:
        identity = reference.title.casefold()
        if identity in seen:
            continue
        seen.add(identity)
        same = [key for key in keys if re.fullmatch(f"{reference.key}[a-z]?", key)]
        keys[reference.key + (chr(ord("a") + len(same)) if same else "")] = reference
    return keys


KINDS = (
    ("article", r"(?P<journal>.*\D) (?P<volume>\d+), (?P<pages>\w+(?:-\w+)?)"),
    (
        "inproceedings",
        r"(?P<booktitle>.*(?:Conference|Advances in|Proceedings|ICML).*?)"
        r"(?:, (?P<note>section \S+))?",
    ),
    ("phdthesis", r"PhD thesis(?:, (?P<school>.*))?"),
    ("misc", r"(?P<howpublished>thesis.*|software|.*arXiv.*|)"),
    ("book", r"(?P<note>(?:sections?|equation) [^,]*), (?P<publisher>.+)"),
    ("book", r"(?P<publisher>.+?)(?:, (?P<note>(?:sections?|equation).*))?"),
)
"""Kind of an entry, and the venues that are one."""


def bibtex(key: str, reference: Reference) -> str:
    """Write an entry for BibTeX; accents and special characters are those of LaTeX."""
    kind, venue = next(
        (kind, found)
        for kind, pattern in KINDS
        if (found := re.fullmatch(pattern, reference.venue))
    )
    fields = {
        "author": " and ".join(map(_latex, reference.authors)),
        "title": f"{{{_latex(reference.title)}}}",
        **{name: _latex(text) for name, text in venue.groupdict("").items()},
        **{name: getattr(reference, name) for name in ("year", "doi", "url")},
    }
    if "pages" in fields:
        fields["pages"] = fields["pages"].replace("-", "--")
    lines = ",\n".join(f"  {name} = {{{text}}}" for name, text in fields.items() if text)
    return f"@{kind}{{{key},\n{lines}\n}}"


def _latex(text: str) -> str:
    """Accents as commands, and the characters that LaTeX reads as something else."""
    text = re.sub(r"([&%$#_])", r"\\\1", text)
    result = ""
    for character in unicodedata.normalize("NFC", text):
        apart = unicodedata.normalize("NFD", character)
        if len(apart) == 2 and apart[1] in ACCENTS:
            result += f"{{\\{ACCENTS[apart[1]]}{{{apart[0]}}}}}"
        else:
            result += LETTERS.get(character, character)
    return result
