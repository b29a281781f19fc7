# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Draws the README's moving picture: three controllers hit a wall, as the viewer shows it.

Run ``./impact shell -- python doc/make_hit_picture.py`` (two minutes; needs Chromium).
"""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from impact_analysis.demo.evaluation import Evaluation, evaluate_run
from impact_bags.bag_recording import TopicChoice
from impact_bags.reading.run_record import Run, read_run
from impact_cli.commands.demo import announced_contact
from impact_robots import load_robot
from impact_sim import load_scenario
from impact_trials.in_process.run import run_in_process
from impact_view.run.record import CONTACT_FORCE
from impact_view.run.recorded_run import read_view
from impact_view.scene.instant import Timeline
from impact_view.scene.stage import Stage
from impact_view.web.browser import headless_browser
from impact_view.web.camera import Camera
from impact_view.web.server import view_server

PATH, PORT = Path(__file__).parent / "figures" / "hit.gif", 8147
TITLES = {
    "unaware": "ignores impacts",
    "robust": "safe by formula",
    "joint_load": "safe by joint load",
}
CAMERA = Camera((0.6, -0.42, 0.98), (0.45, 0.4, 0.735), 0.72)
WIDTH, SCENE, PLOT, HEAD, FOOT = 300, 240, 122, 66, 66  # of a column's parts [pixels]
LARGE, SMALL = 26, 22  # letters [pixels], to be read where the picture is 400 pixels wide
FRAME_MS, HOLD_MS, COLORS = 80, 3000, 128
# Seconds from the touch: 20 ms a picture up to 20 ms before it, 1 ms a picture from 4 ms before.
TIMES = np.concatenate(
    [np.arange(-0.3, -0.02, 0.02), np.arange(-0.02, -0.004, 0.004), np.arange(-0.004, 0.041, 0.001)]
)
BLUE, RED, GREY, BLACK = (31, 119, 180), (214, 39, 40), (130, 130, 130), (20, 20, 20)
MARGIN, HEIGHT = 48, PLOT - 44  # of a plot, at its left; of its axis [pixels]


@dataclass(frozen=True)
class Column:
    """One controller's run."""

    name: str
    timeline: Timeline
    touch: float  # [s]
    figures: Evaluation


def main() -> None:
    """Simulate, draw every instant of every run, and write them as one GIF."""
    robot, scenario = load_robot("panda"), load_scenario("qp_panda_demo")
    contact = announced_contact(scenario, robot)
    with TemporaryDirectory() as folder:
        columns = []
        for name in TITLES:
            run = Run(scenario, name, Path(folder) / name)
            run_in_process(run)
            record = read_view(run.bag, robot, TopicChoice())
            figures = evaluate_run(read_run(run.bag, robot), robot, contact, name)
            touch = float(record.time[record.contact_starts[0]])
            columns.append(Column(name, Timeline(record, robot), touch, figures))
    _share_scales(columns)
    frames = [_joined(columns, scenes, time) for time, scenes in _scenes(columns, robot)]
    palette = _mosaic(frames[:: len(frames) // 6]).quantize(COLORS)
    drawn = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    durations = [FRAME_MS] * (len(drawn) - 1) + [HOLD_MS]
    drawn[0].save(PATH, save_all=True, append_images=drawn[1:], duration=durations, loop=0)
    print(f"{PATH}: {len(drawn)} pictures, {PATH.stat().st_size / 1e6:.2f} MB")


def _mosaic(frames: list[Image.Image]) -> Image.Image:
    """Return frames below each other: whose colors are needed."""
    width, height = frames[0].size
    image = Image.new("RGB", (width, height * len(frames)))
    for k, frame in enumerate(frames):
        image.paste(frame, (0, k * height))
    return image


def _share_scales(columns: list[Column]) -> None:
    """Let arrows and sets of all runs be of one scale."""
    for scale in ("force_scale", "impulse_scale"):
        least = min(getattr(column.timeline, scale) for column in columns)
        for column in columns:
            setattr(column.timeline, scale, least)


def _scenes(columns: list[Column], robot):
    """Yield times from the touch [s], each with the pictures of all runs at that time."""
    with view_server(PORT, "hit") as server:
        stages = [Stage(server.scene, robot, f"/{column.name}") for column in columns]
        for stage, column in zip(stages, columns, strict=True):
            stage.set_wall(column.timeline.wall)
        with headless_browser(server, WIDTH, SCENE) as browser:
            for time in TIMES:
                scenes = []
                for stage, column in zip(stages, columns, strict=True):
                    for other in stages:
                        other.reveal(other is stage)
                    stage.show(column.timeline.at(column.touch + time), column.timeline)
                    scenes.append(Image.fromarray(browser.picture(WIDTH, SCENE, CAMERA)))
                yield time, scenes


def _joined(columns: list[Column], scenes: list[Image.Image], time: float) -> Image.Image:
    """Return all runs side by side, with words and plots."""
    size = (WIDTH * len(columns), HEAD + SCENE + PLOT + FOOT)
    image = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(image)
    top = 1.1 * max(float(np.nanmax(column.timeline.speed)) for column in columns)
    for k, (column, scene) in enumerate(zip(columns, scenes, strict=True)):
        left = k * WIDTH
        image.paste(scene, (left, HEAD))
        draw.text((left + 10, 4), column.name, BLACK, _font(LARGE, bold=True))
        draw.text((left + 10, 36), TITLES[column.name], GREY, _font(SMALL))
        _plot(draw, column, left, time, top)
        _result(draw, column, left, time)
    return image


def _plot(draw: ImageDraw.ImageDraw, column: Column, left: int, time: float, top: float) -> None:
    """Draw the speed so far, and its bound, against the time from the touch."""
    record, base = column.timeline.record, HEAD + SCENE + PLOT - 16
    since = record.time - column.touch
    first, last = TIMES[0], TIMES[-1]
    shown = (since >= first) & (since <= time)
    x = left + MARGIN + (since - first) / (last - first) * (WIDTH - MARGIN - 12)
    for values, color, width in ((record.speed_bound, RED, 5), (column.timeline.speed, BLUE, 2)):
        good = shown & np.isfinite(values) & (values >= 0.0)
        y = base - values[good] / top * HEIGHT
        points = list(zip(x[good].tolist(), y.tolist(), strict=True))
        if len(points) > 1:
            draw.line(points, fill=color, width=width)
    draw.line([(left + MARGIN, base), (left + WIDTH - 12, base)], fill=GREY)
    draw.line([(left + MARGIN, base), (left + MARGIN, base - HEIGHT)], fill=GREY)
    words = base - PLOT + 8
    draw.text((left + MARGIN + 4, words), "m/s", BLUE, _font(SMALL))
    if np.isfinite(record.speed_bound).any():
        draw.text((left + MARGIN + 64, words), "its bound", RED, _font(SMALL))
    for value in (0.0, 0.5):
        height = base - value / top * HEIGHT - 13
        draw.text((left + 8, height), f"{value:g}", GREY, _font(SMALL))


def _result(draw: ImageDraw.ImageDraw, column: Column, left: int, time: float) -> None:
    """Say what happened, once it has."""
    top, measured_load = HEAD + SCENE + PLOT - 2, column.figures.measured_load
    clock = f"{time * 1e3:+.0f} ms"
    record = column.timeline.record
    force = np.linalg.norm(record.force[record.index(column.touch + time)])
    words = clock + (f", {force:.0f} N" if force > CONTACT_FORCE else "")
    draw.text((left + 10, top), words, GREY, _font(SMALL))
    if time < 0.03:
        return
    color = RED if measured_load.change > measured_load.change_limit else BLUE
    text = f"{measured_load.change:.1f} of {measured_load.change_limit:.0f} N.m"
    draw.text((left + 10, top + 30), text, color, _font(LARGE, bold=True))


def _font(size: int, *, bold: bool = False) -> ImageFont.FreeTypeFont:
    """Return matplotlib's own font, which is wherever matplotlib is."""
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / name), size)


if __name__ == "__main__":
    main()
