"""The page on other tools has a line for each script of the folder ``findings``."""

import re

import pytest


@pytest.fixture
def scripts(repository):
    folder = repository / "findings"
    if not folder.is_dir():
        pytest.skip("needs a checkout")
    return {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.sh")}


def test_every_script_has_a_line_with_its_package_and_release(scripts, repository):
    page = (repository / "docs" / "user_guide" / "other_tools.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)` \(([\d.]+)\), `(\w+)` \|", page, re.M)
    assert sorted(name for _, _, name in rows) == sorted(scripts)
    for package, release, name in rows:
        assert f"# {package} {release}: " in scripts[name], name
        pins = {f"{package}=={release}", f"{package}@{release}"}  # of pip, of npm
        assert pins & {*scripts[name].split()}, name


def test_a_script_stands_alone_and_pins_what_it_installs(scripts):
    assert len(scripts) >= 4
    for name, text in scripts.items():
        packages = re.search(r"pip install .*\\\n +(.+)\n", text)[1].split()
        assert all(re.fullmatch(r"[\w-]+==[\d.]+", package) for package in packages), name
        for line in ("set -euo pipefail", "trap 'rm -rf \"$folder\"' EXIT", "# Expected: ",
                     "# Seen: ", "# No fault of ours: "):  # fmt: skip
            assert f"\n{line}" in text, (name, line)
        assert "sklearn_bbc" not in text and "assert" in text, name
