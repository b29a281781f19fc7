# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Outcome of a grab, in numbers."""

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
    speed: float  # towards the announced box, right before contact [m/s]
    beside: float  # distance from its planned place across the normal [m]
    closing: float  # its speed relative to the box, which the other palm may have moved [m/s]
    bound: float  # robust, on the speed of both palms, at the state of contact [m/s]
    latency: float  # from contact to the cycle that detected it [s]; NaN: not detected
    impulse: float  # along the normal up to the end of compression [N.s]
    total: float  # as long as it was watched, without the motors' part [N.s]
    stopped: float  # z^T W iota / closing speed: 1 stops the composite body [-]
    published: float  # the larger of both over the largest of the published set for its speed [-]
    of_bound: float  # the same over the largest announced, by the other palm through the box [-]
    is_announced: bool  # whether both are no worse than the set announced for that speed
    is_possible: bool  # whether it is no worse than the set for the closing speed
    peak_force: float  # [N]
    wrist_load: float  # largest J^T f of the palm's last three joints over the motor's limit [-]


@dataclass(frozen=True)
class BoxOutcome:
    """One box, from the approach on."""

    palms: tuple[PalmOutcome, ...]  # that touched it
    lifted: float  # height at the end of the lift [m]
    slipped: float  # distance from the middle of the palms at that time [m]
    distance: float  # from the robot at the end [m]
    margin: float  # smallest of the zero-moment point up to the end of the lift [m]
    toss_margin: float  # smallest after that [m]; NaN: there was no toss


@dataclass(frozen=True)
class GrabOutcome:
    """A trial."""

    boxes: tuple[BoxOutcome, ...]
    fell: bool
    failure: str  # why the phases failed; empty: they did not
    phase: str  # the last one
    unsolved: int  # cycles whose program had no solution
    duration: float  # [s]


def palm_outcome(
    robot: Robot,
    truth: PalmTruth,
    arrivals: tuple[Arrival, ...],
    palm: int,
    known: float,
    total: float,
    place: np.ndarray,
) -> PalmOutcome:
    """Return the outcome of an impact.

    Args:
        robot: of the trial.
        truth: of the palm.
        arrivals: of both palms as announced.
        palm: which of them.
        known: when the controller detected it [s]; NaN: it did not.
        total: see :func:`.total_impulse` [N.s].
        place: planned, of the palm at the box, shape (3,) [m].
    """
    state = ArmDynamics(robot, "all").state(truth.q, truth.v)
    arrival = arrivals[palm]
    contact, point = arrival.contact, state.at(arrival.frame)
    (arriving,) = arriving_impulses(robot, state, (arrival,))
    speed = float(-contact.normal @ point.velocity)
    impulse = contact.rotation.T @ truth.compression
    closing = speed + float(contact.normal @ truth.box_velocity)
    normal, high = float(arriving.W[2] @ impulse), 1.0 + contact.restitution[1]
    most = max(normal, float(arriving.W[2, 2]) * total)
    published = most / (high * speed) if speed > 0.0 else np.inf
    of_bound = published / arrival.coupling
    load = np.abs(point.J[:3].T @ np.array(truth.forces).T)[-robot.dof :].max(axis=1)
    parent = robot.model.frames[frame_index(robot.model, arrival.frame)].parentJoint
    wrist = [robot.model.joints[joint].idx_v - 6 for joint in robot.model.supports[parent][-3:]]
    return PalmOutcome(
        truth.time,
        speed,
        float(np.linalg.norm((contact.rotation.T @ (point.position - place))[:2])),
        closing,
        arrival_speed(robot, truth.q, arrivals).speed,
        known - truth.time,
        float(impulse[2]),
        total,
        normal / closing,
        published,
        of_bound,
        of_bound <= 1.0 and _is_in_set(arriving, speed, impulse),
        _is_in_set(arriving, closing, impulse),
        float(np.linalg.norm(truth.peak)),
        float((load / robot.limits.torque)[wrist].max()),
    )


def _is_in_set(arriving: ArrivingImpulses, speed: float, impulse: np.ndarray) -> bool:
    """Return whether an impulse in contact axes, (3,) [N.s], is no worse than a speed's set."""
    contact = arriving.arrival.contact
    if speed <= 0.0:  # the palm did not approach: no announced set
        return False
    announced = impulse_set(
        arriving.W,
        contact.friction[1],
        contact.restitution,
        -arriving.arrival.coupling * speed,
        circumscribed=True,
    )
    return announced.contains_in_hull_with_zero(impulse, 1e-6)
