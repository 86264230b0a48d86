"""How often do the intervals hold the truth, and how wide are they?

Simulations with a known truth; where there are published numbers they stand beside ours::

    python benchmarks/coverage.py table2 --rows 1 16 --jobs 2
    python benchmarks/coverage.py single --help

A run may be killed and started again with the same arguments: finished data sets are kept in
``results/journal`` and are not computed twice. The data set number r of a setting is the same for
any number of jobs and any choice of settings and methods.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.harness import study as _study
from benchmarks.published import table2 as _table2
from benchmarks.studies import bias as _bias
from benchmarks.studies import testbed
from benchmarks.studies.comparisons import COMPARISONS
from benchmarks.studies.corrected import CORRECTED, HELD_OUT
from benchmarks.studies.curves import CURVE_STUDY
from benchmarks.studies.dropping import DROPPING
from benchmarks.studies.ensembles import ENSEMBLES
from benchmarks.studies.groups import GROUPS
from benchmarks.studies.judged import JUDGED
from benchmarks.studies.learning import LEARNING
from benchmarks.studies.moments import MOMENTS, MOMENTS_COVERAGE
from benchmarks.studies.noise import NOISE
from benchmarks.studies.ordered import ORDERED
from benchmarks.studies.planning import PLANNING
from benchmarks.studies.pooling import POOLING, POOLING_TUNED
from benchmarks.studies.rare import RARE
from benchmarks.studies.rules import RULES
from benchmarks.studies.sequential import ADASTOP_STUDY, SEQUENTIAL
from benchmarks.studies.single import SINGLE
from benchmarks.studies.survival import SURVIVAL
from benchmarks.studies.survival_curves import SURVIVAL_CURVES
from benchmarks.studies.systems import SYSTEMS
from benchmarks.studies.thesis import THESIS
from benchmarks.studies.ties import TIES
from benchmarks.studies.training import TRAINING

STUDIES = (
    SINGLE, RARE, TRAINING, THESIS, GROUPS, POOLING, POOLING_TUNED, RULES, NOISE, ENSEMBLES, TIES,
    LEARNING, DROPPING, COMPARISONS, CURVE_STUDY, CORRECTED,
    HELD_OUT, SURVIVAL, SURVIVAL_CURVES, SYSTEMS, MOMENTS, MOMENTS_COVERAGE, SEQUENTIAL,
    ADASTOP_STUDY, JUDGED,
    PLANNING, ORDERED,
)  # fmt: skip


def parse(argv: list[str] | None = None) -> argparse.Namespace:
    """Arguments of the command."""
    summary, _, details = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(
        description=summary, epilog=details, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    help_format = argparse.ArgumentDefaultsHelpFormatter
    table2 = commands.add_parser(
        "table2",
        help="the simulation behind Table 2 of the published comparison",
        description=_table2.table2.__doc__,
        formatter_class=help_format,
    )
    _table2.add_arguments(table2)
    table2.set_defaults(function=_table2.table2)
    for study in STUDIES:
        command = commands.add_parser(
            study.name, help=study.help, description=study.help, formatter_class=help_format
        )
        _study.add_arguments(study, command)
        command.set_defaults(function=partial(_study.conduct, study))
    for study in (testbed.TESTBED, testbed.GENERATED):
        command = commands.add_parser(
            study.name, help=study.help, description=study.help, formatter_class=help_format
        )
        _study.add_arguments(study, command)
        command.set_defaults(function=partial(testbed.conduct, study))
    bias = commands.add_parser(
        "bias",
        help="how optimistic the best score of a search is, and what corrects it",
        description=_bias.bias.__doc__,
        formatter_class=help_format,
    )
    _bias.add_arguments(bias)
    bias.set_defaults(function=_bias.bias)
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> pd.DataFrame:
    """Run one command.

    Returns
    -------
    DataFrame
        Its table.
    """
    arguments = parse(argv)
    return arguments.function(arguments)


if __name__ == "__main__":
    main()
