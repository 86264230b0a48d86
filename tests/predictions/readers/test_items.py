"""Scores per item of other tools: their own means to all digits, and files that are damaged."""

import json
import shutil
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from sklearn_bbc import OOFPredictions, best_of
from sklearn_bbc.exceptions import IntervalWarning

OF_TOOLS = Path(__file__).parent / "of_tools"
INSPECT, LM_EVAL = OF_TOOLS / "inspect", OF_TOOLS / "lm_eval"
PROMPTFOO, DEEPEVAL = OF_TOOLS / "promptfoo" / "results.json", OF_TOOLS / "deepeval"
pytestmark = pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.IntervalWarning")
READ = {
    "inspect": lambda path, **options: OOFPredictions.from_inspect(path, **options),
    "lm_eval": lambda path, **options: OOFPredictions.from_lm_eval(
        path, **{"score": "exact_match,strict-match", **options}
    ),
    "promptfoo": lambda path, **options: OOFPredictions.from_promptfoo(path, **options),
    "deepeval": lambda path, **options: OOFPredictions.from_deepeval(path, **options),
}


def means(oof):
    """Average the scores of each system."""
    names = [params["configuration"] for params in oof.params]
    return dict(zip(names, oof.responses["plain"].mean(axis=1).tolist()))


def plain_inspect(task, model, prompt, convert):
    """Average a score over the epochs, then the samples, of the logs, by a plain loop."""
    of_items = {}
    for path in INSPECT.glob("*.json"):
        log = json.loads(path.read_text())
        about = log["eval"]
        if (about["task"], about["model"], about["task_args"]["prompt"]) == (task, model, prompt):
            for sample in log["samples"]:
                if not sample.get("error"):
                    of_items.setdefault(sample["id"], []).append(convert(sample["scores"]))
    return [np.mean(values) for values in of_items.values()]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("score", "convert"),
    [
        (None, lambda scores: scores["match"]["value"] == "C"),
        ("match", lambda scores: scores["match"]["value"] == "C"),
        ("acc", lambda scores: scores["two"]["value"]["acc"]),
        ("two.style", lambda scores: scores["two"]["value"]["style"]),
    ],
)
@pytest.mark.parametrize("form", ["logs", "frames", "files of frames"])
def test_inspect_gives_its_own_means(score, convert, form):
    given, options = INSPECT, {}
    if form != "logs":
        files = [OF_TOOLS / f"inspect_{name}.csv" for name in ("samples", "evals")]
        frames = [pd.read_csv(path) for path in files]
        given, evals = frames if form == "frames" else files
        options["evals"] = evals
    oof = OOFPredictions.from_inspect(given, score=score, missing="drop_runs", **options)
    assert oof.n_samples == 6 + 5
    assert oof.tool == "inspect_ai"
    for name, mean in means(oof).items():
        model, prompt = name.split(" / ")
        items = [
            value
            for task in ("sums", "words")
            for value in plain_inspect(task, model, prompt, convert)
        ]
        assert mean == pytest.approx(np.mean(items), rel=1e-14)
        assert oof.tool_scores[name] == pytest.approx(mean, rel=1e-14)
    assert any("give the" in note for note in oof.notes)
    assert not any("do not give" in note for note in oof.notes)


def test_a_setting_that_is_not_needed_makes_no_system_and_is_named():
    oof = OOFPredictions.from_inspect(INSPECT, missing="drop_runs")  # one log has fail=True
    assert set(means(oof)) == {f"mockllm/{m} / {p}" for m in "ab" for p in ("short", "long")}
    assert "They also differ in task_arg_fail." in oof.notes[0]


def test_settings_that_are_chosen_make_the_systems_and_others_runs():
    oof = OOFPredictions.from_inspect(INSPECT, system="model", missing="drop_runs")
    assert set(means(oof)) == {"mockllm/a", "mockllm/b"}
    both = [
        plain_inspect(task, "mockllm/a", prompt, lambda scores: scores["match"]["value"] == "C")
        for task in ("sums", "words")
        for prompt in ("short", "long")
    ]
    items = [*np.mean(both[:2], axis=0), *np.mean(both[2:], axis=0)]
    assert means(oof)["mockllm/a"] == pytest.approx(np.mean(items))


def test_a_failed_epoch_is_missing_and_counted():
    with pytest.raises(ValueError, match=r"1 run of 88 is missing, that of 'mockllm/b / short'"):
        OOFPredictions.from_inspect(INSPECT)
    dropped = OOFPredictions.from_inspect(INSPECT, missing="drop_items")
    assert dropped.n_samples == 10
    result = best_of(dropped, random_state=0)
    frame = result.frame()
    assert frame["missing"].to_dict() == {
        name: int(name == "mockllm/b / short") for name in result.names
    }
    assert_allclose(frame["tool_score"], [dropped.tool_scores[name] for name in frame.index])
    assert f"The mean that inspect_ai has for it is {9 / 11:.3f}." in result.summary()


def test_marks_count_as_in_inspect():
    frame = pd.DataFrame(
        {
            "eval_id": ["x", "y"] * 12, "task_name": "t", "model": ["a", "b"] * 12,
            "id": np.arange(24) // 2, "epoch": 1, "error": "",
            "score_judge": ["C", "P", "I", "N", "1", "yes", "no", "0.25", "C", "C", "I", "I"] * 2,
        }
    )  # fmt: skip
    oof = OOFPredictions.from_inspect(frame)
    assert means(oof) == {"a": (1 + 0 + 1 + 0 + 1 + 0) / 6, "b": (0.5 + 0 + 1 + 0.25 + 1 + 0) / 6}
    frame.loc[3, "score_judge"] = "maybe"
    with pytest.raises(ValueError, match=r"sample 1, epoch 1, has the score 'maybe' by judge"):
        OOFPredictions.from_inspect(frame)


def packed(log, path):
    """Pack a log as inspect_ai does, but in a way that every Python reads."""
    header = {key: value for key, value in log.items() if key != "samples"}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(header))
        archive.writestr("summaries.json", json.dumps(log["samples"]))


def test_packed_logs_are_read_as_their_text(tmp_path):
    for path in INSPECT.glob("*.json"):
        packed(json.loads(path.read_text()), tmp_path / f"{path.stem}.eval")
    one = OOFPredictions.from_inspect(tmp_path, missing="drop_items")
    other = OOFPredictions.from_inspect(INSPECT, missing="drop_items")
    assert means(one) == means(other)
    assert one.tool_scores == other.tool_scores


def test_logs_as_inspect_packs_them(tmp_path):
    if sys.version_info < (3, 14):
        pytest.importorskip("zstandard", reason="Zstandard is read by another package before 3.14")
    for path in INSPECT.glob("*.json"):
        shutil.copy(path, tmp_path)
    packed_as_written = OF_TOOLS / "inspect_one.eval"
    (replaced,) = tmp_path.glob("*88TsCJkcmA622KSvUmF7ia.json")
    replaced.unlink()
    shutil.copy(packed_as_written, tmp_path)
    one = OOFPredictions.from_inspect(tmp_path, missing="drop_items")
    assert means(one) == means(OOFPredictions.from_inspect(INSPECT, missing="drop_items"))


def test_without_zstandard_an_error_says_what_to_install(tmp_path, monkeypatch):
    if sys.version_info >= (3, 14):
        pytest.skip("Python itself reads Zstandard")
    monkeypatch.setitem(sys.modules, "zstandard", None)
    shutil.copy(OF_TOOLS / "inspect_one.eval", tmp_path)
    with pytest.raises(ImportError, match="pip install zstandard"):
        OOFPredictions.from_inspect(tmp_path)


# --- lm-evaluation-harness ---------------------------------------------------------------------


@pytest.mark.parametrize("where", ["strict-match", "flexible-extract"])
def test_the_harness_gives_its_own_group_score(where):
    oof = OOFPredictions.from_lm_eval(LM_EVAL, score=f"exact_match,{where}", task="maths")
    assert oof.n_samples == 6 + 4
    assert set(means(oof)) == {
        "big / num_fewshot=0", "big / num_fewshot=2", "small / num_fewshot=0"
    }  # fmt: skip
    for name, mean in means(oof).items():
        model, shots = name.split(" / num_fewshot=")
        found = [json.loads(path.read_text()) for path in LM_EVAL.glob(f"{model}/results_*.json")]
        (results,) = [each for each in found if each["n-shot"]["sums"] == int(shots)]
        own = results["groups"]["maths"][f"exact_match,{where}"]
        assert oof.tool_scores[name] == own
        assert mean == pytest.approx(own, rel=1e-14)


def test_perplexity_is_the_exponential_of_the_mean_loss():
    oof = OOFPredictions.from_lm_eval(LM_EVAL, score="word_perplexity")
    assert oof.score_sign == -1
    losses = np.average(oof.responses["plain"], axis=1, weights=oof.sample_weight)
    for path in LM_EVAL.glob("*/results_*.json"):
        results = json.loads(path.read_text())
        if "ppl" in results["results"]:
            place = [params["configuration"].split(" / ")[0] for params in oof.params].index(
                path.parent.name
            )
            own = results["results"]["ppl"]["word_perplexity,none"]
            assert np.exp(losses[place]) == pytest.approx(own, rel=1e-14)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"score": None}, r"say which one by score=..., of exact_match,strict-match, "),
        ({"score": "exact_match"}, "several filters: say score='exact_match,strict-match' or"),
        ({"score": "exact_mach,strict-match"}, "Did you mean 'exact_match,strict-match'"),
        ({"task": "mathe"}, "task='mathe' is not there, but .*maths"),
        ({"task": "ppl"}, "'exact_match,strict-match' is not there, but word_perplexity,none"),
        ({"task": ["ppl", "sums"]}, "ppl has no exact_match,strict-match, but word_perplexity"),
        ({"groups": "passages"}, "groups='passages' is no entry of the document in .*passage"),
        ({"system": "shots"}, "system='shots' is no setting of these runs"),
    ],
)
def test_the_harness_says_what_there_is(options, message):
    with pytest.raises(ValueError, match=message):
        READ["lm_eval"](LM_EVAL, **options)


def test_scores_of_all_items_together_are_no_scores_of_items(tmp_path):
    shutil.copytree(LM_EVAL, tmp_path / "all")
    for path in (tmp_path / "all").glob("*/samples_*.jsonl"):
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        rows = [{**row, "bleu": ["a", "b"], "metrics": [*row["metrics"], "bleu"]} for row in rows]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(ValueError, match="score='bleu' is computed from all items together"):
        OOFPredictions.from_lm_eval(tmp_path / "all", score="bleu")


def test_of_runs_with_the_same_settings_the_last_one_is_taken(tmp_path):
    shutil.copytree(LM_EVAL, tmp_path / "all")
    old = next((tmp_path / "all" / "small").glob("results_*.json"))
    time = old.stem.removeprefix("results_")
    for path in (tmp_path / "all" / "small").glob("*"):
        text = path.read_text()
        if path.suffix == ".jsonl":  # in the second run all answers are wrong
            rows = [json.loads(line) for line in text.splitlines()]
            rows = [{**row, "exact_match": 0.0} for row in rows if "exact_match" in row] or rows
            text = "".join(json.dumps(row) + "\n" for row in rows)
        else:
            results = json.loads(text)
            for part in (*results["results"].values(), *results["groups"].values()):
                part.update({k: 0.0 for k in part if k == "exact_match,strict-match"})
            text = json.dumps(results)
        path.with_name(path.name.replace(time, "2027-01-01T00-00-00.000000")).write_text(text)
    oof = READ["lm_eval"](tmp_path / "all", task="maths")
    assert means(oof)["small / num_fewshot=0"] == 0
    assert any("run again with the same settings" in note for note in oof.notes)


def test_passages_are_groups():
    oof = READ["lm_eval"](LM_EVAL, task="maths", groups="passage")
    assert len(set(oof.groups)) == 3 + 2


# --- promptfoo, deepeval -----------------------------------------------------------------------


@pytest.mark.filterwarnings("error:These predictions do not give")
@pytest.mark.parametrize(
    ("score", "weight"), [("pass", 1), ("score", 1), ("right", 1), ("short", 0.5)]
)
def test_promptfoo_gives_its_own_counts(score, weight):
    oof = OOFPredictions.from_promptfoo(PROMPTFOO, score=score, missing="zero")
    heads = json.loads(PROMPTFOO.read_text())["results"]["prompts"]
    assert oof.n_samples == 6
    for head in heads:
        name, own = f"{head['provider']} / {head['label']}", head["metrics"]
        n = own["namedScoreWeights"].get(score, 12)
        total = {"pass": own["testPassCount"], "score": own["score"]}.get(score)
        total = own["namedScores"][score] if total is None else total
        assert oof.tool_scores[name] == pytest.approx(total / n, rel=1e-14)
        assert means(oof)[name] == pytest.approx(total / 12 / weight, rel=1e-14)
    assert any("In 1 test an assertion threw an error" in note for note in oof.notes)


def weighted(folder, weight_of_last):
    """Write the results with the weights of cells, where the last test has another one."""
    content = json.loads(PROMPTFOO.read_text())
    rows, heads = content["results"]["results"], content["results"]["prompts"]
    for cell in rows:
        weight = weight_of_last if cell["testIdx"] >= 10 else 2
        cell["gradingResult"] = {"namedScoreWeights": {"right": weight}}
    for k, head in enumerate(heads):
        found = [
            (cell["gradingResult"]["namedScoreWeights"]["right"], cell["namedScores"]["right"])
            for cell in rows if cell["promptIdx"] == k and "right" in cell["namedScores"]
        ]  # fmt: skip
        head["metrics"]["namedScores"]["right"] = sum(weight * value for weight, value in found)
        head["metrics"]["namedScoreWeights"]["right"] = sum(weight for weight, _ in found)
    path = folder / "results.json"
    path.write_text(json.dumps(content))
    return path


@pytest.mark.filterwarnings("error:These predictions do not give")
@pytest.mark.parametrize(("weight", "noted"), [(2, False), (6, True)])
def test_weights_of_assertions_of_promptfoo_are_noted_where_they_differ(weight, noted, tmp_path):
    options = {"score": "right", "missing": "zero"}
    oof = OOFPredictions.from_promptfoo(weighted(tmp_path, weight), **options)
    assert any("have other weights in some tests" in note for note in oof.notes) == noted
    assert means(oof) == means(OOFPredictions.from_promptfoo(PROMPTFOO, **options))


def test_a_metric_of_promptfoo_whose_weight_is_zero_says_nothing(tmp_path):
    with pytest.raises(ValueError, match=r"'right' have the weight 0 in test 10, where .* 0 what"):
        OOFPredictions.from_promptfoo(weighted(tmp_path, 0), score="right", missing="zero")


@pytest.mark.parametrize("score", ["pass", "right"])
def test_the_table_of_promptfoo_has_the_same(score):
    table = OOFPredictions.from_promptfoo(
        OF_TOOLS / "promptfoo" / "results.csv", score=score, missing="drop_runs"
    )
    other = OOFPredictions.from_promptfoo(PROMPTFOO, score=score, missing="drop_runs")
    assert means(table) == means(other)
    assert table.n_missing == other.n_missing == {
        "a / plain": 0, "a / think": 0, "b / plain": 1, "b / think": 1
    }  # fmt: skip


def test_tests_with_equal_variables_and_other_assertions_are_other_items(tmp_path):
    content = json.loads(PROMPTFOO.read_text())
    for cell in content["results"]["results"]:
        cell["vars"] = {"q": "same"}
        cell["testCase"]["assert"].append({"type": "contains", "value": str(cell["testIdx"] // 2)})
    path = tmp_path / "results.json"
    path.write_text(json.dumps(content))
    oof = OOFPredictions.from_promptfoo(path, missing="zero")
    assert oof.n_samples == 6
    assert means(oof) == means(OOFPredictions.from_promptfoo(PROMPTFOO, missing="zero"))


def test_two_columns_with_the_same_labels_are_two_systems(tmp_path):
    content = json.loads(PROMPTFOO.read_text())
    for cell in content["results"]["results"]:
        cell["provider"]["label"] = "a"
    path = tmp_path / "results.json"
    path.write_text(json.dumps(content))
    oof = OOFPredictions.from_promptfoo(path, missing="zero")
    assert set(means(oof)) == {"a / plain (1)", "a / think (2)", "a / plain (3)", "a / think (4)"}


@pytest.mark.parametrize("score", ["Exact", "pass", None])
def test_deepeval_gives_its_own_means_by_the_names_of_cases(score):
    rule = "zero" if score == "pass" else "drop_items"
    oof = OOFPredictions.from_deepeval(DEEPEVAL, score=score, missing=rule)
    for path in DEEPEVAL.glob("*.json"):
        run = json.loads(path.read_text())
        name = run["hyperparameters"]["model"]
        own = (
            run["testPassed"] / 7
            if score == "pass"
            else np.mean(run["metricsScores"][0]["scores"])
        )
        assert oof.tool_scores[name] == pytest.approx(own, rel=1e-14)
        cases = {case["name"]: case for case in run["testCases"]}  # in another order in one file
        kept = [
            f"q{k}" for k in range(7) if score == "pass" or k != 4
        ]  # of which one lacks a score
        values = [
            cases[each]["success"] if score == "pass" else cases[each]["metricsData"][0]["score"]
            for each in kept
        ]
        assert means(oof)[name] == pytest.approx(np.mean(values), rel=1e-14)
    assert oof.n_missing == {"a": 1, "bb": 0}


def test_files_of_deepeval_can_be_named():
    files = sorted(DEEPEVAL.glob("*.json"))
    oof = OOFPredictions.from_deepeval(dict(zip(("old", "new"), files)), missing="drop_items")
    assert set(means(oof)) == {"old", "new"}


def test_a_run_that_is_there_twice_is_taken_once(tmp_path):
    shutil.copytree(DEEPEVAL, tmp_path / "all")
    last = sorted(DEEPEVAL.glob("*.json"))[-1]
    latest = {"testRunData": json.loads(last.read_text())}  # as .latest_test_run.json has it
    (tmp_path / "all" / "latest_test_run.json").write_text(json.dumps(latest))
    oof = OOFPredictions.from_deepeval(tmp_path / "all", missing="drop_items")
    assert set(means(oof)) == {"a", "bb"}
    assert oof.n_samples == 6


# --- bad input ---------------------------------------------------------------------------------


def cut(path):
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def empty(path):
    path.write_bytes(b"")


def without_the_last(path):
    """Leave out the last sample, as a copy of a file that was still being written."""
    if path.suffix == ".jsonl":
        path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
        return
    content = json.loads(path.read_text())
    for key in ("samples", "testCases"):
        if key in content:
            content[key].pop()
    if "prompts" in content.get("results", {}):
        content["results"]["results"].pop()
    path.write_text(json.dumps(content))


def of_other_items(path):
    """Change what an item is about."""
    text = path.read_text()
    if path.suffix == ".jsonl":
        rows = [json.loads(line) for line in text.splitlines()]
        rows[0]["doc_hash"] = "other"
        text = "".join(json.dumps(row) + "\n" for row in rows)
    else:
        content = json.loads(text)
        if "samples" in content:
            content["samples"][0]["target"] = "other"
        else:
            content["testCases"][0]["expectedOutput"] = "other"
        text = json.dumps(content)
    path.write_text(text)


FILES = {
    "inspect": (INSPECT, "*.json"), "lm_eval": (LM_EVAL, "*/samples_sums*.jsonl"),
    "promptfoo": (PROMPTFOO.parent, "*.json"), "deepeval": (DEEPEVAL, "*.json"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (cut, r"{}.*(no complete JSON|half)"), (empty, r"{} is empty"),
        (without_the_last, r"{}.*says itself that there were"),
        (of_other_items, r"has another .* in .*than in .*not about the same items"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("tool", FILES)
def test_damaged_files_and_those_of_other_items_are_named(tool, damage, message, tmp_path):
    if tool == "promptfoo" and damage is of_other_items:
        pytest.skip("One file has all systems, so its items are the same.")
    folder, pattern = FILES[tool]
    shutil.copytree(folder, tmp_path / "all")
    for path in (tmp_path / "all").glob("*.csv"):
        path.unlink()
    path = sorted((tmp_path / "all").glob(pattern))[0]
    damage(path)
    with pytest.raises(ValueError, match=message.format(path.name)):
        READ[tool](tmp_path / "all", missing="drop_runs")


def test_a_broken_line_is_named(tmp_path):
    shutil.copytree(LM_EVAL, tmp_path / "all")
    path = sorted((tmp_path / "all").glob("*/samples_sums*.jsonl"))[0]
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:4], lines[4][:70], *lines[5:]]) + "\n")
    with pytest.raises(ValueError, match=rf"{path.name}: line 5 is no complete JSON"):
        READ["lm_eval"](tmp_path / "all")


def test_an_item_that_is_there_twice_is_named(tmp_path):
    shutil.copytree(LM_EVAL, tmp_path / "all")
    path = sorted((tmp_path / "all").glob("*/samples_sums*.jsonl"))[0]
    path.write_text(path.read_text() + path.read_text().splitlines()[0] + "\n")
    with pytest.raises(ValueError, match=r"line 13: item 0 is there twice"):
        READ["lm_eval"](tmp_path / "all")
    shutil.copytree(DEEPEVAL, tmp_path / "runs")
    path = sorted((tmp_path / "runs").glob("*.json"))[0]
    content = json.loads(path.read_text())
    content["testCases"][1]["name"] = "q0"
    path.write_text(json.dumps(content))
    with pytest.raises(ValueError, match=rf"{path.name} has two test cases of the name 'q0'"):
        READ["deepeval"](tmp_path / "runs")


@pytest.mark.parametrize("status", ["error", "started", "cancelled"])
def test_a_run_that_was_not_finished_is_no_result(status, tmp_path):
    shutil.copytree(INSPECT, tmp_path / "all")
    path = sorted((tmp_path / "all").glob("*.json"))[0]
    whole = path.read_text()
    log = json.loads(whole)
    log["status"] = status
    log["samples"] = log["samples"][:3]
    path.write_text(json.dumps(log))
    with pytest.raises(ValueError, match=rf"{path.name} is no complete run of sums.*{status}"):
        OOFPredictions.from_inspect(tmp_path / "all")
    again = json.loads(whole)  # as eval-retry writes it
    again["eval"]["created"] = "2027-01-01T00:00:00+00:00"
    (tmp_path / "all" / "again.json").write_text(json.dumps(again))
    oof = OOFPredictions.from_inspect(tmp_path / "all", missing="drop_items")
    assert means(oof) == means(OOFPredictions.from_inspect(INSPECT, missing="drop_items"))
    assert any("was not finished" in note for note in oof.notes)


def test_a_score_that_the_tool_has_otherwise_is_said(tmp_path):
    shutil.copytree(INSPECT, tmp_path / "all")
    path = sorted((tmp_path / "all").glob("*.json"))[0]
    log = json.loads(path.read_text())
    log["results"]["scores"][0]["metrics"]["accuracy"]["value"] = 0.99
    path.write_text(json.dumps(log))
    with pytest.warns(IntervalWarning, match=r"do not give .* 0\.990000 there, 0\.250000 here"):
        OOFPredictions.from_inspect(tmp_path / "all", missing="drop_items")


@pytest.mark.parametrize("tool", READ)
def test_a_folder_without_runs_is_named(tool, tmp_path):
    with pytest.raises(ValueError, match=r"has no file that ends in"):
        READ[tool](tmp_path)
    with pytest.raises(FileNotFoundError, match="There is no file or folder"):
        READ[tool](tmp_path / "nowhere")
    (tmp_path / "settings.json").write_text('{"a": 1}')
    with pytest.raises(ValueError, match=r"settings.json|samples_TASK_TIME"):
        READ[tool](tmp_path)


@pytest.mark.parametrize("column", ["eval_id", "task_name", "id"])
@pytest.mark.parametrize("value", [np.nan, "", None])
def test_rows_of_inspect_that_say_not_whose_they_are_are_refused(column, value):
    frame = pd.read_csv(OF_TOOLS / "inspect_samples.csv", keep_default_na=False)
    frame[column] = frame[column].astype(object)
    frame.loc[frame["eval_id"] == frame["eval_id"].iloc[-1], column] = value
    with pytest.raises(ValueError, match=f"Column '{column}' is empty in row"):
        OOFPredictions.from_inspect(frame, missing="drop_items")
