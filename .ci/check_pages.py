"""Open every page of the built documentation in a browser, and list what is wrong with it.

At 1280 and at 390 pixels of width: pages that scroll sideways, lines of code that are cut, tables
that reach out of their column, errors on the console, requests to the network, pictures that are
missing. At 1280 also pages that are longer than 8,000 pixels, but for those in which one looks up
a name or a version, and a cheat sheet that does not print on one side::

    python -m pip install playwright
    sphinx-build -D plot_gallery=0 docs docs/_build/html
    python .ci/check_pages.py docs/_build/html --browser /usr/bin/chromium

Without ``--browser`` the browser of ``playwright install chromium`` is taken. The exit status is 1
when something was found. ``--screenshots FOLDER`` keeps one of every page.
"""

import argparse
import re
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

WIDTHS = (1280, 390)
LONGEST = 8000
LOOKED_UP = ("/api/", "/changelog.html")
OPTIONS = ("--disable-background-networking", "--no-first-run", "--disable-gpu")

MEASURE = """() => {
  const shown = (e) => e.offsetParent !== null;
  const scrolls = (e) => ['auto', 'scroll'].includes(getComputedStyle(e).overflowX);
  const boxed = (e) => {
    for (let p = e.parentElement; p && p !== document.body; p = p.parentElement)
      if (scrolls(p)) return true;
    return false;
  };
  const main = document.querySelector('article') || document.body;
  const edge = main.getBoundingClientRect().right;
  const said = (e) => e.innerText.trim().split('\\n')[0].slice(0, 60);
  return {
    height: document.documentElement.scrollHeight,
    sideways: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    code: [...main.querySelectorAll('pre')]
      .filter((e) => shown(e) && e.scrollWidth > e.clientWidth + 1).map(said),
    tables: [...main.querySelectorAll('table')]
      .filter((e) => shown(e) && !boxed(e) && e.getBoundingClientRect().right > edge + 1)
      .map(said),
    pictures: [...main.querySelectorAll('img')]
      .filter((e) => e.complete && e.naturalWidth === 0).map((e) => e.getAttribute('src')),
  };
}"""


def faults(page: Page, url: str, width: int) -> tuple[int, list[str]]:
    """Height of a page, and what is wrong with it at this width."""
    found: list[str] = []

    def console(message) -> None:
        if message.type == "error":
            found.append(f"console: {message.text}")

    def request(asked) -> None:
        if not asked.url.startswith(("file:", "data:", "blob:")):
            found.append(f"asks the network for {asked.url}")

    listeners = {
        "console": console, "request": request,
        "pageerror": lambda error: found.append(f"script: {error}"),
    }  # fmt: skip
    for event, listener in listeners.items():
        page.on(event, listener)
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(url, wait_until="load")
    seen = page.evaluate(MEASURE)
    for event, listener in listeners.items():
        page.remove_listener(event, listener)
    if seen["sideways"] > 0:
        found.append(f"scrolls sideways by {seen['sideways']} pixels")
    found += [f"code is cut: {line}" for line in seen["code"]]
    if width == max(WIDTHS):  # on a telephone all are longer, and tables scroll in their boxes
        if seen["height"] > LONGEST and not any(part in url for part in LOOKED_UP):
            found.append(f"{seen['height']} pixels long")
    found += [f"a table reaches out: {line}" for line in seen["tables"]]
    found += [f"no picture {name}" for name in seen["pictures"]]
    return seen["height"], found


def parse(argv: list[str] | None = None) -> argparse.Namespace:
    """Arguments of the command."""
    summary, _, details = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(
        description=summary, epilog=details, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="folder of the built pages")
    parser.add_argument("--browser", help="program, such as /usr/bin/chromium")
    parser.add_argument("--pages", default="**/*.html", help="which pages, as a pattern")
    parser.add_argument("--heights", action="store_true", help="list the height of every page")
    parser.add_argument("--screenshots", type=Path, help="folder for one of every page")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    """Check the pages.

    Returns
    -------
    int
        How many faults there are.
    """
    arguments = parse(argv)
    pages = sorted(arguments.folder.glob(arguments.pages))
    pages = [path for path in pages if path.relative_to(arguments.folder).parts[0] != "_static"]
    if not pages:
        raise SystemExit(f"{arguments.folder} has no pages {arguments.pages}: build them first.")
    n_faults = 0
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=arguments.browser, args=list(OPTIONS), chromium_sandbox=False
        )
        tab = browser.new_page()
        # Nothing may need the network, and nothing gets it.
        tab.route("http*://**/*", lambda route: route.abort())
        for path in pages:
            name = path.relative_to(arguments.folder).as_posix()
            for width in WIDTHS:
                height, found = faults(tab, path.resolve().as_uri(), width)
                if arguments.heights:
                    print(f"{width:5} {height:6} {name}")
                if name == "cheat_sheet.html" and width == max(WIDTHS):
                    printed = tab.pdf(prefer_css_page_size=True)
                    sides = len(re.findall(rb"/Type\s*/Page\b", printed))
                    found += [f"prints on {sides} sides"] * (sides != 1)
                n_faults += len(found)
                for fault in dict.fromkeys(found):
                    print(f"{name} at {width}: {fault}", flush=True)
                if arguments.screenshots:
                    plot = f"{name.removesuffix('.html').replace('/', '.')}-{width}.png"
                    tab.screenshot(path=arguments.screenshots / plot, full_page=True)
        browser.close()
    print(f"{len(pages)} pages, {n_faults} faults")
    return n_faults


if __name__ == "__main__":
    sys.exit(bool(main()))
