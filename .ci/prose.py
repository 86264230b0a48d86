"""Check the wording of README, change log and documentation, code left out.

Two lists: the project's own phrases that made readers stop, with what to write instead
(``.ci/words.toml``), and proselint's rules without those that ``.proselintrc.json`` switches off:
quotes and signs (we type plain ones), dates (it takes `1980s` out of numbers), variants of words
(`discriminant` is a term), "very" (some intervals are)::

    python .ci/prose.py

The exit status is 1 when something was found.
"""

import itertools
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORDS = ROOT / ".ci" / "words.toml"
PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/*.md", "docs/*/*.md")
BUILT = ("docs/api/", "docs/auto_examples/", "docs/generated/", "docs/_build/")
CODE = re.compile(
    r"^```.*?^```"  # blocks, directives
    r"|^---\n.*?\n---\n"  # settings of a page
    r"|<!--.*?-->|<[^>\n]+>|&\w+;"  # comments, HTML
    r"|``[^`]+``|`[^`]+`|\$[^$]+\$",  # code and formulas in a sentence
    re.M | re.S,
)


def pages(root: Path = ROOT) -> list[Path]:
    """The files whose prose is checked."""
    found = sorted({path for pattern in PAGES for path in root.glob(pattern)})
    return [path for path in found if not path.relative_to(root).as_posix().startswith(BUILT)]


def prose(text: str) -> str:
    """The text without code, each line where it was."""
    count = itertools.count()

    def left_out(code: re.Match) -> str:
        lines = code[0].count("\n")
        return "\n" * lines if lines > 1 else f"X{next(count)}" + "\n" * lines

    # A heading is a sentence of its own.
    return re.sub(r"^(#+ .*)$", r"\1.", CODE.sub(left_out, text), flags=re.M)


def phrases(words: Path = WORDS) -> dict[re.Pattern, str]:
    """Pattern -> what to write instead."""
    listed = tomllib.loads(words.read_text(encoding="utf-8"))["phrases"]
    # A phrase may be broken over two lines.
    return {
        re.compile(rf"\b(?:{phrase})\b".replace(" ", r"\s+"), re.I): instead
        for phrase, instead in listed.items()
    }


def own_findings(name: str, text: str, words: dict[re.Pattern, str]) -> list[str]:
    """Phrases of the project's list, with line numbers."""
    found = []
    for pattern, instead in words.items():
        for hit in pattern.finditer(text):
            line, phrase = text.count("\n", 0, hit.start()) + 1, " ".join(hit[0].split())
            found.append(f"{name}:{line}: {phrase!r}: {instead}")
    return found


def proselint(texts: dict[str, str]) -> list[str]:
    """What proselint says about the texts."""
    with tempfile.TemporaryDirectory() as folder:
        # Release 0.16 reads the settings of the folder that it runs in, and no others.
        shutil.copy(ROOT / ".proselintrc.json", folder)
        for name, text in texts.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "proselint", "check", *texts],
            cwd=folder, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode not in (0, 1):
            raise SystemExit(f"proselint failed: {done.stderr}")
        said = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout).replace(f"{folder}/", "")
        return [line for line in said.splitlines() if line.strip()]


def main() -> int:
    """Print what was found.

    Returns
    -------
    int
        Number of findings.
    """
    texts = {
        path.relative_to(ROOT).as_posix(): prose(path.read_text(encoding="utf-8"))
        for path in pages()
    }
    words = phrases()
    found = [
        finding for name, text in texts.items() for finding in own_findings(name, text, words)
    ]
    found += proselint(texts)
    print("\n".join([*found, f"{len(texts)} pages, {len(found)} findings"]))
    return len(found)


if __name__ == "__main__":
    sys.exit(bool(main()))
