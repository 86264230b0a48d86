"""What the gallery reads of its examples, and where it links their notebooks."""

from types import SimpleNamespace

import pytest


@pytest.fixture
def gallery(docs_ext):
    return docs_ext("gallery")


def test_names_are_those_that_examples_import_from_this_package(gallery, tmp_path):
    (tmp_path / "plot_one.py").write_text(
        "import numpy as np\n"
        "from sklearn.svm import SVC\n"
        "from sklearn_bbc import BBCSearchCV\n"
        "def later():\n"
        "    from sklearn_bbc.intervals import BBC, BBCF\n",
        encoding="utf-8",
    )
    (tmp_path / "helper.py").write_text("from sklearn_bbc import bbc\n", encoding="utf-8")
    assert gallery.names_in_examples(tmp_path) == {
        "sklearn_bbc.BBCSearchCV",
        "sklearn_bbc.intervals.BBC",
        "sklearn_bbc.intervals.BBCF",
    }


def test_the_gallery_begins_with_what_persuades_and_forgets_no_example(gallery, repository):
    folder = repository / "docs" / "examples"
    names = sorted(
        (path.name for path in folder.glob("plot_*.py")), key=gallery.Order(str(folder))
    )
    assert names[: len(gallery.FIRST)] == list(gallery.FIRST)
    rest = names[len(gallery.FIRST) :]
    assert rest == sorted(rest) and names[0] == "plot_credit_g.py"


@pytest.mark.parametrize(
    ("place", "page", "link"),
    [
        ("a/b/blob/c", "auto_examples/plot_tied", "/github/a/b/blob/c/plot_tied.ipynb>`__\n"),
        ("a/b/blob/c", "auto_examples/index", None),
        ("a/b/blob/c", "plot_tied", None),
        ("", "auto_examples/plot_tied", None),
    ],
)
def test_an_example_links_its_notebook_where_colab_finds_it(gallery, place, page, link):
    app, source = SimpleNamespace(config=SimpleNamespace(colab_notebooks=place)), ["text"]
    gallery.add_colab_link(app, page, source)
    assert source[0].endswith(link) if link else source == ["text"]
