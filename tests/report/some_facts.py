"""A small search in words and numbers, for several test files."""

import numpy as np

from sklearn_bbc import ConfidenceInterval
from sklearn_bbc.report import SearchFacts


def result(**fields):
    given = {
        "estimate": 0.88,
        "low": 0.81,
        "high": 0.95,
        "confidence_level": 0.95,
        "alternative": "two-sided",
        "method": "bbc",
        "metric": "roc_auc",
        "estimand": "score on new samples",
        "n_bootstraps": 2000,
        "details": {"unit": "group", "seed": 7},
    }
    return ConfidenceInterval(**{**given, **fields})


def facts(main=None, best_score=0.91234, **fields):
    main = result() if main is None else main
    given = {
        "search": "BBCSearchCV",
        "strategy": "grid search",
        "estimator": "Ridge",
        "space": [("alpha", "1, 2")],
        "cv": "grouped 10-fold cross-validation",
        "n_samples": 80,
        "n_configs": 120,
        "n_failed": 0,
        "n_splits": 10,
        "n_repeats": 1,
        "n_untested": 0,
        "folds": (10,),
        "n_groups": 20,
        "n_features": 5,
        "target": [("class 0", "30"), ("class 1", "50")],
        "primary": main.metric,
        "signs": {},
        "mean_scores": {main.metric: np.linspace(0.5, 0.9, 120)},
        "results": {main.metric: {main.method: main}},
        "best_scores": {(main.metric, main.method): best_score},
        "main": main,
        "selection_aware": frozenset({"bbc", "bbcf"}),
        "params": [{"alpha": k} for k in range(120)],
        "best_index": 119,
        "seed": 7,
        "versions": {"scikit-learn": "1.9", "sklearn-bbc": "0.2"},
        "code": "search.fit(X, y)",
    }
    return SearchFacts(**{**given, **fields})
