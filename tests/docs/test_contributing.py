"""CONTRIBUTING shows the package as it is: a line for each file."""

import re

import pytest


@pytest.fixture
def shown(repository):
    page = repository / "CONTRIBUTING.md"
    if not page.is_file():
        pytest.skip("needs a checkout")
    text = page.read_text(encoding="utf-8")
    tree = re.search(r"^sklearn_bbc/\n(.*?)^```", text, re.M | re.S).group(1)
    folders, found = [], []
    for line in tree.splitlines():
        name = line.split()[0]
        folders = folders[: (len(line) - len(line.lstrip())) // 2 - 1]
        if name.endswith("/"):
            folders.append(name)
        else:
            found.append("".join([*folders, name]))
    return found


def test_every_file_has_a_line(shown, repository):
    package = repository / "sklearn_bbc"
    there = {
        path.relative_to(package).with_suffix("").as_posix()
        for path in package.rglob("*.py")
        if path.name != "__init__.py" and path.parent.name != "_native"
    }
    assert sorted(shown) == sorted(there)


def test_files_that_the_page_names_are_there(repository):
    text = (repository / "CONTRIBUTING.md").read_text(encoding="utf-8")
    _, _, way = text.partition("The way of the data")
    steps = re.findall(r"^\d+\. ([^:]+):", way.partition("## Add something")[0], re.M)
    assert len(steps) == 11
    for name in re.findall(r"`([\w/]+)`", " ".join(steps)):
        path = repository / "sklearn_bbc" / name
        assert path.is_dir() or path.with_suffix(".py").is_file(), name
    for folder, file in re.findall(r"\| `(\w+)/`, for example `(\w+\.py)`", text):
        assert (repository / "sklearn_bbc" / folder / file).is_file()
    for file in re.findall(r"`(tests/[\w/]+\.py)`", text):
        assert (repository / file).is_file(), file
