"""Real data sets by name: from a folder of files, or from OpenML."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.harness.references import FOLDER as REFERENCES

FOLDER = Path(os.environ.get("SKLEARN_BBC_DATA", REFERENCES.parent / "data"))
TARGET = "target"


@dataclass(frozen=True)
class DataSet:
    """A binary data set of the published comparison.

    Attributes
    ----------
    name : str
        Name of the file and on OpenML.
    published : str
        Name in the published tables.
    n_train : int
        Training rows there.
    openml_version : int
        Version on OpenML.
    nominal : tuple of str
        Columns that are categories coded as numbers; ``("all",)`` for all of them.
    dependent : str
        Why rows depend on each other; empty when they do not.
    """

    name: str
    published: str
    n_train: int
    openml_version: int = 1
    nominal: tuple[str, ...] = ()
    dependent: str = ""


_NOMAO = (
    7, 8, 15, 16, 23, 24, 31, 32, 39, 40, 47, 48, 55, 56, 63, 64, 71, 72, 79, 80, 87, 88, 92, 96,
    100, 104, 108, 112, 116,
)  # fmt: skip
DATA_SETS = {
    data.name: data
    for data in (
        DataSet("credit-g", "credit-g", 50),
        DataSet("spambase", "spam", 50),
        DataSet("musk", "musk", 50, dependent="several conformations of one molecule"),
        DataSet("phoneme", "phoneme", 50),
        DataSet("phishing-websites", "phishing", 50, nominal=("all",)),
        DataSet("electricity", "elec", 500, nominal=("day",), dependent="ordered in time"),
        DataSet("mozilla4", "mozilla4", 500, dependent="several rows of one class of code"),
        DataSet("nomao", "nomao", 500, nominal=tuple(f"V{k}" for k in _NOMAO)),
        DataSet("adult", "adult", 500, openml_version=2),
        DataSet("bank-marketing", "bank", 500),
        DataSet("eeg-eye-state", "eeg-eye", 500, dependent="ordered in time"),
    )
}
"""The eleven binary data sets, in the published order."""


@lru_cache(maxsize=2)
def load(name: str, folder: Path = FOLDER) -> tuple[pd.DataFrame, np.ndarray]:
    """Features and labels of a data set.

    Parameters
    ----------
    name : str
        One of `DATA_SETS`.
    folder : Path
        Folder of files ``<name>.csv.gz``; without such a file the data come from OpenML.

    Returns
    -------
    X : DataFrame
        Numbers, and categories as text.
    y : ndarray of shape (n_samples,)
        1 is the smaller class.
    """
    about = DATA_SETS[name]
    file = folder / f"{name}.csv.gz"
    if file.is_file():
        frame = pd.read_csv(file)
        labels = frame.pop(TARGET).to_numpy()
    else:
        from sklearn.datasets import fetch_openml

        frame, labels = fetch_openml(
            name, version=about.openml_version, as_frame=True, return_X_y=True
        )
        labels = np.asarray(labels)
    values, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    if len(values) != 2:
        raise ValueError(f"{name} has {len(values)} classes, expected 2.")
    y = (codes == counts.argmin()).astype(int)
    nominal = list(frame.columns) if about.nominal == ("all",) else about.nominal
    nominal = [column for column in nominal if column in frame]
    text = [column for column in frame if not pd.api.types.is_numeric_dtype(frame[column])]
    for column in {*nominal, *text}:
        values = frame[column].astype(object)
        frame[column] = values.where(values.notna(), "missing").astype(str)
    return frame, y


@lru_cache(maxsize=2)
def encoded(name: str, folder: Path = FOLDER) -> tuple[np.ndarray, np.ndarray]:
    """As `load`, with a column of 0 and 1 for each category.

    The columns are those of the whole data set, since nothing is learned from them; a category
    that no training row has is a constant for the models.

    Parameters
    ----------
    name : str
        One of `DATA_SETS`.
    folder : Path
        Folder of files.

    Returns
    -------
    X : ndarray of shape (n_samples, n_columns)
        Numbers.
    y : ndarray of shape (n_samples,)
        1 is the smaller class.
    """
    X, y = load(name, folder)
    return pd.get_dummies(X, dtype=float).to_numpy(float), y


def train_and_rest(
    y: np.ndarray, n_train: int, seed: np.random.SeedSequence
) -> tuple[np.ndarray, np.ndarray]:
    """Stratified split: a few training rows, the rest held out.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Labels 0 and 1.
    n_train : int
        Training rows.
    seed : SeedSequence
        Seed of the split.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    n_ones = round(n_train * y.mean())
    chosen = [
        rng.permutation(np.flatnonzero(y == label))[:size]
        for label, size in ((0, n_train - n_ones), (1, n_ones))
    ]
    train = rng.permutation(np.concatenate(chosen))
    return train, np.setdiff1d(np.arange(len(y)), train)
