# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What is shown of a run, as arrays along its joint states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from impact_detector.attribution.expectation import Announcement

CONTACT_FORCE = 3.0  # force above which the arm is taken to touch something [N]


class PalmForce(NamedTuple):
    """What a contact point of a robot feels."""

    frame: str  # of the robot
    force: np.ndarray  # on it, base axes, shape (N, 3) [N]


class BoxTrack(NamedTuple):
    """Where a box is."""

    size: np.ndarray  # edges, shape (3,) [m]
    poses: np.ndarray  # position [m] and quaternion x, y, z, w of its centre, shape (N, 7)


@dataclass(frozen=True)
class ViewRecord:
    """N states of an arm with n joints, and what was recorded beside them; unknown is NaN.

    Of a robot with a free base q and dq begin with the base's, and base axes are the world's.
    What a controller and a detector said holds from their message on until the next one.
    """

    time: np.ndarray  # since the first state, shape (N,) [s]
    q: np.ndarray  # shape (N, nq) [rad]
    dq: np.ndarray  # shape (N, nv) [rad/s]
    force: np.ndarray  # on the robot, largest since the state before, base axes, (N, 3) [N]
    impulse: np.ndarray  # of that force since the beginning, shape (N, 3) [N.s]
    normal_speed: np.ndarray  # of the contact point along the normal, shape (N,) [m/s]
    speed_bound: np.ndarray  # of the impact limits, shape (N,) [m/s]
    gap: np.ndarray  # to the announced surface, shape (N,) [m]
    mode: tuple[str, ...]  # of the controller, N of them, "" before it says one
    limits: str  # name of the impact limits in force, "" if nobody said
    announced: tuple[Announcement | None, ...]  # for each state, N of them
    detections: tuple[tuple[float, str], ...]  # time [s] and what is said of it
    remarks: tuple[str, ...] = ()  # on what of the recording is not shown, and why
    palms: tuple[PalmForce, ...] = ()  # where a robot with several contacts feels ``force``
    boxes: tuple[BoxTrack, ...] = ()

    def __len__(self) -> int:
        return len(self.time)

    @property
    def duration(self) -> float:
        """From the first state to the last [s]."""
        return float(self.time[-1]) if len(self) else 0.0

    @property
    def in_contact(self) -> np.ndarray:
        """Whether a force says that the arm touches something, shape (N,)."""
        return np.linalg.norm(self.force, axis=1) > CONTACT_FORCE

    @property
    def contact_starts(self) -> np.ndarray:
        """States in which contacts begin, indices of shape (k,)."""
        begins = np.diff(self.in_contact.astype(int), prepend=0) > 0
        return np.flatnonzero(begins)

    def index(self, time: float) -> int:
        """Return the last state that is not after ``time`` [s]; the first one before it."""
        return max(0, int(np.searchsorted(self.time, time + 1e-9, side="right")) - 1)
