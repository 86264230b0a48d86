"""Test runs of deepeval: the files test_run_*.json of DEEPEVAL_RESULTS_FOLDER."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..._text import count
from ..._utils import explain_arguments
from ._items import (
    Run,
    Scores,
    check_names_given,
    check_same_items,
    chosen_of,
    files_in,
    listed,
    name_systems,
    oof_of,
)
from ._json_lines import HALF, check_number, read_json
from ._shared import Predictions, compare_with_board

PASS = "pass"
CASES = ("testCases", "conversationalTestCases")
UNNAMED_CASE = re.compile(r"(conversational_)?test_case_\d+")


@dataclass(eq=False)
class TestRun(Run):
    """One file: the test cases of one system."""

    __test__ = False  # of pytest

    content: Mapping[str, Any] = field(default_factory=dict)
    cases: list[Mapping[str, Any]] = field(default_factory=list)


@explain_arguments()
def from_deepeval(
    cls: type[Predictions],
    runs: Any,
    *,
    score: str | None = None,
    system: Any = None,
    groups: str | None = None,
    missing: str = "raise",
) -> Predictions:
    """Make predictions of test runs of deepeval, for `best_of`.

    A run is a system, called by the hyperparameters that differ, else by its file; of runs with
    the same hyperparameters the last one is taken. Test cases are matched by their names, never
    by their order. A case whose metric ended with an error has no score: it is missing, while
    deepeval leaves it out of the scores of a metric and counts it as failed.

    Parameters
    ----------
    runs : path, list of paths, or dict of names and paths
        The folder of DEEPEVAL_RESULTS_FOLDER, files of runs, or a file for each name of a system.
    score : str, default=None
        Name of the metric, or "pass" for the share of cases that passed. None where there is one
        metric.
    system : str or list of str, default=None
        Hyperparameters that make a system.
    groups : str, default=None
        Entry of the cases' metadata that related cases have in common.
    missing : {"raise", "drop_items", "drop_runs", "zero"}, default="raise"
        What happens where a system has no score, see `from_scores`.

    Returns
    -------
    OOFPredictions
        A sample for each test case and a configuration for each system.

    Raises
    ------
    ValueError
        If a file is damaged, a name comes twice, or cases of one name differ; see also
        `from_scores`.

    Examples
    --------
    >>> import json, tempfile
    >>> from pathlib import Path
    >>> from sklearn_bbc import OOFPredictions
    >>> folder = Path(tempfile.mkdtemp())
    >>> for model in ("a", "b"):
    ...     cases = [{"name": f"q{k}", "input": f"q{k}", "success": True, "metricsData": [
    ...         {"name": "Exact", "score": k % 2, "success": True}]} for k in range(12)]
    ...     run = {"testCases": cases, "hyperparameters": {"model": model}}
    ...     _ = (folder / f"test_run_{model}.json").write_text(json.dumps(run))
    >>> oof = OOFPredictions.from_deepeval(folder)
    >>> oof.n_samples, [params["configuration"] for params in oof.params]
    (12, ['a', 'b'])
    """
    check_names_given(score=score, system=system, groups=groups)
    found = _runs_of_files(runs)
    found, notes = name_systems(found, "model", system)
    name = _metric_of_cases(found, score)
    rows, failed = _rows_of_cases(found, name, groups)
    if failed:
        named = listed(f"{system} {n:,}" for system, n in failed.items())
        notes.append(
            f"Test cases without a score of {name}, since it ended with an error: {named}."
        )
    own, more = _own_of_deepeval(found, rows, name)
    scores = Scores(tool="deepeval", rows=rows, tool_scores=own, notes=[*notes, *more])
    return oof_of(cls, scores, missing, groups)


def _runs_of_files(given: Any) -> list[TestRun]:
    """Read the files; a run that is there twice is taken once."""
    named = (
        {str(path): str(name) for name, path in given.items()}
        if isinstance(given, Mapping)
        else {}
    )
    files = files_in(list(given.values()) if named else given, (".json",), "runs")
    found: list[TestRun] = []
    for path in files:
        content = read_json(path)
        if isinstance(content, Mapping) and isinstance(content.get("testRunData"), Mapping):
            content = content["testRunData"]  # of .deepeval/.latest_test_run.json
        if not isinstance(content, Mapping) or not any(content.get(key) for key in CASES):
            raise ValueError(
                f"{path.name} has no test cases, so it is no run of deepeval. {HALF}. Leave it "
                "out."
            )
        cases = [case for key in CASES for case in content.get(key) or ()]
        if any(each.content.get("testCases") == content.get("testCases") and
               each.content.get("hyperparameters") == content.get("hyperparameters")
               for each in found):  # fmt: skip
            continue
        settings = dict(content.get("hyperparameters") or {})
        if str(path) in named:
            settings = {"model": named[str(path)]}
        passed, missed = content.get("testPassed"), content.get("testFailed")
        if isinstance(passed, int) and isinstance(missed, int):
            check_number(len(cases), passed + missed, "test case", path.name, "Run it again.")
        found.append(TestRun(
            file=path.name, task="", time=path.stem, settings=settings, content=content,
            cases=cases,
        ))  # fmt: skip
    if not all(run.settings for run in found):
        for run in found:
            run.settings = {"model": Path(run.file).stem, **run.settings}
    return found


def _metric_of_cases(found: list[TestRun], score: str | None) -> str:
    known: dict[str, None] = {}
    for run in found:
        for case in run.cases:
            known |= dict.fromkeys(str(each["name"]) for each in case.get("metricsData") or ())
    if score == PASS:
        return PASS
    if not known:
        raise ValueError("The test cases have no metrics. Take score='pass'.")
    return chosen_of(score, list(known), "score", f" Or {PASS}.")


def _name_of_case(case: Mapping[str, Any], file: str) -> str:
    """Name a test case: deepeval numbers those that have no name, in an order that may differ."""
    name = case.get("name")
    if name is None or UNNAMED_CASE.fullmatch(str(name)):
        name = case.get("input", name)
    if name is None:
        raise ValueError(f"{file}: a test case has neither a name nor an input.")
    return str(name)


def _rows_of_cases(
    found: list[TestRun], score: str, groups: str | None
) -> tuple[pd.DataFrame, dict[str, int]]:
    rows: list[dict[str, Any]] = []
    seen: dict[Any, tuple[Any, str]] = {}
    failed: dict[str, int] = {}
    for run in found:
        names: set[str] = set()
        for case in run.cases:
            item = _name_of_case(case, run.file)
            if item in names:
                raise ValueError(
                    f"{run.file} has two test cases of the name {item!r}, so it is not known "
                    "which is which in another run. Give each a name: LLMTestCase(name=...)."
                )
            names.add(item)
            content = (case.get("input"), case.get("expectedOutput"))
            check_same_items(seen, item, content, run.file, "input or expected output")
            value = _value_of_case(case, score, run.file)
            if np.isnan(value):
                failed[run.system] = failed.get(run.system, 0) + 1
            row = {
                "item": item, "system": run.system, "run": run.repeat, "score": value,
                "file": run.file,
            }  # fmt: skip
            if groups is not None:
                metadata = case.get("additionalMetadata") or case.get("metadata") or {}
                if groups not in metadata:
                    raise ValueError(
                        f"groups={groups!r} is not in the metadata of test case {item!r} in "
                        f"{run.file}, which has {listed(metadata) or 'none'}."
                    )
                row["group"] = metadata[groups]
            rows.append(row)
    return pd.DataFrame(rows), failed


def _value_of_case(case: Mapping[str, Any], score: str, file: str) -> float:
    """Return the score of a case; NaN where its metric ended with an error."""
    metrics = case.get("metricsData") or []
    if score == PASS:
        if any(each.get("error") for each in metrics):
            return np.nan
        return np.nan if case.get("success") is None else float(case["success"])
    of_name = [each for each in metrics if each.get("name") == score]
    if len(of_name) > 1:
        raise ValueError(
            f"{file}: test case {case.get('name')!r} has {count(len(of_name), 'score')} of "
            f"{score}."
        )
    if not of_name or of_name[0].get("error") or of_name[0].get("score") is None:
        return np.nan
    value = of_name[0]["score"]
    if not isinstance(value, (bool, int, float)):
        raise ValueError(f"{file}: test case {case.get('name')!r} has the score {value!r:.60}.")
    return float(value)


def _own_of_deepeval(
    found: list[TestRun], rows: pd.DataFrame, score: str
) -> tuple[dict[str, float], list[str]]:
    """Compare with the lists of scores and the counts that deepeval writes."""
    ours, theirs = {}, {}
    for run in found:
        values = rows.loc[rows["file"] == run.file, "score"]
        if score == PASS:
            passed, n = run.content.get("testPassed"), len(run.cases)
            if isinstance(passed, int) and n:
                ours[run.system], theirs[run.system] = float(values.sum()) / n, passed / n
            continue
        for each in run.content.get("metricsScores") or ():
            if each.get("metric") == score and each.get("scores"):
                ours[run.system] = float(values.mean())
                theirs[run.system] = float(np.mean(each["scores"]))
    metric = "pass rate" if score == PASS else f"mean {score}"
    return theirs, compare_with_board("deepeval", metric, ours, theirs) if ours else []
