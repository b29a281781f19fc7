# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The load of every joint in one impact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi, sqrt
from typing import NamedTuple

import numpy as np

from impact_predictor.contact_force.laws import HuntCrossley
from impact_predictor.contact_force.linear_contact import LinearContact
from impact_predictor.exceptions import PredictionError
from impact_predictor.joint_load.elastic_arm import ElasticArm
from impact_predictor.joint_load.motion_records import (
    EXTENDED,
    HUNT_CROSSLEY,
    LINEAR,
    RIGID,
    TICK,
    YIELDING,
    ContactSurfaces,
    LoadRecord,
)
from impact_robots.description.named_contact import Cover
from impact_robots.state.state import PointState
from impact_robots.validation import friction_coefficient, positive, restitution_coefficient

DURATION = 0.03  # after contact; the highest load of a Panda comes within 20 ms [s]


def window(mass: float, stiffness: float, least: float = DURATION) -> float:
    r"""Return the time within which loads count behind something soft [s].

    :math:`0.6\pi\sqrt{m/k}`: a mass on a spring is deepest after :math:`0.5\pi\sqrt{m/k}`.

    Args:
        mass: behind it [kg].
        stiffness: [N/m].
        least: the time where nothing is soft [s].
    """
    return max(least, 0.6 * pi * sqrt(mass / stiffness))


@dataclass(frozen=True)
class RigidLaw:
    """A surface of no compliance: Newton's law, as often as the arm contacts it."""

    restitution: float  # [-]

    def __post_init__(self) -> None:
        """Check the coefficient."""
        restitution_coefficient(self.restitution)


@dataclass(frozen=True)
class YieldingLaw:
    r"""A surface that gives way for good, such as a nail: elastic up to a force that grows.

    :math:`f = k(x - z)`, and where that exceeds :math:`F + hz` the depth z grows until it does not;
    unloading is elastic.

    Raises:
        OutOfRangeError: a figure is not positive.
    """

    stiffness: float  # k [N/m]
    resistance: float  # F, the force at which it yields [N]
    hardening: float  # h, growth of that force per depth [N/m]

    def __post_init__(self) -> None:
        """Check the figures."""
        for name in ("stiffness", "resistance", "hardening"):
            positive(getattr(self, name), name)

    def force(self, penetration: float, rate: float) -> float:
        """Return the force [N] at x - z, which has not yielded; it does not depend on the rate."""
        return self.stiffness * max(penetration, 0.0)

    def growth(self, penetration: float, depth: float) -> float:
        """Return by how much the depth z grows [m].

        Args:
            penetration: x - z before [m].
            depth: z before [m].
        """
        beyond = self.stiffness * penetration - self.resistance - self.hardening * depth
        return max(0.0, beyond) / (self.stiffness + self.hardening)

    def work(self, depth: float) -> float:
        """Return the work that a depth z has taken, the integral of F + h z [J]."""
        return (self.resistance + 0.5 * self.hardening * depth) * depth


NormalLaw = HuntCrossley | RigidLaw | YieldingLaw | LinearContact


class LoadContact(NamedTuple):
    """A point of the arm that contacts something; axes of the contact, the normal last."""

    J: np.ndarray  # of the point, linear, shape (3, n)
    velocity: np.ndarray  # of the point before the impact, shape (3,) [m/s]; third: below zero
    law: NormalLaw
    friction: float  # Coulomb's coefficient [-]
    gap: float = 0.0  # between point and surface at the start [m]
    cover: Cover | None = None  # over the point; the law is then a viscoelastic one


def load_contact(
    point: PointState,
    rotation: np.ndarray,
    law: NormalLaw,
    friction: float,
    velocity: np.ndarray | None = None,
    cover: Cover | None = None,
) -> LoadContact:
    """Return the contact of a point of the arm.

    Args:
        point: that contacts.
        rotation: R_Op, contact axes to base axes, as ``Surface.rotation``, shape (3, 3).
        law: of the normal force.
        friction: Coulomb's coefficient [-].
        velocity: of the point in contact axes, shape (3,) [m/s]; none: as in the state.
        cover: over the point; the law is then a viscoelastic one.

    Raises:
        OutOfRangeError: a negative friction.
    """
    J = rotation.T @ point.J[:3]
    v = rotation.T @ point.velocity if velocity is None else np.asarray(velocity, dtype=float)
    return LoadContact(J, v, law, friction_coefficient(friction), cover=cover)


class LoadHistory(NamedTuple):
    """Loads over time, once a tick of 250 us, t ticks; c contacts."""

    time: np.ndarray  # since contact, shape (t,) [s]
    load: np.ndarray  # change of the spring torque, shape (t, n) [N.m]
    force: np.ndarray  # normal, on the arm, shape (t, c) [N]
    depth: np.ndarray  # penetration, shape (t, c) [m]
    position: np.ndarray  # of the links, beside the motion without the impact, shape (t, n) [rad]
    velocity: np.ndarray  # the same, shape (t, n) [rad/s]


class JointLoad(NamedTuple):
    """Load of each joint's spring: the change of K (theta - q) since contact."""

    highest: np.ndarray  # at least 0, shape (n,) [N.m]
    lowest: np.ndarray  # at most 0, shape (n,) [N.m]
    highest_time: np.ndarray  # since contact, shape (n,) [s]
    lowest_time: np.ndarray  # shape (n,) [s]
    impulse: np.ndarray  # on the arm, contact axes, shape (c, 3) [N.s]
    peak_force: np.ndarray  # normal, infinite on a rigid surface, shape (c,) [N]
    contact_end: np.ndarray  # of the last contact, shape (c,) [s]
    sunk: np.ndarray  # depth to which a yielding surface has given way, shape (c,) [m]
    compression: np.ndarray  # largest of a cover, its thickness: it bottomed out, shape (c,) [m]
    history: LoadHistory | None

    @property
    def change(self) -> np.ndarray:
        """Largest change of the load, shape (n,) [N.m]."""
        return np.maximum(self.highest, -self.lowest)

    def absolute(self, before: np.ndarray) -> np.ndarray:
        """Return the largest torque with that ``before`` the impact, both of shape (n,) [N.m]."""
        return np.maximum(np.abs(before + self.highest), np.abs(before + self.lowest))

    @property
    def time(self) -> np.ndarray:
        """Time of the largest change since contact, shape (n,) [s]."""
        return np.where(self.highest >= -self.lowest, self.highest_time, self.lowest_time)


class LoadRun:
    """The motion after contact, integrated piece by piece, for callers with a time limit.

    Small motion about the configuration at contact, actuators' torque constant but for the
    torque loop; see :mod:`~impact_predictor.joint_load.integration`.
    """

    def __init__(
        self,
        arm: ElasticArm,
        contacts: Sequence[LoadContact],
        *,
        duration: float = DURATION,
        refinement: int = 1,
        command: np.ndarray | None = None,
        with_history: bool = False,
    ) -> None:
        """Begin at contact; arguments as of :func:`joint_load`.

        Raises:
            PredictionError: the surface under a cover is not viscoelastic.
        """
        n, c = len(arm.stiffness), len(contacts)
        self._laws = np.array([_figures(each.law) for each in contacts])
        self._ticks, self._done = max(1, round(duration / TICK)), 0
        trace = np.empty((self._ticks if with_history else 0, 3 * n + 2 * c))
        self._arm = arm
        self._surfaces = ContactSurfaces(
            np.concatenate([each.J for each in contacts]),
            self._laws,
            np.array([each.friction for each in contacts]),
            np.concatenate([each.velocity for each in contacts]),
            np.array([_cover(each) for each in contacts]),
        )
        self._refinement = refinement
        self._command = (
            np.zeros((1, n)) if command is None else np.ascontiguousarray(command, dtype=float)
        )
        self._state = np.zeros((6, n))
        self._gaps = np.array([each.gap for each in contacts])  # as if sunk: where surfaces begin
        contact = np.concatenate([np.zeros(5 * c), self._gaps, np.zeros(2 * c)])
        self._record = LoadRecord(np.zeros((2, n)), np.zeros((2, n)), contact, trace)

    @property
    def over(self) -> bool:
        """Whether the whole duration was followed."""
        return self._done == self._ticks

    def go_on(self, ticks: int | None = None) -> None:
        """Follow the motion for so many ticks of 250 us, at most to its end; None: to its end."""
        from impact_predictor.joint_load.integration import integrate  # loads slowly

        end = self._ticks if ticks is None else min(self._ticks, self._done + ticks)
        given = self._refinement, self._command, self._state, self._record
        integrate(self._arm, self._surfaces, (self._done, end), *given)
        self._done = end

    def load(self) -> JointLoad:
        """Return the load up to where the motion was followed.

        Raises:
            PredictionError: the result is not finite, by implausible parameters.
        """
        loads, times, contact, trace = self._record
        if not np.isfinite(loads).all():
            raise PredictionError(
                "joint load: expected a finite load, got none: check the robot's joints"
            )
        n, laws = loads.shape[1], self._laws
        c = len(laws)
        peak = contact[3 * c : 4 * c]
        return JointLoad(
            loads[0],
            loads[1],
            times[0],
            times[1],
            contact[: 3 * c].reshape(-1, 3),
            np.where((laws[:, 3] == RIGID) & (peak > 0.0), np.inf, peak),
            contact[4 * c : 5 * c],
            contact[5 * c : 6 * c] - self._gaps,
            contact[7 * c :],
            _history(trace[: self._done], n, c) if len(trace) else None,
        )


def joint_load(
    arm: ElasticArm,
    contacts: Sequence[LoadContact],
    *,
    duration: float = DURATION,
    refinement: int = 1,
    command: np.ndarray | None = None,
    with_history: bool = False,
) -> JointLoad:
    """Return the loads of an impact of all contacts, simultaneous but for their gaps.

    Args:
        arm: at the configuration at contact.
        contacts: at least one.
        duration: for which the motion is followed [s].
        refinement: of the time steps, 1 for errors of some parts in a thousand.
        command: change since contact of the torque that the torque loop is sent, one row for each
            250 us, the last one held, at least one row, shape (m, n) [N.m]; none: it is constant.
        with_history: return the loads over time, too.

    Raises:
        PredictionError: the result is not finite, by implausible parameters, or the surface under
            a cover is not viscoelastic.
    """
    run = LoadRun(
        arm,
        contacts,
        duration=duration,
        refinement=refinement,
        command=command,
        with_history=with_history,
    )
    run.go_on()
    return run.load()


def warm_up() -> None:
    """Compile or load the code of :func:`joint_load`: some 10 s once, then half a second."""
    one = np.ones(1)
    arm = ElasticArm(np.eye(1), one, one, one, one, one, one, one, one, one, 0.5)
    contact = LoadContact(np.ones((3, 1)), np.array([0.0, 0.0, -1.0]), RigidLaw(0.0), 0.0)
    joint_load(arm, [contact], duration=TICK)


def _figures(law: NormalLaw) -> tuple[float, float, float, float]:
    """Return a law's parameters for the compiled code."""
    if isinstance(law, RigidLaw):
        return 1.0, law.restitution, 1.0, RIGID
    if isinstance(law, LinearContact):
        return law.stiffness, law.damping, 1.0, LINEAR
    if isinstance(law, YieldingLaw):
        return law.stiffness, law.resistance, law.hardening, YIELDING
    return law.stiffness, law.damping, law.exponent, EXTENDED if law.extended else HUNT_CROSSLEY


def _cover(contact: LoadContact) -> tuple[float, float, float]:
    """Return a contact's cover for the compiled code.

    Raises:
        PredictionError: the law under it is not a viscoelastic one.
    """
    if contact.cover is None:
        return 0.0, 0.0, 0.0
    if _figures(contact.law)[2:] != (1.0, HUNT_CROSSLEY):
        name = type(contact.law).__name__
        raise PredictionError(f"cover: expected a viscoelastic surface under it, got {name}")
    return contact.cover.stiffness, contact.cover.damping, contact.cover.thickness


def _history(trace: np.ndarray, n: int, c: int) -> LoadHistory:
    """Return the results of the compiled code."""
    time = TICK * np.arange(1, len(trace) + 1)
    ends = np.cumsum([n, c, c, n])
    return LoadHistory(time, *np.split(trace, ends, axis=1))
