# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What came of a grab, in numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_predictor.sets.feasible_sets import impulse_set
from impact_qp.whole_body import Arrival, ArrivingImpulses, arrival_speed, arriving_impulses
from impact_robots import ArmDynamics, Robot
from impact_robots.state.frames import frame_index
from impact_trials.grab.palm_truth import PalmTruth


@dataclass(frozen=True)
class PalmOutcome:
    """The impact of one palm."""

    time: float  # of contact [s]
    speed: float  # towards where the box was announced, right before it [m/s]
    closing: float  # the same relative to the box, which another palm may have set off [m/s]
    bound: float  # robust, on both palms' speed, where the robot was then [m/s]
    latency: float  # from contact to the cycle that knew of it [s]; NaN: none did
    impulse: float  # along the normal up to the end of compression [N.s]
    stopped: float  # z^T W iota / closing speed: 1 stops the composite body [-]
    is_announced: bool  # whether the impulse is no worse than the set announced for that speed
    is_possible: bool  # whether it is no worse than the set for the closing speed
    peak_force: float  # [N]
    wrist_load: float  # largest J^T f of the palm's last three joints over the motor's limit [-]


@dataclass(frozen=True)
class BoxOutcome:
    """One box, from the approach on."""

    palms: tuple[PalmOutcome, ...]  # that touched it
    lifted: float  # how far it was up at the lift's end [m]
    slipped: float  # how far it then was off the palms' middle [m]
    distance: float  # from the robot where it lay at the end [m]
    margin: float  # least of the zero-moment point in all phases up to the lift's end [m]
    toss_margin: float  # least after that [m]; NaN: there was no toss


@dataclass(frozen=True)
class GrabOutcome:
    """A trial."""

    boxes: tuple[BoxOutcome, ...]
    fell: bool
    failure: str  # why the phases gave up; empty: they did not
    phase: str  # the last one
    unsolved: int  # cycles whose program had no solution
    duration: float  # [s]


def palm_outcome(
    robot: Robot, truth: PalmTruth, arrivals: tuple[Arrival, ...], palm: int, known: float
) -> PalmOutcome:
    """Return what an impact did.

    Args:
        robot: of the trial.
        truth: of the palm.
        arrivals: of both palms as announced.
        palm: which of them.
        known: when the controller knew of it [s]; NaN: it did not.
    """
    state = ArmDynamics(robot, "all").state(truth.q, truth.v)
    arrival = arrivals[palm]
    contact, point = arrival.contact, state.at(arrival.frame)
    (arriving,) = arriving_impulses(robot, state, (arrival,))
    speed = float(-contact.normal @ point.velocity)
    impulse = contact.rotation.T @ truth.compression
    closing = speed + float(contact.normal @ truth.box_velocity)
    load = np.abs(point.J[:3].T @ np.array(truth.forces).T)[-robot.dof :].max(axis=1)
    parent = robot.model.frames[frame_index(robot.model, arrival.frame)].parentJoint
    wrist = [robot.model.joints[joint].idx_v - 6 for joint in robot.model.supports[parent][-3:]]
    return PalmOutcome(
        truth.time,
        speed,
        closing,
        arrival_speed(robot, truth.q, arrivals).speed,
        known - truth.time,
        float(impulse[2]),
        float(arriving.W[2] @ impulse) / closing,
        _is_in_set(arriving, speed, impulse),
        _is_in_set(arriving, closing, impulse),
        float(np.linalg.norm(truth.peak)),
        float((load / robot.limits.torque)[wrist].max()),
    )


def _is_in_set(arriving: ArrivingImpulses, speed: float, impulse: np.ndarray) -> bool:
    """Return whether an impulse in contact axes, (3,) [N.s], is no worse than a speed's set."""
    contact = arriving.arrival.contact
    if speed <= 0.0:  # the palm was not coming: nothing is announced
        return False
    announced = impulse_set(
        arriving.W, contact.friction[1], contact.restitution, -speed, circumscribed=True
    )
    return announced.contains_in_hull_with_zero(impulse, 1e-6)
