# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One picture of a recording, by a browser without a window."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from impact_bags.new_files import write_file
from impact_robots.robot import Robot
from impact_view.run.record import ViewRecord
from impact_view.scene.instant import Timeline
from impact_view.scene.stage import Stage
from impact_view.web.browser import headless_browser
from impact_view.web.camera import camera_of
from impact_view.web.server import view_server

WIDTH, HEIGHT = 960, 640  # [pixels]


def draw(record: ViewRecord, robot: Robot, time: float | None, path: Path, port: int) -> None:
    """Write a picture of the scene as PNG.

    Args:
        record: what is shown.
        robot: the arm.
        time: in the record [s]; None: when the contact force is largest.
        path: of the picture.
        port: on which it is served to the browser.

    Raises:
        ViewError: the port is taken, or there is no browser.
        WriteError: the file cannot be written.
    """
    timeline = Timeline(record, robot)
    with view_server(port, "impact view", camera_of(robot)) as server:
        stage = Stage(server.scene, robot)
        stage.set_wall(timeline.wall)
        stage.set_boxes(record.boxes)
        stage.show(timeline.at(largest_force(record) if time is None else time), timeline)
        with headless_browser(server, WIDTH, HEIGHT) as browser:
            image = browser.picture(WIDTH, HEIGHT, camera_of(robot))
    write_file(path, as_png(image))


def largest_force(record: ViewRecord) -> float:
    """Return the time of the largest contact force [s]; 0 without contact."""
    return float(record.time[np.argmax(np.linalg.norm(record.force, axis=1))])


def as_png(image: np.ndarray) -> bytes:
    """Return an image, shape (height, width, 3), as the bytes of a PNG."""
    import imageio.v3

    buffer = io.BytesIO()
    imageio.v3.imwrite(buffer, image, extension=".png")
    return buffer.getvalue()
