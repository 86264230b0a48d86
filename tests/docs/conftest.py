"""The modules of docs/_ext, which is no package."""

import importlib
import sys

import pytest


@pytest.fixture(scope="package")
def docs_ext(repository):
    """Import a module of docs/_ext; skips where there is none, as in an installed copy."""
    folder = repository / "docs" / "_ext"
    if not folder.is_dir():
        pytest.skip("needs the folder docs of a checkout")
    before = set(sys.modules)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield importlib.import_module
    for name in set(sys.modules) - before:
        if str(folder) in (getattr(sys.modules[name], "__file__", None) or ""):
            del sys.modules[name]
