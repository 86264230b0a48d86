"""What the tests of kernels share: run with and without the compiled part."""

import pytest

from sklearn_bbc import _native


@pytest.fixture(scope="module", params=["numpy", "native"])
def kernels(request):
    """Every test of the module twice, with NumPy alone and with the compiled kernels."""
    if request.param == "native" and not _native.available():
        pytest.skip(f"needs the compiled kernels; this is {_native.status()}")
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "numpy":
            patch.setattr(_native, "available", lambda: False)
        yield request.param
