"""
Survival times: a Cox model, a forest and boosting by their Brier score
=======================================================================

7,874 people of a study of blood proteins, of whom 28% died in the up to 14 years that they were
followed; the others are right-censored. 300 take part in tuning, and the 7,574 others show what
the selected model is worth.

Models of scikit-survival work as they are. The target is a structured array with a boolean field
(event seen?) and a time. :doc:`/user_guide/survival` has the formulas, and what other models must
have.

Run it with ``python docs/examples/plot_survival.py`` after ``pip install scikit-survival``, which
has the data; it takes half a minute.
"""

import argparse
import sys

import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OrdinalEncoder, StandardScaler
from sksurv.datasets import load_flchain
from sksurv.ensemble import GradientBoostingSurvivalAnalysis, RandomSurvivalForest
from sksurv.linear_model import CoxPHSurvivalAnalysis

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.display import DrawsDisplay
from sklearn_bbc.metrics import dynamic_auc, neg_integrated_brier_score, uno_concordance

parser = argparse.ArgumentParser(description="Tune survival models on 300 of 7,874 people.")
parser.add_argument("--output", default="survival.png", help="file of the plot")
parser.add_argument("--quick", action="store_true", help="a smaller grid and smaller forests")
# In a notebook the command line is that of the kernel, not of this example.
arguments = parser.parse_args(None if sys.argv[0].endswith("plot_survival.py") else [])

# %%
# Data
# ----
# Age, sex, creatinine and two proteins. (The chapter of the cause of death would tell too much:
# only who died has one.)

X, followed = load_flchain()
X = X[["age", "sex", "creatinine", "kappa", "lambda"]]
y = np.empty(len(X), dtype=[("event", bool), ("years", float)])
y["event"], y["years"] = followed["death"], followed["futime"] / 365.25
X_tune, X_others, y_tune, y_others = train_test_split(
    X, y, train_size=300, stratify=y["event"], random_state=0
)

# %%
# Tuning
# ------
# The Brier score of the predicted survival, from the first to the tenth year, selects. With
# ``censoring=y_tune`` the weights of censoring come from all 300 people, so that small folds are
# no problem. Folds have equal shares of events.

years = np.arange(1, 11)
scores = {
    "neg_integrated_brier_score": neg_integrated_brier_score(years, censoring=y_tune),
    "dynamic_auc": dynamic_auc(5, censoring=y_tune),
    "uno_concordance": uno_concordance(10, censoring=y_tune),
}
proteins = make_pipeline(SimpleImputer(strategy="median"), FunctionTransformer(np.log1p))
prepare = make_column_transformer(
    (OrdinalEncoder(), ["sex"]),
    (StandardScaler(), ["age"]),
    (make_pipeline(proteins, StandardScaler()), ["creatinine", "kappa", "lambda"]),
)
n_trees, step = (20, 3) if arguments.quick else (100, 1)
grid = [
    {
        "model": [CoxPHSurvivalAnalysis()],
        "model__alpha": [0.1, 1, 3, 10, 30, 100][::step],
    },
    {
        "model": [RandomSurvivalForest(n_trees, random_state=0)],
        "model__min_samples_leaf": [3, 5, 10, 20, 40, 60][::step],
        "model__max_features": [2, 4],
    },
    {
        "model": [GradientBoostingSurvivalAnalysis(subsample=0.7, random_state=0)],
        "model__n_estimators": [20, 50, 100, 200][::step],
        "model__max_depth": [1, 2, 3][::step],
    },
]
folds = StratifiedKFold(5, shuffle=True, random_state=0).split(X_tune, y_tune["event"])
search = BBCSearchCV(
    Pipeline([("prepare", prepare), ("model", CoxPHSurvivalAnalysis())]),
    grid,
    scoring=scores,
    refit="neg_integrated_brier_score",
    cv=list(folds),
    random_state=0,
).fit(X_tune, y_tune)
print(search.summary())

# %%
# What the others show
# --------------------
# Thousands of people who took no part in tuning, with the weights of their own censoring.

truth = {
    "neg_integrated_brier_score": neg_integrated_brier_score(years),
    "dynamic_auc": dynamic_auc(5),
    "uno_concordance": uno_concordance(10),
}
model = search.best_estimator_
held_out = {name: score(model, X_others, y_others) for name, score in truth.items()}
print(f"{'':28}{'best':>8}{'BBC':>8}{'low':>8}{'high':>8}{'others':>8}")
for name, results in search.ci_results_.items():
    result = results["bbc"]
    best = search.cv_results_[f"mean_test_{name}"][search.best_index_]
    numbers = (best, result.estimate, *result, held_out[name])
    print(f"{name:28}" + "".join(f"{number:8.3f}" for number in numbers))

# %%
# Which kinds of models may be the best?

tied = search.tied_with_best()
kinds = [type(search.cv_results_["params"][config]["model"]).__name__ for config in tied]
print({kind: kinds.count(kind) for kind in kinds})

# %%
# Plot
# ----

display = DrawsDisplay.from_search(
    search, held_out_score=held_out["neg_integrated_brier_score"]
).plot()
display.figure_.savefig(arguments.output, dpi=150, bbox_inches="tight")
print(f"The plot is in {arguments.output}")
