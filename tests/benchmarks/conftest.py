"""The benchmarks are part of the checkout, not of the package."""

from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parent


def pytest_ignore_collect(config):
    """Do not even read them where nothing that is long runs, which takes seconds."""
    return config.option.markexpr == "not slow and not long" or None


def pytest_collection_modifyitems(items):
    """Mark them as `long`, as all around the package; what is slow stays `slow`."""
    for item in items:
        if item.path.is_relative_to(BENCHMARKS) and item.get_closest_marker("slow") is None:
            item.add_marker("long")


@pytest.fixture(autouse=True)
def _needs_a_checkout(repository):
    if not (repository / "benchmarks").is_dir():
        pytest.skip("needs the folder benchmarks of a checkout")
