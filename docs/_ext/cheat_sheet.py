"""Print the cheat sheet as the PDF that its page links to.

    sphinx-build -W docs docs/_build/html && python docs/_ext/cheat_sheet.py

The last line of the file says what it was printed from; a test compares that with the page.
"""

import argparse
import hashlib
import re
import subprocess
from pathlib import Path

from decision import svg

DOCS = Path(__file__).parents[1]
PDF = DOCS / "_static" / "cheat_sheet.pdf"


def source() -> bytes:
    """Comment that ends the file: a digest of the page's text and its diagram."""
    text = (DOCS / "cheat_sheet.md").read_text(encoding="utf-8") + svg()
    return f"% printed from {hashlib.sha256(text.encode()).hexdigest()}\n".encode()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--html", type=Path, default=DOCS / "_build" / "html")
    parser.add_argument("--browser", default="chromium", help="Chromium or Chrome")
    arguments = parser.parse_args()
    text = (arguments.html / "cheat_sheet.html").read_text(encoding="utf-8")
    page = (arguments.html / "cheat_sheet_print.html").resolve()
    # Chromium would make addresses on this machine of links to other pages.
    page.write_text(re.sub(r"(<a [^>]*?)href=", r"\1data-page=", text), encoding="utf-8")
    command = [arguments.browser, "--headless", "--no-sandbox", "--disable-gpu"]
    options = ["--no-pdf-header-footer", f"--print-to-pdf={PDF}"]
    subprocess.run([*command, *options, page.as_uri()], check=True, capture_output=True)
    page.unlink()
    PDF.write_bytes(PDF.read_bytes() + source())


if __name__ == "__main__":
    main()
