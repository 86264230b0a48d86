"""Methods by name: near misses, strangers, methods that train."""

import pytest

from sklearn_bbc.intervals import BBC, BBCF, as_interval, registered, registered_refits


def test_a_name_gives_the_defaults_and_an_object_stays():
    assert type(as_interval("bbcf")) is BBCF
    method = BBC(confidence_level=0.9)
    assert as_interval(method) is method
    assert {name: type(as_interval(name)) for name in registered()} == registered()


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [("BBC", "bbc"), ("bbc-f", "bbcf"), ("BBCF", "bbcf"), ("BBC_F", "bbcf"), ("DeLong", "delong"),
     ("corrected t", "corrected_t"), ("corrected-t-test", "corrected_t"), ("TT", "tibshirani"),
     ("hierarchical", "hierarchical_bootstrap")],
)  # fmt: skip
def test_a_name_that_is_nearly_right_gets_the_right_one(wrong, meant):
    with pytest.raises(ValueError, match=rf"{wrong}'\. Did you mean '{meant}'\? Known names: \["):
        as_interval(wrong)


def test_a_name_that_is_near_to_nothing_gets_only_the_list():
    with pytest.raises(ValueError, match=r"method 'guess'\. Known names: \[.*'bayle_cv'"):
        as_interval("guess")
    for stranger in (7, ["bbc"], None):
        with pytest.raises(ValueError, match=r"Unknown interval method .* Known names"):
            as_interval(stranger)
    with pytest.raises(ValueError, match=r"Unknown interval method the class int\. Known names"):
        as_interval(int)


@pytest.mark.parametrize("name", sorted(registered_refits()))
@pytest.mark.parametrize("form", ["name", "other name", "object", "class"])
def test_a_method_that_trains_says_how_it_is_called(name, form):
    cls = registered_refits()[name]
    given = {"name": name, "other name": cls.__name__, "object": cls(), "class": cls}[form]
    how = rf"{cls.__name__} trains models, .* {cls.__name__}\(\)\.estimate\(estimator, X, y\)"
    with pytest.raises(ValueError, match=how):
        as_interval(given)


def test_a_class_is_told_from_its_instance():
    with pytest.raises(ValueError, match=r"Pass an instance, BBC\(\)"):
        as_interval(BBC)
