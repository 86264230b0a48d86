"""The scripts of the folder .ci, which is no package."""

import importlib.util
import sys

import pytest


def script_of_ci(repository, name):
    """A script as a module; skips where it is not there, as in an installed copy."""
    path = repository / ".ci" / f"{name}.py"
    if not path.is_file():
        pytest.skip("needs the folder .ci of a checkout")
    spec = importlib.util.spec_from_file_location(f"{name}_of_ci", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look for it
    spec.loader.exec_module(module)
    return module
