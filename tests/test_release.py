"""What a release says of itself: the same version, addresses and date in every place."""

import io
import re
import tarfile
import tomllib

import pytest

import sklearn_bbc
from tests._scripts import script_of_ci

# Files that name the address of the source and of the documentation; each names at least one.
PLACES = (
    ".github/ISSUE_TEMPLATE/config.yml",
    "CITATION.cff",
    "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "docs/conf.py",
    "docs/design/related_projects.md",
    "pyproject.toml",
    "recipe/recipe.yaml",
    "sklearn_bbc/_citations.py",
)
OURS = re.compile(
    r"https?://github\.com/[\w.-]+/sklearn[-_]bbc\b[^\s\"'`<>)}]*"
    r"|https?://[\w-]*bbc[\w-]*\.readthedocs\.io[^\s\"'`<>)}]*"
)


@pytest.fixture(scope="module")
def urls(repository):
    text = (repository / "pyproject.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)["project"]["urls"]


def strays(text, urls):
    """Addresses of the project in a text that do not go on from those in pyproject.toml."""
    bases = (urls["Source"], urls["Homepage"])
    found = [address.rstrip(".,;:") for address in OURS.findall(text)]
    return found, [
        address
        for address in found
        if not any(address == base or address.startswith(f"{base}/") for base in bases)
    ]


def test_all_places_name_the_addresses_of_pyproject(repository, urls):
    wrong = []
    for place in PLACES:
        path = repository / place
        if place.startswith(".github") and not path.exists():
            continue  # not part of the sdist
        found, other = strays(path.read_text(encoding="utf-8"), urls)
        wrong += [f"{place}: {address}" for address in other]
        if not found:
            wrong.append(f"{place}: names no address")
    if wrong:
        pytest.fail("\n".join(["Not what [project.urls] says:", *wrong]), pytrace=False)


def test_first_pages_lead_to_files_until_the_addresses_are_claimed(repository):
    for page in ("README.md", "docs/index.md", "docs/install.md"):
        assert not OURS.findall((repository / page).read_text(encoding="utf-8")), page


def test_pages_install_from_a_checkout_until_the_first_release(repository):
    changelog = (repository / "CHANGELOG.md").read_text(encoding="utf-8")
    released = bool(re.search(r"^## [\d.]+ \(\d{4}-\d\d-\d\d\)$", changelog, flags=re.M))
    right, wrong = ("-e . ", "sklearn-bbc ") if not released else ("sklearn-bbc ", "-e . ")
    for page in ("README.md", "docs/index.md", "docs/install.md"):
        text = (repository / page).read_text(encoding="utf-8")
        commands = [
            f"{each} " for each in re.findall(r"^\$? ?(python -m pip .*)$", text, flags=re.M)
        ]
        assert commands[0] == f"python -m pip install {right}", page
        assert f"python -m pip install {wrong}" not in commands, page
        assert ("until version 0.2 is released" in text) is not released, page
    conf = (repository / "docs" / "conf.py").read_text(encoding="utf-8")
    assert ("%pip install -q" in conf) is released, "docs/conf.py"


INDEX = re.compile(
    r"https?://[\w.-]*(?:pypi\.(?:org|io)|pythonhosted|anaconda\.(?:org|com)|conda\.io)"
)


def test_package_indexes_go_by_name(repository):
    found = []
    for folder in (".github", ".ci", "docs", "recipe", "sklearn_bbc"):
        for path in sorted((repository / folder).rglob("*")):
            if path.is_file() and not {"_build", "generated", "auto_examples"} & {*path.parts}:
                text = path.read_bytes().decode("utf-8", errors="ignore")
                found += [
                    f"{path.relative_to(repository)}: {each}" for each in INDEX.findall(text)
                ]
    text = (repository / "pyproject.toml").read_text(encoding="utf-8")
    head, _, rest = text.partition("[project.urls]")
    found += INDEX.findall(head) + INDEX.findall(rest.partition("\n[")[2])
    assert found == []


def test_citation_has_the_version_and_the_addresses(repository, urls):
    text = (repository / "CITATION.cff").read_text(encoding="utf-8")
    fields = dict(re.findall(r'^([\w-]+): "?([^"\n]+)"?$', text, flags=re.M))
    assert fields["version"] == sklearn_bbc.__version__
    assert fields["repository-code"] == urls["Source"]
    assert fields["url"] == urls["Homepage"]
    assert f"url = {{{urls['Source']}}}" in sklearn_bbc.citations()


def test_the_conda_recipe_has_the_version_and_the_dependencies(repository):
    recipe = (repository / "recipe" / "recipe.yaml").read_text(encoding="utf-8")
    project = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f'version: "{sklearn_bbc.__version__}"' in recipe
    needed = re.findall(r"^    - (.*)$", recipe.partition("  run:\n")[2], flags=re.M)
    python = f"python{project['requires-python']}"
    assert {text.replace(" ", "") for text in needed} == {python, *project["dependencies"]}


# --- what stops a release -----------------------------------------------------------------
@pytest.fixture(scope="module")
def check(repository):
    return script_of_ci(repository, "check_release")


def sdist(folder, source="https://github.com/ours/sklearn-bbc", date="2026-12-01"):
    texts = {
        "PKG-INFO": f"Name: sklearn-bbc\nVersion: 1.2.0\nProject-URL: Source, {source}\n\nText",
        "sklearn_bbc.egg-info/PKG-INFO": "Version: 0.0.1\n",
        "CHANGELOG.md": f"# Changelog\n\n## 1.2.0 ({date})\n\nNew.\n",
    }
    path = folder / "sklearn_bbc-1.2.0.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, text in texts.items():
            member = tarfile.TarInfo(f"sklearn_bbc-1.2.0/{name}")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return str(path)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, []),
        ({"tag": "v1.3.0"}, ["The tag is v1.3.0, the version 1.2.0."]),
        ({"repository": "else/sklearn-bbc"}, ["https://github.com/else/sklearn-bbc, but Source"]),
        ({"source": "https://github.com/ours/bbc"}, ["is https://github.com/ours/bbc."]),
        ({"date": "unreleased"}, ['no heading "## 1.2.0 (year-month-day)"']),
        ({"tag": "v1", "repository": "a/b", "date": "soon"}, ["The tag", "This", "CHANGELOG"]),
    ],
)  # fmt: skip
def test_a_release_is_checked(check, tmp_path, monkeypatch, capsys, changed, said):
    made = {key: value for key, value in changed.items() if key in ("source", "date")}
    monkeypatch.setenv("GITHUB_REF_NAME", changed.get("tag", "v1.2.0"))
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://github.com")
    monkeypatch.setenv("GITHUB_REPOSITORY", changed.get("repository", "ours/sklearn-bbc"))
    assert check.main([sdist(tmp_path, **made)]) == bool(said)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == max(len(said), 1)
    for line, part in zip(lines, said):
        assert line.startswith("::error::") and part in line


@pytest.mark.parametrize(
    ("file", "compiler", "expected"),
    [
        ("sklearn_bbc-1.2.0-py3-none-any.whl", "/usr/bin/cc", False),
        ("sklearn_bbc-1.2.0-py3-none-manylinux_2_28_x86_64.whl", None, True),
        ("sklearn_bbc-1.2.0-py3-none-win_amd64.whl", "/usr/bin/cc", True),
        ("sklearn_bbc-1.2.0.tar.gz", "/usr/bin/cc", True),
        ("sklearn_bbc-1.2.0.tar.gz", None, False),
    ],
)
def test_which_files_bring_kernels(check, file, compiler, expected):
    assert check.has_kernels(file, compiler) is expected


@pytest.mark.parametrize("failing", [None, "install", "check", "-c", "sklearn_bbc"])
def test_each_file_is_installed_by_itself(check, monkeypatch, capsys, failing):
    ran, folders = [], []

    def run(python, *command):
        ran.append(command)
        return "one\ntwo" if failing in command else None

    monkeypatch.setattr(check, "run", run)
    monkeypatch.setattr(check.venv, "create", lambda folder, **_: folders.append(folder))
    files = ["dist/a-1-py3-none-any.whl", "dist/a-1.tar.gz"]
    assert check.main(["--install", *files]) == (failing is not None)
    printed = capsys.readouterr().out.splitlines()
    assert len(set(folders)) == 2
    if failing is None:
        assert printed == ["Installed, each by itself: a-1-py3-none-any.whl, a-1.tar.gz."]
        kernels = [command[-1] for command in ran if command[0] == "-c"]
        assert kernels == ["False", str(check.COMPILER is not None)]
    else:
        assert len(printed) == 2 and printed[0].startswith("::error::a-1-py3-none-any.whl: ")
        assert printed[0].endswith(" failed:%0Aone%0Atwo")
        assert failing in ran[-1]  # nothing runs after what failed


# --- what runs in workflows -----------------------------------------------------------------
UNVERIFIED = {"pypa/cibuildwheel"}  # .github/zizmor.yml says why


def test_actions_are_pinned_by_hash_and_the_same_everywhere(repository):
    workflows = sorted((repository / ".github" / "workflows").glob("*.yml"))
    if not workflows:
        pytest.skip("not part of the sdist")
    used = [
        line
        for path in workflows
        for line in re.findall(r"uses: (.*)", path.read_text(encoding="utf-8"))
    ]
    taken = {}
    for line in used:
        action, _, version = line.partition("@")
        if action in UNVERIFIED:
            assert re.fullmatch(r"v\d+\.\d+\.\d+", version), line
            continue
        assert re.fullmatch(r"[0-9a-f]{40} # v\d+\.\d+\.\d+", version), line
        repository_of = "/".join(action.split("/")[:2])  # CodeQL has two actions of one release
        assert taken.setdefault(repository_of, version) == version, line
    assert len(taken) > 5
