"""The benchmarks are part of the checkout, not of the package."""

import pytest


@pytest.fixture(autouse=True)
def _needs_a_checkout(repository):
    if not (repository / "benchmarks").is_dir():
        pytest.skip("needs the folder benchmarks of a checkout")
