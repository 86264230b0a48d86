"""Data with a known truth: the simulation of the published comparison, as it was coded.

Out-of-fold scores of C configurations are drawn directly, no model is trained: the true AUC
of each configuration is a draw of a Beta distribution, scores of the two classes are normal with
the distance that gives this AUC. Classes have fixed sizes, every fold has its share of both.

The paper describes Bernoulli classes, a balance of the majority class and shifted positives; its
code fixes the sizes, takes the balance as the share of class 0 (the minority) and shifts the
negatives. This is the code's version, since the published numbers come from it. The AUC does not
see the difference in location; a metric with a threshold would.

With more classes, every ordered pair of classes (a, b) has a true AUC of its own, for the score of
class a; the true score of a configuration is their mean. The published numbers with five classes
are void (labels were cast to bool before scoring), so there is nothing to compare these with.

As a command it writes these data sets to files, one each, the same that ``coverage.py table2``
draws with this seed. `OOFPredictions.load` reads them; the true AUC of configuration k is
``params[k]["true_auc"]``. A file that is there already is left alone::

    python benchmarks/simulate.py --rows 1 16 --repetitions 3 --output /tmp/data_sets

Reference: K. Paraschakis, A. Castellani, G. Borboudakis, I. Tsamardinos, "Confidence interval
estimation of predictive performance in the context of AutoML", AutoML 2024.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import norm

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.harness import record
from sklearn_bbc import OOFPredictions


@dataclass(frozen=True)
class Setting:
    """One row of the published table.

    Attributes
    ----------
    alpha, beta : float
        Distribution of the true AUC over configurations.
    n_samples, n_configs : int
        Size of the data set and of the search.
    balance : float
        Share of class 0. With more than two classes 0.5 stands for equal shares, as in the
        published tables.
    n_classes : int, default=2
        Number of classes; those after the first have equal shares.
    """

    alpha: float
    beta: float
    n_samples: int
    n_configs: int
    balance: float
    n_classes: int = 2

    @property
    def name(self) -> str:
        """For example ``"24-6_N500_C100_b0.1"``."""
        text = f"{self.alpha:g}-{self.beta:g}_N{self.n_samples}_C{self.n_configs}"
        more = f"_K{self.n_classes}" if self.n_classes > 2 else ""
        return f"{text}_b{self.balance:g}{more}"

    @property
    def scoring(self) -> str:
        """Metric: the AUC, or the mean AUC over all ordered pairs of classes."""
        return "roc_auc" if self.n_classes == 2 else "roc_auc_ovo"

    @property
    def class_sizes(self) -> tuple[int, ...]:
        """Number of samples of each class."""
        first = self.balance
        if self.n_classes > 2 and first == 0.5:
            first = 1 / self.n_classes
        others = [(1 - first) / (self.n_classes - 1)] * (self.n_classes - 1)
        ends = np.floor(self.n_samples * np.cumsum([first, *others]) + 1e-9).astype(int)
        return tuple(int(size) for size in np.diff(ends, prepend=0))

    @property
    def n_folds(self) -> int:
        """Ten folds, fewer where the smaller class has fewer than ten samples."""
        return min(10, *self.class_sizes)


TABLE2 = tuple(
    Setting(alpha, beta, n_samples, n_configs, balance)
    for alpha, beta in ((24, 6), (9, 6))
    for n_samples in (500, 50)
    for n_configs in (100, 500)
    for balance in (0.1, 0.5)
)
"""The 16 rows of Table 2 with two classes, in its order."""
FIVE_CLASSES = tuple(replace(setting, n_classes=5) for setting in TABLE2)
"""The same with five classes."""


def simulate(setting: Setting, seed: np.random.SeedSequence) -> tuple[OOFPredictions, np.ndarray]:
    """Draw one data set.

    Parameters
    ----------
    setting : Setting
        What to draw.
    seed : SeedSequence
        Seed of this data set alone.

    Returns
    -------
    oof : OOFPredictions
        Scores of all configurations; samples are sorted by class, folds run through them.
    truth : ndarray of shape (n_configs,)
        True AUC of each configuration.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    if setting.n_classes > 2:
        return _several_classes(setting, rng)
    n_samples, n_configs = setting.n_samples, setting.n_configs
    truth = rng.beta(setting.alpha, setting.beta, n_configs)
    y = np.repeat([0, 1], setting.class_sizes)
    scores = rng.standard_normal((n_samples, n_configs))
    # P(X1 > X0) = Phi(distance / sqrt(2)) for two normal variables of variance 1.
    scores[y == 0] -= np.sqrt(2) * norm.ppf(truth)
    fold = np.arange(n_samples) % setting.n_folds
    return OOFPredictions(y_true=y, y_pred=scores, fold=fold), truth


def _several_classes(
    setting: Setting, rng: np.random.Generator
) -> tuple[OOFPredictions, np.ndarray]:
    n_samples, n_configs, n_classes = setting.n_samples, setting.n_configs, setting.n_classes
    pairwise = rng.beta(setting.alpha, setting.beta, (n_configs, n_classes, n_classes))
    for k in range(n_classes):
        pairwise[:, k, k] = 0.5
    y = np.repeat(np.arange(n_classes), setting.class_sizes)
    scores = rng.standard_normal((n_samples, n_configs, n_classes))
    # Of a sample of class b, the score of class a lies pairwise[:, a, b] below those of class a.
    scores -= np.sqrt(2) * np.moveaxis(norm.ppf(pairwise)[:, :, y], 2, 0)
    # The metric wants rows that sum to one, here up to its tolerance: a steeper scale would
    # disturb the order within a column.
    scores = 1 / n_classes + 1e-7 * scores
    fold = np.arange(n_samples) % setting.n_folds
    off_diagonal = pairwise.sum(axis=(1, 2)) - 0.5 * n_classes
    truth = off_diagonal / (n_classes * (n_classes - 1))
    return OOFPredictions(y_true=y, y_pred=scores, fold=fold), truth


def write(row: int, repetition: int, seed: int, path: Path) -> None:
    """Draw one data set and write it to a file, in one step.

    Parameters
    ----------
    row : int
        Row of Table 2, from 1; those with five classes from 17.
    repetition : int
        Number of the data set, from 0.
    seed : int
        Seed of the whole run.
    path : Path
        File, with ``.npz``.
    """
    # As in `coverage.py table2`, whose second seed is for the draws of the methods.
    data_seed, _ = np.random.SeedSequence(seed, spawn_key=(row, repetition)).spawn(2)
    oof, truth = simulate((*TABLE2, *FIVE_CLASSES)[row - 1], data_seed)
    oof = OOFPredictions.from_rows(
        y_true=oof.y_true,
        responses=oof.responses,
        classes=oof.classes_,
        fold=oof.fold,
        params=[{"true_auc": float(auc)} for auc in truth],
    )
    part = path.with_suffix(".part.npz")
    oof.save(part)
    part.replace(path)


def parse(argv: list[str] | None = None) -> argparse.Namespace:
    """Arguments of the command."""
    summary, _, details = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(
        description=summary, epilog=details, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    n_rows = len(TABLE2) + len(FIVE_CLASSES)
    parser.add_argument(
        "--rows", type=int, nargs="+", choices=range(1, n_rows + 1), metavar="ROW",
        default=[*range(1, len(TABLE2) + 1)],
        help=f"rows of Table 2, from 1; with five classes from 17 to {n_rows} (default: 1 to 16)",
    )  # fmt: skip
    parser.add_argument(
        "--repetitions", type=int, default=10,
        help="data sets per row (default: %(default)s; the table has 200, 2 GB in all)",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=4321, help="of the run (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: %(default)s)")
    parser.add_argument(
        "--output", type=Path, default=record.RESULTS / "journal" / "simulated",
        help="folder for the files (default: %(default)s)",
    )  # fmt: skip
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> list[Path]:
    """Run the command.

    Returns
    -------
    list of Path
        The files, also those that were there.
    """
    arguments = parse(argv)
    arguments.output.mkdir(parents=True, exist_ok=True)
    paths, tasks = [], []
    for repetition in range(arguments.repetitions):
        for row in sorted(set(arguments.rows)):
            name = f"table2_row{row:02d}_seed{arguments.seed}_{repetition:04d}.npz"
            paths.append(arguments.output / name)
            if not paths[-1].is_file():
                tasks.append((row, repetition, arguments.seed, paths[-1]))
    written = Parallel(n_jobs=arguments.jobs, return_as="generator")(
        delayed(write)(*task) for task in tasks
    )
    n_there = len(paths) - len(tasks)
    for _ in record.progress(written, len(paths), "simulate: data sets", done=n_there):
        pass
    return paths


if __name__ == "__main__":
    main()
