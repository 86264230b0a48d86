"""Same content, same text; other content, other text. The cases are those that trip up hashing."""

import functools
import types

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse, stats
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.gaussian_process import GaussianProcessRegressor, kernels
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from sklearn_bbc.store import fingerprint
from sklearn_bbc.store._fingerprint import values_per_sample

TABLE = np.arange(12.0).reshape(3, 4)
FRAME = pd.DataFrame({"a": [1, 2], "b": ["x", None], "c": pd.Categorical(["u", "v"])})


def made(text):
    space = {"__name__": "mine"}
    exec(text, space)
    return space["f"]


def closing_over(value):
    return lambda x: x + value


SAME = {
    "copy": (TABLE, TABLE.copy()),
    "memory order": (TABLE, np.asfortranarray(TABLE)),
    "view": (TABLE[:, ::2], TABLE[:, ::2].copy()),
    "read-only": (TABLE, np.frombuffer(TABLE.tobytes()).reshape(3, 4)),
    "sparse": (sparse.csr_array(TABLE), sparse.csr_array(TABLE.copy())),
    "frame": (FRAME, FRAME.copy()),
    "dict order": ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    "set": ({"a", "b", "c"}, {"c", "b", "a"}),
    "model": (LogisticRegression(C=2), LogisticRegression(C=2)),
    "fitted": (LogisticRegression(), LogisticRegression().fit(TABLE, [0, 1, 1])),
    "function": (made("def f(x): return x + 1"), made("def f(x):\n    # why\n    return x + 1")),
    "closure": (closing_over(1), closing_over(1)),
    "partial": (functools.partial(max, 1), functools.partial(max, 1)),
    "random state": (np.random.RandomState(3), np.random.RandomState(3)),
    "generator": (np.random.default_rng(3), np.random.default_rng(3)),
    "distribution": (stats.uniform(0, 2), stats.uniform(0, 2)),
    "masked": (np.ma.array([1, 2], mask=[0, 1]), np.ma.array([1, 3], mask=[0, 1])),
    "kernel": (
        GaussianProcessRegressor(kernels.RBF(2.0)),
        GaussianProcessRegressor(kernels.RBF(2.0)),
    ),
    "dates": (np.array(["2020-01-01"], "M8[D]"), np.array(["2020-01-01"], "M8[D]")),
    "nan": (np.nan, float("nan")),
}


def used(state):
    state.random(1)
    return state


DIFFERENT = {
    "value": (TABLE, np.where(TABLE == 5, 6, TABLE)),
    "shape": (TABLE, TABLE.reshape(4, 3)),
    "precision": (TABLE, TABLE.astype(np.float32)),
    "sign of zero": (np.array([0.0]), np.array([-0.0])),
    "one and True": (1, True),
    "texts cut otherwise": (["ab", "c"], ["a", "bc"]),
    "column name": (FRAME, FRAME.rename(columns={"a": "z"})),
    "index": (FRAME, FRAME.set_index(pd.Index([5, 6]))),
    "category": (FRAME, FRAME.assign(c=pd.Categorical(["u", "u"], categories=["u", "v"]))),
    "sparse value": (sparse.csr_array(TABLE), sparse.csr_array(TABLE * 2)),
    "parameter": (LogisticRegression(C=2), LogisticRegression(C=3)),
    "nested": (
        make_pipeline(StandardScaler(), LogisticRegression()),
        make_pipeline(StandardScaler(), LogisticRegression(C=2)),
    ),
    "columns": (
        ColumnTransformer([("a", StandardScaler(), [0])]),
        ColumnTransformer([("a", StandardScaler(), [1])]),
    ),
    "class": (LogisticRegression(), RandomForestClassifier()),
    "edited function": (made("def f(x): return x + 1"), made("def f(x): return x + 2")),
    "lambda": (lambda x: x, lambda x: -x),
    "inner lambda": (lambda: lambda x: x, lambda: lambda x: -x),
    "default": (made("def f(x=1): return x"), made("def f(x=2): return x")),
    "closure": (closing_over(1), closing_over(2)),
    "partial": (functools.partial(max, 1), functools.partial(max, 2)),
    "used random state": (np.random.RandomState(3), used(np.random.RandomState(3))),
    "used generator": (np.random.default_rng(3), used(np.random.default_rng(3))),
    "distribution": (stats.uniform(0, 2), stats.uniform(0, 3)),
    "mask": (np.ma.array([1, 2], mask=[0, 1]), np.ma.array([1, 2], mask=[1, 0])),
    "frozen": (
        FrozenEstimator(LogisticRegression().fit(TABLE, [0, 1, 1])),
        FrozenEstimator(LogisticRegression().fit(TABLE, [0, 0, 1])),
    ),
    "names of columns": tuple(
        np.zeros(2, dtype=[(a, float), (b, float)]) for a, b in ("xy", "yx")
    ),
    "frozen trees": tuple(
        FrozenEstimator(RandomForestClassifier(3, random_state=seed).fit(TABLE, [0, 1, 1]))
        for seed in (0, 1)
    ),
    "scorer": (make_scorer(roc_auc_score), make_scorer(roc_auc_score, max_fpr=0.5)),
    "transformer": (
        FunctionTransformer(np.log, kw_args={"a": 1}),
        FunctionTransformer(np.log, kw_args={"a": 2}),
    ),
    "kernel": (
        GaussianProcessRegressor(kernels.RBF(2.0)),
        GaussianProcessRegressor(kernels.RBF(3.0)),
    ),
}


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME)
def test_the_same_content(one, other):
    assert fingerprint(one) == fingerprint(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT.values(), ids=DIFFERENT)
def test_other_content(one, other):
    assert fingerprint(one) != fingerprint(other)


def in_module(source, name="f"):
    """What a module of this source calls `name`; helpers are imported as `helpers`."""
    space = {"__name__": "mine", "helpers": types.ModuleType("helpers")}
    source, _, helpers = source.partition("# helpers\n")
    exec(helpers, vars(space["helpers"]))
    exec(source, space)
    return space[name]


EDITED = {
    "helper": "def g(x): return x + {}\ndef f(x): return g(x)",
    "helper of a helper": "def h(): return {}\ndef g(x): return h()\ndef f(x): return g(x)",
    "helper in a lambda": "def g(x): return x + {}\nf = [lambda x: lambda: g(x)][0]",
    "constant": "LIMIT = {}\ndef f(x): return x < LIMIT",
    "constants": "LIMITS = {{'a': [{}]}}\ndef f(x): return LIMITS",
    "helper in a module": "def f(x): return helpers.g(x)\n# helpers\ndef g(x): return x + {}",
    "used class": "class A:\n    def go(self): return {}\ndef f(x): return A().go()",
    "call": "class f:\n    def __call__(self): return {}",
    "property": "class f:\n    @property\n    def a(self): return {}",
    "class method": "class f:\n    @classmethod\n    def a(cls): return {}",
    "cached": (
        "import functools\nclass f:\n    @functools.cache\n    def a(self): return {}\n"
        "    @functools.cached_property\n    def b(self): return 1"
    ),
    "cached property": (
        "import functools\nclass f:\n    @functools.cached_property\n    def a(self): return {}"
    ),
    "method": "class f:\n    def fit(self): return {}",
    "helper of a method": "def g(): return {}\nclass f:\n    def fit(self): return g()",
    "array": "import numpy\nW = numpy.array([{}])\ndef f(x): return x * W",
    "frame": "import pandas\nW = pandas.DataFrame([{}])\ndef f(x): return x * W",
    "fitted model": (
        "from sklearn.preprocessing import StandardScaler\n"
        "MODEL = StandardScaler().fit([[0], [{}]])\ndef f(x): return MODEL.transform(x)"
    ),
    "partial": "from functools import partial\nP = partial(pow, {})\ndef f(x): return P(x)",
    "partial in a class": "import functools\nclass f:\n    a = functools.partial(len, {})",
    "partial of a function": (
        "import functools\ndef g(x): return x\nclass f:\n    a = functools.partial(g, {})"
    ),
    "settings": "import types\nS = types.SimpleNamespace(a={})\ndef f(x): return x * S.a",
    "array in a class": "import numpy\nclass f:\n    w = numpy.array([{}])",
    "fitted model in a class": (
        "from sklearn.preprocessing import StandardScaler\nclass f:\n"
        "    model = StandardScaler().fit([[0], [{}]])"
    ),
}


@pytest.mark.parametrize("source", EDITED.values(), ids=EDITED)
def test_an_edit_behind_the_name(source):
    one, again, other = (fingerprint(in_module(source.format(text))) for text in (1, 1, 2))
    assert one == again != other


def test_what_is_not_used_does_not_matter():
    source = "def g(x): return x + {}\nother = {}\ndef f(x): return x.g + x.other"
    assert fingerprint(in_module(source.format(1, 1))) == fingerprint(
        in_module(source.format(2, 2))
    )


@pytest.mark.parametrize("filling", ["DONE.append(x)", "DONE.extend([x])", "SEEN[x] = 1"])
def test_what_a_function_fills_is_not_what_it_does(filling):
    source = f"DONE, SEEN = [], {{{{}}}}\ndef f(x):\n    {filling}\n    return len(DONE), {{}}"
    f, again, other = (in_module(source.format(text)) for text in (1, 1, 2))
    before = fingerprint(f)
    f(3)
    assert fingerprint(f) == before == fingerprint(again) != fingerprint(other)


def test_a_model_that_a_function_fits_is_not_what_it_does():
    source = (
        "from sklearn.preprocessing import StandardScaler\nMODEL = StandardScaler()\n"
        "def f(x): return MODEL.fit(x).mean_"
    )
    f = in_module(source)
    before = fingerprint(f)
    f([[0], [1]])
    assert fingerprint(f) == before == fingerprint(in_module(source))


def test_functions_that_name_each_other():
    source = "def f(n): return g(n - 1)\ndef g(n): return f(n - {})"
    one, again, other = (fingerprint(in_module(source.format(text))) for text in (1, 1, 2))
    assert one == again != other


def test_many_ways_to_one_helper_take_no_time():
    lines = [f"def g{n}(): return g{n + 1}(), g{n + 2}()" for n in range(40)]
    source = "\n".join([*lines, "g40 = g41 = len", "def f(): return g0()"])
    assert fingerprint(in_module(source)) == fingerprint(in_module(source))  # 2**40 ways


def test_what_metadata_an_estimator_asks_for():
    with config_context(enable_metadata_routing=True):
        asking = LogisticRegression().set_fit_request(sample_weight=True)
        same = clone(LogisticRegression().set_fit_request(sample_weight=True))
    assert fingerprint(asking) == fingerprint(same) != fingerprint(LogisticRegression())


PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3)
NESTED = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner))


@settings(max_examples=40)
@given(NESTED)
def test_only_equal_values_agree(value):
    assert fingerprint(value) == fingerprint(value)
    assert fingerprint([value]) != fingerprint([value, value])
    assert fingerprint([value]) != fingerprint((value,))


class Boosted:
    """An estimator that is no BaseEstimator, as CatBoost's: its core cannot be looked into."""

    def __init__(self, **params):
        self.params, self.core = params, (each for each in ())

    def get_params(self, deep=True):
        return dict(self.params)

    def set_params(self, **params):
        self.params.update(params)
        return self

    def fit(self, X, y):
        self.learned = float(np.sum(y * np.arange(len(y))))
        return self

    def __getstate__(self):
        return {name: value for name, value in vars(self).items() if name != "core"}


def test_what_has_parameters_is_taken_by_them():
    """A search fits clones, which have nothing else."""
    one = fingerprint(Boosted(depth=2))
    assert one == fingerprint(Boosted(depth=2).fit(None, np.ones(3)))
    assert one != fingerprint(Boosted(depth=3))
    piped = [make_pipeline(StandardScaler(), Boosted(depth=depth)) for depth in (2, 2, 3)]
    assert fingerprint(piped[0]) == fingerprint(piped[1]) != fingerprint(piped[2])


def _kept_in(where, model):
    if where == "frozen":
        return FrozenEstimator(model)
    if where == "frozen pipeline":
        return FrozenEstimator(make_pipeline(FunctionTransformer(), model))
    if where == "function":
        return make_scorer(closing_over(model))
    if where == "partial":
        return FunctionTransformer(functools.partial(print, model))
    return FunctionTransformer(kw_args={"model": model})


@pytest.mark.parametrize("where", ["frozen", "frozen pipeline", "function", "partial", "dict"])
@pytest.mark.parametrize("make", [LogisticRegression, Boosted])
def test_models_that_a_clone_keeps_fitted_differ_by_what_they_learned(where, make):
    table, y = np.arange(8.0)[:, None], np.arange(8) % 2
    models = [make().fit(table, each) for each in (y, y, np.arange(8) // 4)]
    prints = [fingerprint(_kept_in(where, model)) for model in models]
    assert prints[0] == prints[1] != prints[2]
    assert fingerprint(models[0]) == fingerprint(models[2]) == fingerprint(make())
    kept = [fingerprint(model, fitted=True) for model in models]
    assert kept[0] == kept[1] != kept[2]


def test_circles_end():
    circle = [1]
    circle.append(circle)
    assert fingerprint(circle) != fingerprint([1, [1]])


def test_what_cannot_be_determined():
    with pytest.raises(TypeError, match="content of a generator cannot be compared"):
        fingerprint(number for number in range(3))


# --- values given one per sample are the same in arrays, lists and Series of their kind ----

NUMBERS = np.array([3, 1, 2])
TEXT = np.array(["bb", "a"])
DATES = np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[ns]")

SAME_VALUES = {
    "numbers in a list": (NUMBERS, [3, 1, 2]),
    "numbers in a tuple": (NUMBERS, (3, 1, 2)),
    "numbers in a Series": (NUMBERS, pd.Series(NUMBERS, name="site", index=[5, 6, 7])),
    "numbers in an Index": (NUMBERS, pd.Index(NUMBERS)),
    "numbers of pandas": (NUMBERS, pd.Series(NUMBERS, dtype="Int64")),
    "fractions of pandas": (NUMBERS / 2, pd.Series(NUMBERS / 2, dtype="Float64")),
    "truths": (NUMBERS > 2, [True, False, False]),
    "truths of pandas": (NUMBERS > 2, pd.Series(NUMBERS > 2, dtype="boolean")),
    "rows of lists": (np.eye(2), [[1.0, 0.0], [0.0, 1.0]]),
    "text in a list": (TEXT, ["bb", "a"]),
    "text in a Series": (TEXT, pd.Series(["bb", "a"])),
    "text of pandas": (TEXT, pd.Series(["bb", "a"], dtype="string")),
    "text as objects": (TEXT, TEXT.astype(object)),
    "one text as an object": (TEXT[:1], TEXT[:1].astype(object)),
    "text with room": (TEXT, TEXT.astype("<U9")),
    "dates": (DATES, pd.Series(DATES)),
}  # fmt: skip


@pytest.mark.parametrize(("array", "other"), SAME_VALUES.values(), ids=SAME_VALUES)
def test_the_same_values(array, other):
    found = values_per_sample(other)
    np.testing.assert_array_equal(found, array)
    assert found.dtype == array.dtype
    assert fingerprint(found) == fingerprint(array)
    assert fingerprint(found) != fingerprint(values_per_sample(array[::-1])) or len(array) == 1
    assert fingerprint(values_per_sample(array)) == fingerprint(array), "as older stores have it"


MIXED = np.array([1, "a", None], dtype=object)

OTHER_VALUES = {
    "another kind of number": (NUMBERS, NUMBERS.astype(float)),
    "another size of number": (NUMBERS.astype(np.int32), NUMBERS),
    "numbers and text": (["1", "a"], [1, "a"]),
    "numbers as text": (NUMBERS, ["3", "1", "2"]),
    "categories": (TEXT, pd.Series(TEXT, dtype="category")),
    "numbers as objects": (NUMBERS, NUMBERS.astype(object)),
    "masked": (NUMBERS, np.ma.array(NUMBERS, mask=[0, 0, 1])),
    "a column": (NUMBERS, NUMBERS[:, None]),
    "no values of text": (np.array([], dtype=str), np.array([], dtype=object)),
}


@pytest.mark.parametrize(("one", "other"), OTHER_VALUES.values(), ids=OTHER_VALUES)
def test_other_values(one, other):
    assert fingerprint(values_per_sample(one)) != fingerprint(values_per_sample(other))


@pytest.mark.parametrize(
    "given",
    [
        [[1], [1, 2]], [1, "a"], [None, 1], pd.Series([1, None], dtype="Int64"), "text", None, 3,
        pd.Series(TEXT, dtype="category"), np.ma.array(TEXT.astype("<U9")),
        pd.Timestamp("2020-01-01"),
        pd.Series(DATES).dt.tz_localize("UTC"), pd.DataFrame({"a": [1]}),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_more_than_its_values_stays(given):
    assert values_per_sample(given) is given


def test_objects_in_a_series_are_an_array_of_objects():
    assert fingerprint(values_per_sample(pd.Series(MIXED))) == fingerprint(MIXED)
