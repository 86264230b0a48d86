"""NaiveBootstrap: both published forms, and that it fails as it must."""

import numpy as np
import pytest
from scipy.stats import norm

from benchmarks.published.naive import NaiveBootstrap
from benchmarks.published.replication import LinearQuantile
from tests.made import made

SCORES = np.array([0.80, 0.75, 0.90, 0.70, 0.85])


def of_folds(scores, **fields):
    scores = scores[:, None] if scores.ndim == 1 else scores
    return made(fold_scores={"accuracy": scores}, **fields)


def test_normal_form():
    """The published standard error divides by F, the unbiased one by F - 1."""
    result = NaiveBootstrap(form="normal", alternative="greater").estimate(
        of_folds(SCORES), "accuracy"
    )
    error = SCORES.std() / np.sqrt(5)
    assert result.details["standard_error"] == pytest.approx(error)
    assert result.low == pytest.approx(0.8 - 1.6448536 * error, abs=1e-8)
    assert result.high == 1.0
    unbiased = NaiveBootstrap(form="normal", ddof=1).estimate(of_folds(SCORES), "accuracy")
    assert unbiased.details["standard_error"] == pytest.approx(0.0353553, abs=1e-7)
    assert unbiased.width / 2 == pytest.approx(norm.ppf(0.975) * 0.0353553, abs=1e-6)


def test_bootstrap_form():
    result = NaiveBootstrap(n_bootstraps=500, random_state=0).estimate(
        of_folds(SCORES), "accuracy"
    )
    ranked = np.sort(result.draws)
    assert tuple(result) == (ranked[12], ranked[-13])
    assert result.estimate == pytest.approx(0.8)
    assert set(np.round(result.draws * 100)) <= set(range(70, 91))


def test_what_belongs_to_one_form_is_taken_by_it():
    oof = of_folds(SCORES)
    plain, none_off = NaiveBootstrap(form="normal"), NaiveBootstrap(form="normal", ddof=0)
    assert tuple(plain.estimate(oof, "accuracy")) == tuple(none_off.estimate(oof, "accuracy"))
    method = NaiveBootstrap(quantile=LinearQuantile(), random_state=0)
    result = method.estimate(oof, "accuracy")
    assert tuple(result) == pytest.approx(np.quantile(result.draws, [0.025, 0.975]))


def test_the_winner_by_the_mean_of_the_folds():
    scores = np.stack([SCORES - 0.1, SCORES, SCORES - 0.2], axis=1)
    result = NaiveBootstrap(random_state=0).estimate(of_folds(scores), "accuracy")
    assert result.details["winner"] == 1
    other = NaiveBootstrap(config=0, form="normal").estimate(of_folds(scores), "accuracy")
    assert other.estimate == pytest.approx(0.7)


def test_it_says_that_it_must_fail():
    assert not NaiveBootstrap.selection_aware
    result = NaiveBootstrap(random_state=0).estimate(of_folds(SCORES), "accuracy")
    assert "Not for reporting" in result.details["notes"][0]
    assert "must fail" in NaiveBootstrap.__doc__


def test_it_fails():
    """Of 100 equally bad configurations it believes the luckiest."""
    rng = np.random.default_rng(0)
    held = []
    for _ in range(60):
        scores = rng.normal(0.5, 0.1, size=(5, 100))
        result = NaiveBootstrap(form="normal").estimate(of_folds(scores), "accuracy")
        held.append(0.5 in result)
    assert np.mean(held) < 0.3


@pytest.mark.parametrize(
    "params, message",
    [
        ({"ddof": 1}, "ddof=1 is about the standard error of form='normal'"),
        ({"ddof": 5, "form": "normal"}, "ddof=5 needs more than 5 folds"),
        (
            {"form": "normal", "quantile": LinearQuantile()},
            r"quantile=LinearQuantile\(\) is about",
        ),
    ],
)
def test_refusals(params, message):
    with pytest.raises(ValueError, match=message):
        NaiveBootstrap(**params).estimate(of_folds(SCORES), "accuracy")
