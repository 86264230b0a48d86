"""What reaches the compiled part is checked: a clear error, never a crash."""

import importlib
from types import SimpleNamespace

import numpy as np
import pytest

from sklearn_bbc import _native
from tests._native.reference import needs_native

SCORES = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]])
POSITIVE = np.array([False, True, True])
COUNTS = np.ones((4, 3), dtype=np.uint8)
CONFIGS = np.array([0, 1, 0, 1])
READ_ONLY = np.zeros(4, dtype=np.int64)
READ_ONLY.flags.writeable = False


@pytest.fixture
def kernels():
    """The extension module itself, without the wrapper's conversions."""
    return importlib.import_module("sklearn_bbc._native._kernels")


def unaligned(array):
    memory = np.zeros(array.nbytes + 1, dtype=np.uint8)
    view = memory[1:].view(array.dtype).reshape(array.shape)
    view[...] = array
    return view


@needs_native
@pytest.mark.parametrize("function", ["auc", "average_precision"])
@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            (None, POSITIVE),
            TypeError,
            "scores must be an array of float64 or float32, got an object of",
        ),
        (([[0.1]], POSITIVE), TypeError, "scores must be an array"),
        ((SCORES.astype(np.int32), POSITIVE), TypeError, "scores must be of float64 or float32"),
        ((SCORES.astype(">f8"), POSITIVE), TypeError, "native byte order"),
        ((SCORES.astype(complex), POSITIVE), TypeError, "scores must be of float64"),
        ((SCORES[0], POSITIVE), ValueError, "scores must have 2 dimensions, got 1"),
        ((unaligned(SCORES), POSITIVE), ValueError, "aligned"),
        ((SCORES, POSITIVE[:2]), ValueError, "positive must have length 3 along axis 0, got 2"),
        ((SCORES, POSITIVE.astype(int)), TypeError, "positive must be of bool or uint8"),
        (
            (SCORES, np.array([0, 1, 2], dtype=np.uint8)),
            ValueError,
            "must be 0 or 1, got 2 at index 2",
        ),
        (
            (SCORES, POSITIVE, np.array([0, 3])),
            ValueError,
            "rows must be from 0 to 2, got 3 at index 1",
        ),
        ((SCORES, POSITIVE, np.array([-1, 0])), ValueError, "rows must be from 0 to 2, got -1"),
        ((SCORES, POSITIVE, np.array([0, 0])), ValueError, "rows must be strictly increasing"),
        ((SCORES, POSITIVE, np.array([0.0])), TypeError, "rows must be of int64"),
        ((SCORES, POSITIVE, np.array([[0]])), ValueError, "rows must have 1 dimension, got 2"),
        ((SCORES, POSITIVE[::-1]), ValueError, "positive must be C-contiguous"),
        ((SCORES,), TypeError, "argument"),
        ((), TypeError, "argument"),
        ((SCORES, POSITIVE, None, 0, None, None), TypeError, "argument"),
        ((SCORES, POSITIVE, None, None), TypeError, "integer"),
    ],
)
def test_wrong_predictions(kernels, function, arguments, error, message):
    with pytest.raises(error, match=message):
        getattr(kernels, function)(*arguments)


@needs_native
@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((SCORES, np.zeros(2), POSITIVE), ValueError, "time must have length 3"),
        ((SCORES, np.zeros(3, dtype=int), POSITIVE), TypeError, "time must be of float64"),
        (
            (SCORES, np.array([1, np.nan, 2]), POSITIVE),
            ValueError,
            "time must not be NaN, got one at index 1",
        ),
        ((SCORES, np.zeros(3), POSITIVE[:1]), ValueError, "event must have length 3"),
        ((SCORES, np.zeros(3), np.full(3, 7, dtype=np.uint8)), ValueError, "event must be 0 or 1"),
        ((SCORES, np.zeros(3)), TypeError, "3 arguments"),
    ],
)
def test_wrong_survival_times(kernels, arguments, error, message):
    with pytest.raises(error, match=message):
        kernels.concordance(*arguments)


@pytest.fixture(params=["auc", "average_precision", "concordance"])
def compiled(request, kernels):
    if request.param == "concordance":
        return kernels.concordance(SCORES, np.arange(3.0), POSITIVE)
    return getattr(kernels, request.param)(SCORES, POSITIVE)


@needs_native
@pytest.mark.parametrize("method", ["winners", "scores", "losses", "score_of", "loss_of"])
@pytest.mark.parametrize(
    ("counts", "error", "message"),
    [
        (COUNTS[:, :2].copy(), ValueError, "counts must have length 3 along axis 1, got 2"),
        (COUNTS[0], ValueError, "counts must have 2 dimensions"),
        (COUNTS[:, ::-1], ValueError, "counts must be C-contiguous"),
        (np.asfortranarray(COUNTS), ValueError, "counts must be C-contiguous"),
        (COUNTS.astype(np.int64), TypeError, "counts must be of bool, uint8 or uint16"),
        (COUNTS.astype(np.uint32), TypeError, "counts must be of bool, uint8 or uint16"),
        (COUNTS.astype(float), TypeError, "counts must be of"),
        (COUNTS.astype(np.int8), TypeError, "counts must be of"),
        (COUNTS.tolist(), TypeError, "counts must be an array"),
        (b"\x01" * 12, ValueError, "counts must have 2 dimensions"),
    ],
)
def test_wrong_counts(compiled, method, counts, error, message):
    out = np.zeros(4, dtype=np.int64) if method == "winners" else np.zeros((4, 2))
    arguments = (counts, out) if method == "winners" else (counts, CONFIGS, out)
    with pytest.raises(error, match=message):
        getattr(compiled, method)(*arguments)


@needs_native
@pytest.mark.parametrize(
    ("method", "arguments", "error", "message"),
    [
        ("winners", (np.zeros(3, dtype=np.int64),), ValueError, "out must have length 4"),
        ("winners", (np.zeros(4),), TypeError, "out must be of int64"),
        ("winners", (np.zeros(8, dtype=np.int64)[::2],), ValueError, "out must be C-contiguous"),
        ("winners", (READ_ONLY,), TypeError, "out must be a writable array"),
        ("winners", (), TypeError, "argument"),
        (
            "scores",
            (CONFIGS[:2], np.zeros((4, 3))),
            ValueError,
            "out must have length 2 along axis 1",
        ),
        (
            "scores",
            (CONFIGS[:2], np.zeros((4, 2), dtype="f4")),
            TypeError,
            "out must be of float64",
        ),
        (
            "scores",
            (np.array([2]), np.zeros((4, 1))),
            ValueError,
            "configs must be from 0 to 1, got 2",
        ),
        (
            "losses",
            (np.array([-1]), np.zeros((4, 1))),
            ValueError,
            "configs must be from 0 to 1, got -1",
        ),
        ("scores", (np.array([0.0]), np.zeros((4, 1))), TypeError, "configs must be of int64"),
        ("score_of", (CONFIGS[:3], np.zeros(4)), ValueError, "configs must have length 4"),
        ("score_of", (CONFIGS + 1, np.zeros(4)), ValueError, "got 2 at index 1"),
        ("loss_of", (CONFIGS, np.zeros((4, 1))), ValueError, "out must have 1 dimension, got 2"),
    ],
)
def test_wrong_results_and_configurations(compiled, method, arguments, error, message):
    with pytest.raises(error, match=message):
        getattr(compiled, method)(COUNTS, *arguments)


@needs_native
def test_more_counts_than_are_exact(kernels):
    n_rows = 300_000
    scores, positive = np.zeros((1, n_rows)), np.arange(n_rows) % 2 == 0
    too_many = np.full((1, n_rows), 255, dtype=np.uint8)
    programs = [
        kernels.auc(scores, positive),
        kernels.average_precision(scores, positive),
        kernels.concordance(scores, np.zeros(n_rows), positive),
    ]
    for program in programs:
        with pytest.raises(ValueError, match="counts must not add up to more than 67108864"):
            program.winners(too_many, np.zeros(1, dtype=np.int64))


@needs_native
def test_programs_come_from_the_functions_only(compiled):
    with pytest.raises(TypeError):
        type(compiled)()
    with pytest.raises((AttributeError, TypeError)):
        compiled.name = "other"
    assert (compiled.n_configs, compiled.n_rows) == SCORES.shape


@needs_native
@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((None, 3, COUNTS.copy()), AttributeError, "capsule"),
        ((SimpleNamespace(capsule=None), 3, COUNTS.copy()), ValueError, "PyCapsule"),
        ((np.random.PCG64(0), -1, COUNTS.copy()), ValueError, "n_picks must be from 0"),
        ((np.random.PCG64(0), 2**40, COUNTS.copy()), ValueError, "n_picks must be from 0"),
        ((np.random.PCG64(0), 3, COUNTS.astype(int)), TypeError, "out must be of uint8"),
        (
            (np.random.PCG64(0), 3, COUNTS[:, ::2].copy()[:, ::-1]),
            ValueError,
            "contiguous along axis 1",
        ),
        ((np.random.PCG64(0), 3, COUNTS[0].copy()), ValueError, "2 dimensions"),
    ],
)
def test_wrong_arguments_of_draws(kernels, arguments, error, message):
    with pytest.raises(error, match=message):
        kernels.draw_counts(*arguments)


@needs_native
def test_draws_into_rows_with_gaps(kernels):
    out = np.full((3, 8), 99, dtype=np.uint8)
    kernels.draw_counts(np.random.PCG64(0), 5, out[:, 2:7])
    np.testing.assert_array_equal(out[:, 2:7], _native.draw_counts(np.random.PCG64(0), 3, 5))
    assert (out[:, [0, 1, 7]] == 99).all()


def test_the_switch_forces_numpy():
    kernels, text = _native._load("0")
    assert kernels is None
    assert "SKLEARN_BBC_NATIVE=0" in text


@pytest.mark.parametrize("kind", [ImportError, SystemError])
def test_a_demanded_kernel_that_cannot_be_loaded_is_an_error(monkeypatch, kind):
    def missing(name, package):
        raise kind("no such file")

    monkeypatch.setattr(_native, "import_module", missing)
    kernels, text = _native._load("")
    assert kernels is None
    assert "no such file" in text
    with pytest.raises(ImportError, match="SKLEARN_BBC_NATIVE=1 demands"):
        _native._load("1")


def test_the_state_is_told(monkeypatch):
    monkeypatch.setattr(_native, "import_module", lambda *_: SimpleNamespace(code="plain C"))
    assert _native._load("1")[1] == "native (plain C)"
    assert _native.available() == _native.status().startswith("native")


def test_an_unknown_switch_is_an_error():
    with pytest.raises(ValueError, match="SKLEARN_BBC_NATIVE='yes' is not known"):
        _native._load("yes")


def test_without_the_compiled_part_the_functions_say_so(monkeypatch):
    monkeypatch.setattr(_native, "_KERNELS", None)
    assert not _native.available()
    with pytest.raises(RuntimeError, match="The compiled kernels are not in use"):
        _native.auc(SCORES, POSITIVE)
