"""The mutants of the mutation run (`.ci/mutants.py`): what is changed and what does not count."""

import textwrap

import pytest

from tests._scripts import script_of_ci

SOURCE = '''
"""A module."""

from __future__ import annotations

__all__ = ["shifted"]


def shifted(values: list[int] | None, *, by: int = 1) -> float:
    """Add 2."""
    if values is None or by < 0:
        raise ValueError(f"values must be given, got by={by - 1}", by + 1)
    warn("by is " + str(by * 2), Warning)
    total = max(sum(values, start=by), 0)
    total += 3
    return total
'''


@pytest.fixture(scope="module")
def mutants(repository):
    return script_of_ci(repository, "mutants")


def changes(found):
    return {(was, now) for _, was, now in found}


def test_changes_of_our_own(mutants):
    found = changes(mutants.difference(SOURCE, mutated) for mutated in mutants.our_own(SOURCE))
    guard, total = "if values is None or by < 0:", "total = max(sum(values, start=by), 0)"
    assert found == {
        (guard, "if True:"),
        (guard, "if False:"),
        (guard, "if ((values is None)):"),
        (guard, "if ((by < 0)):"),
        (total, "total = min(sum(values, start=by), 0)"),
        (total, "total = max(sum(values, ), 0)"),
        ('warn("by is " + str(by * 2), Warning)', "pass"),
        ("total += 3", "pass"),
    }


def test_what_changes_no_result_does_not_count(mutants):
    pytest.importorskip("cosmic_ray")
    found = mutants.mutants_of(SOURCE)
    shown = {(mutant.was, mutant.now) for mutant in found}
    touched = {mutant.was for mutant in found}
    default = "def shifted(values: list[int] | None, *, by: int = 1) -> float:"
    assert (default, default.replace("= 1", "= 0")) in shown
    assert ("if values is None or by < 0:", "if values is None or by <= 0:") in shown
    assert not any("raise" in line for line in touched)
    assert not any("warn" in was and now != "pass" for was, now in shown)
    assert not any("& None" in now or "/, by" in now for _, now in shown)
    assert len({mutant.key for mutant in found}) == len(found)


def test_the_same_change_twice_in_a_function_is_told_apart(mutants):
    pytest.importorskip("cosmic_ray")
    source = textwrap.dedent(
        """
        def f(x):
            x += 1
            x += 1
            return x
        """
    )
    numbers = [m.number for m in mutants.mutants_of(source) if m.now == "pass"]
    assert numbers == [0, 1]
    assert {mutant.where for mutant in mutants.mutants_of(source)} == {"f"}
