# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Plant, detector and controller in one process, in the order in which the nodes take turns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from impact_detector.attribution.expectation import Announcement
from impact_detector.estimators.streaming import Estimate
from impact_detector.session import DetectorSession
from impact_detector.signals.sample import Detection, ForceSample, JointSample, Verdict
from impact_sim.arm_driver import CYCLE_NS
from impact_sim.simulation import FORCE_PERIOD_NS, START_NS, Measurement, Simulation


@dataclass(frozen=True)
class Answer:
    """What a controller answers to a state; arrays of shape (n,)."""

    command: np.ndarray  # what the driver is sent
    velocity: np.ndarray  # desired [rad/s]
    reference_torque: np.ndarray  # what the torque sensors should read [N.m]
    announcement: Announcement | None = None  # what it announces, if that is new


Controller = Callable[[Measurement, Verdict], Answer]


@dataclass(frozen=True)
class Cycle:
    """One millisecond: what was measured, what the detectors made of it, what was answered."""

    measurement: Measurement
    verdict: Verdict  # of the first detector
    answer: Answer
    detections: tuple[Detection, ...]  # of all detectors
    estimates: tuple[Estimate, ...]  # that became complete

    @property
    def time(self) -> int:
        """Stamp of the measurement, as the nodes give it [ns]."""
        return START_NS + self.measurement.time_ns


def lockstep(
    simulation: Simulation,
    controller: Controller,
    session: DetectorSession,
    q: np.ndarray,
    dq: np.ndarray | None = None,
) -> Iterator[Cycle]:
    """Yield one cycle after another, without end.

    As over DDS in lockstep: forces, then the state reach the detector; its verdict and the state
    reach the controller; its reference torque reaches the detector, its command the plant. The
    stamps are those of the nodes too, so the numbers are the same bit for bit.

    Args:
        simulation: the plant, its driver and its sensors.
        controller: called once a cycle.
        session: of the detector, in lockstep.
        q: where the arm starts, shape (n,) [rad].
        dq: how it moves there, shape (n,) [rad/s]; none: it is at rest.
    """
    measurement = simulation.reset(q, dq)
    while True:
        stamp = START_NS + measurement.time_ns
        outcomes = [session.add_force(sample, topic) for topic, sample in forces(measurement)]
        state = JointSample(stamp, measurement.q, measurement.dq, measurement.tau)
        outcomes.append(session.add_state(state))
        (verdict,) = outcomes[-1].verdicts
        answer = controller(measurement, verdict)
        if answer.announcement is not None:
            session.announce(answer.announcement)
        outcomes.append(session.add_reference(stamp, answer.reference_torque))
        detections = tuple(found for outcome in outcomes for found in outcome.detections)
        estimates = tuple(estimate for outcome in outcomes for estimate in outcome.estimates)
        yield Cycle(measurement, verdict, answer, detections, estimates)
        measurement = simulation.step(answer.command)


def forces(measurement: Measurement) -> list[tuple[str, ForceSample]]:
    """Return what the force sensor publishes with a measurement, by topic."""
    stamp = START_NS + measurement.time_ns
    slow = ("wrench", ForceSample(stamp, measurement.forces[-1:]))
    if measurement.time_ns == 0:
        return [slow]
    first = stamp - CYCLE_NS + FORCE_PERIOD_NS
    return [("wrench_batch", ForceSample(first, measurement.forces, FORCE_PERIOD_NS)), slow]
