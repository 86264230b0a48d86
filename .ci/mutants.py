"""One-change mutants of a module's source, for `mutation.py`.

The usual changes are cosmic-ray's: arithmetic, comparisons (shifted by the boundary and turned
round), numbers, `and`/`or`, signs, `True`/`False`, exceptions, loops. Of its two hundred pairs of
operators only one or two per operator are taken: `x << y` for `x + y` dies at once and would make
the score look better than the tests are. Changes that survived our tests in the past and that
cosmic-ray does not make are added: a condition that always or never holds, half of a condition, a
keyword argument left out, a statement left out, `min` for `max` and the like.

Not counted, since they change no result: docstrings, annotations, f-strings, what is passed to an
exception or a warning, `__all__`, `strict` of `zip`, whether an argument may be given by place.
Strings are not mutated.
"""

from __future__ import annotations

import ast
import difflib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

COSMIC_RAY = (
    *(
        f"ReplaceBinaryOperator_{pair}"
        for pair in (
            "Add_Sub", "Sub_Add", "Mul_Div", "Div_Mul", "FloorDiv_Mul", "Mod_Mul", "Pow_Mul",
            "BitAnd_BitOr", "BitOr_BitAnd", "BitXor_BitAnd", "LShift_RShift", "RShift_LShift",
        )
    ),
    *(
        f"ReplaceComparisonOperator_{pair}"
        for pair in (
            "Eq_NotEq", "NotEq_Eq", "Lt_LtE", "Lt_GtE", "LtE_Lt", "LtE_Gt", "Gt_GtE", "Gt_LtE",
            "GtE_Gt", "GtE_Lt", "Is_IsNot", "IsNot_Is",
        )
    ),
    "ReplaceUnaryOperator_USub_UAdd",
    "ReplaceUnaryOperator_Delete_Not",
    "ReplaceUnaryOperator_Delete_Invert",
    "ReplaceTrueWithFalse",
    "ReplaceFalseWithTrue",
    "ReplaceAndWithOr",
    "ReplaceOrWithAnd",
    "ReplaceBreakWithContinue",
    "ReplaceContinueWithBreak",
    "ExceptionReplacer",
    "NumberReplacer",
    "ZeroIterationForLoop",
)  # fmt: skip

SWAPPED = {
    one: other
    for pair in (
        ("min", "max"), ("minimum", "maximum"), ("floor", "ceil"), ("any", "all"),
        ("argmin", "argmax"), ("nanmin", "nanmax"), ("ppf", "isf"), ("cdf", "sf"),
        ("isnan", "isinf"), ("zeros", "ones"), ("rows", "columns"),
    )
    for one, other in (pair, pair[::-1])
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One change of a module.

    Attributes
    ----------
    where : str
        Function or class that holds the change.
    was, now : str
        The changed lines before and after, without indentation.
    number : int
        0, 1, ... of changes that look the same at the same place.
    source : str
        The whole mutated module.
    """

    where: str
    was: str
    now: str
    number: int
    source: str = field(repr=False, compare=False)

    @property
    def key(self) -> str:
        """Identity that outlives changes elsewhere in the module."""
        return "\n".join((self.where, self.was, "->", self.now, str(self.number)))


def mutants_of(source: str) -> list[Mutant]:
    """All mutants that count, in the order of the file."""
    silent = meaning(source)
    seen: set[str] = set()
    found = []
    for mutated in [*cosmic_ray(source), *our_own(source)]:
        try:
            counts = meaning(mutated) != silent and mutated not in seen
            compile(mutated, "mutant", "exec")
        except SyntaxError:
            continue
        if counts:
            seen.add(mutated)
            found.append((*difference(source, mutated), mutated))
    places = scopes(source)
    found.sort(key=lambda entry: entry[0])
    numbers: Counter[tuple[str, str, str]] = Counter()
    mutants = []
    for line, was, now, mutated in found:
        look = (places.get(line, "module"), was, now)
        mutants.append(Mutant(*look, numbers[look], mutated))
        numbers[look] += 1
    return mutants


def cosmic_ray(source: str) -> Iterator[str]:
    """What cosmic-ray's operators make of the source."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    for name in COSMIC_RAY:
        operator = get_operator(f"core/{name}")()
        for occurrence in count():
            try:
                mutated = mutate_code(source, operator, occurrence)
            except AttributeError:  # it does not know `except (ValueError, zlib.error)`
                continue
            if mutated is None:
                break
            yield mutated


def our_own(source: str) -> Iterator[str]:
    """Changes that cosmic-ray does not make."""
    lines = source.encode().splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    text = b"".join(lines)

    def place(node: ast.AST) -> tuple[int, int]:
        start = starts[node.lineno - 1] + node.col_offset
        return start, starts[node.end_lineno - 1] + node.end_col_offset

    def put(node: ast.AST, code: str) -> str:
        start, stop = place(node)
        return (text[:start] + code.encode() + text[stop:]).decode()

    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.If | ast.IfExp):
            yield from (put(node.test, value) for value in ("True", "False"))
        elif isinstance(node, ast.While):
            yield put(node.test, "False")
        elif isinstance(node, ast.comprehension):
            yield from (put(condition, "True") for condition in node.ifs)
        elif isinstance(node, ast.BoolOp):
            word = " and " if isinstance(node.op, ast.And) else " or "
            for left_out in node.values:
                rest = [value for value in node.values if value is not left_out]
                kept = word.join(f"({ast.unparse(value)})" for value in rest)
                yield put(node, f"({kept})")
        elif isinstance(node, ast.Call):
            for keyword in node.keywords:
                if keyword.arg is not None:
                    start, stop = place(keyword)
                    yield (text[:start] + without_comma(text[stop:])).decode()
        elif isinstance(node, ast.Name) and node.id in SWAPPED:
            yield put(node, SWAPPED[node.id])
        elif isinstance(node, ast.Attribute) and node.attr in SWAPPED:
            start, stop = place(node)
            name = SWAPPED[node.attr].encode()
            yield (text[: stop - len(node.attr.encode())] + name + text[stop:]).decode()
        elif isinstance(node, ast.AugAssign) or (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
        ):
            yield put(node, "pass")
        elif isinstance(node, ast.Assign) and not isinstance(node.targets[0], ast.Name):
            if isinstance(node.targets[0], ast.Attribute | ast.Subscript):
                yield put(node, "pass")


def without_comma(rest: bytes) -> bytes:
    """Text after a dropped argument, without the comma that followed it."""
    stripped = rest.lstrip()
    return stripped[1:] if stripped.startswith(b",") else rest


class _Meaning(ast.NodeTransformer):
    """Drops from a tree what changes no result."""

    def visit_arg(self, node):
        node.annotation = None
        return node

    def visit_arguments(self, node):
        self.generic_visit(node)
        node.args = node.posonlyargs + node.args + node.kwonlyargs
        node.defaults = node.defaults + [value for value in node.kw_defaults if value]
        node.posonlyargs, node.kwonlyargs, node.kw_defaults = [], [], []
        return node

    def visit_AnnAssign(self, node):
        self.generic_visit(node)
        node.annotation = ast.Constant("")
        return node

    def visit_FunctionDef(self, node):
        self.generic_visit(node)
        node.returns = None
        if any("abstractmethod" in ast.dump(mark) for mark in node.decorator_list):
            node.body = []
        return node

    def visit_JoinedStr(self, node):
        return ast.Constant("")

    def visit_Raise(self, node):
        if isinstance(node.exc, ast.Call):
            node.exc.args, node.exc.keywords = [], []
        return node

    def visit_Call(self, node):
        self.generic_visit(node)
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name == "warn":
            node.args, node.keywords = node.args[1:], []
        if name == "zip":
            node.keywords = []
        return node

    def visit_If(self, node):
        test = ast.unparse(node.test)
        body = ast.unparse(node.body[0]) if node.body else ""
        if test == "TYPE_CHECKING" or ("import" in body and test in {"True", "False"}):
            return None
        self.generic_visit(node)
        return node


def meaning(source: str) -> str:
    """The source's syntax tree without what changes no result."""
    return ast.dump(_Meaning().visit(ast.parse(source)))


def difference(source: str, mutated: str) -> tuple[int, str, str]:
    """First changed line, counted from 1, and the changed lines before and after."""
    old, new = source.splitlines(), mutated.splitlines()
    blocks = [
        block
        for block in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        if block[0] != "equal"
    ]
    first, last = blocks[0], blocks[-1]
    was = "\n".join(line.strip() for line in old[first[1] : last[2]])
    now = "\n".join(line.strip() for line in new[first[3] : last[4]])
    return first[1] + 1, was, now


def scopes(source: str) -> dict[int, str]:
    """Qualified name of the innermost function or class by line."""
    names: dict[int, str] = {}

    def walk(node: ast.AST, outer: str) -> None:
        for child in ast.iter_child_nodes(node):
            inner = outer
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                inner = f"{outer}.{child.name}" if outer else child.name
                names.update(dict.fromkeys(range(child.lineno, child.end_lineno + 1), inner))
            walk(child, inner)

    walk(ast.parse(source), "")
    return names
