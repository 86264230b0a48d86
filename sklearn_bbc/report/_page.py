"""The report of a search: one page of HTML, with its plots in the page itself."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from .._rounding import levelled
from .._text import (
    config_words,
    count,
    drawn_units,
    method_words,
    percent,
    printed_result,
    shown,
    was_were,
)
from .._utils import nan_loses, replacing
from ..display._base import BaseDisplay
from ..display._layout import label_in_search
from ..results._curves import CurveResult, StabilityResult, SubgroupResult
from ..results._planning import SampleSizeResult
from ..results._rankings import TiedSet
from ._sentences import (
    Reference,
    SearchFacts,
    joined_by_and,
    keys_of,
    methods_paragraph,
    summary_of,
    tripod_frame,
)
from ._table import ResultsTable

NO_MATPLOTLIB = (
    "Plots are left out, since matplotlib is not installed: pip install sklearn-bbc[plot] "
    "brings it."
)
NO_JINJA = (
    "report needs jinja2, which is not installed: pip install sklearn-bbc[report] brings it. "
    "summary(), table() and intervals_frame() need nothing more."
)
ROW, HEAD = 0.46, 1.35
"""Inches per row of a plot, and around the rows."""
CURVE = (5.4, 4.4)
"""Inches of a curve, which fits on a narrow screen."""
MOST_FAMILIES, MOST_CONFIGS = 10, 20
MOST_LETTERS = 400
"""Of the parameters of one configuration."""


def plots_of(facts: SearchFacts, tied: TiedSet | None) -> dict[str, dict[str, str]] | None:
    """Draw the intervals of the metric that selects, and the tied set; None without matplotlib.

    A plot is a ``data:`` address with a caption, or the reason why it could not be drawn.
    """
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return None
    from ..display import CurveDisplay, IntervalsDisplay, SampleSizeDisplay, TiedSetDisplay

    plots = {}
    metric = "" if facts.main is None else facts.main.metric
    results = {
        label_in_search(name, result): result
        for name, result in facts.results.get(metric, {}).items()
        if "error" not in result.details
    }
    if results:
        best = facts.best_score(next(iter(results.values())))
        display = IntervalsDisplay.from_results(results, best_score=best)
        display.words = facts.words(metric)
        plots["intervals"] = _as_picture(
            display,
            _size_of_rows(len(results)),
            f"Estimates of the {display.words.name} with their intervals, and the best "
            "cross-validated score, which is not corrected.",
            numbers=False,
        )
    if tied is not None:
        tied_display = TiedSetDisplay.from_results(tied)
        tied_display.words = facts.words(tied.metric)
        plots["tied"] = _as_picture(
            tied_display,
            _size_of_rows(min(len(set(tied.families)) or 1, MOST_FAMILIES)),
            f"The {tied_display.words.name} of the configurations, on all held-out predictions "
            "together. Full dots may be the best.",
            max_families=MOST_FAMILIES,
        )
    for k, each in enumerate(facts.further_results):
        if isinstance(each, CurveResult):
            plots[f"shown {k}"] = _as_picture(
                CurveDisplay.from_results(each), CURVE, each.summary()
            )
        elif isinstance(each, SubgroupResult):
            display = IntervalsDisplay.from_results(each.intervals())
            plots[f"shown {k}"] = _as_picture(
                display, _size_of_rows(len(each.groups)), each.summary()
            )
        elif isinstance(each, SampleSizeResult):
            plots[f"shown {k}"] = _as_picture(
                SampleSizeDisplay(result=each), CURVE, each.summary()
            )
    return plots


def _size_of_rows(n_rows: int) -> tuple[float, float]:
    """Compute the width and height in inches of a plot with so many rows."""
    return 7.6, HEAD + ROW * n_rows


def _as_picture(
    display: BaseDisplay, size: tuple[float, float], caption: str, **options: Any
) -> dict[str, str]:
    """Draw a plot on a figure that no window or notebook shows."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    file = BytesIO()
    try:
        with rc_context({"svg.hashsalt": "sklearn-bbc", "svg.fonttype": "path"}):
            figure = Figure(figsize=size, layout="constrained")
            display.plot(figure.subplots(), **options)
            figure.savefig(file, format="svg", metadata={"Date": None}, bbox_inches="tight")
    # A report without one of its plots is better than none.
    except Exception as error:
        return {"caption": caption, "failed": f"{type(error).__name__}: {error}", "address": ""}
    content = base64.b64encode(file.getvalue()).decode("ascii")
    return {
        "caption": caption, "failed": "", "address": f"data:image/svg+xml;base64,{content}",
    }  # fmt: skip


def write_page(
    path: str | os.PathLike[str],
    facts: SearchFacts,
    *,
    title: str,
    table: ResultsTable | None,
    tied: TiedSet | str | None,
    threshold: Mapping[str, Any] | None,
    cited: Mapping[str, Sequence[Reference]],
    left_out: Sequence[str] = (),
) -> Path:
    """Write the report of a search."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        raise ImportError(NO_JINJA) from error
    environment = Environment(
        loader=PackageLoader("sklearn_bbc.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    tied_set = tied if isinstance(tied, TiedSet) else None
    also = [] if threshold is None else [threshold["methods"]]
    if tied_set is not None:
        also.append(
            "Configurations that cannot be distinguished from the best one were found by "
            f"{method_words(tied_set.method).sentence} at a confidence level of "
            f"{percent(tied_set.confidence_level)}."
        )
    others = (StabilityResult, SampleSizeResult)
    nouns = [
        each.noun
        for each in facts.further_results
        if not isinstance(each, others) and each.details.get("selection_accounted_for", True)
    ]
    if nouns:
        also.append(
            f"The {joined_by_and(nouns)} {was_were(len(nouns))} corrected for the selection in "
            "the same way: in every draw, that of the selected configuration on the samples "
            "left out."
        )
    plots = plots_of(facts, tied_set)
    page = environment.get_template("report.html").render(
        title=title,
        facts=facts,
        summary=None if facts.main is None else summary_of(facts),
        figures=_figures(facts),
        data=_data(facts),
        protocol=_protocol(facts),
        table=table,
        configs=_configs(facts, tied_set),
        tied=None if tied is None else _tied_section(tied),
        threshold=threshold,
        plots=plots or {},
        left_out=left_out,
        no_plots=NO_MATPLOTLIB if plots is None else "",
        methods=None if facts.main is None else methods_paragraph(facts, cited, also),
        references=[
            reference.text()
            for reference in keys_of(r for each in cited.values() for r in each).values()
        ],
        tripod=list(tripod_frame(facts).itertuples(index=False, name=None)),
    )
    target = Path(path)
    with replacing(target) as file:
        file.write(page.encode("utf-8"))
    return target


def _figures(facts: SearchFacts) -> list[dict[str, str]]:
    """Collect the figures of the page: cross-validated and corrected score, optimism."""
    result = facts.main
    if result is None or "error" in result.details:
        return []
    words = facts.words(result.metric)
    best = facts.best_score(result)
    printed = printed_result(words, result, [best])
    corrects = result.method in facts.selection_aware
    boxes = [
        {"label": f"Cross-validated {words.name}", "value": printed.others[0],
         "note": "best of all configurations, not corrected" if facts.n_configs > 1
         else "one configuration: nothing was selected"},
        {"label": f"{'Corrected' if corrects else 'Estimated'} {words.name}",
         "value": printed.estimate, "note": printed.interval()},
    ]  # fmt: skip
    parts = result.details.get("optimism_parts")
    if parts is not None:
        pooling, selection = parts["pooling"], parts["selection"]
        # With the decimals of the estimate: more would promise too much.
        _, total, pooled, selected = shown(
            result.estimate, pooling + selection, pooling, selection
        )
        boxes.append(
            {"label": "Optimism", "value": total,
             "note": f"{selected} from the selection, {pooled} from pooling the folds"}
        )  # fmt: skip
    return boxes


def _data(facts: SearchFacts) -> list[tuple[str, str]]:
    rows = [("samples", f"{facts.n_samples:,}" if facts.n_samples else "not known")]
    if facts.n_untested:
        rows.append(("held out", count(facts.n_samples - facts.n_untested, "sample")))
    if facts.n_groups is not None:
        rows.append(("groups", f"{facts.n_groups:,}"))
    if facts.n_features is not None:
        rows.append(("features", f"{facts.n_features:,}"))
    rows += facts.target
    positive = facts.positive_classes(facts.results)
    return [*rows, ("positive class", positive)] if positive else rows


def _protocol(facts: SearchFacts) -> list[tuple[str, str]]:
    made = [("estimator", facts.estimator), ("search", f"{facts.strategy} ({facts.search})")]
    if not facts.search:
        made = [("made from", "predictions alone: estimator, search and features are not known")]
    rows = [
        *made,
        ("configurations", f"{facts.n_configs:,}"
         + (f", of which {facts.n_failed:,} failed" if facts.n_failed else "")
         + (f", {facts.n_dropped:,} dropped early" if facts.n_dropped else "")
         + (f", {facts.n_left_out:,} evaluated on other splits" if facts.n_left_out else "")
         + (f", {facts.n_earlier:,} evaluated in earlier rounds" if facts.n_earlier else "")),
        ("validation", facts.cv),
        ("metrics", ", ".join(facts.words(name).name for name in facts.mean_scores)),
    ]  # fmt: skip
    if facts.main is not None:
        rows.append(("resampled", drawn_units(facts.main.details)))
    seed = [] if facts.seed is None else [("seed", str(facts.seed))]
    return [*rows, *seed, *facts.space]


def _configs(facts: SearchFacts, tied: TiedSet | None) -> dict[str, Any] | None:
    """List the best configurations by the metric that selects."""
    names = list(facts.mean_scores)
    if not names:
        return None
    by = facts.primary or names[0]
    scores = np.asarray(facts.mean_scores[by], dtype=float)
    order = np.argsort(-levelled(nan_loses(scores)), kind="stable")
    listed = order[:MOST_CONFIGS].tolist()
    columns = []
    for name in names:
        values = [facts.words(name).natural(facts.mean_scores[name][k]) for k in listed]
        texts = iter(shown(*(value for value in values if np.isfinite(value))))
        columns.append([next(texts) if np.isfinite(value) else "failed" for value in values])
    rows = []
    for rank, config in enumerate(listed):
        params = facts.params[config] if facts.params else {}
        if not isinstance(params, Mapping) or params.keys() == {"configuration"}:  # of a column
            text = config_words(config, facts.params, longest=MOST_LETTERS)
        else:
            text = ", ".join(f"{key}={_short_cell(value)}" for key, value in params.items())
        rows.append({
            "config": str(config), "params": text or "(no parameters)",
            "scores": [column[rank] for column in columns],
            "selected": config == facts.best_index,
            "tied": None if tied is None else config in tied,
        })  # fmt: skip
    return {
        "by": facts.words(by).name,
        "names": [facts.words(name).name for name in names],
        "rows": rows,
        "left_out": len(order) - len(listed),
        "has_tied": tied is not None,
    }


def _short_cell(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 3] + "..."


def _tied_section(tied: TiedSet | str) -> dict[str, Any]:
    if isinstance(tied, str):
        return {"text": f"The set could not be computed: {tied}", "families": [], "level": ""}
    table = tied.by_family() if len(set(tied.families)) > 1 else None
    # One configuration in each family is in the sentence already.
    listed = () if table is None or (table["n_configs"] == 1).all() else table.iterrows()
    families = [
        (str(name), f"{row['n_members']:,} of {row['n_configs']:,}", row["members"])
        for name, row in listed
    ]
    return {"text": tied.summary(), "families": families, "level": percent(tied.confidence_level)}
