"""Draws the decision diagram, an SVG made from the table from which `recommend` reads."""

from html import escape
from pathlib import Path
from textwrap import wrap

from api_page import name_of

from sklearn_bbc.intervals import recommendations

LINE = 17
CALLS = (
    ("No search yet?", "BBCSearchCV(estimator, grid)", "install.html"),
    ("A finished GridSearchCV?", "OOFPredictions.from_search",
     "user_guide/own_predictions.html"),
    ("Arrays, or another tuner?", "bbc(y, predictions, scoring)",
     "user_guide/own_predictions.html"),
    ("Samples that belong together?", "fit(X, y, groups=groups)",
     "user_guide/groups_repeats.html"),
    ("A difference of two models or searches?", "search.compare(other)",
     "user_guide/comparing.html"),
    ("A threshold as well?", "search.threshold(scoring)", "user_guide/selection.html"),
)  # fmt: skip
"""Questions before that of the method: what to call, and the page about it."""
QUESTIONS = {
    "the winner of": "Did tuning select the configuration by its score on these data?",
    "a frozen model and a test set": "Is the model frozen, with a test set that took no part?",
    "one configuration": "Neither: one configuration, fixed before its cross-validation",
}
"""How situations of `recommendations` begin -> the question that leads to them."""


def branches() -> dict[str, list[tuple[str, object]]]:
    """Question -> answers: what applies besides, and the method, in the order of the table."""
    found: dict[str, list[tuple[str, object]]] = {question: [] for question in QUESTIONS.values()}
    start = ""
    for situation, (method, _) in recommendations().items():
        # "The same" goes on from the line before.
        start = next((start for start in QUESTIONS if situation.startswith(start)), start)
        about = situation.removeprefix(start).removeprefix(" several configurations")
        about = about.strip(", ").removeprefix("and ").replace("`", "")
        found[QUESTIONS[start]].append((about, method))
    for answers in found.values():  # what comes before "otherwise" and is the same needs no line
        while len(answers) > 1 and repr(answers[-2][1]) == repr(answers[-1][1]):
            del answers[-2]
    return found


def texts(lines: list[str], x: int, y: int, kind: str) -> str:
    """Lines of text below each other; `y` is the middle of the first one."""
    spans = (
        f'<tspan x="{x}" y="{y + LINE * i}" dy=".35em">{escape(line)}</tspan>'
        for i, line in enumerate(lines)
    )
    return f'<text class="{kind}">{" ".join(spans)}</text>'


def answer(about: str, call: str, address: str, y: int) -> tuple[str, int]:
    """One answer of the diagram with a link, and the height that it takes."""
    left = wrap(about, 43)
    right = [call] if len(call) <= 28 else call.replace("(", "\n(", 1).split("\n")
    middle = y + 4 + LINE // 2
    box = f'<rect x="338" y="{y}" width="218" height="{LINE * len(right) + 7}" rx="5"/>'
    drawn = (
        f'{texts(left, 32, middle, "label")}<path d="M20 {middle}h8"/>\n'
        f'<a href="{escape(address)}">{box}{texts(right, 346, middle, "code")}</a>'
    )
    return drawn, LINE * max(len(left), len(right)) + 9


def svg(root: str = "") -> str:
    """The diagram; `root` leads from its page to the start page."""
    rows: dict[str, list[tuple[str, str, str]]] = {"Where to begin": list(CALLS)}
    for question, answers in branches().items():
        rows[question] = [
            (about, repr(method).removesuffix("()"),
             f"api/{name_of(type(method))}.html")
            for about, method in answers
        ]  # fmt: skip
    parts, y = [], 8
    for number, (question, answers) in enumerate(rows.items()):
        parts.append(f'<rect class="question" x="4" y="{y}" width="552" height="28" rx="5"/>')
        parts.append(texts([question], 14, y + 14, "bold"))
        top, last, y = y + 28, y, y + 38
        for about, call, page in answers:
            drawn, height = answer(about, call, root + page, y)
            parts.append(drawn)
            last, y = y + 4 + LINE // 2, y + height
        if 0 < number < len(rows) - 1:  # no answer applies: the next question
            parts.append(texts(["no"], 32, y + 8, "bold"))
            last, y = y + 24, y + 16
        parts.append(f'<path d="M20 {top}V{last}"/>')
        y += 8
    head = (
        f'<div class="decision"><svg viewBox="0 0 560 {y}" role="group" '
        'aria-labelledby="decision-title" xmlns="http://www.w3.org/2000/svg">\n'
        '<title id="decision-title">Decision diagram: what is known, and the method for it'
        "</title>"
    )
    return "\n".join([head, *parts, "</svg></div>", ""])


def write(folder: Path) -> None:
    """Write what the cheat sheet and `user_guide/choosing.md` include."""
    (folder / "decision.html").write_text(svg(), encoding="utf-8")
    (folder / "decision_guide.html").write_text(svg("../"), encoding="utf-8")
