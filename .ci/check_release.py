"""Stop a release that would go out under a wrong version, address or date, or does not install.

Three ways to run it; the exit status is 1 when something is wrong::

    python .ci/check_release.py dist/sklearn_bbc-0.2.0.tar.gz  # for a tag, before publishing
    python .ci/check_release.py --install dist/*               # wheels and sdists
    python .ci/check_release.py --build                        # the same, built from the checkout

The first compares what the sdist says with the tag (``GITHUB_REF_NAME``) and with the repository
that builds it (``GITHUB_SERVER_URL``, ``GITHUB_REPOSITORY``). The second installs each file into
an environment of its own, with nothing but what it depends on, and runs the demonstration there.
The third needs the package build; a wheel with kernels is made where there is a C compiler.
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
from collections.abc import Mapping
from email.message import Message
from email.parser import Parser
from pathlib import Path

COMPILER = shutil.which("cc")
CHECKED = """
import sys
from importlib.metadata import version
from pathlib import Path
import sklearn_bbc
from sklearn_bbc import _native, report

kernels, prefix = sys.argv[1], Path(sys.prefix).resolve()
sklearn_bbc.show_versions()
assert Path(sklearn_bbc.__file__).resolve().is_relative_to(prefix), sklearn_bbc.__file__
assert version("sklearn-bbc") == sklearn_bbc.__version__
assert str(_native.available()) == kernels, (kernels, _native.status())
assert list(Path(report.__file__).parent.glob("templates/*.html")), "no template of the report"
assert Path(sklearn_bbc.__file__).with_name("py.typed").is_file(), "no py.typed"
"""


def read(sdist: str) -> tuple[Message, str]:
    """Metadata and change log of an sdist."""
    texts = {}
    with tarfile.open(sdist) as archive:
        for member in archive.getmembers():
            name = member.name.partition("/")[2]
            if name in ("PKG-INFO", "CHANGELOG.md"):
                texts[name] = archive.extractfile(member).read().decode()
    return Parser().parsestr(texts["PKG-INFO"]), texts["CHANGELOG.md"]


def wrong(metadata: Message, changelog: str, environment: Mapping[str, str]) -> list[str]:
    """What differs, each with what to do."""
    found = []
    version, tag = metadata["Version"], environment["GITHUB_REF_NAME"]
    if tag != f"v{version}":
        found.append(
            f"The tag is {tag}, the version {version}. Tag v{version}, or change the version in "
            "sklearn_bbc/_version.py."
        )
    here = f"{environment['GITHUB_SERVER_URL']}/{environment['GITHUB_REPOSITORY']}"
    urls = dict(line.split(", ", 1) for line in metadata.get_all("Project-URL", []))
    source = urls.get("Source", "missing")
    if source.removesuffix("/") != here:
        found.append(
            f"This repository is {here}, but Source in [project.urls] of pyproject.toml is "
            f"{source}. Publish from that repository, or change the addresses as CONTRIBUTING.md "
            "says under 'A release'."
        )
    if not re.search(rf"^## {re.escape(version)} \(\d{{4}}-\d\d-\d\d\)$", changelog, flags=re.M):
        found.append(
            f'CHANGELOG.md has no heading "## {version} (year-month-day)". Write the date of the '
            "release."
        )
    return found


def has_kernels(file: str, compiler: str | None = COMPILER) -> bool:
    """Tell whether what is installed from a file should have compiled kernels."""
    return not file.endswith("-none-any.whl") if file.endswith(".whl") else compiler is not None


def run(*command: str, **environment: str) -> str | None:
    """Run a command away from the checkout; its last lines where it fails."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "SKLEARN_BBC"))}
    done = subprocess.run(
        command, cwd=tempfile.gettempdir(), env=clean | environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    print(done.stdout, flush=True)
    return "\n".join(done.stdout.splitlines()[-5:]) if done.returncode else None


def does_not_install(file: str) -> list[str]:
    """What fails in an environment of its own."""
    file = str(Path(file).resolve())
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        bin_, name = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
        python = str(Path(folder, bin_, name))
        for command in (
            ("-m", "pip", "install", "-q", file),
            ("-m", "pip", "check"),
            ("-c", CHECKED, str(has_kernels(file))),
            ("-m", "sklearn_bbc"),
        ):
            if (said := run(python, *command)) is not None:
                what = "the checks of the package" if command[0] == "-c" else " ".join(command)
                return [f"{Path(file).name}: {what} failed:\n{said}"]
    return []


def built(folder: str) -> list[str]:
    """Build the sdist, and of it the wheel without kernels and the one with them."""
    here = str(Path(__file__).resolve().parents[1])
    build = (sys.executable, "-m", "build", "--outdir", folder)
    said = run(*build, "--sdist", here)
    (sdist,) = map(str, Path(folder).glob("*.tar.gz")) if said is None else ("",)
    for kernels in ("0", "1") if COMPILER else ("0",):
        if said is None:
            with tempfile.TemporaryDirectory() as unpacked, tarfile.open(sdist) as archive:
                archive.extractall(unpacked, filter="data")
                (source,) = Path(unpacked).iterdir()
                said = run(*build, "--wheel", str(source), SKLEARN_BBC_BUILD_NATIVE=kernels)
    if said is not None:
        raise SystemExit(f"The build failed:\n{said}")
    return sorted(map(str, Path(folder).iterdir()))


def main(arguments: list[str]) -> int:
    match arguments:
        case ["--build"]:
            with tempfile.TemporaryDirectory() as folder:
                files = built(folder)
                names = [Path(file).name for file in files]
                found = [line for file in files for line in does_not_install(file)]
                if not any(name.endswith("-py3-none-any.whl") for name in names):
                    found.append(f"None of {names} is a wheel for every platform.")
        case ["--install", *files] if files:
            names = [Path(file).name for file in files]
            found = [line for file in files for line in does_not_install(file)]
        case [sdist]:
            found = wrong(*read(sdist), os.environ)
            names = []
        case _:
            raise SystemExit(__doc__)
    for line in found:
        print("::error::" + line.replace("\n", "%0A"))  # a line of its own would not be part of it
    if not found:
        print(
            f"Installed, each by itself: {', '.join(names)}."
            if names
            else "Version, address and date are those of this release."
        )
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
