"""
A training loop of your own, with the epoch as a tuned parameter
================================================================

Whoever trains a network by hand looks at the validation loss after each epoch and keeps the best
epoch. This is tuning: every epoch is a configuration, and the loss at the best one is too good,
since it was chosen by the same predictions that measure it.

Here a small network is trained in plain NumPy, with minibatches, as one would in PyTorch. After
each epoch its predictions for the held-out fold go to `OOFRecorder.record`. Nothing else of the
loop changes. 60 of 569 patients take part; the others show what the selected network is worth.

Run it with ``python docs/examples/plot_epochs.py``; it takes about fifteen seconds.
"""

import argparse
import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.special import expit
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import log_loss
from sklearn.model_selection import ParameterGrid, StratifiedKFold, train_test_split

from sklearn_bbc import OOFRecorder
from sklearn_bbc.intervals import BBC

parser = argparse.ArgumentParser(description="Tune the epochs of a network on 60 patients.")
parser.add_argument("--output", default="epochs.png", help="file of the plot")
parser.add_argument("--quick", action="store_true", help="only a few samples of patients")
# In a notebook the command line is that of the kernel, not of this example.
arguments = parser.parse_args(None if sys.argv[0].endswith("plot_epochs.py") else [])

# %%
# Data
# ----
# Five measurements of each patient; 1 stands for malignant.

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X = X.filter(regex="mean (texture|smoothness|symmetry|fractal|compactness)").to_numpy()
y = 1 - y.to_numpy()

# %%
# The loop
# --------
# One hidden layer, the log loss, gradient descent with momentum. A generator gives the predictions
# for other samples after each epoch, which is where a validation loop would stand.

N_EPOCHS = 30


def train(X, y, X_other, *, hidden, rate, seed=0):
    """Train a network and yield its probabilities for `X_other` after each epoch."""
    rng = np.random.default_rng(seed)
    center, spread = X.mean(axis=0), X.std(axis=0)
    X, X_other = (X - center) / spread, (X_other - center) / spread
    weights = [
        rng.normal(size=(X.shape[1], hidden)) / np.sqrt(X.shape[1]),
        np.zeros(hidden),
        rng.normal(size=hidden) / np.sqrt(hidden),
        np.zeros(1),
    ]
    speeds = [np.zeros_like(weight) for weight in weights]
    for _ in range(N_EPOCHS):
        for batch in np.array_split(rng.permutation(len(X)), len(X) // 8):
            W, b, v, c = weights
            inner = np.tanh(X[batch] @ W + b)
            error = (expit(inner @ v + c) - y[batch]) / len(batch)  # gradient of the log loss
            back = np.outer(error, v) * (1 - inner**2)
            slopes = [
                X[batch].T @ back,
                back.sum(axis=0),
                inner.T @ error,
                error.sum(keepdims=True),
            ]
            for weight, speed, slope in zip(weights, speeds, slopes):
                speed *= 0.9
                speed -= rate * slope
                weight += speed
        W, b, v, c = weights
        yield expit(np.tanh(X_other @ W + b) @ v + c)


# %%
# Recording
# ---------
# The recorder makes the splits, and takes the predictions of every network, fold and epoch. The
# list of configurations is fixed beforehand, so ``adaptive=False``; leave it out when a tuner
# chooses them. ``folder="study"`` would keep everything on disk.

NETWORKS = list(ParameterGrid({"hidden": [4, 32], "rate": [0.01, 0.1]}))


def tuned(X, y):
    """Out-of-fold predictions of every network after every epoch."""
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    recorder = OOFRecorder(y, cv=cv, adaptive=False)
    for network in NETWORKS:
        for fold, (inside, outside) in enumerate(recorder.splits):
            epochs = train(X[inside], y[inside], X[outside], **network)
            for epoch, positive in enumerate(epochs, start=1):
                params = {**network, "epoch": epoch}
                recorder.record(params, fold, positive, response="predict_proba")
    return recorder.oof_


# %%
# The metric is computed afterwards, and any other could be. BBC repeats the choice among all
# networks and epochs in every bootstrap draw.

method = BBC(random_state=0)
X_tune, X_held_out, y_tune, y_held_out = train_test_split(
    X, y, train_size=60, stratify=y, random_state=1
)
oof = tuned(X_tune, y_tune)
result = method.estimate(oof, "neg_log_loss")
best = oof.params[result.details["winner"]]
apparent = log_loss(y_tune, oof.matrix("neg_log_loss")[:, result.details["winner"]])
print(f"{oof.n_configs} configurations, the best: {best}")
print(f"log loss at the best epoch  {apparent:.3f}")
low, high = sorted((-result.low, -result.high))
print(f"corrected                   {-result.estimate:.3f} (95% interval {low:.3f} to {high:.3f})")

# %%
# On other samples of patients
# ----------------------------
# One sample can show anything. Over 40, the log loss at the best epoch is too low by 0.05 on
# average, three standard errors. The corrected one is too high by 0.02, less than one.
# (A rough guide: all samples come from the same 569 patients.)


def on_held_out(X, y, X_other, y_other, params):
    """Log loss of a network on other patients, after each epoch."""
    network = {name: params[name] for name in ("hidden", "rate")}
    return [log_loss(y_other, positive) for positive in train(X, y, X_other, **network)]


rows = []
for seed in range(2 if arguments.quick else 40):
    inside, outside, y_inside, y_outside = train_test_split(
        X, y, train_size=60, stratify=y, random_state=seed
    )
    predictions = tuned(inside, y_inside)
    there = method.estimate(predictions, "neg_log_loss")
    winner = there.details["winner"]
    chosen = predictions.params[winner]
    truth = on_held_out(inside, y_inside, outside, y_outside, chosen)
    rows.append(
        {
            "at the best epoch": log_loss(y_inside, predictions.matrix("neg_log_loss")[:, winner]),
            "corrected": -there.estimate,
            "other patients": truth[chosen["epoch"] - 1],
        }
    )
samples = pd.DataFrame(rows)
print(samples.mean().round(3).to_string())
for name in ("at the best epoch", "corrected"):
    error = samples[name] - samples["other patients"]
    print(f"{name}: off by {error.mean():+.3f} (standard error {error.sem():.3f})")

# %%
# Plot
# ----
# Left, the sample from above: the log loss of every network after each epoch, the selected one in
# colour, with the corrected value and its interval at the best epoch. Right, the 40 samples.

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.8), layout="constrained")
epochs = np.arange(1, N_EPOCHS + 1)
positives = oof.matrix("neg_log_loss")
for number, network in enumerate(NETWORKS):
    configs = [k for k, params in enumerate(oof.params) if network.items() <= params.items()]
    losses = [log_loss(y_tune, positives[:, k]) for k in configs]
    selected = network.items() <= best.items()
    left.plot(
        epochs,
        losses,
        color="#D55E00" if selected else "#BBBBBB",
        zorder=2 + selected,
        label="selected, cross-validated"
        if selected
        else "other networks"
        if number == 0
        else None,
    )
held_out = on_held_out(X_tune, y_tune, X_held_out, y_held_out, best)
left.plot(epochs, held_out, "--", color="#1A1A1A", label="selected, other patients")
left.plot(best["epoch"], apparent, "o", color="#D55E00", zorder=4)
left.errorbar(
    best["epoch"],
    -result.estimate,
    yerr=[[-result.estimate - low], [high + result.estimate]],
    fmt="s",
    color="#0072B2",
    capsize=4,
    zorder=4,
    label="corrected, 95% interval",
)
left.set_xlabel("epoch")
left.set_ylabel("log loss")
left.legend(frameon=False, fontsize="small")
places = np.random.default_rng(0).uniform(-0.1, 0.1, len(samples))
for place, (name, color) in enumerate(zip(samples, ("#D55E00", "#0072B2", "#1A1A1A"))):
    right.plot(place + places, samples[name], "o", ms=4, alpha=0.6, color=color)
    right.hlines(samples[name].mean(), place - 0.25, place + 0.25, color=color, lw=2)
right.set_xticks(range(3), list(samples))
right.set_ylabel("log loss; line: mean over the samples")
for ax in (left, right):
    ax.spines[["top", "right"]].set_visible(False)
figure.savefig(arguments.output, dpi=150)
print(f"The plot is in {arguments.output}")
