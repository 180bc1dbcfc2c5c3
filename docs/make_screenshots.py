"""Takes the pictures of the page and of a report that the README and the manual show.

``make screenshots`` runs it: a made home folder and the example collection, walked through in a
Chromium. ``SOURCES.json`` has a digest of what each picture shows; a test compares.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch
from urllib.parse import urljoin

from PIL import Image, ImageDraw
from playwright.sync_api import Browser, Page
from tests.folders import formats, papers
from tests.web.browser import SIZES, browsing, serving, visit

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures" / "page"
SOURCES = PICTURES / "SOURCES.json"
STYLES = ROOT / "src" / "twinset" / "pages" / "static"
SHOWN_HOME = "/home/ada"
LONGEST = {1280: 1500, 390: 1900}  # of a picture; a long page goes on like its beginning
WORDS = 4000  # characters, more than the longest picture shows
MEASURED = re.compile(r"\d+\.\d\d\b|[\d.,]+\s?[kк][BБ]")
"""Seconds, and sizes of packed files: they differ between runs and machines that are alike."""
RENAME = """([from, to]) => {
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (words.nextNode()) words.currentNode.data = words.currentNode.data.replaceAll(from, to);
  for (const one of document.querySelectorAll("input")) one.value = one.value.replaceAll(from, to);
}"""
SPRING = 1_710_000_000  # 9 March 2024
DAY = 86_400


class Camera:
    """What was shown, as digests, and pictures of it unless it is ``blind``."""

    def __init__(self, browser: Browser, home: Path, blind: bool) -> None:
        self.browser, self.home, self.blind = browser, home, blind
        self.shown: dict[str, str] = {}
        self.pictures: dict[str, Image.Image] = {}

    def shoot(self, page: Page, name: str) -> None:
        """The page from its top, in which the home folder has the name that a person's has."""
        page.wait_for_load_state("networkidle")
        page.evaluate("window.scrollTo(0, 0)")
        page.evaluate(RENAME, [str(self.home), SHOWN_HOME])
        assert page.viewport_size is not None
        width = page.viewport_size["width"]
        name = f"{name}-{width}"
        self.shown[name] = digest(page.locator("body").inner_text()[:WORDS])
        if not self.blind:
            picture = Image.open(io.BytesIO(page.screenshot(full_page=True))).convert("RGB")
            picture = picture.crop((0, 0, width, min(picture.height, LONGEST[width])))
            self.pictures[name] = picture.quantize(256, kmeans=1)  # few colours: a third the size
        page.evaluate(RENAME, [SHOWN_HOME, str(self.home)])

    def shoot_phone(self, page: Page, name: str) -> None:
        """The same on a phone, in Russian and in dark colours."""
        size, known = {"width": 390, "height": SIZES[390]}, page.context.storage_state()
        context = self.browser.new_context(
            viewport=size, locale="ru-RU", color_scheme="dark", storage_state=known
        )
        phone = context.new_page()
        phone.goto(page.url)
        self.shoot(phone, name)
        context.close()

    @contextlib.contextmanager
    def window(self, *opened: str) -> Iterator[Page]:
        """A window on what ``twinset ui`` serves."""
        with serving(*opened, home=self.home / ".local" / "twinset") as (address, _):
            yield visit(self.browser, address, 1280, "en-GB", "light").page


def digest(text: str) -> str:
    """Of the words, whatever the blanks between them and what is measured."""
    return hashlib.sha256(MEASURED.sub("0", " ".join(text.split())).encode()).hexdigest()[:16]


def styles() -> str:
    """A digest of all style sheets but the notebook's."""
    sheets = sorted(path for path in STYLES.glob("*.css") if path.stem != "notebook")
    return digest("".join(path.read_text("utf-8") for path in sheets))


def furnish(home: Path) -> None:
    """Put copies, a version and forms into a home folder, under names that people give."""
    draw = random.Random(7)
    lease, cv, minutes = (
        papers.KINDS[kind](draw, "en").paragraphs for kind in ("lease", "cv", "minutes")
    )
    bills = [papers.invoice(draw, "en", "Brightwater Ltd") for _ in range(3)]
    older = papers.revised(draw, papers.Paper("", "en", lease, "lease")).paragraphs
    photo = Image.new("RGB", (640, 480), "lightskyblue")
    ImageDraw.Draw(photo).ellipse((430, 60, 540, 170), "gold")
    ImageDraw.Draw(photo).polygon([(0, 480), (0, 380), (260, 260), (640, 400), (640, 480)], "green")
    photo.save(jpeg := io.BytesIO(), "JPEG")
    party = jpeg.getvalue().ljust(240_000, b"\0")
    files = {
        "Documents/Flat/Lease draft.docx": (0, formats.docx(older)),
        "Documents/Flat/Lease.docx": (20, formats.docx(lease)),
        "Documents/Flat/Lease.pdf": (20, formats.pdf(lease)),
        "Downloads/Lease (1).docx": (31, formats.docx(lease)),
        "Documents/CV.odt": (50, formats.odt(cv)),
        "Documents/CV.pdf": (50, formats.pdf(cv)),
        "Documents/Choir/Minutes of May.docx": (72, formats.docx(minutes)),
        "Downloads/Minutes of May.txt": (73, formats.text(minutes)),
        "Pictures/Garden party.jpg": (81, party),
        "Downloads/Garden party (1).jpg": (84, party),
    }
    files |= {
        f"Documents/Bills/{bill.name}.pdf": (30 * month, formats.pdf(bill.paragraphs))
        for month, bill in enumerate(bills)
    }
    for path, (day, content) in files.items():
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_bytes(content)
        os.utime(home / path, (SPRING + day * DAY,) * 2)


def clean(camera: Camera) -> None:
    """A home folder: what can go, and what will happen."""
    with camera.window() as page:
        page.locator(f'#tree [data-path="{camera.home}"] > .line').click()
        page.locator("#about-folder").get_by_text("13 files").wait_for()
        camera.shoot(page, "start")
        page.locator("#start button.big").click()
        page.locator("#continue").wait_for()
        camera.shoot(page, "clean")
        camera.shoot_phone(page, "clean")
        page.locator("#continue").click()
        page.wait_for_url("**/remove")
        camera.shoot(page, "clean-remove")


def search(camera: Camera, page: Page, examples: Path) -> None:
    """The five steps, and the report."""
    page.goto(urljoin(page.url, "/more"))
    page.locator("#preset").select_option("training")  # it shows a curve
    page.locator("form[action='/search/new'] button").last.click()
    page.wait_for_selector(".previews li .sample")
    camera.shoot(page, "1-documents")
    page.locator("#reading .ways button[value=next]").click()
    page.wait_for_selector("#meaning svg")
    camera.shoot(page, "2-image")
    page.locator("button[value=next]").click()
    page.locator("#out").fill(f"{camera.home}/reports/collection")
    page.locator("#clusters-closed").check()
    page.locator("#clusters-closed-share").wait_for()
    camera.shoot(page, "3-clusters")
    page.locator("#clusters-anchored").check()
    page.wait_for_function("() => !document.querySelector('.htmx-request')")
    page.locator("button[value=start]").click()
    page.wait_for_url("**/results")
    camera.shoot(page, "4-results")
    report = urljoin(page.url, page.locator("a[href^='/report/']").last.get_attribute("href"))
    page.locator(".ways a").last.click()
    page.locator("#truth").fill(str(examples / "truth.csv"))
    page.get_by_role("button", name="Compare").first.click()
    page.wait_for_selector(".made .tally dd")
    camera.shoot(page, "5-compare")
    page.goto(report)
    page.wait_for_selector("#figures svg")
    camera.shoot(page, "overview")
    left, right = "html/bridge-courier.html", "html/bridge-courier-update.html"
    page.goto(f"{report}/pair?left={left}&right={right}")
    page.locator("#panes").wait_for()
    camera.shoot(page, "side-by-side")
    camera.shoot_phone(page, "side-by-side")


def ask(camera: Camera, page: Page) -> None:
    """A pair to judge."""
    page.goto(urljoin(page.url, "/more"))
    page.locator("form[action='/search/new'] button").last.click()
    page.locator("button[value=ask]").click()
    page.wait_for_url("**/ask")
    page.locator("main form .button").click()
    page.wait_for_selector("#answer")
    camera.shoot(page, "ask")


def laboratory(camera: Camera, page: Page, examples: Path) -> None:
    """Methods side by side, and a recommended plan."""
    for name, made in (("compare", "form[action$='/search'] button"), ("tune", ".job table")):
        page.goto(urljoin(page.url, f"/laboratory/{name}"))
        page.locator("#truth").fill(str(examples / "truth.csv"))
        page.locator(f"form[action='/laboratory/{name}'] button.button").first.click()
        page.wait_for_selector(made)
        camera.shoot(page, name)


def report(camera: Camera) -> None:
    """The page in a report folder."""
    command = [sys.executable, "-m", "twinset.cli", "dedup", "examples/collection", "-o", "report"]
    subprocess.run(command, cwd=camera.home, check=True, capture_output=True)
    page = camera.browser.new_page(viewport={"width": 1280, "height": SIZES[1280]})
    page.goto((camera.home / "report" / "report.html").as_uri())
    camera.shoot(page, "report")


def walk(*, blind: bool = False) -> Camera:
    """Everything that is shown, with pictures unless ``blind``."""
    with tempfile.TemporaryDirectory() as folder, browsing() as browser:
        camera = Camera(browser, Path(folder) / "ada", blind)
        furnish(camera.home)
        own = {"HOME": str(camera.home), "XDG_DATA_HOME": f"{camera.home}/.local", "TZ": "UTC"}
        with patch.dict(os.environ, own):
            clean(camera)
            examples = shutil.copytree(ROOT / "examples", camera.home / "examples")
            with camera.window(str(examples / "collection"), "--root", str(camera.home)) as page:
                search(camera, page, examples)
                ask(camera, page)
                laboratory(camera, page, examples)
            report(camera)
        camera.shown["styles"] = styles()
        return camera


def main() -> None:
    """Keep the pictures that show something else than before."""
    noted = json.loads(SOURCES.read_text("utf-8")) if SOURCES.is_file() else {}
    camera = walk()
    for name, picture in camera.pictures.items():
        path = PICTURES / f"{name}.png"
        same = all(noted.get(one) == camera.shown[one] for one in (name, "styles"))
        if not (same and path.is_file()):
            picture.save(path, optimize=True)
            print(path)
    SOURCES.write_text(json.dumps(camera.shown, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
