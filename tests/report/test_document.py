"""The page: whole, closed, without scripts and requests, everything escaped."""

import dataclasses
import os
import re
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

from sklearn_bbc._citations import references_of
from sklearn_bbc.comparison import tied_with_best
from sklearn_bbc.curves import corrected_curve
from sklearn_bbc.intervals import BBC
from sklearn_bbc.report import ResultsTable, _page
from sklearn_bbc.report._page import write_page
from sklearn_bbc.results._curves import StabilityResult
from sklearn_bbc.testing import example_predictions
from tests.display.test_tied_set import tied_set
from tests.report.some_facts import facts, result

THRESHOLD = {
    "text": "At the threshold 0.5", "methods": "The threshold was chosen.", "level": "90%",
    "rows": [("sensitivity", "0.9", "0.8", "0.7 to 0.9", "0%")], "notes": ["Few."],
}  # fmt: skip
EVIL = "<script>alert('x')</script><img src=x onerror=alert(1)>&\"'{{ 7*7 }}"
VOID = {"meta", "img", "br", "link", "input"}


class Page(HTMLParser):
    """Tags and attributes of a page, its text, and whether its tags are closed in order."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.open, self.text = [], [], [], ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.text += " "  # cells of a table are words of their own
        self.attributes += [(tag, *attribute) for attribute in attributes]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.text += data


@pytest.fixture(autouse=True)
def _needs_jinja2():
    pytest.importorskip("jinja2", reason="report needs jinja2, extra report")


@pytest.fixture
def write(tmp_path):
    def written(made, **options):
        given = {
            "title": "Title",
            "table": ResultsTable([("ROC AUC", "0.9", "BBC")]),
            "tied": None,
            "threshold": None,
            "cited": {"bbc": references_of("bbc")},
        }
        path = write_page(tmp_path / "report.html", made, **{**given, **options})
        assert path == tmp_path / "report.html" and os.listdir(tmp_path) == ["report.html"]
        return Page(path.read_text(encoding="utf-8"))

    return written


@pytest.fixture(scope="module")
def tied():
    return tied_with_best(
        example_predictions(), "roc_auc", draws=BBC(n_bootstraps=50, random_state=0)
    )


def test_no_script_no_request(write, tied):
    page = write(
        facts(),
        tied=tied,
        threshold=THRESHOLD,
    )
    assert not {"script", "link", "iframe", "object", "form", "a"} & set(page.tags)
    for tag, name, value in page.attributes:
        assert not name.startswith("on")
        if name in ("src", "href"):
            assert tag == "img" and value.startswith("data:image/svg+xml;base64,")
    content = dict((name, value) for tag, name, value in page.attributes if tag == "meta")
    assert "default-src 'none'" in content["content"] or any(
        value and "default-src 'none'" in value for _, _, value in page.attributes
    )


def test_on_a_narrow_screen_plots_are_scrolled_not_shrunk(write, tied):
    page = write(facts(), tied=tied)
    n_images = page.tags.count("img")
    frames = [(tag, name) for tag, name, value in page.attributes if value == "plot"]
    assert frames == [("div", "class")] * n_images and n_images >= 1


def test_it_says_what_a_reader_needs(write, tied):
    page = write(facts(n_failed=2, notes=["Mind the gap."]), tied=tied,
                 threshold=THRESHOLD)  # fmt: skip
    text = " ".join(page.text.split())
    for words in (
        "ROC AUC of 0.912",
        "Cross-validated ROC AUC 0.912",
        "Corrected ROC AUC 0.880 95% confidence interval 0.810 to 0.950",
        "groups 20", "class 1 50", "seed 7", "120, of which 2 failed", "alpha 1, 2",
        "The best 20 of 120 configurations", "These scores are not corrected.",
        "3 of 4 configurations cannot be distinguished from the best by ROC AUC",
        THRESHOLD["text"], THRESHOLD["methods"],
        "(90%) undefined in draws sensitivity 0.9 0.8 0.7 to 0.9 0% Few.",
        "Mind the gap.", "was tuned by grid search",
        "Collins et al., BMJ 385", "search.fit(X, y)", "scikit-learn 1.9",
        "I. Tsamardinos",
    ):  # fmt: skip
        assert words in text, words
    assert "Nothing unusual" not in text and "could not be computed" not in text
    assert "held out" not in text, "all of them"
    text = " ".join(write(facts(n_untested=30)).text.split())
    assert "samples 80 held out 50 samples groups 20" in text


def test_families_are_listed_unless_each_is_one_configuration(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    one = {"params": [{"kind": k} for k in range(4)], "families": [f"kind={k}" for k in range(4)]}
    for fields, is_listed in (({}, True), (one, False), ({"families": ["all"] * 4}, False),
                              ({"families": ["kind=0"] * 3 + ["kind=1"]}, True)):  # fmt: skip
        tied = tied_set(2, 2, **fields)
        text = " ".join(write(facts(), tied=tied).text.split())
        assert tied.summary() in text
        assert ("kind=0 2 of " in text) == is_listed, fields


def test_everything_is_escaped(write):
    made = facts(
        estimator=EVIL, space=[(EVIL, EVIL)], params=[{EVIL: EVIL}] * 120, notes=[EVIL],
        target=[(EVIL, EVIL)], cv=EVIL, code=EVIL, versions={EVIL: EVIL}, search=EVIL,
        main=result(details={"unit": EVIL}),
    )  # fmt: skip
    table = ResultsTable([(EVIL, EVIL, EVIL)], (EVIL, EVIL, EVIL), [EVIL])
    page = write(
        made,
        title=EVIL,
        table=table,
        tied=EVIL,
        threshold={
            "text": EVIL,
            "methods": EVIL,
            "level": EVIL,
            "rows": [[EVIL] * 5],
            "notes": [EVIL],
        },
    )
    assert "script" not in page.tags and page.text.count(EVIL) > 40
    assert not any(name.startswith("on") for _, name, _ in page.attributes)


def test_optimism_has_the_decimals_of_the_estimate(write):
    parts = {"pooling": 0.018123, "selection": 0.0119}
    page = write(facts(result(details={"optimism_parts": parts})))
    text = " ".join(page.text.split())
    assert "Optimism 0.030 0.012 from the selection, 0.018 from pooling the folds" in text


def test_failed_configurations_come_last_and_say_so(write):
    scores = np.array([0.5, np.nan, 0.75])
    made = facts(n_configs=3, params=[{"a": k} for k in range(3)], best_index=2,
                 mean_scores={"roc_auc": scores, "neg_log_loss": -scores})  # fmt: skip
    text = " ".join(write(made).text.split())
    assert "2 a=2 0.750 0.750 yes 0 a=0 0.500 0.500 1 a=1 failed failed" in text
    assert "All configurations, by mean cross-validated ROC AUC." in text


def test_without_results_tied_set_or_notes(write):
    bare = dataclasses.replace(facts(), main=None, results={}, best_scores={}, mean_scores={})
    text = " ".join(write(bare, table=None, tied="no predictions", cited={}).text.split())
    assert "No interval was computed for the metric that selects" in text
    assert "The set could not be computed: no predictions" in text
    assert "Nothing unusual was noticed" in text and "Configurations These" not in text


def test_methods_name_what_was_corrected_like_the_score_and_stability_was_not(write, monkeypatch):
    def not_drawn(display, size, caption, **options):
        return {"caption": caption, "failed": "", "address": "data:,"}

    monkeypatch.setattr(_page, "_as_picture", not_drawn)
    oof = example_predictions()
    method = BBC(n_bootstraps=30, random_state=0)
    roc, precision = (
        corrected_curve(oof, "roc_auc", curve=curve, method=method)
        for curve in ("roc", "precision_recall")
    )
    stable = StabilityResult(
        sample=[0], predicted=[0.5], difference=[0.1], low=[0.4], high=[0.6], mean_difference=0.1,
        label="risk", metric="roc_auc", n_bootstraps=30,
    )  # fmt: skip
    for shown, words in (
        ([roc, stable], "The ROC curve was corrected for the selection in the same way"),
        ([stable, roc, precision], "The ROC curve and precision-recall curve were corrected"),
    ):
        text = " ".join(write(facts(further_results=shown)).text.split())
        assert words in text and stable.summary() in text
    text = " ".join(write(facts(further_results=[stable])).text.split())
    assert stable.summary() in text and "in the same way" not in text


def test_missing_packages(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    curve = corrected_curve(
        example_predictions(), "roc_auc", method=BBC(n_bootstraps=30, random_state=0)
    )
    page = write(facts(further_results=[curve]))
    assert f"ROC curve {curve.summary()}" in " ".join(page.text.split())
    assert "matplotlib is not installed" in page.text and "img" not in page.tags
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=re.escape("pip install sklearn-bbc[report]")):
        write(facts())
