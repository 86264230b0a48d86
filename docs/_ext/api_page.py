"""Writes the pages of the API reference: one for each topic, from what public modules list."""

import importlib
import inspect
import pkgutil
from dataclasses import dataclass
from pathlib import Path

import sklearn_bbc

HEAD = """API reference
=============

Everything public, by topic. Modules and names that begin with an underscore may change at any
time.

.. list-table::
   :widths: 30 70

"""


@dataclass(frozen=True)
class Topic:
    """A page of the reference.

    Attributes
    ----------
    name : str
        Name of its file.
    title : str
        Heading of the page, and its line in the sidebar.
    about : str
        One sentence.
    sources : tuple of str
        Packages below `sklearn_bbc` whose definitions belong to it, and names that belong to it
        wherever they are defined. Of several topics the one with the longest match counts.
    """

    name: str
    title: str
    about: str
    sources: tuple[str, ...]


TOPICS = (
    Topic("search", "Searches", "Tune, keep the predictions, correct the score.", ("search",)),
    Topic("predictions", "Predictions", "Out-of-fold predictions from any tool, kept and joined.",
          ("predictions", "search.recorder", "store")),
    Topic("results", "Results and reports", "What methods return, tables, and what to cite.",
          ("results", "report", "skore", "_citations")),
    Topic("intervals", "Intervals: how to choose, test sets, shared parts",
          "Which method to take, frozen models on a test set, and what all methods share.",
          ("intervals",)),
    Topic("intervals_choice", "Intervals that account for the choice",
          "For the winner of a search (:doc:`formulas </user_guide/formulas>`).",
          ("intervals.winner", "intervals.tilting", "intervals.bbc")),
    Topic("intervals_one", "Intervals for one configuration",
          "For a configuration that was fixed in advance "
          "(:doc:`formulas </user_guide/formulas_one>`).", ("intervals.single",)),
    Topic("intervals_training", "Intervals that train models",
          "For a whole procedure, with time to train it many times "
          "(:doc:`formulas </user_guide/formulas_training>`).", ("intervals.training",)),
    Topic("selection", "Rules of selection",
          "Simplest within one standard error, thresholds, ensembles, a rule of your own.",
          ("selection",)),
    Topic("comparisons", "Comparisons", "Two models, two searches, two learners.",
          ("comparison",)),
    Topic("comparisons_data_sets", "Comparisons over data sets",
          "Ranks of learners on several data sets.", ("comparison.data_sets",)),
    Topic("tied", "Tied sets", "Which configurations may be the best.", ("comparison.tied",)),
    Topic("metrics", "Metrics", "Kernels, pairs within folds, metrics of your own.",
          ("metrics",)),
    Topic("display", "Pictures", "Each draws into given axes.", ("display",)),
    Topic("resampling", "Draws", "How samples are drawn.", ("resampling",)),
    Topic("exceptions", "Errors, warnings, versions", "What can go wrong, and what is installed.",
          ("exceptions", "_show_versions")),
    Topic("testing", "Checks for your own classes", "The contract of each kind of class.",
          ("testing",)),
)  # fmt: skip
"""In the order of the sidebar."""


def public_modules() -> list:
    """The package, then its public modules in the order of the alphabet."""
    names = [
        info.name
        for info in pkgutil.iter_modules(sklearn_bbc.__path__, "sklearn_bbc.")
        if not info.name.rpartition(".")[2].startswith("_")
    ]
    return [sklearn_bbc, *(importlib.import_module(name) for name in sorted(names))]


def public_names() -> dict[str, object]:
    """Full name -> class or function; each once, where users import it from."""
    found: dict[str, object] = {}
    for module in public_modules():
        for name in sorted(module.__all__, key=str.lower):
            thing = getattr(module, name)
            known = any(thing is other for other in found.values())
            if (inspect.isclass(thing) or inspect.isfunction(thing)) and not known:
                found[f"{module.__name__}.{name}"] = thing
    return found


def topic_of(full_name: str, thing: object) -> Topic:
    """The topic that a name belongs to, by where it is defined."""
    module = thing.__module__.removeprefix("sklearn_bbc.")
    room = module.partition(".")[0]
    name = full_name.rpartition(".")[2]
    places = (f"{module}.", f"{room}.{name}.")
    matches = [
        (len(source), topic)
        for topic in TOPICS
        for source in topic.sources
        if any(place.startswith(source + ".") for place in places)
    ]
    if not matches:
        raise ValueError(f"{full_name} ({thing.__module__}) belongs to no topic of {__name__}.")
    return max(matches, key=lambda match: match[0])[1]


def pages() -> dict[str, str]:
    """File name -> text, as reStructuredText."""
    names: dict[str, list[str]] = {topic.name: [] for topic in TOPICS}
    for full_name, thing in public_names().items():
        names[topic_of(full_name, thing).name].append(full_name)
    head, texts = HEAD, {}
    for topic in TOPICS:
        file = f"topic_{topic.name}"
        listed = sorted(names[topic.name], key=lambda name: name.rpartition(".")[2].lower())
        head += f"   * - :doc:`{topic.title} <{file}>`\n     - {topic.about}\n"
        lines = [topic.title, "=" * len(topic.title), "", topic.about, ""]
        lines += [".. autosummary::", "   :toctree: .", ""]
        texts[f"{file}.rst"] = "\n".join([*lines, *(f"   ~{name}" for name in listed), ""])
    files = "\n".join(f"   topic_{topic.name}" for topic in TOPICS)
    texts["index.rst"] = f"{head}\n.. toctree::\n   :hidden:\n\n{files}\n"
    return texts


def write(folder: Path) -> None:
    """Write the pages into `folder`, where autosummary puts the pages of the names too."""
    folder.mkdir(exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    print(*pages().values(), sep="\n")
