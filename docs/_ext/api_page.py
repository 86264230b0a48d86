"""Writes the pages of the API reference: one for each topic, from what public modules list."""

import importlib
import inspect
import pkgutil
from dataclasses import dataclass
from fnmatch import fnmatchcase
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
    packages : str
        Modules and packages below `sklearn_bbc` whose names belong to it.
    names : str
        Names that belong to it wherever they are defined, `*` for any ending. They count before
        packages, and of several topics the first one counts.
    """

    name: str
    title: str
    about: str
    packages: str = ""
    names: str = ""


TOPICS = (
    Topic("search", "Searches", "Tune, keep the predictions, correct the score.",
          "search recording"),
    Topic("predictions", "Predictions", "Out-of-fold predictions from any tool, kept and joined.",
          "predictions store", "OOFRecorder"),
    Topic("results", "Results and reports", "What methods return, tables, and what to cite.",
          "results report skore _citations", "write_report"),
    Topic("intervals", "Intervals: how to choose, test sets, shared parts",
          "Which method to take, frozen models on a test set, and what all methods share.",
          "intervals"),
    Topic("intervals_choice", "Intervals that account for the choice",
          "For the winner of a search (:doc:`formulas </design/formulas>`).",
          names="bbc BBC BBCF TibshiraniTibshirani ShrunkenBBC MABT "
                "BootstrapTilting LearnEvaluate TopShare optimism_curve"),
    Topic("curves", "Curves", "Curves of the selected configuration, corrected.", "curves"),
    Topic("intervals_one", "Intervals for one configuration",
          "For a configuration that was fixed in advance "
          "(:doc:`formulas </design/formulas_one>`).",
          names="Wald Takahashi DeLong HanleyMcNeil CVAUC BayleCV CorrectedT "
                "CorrelationAdjusted FoldGLMM PooledBootstrap HierarchicalBootstrap"),
    Topic("intervals_training", "Intervals that train models",
          "For a whole procedure, with time to train it many times "
          "(:doc:`formulas </design/formulas_training>`).",
          names="NestedCV BatesNestedCV ConservativeZ DirectBootstrap"),
    Topic("selection", "Rules of selection",
          "Simplest within one standard error, thresholds, ensembles, a rule of your own.",
          "selection"),
    Topic("comparisons", "Comparisons", "Two models, two searches, two learners.", "comparison"),
    Topic("comparisons_data_sets", "Comparisons over data sets",
          "Ranks of learners on several data sets.",
          names="critical_difference Friedman Nemenyi BonferroniDunn Holm Wilcoxon "
                "BayesianSignedRank"),
    Topic("tied", "Tied sets", "Which configurations may be the best.",
          names="tied_with_best CrossValidationWithConfidence SoftminLeaveOneOut "
                "ModelConfidenceSet Bonferroni"),
    Topic("planning", "Numbers of samples",
          "How many samples a study takes: by predictions at hand, or by formulas.", "planning"),
    Topic("metrics", "Metrics", "Kernels, pairs within folds, metrics of your own.", "metrics"),
    Topic("display", "Plots", "Each draws into given axes.", "display"),
    Topic("resampling", "Draws", "How samples are drawn.", "resampling"),
    Topic("exceptions", "Errors, warnings, versions", "What can go wrong, and what is installed.",
          "exceptions _show_versions"),
    Topic("extending", "For classes of your own",
          "Base classes and checks (:doc:`how to </extending>`).", "testing",
          "BaseInterval BootstrapInterval RefitInterval BaseComparison DataSetsComparison Pair "
          "Side TiedMethod MetricKernel BoundMetric Selection BoundSelection Outcome BaseDisplay "
          "check_* Contest FoldContest Question Repeated"),
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


def name_of(thing: object) -> str:
    """Full name of a public class or function, which is that of its page."""
    return next(name for name, other in public_names().items() if other is thing)


def topic_of(full_name: str, thing: object) -> Topic:
    """The topic of a name: the one that lists it, else that of its package."""
    name = full_name.rpartition(".")[2]
    package = thing.__module__.removeprefix("sklearn_bbc.").partition(".")[0]
    for topic in TOPICS:
        if any(fnmatchcase(name, listed) for listed in topic.names.split()):
            return topic
    for topic in TOPICS:
        if package in topic.packages.split():
            return topic
    raise ValueError(f"{full_name} ({thing.__module__}) belongs to no topic of {__name__}.")


def own_methods() -> dict[str, list[str]]:
    """Full name of a class -> its public methods that this package defines."""
    return {
        full_name: [
            name
            for name, method in inspect.getmembers(thing, inspect.isroutine)
            if not name.startswith("_")
            and getattr(method, "__module__", "").startswith("sklearn_bbc.")
        ]
        for full_name, thing in public_names().items()
        if inspect.isclass(thing)
    }


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
