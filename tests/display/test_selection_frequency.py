"""The picture of how often each configuration wins the draws."""

import numpy as np
import pytest

from sklearn_bbc.display import SelectionFrequencyDisplay
from sklearn_bbc.display._layout import INTERVAL
from sklearn_bbc.display._selection import OTHER, WINNER
from sklearn_bbc.intervals import BBC
from sklearn_bbc.testing import example_predictions
from tests.display.hard_cases import tied

colors = pytest.importorskip("matplotlib.colors", reason="pictures need the extra 'plot'")
to_hex = colors.to_hex

SHARES = {4: 0.1, 2: 0.5, 0: 0.3, 1: 0.1}
PARAMS = [{"model__C": k, "model__max_iter": 9} for k in range(5)]


def made(**fields):
    return SelectionFrequencyDisplay(**{"shares": SHARES, "winner": 0, **fields})


def rows(display):
    return [label.get_text() for label in display.ax_.get_yticklabels()]


def bars(display):
    """Height of a bar -> its length and colour, from top to bottom."""
    found = [(p.get_y(), p.get_width(), to_hex(p.get_facecolor())) for p in display.ax_.patches]
    return [(length, color) for _, length, color in sorted(found, reverse=True)]


def test_the_most_frequent_winner_is_on_top_and_the_winner_in_colour():
    display = made(params=PARAMS, metric="roc_auc").plot()
    assert rows(display) == ["C=2", "C=0", "C=1", "C=4"]
    assert [length for length, _ in bars(display)] == [0.5, 0.3, 0.1, 0.1]
    assert [color == INTERVAL.lower() for _, color in bars(display)] == [False, True, False, False]
    tops = sorted(patch.get_y() + patch.get_height() for patch in display.ax_.patches)
    assert tops == pytest.approx([-2.69, -1.69, -0.69, 0.31]), "with space between them"
    assert [text.get_text() for text in display.ax_.texts] == ["50.0%", "30.0%", "10.0%", "10.0%"]
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == [WINNER]
    assert display.ax_.get_xlabel() == "share of draws with the best ROC AUC"


def test_rare_winners_share_a_row():
    display = made(shares={k: 0.1 for k in range(10)}, winner=0).plot(max_configs=4)
    assert rows(display)[-1] == "6 other configurations" and len(rows(display)) == 5
    assert bars(display)[-1] == (pytest.approx(0.6), to_hex(OTHER))
    assert len(rows(made().plot(max_configs=3))) == 4, "no row for a single one left"


@pytest.mark.parametrize(("max_configs", "first"), [(4, [0, 1, 2]), (1, [])])
def test_a_winner_that_wins_few_draws_has_a_row_of_its_own(max_configs, first):
    shares = {k: 0.1 for k in range(9)}
    for winner, share in ((8, 0.1), (9, 0.0)):
        display = made(shares=shares, winner=winner).plot(max_configs=max_configs)
        own = [f"configuration {k}" for k in [*first, winner]]
        n_others = 9 + (winner == 9) - len(own)
        assert rows(display) == [*own, f"{n_others} other configurations"]
        assert bars(display)[len(first)] == (share, INTERVAL.lower())
        assert bars(display)[-1] == (pytest.approx(0.9 - 0.1 * len(first) - share), to_hex(OTHER))
        assert display.frame()["is_winner"].sum() == 1
        names = [name.get_color() == INTERVAL for name in display.ax_.get_yticklabels()]
        assert names == [name == own[-1] for name in rows(display)], "0% is no bar to be seen"


def test_numbers_name_what_has_no_parameters():
    assert rows(made().plot())[0] == "configuration 2"
    assert made(winner=None).plot().ax_.get_legend() is None


def test_of_a_result_of_bbc_and_of_a_tied_set():
    result = BBC(n_bootstraps=100, random_state=0).estimate(example_predictions(), "roc_auc")
    frame = SelectionFrequencyDisplay.from_results(result).frame()
    assert frame["share"].sum() == pytest.approx(1) and frame["is_winner"].sum() == 1
    winner = frame.loc[frame["is_winner"], "share"].item()
    assert winner == result.details["winner_share"]
    of_tied = SelectionFrequencyDisplay.from_results(tied()).frame()
    assert of_tied["share"].iloc[0] == 0.4 and "min_samples_leaf=0" in of_tied["params"].iloc[0]


def test_of_a_search(search, make_interval):
    search.cv_results_["params"] = [{"a": 1}, {"a": 2}]
    details = {"winner": 1, "won": {1: 0.9, 0: 0.1}}
    search.ci_results_["roc_auc"]["bbc_2"] = make_interval(details=details)
    frame = SelectionFrequencyDisplay.from_search(search).frame()
    assert frame["params"].tolist() == ["a=2", "a=1"]
    with pytest.raises(ValueError, match=r"the intervals of the search are \['BBC'\]"):
        SelectionFrequencyDisplay.from_search(search, metric="accuracy")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: made(shares={0: 1.2}), "between 0 and 1, got 1.2"),
        (lambda: SelectionFrequencyDisplay.from_results(0.9), "or a TiedSet, got float"),
    ],
)
def test_what_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_results_that_do_not_know_who_won(make_interval):
    with pytest.raises(ValueError, match="the method is 'delong'"):
        SelectionFrequencyDisplay.from_results(make_interval("delong"))
    unscored = tied()
    object.__setattr__(unscored, "won", np.full(18, np.nan))
    with pytest.raises(ValueError, match="no draw of the set could be scored"):
        SelectionFrequencyDisplay.from_results(unscored)
