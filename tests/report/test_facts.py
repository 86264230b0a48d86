"""Sizes and names of a search in words."""

from tests.report.some_facts import facts, result


def test_words_look_at_all_results_of_a_metric():
    loss = result(metric="mean_absolute_error", estimate=-2.0, low=-3.0, high=-1.0)
    assert facts(loss).words("mean_absolute_error").is_loss
    gain = result(metric="mean_absolute_error", estimate=2.0, low=1.0, high=3.0)
    assert not facts(gain).words("mean_absolute_error").is_loss
    assert facts(gain, signs={"x": -1}).words("x").is_loss


def test_best_score_is_that_of_the_result_itself():
    first, second = result(), result(method="bbcf")
    both = facts(
        first,
        results={"roc_auc": {"bbc": first, "bbcf": second}},
        best_scores={("roc_auc", "bbc"): 0.9, ("roc_auc", "bbcf"): 0.8},
    )
    assert (both.best_score(first), both.best_score(second)) == (0.9, 0.8)


def test_sizes_in_words():
    assert facts().samples() == "80 samples in 20 groups"
    assert facts(n_groups=None, n_samples=1).samples() == "1 sample"
    assert facts(folds=(3, 3)).splits() == "3 folds repeated 2 times"
