"""Every sentence about facts that are written by hand: what few searches come to, in one file."""

import re

import numpy as np

from sklearn_bbc._citations import references_of
from sklearn_bbc.report._sentences import methods_paragraph, summary_of, tripod_frame
from sklearn_bbc.search._reporting import card_of
from tests.report.some_facts import facts, result
from tests.scenarios.approval import APPROVED, check_approved, in_lines, text_of_html

NAN = float("nan")
CITED = {name: references_of(name) for name in ("bbc", "bbcf", "delong")}
FAILED = {"estimate": NAN, "low": NAN, "high": NAN}
MAE = result(metric="neg_mean_absolute_error", estimate=-23.406, low=-28.21, high=-19.0)
COST = result(metric="cost", estimate=-23.406, low=-28.21, high=-19.0)
POOLING = {"optimism_parts": {"pooling": 0.03, "selection": 0.0023}, "mostly_pooling": True}
ALL_FOLDS = {"unit": "fold", "exact": True}
TWO = {"roc_auc": [0.5], "neg_log_loss": [-0.5]}
MAIN = result()
REPORTED = {
    "roc_auc": {"bbc": MAIN, "delong": result(method="delong")},
    "f1": {"bbc": result(metric="f1")},
    "accuracy": {"bbc": result(metric="accuracy", details={"tuned_by": "accuracy"})},
    "log_loss": {"bbc": result(metric="log_loss", details={"error": "why"})},
}
FACTS = {
    "plain": facts(),
    # the result
    "no width": facts(result(details={"no_width": "The interval has no width."})),
    "loss": facts(MAE, best_score=-22.99),
    "loss of one's own": facts(COST, best_score=-22.99, signs={"cost": -1}),
    "gain of one's own": facts(COST, best_score=-22.99, signs={"cost": 1}),
    "at least": facts(result(alternative="greater", high=np.inf)),
    "at most": facts(result(alternative="less", low=-np.inf)),
    "no interval": facts(result(low=NAN, high=NAN)),
    "no result": facts(result(**FAILED, details={"error": "ValueError: why"})),
    "no interval, for a reason": facts(result(low=NAN, high=NAN, details={"reason": "too few"})),
    "no best score": facts(best_score=NAN),
    "all draws of folds": facts(result(method="bbcf", n_bootstraps=None, details=ALL_FOLDS)),
    "not aware of the selection": facts(result(method="delong", n_bootstraps=None)),
    "a method of one's own": facts(result(method="mine")),
    "one draw": facts(result(n_bootstraps=1)),
    "no seed": facts(result(details={})),
    "two notes": facts(result(details={"notes": ["one", "two"]})),
    "mostly pooling": facts(result(details=POOLING)),
    "some pooling": facts(result(details={**POOLING, "mostly_pooling": False})),
    "pooling that is 0.000 in print": facts(
        result(details={**POOLING, "optimism_parts": {"pooling": 0.0003, "selection": 0.0001}})
    ),
    "better than the best": facts(
        result(details={**POOLING, "why_better": "It is better because of this."})
    ),
    "another winner": facts(
        result(details={"winner": 1, "best_index": 0}),
        params=[{"text": "x" * 200}, {"C": 0.1, "model": "one\n   two"}],
        best_index=0,
    ),
    "another winner without a name": facts(
        result(details={"winner": 1, "best_index": 0}), params=()
    ),
    "a rule": facts(result(details={"rule": "simple"})),
    "a function as the rule": facts(result(details={"rule": "<lambda>"})),
    # the data and the splits
    "one of each": facts(n_configs=1, n_splits=1, n_samples=0, n_groups=None, folds=()),
    "one group": facts(n_groups=1),
    "no groups, repeats": facts(n_groups=None, folds=(10,) * 5),
    "repeats of 3 and 5": facts(folds=(3, 5)),
    "splits": facts(folds=()),
    "never held out": facts(n_untested=60),
    "unequal amounts": facts(unequal_amounts=(16, 1064)),
    "unequal amounts, one never held out": facts(unequal_amounts=(16, 64), n_untested=1),
    "size unknown": facts(n_samples=0, n_features=None),
    "nothing selected": facts(n_groups=None, n_features=None, best_index=None, n_untested=3),
    "positive class": facts(positive={"roc_auc": "case"}),
    # the search
    "failed configurations": facts(n_failed=2),
    "other splits": facts(n_left_out=5, dynamic=True),
    "by earlier scores": facts(dynamic=True),
    "one configuration, not aware": facts(result(method="delong"), n_configs=1),
    "two metrics": facts(mean_scores=TWO),
    "two metrics, none selects": facts(mean_scores=TWO, primary=None),
    "several results": facts(MAIN, results=REPORTED, positive={"f1": "case"}),
}


def printed(made):
    """Sentences about these facts."""
    yield "summary", summary_of(made)
    yield "methods", methods_paragraph(made, CITED).partition("\n\nReferences\n")[0]
    yield "tripod", "\n".join(f"{row.item:4}{row.text}" for row in tripod_frame(made).itertuples())
    yield "card", text_of_html(card_of(made))


def test_every_word_is_that_of_the_approved_file(request):
    """Of other facts than the plain ones the lines that these do not have."""
    plain, found = set(), []
    for name, made in FACTS.items():
        for what, text in printed(made):
            lines = [line for line in in_lines(text) if line not in plain]
            found += [f"## {name}: {what}", *lines, ""] if lines else []
            if name == "plain":
                plain.update(lines)
    check_approved(request, APPROVED / "facts written by hand.txt", "\n".join(found))


def test_no_sentence_has_a_gap():
    for name, made in FACTS.items():
        for _, text in printed(made):
            assert not re.search(r"\bnan\b|\bNone\b| {2,}[a-z]| [.,;]", text), (name, text)
