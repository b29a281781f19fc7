# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An arm that pushes on a spring, simulated with its own loop and reaction."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import NamedTuple

import numpy as np

from impact_predictor.contact_force.laws import HuntCrossley
from impact_predictor.joint_load.load import JointLoad, LoadContact, LoadHistory, joint_load
from impact_predictor.joint_load.motion_records import TICK
from impact_predictor.joint_load.object_load import joined
from impact_predictor.people.aim import Aim
from impact_predictor.people.ceiling import PushCeiling, ceiling_of
from impact_predictor.people.loop import SERVO, ArmLoop, Reaction
from impact_predictor.reflex.observed_peaks import observed_force

TRANSIENT_TIME = 0.5  # after which a contact counts as quasi-static [s]
_LONGEST = 5.0  # of a simulation [s]


class PushRun(NamedTuple):
    """Forces of one push."""

    peak: float  # [N]
    first_peak_time: float  # since contact [s]
    end: float  # at the end of the simulation [N]
    trigger: float | None  # time of the detection since contact; none: not detected [s]
    peak_time: float  # since contact [s]


@dataclass(frozen=True)
class Push:
    """A point of the arm that meets a linear spring without friction or damping."""

    aim: Aim
    loop: ArmLoop
    stiffness: float  # of the contact, padding included [N/m]
    mass: float = inf  # behind the spring; infinite: clamped [kg]
    reaction: Reaction | None = None

    @property
    def holds(self) -> bool:
        """Whether a force remains between a clamped person and the stopped arm."""
        return self.mass == inf and self.loop.pushes

    @cached_property
    def bound(self) -> PushCeiling:
        """The ceiling of its forces."""
        return ceiling_of(self.aim, self.loop, self.stiffness, self.mass, self.reaction)

    @property
    def static_stiffness(self) -> float:
        """k_s, of contact and arm in series; without a loop that of the contact [N/m]."""
        return self.bound.stiffness

    def meeting_mass(self, arm_mass: float) -> float:
        """Return mu, of both bodies [kg], from the arm's mass [kg]."""
        return 1.0 / (1.0 / arm_mass + 1.0 / self.mass)

    def formula(self, speed: float) -> float:
        """Return F_i, the force of the two-mass model with M + B [N], at a speed [m/s]."""
        return speed * self.bound.impact

    def held(self, speed: float, reaction_time: float) -> float:
        """Return the force after the arm has stopped [N].

        Args:
            speed: of approach [m/s].
            reaction_time: from contact until the arm brakes [s].
        """
        if self.reaction is None:
            return inf
        return self.static_stiffness * self.stopping_way(speed, reaction_time)

    def stopping_way(self, speed: float, reaction_time: float) -> float:
        """Return how far the arm is sent on from contact until it stops [m]; arguments as there."""
        if self.reaction is None:
            return inf
        return speed * (reaction_time + self.loop.lag) + speed**2 / (2.0 * self.reaction.brake)

    def ceiling(self, speed: float) -> float:
        """Return the force that no simulated case exceeded [N], infinite if the arm pushes on."""
        return self.bound.force(speed)

    def pushed(self, speed: float) -> float:
        """Return H, the force of the ceiling by how far the arm pushes before it stops [N]."""
        return self.bound.pushed(speed)

    def run(self, speed: float, duration: float | None = None) -> PushRun:
        """Simulate a push.

        Args:
            speed: of the point before contact [m/s].
            duration: for which it is followed; none: until the arm has stopped [s].

        Raises:
            PredictionError: the robot's YAML does not define the required fields.
        """
        duration = self._long_enough(speed) if duration is None else duration
        load = self._simulated(speed, duration)
        trigger = None
        if self.reaction is not None:
            trigger = triggered(_history(load).force[:, 0], self.reaction)
            if trigger is not None and self.loop.pushes:
                load = self._simulated(speed, duration, self._braking(speed, duration, trigger))
        force = _history(load).force[:, 0]
        first = int(np.argmax(np.append(np.diff(force) < 0.0, True)))
        times = TICK * (first + 1), TICK * (int(np.argmax(force)) + 1)
        return PushRun(float(load.peak_force[0]), times[0], float(force[-1]), trigger, times[1])

    def reaction_time(self, speed: float, trigger: float | None) -> float:
        """Return the time from contact until the arm brakes [s]; if undetected, the slow push's."""
        react = self.reaction
        if react is None:
            return inf
        slow = react.force / (self.static_stiffness * max(speed, 1e-9)) + react.filter_time
        return (slow if trigger is None else trigger) + react.delay

    def _long_enough(self, speed: float) -> float:
        """Return the duration until the arm has stopped [s]."""
        if self.reaction is None:
            return TRANSIENT_TIME
        late = self.reaction_time(speed, None) + speed / self.reaction.brake + self.loop.lag
        return min(_LONGEST, 0.3 + 1.5 * late)

    def _simulated(
        self, speed: float, duration: float, command: np.ndarray | None = None
    ) -> JointLoad:
        arm, J = self.loop.arm(self.aim), np.zeros((3, len(self.aim.j)))
        J[2] = -self.aim.j
        if self.mass < inf:
            arm = joined([arm], np.array([[self.mass]]))
            J = np.hstack([J, [[0.0], [0.0], [1.0]]])
        law = HuntCrossley(self.stiffness, 0.0, 1.0)
        contact = LoadContact(J, np.array([0.0, 0.0, -speed]), law, 0.0)
        return joint_load(arm, [contact], duration=duration, command=command, with_history=True)

    def _braking(self, speed: float, duration: float, trigger: float) -> np.ndarray:
        """Return the change of the torque commanded at every tick, shape (ticks, n) [N.m]."""
        assert self.reaction is not None
        times = TICK * np.arange(max(1, round(duration / TICK)))
        way, rate = self.reaction.change(speed, times - trigger - self.reaction.delay)
        command = np.outer(way, self.loop.stiffness * self.aim.way)
        if self.loop.kind != SERVO:  # its velocity loop has no feed-forward
            command += np.outer(rate, self.loop.damping * self.aim.way)
        return command if self.mass == inf else np.hstack([command, np.zeros((len(times), 1))])


def triggered(force: np.ndarray, reaction: Reaction) -> float | None:
    """Return when a force is detected [s], None if it is not.

    Args:
        force: at every tick of 250 us since contact, shape (t,) [N].
        reaction: of the arm.
    """
    rate = 1.0 / reaction.filter_time if reaction.filter_time > 0.0 else inf
    filtered = observed_force(force, rate)
    step = max(1, round(reaction.period / TICK))
    above = np.flatnonzero(filtered[step - 1 :: step] >= reaction.force)
    return TICK * step * float(above[0] + 1) if len(above) else None


def _history(load: JointLoad) -> LoadHistory:
    assert load.history is not None  # asked for
    return load.history
