"""Write screenshots of the pages for review: `python -m tests.pages.pictures FOLDER`.

`--guide FILE` writes the screenshot of `crisps24/docs/teachers.md`.
"""

import argparse
import sys
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.web.served import CHROMIUM, run_server

PAGES = {
    "start": "/",
    "play": "/play?game=cards&seed=7&n=4",
    "play-countdown": "/play?game=countdown&seed=7&large=4&limit=0",
    "play-waits": "/play?game=countdown&seed=7&large=4",
    "play-form": "/play?game=crisps&seed=7&join=yes&typed=9+:+7+%2B+2",
    "play-form-right": "/play?puzzle=crisps:1.2.3.4%3D24,join%3Dyes&typed=1x2x3x4&score=3",
    "play-id": "/play?puzzle=cards:3.3.8.8%3D25,zero%3Dno",
    "play-refused": "/play?game=cards&card=1+1+1+1",
    "daily": "/daily?game=cards&date=2026-11-21",
    "solve": "/solve",
    "solve-found": "/solve?game=cards&hand=1+4+7+13",
    "solve-none": "/solve?game=countdown&hand=1+1+2+2+25+75&target=284",
    "solve-refused": "/solve?game=cards&hand=3+x",
    "check": "/check",
    "check-judged": "/check?card=4+3+8+4&formula=4+%2B+3+x+8+-+4+%3D+24%0A9+:+7+%2B+2%0A4+%2B+3"
    "%0A4+%2B+(%0A4+x+3+%2B+8+%2B+4",
    "sheet": "/sheet?game=cards&seed=7",
    "sheet-rules": "/sheet?game=countdown&seed=7&count=6&large=2&title=Class+5b&name_line=yes",
    "missing": "/nothing",
}
# Width of the window to its height, in pixels.
WIDTHS = {320: 640, 768: 1024, 1440: 900, 3840: 2160}
GUIDE_ADDRESS = "/play?game=crisps&puzzle=crisps:8.4.4.3%3D24&style=crisps"
GUIDE_FORMULA = "4 + 8 x 4 : 3"


def write_screenshot(browser: Browser, address: str, width: int, scheme: str, path: Path) -> None:
    """Write a screenshot of a full page to a file."""
    page = browser.new_page(
        viewport={"width": width, "height": WIDTHS[width]},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
    )
    page.goto(address)
    page.screenshot(path=path, full_page=True)
    page.close()


def main() -> int:
    """Write the screenshots that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--only", default="", help="write only pages whose names start with this")
    parser.add_argument(
        "--guide", type=Path, help="file for the screenshot of the guide for teachers"
    )
    options = parser.parse_args()
    with run_server() as (address, _), sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM)
        if options.guide:
            page = browser.new_page(
                viewport={"width": 1080, "height": 704}, reduced_motion="reduce"
            )
            page.goto(address + GUIDE_ADDRESS)
            page.locator(".type summary").click()
            page.locator("#typed").fill(GUIDE_FORMULA)
            page.locator("#typed").press("Enter")
            page.screenshot(path=options.guide)
        for name, query in PAGES.items() if options.folder else ():
            for width in WIDTHS if name.startswith(options.only) else ():
                for scheme in ("light", "dark"):
                    path = options.folder / f"{name}-{width}-{scheme}.png"
                    write_screenshot(browser, address + query, width, scheme, path)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
