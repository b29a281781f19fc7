# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The user's browser, and a headless one that renders pictures of the scene."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import webbrowser
from collections.abc import Iterator
from typing import Any

import numpy as np

from impact_view.exceptions import ViewError
from impact_view.web.camera import STANDARD, Camera
from impact_view.web.server import address

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (  # software rendering
    *("--headless=new", "--no-sandbox", "--hide-scrollbars", "--no-first-run"),
    *("--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"),
)
TINY = (16, 16)  # [pixels]
CONNECTED_WITHIN, DRAWN_WITHIN = 60.0, 120.0  # [s]; the first picture compiles its shaders


def open_browser(server: Any) -> None:
    """Open the user's browser, if a display is available."""
    if sys.platform == "darwin" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        webbrowser.open(address(server))


def find_browser() -> str | None:
    """Return a Chromium that can draw without a window, if there is one."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


@contextlib.contextmanager
def headless_browser(server: Any, width: int, height: int) -> Iterator[HeadlessBrowser]:
    """Open a viser server in a headless browser.

    Args:
        server: to be looked at.
        width: largest width of its pictures [pixels].
        height: of the same.

    Yields:
        The browser.

    Raises:
        ViewError: there is no browser, or it does not connect.
    """
    program = find_browser()
    if program is None:
        raise ViewError(f"a picture needs a browser: expected one of {', '.join(BROWSERS)}")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        size = f"--window-size={width + 500},{height + 200}"  # the widgets take part of it
        process = subprocess.Popen(
            [program, *FLAGS, size, f"--user-data-dir={profile}", address(server)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield HeadlessBrowser(server, _client(server, process))
        finally:
            process.terminate()
            process.wait()


def _client(server: Any, process: subprocess.Popen[bytes]) -> Any:
    """Wait for the browser to connect."""
    end = time.monotonic() + CONNECTED_WITHIN
    while time.monotonic() < end and process.poll() is None:
        if clients := server.get_clients():
            return next(iter(clients.values()))
        time.sleep(0.05)
    raise ViewError("a picture needs a browser, and the one that was started did not connect")


class HeadlessBrowser:
    """A browser that looks at a viser server."""

    def __init__(self, server: Any, client: Any) -> None:
        """Draw by a ``client`` of ``server``."""
        self._server, self._client = server, client

    def picture(self, width: int, height: int, camera: Camera = STANDARD) -> np.ndarray:
        """Return the visible scene on white, shape (height, width, 3).

        Raises:
            ViewError: the browser draws nothing.
        """
        self._server.flush()
        self._draw(*TINY, camera)  # after its answer all earlier changes have arrived, too
        drawn = self._draw(width, height, camera)
        opaque = drawn[..., 3:].astype(float) / 255.0
        return np.round(drawn[..., :3] * opaque + 255.0 * (1.0 - opaque)).astype(np.uint8)

    def _draw(self, width: int, height: int, camera: Camera) -> np.ndarray:
        """Return a picture with its opacity, shape (height, width, 4)."""
        try:
            drawn: np.ndarray = self._client.get_render(
                height,
                width,
                wxyz=camera.wxyz,
                position=np.array(camera.position),
                fov=camera.fov,
                transport_format="png",
                timeout=DRAWN_WITHIN,
            )
        except (TimeoutError, RuntimeError, ConnectionError) as error:
            raise ViewError(f"the browser drew no picture: {error}") from None
        return drawn
