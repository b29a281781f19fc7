# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `view`: shows recordings in 3-D in the browser."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import Any

from impact_bags.bag_recording import TopicChoice
from impact_bags.open_recording import recording_name, recording_paths
from impact_cli.command_names import COMMANDS
from impact_cli.options.number_options import not_negative
from impact_cli.options.view_options import add_view_options
from impact_cli.recorded_robot import recorded_robot
from impact_robots.description.loader import load_robot
from impact_robots.robot import Robot

_EPILOG = """example:
  impact view impact_output/demo_2026-11-22_120000
  impact view grab --robot hrp4
  impact view recording --robot my_arm.yaml --port 9000
  impact view demo/robust/bag --picture hit.png --time 1.293

The page is served on this machine only, and loads nothing from elsewhere. Ctrl-C ends it.
"""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the command's parser to what ``ArgumentParser.add_subparsers`` returned."""
    parser = subparsers.add_parser(
        "view",
        help=COMMANDS["view"],
        description="Show recordings in 3-D in the browser: arm, surface, contact force, announced"
        " and measured impulse, speed against its bound, phase and detections, as far as they were"
        " recorded; joint states suffice. The recordings of a folder are listed.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("file", metavar="BAG", type=Path, help="bag, CSV, or folder of them")
    add(
        "--robot",
        metavar="NAME|YAML",
        help="name of a robot, or its YAML (default: the YAML beside the recording, else panda)",
    )
    add("--urdf", metavar="PATH", help="URDF that replaces the robot's own")
    add("--state-topic", default="", metavar="TOPIC", help="measured joint states, if several")
    add("--picture", type=Path, metavar="PNG", help="only draw one picture; needs Chromium")
    add("--time", type=_time, metavar="S", help="time of the picture (default: largest force)")
    add_view_options(add)
    parser.set_defaults(run=run)
    return parser


def _time(text: str) -> float:
    """Return one time, 0 or later [s]."""
    values = not_negative(text)
    if len(values) != 1:
        raise argparse.ArgumentTypeError(f"expected one time in seconds, got {text!r}")
    return values[0]


def run(arguments: argparse.Namespace) -> int:
    """Show the recordings until Ctrl-C, or draw a picture, and return the exit status.

    Raises:
        ImpactError: nothing can be shown, the port is taken, or there is no browser for a picture.
    """
    robot = load_robot(recorded_robot(arguments.robot, arguments.file), urdf=arguments.urdf)
    paths = recording_paths(arguments.file)
    choice = TopicChoice(state=arguments.state_topic)
    if arguments.picture is not None:
        return _draw(arguments, paths[0], robot, choice)
    from impact_view.run.recorded_run import read_view
    from impact_view.scene.player import Player
    from impact_view.web.browser import open_browser
    from impact_view.web.camera import camera_of
    from impact_view.web.server import address, view_server

    with view_server(arguments.port, "impact view", camera_of(robot)) as server:
        player = Player(server, robot)
        for path in paths:
            player.add(label_of(path, arguments.file), partial(read_view, path, robot, choice))
        try:
            print(f"{address(server)}  (Ctrl-C ends it)", file=sys.stderr, flush=True)
            if not arguments.no_browser:
                open_browser(server)
            player.play_forever()
        except KeyboardInterrupt:
            return 0


def label_of(path: Path, given: Path) -> str:
    """Return a recording's name in the list: its path relative to the given folder."""
    parts = path.relative_to(given).parts if path != given else (recording_name(path),)
    return "/".join(parts[:-1] if parts[-1] == "bag" and len(parts) > 1 else parts)


def _draw(arguments: argparse.Namespace, path: Path, robot: Robot, choice: TopicChoice) -> int:
    """Write one picture of the first recording."""
    from impact_view.picture import draw
    from impact_view.run.recorded_run import read_view

    draw(read_view(path, robot, choice), robot, arguments.time, arguments.picture, arguments.port)
    print(f"picture: {arguments.picture}")
    return 0
