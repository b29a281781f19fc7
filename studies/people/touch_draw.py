# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Drawn touches: arm, pose, direction, surface, rate, noise, friction and what is asked for."""

from __future__ import annotations

import numpy as np

from impact_predictor.people.aim import TOOL, Aim
from impact_qp.touch.promise import ERRORS
from impact_qp.touch.touch_goal import EFFORTS, NONE, THENS, TouchGoal, TouchNoise
from impact_robots import Robot
from impact_robots.surface import USUAL_FRICTION
from impact_sim.driver.sensors import PANDA_NOISE, Noise
from impact_trials.in_process.touch_trial import TORQUE, TouchCase, servoed
from studies.people.person_draw import drawn_aim, drawn_gains, log_uniform

INTERFACES = TORQUE, "velocity", "position"  # back-drivable joints, and twice a servo
RATES = 100.0, 125.0, 250.0, 500.0  # of servos [Hz]
TORQUE_RATE = 1000.0  # [Hz]
SOFTEST, HARDEST = 1e4, 1e6  # [N/m]
DAMPED = 2.0  # least bandwidth of a servo's velocity loop over its position gain [-]
BEYOND = 2.0  # way beyond the surface, times what the detection of the whole force pushes it in


def draw_touch(robot: Robot, random: np.random.Generator, number: int) -> TouchCase:
    """Draw a touch; interfaces and measured efforts take turns by its number.

    The surface is as hard as announced, and the speed as high as the promise allows: nothing is
    in reserve but what the promise itself keeps. Friction of the joints, which the model does not
    know, is up to 0.9 of the announced error, noise 0.3 to 1.5 times that of a real Panda.

    Args:
        robot: the arm.
        random: generator of everything that is drawn.
        number: of the touch.
    """
    interface = INTERFACES[number % len(INTERFACES)]
    servo = interface != TORQUE
    efforts = EFFORTS if servo else tuple(each for each in EFFORTS if each != NONE)
    effort = efforts[number // len(INTERFACES) % len(efforts)]
    to = drawn_aim(robot, random, TOOL)
    stiffness, force = log_uniform(random, SOFTEST, HARDEST), log_uniform(random, 15.0, 60.0)
    gap = random.uniform(0.002, 0.01)
    error, noise = random.uniform(0.0, 0.9), random.uniform(0.3, 1.5)
    friction = () if effort == NONE else error * ERRORS[effort] * robot.limits.torque
    then = str(random.choice(THENS))
    goal = TouchGoal(
        tuple(to.direction),
        force,
        stiffness,
        distance=gap + 0.005 + BEYOND * force / stiffness,
        then=then,
        retract=random.uniform(0.005, 0.02),
        effort=effort,
        noise=_announced(noise),
    )
    return TouchCase(
        servoed(robot, *_drawn_gains(random, to)) if servo else robot,
        tuple(to.state.q),
        goal,
        interface,
        float(random.choice(RATES)) if servo else TORQUE_RATE,
        stiffness,
        gap,
        random.uniform(*USUAL_FRICTION),
        "robust",
        tuple(friction),
        _measured(noise),
        number,
    )


def _drawn_gains(random: np.random.Generator, to: Aim) -> tuple[float, float]:
    """Draw a servo that overshoots by a few percent at most: its bandwidth with the links [1/s]."""
    position, velocity = drawn_gains(random)
    motors = np.array(to.robot.reflected_motor_inertia)
    damping = velocity / float(np.sum(to.j**2 / motors))
    return min(position, damping / to.mass(motors) / DAMPED), velocity


def _announced(scale: float) -> TouchNoise:
    known = TouchNoise()
    return TouchNoise(scale * known.position, scale * known.velocity, scale * known.torque)


def _measured(scale: float) -> Noise:
    real = PANDA_NOISE
    return Noise(scale * real.position, scale * real.velocity, scale * real.torque, real.force)
