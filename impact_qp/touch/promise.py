# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""The promise of a touch: the force that it stays below, and how its contact is detected.

The bound is the ceiling of doc/people.md, clamped, with the arm's own loop: a servo by its YAML,
or the velocity task of a torque-controlled arm, which pushes with :math:`k_v m v` and holds no
force. It is evaluated at the beginning, in the middle and at the end of the way; the worst counts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, isnan, nan, pi, sqrt
from typing import NamedTuple

import numpy as np

from impact_predictor.people.aim import Aim, aim
from impact_predictor.people.loop import Reaction, servo_of
from impact_predictor.people.touch import DampedPush, Promised, impact_force, touch_speed
from impact_qp.control.plan import Plan, geometry_refusal
from impact_qp.exceptions import ControlError
from impact_qp.goals.goal_reader import given, speed_within
from impact_qp.guards.takeover import deceleration
from impact_qp.limits import Contact
from impact_qp.touch.contact_sense import WINDOW, ZERO, SenseSetup
from impact_qp.touch.servo_push import ServoPush
from impact_qp.touch.touch_goal import CURRENTS, NONE, RETRACT, SENSORS, TouchGoal, joint_values
from impact_robots import PointState, Robot
from impact_robots.exceptions import RobotError
from impact_robots.kinematics import inverse_kinematics
from impact_robots.state.momentum_observer import residual_noise

OBSERVER_GAIN = 100.0  # of the momentum observer [1/s], less at low rates:
GAIN_OF_PERIOD = 0.5  # times one over the period
ERRORS = {SENSORS: 0.02, CURRENTS: 0.05}  # of the model's torques, fraction of the limits [-]
DEVIATIONS = 5.0  # of the noise, in a threshold
TASK_GAIN = 20.0  # k_v, of a torque-controlled arm [1/s]
SERVO_GAIN, SERVO_GAIN_OF_PERIOD = 100.0, 0.5  # the same of a servo's arm: it feeds nothing back
STALLS = 0.1  # least time over which an arm that stands is noticed [s]
SETTLES = 2.0  # lags of a servo until it moves as commanded
STEADY = 0.5  # fraction of the speed from which on that is looked at
DIRECTIONS, PARTS = 24, (0.0, 0.5, 1.0)  # of friction, and fractions of the highest
STEPS = 3  # configurations of the way that are looked at
RETREAT = 0.05  # highest speed of the way back [m/s]
STARTS = 0.2  # time in which the motion gets its speed [s]
WAITS = 2.0  # factor on the time that the way takes, of a goal without a time-out
SLOWEST = 5e-4  # speed that is worth beginning [m/s]


class Worst(NamedTuple):
    """Several configurations of a way."""

    pushes: tuple[Promised, ...]

    def ceiling(self, speed: float) -> float:
        """Return the largest of their ceilings [N]."""
        return max(each.ceiling(speed) for each in self.pushes)


@dataclass(frozen=True)
class TouchPlan:
    """An accepted touch."""

    goal: TouchGoal
    motion: Plan  # towards a plane at the distance limit
    sense: SenseSetup
    speed: float  # of the motion [m/s]
    promised: float  # force that the contact stays below [N]
    detection: float  # force that is detected for certain [N]
    gain: float  # of the velocity task [1/s]
    timeout: float  # [s]


def touch_plan(
    goal: TouchGoal, settings: Plan, robot: Robot, state: PointState, period: float
) -> TouchPlan:
    """Return how a touch is carried out.

    Args:
        goal: what is asked for.
        settings: of the node: its limits of speed and of impacts hold as well.
        robot: the arm.
        state: of it, now.
        period: of control [s].

    Raises:
        ControlError: the force cannot be promised; says which speed or force could. Or a field does
            not fit the robot.
        ImpactError: the point cannot move there, or the robot's YAML lacks fields.
    """
    way = _way(goal, robot, state)
    errors = _torque_thresholds(goal, robot, state, period)
    _refuse_reflex(goal, robot, way)
    pushes = _pushes(goal, settings, way, errors, period)
    speed = _speed(goal, settings, Worst(pushes))
    first, servo = way[0], settings.sends.servo
    lag, bandwidth, position, velocity, stiffness = 0.0, nan, nan, nan, nan
    detection = max(_detected(errors, each, settings.contact.friction[1]) for each in way)
    stall = _stall_window(goal, first, speed)
    if isinstance(push := pushes[0], ServoPush):
        lag, position, velocity = push.loop.lag, push.position(speed), push.velocity(speed)
        bandwidth = push.damping / push.mass  # the links take part
        stiffness, stall = push.loop.stiffness_along(first), inf
        detection = max(each.detection(speed) for each in pushes if isinstance(each, ServoPush))
    motors = robot.reflected_motor_inertia if servo else robot.apparent_motor_inertia
    sense = SenseSetup(
        goal.unit,
        first.j,
        errors,
        _observer_gain(period),
        np.array(motors) if goal.effort != SENSORS else None,
        lag,
        bandwidth,
        position,
        velocity,
        stiffness,
        stall,
        STEADY * speed,
    )
    timeout = goal.timeout if given(goal.timeout) else WAITS * (1.0 + ZERO + goal.distance / speed)
    motion = _motion(goal, settings, robot, state, speed)
    motion = replace(motion, stall_time=settings.stall_time + SETTLES * lag)
    gain = _servo_gain(period) if servo else TASK_GAIN
    ceiling = Worst(pushes).ceiling(speed)
    return TouchPlan(goal, motion, sense, speed, ceiling, detection, gain, timeout)


def _way(goal: TouchGoal, robot: Robot, state: PointState) -> list[Aim]:
    """Return the arm at configurations of the way, from its beginning to its end.

    Raises:
        ControlError: it cannot go as far.
    """
    configurations = [state.q]
    for k in range(1, STEPS):
        offset = goal.distance * k / (STEPS - 1) * goal.unit
        try:
            configurations.append(inverse_kinematics(robot, state.q, offset))
        except RobotError as error:
            raise ControlError(
                f"distance: expected a way within reach, got {goal.distance:g} m: {error}"
            ) from None
    return [aim(robot, q, goal.unit) for q in configurations]


def _torque_thresholds(
    goal: TouchGoal, robot: Robot, state: PointState, period: float
) -> np.ndarray | None:
    """Return thresholds of external torques, shape (n,) [N.m]: error of the model and noise."""
    if goal.effort == NONE:
        return None
    given_errors = joint_values("torque_errors", goal.torque_errors, robot)
    errors = ERRORS[goal.effort] * robot.limits.torque if given_errors is None else given_errors
    noise = goal.noise
    motors = robot.reflected_motor_inertia if goal.effort == CURRENTS else None
    M = state.robot_state.inertia(motors)
    momentum = noise.velocity * np.linalg.norm(M, axis=1)
    by_sensors = residual_noise(_observer_gain(period), period, momentum, noise.torque)
    threshold: np.ndarray = errors + DEVIATIONS * by_sensors
    return threshold


def _detected(errors: np.ndarray | None, to: Aim, friction: float = 0.0) -> float:
    """Return the force along the way that exceeds a threshold of torque, (n,) [N.m], in N.

    Args:
        errors: thresholds; None: no torque is compared.
        to: the arm.
        friction: highest of the surface: it may act in any direction, and hide the force [-].
    """
    if errors is None:
        return inf
    J, u = to.state.at(to.frame).J[:3], to.direction
    angles = np.linspace(0.0, 2.0 * pi, DIRECTIONS, endpoint=False)
    first, second = np.linalg.svd(u[None])[2][1:]  # along the surface
    along = np.outer(np.cos(angles), first) + np.outer(np.sin(angles), second)
    forces = [u + friction * part * each for part in PARTS for each in along]
    return float(1.0 / np.min(np.max(np.abs(np.array(forces) @ J) / errors, axis=1)))


def _resolution(goal: TouchGoal, to: Aim) -> float:
    """Return by how much noise may move the point along the way [m]."""
    return DEVIATIONS * goal.noise.position * float(np.linalg.norm(to.j))


def _stall_window(goal: TouchGoal, to: Aim, speed: float) -> float:
    """Return the time over which an arm that stands differs from one that moves [s]."""
    return max(STALLS, sqrt(2.0) * _resolution(goal, to) / (STEADY * speed))


def _observer_gain(period: float) -> float:
    return min(OBSERVER_GAIN, GAIN_OF_PERIOD / period)


def _servo_gain(period: float) -> float:
    return min(SERVO_GAIN, SERVO_GAIN_OF_PERIOD / period)


def _refuse_reflex(goal: TouchGoal, robot: Robot, way: list[Aim]) -> None:
    """Refuse a force at which the arm's own reflex would stop it first.

    Raises:
        ControlError: says the least force of the reflex.
    """
    reflex = joint_values("reflex_torques", goal.reflex, robot)
    if reflex is None:
        return
    trips = min(_detected(reflex, each) for each in way)
    if goal.force >= trips:
        raise ControlError(
            f"force: expected below {trips:.3g} N, at which the arm's own reflex trips along this"
            f" direction, got {goal.force:g} N; raise its thresholds, or ask for less"
        )


def _pushes(
    goal: TouchGoal, settings: Plan, way: list[Aim], errors: np.ndarray | None, period: float
) -> tuple[Promised, ...]:
    """Return what bounds the force at each configuration of the way.

    What a torque-controlled arm pushes with is limited, detected or not: by its velocity loop, and
    by the error of its model. A servo goes on until contact is detected, friction or not.
    """
    friction = settings.contact.friction[1]
    if not settings.sends.servo:
        if goal.effort == NONE:
            raise ControlError("effort: expected sensors or currents with the torque interface")
        motors, k = way[0].robot.apparent_motor_inertia, goal.stiffness
        return tuple(
            DampedPush(
                impact_force(each, motors, k, friction),
                _detected(errors, each),
                TASK_GAIN * each.mass(motors, friction),
            )
            for each in way
        )
    found, window = [], max(period, WINDOW)
    for each in way:
        slows = deceleration(each.robot, each.state.at(each.frame), -goal.unit)
        late = period + 1.0 / _servo_gain(period)
        filtered = max(1.0 / _observer_gain(period), WINDOW)
        force = _detected(errors, each, friction)
        reaction = Reaction(force, filtered, late, slows, period)
        resolution, servo = _resolution(goal, each), servo_of(each)
        push = ServoPush(each, servo, goal.stiffness, reaction, resolution, window, friction)
        found.append(push)
    return tuple(found)


def _speed(goal: TouchGoal, settings: Plan, push: Promised) -> float:
    """Return the speed of a touch [m/s].

    Raises:
        ControlError: the promise cannot be kept with it; says what could.
    """
    if isnan(goal.speed):
        fastest = touch_speed(push, goal.force)
        if fastest < SLOWEST:
            raise ControlError(
                f"force: {goal.force:g} N can be promised up to {1e3 * fastest:.2g} mm/s only,"
                f" {1e3 * SLOWEST:g} mm/s needs {push.ceiling(SLOWEST):.3g} N"
            )
        return min(fastest, settings.speed_cap)
    speed = speed_within("speed", goal.speed, settings.speed_cap)
    if (ceiling := push.ceiling(speed)) > goal.force:
        least = push.ceiling(0.0)
        could = (
            f"{1e3 * touch_speed(push, goal.force):.3g} mm/s keep {goal.force:g} N"
            if goal.force > least
            else f"no speed keeps {goal.force:g} N, of which the detection takes {least:.3g} N"
        )
        raise ControlError(
            f"speed: {1e3 * speed:g} mm/s can promise {ceiling:.3g} N, expected at most"
            f" {goal.force:g} N; {could}"
        )
    return speed


def _motion(goal: TouchGoal, settings: Plan, robot: Robot, state: PointState, speed: float) -> Plan:
    """Return the motion towards a plane at the distance limit.

    Raises:
        ControlError: the plane is out of reach.
    """
    known, into = settings.contact, goal.unit
    contact = Contact(
        state.position + goal.distance * into,
        -into,
        known.friction,
        known.restitution,
        known.peak_factor,
        known.impact_duration,
        known.stiffness,
    )
    plan = replace(
        settings,
        contact=contact,
        speed=speed,
        highest_speed=speed,
        ramp=min(settings.ramp, speed / STARTS),  # gently: the servo's model is a simple one
        activation_distance=inf,  # whatever is touched may be anywhere on the way
        overrun=inf,
        after=RETRACT,
        retract_speed=min(settings.retract_speed, settings.speed_cap, RETREAT),
    )
    if refusal := geometry_refusal(plan, robot, state):
        raise ControlError(refusal)
    return plan
