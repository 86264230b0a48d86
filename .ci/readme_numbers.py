"""Compare the table in the README with what the quickstart printed (standard input)."""

import re
import sys
from pathlib import Path

ROWS = {
    "best CV score": "| best cross-validated score",
    "BBC": "corrected: BBC |",
    "BBC-F": "corrected: BBC on folds",
    "held-out score": "on the 509 patients",
}
NUMBER = re.compile(r"\b[01]\.\d+\b")


def numbers(line: str) -> list[float]:
    return [float(number) for number in NUMBER.findall(line)]


printed = sys.stdin.read()
readme = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")
# Another table stands before the one of the quickstart.
readme = readme.partition("plot_quickstart.py")[2]
wrong = []
for row, told in ROWS.items():
    ours = next(line for line in readme.splitlines() if told in line)
    theirs = next(line for line in printed.splitlines() if re.match(rf"{row}\s", line))
    if numbers(ours) != numbers(theirs):
        wrong.append(f"README: {ours.strip()}\nprinted: {theirs.strip()}")
print("\n".join(wrong) or "The table of the README is what the quickstart prints.")
sys.exit(bool(wrong))
