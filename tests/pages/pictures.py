"""Write the screenshots of the teachers' guide and of README.md.

`python -m tests.pages.pictures .github/page.png .github/phone.png`
"""

import sys

from playwright.sync_api import ViewportSize, sync_playwright

from tests.web.served import CHROMIUM, run_server

PHONE: ViewportSize = {"width": 390, "height": 760}


def main() -> None:
    with run_server() as (address, _), sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM)
        page = browser.new_page(viewport={"width": 1080, "height": 704}, reduced_motion="reduce")
        page.goto(f"{address}/play?game=crisps&puzzle=crisps:8.4.4.3%3D24&style=crisps")
        page.locator(".type summary").click()
        page.locator("#typed").fill("4 + 8 x 4 : 3")
        page.locator("#typed").press("Enter")
        page.screenshot(path=sys.argv[1])
        phone = browser.new_page(viewport=PHONE, reduced_motion="reduce", has_touch=True)
        phone.goto(f"{address}/play?game=cards&puzzle=cards:3.3.8.8%3D24")
        phone.locator("#tile-0").click()
        phone.screenshot(path=sys.argv[2])
        browser.close()


if __name__ == "__main__":
    main()
