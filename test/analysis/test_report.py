# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The report in a real browser: it opens offline, draws what it promises, and fits a telephone."""

import base64
import io
import json
import re
import shutil
import subprocess
import urllib.request
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from impact_analysis.analyze import AnalysisSettings, analyze, analyze_impacts, collect
from impact_analysis.analyze.comparing import judge
from impact_analysis.analyze.page.report import report_text
from impact_cli.command_line import run as main

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
PLOTS_OF_AN_IMPACT = 5
OVERVIEWS = 2
PATIENCE = 60.0  # [s]
WARNINGS = ("Canvas2D", "GL Driver Message")  # that software rendering gives


class Page:
    """A page in a browser, driven over its DevTools protocol."""

    def __init__(self, socket):
        self._socket, self._number, self.events = socket, 0, []

    def call(self, method, **parameters):
        self._number += 1
        request = {"id": self._number, "method": method, "params": parameters}
        self._socket.send(json.dumps(request))
        while True:
            answer = json.loads(self._socket.recv(timeout=PATIENCE))
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def open(self, path, *, width=1200, dark=False):
        """Open a file, wait until it is loaded, and until its plots are drawn."""
        self.events.clear()
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        self.call("Page.navigate", url=path.as_uri())
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.events.append(json.loads(self._socket.recv(timeout=PATIENCE)))
        self.drawn()

    def drawn(self):
        """Wait until every plot that is shown has been drawn."""
        self.value(
            "new Promise(done => { const check = () => [...document.querySelectorAll('.plot')]"
            ".filter(place => !place.closest('details:not([open])'))"
            ".every(place => place.querySelector('.main-svg'))"
            " ? done(true) : requestAnimationFrame(check); check(); })"
        )

    def value(self, expression):
        result = self.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def complaints(self):
        """What the console shows, but for remarks on software rendering."""
        entries = [
            event["params"]
            for event in self.events
            if event["method"]
            in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        ]
        texts = [json.dumps(entry) for entry in entries]
        return [text for text in texts if not any(known in text for known in WARNINGS)]

    def picture(self):
        """The whole page as an array of shape (height, width, 3)."""
        width, height = self.value(
            "[innerWidth, Math.min(8000, document.documentElement.scrollHeight)]"
        )
        shot = self.call(
            "Page.captureScreenshot",
            captureBeyondViewport=True,
            clip={"x": 0, "y": 0, "width": width, "height": height, "scale": 1},
        )
        return np.array(Image.open(io.BytesIO(base64.b64decode(shot["data"]))).convert("RGB"))


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A page of a headless browser."""
    client = pytest.importorskip("websockets.sync.client")
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        pytest.skip(f"no browser: expected one of {', '.join(BROWSERS)}")
    command = [
        browser,
        "--headless=new",
        "--no-sandbox",
        "--enable-unsafe-swiftshader",
        "--remote-debugging-port=0",
        f"--user-data-dir={tmp_path_factory.mktemp('browser')}",
        "about:blank",
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            found = (re.search(r"DevTools listening on ws://([^/]+)/", x) for x in process.stderr)
            address = next(match[1] for match in found if match)
            with urllib.request.urlopen(f"http://{address}/json") as answer:
                pages = [each for each in json.load(answer) if each["type"] == "page"]
            with client.connect(pages[0]["webSocketDebuggerUrl"], max_size=None) as socket:
                yield Page(socket)
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The report on three hits of a wall."""
    folder = tmp_path_factory.mktemp("report")
    wall = folder / "wall"
    asked = ["simulate", "iim_wall_cfg1", "--trials=3", "--record", str(wall), "--jobs=1"]
    assert main(asked) == 0
    (folder / "report.html").write_text(report_text(analyze(wall)))
    return folder / "report.html"


def test_it_opens_without_a_complaint_and_without_the_network(page, report):
    page.open(report)
    assert page.complaints() == []
    asked = [
        event["params"]["request"]["url"]
        for event in page.events
        if event["method"] == "Network.requestWillBeSent"
    ]
    assert all(url.startswith(("file:", "data:", "blob:")) for url in asked)


def test_the_plots_of_the_first_impact_are_drawn_and_the_others_when_opened(page, report):
    page.open(report)
    count = "document.querySelectorAll('.js-plotly-plot').length"
    assert page.value(count) == OVERVIEWS + PLOTS_OF_AN_IMPACT
    page.value("document.querySelectorAll('details')[1].open = true")
    page.value("new Promise(done => setTimeout(done))")
    page.drawn()
    assert page.value(count) == OVERVIEWS + 2 * PLOTS_OF_AN_IMPACT
    assert page.value("document.querySelectorAll('canvas').length") > 0  # the polytopes
    assert page.complaints() == []


def test_the_answer_comes_first(page, report):
    page.open(report)
    first = page.value("document.querySelector('main section').innerText")
    assert first.startswith("In words\n")
    assert "M+B_theta, coulomb explains the joint velocities" in first


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1200])
def test_it_fits_a_telephone_and_follows_dark_preference(page, report, width, dark):
    page.open(report, width=width, dark=dark)
    assert page.value("document.documentElement.scrollWidth") <= width
    picture = page.picture()
    assert picture.shape[1] == width
    paper = np.median(picture.reshape(-1, 3), axis=0)
    assert paper.max() < 60 if dark else paper.min() > 230
    blue = np.abs(picture.astype(int) - (0, 114, 178)).sum(axis=2) < 30  # bars and curves
    assert blue.sum() > 1000
    assert page.complaints() == []


def test_columns_of_all_joints_fit_and_what_is_drawn_is_labelled(page, report):
    page.open(report, width=1200)
    tables = "[...document.querySelectorAll('.joints')]"
    assert page.value(f"{tables}.length") == 3  # torques, velocities, times of jumps
    assert page.value(f"{tables}.every(each => each.scrollWidth <= each.clientWidth)")
    drawn = page.value("[...document.querySelectorAll('.plot text')].map(t => t.textContent)")
    assert {"threshold 15", "touch", "detected"} <= set(drawn)
    titles = page.value(
        "[...document.querySelectorAll('.plot')].filter(p => p.layout?.scene)"
        ".flatMap(p => [...'xyz'].map(a => p.layout.scene[a + 'axis'].title.text))"
    )
    assert titles[:3] == ["tangential x [N.s]", "tangential y [N.s]", "normal z [N.s]"]


def test_the_length_of_recordings_is_in_seconds_if_it_is_short(report):
    assert re.search(r"joint states in \d\.\d s; gross velocity", report.read_text())


def test_paper_is_white_whatever_is_preferred(page, report):
    page.open(report, dark=True)
    page.call("Emulation.setEmulatedMedia", media="print")
    assert page.value("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.call("Page.printToPDF")["data"].startswith("JVBERi")  # %PDF


def test_names_are_text_not_markup(tmp_path, report):
    wall = report.parent / "wall"
    odd = tmp_path / "<img src=x onerror=alert(1)>"
    shutil.copytree(wall / "iim_wall_cfg1_000", odd)
    (tmp_path / "report.html").write_text(report_text(analyze(odd)))
    assert "<img" not in (tmp_path / "report.html").read_text()


def renamed(found, name):
    """What was found in a recording, as if it had another name."""
    impacts = [replace(impact, recording=name) for impact in found.impacts]
    return replace(found, recording=name, impacts=impacts)


def once_for_each_force(fit):
    """Return a function that fits contact laws to each force once: many hits are the same."""
    known = {}

    def fitted(item, speed, mass):
        force = item.trace.force.tobytes()
        if force not in known:
            known[force] = fit(item, speed, mass)
        return known[force]

    return fitted


@pytest.mark.slow
def test_fifty_impacts_stay_below_ten_megabytes(tmp_path, report, monkeypatch):
    monkeypatch.setattr(judge, "contact_laws", once_for_each_force(judge.contact_laws))
    bags = sorted((report.parent / "wall").glob("iim_wall_cfg1_*"))
    hits = [collect(bag, AnalysisSettings()) for bag in bags]
    many = [renamed(hits[k % len(hits)], f"hit_{k}") for k in range(50)]
    found = analyze_impacts(many, AnalysisSettings())
    (tmp_path / "report.html").write_text(report_text(found))
    assert len(found.impacts) == 50
    assert sum(bool(impact.laws) for impact in found.impacts) == judge.MOST_FITTED
    assert (tmp_path / "report.html").stat().st_size < 10e6
