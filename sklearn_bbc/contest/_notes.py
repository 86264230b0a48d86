"""Notes on predictions, and the facts on a selection that methods report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

from .._notes import DROPPED, Note, has_kind, warned
from .._text import config_words, count, digits, metric_words, shown, was_were
from ..metrics._by_fold import WithinFolds
from ..metrics._concordance import concordance_index_score, survival_target
from ..metrics._consumed import OF_CALIBRATION, OF_PROBABILITIES, RANKING, OfMetric
from ..metrics._metric import BoundMetric
from ..metrics._scored import Scored
from ..metrics._survival import (
    SURVIVAL_SCORES,
    dynamic_auc_score,
    events_that_count,
    followed_to_tau,
    survivors_of,
    times_in,
    uno_concordance_score,
)
from ..predictions._predictions import OOFPredictions, taken

UNSCORED = "the first, without scores to compare"
"""By what a search selects where no configuration has a score in every fold."""


def unit_word(groups: object) -> str:
    """Name the independent unit, for ``details["unit"]`` and messages."""
    return "sample" if groups is None else "group"


def noun_of(oof: OOFPredictions) -> str:
    """Name what one is selected of: configurations, or systems that are fixed."""
    return "configuration" if oof.score_sign is None else "system"


def unit_of(oof: OOFPredictions) -> str:
    """Name what is resampled: a sample or an item, or a group or block of them."""
    if oof.block_length is not None:
        return "block"
    if oof.groups is not None:
        return "group"
    return "sample" if oof.score_sign is None else "item"


LONELY = "lonely"
"""Kind of the note on a single configuration."""


def lonely_configuration(n_configs: int, noun: str = "configuration") -> str:
    """Explain why a method that corrects for selection has none to repeat."""
    if n_configs == 1:
        return Note(f"There is only one {noun}, so the draws repeat no selection.", LONELY)
    return Note(
        f"Of {n_configs:,} {noun}s only one can be scored here, so the draws repeat no "
        "selection. If it was chosen by these scores, its score is too good.",
        LONELY,
    )


MOST_CONFIGS_NAMED = 3
"""Configurations that a note names."""


FEW_EVENTS = 10
"""Events below which a result says how few they are."""


_CLEARLY = 3.0
"""Standard errors below chance from which an order counts as reversed."""


UNEQUAL = 1.5
"""Largest training set over the smallest, from which it is said."""


def unequal_amounts(oof: OOFPredictions) -> tuple[int, int] | None:
    """Find the sizes of the smallest and largest training set, where they differ much."""
    if oof.train_size is None:
        return None
    least, most = int(np.min(oof.train_size)), int(np.max(oof.train_size))
    return (least, most) if most >= UNEQUAL * least else None


def notes_on_splits(oof: OOFPredictions, *, by_folds: bool = False) -> list[str]:
    """Note how often samples were held out, and where folds learn from different amounts."""
    notes = _how_often_held_out(oof, by_folds) if oof.n_rows and not oof.is_partition else []
    if oof.train_size is not None and (amounts := unequal_amounts(oof)) is not None:
        notes.append(
            f"The models of the folds learned from different amounts of data, {amounts[0]:,} to "
            f"{amounts[1]:,} of {oof.n_samples:,} samples. Those that learned from few usually "
            "score worse than the final model, which learns from all."
        )
    return notes


def _how_often_held_out(oof: OOFPredictions, by_folds: bool) -> list[str]:
    """Note how the splits are no complete passes over the samples."""
    times = np.bincount(oof.sample, minlength=oof.n_samples)
    n_tested = int(np.count_nonzero(times))
    if times.max() == 1:
        n_before = int(np.argmax(times))
        if oof.n_splits > 1 and n_before == oof.n_samples - n_tested:
            return [
                f"The first {n_before:,} of {oof.n_samples:,} samples {was_were(n_before)} never "
                f"held out, so the result rests on the other {n_tested:,}."
            ]
        return [
            f"The result rests on the {n_tested:,} of {oof.n_samples:,} samples that were held "
            "out; cross-validation would use all of them."
        ]
    how = "the scores of folds that share samples depend on each other"
    if not by_folds:
        how = "all held-out predictions of a sample are scored together"
    if times.min() == times.max():
        return [f"The splits overlap: each sample was held out {times.max()} times, and {how}."]
    return [
        f"The splits overlap: samples were held out {times.min()} to {times.max()} times, and "
        f"{how}. Repeated K-fold cross-validation holds each out equally often."
    ]


def caveats(scored: Scored) -> list[str]:
    """Collect notes on predictions or fold scores, for ``details["notes"]`` of their methods."""
    oof = scored.oof
    notes = list(oof.notes)
    undefined = np.flatnonzero(~scored.valid & ~oof.failed)
    if len(undefined):
        left_out = _named_as_left_out(undefined, oof)
        notes.append(
            warned(
                f"{left_out} left out: a prediction is missing (NaN) or the score is undefined."
            )
        )
    # Of a search one configuration may be looked at, with all others set aside.
    failed = np.flatnonzero(oof.failed)
    looked_at = len(failed) == oof.n_configs - 1 and oof.selected_by in ("given", UNSCORED)
    # Of those that were dropped early there is a note of its own.
    is_noted = has_kind(oof.notes, DROPPED.format(len(failed), oof.n_configs))
    if len(failed) and not looked_at and not is_noted:
        notes.append(
            f"{_named_as_left_out(failed, oof)} left out, since there are not scores of every "
            "fold."
        )
    found = [labels_for_scores(scored)]
    if isinstance(scored, BoundMetric):
        of_survival = scored.metric.score_func in SURVIVAL_SCORES
        found += [_few_events(scored), _late_tau(scored)] if of_survival else [_one_class(oof)]
        found.append(_reverse_order(scored))
    return notes + [note for note in found if note is not None]


def _named_as_left_out(configs: np.ndarray, oof: OOFPredictions) -> str:
    """Name some configurations as the subject of a sentence, with its verb."""
    names = [config_words(config, oof.params) for config in configs[:MOST_CONFIGS_NAMED].tolist()]
    if len(configs) == 1:
        own = names[0].startswith("configuration ")  # a column keeps the name that it has
        return f"{'C' if own else names[0][0]}{names[0][1:]} is"
    names = [name.removeprefix("configuration ") for name in names]
    dots = ", ..." if len(configs) > MOST_CONFIGS_NAMED else ""
    return f"{len(configs):,} of {oof.n_configs:,} configurations ({'; '.join(names)}{dots}) are"


def _one_class(oof: OOFPredictions) -> str | None:
    """Note where every sample is of one class, so that nothing is known of another."""
    if oof.classes_ is None or oof.y_true.ndim != 1 or not oof.n_rows:
        return None
    labels = oof.y_true[oof.sample]
    if (labels != labels[0]).any():
        return None
    return (
        f"Every held-out sample is of class {labels[0]}: the score says nothing about samples of "
        "another class."
    )


def _few_events(kernel: BoundMetric) -> str | None:
    """Note, and warn, where a survival metric rests on a handful of events."""
    oof, found = kernel.oof, events_that_count(kernel)
    if found is None or found[0].sum() >= FEW_EVENTS:
        return None
    n_events = int(found[0].sum())
    return warned(
        f"Only {count(n_events, 'sample')} of {int(oof.tested.sum()):,} "
        f"{'has' if n_events == 1 else 'have'} an event{found[1]}. What did not happen among so "
        "few is in no draw, so the interval can be much too narrow."
    )


def _late_tau(kernel: BoundMetric) -> str | None:
    """Note where nobody was followed until the time up to which events count."""
    found = followed_to_tau(kernel)
    if found is None or found[0].any():
        return None
    return (
        f"Nobody was followed until tau={found[1]:g}, so all events count, as without it. Take an "
        "earlier tau, until which a good share of the samples was followed."
    )


def _are_of_predicted_class(oof: OOFPredictions) -> bool:
    """Check for shares that are all on one side of one half."""
    shares = oof.responses.get("plain")
    if shares is None or shares.dtype.kind != "f":
        return False
    low, high = np.nanmin(shares), np.nanmax(shares)
    return bool(0 <= low and high <= 1 and (low >= 0.5 or high <= 0.5))


def _reverse_order(kernel: BoundMetric) -> str | None:
    """Note where every configuration ranks the samples clearly worse than chance.

    Of survival it is also noted where some do, and none ranks clearly better than chance, as one
    that predicts a constant, which is then selected.
    """
    oof = kernel.oof
    function = kernel.metric.score_func
    if function is roc_auc_score and oof.classes_ is not None and len(oof.classes_) == 2:
        n_one = np.count_nonzero(oof.y_true[oof.sample] == oof.classes_[0]) / oof.n_repeats
        n_other = oof.n_rows / oof.n_repeats - n_one
        # Variance of the Mann-Whitney statistic without any signal.
        spread = np.sqrt((n_one + n_other + 1) / (12 * n_one * n_other))
        hint = "the scores may be those of the other class"
    elif function is dynamic_auc_score:
        event, time = survival_target(oof.y_true[oof.tested])
        times = times_in(kernel.metric.kwargs)
        n_cases = (event & (time <= times[:, None])).sum(axis=1)
        n_controls = survivors_of(event, time, times).sum(axis=0)
        n_pairs = np.maximum(n_cases * n_controls, 1)
        # As above; of several times that which tells least.
        spread = np.sqrt(((n_cases + n_controls + 1) / (12 * n_pairs)).max())
        hint = "they may be survival times instead of risks"
    elif function in (concordance_index_score, uno_concordance_score):
        events = events_that_count(kernel)
        assert events is not None
        n_events = max(int(events[0].sum()), 2)
        # Variance of Kendall's tau without any signal, from the events alone.
        spread = np.sqrt((2 * n_events + 5) / (18 * n_events * (n_events - 1)))
        hint = (
            "they may be survival times instead of risks"
            + " (make_scorer(concordance_index_score, predicts='time'))"
            * (function is concordance_index_score)
            if kernel.metric.kwargs.get("predicts", "risk") == "risk"
            else "they may be risks instead of survival times (predicts='risk')"
        )
    else:
        return None
    scores = kernel.on_data()
    best = scores.max(initial=-np.inf, where=~np.isnan(scores))
    worst = scores.min(initial=np.inf, where=~np.isnan(scores))
    clearly = _CLEARLY * spread
    some = False
    if function is not roc_auc_score and best < 0.5 + clearly:
        # The worst of many is that low without any signal, too.
        n_valid = max(np.count_nonzero(kernel.valid), 1)
        some = worst < 0.5 - spread * norm.isf(norm.sf(_CLEARLY) / n_valid)
    if np.isinf(best) or not (best < 0.5 - clearly or some):
        return None
    if function is roc_auc_score and _are_of_predicted_class(oof):
        hint += (
            ", or probabilities of whatever class was predicted, as none is on the other side of "
            "one half: then compute those of one class, as no pos_label puts them right"
        )
    name = metric_words(kernel.metric.name).name
    what = f"Every configuration ranks in reverse: the best {name} is {digits(best)}"
    if best >= 0.5 - clearly:
        what = (
            "Some configurations rank in reverse, and none ranks clearly better than chance: the "
            f"best {name} is {digits(best)}, the worst {digits(worst)}"
        )
    return warned(
        f"{what}, clearly below 0.5. Check the order of the predictions: {hint}. Models without "
        "any signal do the same in leave-one-out and other tiny folds, by their training means."
    )


def facts_of(scored: Scored) -> dict[str, Any]:
    """Collect the facts on the data that methods on predictions, or on fold scores, report."""
    oof = scored.oof
    facts = {
        "unit": "fold",
        "n_untested": oof.n_untested if oof.n_rows else 0,
        "n_configs": oof.n_configs,
        "n_valid": int(scored.valid.sum()),
    }
    if not isinstance(scored, BoundMetric):
        return facts
    return {**facts, "unit": unit_of(oof), "kernel": scored.family, "response": scored.response}


def shares_won(winners: np.ndarray, multiplicity: np.ndarray | None = None) -> dict[int, float]:
    """Compute the share of draws that each configuration wins, the most frequent winner first.

    `winners` (n_draws,), `multiplicity` (n_draws,).
    """
    if multiplicity is None:
        multiplicity = np.ones(len(winners))
    there = winners >= 0
    configs = np.flatnonzero(np.bincount(winners[there]))
    n_won = np.bincount(winners[there], multiplicity[there])[configs]
    shares = zip(configs.tolist(), (n_won / multiplicity.sum()).tolist())
    return dict(sorted(shares, key=lambda item: -item[1]))


def mean_shares(parts: Sequence[Mapping[int, float]]) -> dict[int, float]:
    """Average the shares of several sets of draws, the most frequent winner first."""
    configs = sorted(set().union(*parts))
    shares = {k: sum(part.get(k, 0.0) for part in parts) / len(parts) for k in configs}
    return dict(sorted(shares.items(), key=lambda item: -item[1]))


POOLED = "pooled"
"""Kind of the note on pooling."""


def pooling_note(kernel: BoundMetric, winner: int) -> str | None:
    """Note where pooling the folds moves a rank metric by more than a standard error."""
    moved = None if isinstance(kernel.metric, WithinFolds) else moved_by_pooling(kernel, winner)
    if moved is None:
        return None
    name = metric_words(kernel.metric.name).name
    pooled_text, by_folds_text = shown(*moved)
    return Note(
        "Samples of different folds are compared by the scores of different models: the winner's "
        f"{name} on all predictions together is {pooled_text}, its mean over the folds "
        f"{by_folds_text}, and they differ by more than one standard error. within_folds of "
        "sklearn_bbc.metrics compares within folds only.",
        POOLED,
    )


def bound_alone(scored: OfMetric, config: int) -> BoundMetric | None:
    """Bind a metric to one configuration only; None where it cannot take the predictions."""
    if scored.metric.score_func is None:
        return None
    with suppress(ValueError):
        bound: BoundMetric = scored.metric.bind(taken(scored.oof, configs=np.array([config])))
        return bound
    return None


def some_fold_lacks_a_stratum(kernel: BoundMetric) -> bool:
    """Check whether the metric is undefined in some fold, whatever is predicted there."""
    oof = kernel.oof
    if kernel.strata is None:
        return False
    counts = (
        np.bincount(oof.fold, members[oof.sample], oof.n_splits) for members in kernel.strata
    )
    return any((count == 0).any() for count in counts)


def moved_by_pooling(kernel: BoundMetric, config: int) -> tuple[float, float] | None:
    """Return pooled score and fold mean where they differ by more than a standard error."""
    oof = kernel.oof
    if not kernel.is_rank or oof.n_splits <= oof.n_repeats or not kernel.valid[config]:
        return None
    if some_fold_lacks_a_stratum(kernel):
        return None
    scores = kernel.fold_scores(configs=np.array([config]))[:, config]
    error = float(scores.std(ddof=1) / np.sqrt(len(scores)))
    pooled, by_folds = kernel.score_on_data(config), float(scores.mean())
    return (pooled, by_folds) if abs(by_folds - pooled) > error else None


def labels_for_scores(scored: Scored) -> str | None:
    """Note that a metric of scores or probabilities is computed from predicted labels.

    Of given arrays it is said where every configuration that varies holds nothing but the two
    classes, or 0 and 1: other scores with few values are scores.
    """
    oof, metric = scored.oof, scored.metric
    function = metric.score_func
    named, module = getattr(function, "__name__", ""), getattr(function, "__module__", "")
    of_shares = named in OF_PROBABILITIES or module == OF_CALIBRATION
    if oof.classes_ is None or not (of_shares or function in RANKING):
        return None
    what = "probabilities" if of_shares else "scores"
    count = "count as probabilities of 0 and 1" if of_shares else "have one threshold only"
    if "predict" in oof.responses and metric.response_method == ("predict",):
        methods = "'predict_proba'" if of_shares else "('decision_function', 'predict_proba')"
        return (
            f"The scorer asks for `predict`, so the {metric_words(metric.name).name} is that of "
            f"predicted labels, which {count}. For that of {what} use make_scorer({named}, "
            f"response_method={methods})."
        )
    given = oof.responses.get("plain")
    if given is None or given.ndim != 2 or len(oof.classes_) != 2:
        return None
    pairs, found = [oof.classes_.tolist(), [0, 1]], None
    for config in np.flatnonzero(scored.valid):
        for values in (given[config, :1000], given[config]):  # the first nearly always tell
            there = values[values == values]
            if not len(there) or not len(others := there[there != there[0]]):
                continue
            held = sorted([there[0].item(), others[0].item()])
            found = next((pair for pair in pairs if pair == held), None)
            if found is None or (others != others[0]).any():
                return None
    if found is None:
        return None
    one, other = found
    return (
        f"The predictions hold nothing but {one!r} and {other!r}. If these are predicted labels, "
        f"which {count}, give {what} instead: the {metric_words(metric.name).name} would be "
        "another one."
    )
