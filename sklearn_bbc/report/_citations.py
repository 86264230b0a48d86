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
TRIPOD_AI = Reference(
    authors=("G. S. Collins", "K. G. M. Moons", "P. Dhiman", "R. D. Riley", "others"),
    title="TRIPOD+AI statement: updated guidance for reporting clinical prediction models that "
    "use regression or machine learning methods",
    venue="BMJ 385, e078378",
    year="2024",
    doi="10.1136/bmj-2023-078378",
)


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
    doi = re.search(r":doi:`([^`]+)`", rest)
    url = re.search(r"https?://\S+", rest)
    preprint = re.search(r"arXiv:\s?([\d.]+\d)", rest)
    rest = re.sub(r":doi:`[^`]+`|https?://\S+", "", rest)
    year = re.search(r"\((\d{4})\)", rest)
    venue = re.sub(r"\s*\(\d{4}\)", "", rest).split(": ")[0]
    return Reference(
        authors=tuple(name.strip() for name in authors.split(",")),
        title=title,
        venue=re.sub(r"\s+", " ", venue).strip(" .,"),
        year=year[1] if year else "",
        doi=doi[1] if doi else "",
        url=_address(url, preprint),
    )


def _address(url: re.Match[str] | None, preprint: re.Match[str] | None) -> str:
    if url is not None:
        return url[0].rstrip(".,")
    return f"https://arxiv.org/abs/{preprint[1]}" if preprint is not None else ""


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


def bibtex(key: str, reference: Reference) -> str:
    """Write an entry for BibTeX; accents and special characters are those of LaTeX."""
    venue = reference.venue
    fields = {
        "author": " and ".join(map(_latex, reference.authors)),
        "title": f"{{{_latex(reference.title)}}}",
    }
    article = re.fullmatch(r"(.*\D) (\d+), (\w+(?:-\w+)?)", venue)
    series = re.fullmatch(
        r"(.*(?:Conference|Advances in|Proceedings|ICML).*?)(?:, (section \S+))?", venue
    )
    thesis = re.match(r"((?:PhD )?thesis)(?:, (.*))?$", venue)
    book = re.fullmatch(r"((?:(?:sections?|equation) [^,]*), )?(.+?)(, (?:sections?|equation).*)?",
                        venue)  # fmt: skip
    if article:
        kind = "article"
        fields |= {"journal": article[1], "volume": article[2],
                   "pages": article[3].replace("-", "--")}  # fmt: skip
    elif series:
        kind = "inproceedings"
        fields |= {"booktitle": series[1]} | ({"note": series[2]} if series[2] else {})
    elif thesis:
        kind = "phdthesis" if "PhD" in thesis[1] else "misc"
        fields |= {"school" if "PhD" in thesis[1] else "howpublished":
                   thesis[2] or "" if "PhD" in thesis[1] else venue}  # fmt: skip
    elif not venue or venue == "software" or "arXiv" in venue:
        kind = "misc"
        fields |= {"howpublished": venue} if venue else {}
    else:
        assert book is not None
        kind = "book"
        fields |= {"publisher": book[2]}
        note = (book[1] or book[3] or "").strip(" ,")
        fields |= {"note": note} if note else {}
    for name in ("journal", "booktitle", "publisher", "school", "howpublished", "note"):
        if name in fields:
            fields[name] = _latex(fields[name])
    fields |= {name: getattr(reference, name) for name in ("year", "doi", "url")}
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items() if value)
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
