"""Recipes for exports of other tools, run on small files of the documented form."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sklearn_bbc import OOFPredictions, best_of

PAGE = Path(__file__).resolve().parents[2] / "docs" / "user_guide" / "best_of.md"
RECIPES = re.findall(r"^```py\n(.*?)^```\n", PAGE.read_text(encoding="utf-8"), re.M | re.S)
RIGHT = np.random.default_rng(0).random((24, 3)) < [0.4, 0.6, 0.7]
MODELS = ["org__small", "org__middle", "org__large"]


def run(recipe, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"best_of": best_of, "pd": pd, "np": np}
    (code,) = (each for each in RECIPES if recipe in each)
    exec(compile(code, str(PAGE), "exec"), names)
    return names["result"]


def of_plain_table(scores):
    return best_of(pd.DataFrame(scores, columns=MODELS), random_state=0).frame()["score"]


def inspect_frame(marks):
    """The columns that samples_df documents, a row for each sample and epoch."""
    return pd.DataFrame([
        {"eval_id": f"eval{k}", "sample_id": f"{k}-{i}-{epoch}", "log": f"logs/{k}.eval",
         "task_name": "arithmetic" if i < 12 else "law", "task_version": 0, "model": name,
         "model_base_url": None, "id": str(i % 12), "epoch": epoch, "input": "2 + 2?",
         "target": "4", "score_match": marks[i, k] if epoch == 1 else "C", "model_usage": "{}",
         "total_time": 0.3, "error": None, "limit": None, "retries": 0}
        for k, name in enumerate(MODELS) for i in range(24) for epoch in (1, 2)
    ])  # fmt: skip


def readers(monkeypatch, frame):
    """Give the recipe of inspect_ai a frame in place of a folder of logs."""
    read = OOFPredictions.from_inspect
    monkeypatch.setattr(
        OOFPredictions, "from_inspect", lambda logs, **options: read(frame, **options)
    )


def test_inspect_logs_of_two_tasks_and_epochs(tmp_path, monkeypatch):
    marks = np.where(RIGHT, "C", "I").astype(object)
    marks[3, 0] = "P"
    readers(monkeypatch, inspect_frame(marks))
    result = run("from_inspect", tmp_path, monkeypatch)
    values = RIGHT.astype(float)
    values[3, 0] = 0.5
    for k, name in enumerate(MODELS):
        assert result.frame()["score"][name] == pytest.approx((values[:, k].mean() + 1) / 2)
    assert result.details["n_items"] == 24
    assert any("mean of 2 runs" in note for note in result.details["notes"])


def test_a_sample_that_failed_is_not_taken_as_wrong(tmp_path, monkeypatch):
    frame = inspect_frame(np.where(RIGHT, "C", "I").astype(object))
    frame.loc[frame.index[5], "score_match"] = None
    readers(monkeypatch, frame)
    result = run("from_inspect", tmp_path, monkeypatch)
    assert result.details["n_missing"]["org__small"] == 1


def write_samples(folder, filters=("none",), time="2026-11-24T10-12-00.123456"):
    """Files of lm-evaluation-harness with --log_samples: <model>/samples_<task>_<time>.jsonl."""
    for k, name in enumerate(MODELS):
        (folder / "results" / name).mkdir(parents=True, exist_ok=True)
        for task, start in (("mmlu_abstract_algebra", 0), ("mmlu_law", 12)):
            lines = [
                {"doc_id": i, "doc": {"question": "2 + 2?", "answer": 1}, "target": "1",
                 "arguments": {"gen_args_0": {"arg_0": "Q", "arg_1": " A"}},
                 "resps": [[["-1.5", "False"]]], "filtered_resps": [["-1.5", "False"]],
                 "filter": each, "metrics": ["acc", "acc_norm"], "doc_hash": "ab",
                 "prompt_hash": "cd", "target_hash": "ef", "acc": float(RIGHT[start + i, k]),
                 "acc_norm": 0.0}
                for each in filters for i in range(12)
            ]  # fmt: skip
            path = folder / "results" / name / f"samples_{task}_{time}.jsonl"
            path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def test_harness_samples_of_two_tasks(tmp_path, monkeypatch):
    write_samples(tmp_path)
    with pytest.raises(ValueError, match="task='mmlu' is not there, but mmlu_abstract_algebra"):
        run("from_lm_eval", tmp_path, monkeypatch)
    read = OOFPredictions.from_lm_eval
    monkeypatch.setattr(
        OOFPredictions, "from_lm_eval", lambda path, task, **options: read(path, **options)
    )
    result = run("from_lm_eval", tmp_path, monkeypatch)
    pd.testing.assert_series_equal(result.frame()["score"], of_plain_table(RIGHT))


SYSTEMS = [("file://model.js", "small", "plain"), ("file://model.js", "small", "steps"),
           ("openai:gpt", "", "plain")]  # fmt: skip
LABELLED = ["small / plain", "small / steps", "openai:gpt / plain"]


def promptfoo(failed=()):
    """What promptfoo eval -o results.json --repeat 2 writes, version 3."""
    results = [
        {"promptIdx": k, "testIdx": 2 * i + again, "promptId": f"{k}", "id": f"{k}-{i}-{again}",
         "testCase": {"vars": {"question": f"{i} + {i}?"}, "assert": []},
         "vars": {"question": f"{i} + {i}?"}, "prompt": {"raw": "Answer", "label": prompt},
         "provider": {"id": provider, "label": label},
         "response": {"output": "4"}, "success": bool(RIGHT[i, k]), "latencyMs": 5,
         "failureReason": 2 if (i, k, again) in failed else int(not RIGHT[i, k]),
         "score": 0 if (i, k, again) in failed else (2 + RIGHT[i, k]) / 3, "namedScores": {}}
        for i in range(24) for again in range(2)
        for k, (provider, label, prompt) in enumerate(SYSTEMS)
    ]  # fmt: skip
    summary = {"version": 3, "timestamp": "2026-11-24T10:12:00Z", "results": results,
               "prompts": [], "stats": {}}  # fmt: skip
    return {"evalId": "eval-abc", "results": summary, "config": {}, "shareableUrl": None}


def test_promptfoo_results_with_repeats(tmp_path, monkeypatch):
    (tmp_path / "results.json").write_text(json.dumps(promptfoo()), encoding="utf-8")
    result = run("from_promptfoo", tmp_path, monkeypatch)
    means = dict(zip(LABELLED, (2 + RIGHT.mean(axis=0)) / 3))
    assert result.frame()["score"].to_dict() == pytest.approx(means)
    assert result.details["n_items"] == 24


@pytest.mark.parametrize("failed", [[(4, 1, 0)], [(4, 1, 0), (4, 1, 1)]], ids=["one run", "both"])
def test_errors_of_a_provider_are_not_wrong_answers(failed, tmp_path, monkeypatch):
    path = tmp_path / "results.json"
    path.write_text(json.dumps(promptfoo(failed)), encoding="utf-8")
    n, are = len(failed), "runs? of 144 (is|are) missing, (that|those) of 'small / steps'"
    with pytest.raises(ValueError, match=f"{n} {are}"):
        run("from_promptfoo", tmp_path, monkeypatch)
