"""Curves, subgroups and stability: tables, texts and intervals of values that are known."""

import numpy as np
import pytest

from sklearn_bbc.results._curves import CurveResult, StabilityResult, SubgroupResult

LIMITS = ("low", "high", "low_joint", "high_joint")


def curve(**fields):
    values = {name: [k / 10, k / 5] for k, name in enumerate(("apparent", "estimate", *LIMITS))}
    return CurveResult(**{
        "curve": "roc", "x_label": "false positive rate", "y_label": "sensitivity",
        "grid": [0.2, 0.5], "predicted": [0.1, 0.9], "metric": "roc_auc",
        "confidence_level": 0.95, "n_bootstraps": 2000, **values, **fields,
    })  # fmt: skip


def subgroups(groups=(("sex", "f"), ("sex", "m"), ("age", "old")), sign=1, **fields):
    """Third group without a score, second one different but small; only the first one differs."""
    nan = np.nan
    scores = {"apparent": [0.9, 0.8, nan], "estimate": [0.85, 0.7, nan], "low": [0.8, 0.6, nan],
              "high": [0.9, 0.8, nan], "low_joint": [0.75, 0.55, nan],
              "high_joint": [0.95, 0.85, nan]}  # fmt: skip
    differences = {**scores, "estimate": [0.15, -0.15, nan], "low_joint": [0.01, -0.4, nan],
                   "high_joint": [0.3, -0.01, nan]}  # fmt: skip
    return SubgroupResult(**{
        "groups": groups, "sizes": [1040, 30, 2], "scores": scores, "differences": differences,
        "undefined": [0, 0.1, 1], "overall": 0.8, "metric": "roc_auc", "confidence_level": 0.9,
        "n_bootstraps": 2000, "details": {"few": [False, True, True], "sign": sign}, **fields,
    })  # fmt: skip


def stability(**fields):
    return StabilityResult(**{
        "sample": [3, 5], "predicted": [0.5, 0.25], "difference": [0.1, 0.2], "low": [0.4, 0.1],
        "high": [0.6, 0.3], "mean_difference": 0.15, "label": "risk", "metric": "roc_auc",
        "n_bootstraps": 2000, **fields,
    })  # fmt: skip


def test_frame_of_a_curve():
    frame = curve(references={"chance": [0.2, 0.5]}).frame()
    assert frame.index.tolist() == [0.2, 0.5] and frame.index.name == "false positive rate"
    assert frame.columns.tolist() == ["apparent", "estimate", *LIMITS, "chance"]
    assert frame.loc[0.5].tolist() == [0, 0.2, 0.4, 0.6, 0.8, 1, 0.5]


@pytest.mark.parametrize("n", [20, 51, 99, 100])
def test_points_that_a_sentence_names_do_not_hang_on_a_last_bit(n):
    """With 51 points two are equally near to a quarter: the first is taken."""
    rng = np.random.default_rng(n)
    for _ in range(20):
        low, high = np.sort(rng.random(2))
        grids = [
            np.linspace(a, b, n)
            for a in (low, np.nextafter(low, 0), np.nextafter(low, 1))
            for b in (high, np.nextafter(high, 0), np.nextafter(high, 1))
        ]
        values = {name: np.arange(n) / n for name in ("apparent", "estimate", *LIMITS)}
        texts = {curve(grid=grid, **values).summary() for grid in grids}
        assert len(texts) == 1, texts
    if n == 51:
        named = curve(grid=np.arange(51.0), **values).summary()
        assert " at 12, " in named and " at 25, " in named and " at 37." in named


def test_a_limit_that_is_zero_up_to_rounding_is_not_above():
    lows = np.array([-1e-17, 1e-17, 0.0, 0.1])
    table = np.column_stack([np.full((4, 4), 0.2), lows, np.full(4, 0.3)])
    values = {name: np.full(4, 0.2) for name in ("apparent", "estimate", *LIMITS)}
    given = {"grid": [0.1, 0.2, 0.3, 0.4], "differences": {"treat none": table}, **values}
    text = curve(**given).summary()
    assert "It is clearly above treating none at 0.4." in text
    assert "0.200 (0.000 to 0.300) at 0.2" in text


@pytest.mark.parametrize(
    ("positive", "classes", "words"),
    [
        (None, (), ""),
        (1, (0, 1), ""),
        ("ill", ("ill", "well"), " The positive class is 'ill'."),
        ("b", "abc", " The positive class is 'b', against the other 2 classes."),
    ],
)
def test_sentence_of_a_curve(positive, classes, words):
    made = curve(details={"positive_class": positive, "classes": classes, "unit": "group"})
    assert made.summary() == (
        "Sensitivity by false positive rate of the configuration selected by ROC AUC, corrected "
        "for the selection by bootstrap bias correction (2,000 draws of groups), with 95% limits. "
        "With joint limits it is 0.100 (0.400 to 0.500) at 0.2, 0.200 (0.800 to 1.000) at 0.5."
        f"{words}"
    )


def many_points(**fields):
    grid = np.arange(1, 100) / 100
    values = {name: grid for name in ("apparent", "estimate", *LIMITS)}
    return curve(grid=grid, **values, **fields)


def test_a_sentence_names_three_points_of_many_and_where_a_curve_is_useful():
    text = many_points().summary()
    assert "0.250 (0.250 to 0.250) at 0.25, 0.500 (0.500 to 0.500) at 0.5, 0.750 (" in text
    above = np.where(np.arange(99) < 40, -0.1, 0.1)[:, None] * np.ones(6)
    text = many_points(differences={"treat all": above, "treat none": np.abs(above)}).summary()
    assert "The difference to treating all is -0.100 (-0.100 to -0.100) at 0.25" in text
    assert text.endswith("above treating all and treating none at 59 of 99 points, between 0.41 "
                         "and 0.99.")  # fmt: skip
    few = curve(differences={"treat all": [[0.1] * 6, [-0.1] * 6]}).summary()
    assert few.endswith("It is clearly above treating all at 0.2.")
    near = [
        [0.1, 0.1, 0.0, 0.2, low, 0.2] for low in (0.0003, -0.0003)
    ]  # what is above is no zero
    text = curve(differences={"treat all": near}).summary()
    assert "0.100 (0.0003 to 0.200) at 0.2, 0.100 (0.000 to 0.200) at 0.5" in text
    assert text.endswith("It is clearly above treating all at 0.2.")
    none = curve(differences={"treat all": -np.ones((2, 6))}).summary()
    assert none.endswith("At no point is it clearly above treating all.")


@pytest.mark.parametrize(
    ("first", "last", "named"),
    [
        (0, 100, [0.25, 0.5, 0.75]),
        # Nearly all shares, up to one of the ends: quarters of them all.
        (0, 95, [0.25, 0.5, 0.75]),
        (5, 100, [0.25, 0.5, 0.75]),
        (2, 96, [0.25, 0.5, 0.75]),
        # Else quarters of the points.
        (0, 90, [0.225, 0.45, 0.675]),
        (4, 24, [0.09, 0.14, 0.19]),
        (-48, 52, [-0.23, 0.02, 0.27]),
        (48, 148, [0.73, 0.98, 1.23]),
        (200, 1200, [4.5, 7, 9.5]),
    ],
)
def test_a_sentence_names_quarters(first, last, named):
    grid = np.arange(first, last + 1) / 100
    made = curve(grid=grid, **dict.fromkeys(("apparent", "estimate", *LIMITS), grid))
    points = made.summary().partition("With joint limits")[2].removesuffix(".").split(" at ")[1:]
    assert [float(point.partition(",")[0]) for point in points] == pytest.approx(named, abs=0.006)


def test_six_points_are_all_named_seven_are_not():
    for n, named, above in (
        (6, 6, "treating all at 1, 2, 3, 4, 5, 6."),
        (7, 3, "treating all at 7 of 7 points, between 1 and 7."),
    ):
        grid = np.arange(1.0, n + 1)
        values = dict.fromkeys(("apparent", "estimate", *LIMITS), grid)
        differences = {"treat all": np.ones((n, 6))}
        text = curve(grid=grid, **values, differences=differences).summary()
        assert text.partition("The difference")[0].count(" at ") == named, n
        assert text.endswith(above), n


def test_a_sentence_leaves_out_what_is_undefined_or_the_curve_itself():
    text = curve(estimate=[np.nan, 0.2]).summary()
    assert text.endswith("With joint limits it is none at 0.2, 0.200 (0.800 to 1.000) at 0.5.")
    ones = np.ones((2, 6))
    text = curve(
        differences={"treat all": ones, "treat none": ones},
        references={"treat all": [0, 0.1], "treat none": [0, 0]},
    ).summary()
    assert (
        "difference to treating all is 1.000" in text and "difference to treating none" not in text
    )
    assert text.endswith("It is clearly above treating all and treating none at 0.2, 0.5.")
    # Of which a limit is zero or unknown it is not clearly above, nor of only one of two.
    limits = np.array([[0.1] * 4 + [low, 0.2] for low in (0, np.nan, 0.1, 0.1)])
    other = np.array([[0.1] * 4 + [low, 0.2] for low in (0.1, 0.1, -0.1, 0.1)])
    values = dict.fromkeys(("apparent", "estimate", *LIMITS), [0.5] * 4)
    text = curve(
        grid=[1, 2, 3, 4], **values, differences={"treat all": limits, "treat none": other}
    ).summary()
    assert text.endswith("It is clearly above treating all and treating none at 4.")


def test_table_of_a_difference_and_the_points_of_its_index():
    made = curve(
        grid=[0.1 + 0.2, 0.7 + 0.1], differences={"treat all": np.arange(12).reshape(2, 6)}
    )
    frame = made.frame(difference_to="treat all")
    assert frame.index.tolist() == made.frame().index.tolist() == [0.3, 0.8]
    assert frame.columns.tolist() == ["apparent", "estimate", *LIMITS]
    assert frame.loc[0.8].tolist() == [6, 7, 8, 9, 10, 11]
    for wrong in ("treat al", "all", 1, ["treat all"]):
        with pytest.raises(ValueError, match="differences of this curve, 'treat all'; got"):
            made.frame(difference_to=wrong)
    with pytest.raises(ValueError, match="none: only decision curves have some"):
        curve().frame(difference_to="treat all")


@pytest.mark.parametrize(("make", "display"), [
    ("curve", "CurveDisplay.from_results"), ("subgroups", "IntervalsDisplay.from_results"),
    ("stability", "StabilityDisplay.from_results"),
])  # fmt: skip
def test_a_result_says_what_draws_it(make, display):
    made = {"curve": curve, "subgroups": subgroups, "stability": stability}[make]()
    with pytest.raises(AttributeError, match=rf"sklearn_bbc.display.{display}\("):
        made.plot()
    with pytest.raises(AttributeError, match=r"no attribute 'colour'\.$"):
        _ = made.colour


def test_frame_of_subgroups_of_one_and_of_several_variables():
    several = subgroups().frame()
    assert several.index.names == ["variable", "group"]
    assert several.index.tolist() == [("sex", "f"), ("sex", "m"), ("age", "old")]
    one = subgroups((("sex", "f"), ("sex", "m"), ("sex", "x"))).frame()
    assert one.index.tolist() == ["f", "m", "x"] and one.index.name == "sex"
    assert one.loc["m"].tolist() == [
        30, 0.8, 0.7, 0.6, 0.8, 0.55, 0.85, 0.8, -0.15, 0.6, 0.8, -0.4, -0.01, 0.1
    ]  # fmt: skip
    assert one.columns[-7:].tolist() == [
        "difference_apparent", "difference", *(f"difference_{name}" for name in LIMITS),
        "undefined",
    ]  # fmt: skip


def test_intervals_of_subgroups_have_the_joint_limits():
    found = subgroups(sign=-1).intervals()
    assert list(found) == ["sex f (n = 1,040)", "sex m (n = 30)", "age old (n = 2)"]
    first = found["sex f (n = 1,040)"]
    assert (first.estimate, first.low, first.high) == (0.85, 0.75, 0.95)
    assert (first.confidence_level, first.n_bootstraps) == (0.9, 2000)
    assert first.details["sign"] == -1 and first.metric == "roc_auc"


def test_sentence_of_subgroups_names_groups_that_differ_and_groups_that_are_small():
    text = subgroups().summary()
    assert "in 3 subgroups" in text and "(2,000 draws of samples), with joint 90% limits" in text
    assert "sex f (n = 1,040): 0.850 (0.750 to 0.950); sex m (n = 30): 0.700 (0.550 to " in text
    assert "age old (n = 2): none. sex f differs from the rest by more than" in text
    assert text.endswith(" Too few samples to judge that: sex m, age old.")
    assert subgroups().differ.tolist() == [True, True, False]
    assert "none. sex f, sex m differ from the rest" in subgroups(details={}).summary()
    same = dict.fromkeys(("low_joint", "estimate"), [-0.1] * 3) | {"high_joint": [0.1] * 3}
    text = subgroups(differences=same, details={}).summary()
    assert text.endswith(". No group differs from the rest by more than the joint limits of the "
                         "differences.")  # fmt: skip
    loss = subgroups(metric="neg_log_loss", details={"sign": -1}).summary()
    assert "sex f (n = 1,040): -0.850 (-0.950 to -0.750)" in loss


def test_stability_in_a_table_and_in_words():
    frame = stability().frame()
    assert frame.index.tolist() == [3, 5] and frame.index.name == "sample"
    assert frame.loc[5].to_dict() == {"predicted": 0.25, "difference": 0.2, "low": 0.1,
                                      "high": 0.3}  # fmt: skip
    text = stability(details={"winner": 4, "won": {4: 0.75, 1: 0.2, 2: 0.05}}).summary()
    assert "predicted risk of a sample differs by 0.150 on average" in text
    assert "2,000 bootstrap draws; for 5% of the samples by 0.195 or more." in text
    assert text.endswith("selected in 75% of the draws, 2 others in the rest.")
    nearly = stability(details={"winner": 4, "won": {4: 0.9985, 1: 0.0015}}).summary()
    assert nearly.endswith("selected in 99.85% of the draws, 1 other in the rest.")
    assert stability(details={"winner": 4, "won": {4: 1.0}}).summary().endswith("of the draws.")


@pytest.mark.parametrize("make", [curve, subgroups, stability])
def test_details_are_empty_where_none_are_given(make):
    result = make()
    fields = {name: getattr(result, name) for name in vars(result) if name != "details"}
    assert dict(type(result)(**fields).details) == {}
    assert repr(result).startswith(f"{type(result).__name__}(")
