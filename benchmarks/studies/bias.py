"""``coverage.py bias``: by how much the best score of a search is too high, and what corrects it.

The simulation of the paper that introduced BBC: true accuracies of the configurations are draws of
Beta(9, 6), every prediction is right with that probability, independently; ten folds. The truth is
the true accuracy of the configuration with the best score.

Nested cross-validation needs trained models, of which there are none here: its inner selection
uses the predictions for the other nine folds, its outer score those for the tenth.

Reference: I. Tsamardinos, E. Greasidou, G. Borboudakis, "Bootstrapping the out-of-sample
predictions for efficient and accurate cross-validation", Machine Learning 107 (2018).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.harness import record
from benchmarks.harness import study as _study
from benchmarks.harness.study import Part, Study
from benchmarks.studies import bias_real
from benchmarks.studies.bias_real import Point
from sklearn_bbc import ConfidenceInterval, OOFPredictions
from sklearn_bbc.intervals import BBC, BBCF, BaseInterval, TibshiraniTibshirani

CONFIGS = (50, 100, 500, 2000)
SAMPLES = (20, 40, 60, 80, 100, 500, 1000)
N_FOLDS = 10
METHODS = ("best CV score", "Tibshirani-Tibshirani", "nested CV", "BBC", "BBC-F")


@dataclass(frozen=True)
class Size:
    """One cell of the simulation.

    Attributes
    ----------
    n_configs, n_samples : int
        Sizes.
    """

    n_configs: int
    n_samples: int

    def describe(self) -> dict[str, int]:
        """Columns of the table."""
        return {"C": self.n_configs, "N": self.n_samples}


def nested_score(correct: np.ndarray) -> float:
    """Mean score of the outer folds, where each selects on the others.

    Parameters
    ----------
    correct : ndarray of shape (n_folds, n_configs)
        Right predictions per fold; folds of equal size.

    Returns
    -------
    float
        In right predictions per fold.
    """
    winners = (correct.sum(axis=0) - correct).argmax(axis=1)
    return float(correct[np.arange(len(correct)), winners].mean())


def draw(setting: Size, seed: np.random.SeedSequence, run_seed: int) -> Iterator[Part]:
    """Draw one data set.

    Parameters
    ----------
    setting : Size
        What to draw.
    seed : SeedSequence
        Seed of the data set.
    run_seed : int
        Not needed: nothing is shared among data sets.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    n_samples = setting.n_samples
    accuracy = rng.beta(9, 6, setting.n_configs)
    right = rng.random((n_samples, setting.n_configs)) < accuracy
    y = np.arange(n_samples) % 2  # which label is right does not matter for the accuracy
    pred = np.where(right, y[:, None], 1 - y[:, None])
    oof = OOFPredictions(
        y_true=y, y_pred=pred, fold=np.arange(n_samples) // (n_samples // N_FOLDS)
    )
    correct = right.reshape(N_FOLDS, n_samples // N_FOLDS, -1).sum(axis=1)
    scores = correct.sum(axis=0) / n_samples
    yield Part(
        "accuracy",
        {"truth": float(accuracy[scores.argmax()])},
        {
            "best CV score": lambda n_bootstraps, seed: Point(float(scores.max())),
            "Tibshirani-Tibshirani": _of(TibshiraniTibshirani(), oof),
            "nested CV": lambda n_bootstraps, seed: Point(
                nested_score(correct) * N_FOLDS / n_samples
            ),
            "BBC": _of(BBC(), oof),
            "BBC-F": _of(BBCF(), oof),
        },
    )


def _of(method: BaseInterval, oof: OOFPredictions) -> Callable[[int, int], ConfidenceInterval]:
    def run(n_bootstraps: int, seed: int) -> ConfidenceInterval:
        if "n_bootstraps" in method.get_params():
            method.set_params(n_bootstraps=n_bootstraps, random_state=seed)
        return method.estimate(oof, "accuracy")

    return run


BIAS = Study(
    name="bias",
    help="mean bias of the best score of a search and of what corrects it",
    settings={
        f"C{setting.n_configs}_N{setting.n_samples}": setting
        for setting in (Size(c, n) for c in CONFIGS for n in SAMPLES)
    },
    truths=("truth",),
    parts=lambda setting: [("accuracy", method) for method in METHODS],
    draw=draw,
    repetitions=500,
    n_bootstraps=1000,
)


def summarise(study: Study, found: pd.DataFrame) -> pd.DataFrame:
    """Bias, spread and time of each method in each setting.

    Parameters
    ----------
    study : Study
        Where the rows are from.
    found : DataFrame
        One row per data set and method.

    Returns
    -------
    DataFrame
        ``bias`` is the mean of estimate minus truth (positive is too good to be true), with its
        standard error; ``spread`` the standard deviation of that difference, ``seconds`` the
        mean processor time. Coverage and width where there are intervals.
    """
    rows = []
    for (name, part, method), group in found.groupby(["setting", "part", "method"], sort=False):
        error = group["estimate"] - group["truth"]
        with_interval = group[group["low"].notna() & group["high"].notna()]
        held = with_interval["truth"].between(with_interval["low"], with_interval["high"])
        rows.append(
            {
                **study.settings[name].describe(),
                "part": part,
                "method": method,
                "runs": len(group),
                "truth": group["truth"].mean(),
                "estimate": group["estimate"].mean(),
                "bias": error.mean(),
                "bias_se": error.sem(),
                "spread": error.std(),
                "coverage": held.mean() if len(with_interval) else np.nan,
                "width": (with_interval["high"] - with_interval["low"]).mean(),
                "seconds_each": group["seconds"].mean(),
            }
        )
    return pd.DataFrame(rows)


def table_of_bias(table: pd.DataFrame) -> str:
    """Bias in Markdown: one row per setting, one column per method.

    Parameters
    ----------
    table : DataFrame
        From `summarise`.
    """
    setting = list(table.columns[: table.columns.get_loc("part")])
    methods = list(dict.fromkeys(table["method"]))
    wide = table.pivot(index=setting, columns="method", values="bias").reindex(columns=methods)
    order = table[setting].drop_duplicates()
    shown = order.merge(wide.reset_index(), on=setting, how="left", validate="1:1")
    shown[methods] = shown[methods].map(lambda bias: f"{bias:+.3f}")
    return record.markdown(shown)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the subcommand."""
    parser.add_argument(
        "--real", action="store_true",
        help="six real pipelines and data sets of 100 samples instead, with nested CV",
    )  # fmt: skip
    parser.add_argument(
        "--settings", nargs="+", metavar="NAME",
        help=f"some of: {', '.join(BIAS.settings)}; with --real of: "
        f"{', '.join(bias_real.SETTINGS)}",
    )  # fmt: skip
    parser.add_argument(
        "--repetitions", type=int,
        help=f"data sets per setting, {BIAS.repetitions} unless given, with --real "
        f"{bias_real.REAL.repetitions}",
    )  # fmt: skip
    parser.add_argument(
        "--n-bootstraps", type=int, default=BIAS.n_bootstraps, help="draws per data set"
    )
    parser.add_argument("--seed", type=int, default=BIAS.seed, help="seed of the run")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument(
        "--report", action="store_true", help="compute nothing, show what earlier runs computed"
    )
    parser.add_argument("--output", type=Path, default=record.RESULTS, help="folder for results")
    parser.add_argument("--fresh", action="store_true", help="forget what earlier runs computed")


def bias(arguments: argparse.Namespace) -> pd.DataFrame:
    """How optimistic the best score of a search is, and what the corrections leave of that.

    Simulated accuracies ~ Beta(9, 6), as in the paper that introduced BBC; or real data, where
    nested cross-validation can be run: its bias, spread and time beside those of BBC.
    """
    study = replace(bias_real.REAL if arguments.real else BIAS, summarise=summarise)
    names = arguments.settings or list(study.settings)
    unknown = [name for name in names if name not in study.settings]
    if unknown:
        raise SystemExit(f"Unknown settings {unknown}; there are {', '.join(study.settings)}.")
    given = {
        "settings": names,
        "methods": None,
        "repetitions": arguments.repetitions or study.repetitions,
    }
    table = _study.conduct(study, argparse.Namespace(**{**vars(arguments), **given}))
    text = "Mean of estimate minus truth: positive is too good to be true.\n\n"
    text += table_of_bias(table)
    if arguments.real:
        text += "\n" + record.markdown(table.drop(columns=["part"]))
    codes = pd.read_csv(arguments.output / f"{study.name}.csv", usecols=["code"])["code"]
    record.write_report(text, arguments.output / f"{study.name}.md", codes)
    print(text)
    return table
