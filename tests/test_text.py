"""Names, numbers and sentences in print."""

import math
from dataclasses import replace
from html.parser import HTMLParser
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import Ridge
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV, OOFPredictions, compare, holdout_interval
from sklearn_bbc._parameters import OneOf
from sklearn_bbc._scorers import scorer_names
from sklearn_bbc._text import (
    MetricWords,
    card,
    config_words,
    count,
    fixed,
    method_words,
    metric_words,
    missed_demand,
    number,
    p_value_text,
    param_name,
    param_value,
    params_that_vary,
    percent,
    printed_score,
    result_words,
    shown,
    threshold_sentences,
)
from sklearn_bbc.comparison import McNemar, PairedBootstrap, registered_tied
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import (
    BayleCV,
    CorrelationAdjusted,
    DeLong,
    FoldGLMM,
    HierarchicalBootstrap,
    PooledBootstrap,
    Wald,
    registered,
    registered_refits,
)


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ((0.8661, 0.82, 1.0), ["0.866", "0.820", "1.000"]),
        ((1.0, 0.9, 1.0), ["1.000", "0.900", "1.000"]),
        ((46.825, 36.786, 57.179), ["46.8", "36.8", "57.2"]),
        ((23.406,), ["23.4"]),
        ((1.234, 0.5), ["1.23", "0.50"]),
        ((12345.6, 11000.2), ["12,346", "11,000"]),
        ((1001.24, 1000.1, 1002.3), ["1,001.2", "1,000.1", "1,002.3"]),  # the width decides
        ((0.866, 0.86591, 0.86629), ["0.86600", "0.86591", "0.86629"]),
        ((0.00123, 0.0), ["0.00123", "0.00000"]),
        ((0.0,), ["0.000"]),
        ((-0.0004, 0.5), ["-0.0004", "0.5000"]),
        ((-0.006, -0.466, 0.452), ["-0.006", "-0.466", "0.452"]),
        ((0.5, -0.00001), ["0.500", "0.000"]),  # no minus before zero
        ((math.nan, 0.5), ["nan", "0.500"]),
        ((0.5, -math.inf, math.inf), ["0.500", "-inf", "inf"]),
        ((1e8, 0.0), ["1e+08", "0"]),
        ((4e-5,), ["4e-05"]),
        ((), []),
    ],
)
def test_side_by_side(values, texts):
    assert shown(*values) == texts


@pytest.mark.parametrize(
    "values",
    [(0.3125,), (0.5625, 0.4375, 0.6875), (0.57, 0.56, 0.57), (0.3, 0.2, 0.3), (0.01,), (1.0, 0.9),
     (-0.0625,), (0.0005,), (2.5, 2.4, 2.6), (1e-4,), (10.0, 9.9, 10.1)],
)  # fmt: skip
def test_no_digit_hangs_on_a_last_bit(values):
    """Halves, powers of ten as sizes and as widths."""
    moved = product(*([np.nextafter(v, -9), v, np.nextafter(v, 9)] for v in values))
    assert {tuple(shown(*each)) for each in moved} == {tuple(shown(*values))}


def test_a_half_is_rounded_away_from_zero_and_zero_has_no_sign():
    assert (fixed(0.3125), fixed(-0.3125), fixed(0.2675), fixed(2.5, 0)) == (
        "0.313", "-0.313", "0.268", "3",
    )  # fmt: skip
    assert (fixed(-0.0004), fixed(-0.0), fixed(-0.0004, sign="+")) == ("0.000", "0.000", "+0.000")
    assert (fixed(0.5, sign="+"), fixed(-0.5, sign="+")) == ("+0.500", "-0.500")


@given(st.floats(-1e6, 1e6), st.floats(0, 1e6))
def test_what_is_shown_is_near_and_keeps_bounds_apart(estimate, half):
    texts = shown(estimate, estimate - half, estimate + half)
    low, high = (float(text.replace(",", "")) for text in texts[1:])
    size = max(abs(estimate), half)
    assert abs(low - (estimate - half)) <= 0.006 * size + 1e-12
    if half > 0.02 * abs(estimate) and size > 1e-3:
        assert low < high


def test_words():
    assert number(0.5) == "0.500"
    assert count(1, "fold") == "1 fold" and count(2000, "draw") == "2,000 draws"
    assert count(2, "analysis", "analyses") == "2 analyses"
    assert percent(0.95) == "95%" and percent(0.999) == "99.9%"
    assert p_value_text(0.0431) == "p = 0.043" and p_value_text(0.0009) == "p < 0.001"


@pytest.mark.parametrize("name", sorted({*get_scorer_names(), *scorer_names()}))
def test_every_scorer_has_a_printed_name_and_the_sign_of_its_scorer(name):
    words = metric_words(name)
    assert "_" not in words.name and not words.name.startswith("neg ")
    assert words.name == "accuracy" or words.name not in ("", name.replace("neg_", "")) or (
        name in ("precision", "recall", "completeness", "homogeneity")
    )  # fmt: skip
    if name in get_scorer_names():
        assert words.sign == get_scorer(name)._sign


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("roc_auc", "ROC AUC"),
        ("roc_auc_score", "ROC AUC"),
        ("roc_auc_ovr_weighted", "prevalence-weighted one-vs-rest ROC AUC"),
        ("f1_macro", "macro-averaged F1 score"),
        ("f1_score", "F1 score"),
        ("accuracy_score", "accuracy"),
        ("r2", "R²"),
        ("concordance_index", "concordance index"),
        ("sensitivity_at_specificity_0.9", "sensitivity at a specificity of 0.9"),
        ("specificity_at_specificity_0.9", "specificity"),
        ("precision_at_recall_1e-05", "precision at a recall of 1e-05"),
        ("precision_at_k_5", "precision_at_k_5"),
        ("mine_at_recall_0.5", "mine_at_recall_0.5"),
        ("my_score", "my_score"),
        ("<lambda>", "score"),
        ("profit_macro", "profit_macro"),
        ("roc_auc_my_way", "roc_auc_my_way"),
        ("neg_profit", "neg_profit"),
    ],
)
def test_gains_and_unknown_names(name, printed):
    assert metric_words(name) == MetricWords(printed, 1)


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("neg_mean_absolute_error", "mean absolute error"),
        ("mean_absolute_error", "mean absolute error"),
        ("neg_brier_score", "Brier score"),
        ("brier_score_loss", "Brier score"),
        ("neg_mean_cost", "mean cost"),
        ("neg_log_loss within folds", "log loss within folds"),
    ],
)
def test_losses_by_the_name_of_the_scorer_or_of_the_function(name, printed):
    words = metric_words(name, [-0.3, float("nan")])
    assert (words.name, words.is_loss) == (printed, True)
    assert words.natural(-0.3) == 0.3 and str(words.natural(0.0)) == "0.0"
    assert words.natural_bounds(-0.5, -0.1) == (0.1, 0.5)


def test_a_loss_that_is_above_zero_is_none():
    assert metric_words("mean_absolute_error", [-0.1, 0.3]) == MetricWords("mean_absolute_error")
    assert metric_words("roc_auc", [0.3]).natural_bounds(0.1, 0.2) == (0.1, 0.2)


def test_a_sign_that_is_known_decides():
    assert metric_words("cost", sign=-1) == MetricWords("cost", -1)
    assert metric_words("neg_cost", sign=-1) == MetricWords("cost", -1)
    assert metric_words("neg_log_loss", sign=1) == MetricWords("neg_log_loss", 1)
    assert metric_words("roc_auc", sign=-1) == MetricWords("ROC AUC", -1)
    assert metric_words("cost", [2.0], sign=-1) == MetricWords("cost", -1), "a gain"
    assert metric_words("neg_mean_cost", [3.6]) == MetricWords("mean cost", -1), "a gain"


OURS = sorted(
    name
    for name, cls in {**registered(), **registered_refits(), **registered_tied()}.items()
    if cls.__module__.startswith(("sklearn_bbc.intervals", "sklearn_bbc.comparison"))
)


@pytest.mark.parametrize("name", OURS)
def test_our_methods_have_printed_names(name):
    words = method_words(name)
    assert not words.sentence.startswith("the method '"), "`label` of its class has the words"
    assert "_" not in words.sentence and "_" not in words.short


def test_a_form_without_a_printed_name_is_refused():
    """It would be printed under the name of another form, and nobody would see it."""
    options = {"form": OneOf(["normal", "mid-p"])}
    members = {"name": "in_test_forms", "form": "normal", "_constraints": options}
    with pytest.raises(ValueError, match="no printed names for form='mid-p': give them in form_"):
        type("Wald2", (Wald,), members)


def test_second_results_and_methods_of_others():
    assert method_words("bbc_2") == method_words("bbc")
    assert method_words("mine").sentence == "the method 'mine'"
    assert method_words("mine_2").short == "mine_2"


def one_model(**kwargs):
    return OOFPredictions(y_true=Y, y_pred=PRED, fold=np.arange(60) // 12, **kwargs)


Y = np.tile([0, 1], 30)
PRED = np.where(np.arange(60) % 7 == 0, 1 - Y, Y)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("method", "scoring", "sentence", "short"),
    [
        (Wald(), "accuracy", "the Wald interval", "Wald"),
        (Wald(form="wilson"), "accuracy", "Wilson's interval", "Wilson"),
        (Wald(form="jeffreys"), "accuracy", "Jeffreys' interval", "Jeffreys"),
        (Wald(form="agresti-coull"), "accuracy", "the Agresti-Coull interval", "Agresti-Coull"),
        (
            Wald(form="clopper-pearson"),
            "accuracy",
            "the Clopper-Pearson interval",
            "Clopper-Pearson",
        ),
        (DeLong(), "roc_auc", "DeLong's method", "DeLong"),
        (
            DeLong(logit=True),
            "roc_auc",
            "DeLong's method on the logit scale",
            "DeLong, logit scale",
        ),
        (
            BayleCV(variance="within-fold"),
            "accuracy",
            "the normal approximation of Bayle et al. with the variance within folds",
            "Bayle, within folds",
        ),
        (
            CorrelationAdjusted(),
            "accuracy",
            "the correlation-adjusted t interval",
            "correlation-adjusted t",
        ),
        (
            CorrelationAdjusted(student=False, on_logit_scale=True),
            "accuracy",
            "the correlation-adjusted normal interval on the logit scale",
            "correlation-adjusted normal, logit scale",
        ),
        (FoldGLMM(), "accuracy", "a mixed model of the folds", "mixed model of folds"),
        (
            FoldGLMM(interval="profile"),
            "accuracy",
            "the profile likelihood of a mixed model of the folds",
            "mixed model of folds, profile",
        ),
        (
            PooledBootstrap(form="bca", n_bootstraps=200, random_state=0),
            "accuracy",
            "the BCa bootstrap of pooled predictions (200 bootstrap draws",
            "pooled bootstrap, BCa",
        ),
        (
            HierarchicalBootstrap(form="percentile", n_bootstraps=200, random_state=0),
            "accuracy",
            "the percentile hierarchical bootstrap (200 bootstrap draws",
            "hierarchical bootstrap, percentile",
        ),
    ],
)
def test_the_printed_name_is_that_of_the_formula(method, scoring, sentence, short):
    """Also of forms of a method, in the sentence, the card and the table."""
    result = method.estimate(one_model(), scoring)
    assert f"by {sentence}" in result.summary()
    assert f">{short}<" in result._repr_html_()
    search = BBCSearchCV(DecisionTreeClassifier(max_depth=1, random_state=0), {}, scoring=scoring,
                         ci=method, random_state=0)  # fmt: skip
    search.fit(np.where(np.arange(60) % 5 == 0, 1 - Y, Y)[:, None], Y)
    assert ("uncorrected cross-validation", short) == tuple(row[2] for row in search.table().rows)
    if "bootstrap" not in sentence:
        assert f"Estimated by {sentence}" in search.summary()


@pytest.mark.parametrize(
    ("method", "scoring", "sentence"),
    [
        ("auto", "accuracy", "Wilson's interval"),
        ("wald", "accuracy", "the Wald interval"),
        ("jeffreys", "accuracy", "Jeffreys' interval"),
        ("auto", "roc_auc", "DeLong's method"),
        ("bca", "accuracy", "the BCa bootstrap"),
        ("percentile", "f1", "the percentile bootstrap"),
    ],
)
def test_the_name_of_what_held_out_data_were_judged_by(method, scoring, sentence):
    result = holdout_interval(Y, PRED, scoring, method=method, random_state=0)
    assert f"by {sentence}" in result.summary()


def test_names_of_what_stood_in_for_a_formula():
    right = OOFPredictions(y_true=Y, y_pred=Y, fold=np.arange(60) // 12)
    with pytest.warns(IntervalWarning, match="Wilson's interval of predictions instead"):
        whole = FoldGLMM().estimate(right, "accuracy")
    assert "by Wilson's interval, the" in whole.summary()
    part = holdout_interval(Y, PRED, "accuracy", method="wilson")
    filled = replace(part, method="tilting", details={"fallback": {"high": "delong"}})
    assert (
        result_words(filled).sentence
        == "bootstrap tilting, with the high bound by DeLong's method"
    )
    assert method_words("DL10p").sentence == (
        "DeLong's method after a learn and evaluate split (DL10p)"
    )


@pytest.mark.parametrize(
    ("method", "name"),
    [
        (McNemar(), "McNemar's mid-p test, Tango's interval"),
        (McNemar(form="exact"), "McNemar's exact test, Tango's interval"),
        (PairedBootstrap(form="basic", random_state=0), "paired basic bootstrap"),
    ],
)
def test_the_name_of_the_form_of_a_comparison(method, name):
    other = np.where(np.arange(60) % 4 == 0, 1 - Y, Y)
    assert f"{name}" in compare(PRED, other, "accuracy", y_true=Y, method=method).summary()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.123456, "0.1235"),
        (np.float64(1e-7), "1e-07"),
        (3, "3"),
        (None, "None"),
        ("a\n b", "a b"),
    ],
)
def test_values(value, text):
    assert param_value(value) == text


def test_the_step_is_left_out_where_the_name_is_clear():
    assert param_name("model__C", ["model__C", "select__k"]) == "C"
    assert param_name("a__k", ["a__k", "b__k"]) == "a__k"


def test_only_what_varies_is_named():
    params = [
        {"model__C": 0.1, "model__kernel": "rbf", "select__k": 5},
        {"model__C": 1, "model__kernel": "rbf", "select__k": 5},
        {"model__C": 1, "select__k": 5},
    ]
    assert params_that_vary(params) == ["C=0.1, kernel=rbf", "C=1, kernel=rbf", "C=1"]
    assert params_that_vary([{"a": 1}, {"a": 1}]) == ["", ""] and params_that_vary([]) == []


def test_estimators_go_by_their_class_where_that_is_enough():
    tree, one, other = DecisionTreeClassifier(), Ridge(alpha=1.5), Ridge(alpha=3)
    params = [{"model": tree}, {"model": one}, {"model": "passthrough"}]
    assert params_that_vary(params) == ["model=DecisionTreeClassifier", "model=Ridge",
                                        "model=passthrough"]  # fmt: skip
    assert params_that_vary([{"model": one}, {"model": other}])[1] == "model=Ridge(alpha=3)"


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"C": 0.1, "kernel": "rbf"}, " (C=0.1, kernel='rbf')"),
        ({"C": 2.0, "n": 3, "flag": True, "none": None}, " (C=2.0, n=3, flag=True, none=None)"),
        ({"C": np.float64(10**-1.5), "n": np.int64(4)}, " (C=0.03162, n=4)"),
        ({"a": float("nan"), "b": float("-inf"), "c": 1e-5}, " (a=nan, b=-inf, c=1e-05)"),
        (
            {"model": Ridge(alpha=2.0), "s": "one\n  two"},
            " (model=Ridge(alpha=2.0), s='one\\n two')",
        ),
        ({"widths": (1, 2)}, " (widths=(1, 2))"),
        ("epoch 3", " (epoch 3)"),
        ({}, ""),
    ],
)
def test_a_configuration_in_a_sentence(params, words):
    assert config_words(1, [{}, params]) == f"configuration 1{words}"


def test_a_long_configuration_is_cut():
    assert config_words(2, []) == "configuration 2"
    params = [{"a": 1, "b": "x" * 50}]
    assert config_words(0, params, 20) == "configuration 0 (a=1, b='xxxxxxxxx...)"
    assert len(config_words(0, [{"b": "x" * 115}])) == len("configuration 0 ()") + 119
    assert config_words(0, [{"b": "x" * 116}]).endswith("xx')")
    assert config_words(0, [{"b": "x" * 117}]).endswith("xx...)")


def test_columns_of_a_data_frame_go_by_their_name():
    named = [{"configuration": "m4"}, {"configuration": 7}]
    assert [config_words(k, named) for k in (0, 1)] == ["m4", "configuration 7"]


GAIN, LOSS = MetricWords("ROC AUC"), MetricWords("mean absolute error", -1)


def made(metric=GAIN, estimate=0.866, low=0.82, high=0.9123, **options):
    return printed_score(metric, estimate, low, high, confidence_level=0.95, **options)


def test_two_sided():
    printed = made(others=[0.9])
    assert printed.interval() == "95% confidence interval 0.820 to 0.912"
    assert printed.cell() == "0.866 (0.820 to 0.912)" and printed.others == ("0.900",)


def test_one_sided_and_the_end_of_the_range_costs_no_decimals():
    printed = made(high=1.0, alternative="greater")
    assert printed.interval() == "one-sided 95% confidence interval: at least 0.820"
    assert printed.cell() == "0.866 (at least 0.820)"
    # The bound that is shown is near, so five decimals; the other one is not looked at.
    assert made(low=0.8659, high=1.0, alternative="greater").cell() == (
        "0.86600 (at least 0.86590)"
    )
    assert made(low=0.0, high=0.8662, alternative="less").cell() == "0.86600 (at most 0.86620)"
    printed = made(low=-math.inf, alternative="less")
    assert printed.interval() == "one-sided 95% confidence interval: at most 0.912"


def test_a_loss_is_turned_with_its_bounds_and_its_side():
    printed = made(LOSS, -23.406, -30.0, -20.0, others=[-22.9])
    assert printed.cell() == "23.4 (20.0 to 30.0)" and printed.others == ("22.9",)
    printed = made(LOSS, -23.406, -30.0, 0.0, alternative="greater")
    assert printed.interval() == "one-sided 95% confidence interval: at most 30.0"
    printed = made(LOSS, -23.406, -math.inf, -20.0, alternative="less")
    assert printed.interval() == "one-sided 95% confidence interval: at least 20.0"


@pytest.mark.parametrize("bounds", [(math.nan, 0.9), (0.8, math.nan), (math.nan, math.nan)])
def test_without_an_interval(bounds):
    printed = made(GAIN, 0.866, *bounds)
    assert printed.interval() == printed.bounds() == "no interval"
    assert printed.cell() == "0.866"


def test_infinite_bounds_are_bounds():
    assert made(low=-math.inf, high=math.inf).bounds() == "-inf to inf"


DEMAND = {
    "of": "specificity", "level": 0.9, "reached": 0.95, "is_reached": True,
    "share_reached": 1.0, "ask": "report='specificity'",
}  # fmt: skip


def sentences(**changed):
    return threshold_sentences({"demand": {**DEMAND, **changed}})


def test_what_is_said_of_each():
    assert sentences() == [
        "The specificity of 0.9 is demanded on the samples that choose the threshold. On samples "
        "left out it may be lower: report='specificity' reports it there."
    ]
    assert sentences(ask="") == [
        "The specificity itself is reported; 0.9 was demanded on the samples that choose the "
        "threshold."
    ]
    missed, in_draws, _ = sentences(reached=0.8, is_reached=False, share_reached=0.25)
    assert missed == (
        "No threshold reaches the demanded specificity of 0.9 on all samples: the best of those "
        "tried has 0.8, and was chosen. Demand less, or try models whose scores separate the "
        "classes better."
    )
    assert in_draws == (
        "In 75% of the draws no threshold reached the specificity of 0.9, and the one with the "
        "best specificity was taken."
    )


def test_nothing_demanded_and_nothing_missed():
    assert threshold_sentences({}) == [] and missed_demand({}) is None
    assert missed_demand({"demand": DEMAND}) is None
    unknown = {**DEMAND, "reached": None, "is_reached": None, "share_reached": None}
    assert missed_demand({"demand": unknown}) is None
    assert len(threshold_sentences({"demand": unknown})) == 1


@pytest.mark.parametrize(
    ("reached", "printed"),
    [(0.8541, "0.854"), (0.8971, "0.897"), (0.8996, "0.8996"), (0.89999, "0.89999")],
)
def test_what_is_below_the_level_is_so_in_print(reached, printed):
    noted = missed_demand({"demand": {**DEMAND, "reached": reached, "is_reached": False}})
    assert f"tried has {printed}, and" in noted


@pytest.mark.parametrize(
    ("share", "printed"),
    [
        (0.999, "less than 1%"),
        (0.98, "2%"),
        (0.126, "87%"),
        (0.01, "99%"),
        (0.001, "more than 99%"),
        (0.0, "100%"),
    ],
)
def test_shares_of_draws(share, printed):
    assert sentences(share_reached=share)[0].startswith(f"In {printed} of the draws")


EVIL = '<script>alert("1")</script>&'


class Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.open, self.text = [], [], ""

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_everything_is_escaped_and_all_tags_are_closed():
    reader = Reader()
    reader.feed(card(EVIL, EVIL, [(EVIL, EVIL)], [EVIL]))
    assert reader.open == [] and set(reader.tags) == {"div", "table", "tr", "th", "td"}
    assert reader.text.count(EVIL) == 5


def test_what_is_missing_leaves_nothing():
    assert "<table" not in card("title", "main") and card("title", "main").count("<div") == 3
