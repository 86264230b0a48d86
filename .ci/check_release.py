"""Stop a release that would go out under a wrong version, address or date.

Run by the workflow ``wheels`` for a tag, before anything is published::

    python .ci/check_release.py dist/sklearn_bbc-0.2.0.tar.gz

What the sdist says is compared with the tag (``GITHUB_REF_NAME``) and with the repository that
builds it (``GITHUB_SERVER_URL``, ``GITHUB_REPOSITORY``). The exit status is 1 when something
differs.
"""

import os
import re
import sys
import tarfile
from collections.abc import Mapping
from email.message import Message
from email.parser import Parser


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


def main(arguments: list[str]) -> int:
    (sdist,) = arguments
    found = wrong(*read(sdist), os.environ)
    for line in found:
        print(f"::error::{line}")
    if not found:
        print("Version, address and date are those of this release.")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
