"""The table of a real judge beside people, in the study of judges."""

import numpy as np
import pandas as pd

from benchmarks.data import mt_bench
from benchmarks.studies.judged import JUDGED, Real, draw


def test_shares_of_comparisons_that_were_won():
    comparisons = pd.DataFrame(
        {
            "question_id": [1, 1, 1, 2], "model_a": list("abab"), "model_b": list("bccc"),
            "winner": ["model_a", "tie (inconsistent)", "tie", "model_b"],
        }
    )  # fmt: skip
    found = mt_bench.shares_won(comparisons)
    assert found.loc[1].to_dict() == {"a": 0.75, "b": 0.25, "c": 0.5}
    assert found.loc[2].dropna().to_dict() == {"b": 0.0, "c": 1.0}


def test_questions_are_drawn_from_the_table_of_both(monkeypatch):
    rng = np.random.default_rng(0)
    people = pd.DataFrame(rng.random((80, 3)), columns=["gpt-4", "b", "c"])
    monkeypatch.setattr(mt_bench, "tables", lambda: (people + 1, people))
    setting = Real("gpt-4", 30)
    judge, drawn, truth, found = setting.draw(rng)
    assert judge.shape == (400, 2)
    np.testing.assert_allclose(judge, drawn + 1)
    np.testing.assert_allclose(truth, people[["b", "c"]].mean())
    assert found["has_label"].sum() == 30
    parts = list(draw(setting, np.random.SeedSequence(0), 0))
    methods = {(part.name, method) for part in parts for method in part.intervals}
    assert methods == set(JUDGED.parts(setting))
