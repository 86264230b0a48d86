#!/usr/bin/env bash
# deepeval 4.3.1: the mean score of a metric leaves out cases whose metric ended with an error, without a word.
#
# Expected: two models whose answers to ten questions are the same, of which one also has four that the judge
# cannot read, do not change places; or a word says that their scores are of other cases.
# Seen: `metricsScores` of the file of a run has the scores of the others only, in their order, so that the
# fifth score may be that of the seventh case. The number of passed cases counts an error as failed.
#     "whole": 10 scores, mean 0.70, 6 passed;  "errors": 6 scores, mean 1.00, 6 passed
# No fault of ours: nothing here is ours; with ignore_errors=True the run goes on, as its documentation says.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install -q --no-compile --disable-pip-version-check \
    deepeval==4.3.1

cd "$folder"
export DEEPEVAL_TELEMETRY_OPT_OUT=YES DEEPEVAL_RESULTS_FOLDER=runs ERROR_REPORTING=NO
"$folder/venv/bin/python" -W ignore - > run.txt <<'PROGRAM'
import time

from deepeval import evaluate
from deepeval.evaluate.configs import AsyncConfig, DisplayConfig, ErrorConfig
from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase


class Exact(BaseMetric):
    def __init__(self):
        self.threshold, self.async_mode, self.include_reason = 0.5, False, False
        self.strict_mode, self.verbose_mode, self.evaluation_model = False, False, "none"

    def measure(self, case, *args, **kwargs):
        if case.actual_output == "unreadable":
            raise ValueError("the judge cannot read it")
        self.score = 1.0 if case.actual_output == case.expected_output else 0.25
        self.success = self.score >= self.threshold
        return self.score

    def is_successful(self):
        return self.success

    @property
    def __name__(self):
        return "Exact"


for model, wrong in (("whole", "no"), ("errors", "unreadable")):
    cases = [
        LLMTestCase(
            name=f"q{k}", input=f"q{k}", expected_output=str(k),
            actual_output=str(k) if k % 5 < 3 else wrong,
        )
        for k in range(10)
    ]
    evaluate(
        cases, [Exact()], async_config=AsyncConfig(run_async=False),
        display_config=DisplayConfig(print_results=False, show_indicator=False),
        error_config=ErrorConfig(ignore_errors=True), hyperparameters={"model": model},
    )
    time.sleep(1.1)
PROGRAM

"$folder/venv/bin/python" - <<'PROGRAM'
import json
from pathlib import Path

means = {}
for path in sorted(Path("runs").glob("test_run_*.json")):
    run = json.loads(path.read_text())
    scores = run["metricsScores"][0]["scores"]
    model = run["hyperparameters"]["model"]
    means[model] = sum(scores) / len(scores)
    print(f"{model}: {len(scores)} scores, mean {means[model]:.2f}, {run['testPassed']} passed")
assert means["errors"] > means["whole"], "It is mended."
PROGRAM
