# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Plays runs in the browser: select, play, pause or move in time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from impact_robots.exceptions import ImpactError
from impact_robots.robot import Robot
from impact_view.run.record import ViewRecord
from impact_view.scene.instant import Timeline
from impact_view.scene.pace import advance
from impact_view.scene.panel import Panel
from impact_view.scene.stage import Stage

PERIOD = 1.0 / 30.0  # between pictures [s]
Loader = Callable[[], ViewRecord]
PAUSE = 1.0  # at the end of a run, before it restarts [s]


class Player:
    """Shows runs of one arm.

    Attributes:
        time: in the chosen run [s].
    """

    def __init__(self, server: Any, robot: Robot) -> None:
        """Set the scene on a viser server."""
        self._server, self._robot = server, robot
        self._stage, self._panel = Stage(server.scene, robot), Panel(server.gui)
        self._loaders: dict[str, Loader] = {}
        self._timeline: Timeline | None = None
        self._chosen, self._rest = "", 0.0
        self.time = 0.0

    def add(self, label: str, load: Loader) -> None:
        """Offer a run, which is loaded when it is chosen; the first one is chosen at once.

        Raises:
            ImpactError: the first one cannot be read.
        """
        self._loaders[label] = load
        if self._chosen:
            self._panel.set_runs(tuple(self._loaders), self._chosen)
        else:
            self.choose(label)

    def choose(self, label: str) -> None:
        """Go to the beginning of a run.

        Raises:
            ImpactError: it cannot be read.
        """
        self._chosen = label
        self._panel.set_runs(tuple(self._loaders), label)
        self._begin(self._loaders[label]())

    def follow(self, label: str, record: ViewRecord) -> None:
        """Show the latest state of a run in progress."""
        self._loaders[label] = lambda: record
        if self._chosen != label:
            self._chosen = label
            self._panel.set_runs(tuple(self._loaders), label)
        self._begin(record)
        self.time = record.duration
        self.show()

    def _begin(self, record: ViewRecord) -> None:
        self.time, self._rest = 0.0, PAUSE
        self._timeline = Timeline(record, self._robot)
        self._stage.set_wall(self._timeline.wall)
        self._stage.set_boxes(record.boxes)
        self._panel.set_timeline(self._timeline)

    def show(self) -> None:
        """Show the present time of the chosen run."""
        if self._timeline is None:
            return
        instant = self._timeline.at(self.time)
        with self._server.atomic():
            self._stage.show(instant, self._timeline)
            self._panel.show(instant)

    def step(self, elapsed: float) -> None:
        """Advance playback by ``elapsed`` [s]."""
        if self._panel.run in self._loaders and self._panel.run != self._chosen:
            self._try(self._panel.run)
        if self._timeline is None:
            return
        if (wanted := self._panel.moved()) is not None:
            self._panel.play(False)
            self.time = wanted
        elif self._panel.playing:
            self._play(elapsed)
        self.show()

    def _try(self, label: str) -> None:
        """Select a run; if it cannot be read, show the error and keep the previous run."""
        before = self._chosen
        try:
            self.choose(label)
        except ImpactError as error:
            self._panel.complain(str(error))
            self._chosen = before
            self._panel.set_runs(tuple(self._loaders), before)

    def _play(self, elapsed: float) -> None:
        assert self._timeline is not None
        record = self._timeline.record
        if self.time >= record.duration:
            self._rest -= elapsed
            if self._rest <= 0.0:
                self.time, self._rest = 0.0, PAUSE
            return
        touches = record.time[record.contact_starts] if self._panel.slow else np.zeros(0)
        self.time = min(record.duration, advance(self.time, elapsed, touches, self._panel.rate))

    def play_forever(self) -> NoReturn:
        """Play until the process is interrupted."""
        before = time.monotonic()
        while True:
            time.sleep(PERIOD)
            now = time.monotonic()
            self.step(now - before)
            before = now
