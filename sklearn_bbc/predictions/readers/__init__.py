"""Readers of predictions that other tools made: a file for each tool, none of which imports it.

A reader is a function that `OOFPredictions` has as a class method, so none imports that class::

    # in _tool.py
    def from_tool(cls: type[Predictions], folder: Any) -> Predictions:
        ours = scores_of(metric, y_true, columns)
        notes = compare_with_board("the leaderboard of TOOL", "logloss", ours, theirs)
        return cls.from_rows(y_true=y_true, responses=responses, fold=fold, notes=notes)

    # in OOFPredictions, behind `from .readers._tool import from_tool`
    from_tool = classmethod(from_tool)

What readers have in common is in `_shared`: the tool's own score beside ours, columns of classes,
checks of files.
"""
