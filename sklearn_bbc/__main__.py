"""Show what tuning costs in optimism, or correct the predictions in a file.

``python -m sklearn_bbc`` runs a demonstration; ``python -m sklearn_bbc PATH --scoring NAME``
corrects the best of the configurations whose out-of-fold predictions are at a path: a file or a
folder of a tool that is known, or a table, of which ``--target COLUMN`` and others say what its
columns are. ``--report HTML`` writes the page. ``python -m sklearn_bbc FILE --item COLUMN`` does
it for scores per item of systems that are fixed, such as prompts.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
import textwrap
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes
from sklearn.feature_selection import SelectKBest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from . import BBCSearchCV, OOFPredictions, __version__, write_report
from ._batches import is_out_of_memory, size_text, why_out_of_memory
from ._tables import FileTable, column_of, columns_of, listing
from ._text import count, fixed
from ._utils import did_you_mean
from .comparison import best_of, tied_with_best
from .contest._moments_of_files import LargeFile, large_file
from .intervals import BBC
from .predictions._scores import MISSING_OPTIONS, table_of_scores
from .predictions.readers._path import Found, PathOptions, predictions_at
from .predictions.readers._recognise import READERS, parts_in, table_in, tool_of_scores
from .predictions.readers._scattered_scores import scores_of_parts
from .report._systems import write_systems
from .results import TiedSet
from .search._reporting import check_page

EPILOG = """\
examples:
  python -m sklearn_bbc
  python -m sklearn_bbc caret_predictions.csv --what
  python -m sklearn_bbc caret_predictions.csv --scoring roc_auc --fail-below 0.7
  python -m sklearn_bbc AutoML_1 --scoring roc_auc
  python -m sklearn_bbc h2o_folder --target train.csv:y --scoring roc_auc
  python -m sklearn_bbc long.csv --sample id --config model --target y --scoring roc_auc
  python -m sklearn_bbc folder_of_files --target y --scoring neg_log_loss
  python -m sklearn_bbc predictions.csv --target y --scoring roc_auc
  python -m sklearn_bbc predictions.csv --target y --scoring f1 --fold fold --groups patient
  python -m sklearn_bbc predictions.csv --target y --scoring roc_auc --predictions 'model_*'
  python -m sklearn_bbc predictions.csv --target y --scoring r2 --report report.html
  python -m sklearn_bbc scores.csv --item question --baseline now --report report.html
  python -m sklearn_bbc scores.csv --item question --system model,prompt --score correct
  python -m sklearn_bbc answers.jsonl --item task,doc_id --system model --run epoch --score correct
  python -m sklearn_bbc lm_eval_results --score exact_match,strict-match
  python -m sklearn_bbc logs --score match --missing drop_runs
  python -m sklearn_bbc predictions.dta --target death --scoring roc_auc
  python -m sklearn_bbc judge.csv --item question --human people.csv
  python -m sklearn_bbc long.csv --item question --system prompt --score judge --human people.csv

PATH is a file or folder of a tool that is known (caret, mlr, mlr3, tune, Orange, Weka,
mljar-supervised), which needs no options but --scoring; a folder with a file for each
configuration, such as those of H2O, whose true values are named by --target FILE:COLUMN; or one of
two kinds of tables, from any program. A wide one has a row for each sample: the true value, and a
column for each configuration that was tried, with its prediction by a model that was not trained
on the sample, or a column for each of its classes: "m (a)", "m (b)". A long one has a row for each
sample and configuration: --sample and --config name the columns that tell them apart. All of the
configurations belong there, not only the best ones. --what says what was recognised, and stops.

Which columns are taken as predictions is printed. Without --predictions these are all columns
that no option names, but not those that look like something else: a column without a name (an
index), with the name of a sample, fold, group or target (id, fold, patient, label), of dates,
with one value only, or of whole numbers that count rows or folds.

With --item the file has scores of systems that are fixed, such as prompts or language models, on
the same items: a column for each system, or with --system a row for each score. Several columns
are written with commas: --item task,doc_id. Logs and results of inspect_ai,
lm-evaluation-harness, promptfoo and deepeval, a file or a folder, need no --item; --score names
the metric, --task the tasks, --system the settings that tell systems apart.

Tables are text (.csv, .tsv, .txt), .parquet, JSON lines (.jsonl) or .json, files of Stata (.dta)
and SAS (.sas7bdat, .xpt), and with optional packages of SPSS (.sav), Excel (.xlsx) and R (.rds).
Of two classes the event is the larger code, whatever its label, and is named.

Text files may have commas, semicolons, tabs or bars between the values, a decimal comma, and be
in UTF-8 or UTF-16. Where that cannot be found out, --sep, --decimal and --encoding say it.

Exit codes: 0 all is well; 1 with --fail-below, the lower limit of the corrected score is below
that number, or unknown; 2 the input cannot be used, or something is missing.
"""
BELOW = 1
"""Exit code of --fail-below."""
BROKEN_PIPE = 141
"""Exit code where nobody reads the output any more, as shells give it after SIGPIPE."""
OF_TARGET = (
    "target", "scoring", "predictions", "fold", "pos_label", "block_length", "order",
    "rows_are_samples", "sample", "config", "repeat",
)  # fmt: skip
OPTIONS_OF_SYSTEMS = (
    "score", "run", "human", "label_weights", "baseline", "losses", "drop_items", "missing",
    "task",
)  # fmt: skip
OF_TOOLS = ("item", "run", "human", "label_weights", "sample_weight", "ignore")
"""Options of tables of scores, which known logs do not take."""
OTHER_NAMES = {
    "metric": "--scoring", "evalmetric": "--scoring", "scorer": "--scoring", "y": "--target",
    "outcome": "--target", "truth": "--target", "id": "--sample", "model": "--config",
    "learner": "--config", "folds": "--fold", "cv": "--fold", "weights": "--sample-weight",
    "positive": "--pos-label", "event": "--pos-label", "patient": "--groups", "html": "--report",
    "output": "--report", "randomstate": "--seed", "epoch": "--run", "question": "--item",
}  # fmt: skip
"""What options may be called instead."""
DEFAULTS = {"confidence_level": 0.95, "n_bootstraps": 2000, "seed": 0}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = _parser()
    given, unknown = parser.parse_known_args(argv)
    if unknown:
        option = unknown[0].partition("=")[0]
        known = {*re.findall(r"--[a-z][a-z-]*[a-z]", parser.format_help())}
        hint = did_you_mean(option, known, OTHER_NAMES)
        parser.error(f"unrecognized arguments: {' '.join(unknown)}.{hint}")
    try:
        if given.file is None:
            for option, value in vars(given).items():
                if value is not None and option != "report":
                    parser.error(f"--{option.replace('_', '-')} needs a PATH with predictions.")
            report = "report.html" if given.report is None else given.report
            _check_report(report, needed=given.report is not None)
            return demonstrate(report)
        path = Path(given.file)
        if not path.exists():
            there = [each.name for each in path.parent.iterdir()] if path.parent.is_dir() else []
            raise FileNotFoundError(
                f"There is no file or folder {path.name} in {path.parent.resolve()}."
                f"{did_you_mean(path.name, there)}"
            )
        given.tool = None if given.item or given.target else tool_of_scores(path)
        of_systems = bool(given.item or given.system or given.tool)
        for option in OF_TARGET if of_systems else OPTIONS_OF_SYSTEMS:
            if getattr(given, option):
                how = "predictions, not for scores per item" if of_systems else "scores per item"
                more = "" if of_systems else ", which need --item with the column of the item"
                other = {"scoring": "--score", "score": "--scoring"}.get(option)
                instead = f" The metric of {'these' if of_systems else 'predictions'} is {other}."
                parser.error(
                    f"--{option.replace('_', '-')} is for {how}{more}.{instead if other else ''}"
                )
        for option, value in DEFAULTS.items():
            if getattr(given, option) is None:
                setattr(given, option, value)
        given.words = [*parser.prog.split(), *(sys.argv[1:] if argv is None else argv)]
        if given.report is not None and not of_systems:
            _check_report(given.report, needed=True)
        if of_systems:
            return compare_systems(given)
        found = read(given)
        if given.what:
            print("\nNothing was computed. Give --scoring, and leave --what out, for the result.")
            return 0
        if given.scoring is None:
            parser.error("--scoring is missing, for example --scoring roc_auc or --scoring r2.")
        return correct(given, in_parts(given, found) if isinstance(found, LargeFile) else found)
    except BrokenPipeError:
        raise
    except (ValueError, OSError, ImportError, MemoryError, RuntimeError) as error:
        if is_out_of_memory(error):
            size = getattr(given, "size", "")
            why = why_out_of_memory(error, Path(given.file or "the demonstration"), size)
            parser.exit(2, f"{parser.prog}: {why}\n")
        if isinstance(error, RuntimeError):
            raise
        options = [name for name in vars(given) if "_" in name and name in str(error)]
        here = "".join(f" Here that is --{name.replace('_', '-')}." for name in options)
        parser.exit(2, f"{parser.prog}: {error}{here}\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m sklearn_bbc",
        usage="%(prog)s [--help] [PATH] [options]",
        description="The best of many scores is too high. Correct it, with a "
        "confidence interval. Without PATH: a demonstration on data that scikit-learn ships.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    several: dict[str, Any] = {"metavar": "COLUMN", "nargs": "+", "action": "extend"}
    add = parser.add_argument
    add("file", nargs="?", metavar="PATH", help="file or folder with out-of-fold predictions")
    add("--what", action="store_true", default=None, help="say what is recognised, and stop")
    add("--target", metavar="COLUMN", help="column with the true values")
    add("--scoring", metavar="NAME", help="a scorer of scikit-learn: roc_auc, r2")
    add("--predictions", help="columns with predictions, or patterns such as 'model_*'", **several)
    add("--ignore", help="columns, or patterns, that are no predictions", **several)
    add("--sample", metavar="COLUMN", help="long tables: column of the sample")
    add("--config", help="long tables: columns that tell configurations apart", **several)
    add("--repeat", metavar="COLUMN", help="long tables: column of the repeat")
    add("--fold", metavar="COLUMN", help="column with the fold of each sample; -1 is none")
    add("--item", metavar="COLUMNS", help="scores per item of fixed systems: column of the item")
    add("--system", metavar="COLUMNS", help="column of the system, or several: model,prompt")
    add("--score", metavar="COLUMN", help="with --system: column of the score; of logs its name")
    add("--run", metavar="COLUMNS", help="with --system: column of the run; runs are averaged")
    add(
        "--human",
        metavar="FILE",
        help="scores of people where those of a judge are given: a file with the same columns, or "
        "with --system their column, empty where no person looked",
    )
    add(
        "--label-weights",
        metavar="COLUMN",
        help="with --human: column with one over the probability that people scored an item",
    )
    add("--task", metavar="TASKS", help="of logs: tasks to take, all without it")
    add("--baseline", metavar="NAME", help="system that all others are compared with")
    add("--losses", action="store_true", default=None, help="a smaller score is better")
    add(
        "--drop-items", action="store_true", default=None, help="leave out items that not all have"
    )
    add(
        "--missing", choices=MISSING_OPTIONS,
        help="what to do where a system has no score: drop_runs averages the runs there are, zero "
        "takes it as a wrong answer",
    )  # fmt: skip
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
    add(
        "--fail-below", type=float, metavar="SCORE",
        help="exit with code 1 where the lower limit of the corrected score is below",
    )  # fmt: skip
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


def read(given: argparse.Namespace) -> Found:
    """Read the predictions at a path, and print what was taken for what."""
    names = {each.name for each in fields(PathOptions)}
    options = PathOptions(**{name: value for name, value in vars(given).items() if name in names})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        large = None if given.report is not None else large_file(Path(given.file), options)
        found = large or predictions_at(OOFPredictions, Path(given.file), options)
    found.warned = [str(each.message) for each in caught]
    given.size = _size_of(found.oof) if large is None else ""
    print("\n".join(map(_wrapped, dict.fromkeys(found.lines))), flush=True)
    return found


def _size_of(oof: OOFPredictions) -> str:
    """Say how large the table of predictions is."""
    n_bytes = sum(each.nbytes for each in oof.responses.values())
    return (
        f"the predictions of {count(oof.n_configs, 'configuration')} for "
        f"{count(oof.n_samples, 'sample')} take {size_text(n_bytes)}, and scoring them takes more"
    )


def in_parts(given: argparse.Namespace, found: LargeFile) -> Found:
    """Add up the scores of a large file; read all of it, and say why, where that is not enough."""
    try:
        moments = found.moments(given.scoring)
        BBC(n_bootstraps=given.n_bootstraps, random_state=given.seed).estimate(moments)
        return Found(found.name, moments, found.lines, found.warned)
    except ValueError as error:
        print(f"\n{_wrapped(f'{error} The whole file is read into memory.')}", flush=True)
    whole = predictions_at(OOFPredictions, found.path, found.options)
    return Found(whole.name, whole.oof, found.lines, found.warned)


def correct(given: argparse.Namespace, found: Found) -> int:
    """Print the corrected score of the best configuration at a path, and what ties with it."""
    method = BBC(
        confidence_level=given.confidence_level,
        n_bootstraps=given.n_bootstraps,
        random_state=given.seed,
    )
    oof = found.oof
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = method.estimate(oof, given.scoring)
        print(f"\n{_wrapped(result.summary())}", flush=True)  # what follows may take longer
        tied = _tied_set(given, oof)
    if tied is not None:
        print(f"\n{_wrapped(str(tied))}")
    warned = [*found.warned, *(str(each.message) for each in caught)]
    notes = dict.fromkeys([*result.details["notes"], *warned])
    for note in [note for note in notes if note not in found.lines]:
        print(f"\n{_wrapped('Note: ' + note)}")
    if given.report is not None:
        page = write_report(
            given.report, oof, result, title=f"Predictions in {found.name}",
            tied=tied or False, code=shlex.join(given.words),
        )  # fmt: skip
        print(f"\nThe whole page is in {page}")
    return _exit_code(given.fail_below, result.low)


def _exit_code(least: float | None, low: float) -> int:
    """Say whether the lower limit of a score, greater is better, is below the least one."""
    if least is None or low >= least:
        return 0
    which = "not known" if np.isnan(low) else f"{fixed(low)}, below {least:g}"
    print(f"\nThe lower limit of the corrected score is {which}: exit code {BELOW}.")
    return BELOW


def compare_systems(given: argparse.Namespace) -> int:
    """Print which of several fixed systems is the best, from their scores per item."""
    missing = given.missing or ("drop_items" if given.drop_items else "raise")
    settings = {
        "baseline": given.baseline, "confidence_level": given.confidence_level,
        "n_bootstraps": given.n_bootstraps, "random_state": given.seed,
    }  # fmt: skip
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            read_scores = _scores_of_tool if given.tool else _scores_of_table
            scores, arguments, name = read_scores(given, missing)
            if isinstance(scores, OOFPredictions):
                given.size = _size_of(scores)
            n_items, systems, of_scores = _items_and_systems(scores, arguments)
            print(
                f"{name}: {count(n_items, 'item')}, {count(len(systems), 'system')}, "
                f"{listing(systems)}."
            )
            if given.what:
                for note in of_scores:
                    print(f"\n{_wrapped('Note: ' + _as_options(note))}")
                print("\nNothing was computed. Leave --what out for the result.")
                return 0
            result = best_of(scores, **arguments, **settings)
        except ValueError as error:
            raise ValueError(_as_options(str(error))) from error
    print(f"\n{result.table()}\n\n{_wrapped(result.summary())}")
    notes = dict.fromkeys([*result.details["notes"], *(str(each.message) for each in caught)])
    for note in map(_as_options, notes):
        print(f"\n{_wrapped('Note: ' + note)}")
    if given.report is not None:
        page = write_systems(given.report, result, Path(given.file).name, shlex.join(given.words))
        print(f"\nThe whole page is in {page}")
    return _exit_code(given.fail_below, result.interval.low)


def _items_and_systems(
    scores: Any, arguments: Mapping[str, Any]
) -> tuple[int, list[str], Sequence[str]]:
    """Say of scores per item how many items there are, which systems, and what is noted."""
    if isinstance(scores, OOFPredictions):
        names = [params["configuration"] for params in scores.params]
        return scores.n_samples, names, scores.notes
    not_read = ("human", "greater_is_better", "missing")
    table = table_of_scores(scores, **{k: v for k, v in arguments.items() if k not in not_read})
    return len(table.values), table.names, table.notes


def _scores_of_tool(
    given: argparse.Namespace, missing: str
) -> tuple[OOFPredictions, dict[str, Any], str]:
    """Read the logs or results of a tool that is known, and say which it is."""
    path, reader = Path(given.file), READERS[given.tool]
    options = {"score": given.score, "groups": given.groups, "missing": missing}
    if given.system:
        options["system"] = given.system.split(",")
    if given.task:
        options["task"] = given.task.split(",")
    if given.losses:
        options["greater_is_better"] = False
    known = signature(getattr(OOFPredictions, reader)).parameters
    for name in (*OF_TOOLS, *options):
        of_command = {
            "greater_is_better": "losses", "groups": "cluster",
        }.get(name, name.replace("_", "-"))  # fmt: skip
        is_given = name in options or getattr(given, name, None)
        if is_given and name not in known:
            raise ValueError(f"--{of_command} is not for scores of {given.tool}. Leave it out.")
    options = {name: value for name, value in options.items() if value is not None}
    return getattr(OOFPredictions, reader)(path, **options), {}, f"{path.name}: {given.tool}"


def _scores_of_table(given: argparse.Namespace, missing: str) -> tuple[Any, dict[str, Any], str]:
    """Read a table of scores per item; with those of people, return it with arguments."""
    if given.task:
        raise ValueError("--task is for logs of a tool that is known. Leave out other rows.")
    if given.item is None:
        raise ValueError("--item is missing: the column that says which item a score is for.")
    if given.system is None and given.score is not None:
        raise ValueError(
            f"--score {given.score} is for a file with a row for each score. Give --system, too: "
            "the column that says whose score it is."
        )
    if given.label_weights is not None and given.human is None:
        raise ValueError("--label-weights is for scores of people. Give --human, too.")
    named = {
        option: text.split(",")
        for option in ("item", "system", "run")
        if (text := getattr(given, option)) is not None
    }
    parts = [part for names in named.values() for part in names]
    how: dict[str, Any] = {
        "sep": given.sep, "decimal": given.decimal, "encoding": given.encoding,
        "labels": [*parts, *filter(None, [given.item, given.groups, given.run])],
    }  # fmt: skip

    def without_ignored(table: FileTable) -> FileTable:
        ignored = columns_of(table, given.ignore or [], "--ignore")
        return replace(table, frame=table.frame.drop(columns=ignored))

    def column(table: FileTable, name: str | None, option: str) -> str | None:
        return None if name is None else column_of(table, name, option)

    def columns(table: FileTable, option: str) -> Any:
        text = getattr(given, option)
        if text is None:
            return None
        names = [text] if text in table.frame else named[option]
        names = [column_of(table, name, f"--{option}") for name in names]
        return names if option == "system" or len(names) > 1 else names[0]

    def roles(table: FileTable) -> dict[str, Any]:
        return {
            **{option: columns(table, option) for option in ("item", "system", "run")},
            "score": column(table, given.score, "--score"),
            "groups": column(table, given.groups, "--cluster"),
            "sample_weight": column(table, given.sample_weight, "--sample-weight"),
        }  # fmt: skip

    path, table = Path(given.file), None
    settings: dict[str, Any] = {"greater_is_better": not given.losses, "missing": missing}
    is_long = given.system is not None and given.score is not None and given.human is None
    if is_long and (in_parts := parts_in(path, **how)) is not None:
        scores = scores_of_parts(in_parts, lambda some: roles(without_ignored(some)))
        if scores is not None:
            oof = OOFPredictions.from_scores(scores, system=named["system"], **settings)
            return oof, {}, in_parts.name
        table = in_parts.whole()
    table = table or table_in(path, **how)
    frame, arguments = without_ignored(table).frame, roles(table) | settings
    if given.human is None:
        return OOFPredictions.from_scores(frame, **arguments), {}, table.name
    is_column = given.system is not None and (
        given.human in table.frame or not Path(given.human).is_file()
    )
    arguments["human"] = (
        column(table, given.human, "--human") if is_column else _people(given, parts)
    )
    arguments["label_weights"] = column(table, given.label_weights, "--label-weights")
    return frame, arguments, table.name


def _people(given: argparse.Namespace, labels: list[str]) -> pd.DataFrame:
    """Read the file with scores of people."""
    file = Path(given.human)
    if not file.is_file():
        raise ValueError(
            f"--human {given.human} is no file. Beside a column for each system, scores of people "
            "are in a file with the same columns; with a row for each score (--system) they are "
            "in a file or in a column."
        )
    table = table_in(
        file, sep=given.sep, decimal=given.decimal, encoding=given.encoding,
        labels=[*labels, given.item],
    )  # fmt: skip
    return table.frame.drop(columns=[name for name in given.ignore or [] if name in table.frame])


OPTIONS = {
    **{f"missing={rule!r}": f"--missing {rule}" for rule in MISSING_OPTIONS},
    "missing='drop_items'": "--drop-items",
    **{f"{name}=[..., ...]": f"--{name} COLUMN,COLUMN" for name in ("system", "item", "run")},
    " or a third axis": "", **{f"{name}=...": f"--{name}" for name in ("item", "system", "run",
    "score", "task", "human")},
    **{f"{name}=": f"--{name} " for name in ("item", "system", "run", "score", "task", "human")},
    "label_weights=1 / probability": "--label-weights with 1 / probability",
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


def _tied_set(given: argparse.Namespace, oof: OOFPredictions) -> TiedSet | None:
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


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 88)


def run() -> int:
    """Run the command of this process; end without a word where nobody reads what it prints."""
    code: Any
    try:
        try:
            code = main()
        except SystemExit as ended:
            code = ended.code
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the flush at the end
        code = BROKEN_PIPE
    return int(code or 0)


if __name__ == "__main__":
    sys.exit(run())
