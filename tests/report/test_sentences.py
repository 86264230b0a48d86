"""Rules of the summary, the checklist and the paragraph for the methods section.

Their words are in `tests/scenarios/approved`, of searches and of facts that are written by hand.
"""

import re

import numpy as np
import pytest

from sklearn_bbc._citations import references_of
from sklearn_bbc.report._sentences import methods_paragraph, summary_of, tripod_frame
from tests.report.some_facts import facts, result
from tests.results.test_planning import sizes

CITED = {name: references_of(name) for name in ("bbc", "bbcf", "delong")}


@pytest.mark.parametrize(("sign", "printed"), [(-1, ("23.0", "23.4")), (1, ("-23.0", "-23.4"))])
def test_a_sign_that_is_given_decides_how_numbers_are_printed(sign, printed):
    own = result(metric="cost", estimate=-23.406, low=-28.21, high=-19.0)
    text = summary_of(facts(own, best_score=-22.99, signs={"cost": sign}))
    assert all(f" {number} (" in text for number in printed)


def test_a_result_about_another_configuration_than_the_selected_one_names_both():
    two = result(details={"unit": "sample", "winner": 1, "best_index": 0})
    params = [{"text": "x" * 500}, {"C": 0.1, "model": "one\n   two"}]
    sentence = summary_of(facts(two, params=params))
    assert "configuration 1 (C=0.1, model='one\\n two')" in sentence
    assert sentence.count("x" * 111) == 1 and "x" * 112 not in sentence, "cut"
    assert "configuration 0" in sentence


def test_an_estimate_that_is_better_is_explained_once():
    details = {
        "optimism_parts": {"pooling": -0.03, "selection": 0.0},
        "mostly_pooling": True,
        "why_better": "It is better because of this.",
    }
    better = summary_of(facts(result(details=details)))
    assert better.endswith("It is better because of this.") and "within_folds" not in better
    del details["why_better"]
    assert "within_folds" in summary_of(facts(result(details=details)))
    details["optimism_parts"] = {"pooling": 0.0003, "selection": 0.0001}
    assert "within_folds" not in summary_of(facts(result(details=details))), "0.000 in print"


def test_the_checklist_has_the_items_that_a_search_knows():
    frame = tripod_frame(facts())
    assert list(frame.columns) == ["item", "topic", "text"]
    assert list(frame["item"]) == ["10", "12a", "12c", "12d", "12e", "18f", "21", "22", "23a"]
    assert "12d" not in list(tripod_frame(facts(n_groups=None))["item"]), "of groups"


def test_the_parameters_of_the_selected_configuration_are_not_cut():
    params = [{"columns": list(range(200)), "C": 0.12345678}]
    found = tripod_frame(facts(params=params, best_index=0)).set_index("item")["text"]
    assert "198, 199]" in found["22"]


def test_a_planned_number_of_samples_stands_by_the_size_only():
    planned = sizes()
    found = tripod_frame(facts(further_results=[planned])).set_index("item")["text"]
    assert found.pop("10").endswith(f"is 0.140 wide. {planned.summary()}")
    assert found.equals(tripod_frame(facts()).set_index("item")["text"].drop("10"))


def test_one_of_a_kind_is_written_in_the_singular():
    one = facts(n_configs=1, n_features=1, n_dropped=1, n_left_out=1, n_failed=1)
    texts = [summary_of(one), methods_paragraph(one, CITED), *tripod_frame(one).to_numpy().ravel()]
    printed = " ".join(map(str, texts))
    assert "1 predictor." in printed and "over 1 configuration (" in printed
    assert "was dropped early, as it was clearly worse" in printed
    assert not re.findall(r"(?<!of )(?<!of the )(?<![.,\d])\b1 [a-z]+s\b", printed)


def test_references_are_numbered_in_the_order_of_the_paragraph():
    text = methods_paragraph(facts(), CITED)
    paragraph, _, references = text.partition("\n\nReferences\n")
    first, second = references.splitlines()
    assert first.startswith("[1] F. Pedregosa") and second.startswith("[2] I. Tsamardinos")
    assert 0 < paragraph.index("[1]") < paragraph.index("[2]")
    one = methods_paragraph(facts(result(method="mine", n_bootstraps=None)), {})
    assert "[2]" not in one, "a method of the user's own has none"


def test_all_that_was_reported_is_covered():
    """Other metrics and methods, the positive class, further sentences; nothing that failed."""
    main, delong = result(), result(method="delong")
    failed = result(metric="log_loss", estimate=np.nan, details={"error": "why"})
    results = {
        "roc_auc": {"bbc": main, "delong": delong},
        "f1": {"bbc": result(metric="f1")},
        "log_loss": {"bbc": failed},
    }
    text = methods_paragraph(
        facts(main, results=results, positive={"f1": "case"}), CITED, ["The threshold was chosen."]
    )
    order = ["[2]", "[3]", "F1 score", "'case'", "The threshold was chosen.\n", "[3] E. R. DeLong"]
    assert sorted(order, key=text.index) == order
    assert "log loss" not in text
