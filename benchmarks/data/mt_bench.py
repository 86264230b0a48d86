"""Scores of a language model as a judge, and of people, for six systems on the same 80 questions.

The judgments of MT-Bench (L. Zheng et al., arXiv:2306.05685, licence CC BY 4.0): people and GPT-4
said which of two answers is better. Two tables without the texts are in the tests of the package
evalaudit 0.6.0 on PyPI, which is fetched once; nothing of it is in this repository.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
from functools import cache
from pathlib import Path

import pandas as pd
from sklearn.datasets import get_data_home

PACKAGE, VERSION = "evalaudit", "0.6.0"
WON = {"model_a": 1.0, "model_b": 0.0}
"""What the first of two answers has of a comparison; of a tie half."""


def shares_won(comparisons: pd.DataFrame) -> pd.DataFrame:
    """Share of its comparisons that a system won, a row for each question, a column for each.

    Parameters
    ----------
    comparisons : DataFrame
        Columns ``question_id``, ``model_a``, ``model_b`` and ``winner``.
    """
    won = comparisons["winner"].map(WON).fillna(0.5)
    sides = [
        pd.DataFrame(
            {"question": comparisons["question_id"], "system": comparisons[side], "won": share}
        )
        for side, share in (("model_a", won), ("model_b", 1 - won))
    ]
    return pd.concat(sides).pivot_table(index="question", columns="system", values="won")


@cache
def tables() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Shares of GPT-4's comparisons, and of people's, (80 questions, 6 systems) each."""
    home = Path(get_data_home())
    path = home / f"{PACKAGE}-{VERSION}.tar.gz"
    if not path.is_file():
        fetch = ["download", "--no-deps", "--no-binary", PACKAGE, "--dest", str(home)]
        command = [sys.executable, "-m", "pip", *fetch, f"{PACKAGE}=={VERSION}"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    found = []
    with tarfile.open(path) as archive:
        for name in ("mt_bench_gpt4_pair.csv", "mt_bench_human.csv"):
            file = archive.extractfile(f"{PACKAGE}-{VERSION}/tests/data/{name}")
            found.append(shares_won(pd.read_csv(file)))
    return found[0], found[1]
