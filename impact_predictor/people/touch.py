# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Move until contact: the force that a touch stays below, and the speed for a force."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from impact_predictor.contact_force.laws import HuntCrossley
from impact_predictor.joint_load.drive import IDEAL, can_load
from impact_predictor.joint_load.elastic_arm import elastic_arm
from impact_predictor.joint_load.load import joint_load, load_contact
from impact_predictor.people.aim import Aim
from impact_predictor.people.ceiling import combined_force
from impact_predictor.people.highest import highest_speed
from impact_predictor.people.loop import COASTING, ArmLoop
from impact_predictor.people.push import Push
from impact_predictor.people.regions import PersonError
from impact_robots.state.contact_frame import contact_rotation

HARDEST = 1e7  # of a contact that is simulated [N/m]
IMPACT = 0.2  # simulated of it [s]


class Promised(Protocol):
    """What promises a force."""

    def ceiling(self, speed: float) -> float:
        """Return the force that is promised at a speed [m/s], growing with it [N]."""


class DampedPush(NamedTuple):
    """A point under a velocity loop without position feedback: it pushes like a damper."""

    impact: float  # at 1 m/s, see :func:`impact_force` [N.s/m]
    detection: float  # force at which contact is detected [N]
    damping: float  # of the loop in the direction [N.s/m]

    def ceiling(self, speed: float) -> float:
        """Return the ceiling of :class:`.Push` for an arm whose loop holds no force [N]."""
        return combined_force(speed * self.impact, self.detection, speed * self.damping)


def impact_force(to: Aim, motor_inertia: ArrayLike, stiffness: float, friction: float) -> float:
    """Return the first peak of an impact on a spring at 1 m/s, before the arm's loop acts [N.s/m].

    The two-mass model, or the arm with flexible joints where that gives less: in a short impact
    its motors hardly take part. Friction of the surface adds mass, see :func:`.resistance`, and
    makes the contact longer, so that the motors do take part: a hit with friction counts, too.

    Args:
        to: the arm.
        motor_inertia: shape (n,) [kg.m^2].
        stiffness: of the spring [N/m].
        friction: coefficient [-].
    """
    motors, zero = np.array(motor_inertia, dtype=float), np.zeros(to.robot.dof)
    mass = to.mass(motors)
    added, impact = sqrt(to.mass(motors, friction) / mass), sqrt(mass * stiffness)
    if stiffness > HARDEST or not can_load(to.robot):
        return impact * added
    coasting = ArmLoop(COASTING, motors, zero, zero)
    impact = min(impact, Push(to, coasting, stiffness).run(1.0, IMPACT).peak) * added
    if friction > 0.0:
        impact = max(impact, _peak_with_friction(to, motors, stiffness, friction))
    return impact


def _peak_with_friction(to: Aim, motors: np.ndarray, stiffness: float, friction: float) -> float:
    """Return the peak of a hit along the direction by the joint-load model, at 1 m/s [N.s/m]."""
    arm = elastic_arm(replace(to.robot, apparent_motor_inertia=motors), to.state, IDEAL)
    rotation, law = contact_rotation(-to.direction), HuntCrossley(stiffness, 0.0, 1.0)
    point, velocity = to.state.at(to.frame), np.array([0.0, 0.0, -1.0])
    contact = load_contact(point, rotation, law, friction, velocity)
    return float(joint_load(arm, [contact], duration=IMPACT).peak_force[0])


class TouchForce(NamedTuple):
    """Of a touch at a speed."""

    ceiling_N: float  # promised: no simulated case exceeded it [N]
    peak_sim_N: float  # simulated [N]
    hold_sim_N: float  # simulated, after the stop [N]
    trig_s: float | None  # detection since contact; none: not detected [s]
    m_: float  # of the arm with its motors [kg]
    kc_: float  # of the arm's loop [N/m]
    ks_: float  # of loop and contact in series [N/m]
    dc_: float  # of the loop [N.s/m]
    Fi_: float  # of the impact alone [N]
    H_: float  # of the push until the arm stops [N]


def touch_force(push: Push, speed: float) -> TouchForce:
    """Return the forces of a touch at a speed [m/s].

    Raises:
        PredictionError: the robot's YAML does not define the required fields.
    """
    run = push.run(speed)
    return TouchForce(
        push.ceiling(speed),
        run.peak,
        run.end,
        run.trigger,
        push.aim.mass(push.loop.motor_inertia),
        push.loop.stiffness_along(push.aim),
        push.static_stiffness,
        push.loop.damping_along(push.aim),
        push.formula(speed),
        push.pushed(speed),
    )


def touch_speed(push: Promised, force: float) -> float:
    """Return the highest speed at which the ceiling is at most a force [N], in m/s.

    Raises:
        PersonError: none is; says the least force that could be promised.
    """
    least = push.ceiling(0.0)
    if force <= least:
        raise PersonError(
            f"touch: expected a force above {least:.3g} N, of which the detection takes its part,"
            f" got {force:g} N"
        )
    return highest_speed(lambda v: push.ceiling(v) / force)


def touch_speed_simulated(push: Push, force: float) -> float:
    """Return the highest speed at which the simulated peak is at most a force [N], in m/s."""
    return highest_speed(lambda v: push.run(v).peak / force)
