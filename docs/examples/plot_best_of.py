"""
Which prompt or model is best?
==============================

Five language models answered the same questions with ten prompts each. The best of the fifty is
reported, and is too good. This example corrects its score, and draws a ranking that shows how
little the places mean.

The answers are generated: questions are easy or hard for all models, and for a model whatever the
prompt, as in tables of real answers. So the true shares of right answers are known.

Run it with ``python docs/examples/plot_best_of.py``; it takes a few seconds.
"""

import argparse
import sys

import numpy as np
import pandas as pd
from scipy.stats import norm

from sklearn_bbc import best_of
from sklearn_bbc.display import SystemsDisplay

parser = argparse.ArgumentParser(description="The best of fifty prompts and models.")
parser.add_argument("--output", default="best_of.png", help="file of the plot")
parser.add_argument("--quick", action="store_true", help="fewer draws")
# In a notebook the command line is that of the kernel, not of this example.
arguments = parser.parse_args(None if sys.argv[0].endswith("plot_best_of.py") else [])

# %%
# A table of answers
# ------------------
# 150 questions on 30 passages. A row for each question, a column for each model and prompt.

rng = np.random.default_rng(7)
models, n_prompts, n_questions = ["Alder", "Birch", "Cedar", "Elm", "Fir"], 10, 150
names = [f"{model}, prompt {k}" for model in models for k in range(n_prompts)]
true_share = np.repeat([0.44, 0.50, 0.52, 0.53, 0.54], n_prompts)
true_share += 0.01 * rng.standard_normal(len(names))
passage = np.arange(n_questions) // 5
noise = (
    np.sqrt(0.3) * rng.standard_normal((n_questions, 1))
    + np.sqrt(0.1) * rng.standard_normal((30, 1))[passage]
    + np.sqrt(0.3) * np.repeat(rng.standard_normal((n_questions, 5)), n_prompts, axis=1)
    + np.sqrt(0.3) * rng.standard_normal((n_questions, len(names)))
)
answers = pd.DataFrame((noise < norm.ppf(true_share)).astype(int), columns=names)

# %%
# The best of them, corrected
# ---------------------------
# Questions on one passage belong together.

n_bootstraps = 200 if arguments.quick else 2000
result = best_of(
    answers, groups=passage, baseline="Alder, prompt 0", n_bootstraps=n_bootstraps, random_state=0
)
print(result)
best = answers[result.selected].mean()
truth = true_share[names.index(result.selected)]
print(
    f"\n{result.selected} has {best:.3f} here and is truly right in {truth:.3f}; "
    f"corrected {result.interval.estimate:.3f}."
)

# %%
# A ranking that does not pretend
# -------------------------------
# Each system has its own interval, those that may be the best are shaded, and the first row is the
# winner as it should be reported.

display = SystemsDisplay.from_results(result).plot(max_systems=20)
display.figure_.savefig(arguments.output, dpi=150)
