"""Readers of predictions that other tools made: a file for each tool, none of which imports it.

A reader is a function that `OOFPredictions` has as a class method, so none imports that class::

    # in _tool.py
    def from_tool(cls: type[Predictions], folder: Any) -> Predictions:
        ours = scores_of(metric, y_true, columns)
        notes = compare_with_board("the leaderboard of TOOL", "logloss", ours, theirs)
        return cls.from_rows(y_true=y_true, responses=responses, fold=fold, notes=notes)

    # below, from which `OOFPredictions` takes all readers
    __all__ = [..., "from_tool"]
    from ._tool import from_tool
    _tool="from_tool",

    # in OOFPredictions, for type checkers
    from_tool = classmethod(readers.from_tool)

What readers have in common is in `_shared`: the tool's own score beside ours, columns of classes,
checks of files.
"""

from ..._lazy import lazily

__all__ = [
    "from_autogluon",
    "from_columns",
    "from_deepeval",
    "from_h2o",
    "from_inspect",
    "from_lightautoml",
    "from_lm_eval",
    "from_long",
    "from_mljar",
    "from_optuna",
    "from_orange",
    "from_promptfoo",
    "from_table",
    "from_weka",
]

FOR_CHECKERS: bool = False
"""In place of `TYPE_CHECKING`: what is imported under that mypy reads last, but needs first."""
if FOR_CHECKERS:
    from ._autogluon import from_autogluon
    from ._columns import from_columns
    from ._deepeval import from_deepeval
    from ._h2o import from_h2o
    from ._inspect import from_inspect
    from ._lightautoml import from_lightautoml
    from ._lm_eval import from_lm_eval
    from ._long import from_long
    from ._mljar import from_mljar
    from ._optuna import from_optuna
    from ._orange import from_orange
    from ._promptfoo import from_promptfoo
    from ._table import from_table
    from ._weka import from_weka
else:
    __getattr__, __dir__ = lazily(
        __name__,
        __all__,
        _autogluon="from_autogluon",
        _columns="from_columns",
        _deepeval="from_deepeval",
        _h2o="from_h2o",
        _inspect="from_inspect",
        _lightautoml="from_lightautoml",
        _lm_eval="from_lm_eval",
        _long="from_long",
        _mljar="from_mljar",
        _optuna="from_optuna",
        _orange="from_orange",
        _promptfoo="from_promptfoo",
        _table="from_table",
        _weka="from_weka",
    )
