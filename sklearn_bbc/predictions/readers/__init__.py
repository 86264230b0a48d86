"""Readers of predictions that other tools made: a file for each tool, none of which imports it.

A reader is a function ``from_tool(cls, ...)`` that ends in ``cls(...)`` or ``cls.from_rows(...)``;
`OOFPredictions` has it as a class method, so no reader imports that class. What readers have in
common is in `_shared`: the tool's own score beside ours, columns of classes, checks of files.

How a reader looks::

    def from_tool(cls: type[Predictions], folder: Any) -> Predictions:
        """Read the out-of-fold predictions of a finished run of TOOL. (numpydoc)"""
        ...
        ours = scores_of(metric, y_true, columns)
        notes = compare_with_board("the leaderboard of TOOL", "logloss", ours, theirs)
        return cls.from_rows(y_true=y_true, responses=..., fold=fold, params=..., notes=notes)

and in `OOFPredictions`::

    from_tool = classmethod(readers._tool.from_tool)
"""
