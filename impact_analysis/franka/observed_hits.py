# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What an arm's collision detection observed in the hits of a recording."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from impact_analysis.analyze.reading.collected import AnalyzedImpact
from impact_analysis.analyze.reading.collection import collect
from impact_analysis.analyze.settings import AnalysisSettings
from impact_bags.bag_recording import BagRecording
from impact_bags.exceptions import RecordingError
from impact_bags.open_recording import open_recording
from impact_bags.reading.arm_estimate import ArmEstimate, read_arm_estimate
from impact_bags.reading.recording import Item
from impact_bags.series import Series, series
from impact_detector.attribution.expectation import Announcement
from impact_detector.detectors.momentum import external_force
from impact_detector.signals.sample import JointSample, from_seconds
from impact_drivers.franka.arm.collision_behavior import OBSERVER_GAIN
from impact_predictor.reflex.thresholds import ObservedHit
from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot
from impact_robots.state.momentum_observer import MomentumObserver

BEFORE, AFTER = 0.02, 0.3  # of a contact: what was observed then belongs to the hit [s]
LEAST = 5.0  # largest observed force that may be no contact at all [N]
BEGUN = 0.1  # fraction of its peak at which a soft contact has begun [-]
APPROACH = 0.05  # before a soft contact, over which its speed is the median [s]
ARM = "the arm's own estimate"
OBSERVER = f"a momentum observer of {OBSERVER_GAIN:g} 1/s"


@dataclass(frozen=True, eq=False)
class RecordedPeaks:
    """The largest external loads in one hit of a recording."""

    recording: str
    time: float  # of the contact [s]
    q: np.ndarray  # there, shape (n,) [rad]
    observed: ObservedHit
    torque_by: str  # ARM or OBSERVER
    force_by: str  # the same; by the torques, where the arm's own was not recorded


def observed_hits(path: Path, settings: AnalysisSettings) -> list[RecordedPeaks]:
    """Return the hits of a recording; what follows within 0.3 s of one belongs to it.

    Hits are the detected impacts. In a recording without any, the hit is the largest observed force
    along the normal since the first announcement: contacts as soft as foam make no velocity jump.
    External torques are the arm's own estimate if that was recorded, else those that a momentum
    observer finds by the measured joint torques.

    Args:
        path: of a bag, a CSV, or contact windows.
        settings: robot, and the surface's normal if it was not announced.

    Raises:
        RecordingError: it cannot be read, or has no hit, or no torques.
    """
    found, robot = collect(path, settings), settings.load_robot()
    if found.error:
        raise RecordingError(found.error)
    recording = open_recording(path, robot, settings.topics())
    arm = read_arm_estimate(path, robot) if isinstance(recording, BagRecording) else None
    loads = _Loads(recording.name, robot, list(recording.items(references=False)), arm)
    contacts = [loads.contact(each) for each in _first(found.impacts)]
    return [loads.peaks(each) for each in contacts or [loads.soft_contact(settings.normal)]]


def _first(impacts: Sequence[AnalyzedImpact]) -> Iterator[AnalyzedImpact]:
    """Yield the impacts that begin a hit, in the order of time."""
    last = -np.inf
    for each in sorted(impacts, key=lambda impact: impact.time):
        if each.time > last + AFTER:
            last = each.time
            yield each


class _Contact(NamedTuple):
    """The beginning of a hit."""

    time: float  # [s]
    q: np.ndarray  # shape (n,) [rad]
    speed: float  # of approach [m/s]


class _Loads:
    """External loads of a recording."""

    def __init__(
        self, name: str, robot: Robot, items: Sequence[Item], arm: ArmEstimate | None
    ) -> None:
        self._name, self._dynamics, self._n = name, ArmDynamics(robot), robot.dof
        samples = [each for each in items if isinstance(each, JointSample)]
        rows = [np.concatenate([each.q, each.dq]) for each in samples]
        self._states = series([each.time for each in samples], rows, 2 * self._n)
        self._announced = [
            (each.time, each.surface.normal)
            for each in items
            if isinstance(each, Announcement) and each.surface is not None
        ]
        own = arm is not None and len(arm.torque.time) > 0
        self._torque = arm.torque if arm is not None and own else _observed(robot, samples)
        self._torque_by = ARM if own else OBSERVER
        self._force = arm.force if arm is not None and len(arm.force.time) else None
        if not len(self._torque.time):
            raise RecordingError(f"{name}: expected joint torques, found none")

    def contact(self, impact: AnalyzedImpact) -> _Contact:
        """Return where a detected impact began.

        Raises:
            RecordingError: its speed is unknown, or no approach.
        """
        speed = -float(impact.normal @ self._dynamics(impact.q, impact.dq_before).velocity)
        return self._checked(_Contact(impact.time, impact.q, speed))

    def soft_contact(self, normal: Sequence[float] | None) -> _Contact:
        """Return where the contact with the largest observed force along the normal began.

        Args:
            normal: of the surface, base axes; None: as announced.

        Raises:
            RecordingError: there is no such force, or no normal.
        """
        if not self._announced and normal is None:
            raise RecordingError(f"{self._name}: expected a hit or an announced one, found none")
        begin = int(self._torque.time[0])
        start, axis = self._announced[0] if self._announced else (begin, np.array(normal))
        axis = axis if normal is None else np.array(normal) / np.linalg.norm(normal)
        torque = self._torque.within(start, 0.0, np.inf)
        time, forces = self._forces(torque)
        along = forces[:, :3] @ axis
        if not along.max(initial=0.0) > LEAST:
            raise RecordingError(
                f"{self._name}: expected a hit, found an observed force of at most"
                f" {along.max(initial=0.0):.1f} N"
            )
        top = int(np.argmax(along))
        before = np.flatnonzero(along[:top] < BEGUN * along[top])
        begun = int(time[before[-1] if len(before) else 0])
        states = self._states.within(begun, -APPROACH, 0.0).values
        speeds = [-axis @ self._dynamics(*np.split(state, 2)).velocity for state in states]
        if not speeds:
            raise self._error(begun * 1e-9, "expected joint states before it, found none")
        return self._checked(
            _Contact(begun * 1e-9, states[-1, : self._n], float(np.median(speeds)))
        )

    def peaks(self, contact: _Contact) -> RecordedPeaks:
        """Return the peaks of the hit that begins with a contact.

        Raises:
            RecordingError: no loads are known around it.
        """
        torque = self._near(self._torque, contact.time)
        force, force_by = self._forces(torque)[1], self._torque_by
        if self._force is not None and len(own := self._near(self._force, contact.time).values):
            force, force_by = own, ARM
        if not len(force):
            raise self._error(contact.time, "expected joint torques around it, found none")
        most = (np.abs(values).max(axis=0) for values in (torque.values, force))
        hit = ObservedHit(contact.speed, *most)
        return RecordedPeaks(self._name, contact.time, contact.q, hit, self._torque_by, force_by)

    def _forces(self, torque: Series) -> tuple[np.ndarray, np.ndarray]:
        """Return stamps (k,) [ns] and forces at the contact point that explain torques, (k, 6)."""
        states = self._states.at(torque.time)
        known = np.isfinite(states).all(axis=1)
        pairs = zip(states[known], torque.values[known], strict=True)
        rows = [external_force(self._dynamics(*np.split(s, 2)).J, each) for s, each in pairs]
        return torque.time[known], np.array(rows).reshape(-1, 6)

    def _checked(self, contact: _Contact) -> _Contact:
        """Return a contact whose speed is known and above 0."""
        if not (contact.speed > 0.0 and np.isfinite(contact.q).all()):
            got = f"expected a speed of approach above 0, got {contact.speed:.3f} m/s"
            raise self._error(contact.time, got)
        return contact

    def _near(self, loads: Series, time: float) -> Series:
        return loads.within(from_seconds(time), -BEFORE, AFTER)

    def _error(self, time: float, text: str) -> RecordingError:
        return RecordingError(f"{self._name}: hit at {time:.3f} s: {text}")


def _observed(robot: Robot, samples: Sequence[JointSample]) -> Series:
    """Return the external torques by an observer, at all states with torques."""
    observer, times, rows = MomentumObserver(robot, OBSERVER_GAIN), [], []
    for each in samples:
        if each.tau is None or not np.isfinite([each.q, each.dq, each.tau]).all():
            continue
        if observer.update(each.time, each.q, each.dq, each.tau):
            times.append(each.time)
            rows.append(observer.residual)
    return series(times, rows, robot.dof)
