import warnings

from sklearn_bbc import _warn


def test_the_warning_points_here():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _warn.warn_user("message", UserWarning)
    assert caught[0].filename == __file__
    assert str(caught[0].message) == "message"


def test_lines_of_the_package_are_passed_over():
    inside = {"__name__": "sklearn_bbc.somewhere", "warn": _warn.warn_user}
    exec(compile("def fit(): warn('deep', UserWarning)", "package.py", "exec"), inside)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        inside["fit"]()
    assert caught[0].filename == __file__
