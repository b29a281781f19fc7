# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Collects measurements and status messages, in order of time, for the viewer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from impact_bags.reading.recording import Force, Item, RecordedReference
from impact_detector.attribution.expectation import Announcement
from impact_detector.signals.sample import JointSample
from impact_ros.messages import to_nanoseconds
from impact_view.run.force_axes import ForceAxes
from impact_view.run.record import ViewRecord

_MODE, _LIMITS, _DETECTOR = "MODE_", "IMPACT_LIMITS_", "DETECTOR_"
_SILENT = (np.nan, np.nan, np.nan, "")
_ZERO = np.zeros(3)
_LONGEST_STEP = 100_000_000  # between single forces; in a longer gap the force is unknown [ns]


class Collector:
    """Grows with every state; :meth:`record` may be asked for at any time."""

    def __init__(self, axes: ForceAxes) -> None:
        """Collect forces, which ``axes`` rotates into base axes."""
        self._axes = axes
        self._states: list[JointSample] = []
        self._rows: list[tuple[float, float, float, str]] = []  # speed, bound, gap, mode
        self._forces: list[np.ndarray] = []
        self._impulses: list[np.ndarray] = []
        self._announced: list[Announcement | None] = []
        self._detections: list[tuple[int, str]] = []
        self._status = _SILENT
        self._announcement: Announcement | None = None
        self._limits = ""
        self._source, self._batches = "", False  # of the impulse: its topic, and whether of batches
        self._forced: int | None = None  # time of the source's last sample [ns]
        self._largest, self._impulse = _ZERO, _ZERO.copy()

    def add(self, item: Item) -> None:
        """Take a state, a force or an announcement; desired torques are not shown."""
        if isinstance(item, JointSample):
            self._add_state(item)
        elif isinstance(item, Force):
            self._add_force(item)
        elif not isinstance(item, RecordedReference):
            self._announcement = None if item.withdrawn else item

    def _add_state(self, state: JointSample) -> None:
        if not (np.isfinite(state.q).all() and np.isfinite(state.dq).all()):
            return
        if self._states and state.time <= self._states[-1].time:
            return  # repeated, or time has jumped back: the first sample is shown
        self._states.append(state)
        self._rows.append(self._status)
        self._forces.append(self._largest)
        self._impulses.append(self._impulse.copy())
        self._announced.append(self._announcement)
        self._largest = _ZERO

    def _add_force(self, item: Force) -> None:
        """Keep the largest force since the last state, and add up the impulse of one topic."""
        sample = item.sample
        force = np.nan_to_num(sample.force)
        if not self._states or (rotation := self._axes(item.source, self._states[-1].q)) is None:
            return
        force = force @ rotation.T
        largest = force[np.argmax(np.einsum("ij,ij->i", force, force))]
        if largest @ largest > self._largest @ self._largest:
            self._largest = largest
        if (duration := self._duration(item)) > 0:
            self._impulse += force.sum(axis=0) * duration * 1e-9

    def _duration(self, item: Force) -> int:
        """Return how long each force of a sample acts [ns]; 0: it is not of the impulse's topic.

        That is the first topic with forces, or the first with batches if there are any.
        """
        time, period = item.sample.time, item.sample.period
        if not self._source or (period > 0 and not self._batches):
            self._source, self._batches, self._forced = item.source, period > 0, None
        if item.source != self._source:
            return 0
        last, self._forced = self._forced, time
        if period > 0:
            return period
        return time - last if last is not None and time - last <= _LONGEST_STEP else 0

    def add_controller_status(self, message: Any) -> None:
        """Take an impact_msgs/ControllerStatus, which holds for the states from now on."""
        mode = _constant(message, _MODE, message.mode)
        self._status = (message.normal_speed, message.speed_bound, message.gap, mode)
        self._limits = limits_of(message) or self._limits
        if self._states and self._states[-1].time == to_nanoseconds(message.header.stamp):
            self._rows[-1] = self._status  # it answers that state

    def add_event(self, message: Any) -> None:
        """Take an impact_msgs/ImpactEvent."""
        name = _constant(message, _DETECTOR, message.detector).replace("_", " ")
        time = to_nanoseconds(message.detection_time)
        self._detections.append((time, f"{name or 'a detector'}{_judgement(message)}"))

    def __len__(self) -> int:
        return len(self._states)

    def record(self) -> ViewRecord:
        """Return all data collected so far."""
        n = len(self._states[0].q) if self._states else 0
        start = self._states[0].time if self._states else 0
        columns = np.array([row[:3] for row in self._rows], dtype=float).reshape(-1, 3)
        return ViewRecord(
            time=np.array([(state.time - start) * 1e-9 for state in self._states]),
            q=np.array([state.q for state in self._states]).reshape(-1, n),
            dq=np.array([state.dq for state in self._states]).reshape(-1, n),
            force=np.array(self._forces).reshape(-1, 3),
            impulse=np.array(self._impulses).reshape(-1, 3),
            normal_speed=columns[:, 0],
            speed_bound=columns[:, 1],
            gap=columns[:, 2],
            mode=tuple(row[3] for row in self._rows),
            limits=self._limits,
            announced=tuple(self._announced),
            detections=tuple(((time - start) * 1e-9, text) for time, text in self._detections),
            remarks=self._axes.remarks,
        )


def limits_of(message: Any) -> str:
    """Return the name of the impact limits in an impact_msgs/ControllerStatus; "" for unknown."""
    return _constant(message, _LIMITS, message.impact_limits)


def _constant(message: Any, prefix: str, value: int) -> str:
    """Return the name of a message's constant, without its prefix; "" for unknown."""
    names: Mapping[str, Any] = vars(type(message))
    found = [name for name, number in names.items() if name.startswith(prefix) and number == value]
    name = found[0].removeprefix(prefix).lower() if found else ""
    return "" if name == "unknown" else name


def _judgement(message: Any) -> str:
    """Return the place of a detection and whether it was expected, as a clause."""
    kind = type(message)
    expected = {kind.EXPECTED_YES: ", expected", kind.EXPECTED_NO: ", not expected"}
    where = f" at {message.link}" if message.link else ""
    return where + expected.get(message.expected, "")
