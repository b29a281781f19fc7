# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""The force of a touch of an arm under a servo, whose force sensor is what it lags behind.

After contact with a spring k at a speed v, the arm loses :math:`y` against its servo:

.. math:: m\,\ddot y + d\,\dot y + k_c\,y = k\,\max(0,\; v t - y)

with the mass m behind the point, damping d and stiffness :math:`k_c` of the servo in the direction.
It is as large as v: solved once for 1 m/s, it gives the time of the detection at each speed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import NamedTuple

import numpy as np

from impact_predictor.people.aim import Aim
from impact_predictor.people.ceiling import combined_force
from impact_predictor.people.loop import ArmLoop, Reaction
from impact_predictor.people.touch import impact_force

LOST = 0.3  # fraction of the speed that a servo may lose
STEP, FOLLOWED = 5e-4, 0.5  # of the motion after contact [s]
CREEPING = 1e-6  # least speed at which a time of detection is finite [m/s]


class Held(NamedTuple):
    """A point that friction holds sideways, in the direction."""

    impact: float  # at 1 m/s, see :func:`.impact_force` [N.s/m]
    mass: float  # m, with the motors [kg]
    damping: float  # d, of the servo [N.s/m]
    servo: float  # k_c, of servo and joints [N/m]
    static: float  # k_s, of these and the contact [N/m]


@dataclass(frozen=True)
class ServoPush:
    """A point of an arm under a servo; detected by its efforts, or by what it lags behind."""

    aim: Aim
    loop: ArmLoop
    stiffness: float  # of the contact [N/m]
    reaction: Reaction  # by efforts
    resolution: float  # least loss against the servo that is detected [m]
    window: float  # over which a lost speed is measured [s]
    friction: float  # highest of the surface [-]

    @cached_property
    def damping(self) -> float:
        """Return d, of the servo in the direction [N.s/m]."""
        return float(1.0 / np.sum(self.aim.j**2 / self.loop.damping))

    @cached_property
    def mass(self) -> float:
        """Return m, with the motors [kg]."""
        return self.aim.mass(self.loop.motor_inertia)

    @cached_property
    def held(self) -> Held:
        """The same with friction."""
        aim, loop, friction = self.aim, self.loop, self.friction
        joints = 1.0 / loop.stiffness + 1.0 / np.array(aim.robot.joint_stiffness)
        servo = aim.resisting(np.diag(joints), friction)
        return Held(
            impact_force(aim, loop.motor_inertia, self.stiffness, friction),
            aim.mass(loop.motor_inertia, friction),
            aim.resisting(np.diag(1.0 / loop.damping), friction),
            servo,
            1.0 / (1.0 / self.stiffness + 1.0 / servo),
        )

    def position(self, speed: float) -> float:
        """Return the loss against the servo that is contact, at a speed [m/s], in m."""
        return self.resolution + LOST * speed * self.loop.lag

    def velocity(self, speed: float) -> float:
        """Return the loss per second that is contact, at a speed [m/s], in m/s."""
        return max(LOST * speed, 2.0**0.5 * self.resolution / self.window)

    def detection(self, speed: float) -> float:
        """Return the force that is detected at a speed [m/s] if it grows slowly, in N."""
        by_position = self.loop.stiffness_along(self.aim) * self.position(speed)
        return min(self.reaction.force, by_position)

    def ceiling(self, speed: float) -> float:
        """Return the ceiling of :class:`.Push`, by the signal that is first [N]."""
        held, react, lag = self.held, self.reaction, self.loop.lag
        impact = speed * held.impact
        late = react.period + react.delay
        stop = speed**2 / (2.0 * react.brake)
        effort = max(react.force, held.static * speed * lag)
        effort += held.static * (speed * (react.filter_time + late) + stop)
        way = max(speed, CREEPING) * (self.detected_after(speed) + lag + late) + stop
        return combined_force(impact, min(effort, held.static * way), 0.0)

    def detected_after(self, speed: float) -> float:
        """Return when what it lags behind is contact, at a speed [m/s], in s."""
        lost, window = self._lost, max(1, round(self.window / STEP))
        speed = max(speed, CREEPING)
        rate = (lost[window:] - lost[:-window]) / (window * STEP)
        by_rate = np.flatnonzero(rate >= self.velocity(speed) / speed)
        by_position = np.flatnonzero(lost >= self.position(speed) / speed)
        times = [
            STEP * float(by_rate[0] + window) if len(by_rate) else inf,
            STEP * float(by_position[0]) if len(by_position) else inf,
        ]
        if min(times) < inf:
            return min(times)
        grows = rate[-1]  # it pushes slowly by then
        return FOLLOWED + float((self.position(speed) / speed - lost[-1]) / grows)

    @cached_property
    def _lost(self) -> np.ndarray:
        """What is lost at 1 m/s at every step since contact, shape (t,) [m]."""
        _, m, d, k_c, _ = self.held
        k = min(self.stiffness, m / STEP**2)  # a harder contact is lost as soon as that
        y = rate = 0.0
        found = [0.0]
        for step in range(1, round(FOLLOWED / STEP) + 1):
            force = k * max(0.0, step * STEP - y)
            rate = (rate + STEP * (force - k_c * y) / m) / (1.0 + STEP * d / m)
            y += STEP * rate
            found.append(y)
        return np.array(found)
