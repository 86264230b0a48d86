"""Show what tuning costs in optimism, or correct the predictions in a file.

``python -m sklearn_bbc`` runs a demonstration; ``python -m sklearn_bbc FILE --target COLUMN
--scoring NAME`` corrects the best of the configurations whose out-of-fold predictions are the
columns of a file, and with ``--report HTML`` writes the page.
"""

from __future__ import annotations

import argparse
import difflib
import io
import shlex
import sys
import textwrap
import warnings
from collections.abc import Sequence
from contextlib import redirect_stdout
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes
from sklearn.feature_selection import SelectKBest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from . import BBCSearchCV, OOFPredictions, __version__, write_report
from ._text import count
from .comparison import tied_with_best
from .intervals import BBC

READERS = {".csv": "read_csv", ".parquet": "read_parquet", ".pq": "read_parquet"}
EPILOG = """\
examples:
  python -m sklearn_bbc
  python -m sklearn_bbc predictions.csv --target y --scoring roc_auc
  python -m sklearn_bbc predictions.csv --target y --scoring f1 --fold fold --groups patient
  python -m sklearn_bbc predictions.csv --target y --scoring r2 --report report.html

The file has one row for each sample: the true value, and one column for each configuration that
was tried, with its prediction for the sample by a model that was not trained on it. All of the
configurations belong there, not only the best ones. It can come from any program.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = _parser()
    given = parser.parse_args(argv)
    if given.file is None:
        for option in ("target", "scoring", "fold", "groups", "ignore"):
            if getattr(given, option):
                parser.error(f"--{option} needs a FILE with predictions.")
        return demonstrate(given.report or "report.html")
    for option, example in (("target", "y"), ("scoring", "roc_auc")):
        if getattr(given, option) is None:
            parser.error(f"--{option} is missing, for example --{option} {example}.")
    given.words = [*parser.prog.split(), *(sys.argv[1:] if argv is None else argv)]
    try:
        return correct(given)
    except (ValueError, OSError, ImportError) as error:
        parser.exit(2, f"{parser.prog}: {error}\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m sklearn_bbc",
        description="The best of many cross-validated scores is too high. Correct it, with a "
        "confidence interval. Without FILE: a demonstration on data that scikit-learn ships.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "file", nargs="?", metavar="FILE", help=".csv or .parquet: a column for each configuration"
    )
    parser.add_argument("--target", metavar="COLUMN", help="column with the true values")
    parser.add_argument("--scoring", metavar="NAME", help="a scorer of scikit-learn: roc_auc, r2")
    parser.add_argument("--fold", metavar="COLUMN", help="column with the fold of each sample")
    parser.add_argument(
        "--groups", metavar="COLUMN", help="column with the group of a sample, such as a patient"
    )
    parser.add_argument(
        "--ignore", metavar="COLUMN", nargs="+", default=[], help="columns that are no predictions"
    )
    parser.add_argument(
        "--pos-label", metavar="LABEL", help="class whose scores these are (default: the last)"
    )
    parser.add_argument("--confidence-level", type=float, default=0.95, metavar="SHARE")
    parser.add_argument("--n-bootstraps", type=int, default=2000, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the draws, default 0")
    parser.add_argument(
        "--report", metavar="HTML", help="page to write (the demonstration writes report.html)"
    )
    parser.add_argument("--version", action="version", version=__version__)
    return parser


class _Progress(io.TextIOBase):
    """Bar on standard error that grows with each line "[CV] END" that a search prints."""

    def __init__(self, total: int) -> None:
        self.total, self.done, self.shown = total, 0, -1

    def write(self, text: str) -> int:
        self.done += text.count("[CV] END")
        tenths = 40 * self.done // self.total
        if tenths != self.shown:
            self.shown = tenths
            end = "\n" if self.done == self.total else ""
            bar = f"\r[{'#' * tenths:<40}] {self.done:,}/{self.total:,} fits"
            print(bar, end=end, file=sys.stderr, flush=True)
        return len(text)


def demonstrate(report: str) -> int:
    """Tune on 60 patients, print the corrected score and the truth, and write a report."""
    X, y = load_diabetes(return_X_y=True)
    y = y > 140
    model = make_pipeline(SelectKBest(), KNeighborsClassifier())
    grid = {"selectkbest__k": range(1, 11), "kneighborsclassifier__n_neighbors": range(1, 16)}
    search = BBCSearchCV(model, grid, cv=10, random_state=0, verbose=2)
    print("150 configurations are tuned on 60 patients of scikit-learn's diabetes data.")
    with redirect_stdout(_Progress(1500)):
        search.fit(X[:60], y[:60])
    print(f"\n{search.table()}\n\n{_wrapped(search.summary())}\n")
    truth = search.score(X[60:], y[60:])
    comparison = (
        f"The other {len(y) - 60} patients took no part. On them the selected model has an "
        f"accuracy of {truth:.3f}: GridSearchCV would have reported {search.best_score_:.3f}, the "
        f"corrected score is {search.bbc_score_:.3f}."
    )
    print(_wrapped(comparison))
    if find_spec("jinja2") is None:
        print('\nFor a report: python -m pip install "sklearn-bbc[report,plot]"')
    else:
        print(f"\nThe whole page is in {search.report(report, title='Demonstration')}")
    print(
        "\nNext:\n"
        "  in your program   BBCSearchCV for GridSearchCV, then print(search.summary())\n"
        "  with a file       python -m sklearn_bbc predictions.csv --target y --scoring roc_auc\n"
        "  all options       python -m sklearn_bbc --help"
    )
    return 0


def correct(given: argparse.Namespace) -> int:
    """Print the corrected score of the best configuration in a file, and what ties with it."""
    oof = _predictions(given)
    method = BBC(
        confidence_level=given.confidence_level,
        n_bootstraps=given.n_bootstraps,
        random_state=given.seed,
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = method.estimate(oof, given.scoring)
        tied = oof.n_configs > 1 and tied_with_best(oof, given.scoring, random_state=given.seed)
    print(_wrapped(result.summary()))
    if tied:
        print(f"\n{_wrapped(str(tied))}")
    notes = dict.fromkeys([*result.details["notes"], *(str(each.message) for each in caught)])
    for note in notes:
        print(f"\n{_wrapped('Note: ' + note)}")
    if given.report:
        page = write_report(
            given.report, oof, result, title=f"Predictions in {Path(given.file).name}",
            tied=tied, code=shlex.join(given.words),
        )  # fmt: skip
        print(f"\nThe whole page is in {page}")
    return 0


def _predictions(given: argparse.Namespace) -> OOFPredictions:
    """Read out-of-fold predictions from the columns of a file."""
    path = Path(given.file)
    if path.suffix.lower() not in READERS:
        raise ValueError(f"{path.name}: a file must end in .csv or .parquet.")
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    frame = getattr(pd, READERS[path.suffix.lower()])(path)
    named = {"--target": [given.target], "--ignore": given.ignore}
    named |= {"--fold": [given.fold] if given.fold else []}
    named |= {"--groups": [given.groups] if given.groups else []}
    for option, columns in named.items():
        for column in columns:
            _check_column(frame, column, option, path)
    others = [column for columns in named.values() for column in columns]
    y_pred = frame.drop(columns=others)
    if y_pred.shape[1] == 0:
        raise ValueError(f"{path.name} has no column with predictions, only {', '.join(others)}.")
    texts = [name for name in y_pred if not pd.api.types.is_numeric_dtype(y_pred[name])]
    if texts and pd.api.types.is_numeric_dtype(frame[given.target]):
        raise ValueError(
            f"Column {texts[0]!r} of {path.name} has values that are not numbers, such as "
            f"{_first_text(y_pred[texts[0]])!r}. If it is no prediction, add --ignore {texts[0]}."
        )
    y_true = frame[given.target]
    pos_label = given.pos_label
    if pos_label is not None and pd.api.types.is_numeric_dtype(y_true):
        pos_label = y_true.dtype.type(pos_label)
    return OOFPredictions(
        y_true=y_true.to_numpy(),
        y_pred=y_pred,
        fold=None if given.fold is None else pd.factorize(frame[given.fold], sort=True)[0],
        groups=None if given.groups is None else frame[given.groups].to_numpy(),
        pos_label=pos_label,
    )


def _check_column(frame: pd.DataFrame, column: str, option: str, path: Path) -> None:
    if column not in frame:
        near = [name for name in frame if str(name).casefold() == column.casefold()]
        near += difflib.get_close_matches(column, map(str, frame.columns), n=1)
        names = ", ".join(map(str, frame.columns[:8])) + (", ..." if frame.shape[1] > 8 else "")
        hint = f"Did you mean {near[0]!r}?" if near else f"It has {names}."
        raise ValueError(f"{option}: {path.name} has no column {column!r}. {hint}")
    missing = np.flatnonzero(frame[column].isna())
    if len(missing) and option != "--ignore":
        found = count(len(missing), "missing value")
        raise ValueError(
            f"{option}: column {column!r} of {path.name} has {found}, the first in row "
            f"{missing[0] + 1} of the data."
        )


def _first_text(values: pd.Series) -> object:
    return next(v for v in values if isinstance(v, str) or not np.isscalar(v))


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 88)


if __name__ == "__main__":
    sys.exit(main())
