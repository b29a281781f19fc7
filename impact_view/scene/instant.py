# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The visible state of a run at one time: places, arrows and text, independent of a browser."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot
from impact_view.run.record import CONTACT_FORCE, ViewRecord
from impact_view.scene.impulse_shapes import (
    LONGEST_FORCE,
    LONGEST_SET,
    ImpulseSolid,
    impulse_solid,
    round_scale,
)
from impact_view.scene.surfaces import find_wall

HELD = 0.3  # display time of the impulse set after a contact [s]
SHOWN = 0.5  # display time of a detection [s]


@dataclass(frozen=True)
class Instant:
    """One state; base axes."""

    time: float  # [s]
    frames: np.ndarray  # of the model, each as a homogeneous transform, shape (f, 4, 4)
    contact: np.ndarray  # contact point, shape (3,) [m]
    force: np.ndarray | None  # on the robot, as it is drawn, shape (3,) [m]; none: no contact
    solid: ImpulseSolid | None  # impulses announced, in [N.s]
    solid_at: np.ndarray  # where it is drawn, shape (3,) [m]
    impulse: np.ndarray | None  # measured so far, in [N.s], shape (3,); none before contact
    lines: tuple[str, ...]  # in words
    palms: tuple[tuple[np.ndarray, np.ndarray], ...] = ()  # place and force as drawn, (3,) each [m]
    boxes: tuple[np.ndarray, ...] = ()  # position and quaternion x, y, z, w, shape (7,) each


class Timeline:
    """The instants of a record.

    Attributes:
        record: what is shown.
        wall: the surface, none if unknown.
        force_scale: length of 1 N [m].
        impulse_scale: length of 1 N.s [m].
        speed: of the contact point towards the surface, without one its magnitude, (N,) [m/s].
    """

    def __init__(self, record: ViewRecord, robot: Robot) -> None:
        """Prepare to show a record of an arm."""
        self.record, self._robot = record, robot
        self._data, self._dynamics = robot.model.createData(), ArmDynamics(robot)
        self.wall = find_wall(record, robot)
        self.speed = self._speeds()
        forces = np.linalg.norm(record.force, axis=1)
        self.force_scale = round_scale(forces.max(initial=0.0), LONGEST_FORCE)
        self._sets = [self._announced_at(touch) for touch in record.contact_starts]
        solids = [solid for _, solid in self._sets if solid is not None]
        largest = max((np.linalg.norm(each.vertices, axis=1).max() for each in solids), default=0.0)
        self.impulse_scale = round_scale(largest or self._fastest_set(), LONGEST_SET)

    def _speeds(self) -> np.ndarray:
        """Return the reported normal speed; where none was reported, computed from the states."""
        record = self.record
        if len(record) and np.isfinite(record.normal_speed).all():
            return -record.normal_speed
        if record.palms:
            return self._palm_speeds()
        points = (self._dynamics(q, dq) for q, dq in zip(record.q, record.dq, strict=True))
        velocity = np.array([point.J[:3] @ point.dq for point in points]).reshape(-1, 3)
        if self.wall is None:
            return np.linalg.norm(velocity, axis=1)
        return -velocity @ self.wall.normal

    def _palm_speeds(self) -> np.ndarray:
        """Return the speed of the faster palm."""
        model, found = self._robot.model, []
        frames = [model.getFrameId(palm.frame) for palm in self.record.palms]
        for q, dq in zip(self.record.q, self.record.dq, strict=True):
            pin.forwardKinematics(model, self._data, q, dq)
            speeds = (pin.getFrameVelocity(model, self._data, each).linear for each in frames)
            found.append(max(float(np.linalg.norm(speed)) for speed in speeds))
        return np.array(found)

    def _announced_at(self, index: int) -> tuple[int, ImpulseSolid | None]:
        """Return the last state before a contact, and the impulses announced for it."""
        before = max(0, int(index) - 1)
        return before, self._solid(before)

    def _fastest_set(self) -> float:
        """Return the largest impulse of the fastest state with an announcement [N.s], or 0."""
        said = np.array([each is not None for each in self.record.announced], dtype=bool)
        if not said.any():
            return 0.0
        solid = self._solid(int(np.argmax(np.where(said, self.speed, -np.inf))))
        return 0.0 if solid is None else float(np.linalg.norm(solid.vertices, axis=1).max())

    def _solid(self, index: int) -> ImpulseSolid | None:
        record, announced = self.record, self.record.announced[index]
        if announced is None:
            return None
        return impulse_solid(announced, self._dynamics, record.q[index], record.dq[index])

    def at(self, time: float) -> Instant:
        """Return the visible state at ``time`` [s]."""
        record, k = self.record, self.record.index(time)
        frames = self._frames(record.q[k])
        contact = frames[self._robot.model.getFrameId(self._robot.contact_frame), :3, 3]
        pressing = self._presses(k) and not record.palms  # palms have arrows of their own
        force = record.force[k] * self.force_scale if pressing else None
        solid, place, impulse = self._impulses(k, contact)
        lines = self._lines(k, impulse)
        boxes = tuple(box.poses[k] for box in record.boxes)
        return Instant(
            float(record.time[k]),
            frames,
            contact,
            force,
            solid,
            place,
            impulse,
            lines,
            self._palms(k, frames),
            boxes,
        )

    def _palms(self, k: int, frames: np.ndarray) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
        """Return positions of the palms and forces on them, as drawn."""
        model, palms = self._robot.model, self.record.palms
        return tuple(
            (frames[model.getFrameId(palm.frame), :3, 3], palm.force[k] * self.force_scale)
            for palm in palms
        )

    def _frames(self, q: np.ndarray) -> np.ndarray:
        pin.framesForwardKinematics(self._robot.model, self._data, q)
        return np.array([placement.homogeneous for placement in self._data.oMf])

    def _presses(self, k: int) -> bool:
        return bool(np.linalg.norm(self.record.force[k]) > CONTACT_FORCE)

    def _impulses(
        self, k: int, contact: np.ndarray
    ) -> tuple[ImpulseSolid | None, np.ndarray, np.ndarray | None]:
        """Return the set, its position and the measured impulse, held for a while after contact."""
        record = self.record
        last = int(np.searchsorted(record.contact_starts, k, side="right")) - 1
        if last >= 0 and not record.palms:
            before, solid = self._sets[last]
            if record.time[k] - record.time[before] < HELD:
                place = self._dynamics.position(record.q[before])
                return solid, place, record.impulse[k] - record.impulse[before]
        return self._solid(k), contact, None

    def _lines(self, k: int, impulse: np.ndarray | None) -> tuple[str, ...]:
        record = self.record
        shown = [text for time, text in record.detections if 0 <= record.time[k] - time < SHOWN]
        lines = [
            f"time {record.time[k]:.3f} s",
            f"phase {record.mode[k]}" if record.mode[k] else "",
            f"speed {self.speed[k]:.3f} m/s" + _bound(record.speed_bound[k]),
            f"force {np.linalg.norm(record.force[k]):.0f} N" if self._presses(k) else "",
            f"impulse {np.linalg.norm(impulse):.2f} N.s" if impulse is not None else "",
            f"impact detected: {shown[-1]}" if shown else "",
        ]
        return tuple(line for line in lines if line)


def _bound(bound: float) -> str:
    return f" of {bound:.3f} m/s" if np.isfinite(bound) else ""
