# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Measured figures of an impact, beside announced, allowed and predicted ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_analysis.demo.measured_load import MeasuredLoad, measured_load
from impact_bags.exceptions import RecordingError
from impact_bags.reading.run_record import RunRecord
from impact_detector.estimators.gross_velocity import gross_velocity
from impact_detector.estimators.impulse import Impulse, integrate_impulse
from impact_predictor.exceptions import PredictionError
from impact_predictor.inertia.inverse_inertia import crb
from impact_predictor.laws.impact_map import impact_map
from impact_predictor.sets.feasible_sets import friction_pyramid, impulse_set, unit_impulses
from impact_predictor.sets.polytope import Polytope
from impact_predictor.sets.speed_bound import existential_speed_bound
from impact_qp.limits import Contact, JointLoadLimit, RobustImpactLimit, impact_rows
from impact_robots.dynamics import ArmDynamics
from impact_robots.exceptions import ImpactError
from impact_robots.robot import Robot
from impact_robots.state.state import PointState

FORCE_NOISE = 0.5  # standard deviation of one component of the wall's sensor [N]
BEFORE = 0.05  # window of the velocity before the contact [s]
AFTER = 0.1  # window of the gross velocity after it [s]
FACETS = 8


@dataclass(frozen=True)
class Evaluation:
    """One impact; p are contact axes, z out of the surface; times in seconds."""

    controller: str  # which impact limits
    rotation: np.ndarray  # from contact axes to base axes, shape (3, 3)
    before: PointState  # right before the contact
    contact_time: float  # by the force sensor
    release_time: float
    contact_speed: float  # along -z [m/s]
    speed_bound: float  # closed form, at the configuration of contact [m/s]
    impulse: np.ndarray  # on the robot, in p, NaN without a force sensor, shape (3,) [N.s]
    announced: Polytope  # the impulses that were announced, in p [N.s]
    impulse_in_set: bool | None  # in the convex hull of the announced set and zero; None: unknown
    impulse_strictly_in_set: bool | None
    impulse_normal_ratio: float  # z^T W iota/|v_n^-|: 1 + c_r if the set's inertia were exact
    worst_joint: str  # whose impulsive torque is the largest fraction of its limit
    impulsive_torque: float  # of the measured impulse, that joint [N.m]
    impulsive_torque_limit: float  # of that joint [N.m]
    worst_admissible_joint: str
    worst_admissible_torque: float  # of any announced impulse [N.m]
    measured_load: MeasuredLoad  # by the joints' torque sensors
    load_bound: float  # speed at which no joint is overloaded, NaN: joints not known [m/s]
    detection_delay: float  # after the contact, NaN if it was missed
    gross_velocity: np.ndarray  # measured after the impact, NaN unknown, shape (n,) [rad/s]
    predicted: dict[str, np.ndarray]  # joint velocities after it by inertia, each (n,) [rad/s]

    @property
    def prediction_rms(self) -> dict[str, float]:
        """Root mean square error over the joints, by inertia [rad/s]."""
        return {
            name: float(np.sqrt(np.mean((velocity - self.gross_velocity) ** 2)))
            for name, velocity in self.predicted.items()
        }

    def as_json(self) -> dict:
        """Return the figures, SI units in the keys, NaN or infinity for unknown values."""
        return {
            "controller": self.controller,
            "contact_speed_mps": self.contact_speed,
            "speed_bound_mps": self.speed_bound,
            "worst_joint": self.worst_joint,
            "impulsive_torque_nm": self.impulsive_torque,
            "impulsive_torque_limit_nm": self.impulsive_torque_limit,
            "worst_admissible_joint": self.worst_admissible_joint,
            "worst_admissible_impulsive_torque_nm": self.worst_admissible_torque,
            "torque_change_joint": self.measured_load.change_joint,
            "torque_change_nm": self.measured_load.change,
            "torque_change_limit_nm": self.measured_load.change_limit,
            "largest_torque_joint": self.measured_load.torque_joint,
            "largest_torque_nm": self.measured_load.torque,
            "torque_range_nm": self.measured_load.torque_limit,
            "joint_load_speed_bound_mps": self.load_bound,
            "impulse_ns": self.impulse.tolist(),
            "impulse_in_set": self.impulse_in_set,
            "impulse_strictly_in_set": self.impulse_strictly_in_set,
            "impulse_normal_ratio": self.impulse_normal_ratio,
            "contact_time_s": self.contact_time,
            "contact_duration_s": self.release_time - self.contact_time,
            "detection_delay_s": self.detection_delay,
            "prediction_rms_degps": {
                name: float(np.degrees(rms)) for name, rms in self.prediction_rms.items()
            },
        }


def evaluate_run(
    record: RunRecord,
    robot: Robot,
    contact: Contact,
    controller: str,
    touch: Impulse | None = None,
) -> Evaluation:
    """Evaluate the first impact of a recording.

    Args:
        record: measurements, with the wall's force unless ``touch`` is given.
        robot: the arm.
        contact: as announced.
        controller: which impact limits were in force: unaware, robust, existential, nominal or
            joint_load.
        touch: the contact by other means than force; NaN for unknown values.

    Raises:
        RecordingError: no contact in the force, or too little before or after it.
    """
    try:
        if touch is None:
            force = record.force
            touch = integrate_impulse(force.seconds, force.values, noise=FORCE_NOISE)
        gross = gross_velocity(record.states.seconds, record.q, touch.t_contact, AFTER).velocity
    except ImpactError as error:
        raise RecordingError(f"no impact to evaluate: {error}") from None
    R = contact.rotation
    before = state_before(record, robot, touch.t_contact)
    J, W = R.T @ before.J[:3], crb(before, R)
    speed, impulse = -float((J @ before.dq)[2]), R.T @ touch.impulse
    known = bool(np.isfinite(impulse).all())
    announced = impulse_set(
        W, contact.friction[1], contact.restitution, -speed, FACETS, circumscribed=True
    )
    return Evaluation(
        controller=controller,
        rotation=R,
        before=before,
        contact_time=touch.t_contact,
        release_time=touch.t_release,
        contact_speed=speed,
        speed_bound=closed_form_bound(robot, contact, before, controller),
        impulse=impulse,
        announced=announced,
        impulse_in_set=announced.contains_in_hull_with_zero(impulse) if known else None,
        impulse_strictly_in_set=announced.contains(impulse) if known else None,
        impulse_normal_ratio=float((W @ impulse)[2] / speed),
        **_torques(robot, contact, before, impulse, speed),
        measured_load=measured_load(record, robot, touch.t_contact),
        load_bound=load_bound(robot, contact, before),
        detection_delay=_delay(record, touch),
        gross_velocity=gross,
        predicted=_predictions(robot, contact, before),
    )


def state_before(record: RunRecord, robot: Robot, contact_time: float) -> PointState:
    """Return the state right before a contact.

    Positions and velocities are those of a parabola through the positions of the last 50 ms, good
    to 1 % of 0.08 m/s; a few measured velocities of a Panda are good to 3 %.

    Raises:
        RecordingError: fewer than ten samples in these 50 ms.
    """
    time = record.states.seconds
    inside = (time > contact_time - BEFORE) & (time <= contact_time)
    t, q = time[inside] - contact_time, record.q[inside]
    if len(t) < 10:
        raise RecordingError(f"only {len(t)} samples in the 50 ms before the contact")
    _, slope, at_contact = np.polyfit(t, q, 2)
    return ArmDynamics(robot)(at_contact, slope)


def closed_form_bound(robot: Robot, contact: Contact, state: PointState, controller: str) -> float:
    """Return the speed bound of a controller at a configuration, without margin [m/s].

    ``joint_load`` has its own; ``existential`` with the inscribed cone, as published; every other
    controller is compared with ``robust`` with the circumscribed one.
    """
    if controller == "joint_load":
        return load_bound(robot, contact, state)
    if controller != "existential":
        limit = RobustImpactLimit(robot, contact, margin=0.0, generators=FACETS)
        return limit.speed_bound(state).speed
    W, K = crb(state, contact.rotation), friction_pyramid(contact.friction[0], FACETS)
    rows, bounds, _ = impact_rows(robot, contact, state)
    return existential_speed_bound(W, K, rows, bounds, contact.restitution)


def load_bound(robot: Robot, contact: Contact, state: PointState) -> float:
    """Return the bound of ``joint_load`` without margin, NaN: joints not known [m/s]."""
    try:
        limit = JointLoadLimit(robot, contact, margin=0.0)
    except PredictionError:
        return float("nan")
    return limit.speed_bound(state).speed


def _torques(
    robot: Robot, contact: Contact, state: PointState, impulse: np.ndarray, speed: float
) -> dict:
    """Return measured and worst admissible impulsive torque, each of its worst joint."""
    torque = impact_rows(robot, contact, state)[0][: robot.dof]
    units = unit_impulses(
        crb(state, contact.rotation),
        contact.friction[1],
        contact.restitution,
        FACETS,
        circumscribed=True,
    )
    limit = robot.limits.impulsive_torque
    measured = np.abs(torque @ impulse)
    admissible = np.abs(torque @ units).max(axis=1) * speed
    worst = int(np.argmax(admissible / limit))
    joint = worst if np.isnan(measured).any() else int(np.argmax(measured / limit))
    return {
        "worst_joint": robot.joint_names[joint],
        "impulsive_torque": float(measured[joint]),
        "impulsive_torque_limit": float(limit[joint]),
        "worst_admissible_joint": robot.joint_names[worst],
        "worst_admissible_torque": float(admissible[worst]),
    }


def _delay(record: RunRecord, touch: Impulse) -> float:
    """Return the time from contact to the first detection after it, NaN without one [s]."""
    times = record.detections.seconds
    after = times[times >= touch.t_contact]
    return float(after.min() - touch.t_contact) if len(after) else float("nan")


def _predictions(robot: Robot, contact: Contact, state: PointState) -> dict[str, np.ndarray]:
    """Return the joint velocities after the impact by each inertia: Coulomb friction, e = 0."""
    J, (friction, _) = contact.rotation.T @ state.J[:3], contact.middle
    return {
        name: impact_map(state.M, motor, J, state.dq, friction=friction).dq_after
        for name, motor in robot.motor_inertias.items()
    }
