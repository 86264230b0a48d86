"""Sentences, tables, the page and the card of a fitted search."""

import functools
import re

import numpy as np
import pytest
from sklearn import clone, config_context
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV, OOFPredictions, samples_for_width, write_report
from sklearn_bbc.curves import Calibration, corrected_curve
from sklearn_bbc.display import ForestDisplay
from sklearn_bbc.intervals import BBC, BBCF, optimism_curve
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.report import ResultsTable, _page
from sklearn_bbc.search import _reporting
from sklearn_bbc.selection import MeanCost, SensitivityAt, WithThreshold
from tests.report.some_facts import result
from tests.report.test_document import Page
from tests.search.small_search import FEW, X, Y, search

EVIL = "<script>alert(1)</script>"


class Tagged(DecisionTreeClassifier):
    """A tree with a parameter that says nothing."""

    def __init__(self, max_depth=None, tag=None):
        super().__init__(max_depth=max_depth, random_state=0)
        self.tag = tag


@pytest.fixture(autouse=True)
def nothing_is_drawn(monkeypatch):
    """Pictures take most of the time of a page; `tests/report/test_plots.py` looks at them."""
    monkeypatch.setattr(
        _page, "_as_picture", lambda display, size, caption, **options:
        {"caption": caption, "failed": "", "address": "data:,"}
    )  # fmt: skip


@pytest.fixture(scope="module")
def fitted():
    return search(ci=[FEW, "bbcf"], scoring=["roc_auc", "neg_log_loss"], refit="roc_auc").fit(X, Y)


@pytest.fixture(scope="module")
def off():
    return search(ci=[]).fit(X, Y)


@pytest.fixture(scope="module")
def evil():
    grid = {"max_depth": [1, 2], "tag": [EVIL, "50% a_b & {c}"]}
    return search(Tagged(tag=EVIL), grid).fit(X, Y)


def test_every_style_has_the_same_sentences(fitted):
    text = fitted.summary()
    assert fitted.summary(style="text") == text and f"{fitted.bbc_score_:.3f}" in text
    latex, markdown = fitted.summary("latex"), fitted.summary(style="markdown")
    assert r"95\% confidence" in latex and latex.replace("\\", "").replace("{}", "") == text
    assert markdown.replace("\\", "") == text
    methods = fitted.summary("methods")
    assert methods.startswith("DecisionTreeClassifier was tuned by grid search over 4 conf")
    assert "[2] I. Tsamardinos" in methods


def test_the_table_has_the_numbers_of_the_frame(fitted):
    table, frame = fitted.table(), fitted.intervals_frame()
    assert table.rows == ResultsTable.from_frame(frame).rows
    assert [row[0] for row in table.rows] == ["ROC AUC"] * 3 + ["log loss"] * 3
    printed = [float(cell.split()[0]) for _, cell, _ in table.rows]
    expected = [f"{abs(value):.3f}" for best, a, b in frame[["best_score", "estimate"]].groupby(
        frame["metric"], sort=False).apply(
            lambda part: (part["best_score"].iloc[0], *part["estimate"]))
        for value in (best, a, b)]  # fmt: skip
    assert printed == pytest.approx([float(each) for each in expected], abs=6e-3)


def test_a_scorer_of_ones_own_is_turned_by_its_sign():
    from sklearn.metrics import make_scorer

    def cost(y_true, y_pred):
        return float(np.mean(np.abs(y_true - y_pred)))

    own = search(Ridge(), {"alpha": [1, 2]}, ci=FEW,
                 scoring=make_scorer(cost, greater_is_better=False)).fit(X, Y)  # fmt: skip
    assert own.best_score_ < 0
    assert f"cross-validated cost of {-own.best_score_:.3f}" in own.summary()
    assert own.table().rows[0][1] == f"{-own.best_score_:.3f}"


def test_methods_that_ignore_the_selection_are_named():
    both = search(DecisionTreeClassifier(), {"max_depth": [1, 2]}, scoring="roc_auc",
                  ci=[FEW, "delong"]).fit(X, Y)  # fmt: skip
    assert both.intervals_frame()["selection_aware"].tolist() == [True, False]
    assert both.table().notes == ("Not corrected for the selection: DeLong.",)
    one = search(DecisionTreeClassifier(), {"max_depth": [2]}, scoring="roc_auc", ci="delong")
    assert one.fit(X, Y).table().notes == ()


def test_without_intervals_nothing_is_corrected(off):
    html = search()._repr_html_()
    assert "orrected" not in html and "display:flex;flex-wrap" not in html
    with pytest.raises(AttributeError, match="switched"):
        off.table()
    assert "orrected" not in off._repr_html_()


def test_the_report(evil, tmp_path, monkeypatch):
    pytest.importorskip("jinja2", reason="report needs jinja2, extra report")
    monkeypatch.setattr(evil, "curve", functools.partial(evil.curve, method=BBC(n_bootstraps=40)))
    monkeypatch.setattr(evil, "threshold", functools.partial(evil.threshold, method=FEW))
    path = evil.report(tmp_path / "report.html", title="A <title>", threshold="balanced_accuracy")
    page = Page(path.read_text(encoding="utf-8"))
    assert "script" not in page.tags and EVIL in page.text and "A <title>" in page.text
    text = " ".join(page.text.split())
    tuned = evil.threshold("balanced_accuracy")
    assert evil.summary() in text and tuned.summary() in text
    assert "cannot be distinguished from the best by ROC AUC" in text
    again = evil.report(tmp_path / "again.html", title="A <title>", threshold=tuned)
    assert again.read_bytes() == path.read_bytes()


@pytest.mark.usefixtures("without_pictures")
def test_the_report_without_a_tied_set_and_without_intervals(tmp_path):
    pytest.importorskip("jinja2", reason="report needs jinja2, extra report")
    off = search(ci=[], record=False).fit(X, Y)
    text = off.report(tmp_path / "off.html").read_text(encoding="utf-8")
    assert "No interval was computed" in text and "The set could not be computed" in text
    text = off.report(tmp_path / "off.html", tied=False).read_text(encoding="utf-8")
    assert "cannot be distinguished from the best" not in text


@pytest.mark.usefixtures("without_pictures")
def test_the_report_takes_what_was_computed_before(fitted, tmp_path):
    pytest.importorskip("jinja2", reason="report needs jinja2, extra report")
    tied = fitted.tied_with_best(0.8, draws=BBC(n_bootstraps=50))
    tuned = fitted.threshold("f1", method=FEW)
    path = fitted.report(tmp_path / "report.html", tied=tied, threshold=tuned, show=())
    text = " ".join(Page(path.read_text(encoding="utf-8")).text.split())
    assert "80% confidence, Bonferroni" in text and tuned.summary() in text


@pytest.mark.long
@pytest.mark.usefixtures("without_pictures")
def test_further_results_are_shown_where_they_are_asked_for(fitted, off, tmp_path):
    pytest.importorskip("jinja2", reason="report needs jinja2, extra report")
    curve = fitted.curve("net_benefit", method=BBC(n_bootstraps=60))
    slope = fitted.interval(FEW, scoring="calibration_slope")
    groups = fitted.subgroups(np.arange(90) % 2, method=BBC(n_bootstraps=60))
    stability = fitted.prediction_stability(method=BBC(n_bootstraps=60))
    show = ["roc", curve, Calibration(bins=3), slope, "accuracy", groups, stability]
    assert [row[0] for row in fitted.table(show=show).rows[-2:]] == [
        "calibration slope",
        "accuracy",
    ]
    assert fitted.table(show=slope).rows[:-1] == fitted.table().rows
    items = fitted.tripod_ai(show=show).set_index("item")["text"]
    nouns = "ROC curve, decision curve, calibration curve, ROC AUC in subgroups, stability of pre"
    assert f"log loss, calibration slope, accuracy, {nouns}" in items["12e"]
    assert "; calibration slope " in items["23a"] and "; accuracy " in items["23a"]
    assert "; decision curve with 95% limits, corrected for the selection;" in items["23a"]
    assert "; ROC AUC in subgroups with 95% limits, corrected" in items["23a"]
    path = fitted.report(tmp_path / "report.html", tied=False, show=show)
    page = Page(path.read_text(encoding="utf-8"))
    text, captions = " ".join(page.text.split()), curve.summary()
    order = ["Estimates", "ROC curve Sens", f"Decision curve {captions}", "Calibration curve Obs"]
    assert sorted(order, key=text.index) == order
    assert "decision curve, calibration curve and ROC AUC in subgroups were corrected" in text
    assert stability.summary() in text and groups.summary() in text
    assert all(note in text for note in curve.details["notes"]) and page.tags.count("img") == 5
    assert [row[2] for row in off.table(show="accuracy").rows] == ["BBC"]
    assert len(off.tripod_ai(show="roc")) == len(off.tripod_ai())


UNASKED = [
    (DecisionTreeClassifier(random_state=0), Y, {"scoring": "neg_log_loss"},
     ["ROC curve", "Calibration curve", "Decision curve"], ""),
    (Tagged(), np.where(Y == 1, "ill", "well"), {"scoring": "neg_log_loss"},
     ["ROC curve", "Calibration curve", "Decision curve"], ""),
    (LinearSVC(), Y, {"scoring": "roc_auc"}, ["ROC curve"], "Calibration needs predict_proba"),
    (Ridge(), X[:, 0], {"scoring": "r2"}, ["Calibration curve"], ""),
    (DecisionTreeClassifier(), np.arange(90) % 3, {"scoring": "accuracy"}, [], ""),
]  # fmt: skip


@pytest.mark.parametrize(("model", "y", "options", "headings", "reason"), UNASKED)
@pytest.mark.usefixtures("without_pictures")
def test_curves_that_can_be_drawn_are_in_a_report_unasked(
    model, y, options, headings, reason, tmp_path
):
    pytest.importorskip("jinja2", reason="report needs jinja2, extra report")
    name = next(each for each in ("max_depth", "C", "alpha") if each in model.get_params())
    fitted = BBCSearchCV(model, {name: [1, 2]}, random_state=0, ci=[FEW], **options).fit(X, y)
    fitted.curve = functools.partial(fitted.curve, method=BBC(n_bootstraps=40))
    page = fitted.report(tmp_path / "page.html", tied=False).read_text(encoding="utf-8")
    found = re.findall("<h2>(.*?)</h2>", page)
    every = ["ROC curve", "Precision-recall curve", "Calibration curve", "Decision curve"]
    assert [each for each in found if each in every] == headings
    assert ("Curves that cannot be drawn" in page) == bool(reason) and reason in page
    without = fitted.report(tmp_path / "page.html", tied=False, show=()).read_text("utf-8")
    assert not any(f"<h2>{each}" in without for each in every)


@pytest.mark.usefixtures("without_pictures")
def test_the_number_of_samples_has_its_width_and_its_plan(fitted, tmp_path):
    pytest.importorskip("jinja2", reason="report needs jinja2, extra report")
    width = f"The 95% confidence interval of the ROC AUC is {fitted.ci_.width:.3f} wide."
    (alone,) = fitted.tripod_ai().loc[lambda rows: rows["item"] == "10", "text"]
    assert alone.endswith(width)
    planned = samples_for_width(fitted, n_samples=200, n_studies=20, random_state=0)
    items = fitted.tripod_ai(show=planned).set_index("item")["text"]
    assert items["10"] == f"{alone} {planned.summary()}"
    others = fitted.tripod_ai().set_index("item")["text"]
    assert items.drop("10").equals(others.drop("10")), "it is no measure of performance"
    path = fitted.report(tmp_path / "report.html", tied=False, show=planned)
    text = " ".join(Page(path.read_text(encoding="utf-8")).text.split())
    assert "Number of samples " in text and planned.summary() in text
    assert "corrected for the selection in the same way" not in text


@pytest.mark.usefixtures("without_pictures")
def test_a_table_of_families_with_one_configuration_each_is_left_out(tmp_path):
    pytest.importorskip("jinja2", reason="report needs jinja2, extra report")
    grid = {"model": [DecisionTreeClassifier(max_depth=1), GaussianNB()]}
    one_each = BBCSearchCV(Pipeline([("model", GaussianNB())]), grid, random_state=0, ci=[FEW])
    page = one_each.fit(X, Y).report(tmp_path / "page.html", show=()).read_text("utf-8")
    assert "cannot be distinguished from the best" in page and "1 of 1" not in page


@pytest.mark.parametrize("show", ["lift", [3], 3])
def test_what_cannot_be_shown_is_refused_before_anything_is_written(fitted, tmp_path, show):
    with pytest.raises(ValueError, match=r"show takes curves .'roc', .*scorers by name"):
        fitted.report(tmp_path / "report.html", show=show)
    assert not list(tmp_path.iterdir())


def page_of(tmp_path, *arguments, **options):
    pytest.importorskip("jinja2", reason="report needs jinja2, extra report")
    path = write_report(tmp_path / "arrays.html", *arguments, **options)
    return " ".join(Page(path.read_text(encoding="utf-8")).text.split())


@pytest.mark.usefixtures("without_pictures")
def test_a_report_of_arrays_has_the_numbers_of_the_search(fitted, tmp_path):
    pytest.importorskip("jinja2", reason="report needs jinja2, extra report")
    path = fitted.report(tmp_path / "report.html", show=())
    whole = " ".join(Page(path.read_text(encoding="utf-8")).text.split())
    results = [each for named in fitted.ci_results_.values() for each in named.values()]
    tied = fitted.tied_with_best()
    text = page_of(tmp_path, fitted.oof_, results, tied=tied, title="Other", code="own.R --all")
    for begin, end in (("Estimates", "Configurations"), ("may be the best 0", "What to keep"),
                       ("class 0", "Protocol"), ("23a", "References of")):  # fmt: skip
        part = whole.split(begin, 1)[1].split(end, 1)[0].strip()
        assert part and part in text, part
    assert "predictions alone" in text and "own.R --all" in text and "Other" in text
    assert "DecisionTree" not in text and "scikit-learn 1." in text
    assert "4 configurations were compared by 5-fold cross-validation on 90 samples." in text


def test_a_report_of_scores_and_of_predictions_without_folds(tmp_path):
    scores = {"roc_auc": np.array([[0.81, 0.78], [0.76, 0.80], [0.84, 0.79], [0.79, 0.7]])}
    oof = OOFPredictions.from_fold_scores(scores)
    text = page_of(tmp_path, oof, BBCF().estimate(oof, "roc_auc"))
    assert "ROC AUC of 0.800" in text
    assert "The set could not be computed" in text and "seed" not in text.split("Estimates")[0]
    oof = OOFPredictions(y_true=Y, y_pred=X[:, :2])
    curve = corrected_curve(oof, "roc_auc", method=BBC(n_bootstraps=40, random_state=0))
    text = page_of(tmp_path, oof, [curve, FEW.estimate(oof, "roc_auc")])
    assert "the folds were not given" in text and f"ROC curve {curve.summary()}" in text
    assert "best score on all held-out predictions together (ROC AUC) was selected" in text


def test_a_report_of_a_scorer_and_of_a_threshold(tmp_path):
    oof = OOFPredictions(y_true=Y, y_pred=(X[:, :3] > 0).astype(int), fold=np.arange(90) % 5)
    scorer = make_scorer(f1_score, pos_label=0)
    own = FEW.estimate(oof, as_metric(scorer, name="own"))
    with pytest.raises(ValueError, match="'own', which is not the name of a scorer"):
        write_report(tmp_path / "r.html", oof, own)
    text = page_of(tmp_path, oof, own, scoring=as_metric(scorer, name="own"))
    assert f"own of {max(f1_score(Y, p, pos_label=0) for p in oof.matrix('f1').T):.1f}" in text
    oof = OOFPredictions(y_true=Y, y_pred=X[:, :3], fold=np.arange(90) % 5)
    tuned = BBC(n_bootstraps=20, random_state=0, selection=WithThreshold("balanced_accuracy"))
    assert "balanced accuracy" in page_of(tmp_path, oof, tuned.estimate(oof, "roc_auc"))


@pytest.mark.parametrize(
    ("results", "path", "word"),
    [
        (result(details={"n_configs": 7}), "r.html", "is about 7: pass the predictions"),
        (result(), "r.pdf", "must end in .html"),
    ],
)
def test_what_a_report_of_arrays_refuses(results, path, word, tmp_path):
    oof = OOFPredictions(y_true=Y, y_pred=X[:, :2])
    with pytest.raises(ValueError, match=re.escape(word)):
        write_report(tmp_path / path, oof, results)


def test_the_card_stands_beside_the_diagram_of_scikit_learn(evil):
    html = evil._repr_html_()
    assert "sk-top-container" in html and "Corrected ROC AUC" in html
    assert f"{evil.bbc_score_:.3f}" in html and "4 configurations" in html
    assert html == evil._repr_html_() or "sk-container-id" in html  # it counts its diagrams
    bundle = evil._repr_mimebundle_()
    assert "Corrected ROC AUC" in bundle["text/html"] and "BBCSearchCV" in bundle["text/plain"]
    with config_context(display="text"):
        assert not hasattr(evil, "_repr_html_")
        assert set(evil._repr_mimebundle_()) == {"text/plain"}


def test_a_failed_interval_has_a_card_with_the_reason():
    labels = np.zeros(90, dtype=int)
    labels[0] = 1
    with pytest.warns(Warning):
        failed = search(ci=FEW, scoring="accuracy", cv=3).fit(X, labels)
    assert "accuracy" in failed._repr_html_()


# ---------------------------------------------------------------------- what is handed on
def test_methods_that_are_not_registered_are_believed(monkeypatch, fitted):
    monkeypatch.setattr(_reporting, "registered", dict)
    assert fitted.intervals_frame()["selection_aware"].all()


def test_the_table_without_the_uncorrected_score(fitted):
    assert len(fitted.table(uncorrected=False).rows) == 4
    assert len(fitted.table().rows) == 6


def test_all_parts_of_the_report_are_handed_on(monkeypatch, fitted, off, tmp_path):
    given = {}
    monkeypatch.setattr(
        _page, "write_page", lambda path, facts, **parts: given.update(parts, facts=facts)
    )
    monkeypatch.setattr(type(fitted), "tied_with_best", lambda self: "the tied set")
    monkeypatch.setattr(
        fitted, "curve", functools.partial(fitted.curve, method=BBC(n_bootstraps=40))
    )
    page = tmp_path / "page.html"
    fitted.report(page)
    assert given["title"] == "Tuning report" and given["threshold"] is None
    assert given["table"].rows == fitted.table().rows and given["tied"] == "the tied set"
    assert list(given["cited"]) == ["bbc", "bbcf"] and all(given["cited"].values())
    assert given["facts"].main is fitted.ci_
    tuned = fitted.threshold("f1", method=FEW)
    fitted.report(page, title="Mine", tied=False, threshold=tuned)
    assert given["title"] == "Mine" and given["tied"] is None
    assert given["threshold"]["text"] == tuned.summary()
    sensitivity = tuned.table().loc["sensitivity"]
    row = dict((name, rest) for name, *rest in given["threshold"]["rows"])["sensitivity"]
    assert row[:2] == [f"{sensitivity['apparent']:.3f}", f"{sensitivity['estimate']:.3f}"]
    off.report(page, show=())
    assert given["table"] is None and given["cited"] == {}


def test_the_optimism_curve_takes_metric_seed_and_threads_of_the_search(fitted):
    curve = fitted.optimism_curve(method=BBC(n_bootstraps=40))
    seeded = BBC(n_bootstraps=40, random_state=fitted._finished.seed)
    expected = optimism_curve(fitted.oof_, fitted._own_metric(None), method=seeded)
    assert curve == expected
    other = fitted.optimism_curve(
        method=BBC(n_bootstraps=40, random_state=fitted._finished.seed + 1, n_jobs=2)
    )
    assert other != curve and other.metric == curve.metric
    with pytest.raises(NotFittedError):
        clone(fitted).optimism_curve()


@pytest.mark.parametrize(
    ("scoring", "name", "sign"),
    [(SensitivityAt(0.6), "sensitivity at a specificity of 0.6", 1),
     (MeanCost([[0, 1], [5, 0]]), "mean cost", -1)],
)  # fmt: skip
@pytest.mark.usefixtures("without_pictures")
def test_a_threshold_is_printed_under_its_own_metric(scoring, name, sign, tmp_path):
    rule = WithThreshold(scoring)
    grid = {"max_depth": [1, 4]}
    found = search(grid=grid, ci=[BBC(selection=rule, n_bootstraps=40), FEW]).fit(X, Y)
    result = found.ci_
    apparent = result.details["apparent_score"]
    assert found.intervals_frame()["metric"].tolist() == [result.metric, "roc_auc"]
    assert found.intervals_frame()["best_score"].tolist() == [apparent, found.best_score_]
    text = found.summary()
    assert f"{name} of {sign * apparent:.3f}" in text
    assert f"'best score, then threshold by {name}'" in text
    rows = [(row[0], row[2]) for row in found.table().rows]
    assert rows == [
        (name, "uncorrected cross-validation"), (name, "BBC"),
        ("ROC AUC", "uncorrected cross-validation"), ("ROC AUC", "BBC"),
    ]  # fmt: skip
    page = found.report(tmp_path / "page.html", tied=False, show=()).read_text(encoding="utf-8")
    assert name in page and result.metric not in page
    assert result.metric not in found._repr_html_()
    pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    figure = ForestDisplay.from_search(found)
    best = figure.frame().set_index("metric")["best_score"]
    assert best.to_dict() == {result.metric: apparent, "roc_auc": found.best_score_}
    assert figure.plot().axes_[0].get_xlabel().startswith(name)


def test_results_of_two_thresholds_by_one_metric_are_both_reported():
    rule = BBC(selection=WithThreshold("f1"), n_bootstraps=40)
    found = search(scoring=["roc_auc", "neg_log_loss"], refit="roc_auc", ci=[rule]).fit(X, Y)
    made = found._report_facts().results
    assert {name: list(each) for name, each in made.items()} == {"f1": ["bbc", "bbc_2"]}
    assert made["f1"]["bbc_2"] is found.ci_results_["neg_log_loss"]["bbc"]


# --- what is true of the data --------------------------------------------------------------

STATUS = np.where(Y == 1, "case", "control")
OF_CASES = {"f1": make_scorer(f1_score, pos_label="case"), "roc_auc": "roc_auc"}


@pytest.fixture(scope="module")
def cases():
    return search(scoring=OF_CASES, refit="f1", ci=FEW).fit(X, STATUS)


@pytest.mark.usefixtures("without_pictures")
def test_the_positive_class_is_printed_wherever_the_labels_do_not_show_it(cases, tmp_path):
    assert cases.ci_.details["positive_class"] == "case"
    assert cases.summary().count("The positive class is 'case'.") == 1
    line = "Positive class: 'case' (F1 score)."
    assert str(cases.table()).endswith(line) and line in cases.summary("methods")
    items = cases.tripod_ai().set_index("item")["text"]
    assert line in items["12e"]
    page = cases.report(tmp_path / "page.html", tied=False, show=()).read_text(encoding="utf-8")
    assert "positive class" in page and "&#39;case&#39; (F1 score)" in page
    tuned = cases.threshold(OF_CASES["f1"], method=FEW).summary()
    assert "The positive class is 'case'." in tuned


@pytest.mark.parametrize(("record", "n_splits"), [(True, 1), (True, 2), (False, 1), (False, 2)])
@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.IntervalWarning")
def test_samples_that_were_never_held_out_are_not_counted(record, n_splits):
    cv = ShuffleSplit(n_splits, test_size=0.2, random_state=0)
    tests = np.unique(np.concatenate([test for _, test in cv.split(X)]))
    made = search(cv=cv, record=record, scoring="accuracy", ci=FEW if record else "wald")
    made.fit(X, Y)
    size = f"{len(tests)} held-out samples of {len(Y)}"
    assert f"({size}, {n_splits} split" in made.summary()
    items = made.tripod_ai().set_index("item")["text"]
    assert items["10"].startswith(size)
    assert f"other {len(Y) - len(tests)} " in items["12a"]
    assert f"(class 0: {np.sum(Y[tests] == 0)}; class 1: {np.sum(Y[tests] == 1)})" in items["21"]
    assert f"on {size}" in made.summary("methods") if record else True


def test_a_summary_says_what_a_point_excludes():
    made = search(scoring="accuracy", ci=FEW).fit(Y[:, None], Y)
    assert tuple(made.ci_) == (1, 1)
    low = 0.025 ** (1 / len(Y))
    assert f"interval for {len(Y)} samples goes from {low:.3f} to 1.000." in made.summary()


def test_the_summary_says_what_is_estimated(fitted):
    assert f" It estimates the {fitted.ci_.estimand}." in fitted.summary()


def cost(y, pred):
    return float(np.mean(y != pred)) - 2  # a gain


def test_losses_of_users_have_their_own_sign_everywhere():
    scorer = make_scorer(cost, greater_is_better=False)
    made = search(scoring={"cost": scorer, "roc_auc": "roc_auc"}, refit="cost", ci=FEW).fit(X, Y)
    estimate = -made.ci_.estimate
    assert estimate < 0 and made.ci_.details["sign"] == -1
    printed = re.search(r"it is (-1\.\d+) \(", made.summary())[1]
    assert float(printed) == pytest.approx(estimate, abs=0.01)
    assert re.search(rf"cost +{printed} \(", str(made.table()))
    assert f">{printed} (" in made.ci_._repr_html_()
    gains = made.threshold(MeanCost([[-4.0, 0.0], [0.0, -4.0]]), method=FEW)
    assert gains.ci.estimate > 0
    assert f"the mean cost is -{gains.apparent_score:.2f}" in gains.summary()
