"""Sphinx configuration: ``sphinx-build -W docs docs/_build/html``."""

import os
import sys
from pathlib import Path

import sklearn_bbc

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))
sys.path.insert(1, str(HERE.parent))  # for `benchmarks`, whose verdicts the tables show

import api_page
import coverage_tables
import decision
import evidence
import gallery
import methods_table
import metrics_table
import start_page

# What the pages say about methods, metrics and names is asked from the code.
(HERE / "generated").mkdir(exist_ok=True)
api_page.write(HERE / "api")
coverage_tables.write(HERE / "generated")
decision.write(HERE / "generated")
evidence.write(HERE / "generated")
methods_table.write(HERE / "generated")
metrics_table.write(HERE / "generated")
start_page.write(HERE / "generated")

project = "sklearn-bbc"
author = "The sklearn-bbc developers"
copyright = author
version = release = sklearn_bbc.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.extlinks",
    "mathml",
    "gallery",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "examples", "generated", "**/README.md"]
templates_path = ["_templates"]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
smartquotes = False  # "bbc" in a sentence is to be typed as it stands
default_role = "literal"  # `name` in a docstring is code
extlinks = {"doi": ("https://doi.org/%s", "doi:%s")}
suppress_warnings = ["ref.term"]  # docstrings inherited from scikit-learn link its glossary

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autosummary_context = {
    "in_examples": gallery.names_in_examples(HERE / "examples"),
    "own_methods": api_page.own_methods(),
}
autodoc_typehints = "none"  # types stand in the numpydoc sections
numpydoc_show_class_members = False
numpydoc_validation_checks = set()  # tests/test_docstrings.py checks them

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"plot_",
    "reset_argv": gallery.Arguments(),
    "within_subsection_order": "gallery.Order",
    "show_memory": False,
    "remove_config_comments": True,
    "first_notebook_cell": (  # so that a notebook runs as it is, in Colab for example
        "import importlib.util\n\n"
        'if importlib.util.find_spec("sklearn_bbc") is None:\n'
        '    raise ImportError("In a checkout: python -m pip install -e .[plot,report,survival]")'
    ),
    "write_computation_times": False,  # that page asks the network for scripts
    "doc_module": ("sklearn_bbc",),
    "backreferences_dir": "generated/backreferences",  # examples of a name, for its API page
}

# "owner/repository/blob/branch" on GitHub with the notebooks; without it no page links Colab.
colab_notebooks = os.environ.get("SKLEARN_BBC_COLAB", "")

html_math_renderer = "mathml"  # from _ext: pages show their formulas without the network
html_theme = "pydata_sphinx_theme"
# Search engines lead there, whichever version they found.
html_baseurl = "https://sklearn-bbc.readthedocs.io/en/stable/"
html_title = f"sklearn-bbc {release}"
html_static_path = ["_static"]
html_css_files = ["custom.css"]
html_extra_path = ["generated/start"]  # the report that the start page shows
html_sidebars = {name: [] for name in (  # pages without a section
    "cheat_sheet", "citing", "changelog", "coming_from", "extending", "install", "what_is_covered",
)}  # fmt: skip
html_show_sourcelink = False
html_use_index = False  # the reference lists all names by topic, and there is a search
html_context = {"default_mode": "auto"}
html_theme_options = {
    "github_url": "https://github.com/sklearn-bbc/sklearn-bbc",
    "header_links_before_dropdown": 5,
    "show_prev_next": True,
    "secondary_sidebar_items": {  # tables of evidence take the whole width
        **{f"evidence/{page.stem}": [] for page in (HERE / "evidence").glob("*.md")},
        "**": ["page-toc"],
    },
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
}
