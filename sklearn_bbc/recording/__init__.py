"""What a fit leaves behind: predictions, checked against the scores of the search.

Nothing here is called by its users; `sklearn_bbc.search` lists what they need.
"""

__all__: list[str] = []


def __dir__() -> list[str]:
    return list(__all__)
