# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Plant, detector and controller in one process, in the order of the nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from impact_detector.attribution.expectation import Announcement
from impact_detector.estimators.streaming import Estimate
from impact_detector.session import DetectorSession
from impact_detector.signals.sample import Detection, DetectionStatus, ForceSample, JointSample
from impact_sim.cell.cell_simulation import CellSimulation
from impact_sim.driver.arm_driver import CYCLE_NS
from impact_sim.driver.simulation import START_NS, Measurement, Simulation

_new = tuple.__new__  # half the time of the constructor


@dataclass(frozen=True)
class SpreadState:
    """References and feedback of reference spreading in a cycle; base axes, shape (3,) each."""

    ante_velocity: np.ndarray  # of the contact point by the ante-impact reference [m/s]
    post_velocity: np.ndarray  # by the post-impact one [m/s]
    feedback: np.ndarray  # a_fb of the contact point [m/s^2]


class Answer(NamedTuple):
    """A controller's response to a state; arrays of shape (n,)."""

    command: np.ndarray  # sent to the driver
    velocity: np.ndarray  # desired [rad/s]
    reference_torque: np.ndarray  # expected reading of the torque sensors [N.m]
    announcement: Announcement | None = None  # a new announcement, if any
    spread: SpreadState | None = None  # of a controller by reference spreading


Controller = Callable[[Measurement, DetectionStatus], Answer]


class Cycle(NamedTuple):
    """One millisecond: measurement, detection and response."""

    measurement: Measurement
    status: DetectionStatus  # of the first detector
    answer: Answer
    detections: tuple[Detection, ...]  # of all detectors
    estimates: tuple[Estimate, ...]  # that became complete

    @property
    def time(self) -> int:
        """Stamp of the measurement, as the nodes give it [ns]."""
        return START_NS + self.measurement.time_ns


class ArmTurn:
    """The nodes of one arm: detector, then controller.

    As over DDS in lockstep: forces, then the state reach the detector; its detection status and
    the state reach the controller; its reference torque reaches the detector, its command the
    plant. The stamps equal those of the nodes, so the numbers are the same bit for bit.
    """

    def __init__(self, controller: Controller, session: DetectorSession) -> None:
        """Set up.

        Args:
            controller: called once a cycle.
            session: of the detector, in lockstep.
        """
        self._controller, self._session = controller, session
        self._senses_forces = session.needs_forces

    def detect(self, measurement: Measurement) -> DetectionStatus:
        """Return the detection status on a measurement."""
        session, stamp = self._session, START_NS + measurement.time_ns
        self._outcomes = []
        if self._senses_forces:
            sensed = forces(measurement)
            self._outcomes += [session.add_force(sample, topic) for topic, sample in sensed]
        state = JointSample(stamp, measurement.q, measurement.dq, measurement.tau)
        self._outcomes.append(session.add_state(state))
        (status,) = self._outcomes[-1].statuses
        return status

    def answer(self, measurement: Measurement, status: DetectionStatus) -> Cycle:
        """Return the cycle of the measurement that ``detect`` got last.

        Args:
            measurement: the same.
            status: that the controller shall obey.
        """
        stamp = START_NS + measurement.time_ns
        answer = self._controller(measurement, status)
        if answer.announcement is not None:
            self._session.announce(answer.announcement)
        reference = answer.reference_torque, answer.velocity
        detections: tuple[Detection, ...] = ()
        estimates: tuple[Estimate, ...] = ()
        for outcome in (*self._outcomes, self._session.add_reference(stamp, *reference)):
            detections += outcome.detections
            estimates += outcome.estimates
        return _new(Cycle, (measurement, status, answer, detections, estimates))


def lockstep(
    simulation: Simulation,
    controller: Controller,
    session: DetectorSession,
    q: np.ndarray,
    dq: np.ndarray | None = None,
) -> Iterator[Cycle]:
    """Yield one cycle after another, without end.

    Args:
        simulation: the plant, its driver and its sensors.
        controller: called once a cycle.
        session: of the detector, in lockstep.
        q: initial positions, shape (n,) [rad].
        dq: initial velocities, shape (n,) [rad/s]; None: at rest.
    """
    turn, measurement = ArmTurn(controller, session), simulation.reset(q, dq)
    while True:
        cycle = turn.answer(measurement, turn.detect(measurement))
        yield cycle
        measurement = simulation.step(cycle.answer.command)


def cell_lockstep(
    simulation: CellSimulation,
    turns: Sequence[ArmTurn],
    q: Sequence[np.ndarray],
    *,
    heard: Callable[[Sequence[DetectionStatus]], Sequence[DetectionStatus]] = tuple,
) -> Iterator[tuple[Cycle, ...]]:
    """Yield the cycles of all arms of a cell, one millisecond after another, without end.

    Args:
        simulation: the cell.
        turns: one per arm.
        q: initial positions, shape (n,) each [rad]; at rest.
        heard: maps the arms' detection statuses of one instant to those that their controllers
            use; by default each its own.
    """
    measurements = simulation.reset(q)
    while True:
        pairs = list(zip(turns, measurements, strict=True))
        statuses = heard([turn.detect(measurement) for turn, measurement in pairs])
        cycles = tuple(
            turn.answer(measurement, status)
            for (turn, measurement), status in zip(pairs, statuses, strict=True)
        )
        yield cycles
        measurements = simulation.step([cycle.answer.command for cycle in cycles])


def forces(measurement: Measurement) -> list[tuple[str, ForceSample]]:
    """Return the messages of the force sensor for a measurement, by topic."""
    stamp = START_NS + measurement.time_ns
    slow = ("wrench", ForceSample(stamp, measurement.forces[-1:]))
    if measurement.time_ns == 0:
        return [slow]
    period = CYCLE_NS // len(measurement.forces)
    first = stamp - CYCLE_NS + period
    return [("wrench_batch", ForceSample(first, measurement.forces, period)), slow]
