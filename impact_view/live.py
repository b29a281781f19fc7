# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The viewer of runs in progress: the process at the other end of a LiveFeed.

Called as ``python -m impact_view.live ROBOT PORT BROWSER``; parcels come on standard input. It ends
when its parent closes that, or terminates it.
"""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import queue
import sys
import threading
import time
from collections.abc import Sequence
from typing import BinaryIO

from rosbags.typesys.store import Typestore

from impact_bags import impact_typestore
from impact_bags.bag_recording import ANNOUNCEMENT, JOINT_STATE, WRENCH
from impact_bags.reading.recording import Force
from impact_bags.writing.suite_messages import CONTROLLER_STATUS, EVENT
from impact_detector.ros.conversion import announcement, batch_sample, joint_sample, wrench_sample
from impact_robots.description.loader import load_robot
from impact_robots.exceptions import ImpactError
from impact_robots.robot import Robot
from impact_ros.messages import JointReader
from impact_view.live_feed import Message
from impact_view.run.collector import Collector
from impact_view.run.force_axes import ForceAxes
from impact_view.run.free_collector import KINDS as FREE_KINDS
from impact_view.run.free_collector import FreeCollector
from impact_view.scene.player import PERIOD, Player
from impact_view.web.browser import open_browser
from impact_view.web.camera import camera_of
from impact_view.web.server import address, view_server

REFRESH = 0.2  # between pictures of a run in progress [s]
NICE = 10  # the run has priority


class FreeRun:
    """One run of a robot with a free base in progress, from its recorded messages."""

    def __init__(self, label: str, robot: Robot, typestore: Typestore) -> None:
        """Begin without any message."""
        self.label, self._typestore = label, typestore
        self.collector = FreeCollector(robot)

    def add(self, message: Message) -> None:
        """Take a message.

        Raises:
            ImpactError: the message cannot be shown.
        """
        topic, kind, cdr = message
        if kind in FREE_KINDS:
            self.collector.add(topic, kind, self._typestore.deserialize_cdr(cdr, kind))


class LiveRun:
    """One run of an arm in progress, from its recorded messages."""

    def __init__(self, label: str, robot: Robot, typestore: Typestore) -> None:
        """Begin without any message."""
        self.label, self._typestore = label, typestore
        self._reader = JointReader(robot.joint_names)
        self.collector = Collector(ForceAxes(robot, {}))  # the plant measures in base axes

    def add(self, message: Message) -> None:
        """Take a message.

        Raises:
            ImpactError: the message cannot be shown.
        """
        topic, kind, cdr = message
        content = self._typestore.deserialize_cdr(cdr, kind)
        if kind == CONTROLLER_STATUS:
            self.collector.add_controller_status(content)
        elif kind == EVENT:
            self.collector.add_event(content)
        elif kind == JOINT_STATE:
            self.collector.add(joint_sample(content, self._reader))
        elif kind == ANNOUNCEMENT:
            self.collector.add(announcement(content))
        else:
            sample = wrench_sample(content) if kind == WRENCH else batch_sample(content)
            self.collector.add(Force(sample, topic))


class LiveViewer:
    """Shows the newest run while its messages arrive, and plays any run afterwards."""

    def __init__(self, player: Player, robot: Robot) -> None:
        """Show runs by a player."""
        self._player, self._robot = player, robot
        self._typestore = impact_typestore()
        self._make = FreeRun if robot.base == "floating" else LiveRun
        self._run = self._make("", robot, self._typestore)

    def take(self, parcel: Sequence[Message | str]) -> None:
        """Take the newly recorded items: names of new runs, and messages."""
        for item in parcel:
            if isinstance(item, str):
                self._show()
                self._run = self._make(item, self._robot, self._typestore)
                continue
            with contextlib.suppress(ImpactError):
                self._run.add(item)
        self._show()

    def _show(self) -> None:
        if len(self._run.collector) > 1:
            self._player.follow(self._run.label, self._run.collector.record())


def main(arguments: Sequence[str]) -> int:
    """Show the runs received on standard input.

    Returns:
        0 ended by its parent, 1 nothing can be shown.
    """
    name, port, browser = arguments
    os.nice(NICE)
    parcels: queue.SimpleQueue[list[Message | str] | None] = queue.SimpleQueue()
    source = io.BufferedReader(io.FileIO(0, closefd=False))  # Python waits for sys.stdin at its end
    threading.Thread(target=_receive, args=(source, parcels), daemon=True).start()
    try:
        robot = load_robot(name)
        with view_server(int(port), "impact demo", camera_of(robot)) as server:
            print(f"watch it at {address(server)}", file=sys.stderr, flush=True)
            if int(browser):
                open_browser(server)
            _serve(Player(server, robot), robot, parcels)
    except ImpactError as error:
        print(f"impact: --view: {error}", file=sys.stderr)
        return 1
    return 0


def _receive(source: BinaryIO, parcels: queue.SimpleQueue[list[Message | str] | None]) -> None:
    """Put parcels into a queue, and None behind the last one."""
    with contextlib.suppress(EOFError, OSError, pickle.UnpicklingError):
        while True:
            parcels.put(pickle.load(source))
    parcels.put(None)


def _serve(
    player: Player, robot: Robot, parcels: queue.SimpleQueue[list[Message | str] | None]
) -> None:
    """Follow runs while parcels arrive, play what there is while none do."""
    viewer, before = LiveViewer(player, robot), time.monotonic()
    while True:
        try:
            parcel = parcels.get(timeout=PERIOD)
        except queue.Empty:
            now = time.monotonic()
            player.step(now - before)
            before = now
            continue
        if parcel is None:
            return
        if parcel:
            viewer.take(parcel)
            time.sleep(REFRESH)
            before = time.monotonic()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
