"""Show what tuning costs in optimism, or correct the predictions in a file.

``python -m sklearn_bbc`` runs a demonstration; ``python -m sklearn_bbc FILE --target COLUMN
--scoring NAME`` corrects the best of the configurations whose out-of-fold predictions are the
columns of a file, and with ``--report HTML`` writes the page. ``python -m sklearn_bbc FILE --item
COLUMN`` does it for scores per item of systems that are fixed, such as prompts.
"""

from __future__ import annotations

import argparse
import re
import shlex
import sys
import textwrap
import warnings
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes
from sklearn.feature_selection import SelectKBest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from . import BBCSearchCV, OOFPredictions, __version__, write_report
from ._scorers import scorer_named
from ._tables import (
    FEW,
    Table,
    are_dates,
    check_numbers,
    class_in_names,
    column_of,
    columns_of,
    errors_of_others,
    first_not,
    label_named,
    listing,
    numbers_in,
    read_table,
    tells_classes,
    values_of,
    why_not_models,
    why_not_predictions,
    why_not_samples,
    why_of_predicted_class,
)
from ._text import count, fixed
from .comparison import best_of, tied_with_best
from .intervals import BBC
from .predictions._validation import are_labels, fold_codes
from .report._systems import write_systems
from .results import TiedSet
from .search._reporting import check_page

EPILOG = """\
examples:
  python -m sklearn_bbc
  python -m sklearn_bbc predictions.csv --target y --scoring roc_auc
  python -m sklearn_bbc predictions.csv --target y --scoring f1 --fold fold --groups patient
  python -m sklearn_bbc predictions.csv --target y --scoring roc_auc --predictions 'model_*'
  python -m sklearn_bbc predictions.csv --target y --scoring r2 --report report.html
  python -m sklearn_bbc scores.csv --item question --baseline now --report report.html
  python -m sklearn_bbc scores.csv --item question --system model,prompt --score correct

The file has one row for each sample: the true value, and one column for each configuration that
was tried, with its prediction for the sample by a model that was not trained on it. All of the
configurations belong there, not only the best ones. It can come from any program.

Which columns are taken as predictions is printed. Without --predictions these are all columns
that no option names, but not those that look like something else: a column without a name (an
index), with the name of a sample, fold, group or target (id, fold, patient, label), of dates,
with one value only, or of whole numbers that count rows or folds.

With --item the file has scores of systems that are fixed, such as prompts or language models, on
the same items: a column for each system, or with --system a row for each score.

Text files may have commas, semicolons, tabs or bars between the values, a decimal comma, and be
in UTF-8 or UTF-16. Where that cannot be found out, --sep, --decimal and --encoding say it.
"""
FEWEST = 3
"""Samples of a class; fewer words among numbers are no class."""
OF_TARGET = (
    "target", "scoring", "predictions", "fold", "pos_label", "block_length", "order",
    "rows_are_samples",
)  # fmt: skip
OF_SYSTEMS = ("score", "run", "baseline", "losses", "drop_items")
DEFAULTS = {"confidence_level": 0.95, "n_bootstraps": 2000, "seed": 0}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = _parser()
    given = parser.parse_args(argv)
    try:
        if given.file is None:
            for option, value in vars(given).items():
                if value is not None and option != "report":
                    parser.error(f"--{option.replace('_', '-')} needs a FILE with predictions.")
            report = "report.html" if given.report is None else given.report
            _check_report(report, needed=given.report is not None)
            return demonstrate(report)
        of_systems = given.item is not None or given.system is not None
        for option in OF_TARGET if of_systems else OF_SYSTEMS:
            if getattr(given, option):
                how = "predictions, not for scores per item" if of_systems else "scores per item"
                more = "" if of_systems else ", which need --item with the column of the item"
                parser.error(f"--{option.replace('_', '-')} is for {how}{more}.")
        for option, example in () if of_systems else (("target", "y"), ("scoring", "roc_auc")):
            if getattr(given, option) is None:
                parser.error(
                    f"--{option} is missing, for example --{option} {example}. For scores per "
                    "item of prompts or language models give --item."
                )
        for option, value in DEFAULTS.items():
            if getattr(given, option) is None:
                setattr(given, option, value)
        given.words = [*parser.prog.split(), *(sys.argv[1:] if argv is None else argv)]
        if given.report is not None and not of_systems:
            _check_report(given.report, needed=True)
        return compare_systems(given) if of_systems else correct(given)
    except (ValueError, OSError, ImportError) as error:
        options = [name for name in vars(given) if "_" in name and name in str(error)]
        here = "".join(f" Here that is --{name.replace('_', '-')}." for name in options)
        parser.exit(2, f"{parser.prog}: {error}{here}\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m sklearn_bbc",
        description="The best of many scores is too high. Correct it, with a "
        "confidence interval. Without FILE: a demonstration on data that scikit-learn ships.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    several: dict[str, Any] = {"metavar": "COLUMN", "nargs": "+", "action": "extend"}
    add = parser.add_argument
    add("file", nargs="?", metavar="FILE", help=".csv or .parquet: a column per configuration")
    add("--target", metavar="COLUMN", help="column with the true values")
    add("--scoring", metavar="NAME", help="a scorer of scikit-learn: roc_auc, r2")
    add("--predictions", help="columns with predictions, or patterns such as 'model_*'", **several)
    add("--ignore", help="columns, or patterns, that are no predictions", **several)
    add("--fold", metavar="COLUMN", help="column with the fold of each sample; -1 is none")
    add("--item", metavar="COLUMN", help="scores per item of fixed systems: column of the item")
    add("--system", metavar="COLUMNS", help="column of the system, or several: model,prompt")
    add("--score", metavar="COLUMN", help="with --system: column of the score")
    add("--run", metavar="COLUMN", help="with --system: column of the run; runs are averaged")
    add("--baseline", metavar="NAME", help="system that all others are compared with")
    add("--losses", action="store_true", default=None, help="a smaller score is better")
    add(
        "--drop-items", action="store_true", default=None, help="leave out items that not all have"
    )
    add(
        "--groups",
        "--cluster",
        metavar="COLUMN",
        help="column with the group of a sample, as its patient",
    )
    add(
        "--rows-are-samples", action="store_true", default=None,
        help="the rows are samples, though an identifier or repeats say otherwise",
    )  # fmt: skip
    add("--sample-weight", metavar="COLUMN", help="column with the weight of each sample")
    add("--block-length", metavar="N", help="samples per block in ordered data, or auto")
    add("--order", metavar="COLUMN", help="with --block-length: column with the time of a sample")
    add("--pos-label", metavar="LABEL", help="class whose scores these are (default: the last)")
    add("--confidence-level", type=float, metavar="SHARE", help="default 0.95")
    add("--n-bootstraps", type=int, metavar="N", help="number of draws, default 2000")
    add("--seed", type=int, metavar="N", help="of the draws, default 0")
    add("--sep", metavar="CHARACTER", help="what is between values of a text file: ';' or tab")
    add("--decimal", metavar="CHARACTER", help="decimal sign of a text file: . or ,")
    add("--encoding", metavar="NAME", help="encoding of a text file, such as cp1252")
    add("--report", metavar="HTML", help="page to write (the demonstration: report.html)")
    add("--version", action="version", version=__version__)
    return parser


def _check_report(path: str, *, needed: bool) -> None:
    """Raise, before anything is computed, where no report can be written."""
    if find_spec("jinja2") is not None:
        check_page(path)
    elif needed:
        raise ImportError(
            "--report needs jinja2, which is not installed: python -m pip install "
            '"sklearn-bbc[report,plot]" brings it.'
        )


def demonstrate(report: str) -> int:
    """Tune on 60 patients, print the corrected score and the truth, and write a report."""
    X, y = load_diabetes(return_X_y=True)
    y = y > 140
    model = make_pipeline(SelectKBest(), KNeighborsClassifier())
    grid = {"selectkbest__k": range(1, 11), "kneighborsclassifier__n_neighbors": range(1, 16)}
    search = BBCSearchCV(model, grid, cv=10, random_state=0)
    search.shows_progress = True
    print("150 configurations are tuned on 60 patients of scikit-learn's diabetes data.")
    search.fit(X[:60], y[:60])
    print(f"\n{search.table()}\n\n{_wrapped(search.summary())}\n")
    truth = search.score(X[60:], y[60:])
    comparison = (
        f"The other {len(y) - 60} patients took no part. On them the selected model has an "
        f"accuracy of {fixed(truth)}: GridSearchCV would have reported "
        f"{fixed(search.best_score_)}, the corrected score is {fixed(search.bbc_score_)}."
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
    method = BBC(
        confidence_level=given.confidence_level,
        n_bootstraps=given.n_bootstraps,
        random_state=given.seed,
    )
    table = read_table(
        Path(given.file), sep=given.sep, decimal=given.decimal, encoding=given.encoding,
        labels=[name for name in (given.fold, given.groups) if name is not None],
    )  # fmt: skip
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        oof, taken = _predictions(given, table)
        print("\n".join(map(_wrapped, taken)))
        result = method.estimate(oof, given.scoring)
        print(f"\n{_wrapped(result.summary())}", flush=True)  # what follows may take longer
        tied = _tied(given, oof)
    if tied is not None:
        print(f"\n{_wrapped(str(tied))}")
    notes = dict.fromkeys([*result.details["notes"], *(str(each.message) for each in caught)])
    for note in [note for note in notes if note not in taken]:
        print(f"\n{_wrapped('Note: ' + note)}")
    if given.report is not None:
        page = write_report(
            given.report, oof, result, title=f"Predictions in {table.name}",
            tied=tied or False, code=shlex.join(given.words),
        )  # fmt: skip
        print(f"\nThe whole page is in {page}")
    return 0


def compare_systems(given: argparse.Namespace) -> int:
    """Print which of several fixed systems is the best, from their scores per item in a file."""
    system = None if given.system is None else given.system.split(",")
    if given.item is None:
        raise ValueError("--item is missing: the column that says which item a score is for.")
    if system is None and given.score is not None:
        raise ValueError(
            f"--score {given.score} is for a file with a row for each score. Give --system, too: "
            "the column that says whose score it is."
        )
    named = [given.item, *(system or ()), given.groups, given.run]
    table = read_table(
        Path(given.file), sep=given.sep, decimal=given.decimal, encoding=given.encoding,
        labels=[name for name in named if name is not None],
    )  # fmt: skip

    def column(name: str | None, option: str) -> str | None:
        return None if name is None else column_of(table, name, option)

    frame = table.frame.drop(columns=columns_of(table, given.ignore or [], "--ignore"))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        arguments = {
            "item": column(given.item, "--item"), "groups": column(given.groups, "--cluster"),
            "system": None if system is None else [column(name, "--system") for name in system],
            "score": column(given.score, "--score"), "run": column(given.run, "--run"),
            "sample_weight": column(given.sample_weight, "--sample-weight"),
            "baseline": given.baseline, "greater_is_better": not given.losses,
            "missing": "drop_items" if given.drop_items else "raise",
            "confidence_level": given.confidence_level, "n_bootstraps": given.n_bootstraps,
            "random_state": given.seed,
        }  # fmt: skip
        try:
            result = best_of(frame, **arguments)
        except ValueError as error:
            raise ValueError(_as_options(str(error))) from error
    print(f"{result.table()}\n\n{_wrapped(result.summary())}")
    notes = dict.fromkeys([*result.details["notes"], *(str(each.message) for each in caught)])
    for note in map(_as_options, notes):
        print(f"\n{_wrapped('Note: ' + note)}")
    if given.report is not None:
        page = write_systems(given.report, result, table.name, shlex.join(given.words))
        print(f"\nThe whole page is in {page}")
    return 0


OPTIONS = {
    "missing='drop_items'": "--drop-items", "system=[..., ...]": "--system COLUMN,COLUMN",
    " or a third axis": "", **{f"{name}=...": f"--{name}" for name in ("item", "system", "run",
    "score")}, **{f"{name}=": f"--{name} " for name in ("item", "system", "run", "score")},
    "baseline=": "--baseline ", "groups=...": "--cluster", "groups=": "--cluster ",
}  # fmt: skip
"""What messages of `best_of` call the options of the command line."""


def _as_options(message: str) -> str:
    """Name options in place of arguments; a list of columns is written as one gives it."""
    listed = r"=\[((?:'[^']*'(?:, )?)+)\]"
    message = re.sub(listed, lambda found: "=" + found[1].replace("', '", ",").strip("'"), message)
    for argument, option in OPTIONS.items():
        message = message.replace(argument, option)
    return " ".join(message.split())


def _tied(given: argparse.Namespace, oof: OOFPredictions) -> TiedSet | None:
    """Find what ties with the best; warn where that cannot be done, as the score needs it not."""
    if oof.n_configs == 1:
        return None
    try:
        return tied_with_best(
            oof, given.scoring, confidence_level=given.confidence_level,
            draws=BBC(n_bootstraps=given.n_bootstraps, random_state=given.seed),
        )  # fmt: skip
    except ValueError as error:
        warnings.warn(f"The set of tied configurations is left out: {error}", stacklevel=1)
        return None


def _predictions(given: argparse.Namespace, table: Table) -> tuple[OOFPredictions, list[str]]:
    """Make predictions of the columns of a table, and say what was taken for what."""
    values: dict[str, np.ndarray | None] = {}
    taken: dict[str, str] = {}
    for name in ("target", "fold", "groups", "sample_weight", "order"):
        column, option = getattr(given, name), f"--{name.replace('_', '-')}"
        if column is not None:
            _take(taken, [column_of(table, column, option)], option)
        values[name] = None if column is None else values_of(table, column, option)
        if column is not None and _are_numbers(name, values[name]):
            check_numbers(table, column, option, 0 if name == "sample_weight" else -np.inf)
    y_true = values["target"]
    assert y_true is not None
    _check_target(y_true, table, given.target)
    if not given.rows_are_samples:
        why = why_not_samples(
            table, y_true, given.target, fold=given.fold, groups=given.groups,
            predictions=columns_of(table, given.predictions or (), "--predictions"),
        )  # fmt: skip
        if why is not None:
            raise ValueError(why)
    names, unused = _chosen(given, table, taken, y_true, values["fold"])
    y_pred = _matrix(table, names, y_true)
    _check_models(given, table, y_pred, y_true)
    for name in names:
        if how_exactly := tells_classes(y_pred[name], y_true):
            warnings.warn(
                f"Column {name!r} {how_exactly}. If it is a copy of it, or that of which the "
                f"target was made, and no prediction, add --ignore '{name}'.",
                stacklevel=1,
            )
    how = f", {table.how}" if table.how else ""
    lines = [
        f"{table.name}: {count(len(table.frame), 'row')}{how}.",
        f"Predictions: {count(len(names), 'column')}, {listing(names)}.",
        *unused,
    ]
    pos_label = None
    if given.pos_label is not None:
        pos_label = label_named(given.pos_label, y_true, "--pos-label", given.target)
        y_true, y_pred, pos_label = _labels_as_text(y_true, y_pred, pos_label, given.scoring)
    y_pred, failed = _without_missing_labels(y_pred, values["fold"])
    oof = OOFPredictions(
        y_true=y_true, y_pred=y_pred, pos_label=pos_label, fold=values["fold"],
        groups=values["groups"], sample_weight=values["sample_weight"], notes=unused,
        failed=failed,
    ).with_blocks(_block_length(given), order=values["order"])  # fmt: skip
    return oof, lines


def _are_numbers(name: str, values: np.ndarray | None) -> bool:
    """Check whether a column must hold numbers: weights, or most of the values are some."""
    if values is None or name in ("fold", "groups"):
        return False
    there = pd.to_numeric(pd.Series(values), errors="coerce").notna()
    return name == "sample_weight" or bool(there.all() or (name == "order" and there.any()))


def _block_length(given: argparse.Namespace) -> int | str | None:
    """Read the length of blocks."""
    text: str | None = given.block_length
    if text is None and given.order is not None:
        raise ValueError("--order is the order of blocks: give --block-length auto, too.")
    if text in (None, "auto"):
        return text
    if not text.isdecimal() or not int(text):
        raise ValueError(f"--block-length must be a number of samples or auto, got {text!r}.")
    return int(text)


def _chosen(
    given: argparse.Namespace,
    table: Table,
    taken: dict[str, str],
    y_true: np.ndarray,
    fold: np.ndarray | None,
) -> tuple[list[str], list[str]]:
    """Choose the columns that are predictions; say which others are not used, and why."""
    ignored = columns_of(table, given.ignore or (), "--ignore")
    _take(taken, ignored, "--ignore")
    if given.predictions is not None:
        asked = columns_of(table, given.predictions, "--predictions")
        names = [name for name in asked if name not in ignored]
        _take(taken, names, "--predictions")
        left_out = [name for name in table.frame if name not in taken]
        hint = ""
    else:
        why = {
            name: why_not_predictions(table.frame[name], y_true, fold)
            for name in table.frame
            if name not in taken
        }
        numbers = {
            name: each
            for name, reason in why.items()
            if reason is None and (each := numbers_in(table.frame[name])) is not None
        }
        why |= errors_of_others(numbers, y_true)
        names = [name for name, reason in why.items() if reason is None]
        left_out = [f"{name} ({reason})" for name, reason in why.items() if reason is not None]
        hint = " Where one is a prediction, name all of them with --predictions."
    unused = [f"Not used: {', '.join(left_out)}."] if left_out else []
    if not names:
        raise ValueError(
            " ".join([f"{table.name} has no column with predictions.", *unused])
            + " Name them with --predictions."
        )
    return names, [f"{each}{hint}" for each in unused]


def _check_target(y_true: np.ndarray, table: Table, name: str) -> None:
    """Refuse a target of dates, and one of numbers with a few words among them."""
    if are_dates(table.frame[name]):
        raise ValueError(f"--target: column {name!r} of {table.name} holds dates, not a target.")
    if y_true.dtype.kind != "O":
        return
    words = np.flatnonzero(pd.to_numeric(pd.Series(y_true), errors="coerce").isna())
    if 0 < len(words) < FEWEST and len(words) < len(y_true) / 2:
        raise ValueError(
            f"--target: column {name!r} of {table.name} has {y_true[words[0]]!r} in row "
            f"{words[0] + 1} of the data, and numbers nearly everywhere else. Leave such rows out."
        )


def _take(taken: dict[str, str], names: Sequence[str], option: str) -> None:
    """Note by which option columns are named; refuse a column that another one names."""
    for name in names:
        other = taken.setdefault(name, option)
        if other != option:
            raise ValueError(f"Column {name!r} is named by {other} and by {option}.")


def _matrix(table: Table, names: list[str], y_true: np.ndarray) -> pd.DataFrame:
    """Make a matrix of numbers, or of labels where the target has labels that are text."""
    columns = {name: numbers_in(table.frame[name]) for name in names}
    texts = [name for name in names if columns[name] is None]
    labels = np.unique(y_true).tolist() if y_true.dtype.kind == "O" else None
    for name in texts:
        found = first_not(table.frame[name], labels)
        if found is None and labels is None:  # text that looks like numbers
            found = next((k, v) for k, v in enumerate(table.frame[name]) if isinstance(v, str))
        if found is not None:
            row, value = found
            what = "a number"
            if labels is not None:
                there = listing(labels) if len(labels) <= FEW else f"such as {labels[0]!r}"
                what = f"a label of the target ({there})"
            comma = isinstance(value, str) and "," in value and labels is None
            raise ValueError(
                f"Column {name!r} of {table.name} has {value!r} in row {row + 1} of the data, "
                f"which is not {what}. If the column is no prediction, add --ignore '{name}'."
                + " If the comma is the decimal sign, add --decimal ,."
                * comma
            )
    if texts and len(texts) < len(names):
        numbers = [name for name in names if columns[name] is not None]
        raise ValueError(
            f"Of the columns of {table.name}, {listing(texts)} hold labels and {listing(numbers)} "
            "numbers. A metric takes one kind: name its columns with --predictions."
        )
    if texts:
        return table.frame[texts].astype(object)
    return pd.DataFrame(columns)


def _check_models(
    given: argparse.Namespace, table: Table, y_pred: pd.DataFrame, y_true: np.ndarray
) -> None:
    """Refuse columns that are not the predictions of one model each, of the positive class."""
    names, asked = [*y_pred], given.predictions is not None
    positive = np.unique(y_true)[-1]
    if given.pos_label is not None:
        positive = label_named(given.pos_label, y_true, "--pos-label", given.target)
    roles = (given.target, given.fold, given.groups, given.sample_weight, given.order)
    others = [name for name in table.frame if name not in roles]
    if found := why_of_predicted_class(table, names, y_true, positive, others):
        why, sure = found
        if sure:
            raise ValueError(f"{why}.")
        if not asked:
            raise ValueError(
                f"{why}. If they are that, compute those of the positive class. If not, name the "
                "columns with predictions, with --predictions."
            )
        warnings.warn(f"{why}. If they are that, the score is wrong.", stacklevel=1)
    numeric = all(map(pd.api.types.is_numeric_dtype, y_pred.dtypes))
    if not asked and numeric:
        why_not = why_not_models({name: y_pred[name].to_numpy() for name in y_pred}, y_true)
        if why_not is not None:
            raise ValueError(
                f"{why_not}. Name the predictions, of one class only: --predictions COLUMN ..."
            )
    if given.pos_label is None and (label := class_in_names(names, y_true)) is not None:
        raise ValueError(
            f"{listing(names)} {'is' if len(names) == 1 else 'are'} named after class {label!r}, "
            f"but scores are taken to be higher for {np.unique(y_true)[1]!r}, the last one. Add "
            f"--pos-label {shlex.quote(str(label))}, or name the other one, if they are not."
        )


def _without_missing_labels(
    y_pred: pd.DataFrame, fold: np.ndarray | None
) -> tuple[pd.DataFrame, np.ndarray | None]:
    """Fill in missing labels that are text; say which configurations (n_configs,) lack some."""
    missing = y_pred.isna().to_numpy()
    if not missing.any() or all(map(pd.api.types.is_numeric_dtype, y_pred.dtypes)):
        return y_pred, None
    tested = np.ones(len(y_pred), bool) if fold is None else fold_codes(fold, fold.shape) >= 0
    label = next(value for name in y_pred for value in y_pred[name].dropna())
    return y_pred.where(~missing, label), missing[tested].any(axis=0)


def _labels_as_text(
    y_true: np.ndarray, y_pred: pd.DataFrame, pos_label: Any, scoring: str
) -> tuple[np.ndarray, pd.DataFrame, Any]:
    """Write labels that are numbers as text where they could be taken for scores."""
    classes = np.unique(y_true)
    if y_true.dtype.kind == "O" or pos_label == classes[1]:
        return y_true, y_pred, pos_label
    if not are_labels(y_pred.to_numpy(), classes):
        return y_true, y_pred, pos_label
    if getattr(scorer_named(scoring), "_response_method", "") != "predict":
        raise ValueError(
            f"--pos-label {pos_label}: the predictions are labels, but {scoring} needs scores "
            f"that are higher for {pos_label}. Leave --pos-label out to take the labels as scores."
        )
    names = {label: str(label) for label in classes.tolist()}
    texts = y_pred.apply(lambda column: column.map(names))
    return pd.Series(y_true).map(names).to_numpy(dtype=object), texts, names[pos_label]


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 88)


if __name__ == "__main__":
    sys.exit(main())
