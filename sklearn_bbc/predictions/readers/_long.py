"""Long tables: a row for each sample, configuration and repeat, as of caret, mlr and tune."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from ..._tables import TEXT, listing
from ..._utils import did_you_mean, explain_arguments, got
from ._forms import LongRoles, recognised
from ._orange import from_orange, header_of_orange
from ._recognise import parts_in, table_in
from ._rows import predictions_of_rows_of
from ._scattered import predictions_of_parts
from ._shared import Predictions
from ._weka import from_weka, is_weka


@explain_arguments()
def from_long(
    cls: type[Predictions],
    table: Any,
    *,
    sample: str | None = None,
    config: str | Sequence[str] | None = None,
    target: str | None = None,
    prediction: str | Mapping[Any, str] | None = None,
    fold: str | None = None,
    repeat: str | None = None,
    positive: Any = None,
    groups: str | None = None,
    sample_weight: str | None = None,
) -> Predictions:
    """Make predictions from a long table: a row for each sample, configuration and repeat.

    The tables of caret (``model$pred`` with ``savePredictions="all"``), mlr (``as.df=TRUE``),
    mlr3 and tune (``collect_predictions()``) are recognised by their columns, and need no options;
    files of Orange and Weka go to `from_orange` and `from_weka`.

    Parameters
    ----------
    table : DataFrame, str or Path
        The table of pandas or polars, or a file of text or parquet with it.
    sample : str, default=None
        Column that says which sample a row is about.
    config : str or list of str, default=None
        Column of the configuration; several, such as parameters, make one configuration of each
        combination. None is a single one.
    target : str, default=None
        Column with the true label or value, one for each sample.
    prediction : str or dict, default=None
        Column with the predicted label, value or score; or class to the column with its
        probability, for all classes.
    fold : str, default=None
        Column with the fold in which a row was held out. Names such as ``Fold1.Rep2`` say the
        repeat, too.
    repeat : str, default=None
        Column with the repeat of repeated cross-validation. None finds it by the folds.
    positive : label, default=None
        Which of two classes is the event. None takes the first level for the tools that do so,
        and else the last label in sorted order; a note says which.
    groups, sample_weight : str, default=None
        Columns with the group, such as the patient, and the weight of a sample.

    Returns
    -------
    OOFPredictions
        Samples and configurations in sorted order; `notes` say what was taken for what.

    Raises
    ------
    ValueError
        If a pair of sample and configuration is missing or there twice, a sample has several
        targets, probabilities do not sum to one, a column is missing, a prediction is no number
        or label, or the file is empty or written by half. Nothing is computed from a part.

    See Also
    --------
    OOFPredictions.from_columns : A column or a file for each configuration.

    Notes
    -----
    A prediction that is missing (NaN) is kept as missing, and its configuration cannot win. Forms
    of caret 6.0 and mlr 2.19 were run; those of tune and mlr3 are taken from their documentation.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_bbc import OOFPredictions
    >>> table = pd.DataFrame({
    ...     "pred": [0.2, 1.9, 3.2, 0.0, 2.1, 2.9], "obs": [0.0, 2.5, 3.0] * 2,
    ...     "rowIndex": [1, 2, 3] * 2, "k": [1, 1, 1, 5, 5, 5], "Resample": ["Fold1"] * 6,
    ... })
    >>> oof = OOFPredictions.from_long(table)
    >>> oof.n_samples, oof.params
    (3, ({'k': 1}, {'k': 5}))
    """
    options = (sample, config, target, prediction, fold, repeat)
    if isinstance(table, (str, Path)) and all(each is None for each in options):
        if header_of_orange(Path(table)) is not None:
            return from_orange(cls, table, positive=positive)
        if Path(table).suffix.lower() in TEXT and is_weka(Path(table)):
            return from_weka(cls, table, positive=positive)
    labels = [each for each in (sample, fold, repeat, groups) if each is not None]
    given = {
        "sample": sample, "config": config, "target": target, "prediction": prediction,
        "fold": fold, "repeat": repeat, "groups": groups, "sample_weight": sample_weight,
    }  # fmt: skip

    def checked_roles(frame: pd.DataFrame, name: str) -> LongRoles:
        check_columns(frame, given, name)
        return roles_of(frame, given, positive, name)

    path = Path(table) if isinstance(table, (str, Path)) else None
    if path is not None and (parts := parts_in(path, labels=labels)) is not None:
        oof = predictions_of_parts(cls, parts, lambda some: checked_roles(some.frame, some.name))
        if oof is not None:
            return oof
        whole = parts.whole()
        frame, name = whole.frame, whole.name
    else:
        frame, name = long_frame_of(table, labels)
    return predictions_of_rows_of(cls, frame, checked_roles(frame, name), name)


def long_frame_of(table: Any, labels: Sequence[str] = ()) -> tuple[pd.DataFrame, str]:
    """Return a table, of a file where it is one, and its name for messages."""
    if isinstance(table, (str, Path)):
        found = table_in(Path(table), labels=labels)
        return found.frame, found.name
    if isinstance(table, pd.DataFrame):
        frame = table.reset_index(drop=True)
    elif type(table).__module__.partition(".")[0] == "polars" and hasattr(table, "to_dict"):
        frame = pd.DataFrame(table.to_dict(as_series=False))
    else:
        raise ValueError(
            "table must be a DataFrame with a row for each sample and configuration, or the path "
            f"of a file with it, got {got(table)}."
        )
    if not len(frame):
        raise ValueError("table has no row.")
    return frame, "table"


def check_columns(frame: pd.DataFrame, given: Mapping[str, Any], name: str) -> None:
    """Raise where an argument names a column that is not there, or two name the same one."""
    taken: dict[Any, str] = {}
    for argument, value in given.items():
        if value is None:
            continue
        if argument == "prediction" and isinstance(value, Mapping):
            columns = list(value.values())
        else:
            columns = (
                [value] if isinstance(value, str) or not isinstance(value, Sequence) else [*value]
            )
        for column in columns:
            if column not in frame.columns:
                names = list(map(str, frame.columns))
                hint = did_you_mean(str(column), names) or f" It has {listing(names[:12])}."
                raise ValueError(f"{argument}={column!r} is not a column of {name}.{hint}")
            if (other := taken.setdefault(column, argument)) != argument:
                raise ValueError(f"Column {column!r} is named by {other}= and by {argument}=.")


def roles_of(frame: pd.DataFrame, given: Mapping[str, Any], positive: Any, name: str) -> LongRoles:
    """Find the roles of columns: as given, else as the tool that wrote the table has them."""
    config = given["config"]
    config = [config] if isinstance(config, str) else None if config is None else list(config)
    prediction = given["prediction"]
    roles = None
    if any(given[each] is None for each in ("sample", "target", "prediction")) or config is None:
        taken = [*(config or ())] + [given[n] for n in ("groups", "sample_weight") if given[n]]
        known = frame.drop(columns=taken) if taken else frame
        roles = recognised(known, given["target"])
        if roles is not None and roles.frame is not None:
            roles.frame = frame.loc[roles.frame.index]
    if roles is None:
        missing = [each for each in ("sample", "target", "prediction") if given[each] is None]
        if missing:
            raise ValueError(
                f"{name} is not of a form that is known (caret, mlr, mlr3, tune), so say which "
                f"columns hold what: {', '.join(f'{each}=' for each in missing)} "
                f"{'is' if len(missing) == 1 else 'are'} missing. Its columns are "
                f"{listing(list(frame.columns)[:20])}."
            )
        roles = LongRoles(given["sample"], given["target"], config or [])
    for each in ("sample", "target", "fold", "repeat", "groups", "sample_weight"):
        if given[each] is not None:
            setattr(roles, each, given[each])
    if config is not None:
        roles.config, roles.params = config, None
    if isinstance(prediction, Mapping):
        if len(prediction) < 2:
            raise ValueError(
                "prediction must name a column, or one for each of two or more classes, got "
                f"{got(prediction)}."
            )
        roles.labels, roles.probabilities = None, dict(prediction)
    elif prediction is not None:
        roles.labels, roles.probabilities = prediction, {}
        roles.positive = None
    if positive is not None:
        roles.positive, roles.why_positive = positive, "as it was given"
    return roles
