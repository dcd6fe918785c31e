"""`python -m tests.pages.pictures FOLDER`: the pages as they look, to be looked at.

`--guide FILE` takes the one picture of `crisps24/docs/teachers.md` instead.
"""

import argparse
import sys
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.web.served import CHROMIUM, run_server

PAGES = {
    "start": "/",
    "play": "/play?game=cards&seed=7&n=4",
    "play-wrong": "/play?game=crisps&seed=7&typed=9+:+7+%2B+2",
    "play-step": "/play?game=countdown&seed=7&large=4&typed=100+%2B+50+%3D+150",
    "play-hint": "/play?game=cards&seed=7&hints=1&key=%3F",
    "play-tapped": "/play?game=countdown&seed=7&large=4&limit=0&steps=100+%2B+50+%3D+150&tap=2x",
    "play-cannot": "/play?puzzle=crisps:9.7.2.3%3D24&tap=1:2",
    "play-waits": "/play?game=countdown&seed=7&large=4",
    "play-over": "/play?game=countdown&seed=5&typed=75+x+(50&seconds=31",
    "play-id": "/play?puzzle=cards:3.3.8.8%3D25,zero%3Dno",
    "play-shown": "/play?game=cards&seed=7&key=!",
    "play-right": "/play?game=cards&puzzle=cards:3.3.8.8%3D24&typed=8/(3-8/3)&score=3",
    "daily": "/daily?game=cards&date=2026-11-21",
    "daily-right": "/daily?game=cards&date=2026-01-01&seconds=41&typed=12*(9%2B1)/5",
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
WIDTHS = {320: 640, 768: 1024, 1440: 900, 3840: 2160}
GUIDE = "/play?game=crisps&puzzle=crisps:8.4.4.3%3D24&typed=4+%2B+8+x+4+:+3"


def picture(browser: Browser, address: str, width: int, scheme: str, place: Path) -> None:
    """Take a picture of a whole page."""
    page = browser.new_page(
        viewport={"width": width, "height": WIDTHS[width]},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
    )
    page.goto(address)
    page.screenshot(path=place, full_page=True)
    page.close()


def main() -> int:
    """Take the pictures."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("folder", type=Path, nargs="?")
    asked.add_argument("--only", default="", help="pages whose names begin so")
    asked.add_argument("--guide", type=Path, help="the picture of the guide for teachers")
    words = asked.parse_args()
    with run_server() as (address, _), sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM)
        if words.guide:
            page = browser.new_page(
                viewport={"width": 1080, "height": 704}, reduced_motion="reduce"
            )
            page.goto(address + GUIDE)
            page.screenshot(path=words.guide)
        for name, path in PAGES.items() if words.folder else ():
            for width in WIDTHS if name.startswith(words.only) else ():
                for scheme in ("light", "dark"):
                    place = words.folder / f"{name}-{width}-{scheme}.png"
                    picture(browser, address + path, width, scheme, place)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
