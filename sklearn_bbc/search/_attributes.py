"""Attributes of a fitted search that say why they are missing."""

from __future__ import annotations

from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")


class ExplainedAttribute(Generic[T]):
    """Attribute of the instance that, where it is missing, says why instead of just failing.

    The value is kept in the ``__dict__`` of the search, as that of any other attribute, so
    that copies, pickles and `sklearn.utils.validation.check_is_fitted` see nothing unusual.
    The search has ``_why_missing(name)``, which returns the exception to raise.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, search: None, owner: type) -> Self: ...

    @overload
    def __get__(self, search: object, owner: type | None = None) -> T: ...

    def __get__(self, search: Any, owner: type | None = None) -> Any:
        if search is None:
            return self
        if self.name not in vars(search):
            raise search._why_missing(self.name)
        return vars(search)[self.name]

    def __set__(self, search: Any, value: T) -> None:
        vars(search)[self.name] = value

    def __delete__(self, search: Any) -> None:
        if self.name not in vars(search):
            raise AttributeError(self.name)
        del vars(search)[self.name]
