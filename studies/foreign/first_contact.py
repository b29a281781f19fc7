# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What is true of the first contact of a run, as no sensor says it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_robots import ArmDynamics, Robot
from studies.foreign.arm import ForeignArm, Step


@dataclass(frozen=True)
class Truth:
    """The first contact; contact axes are those of the wall, n joints."""

    touch: float  # time [s]
    release: float  # time, NaN if it does not let go [s]
    q: np.ndarray  # at the touch, shape (n,) [rad]
    dq_before: np.ndarray  # at the touch, shape (n,) [rad/s]
    normal: np.ndarray  # of the wall, outward, base axes, shape (3,)
    approach_speed: float  # of the contact point [m/s]
    dq_after: np.ndarray  # at the release, shape (n,) [rad/s]
    impulse: np.ndarray  # on the arm, base axes, shape (3,) [N.s]
    normal_impulse: float  # [N.s]
    friction: float  # realised: tangential over normal impulse [-]
    slides: bool  # it never sticks
    restitution: float  # realised: -v_n^+ / v_n^- of the contact point [-]
    mass: float  # effective along the normal, motors included [kg]
    peak_force: float  # largest norm [N]
    contacts: tuple[float, ...]  # when each contact of the run began [s]


@dataclass(frozen=True)
class _Instant:
    time: float  # [s]
    q: np.ndarray  # shape (n,) [rad]
    dq: np.ndarray  # shape (n,) [rad/s]
    velocity: np.ndarray  # of the contact point in contact axes, shape (3,) [m/s]


class ContactLog:
    """Watches the steps of a run near the wall."""

    def __init__(self, arm: ForeignArm) -> None:
        """Watch this arm."""
        self._arm, self._before = arm, self._now(arm)
        self._touch: _Instant | None = None
        self._release: _Instant | None = None
        self._pushes: list[tuple[float, np.ndarray, bool]] = []  # duration, force, slides
        self._contacts: list[float] = []
        self._touching = False

    @property
    def touch(self) -> float | None:
        """Time of the first touch, none before it [s]."""
        return None if self._touch is None else self._touch.time

    def before_step(self) -> None:
        """Note the state, in case the next step touches."""
        self._before = self._now(self._arm)

    def after_step(self, step: Step, h: float) -> None:
        """Take a step of length h [s]."""
        touching = bool(step.force.any())
        if touching and not self._touching:
            self._contacts.append(self._before.time)
            self._touch = self._touch or self._before
        if touching and len(self._contacts) == 1:
            self._pushes.append((h, step.force, step.slides))
        if self._touching and not touching:
            self._release = self._release or self._now(self._arm)
        self._touching = touching

    def truth(self, robot: Robot) -> Truth:
        """Return what was true, for the arm as it is.

        Raises:
            ValueError: there was no contact.
        """
        if self._touch is None:
            raise ValueError("the arm did not reach the wall")
        touch, n = self._touch, robot.dof
        unknown = _Instant(np.nan, np.full(n, np.nan), np.full(n, np.nan), np.full(3, np.nan))
        release, surface = self._release or unknown, self._arm.wall.surface
        impulse = np.sum([h * force for h, force, _ in self._pushes], axis=0)
        p = surface.rotation.T @ impulse
        state = ArmDynamics(robot)(touch.q, touch.dq)
        J = surface.normal @ state.J[:3]
        M_x = state.M + np.diag(robot.apparent_motor_inertia)
        return Truth(
            touch=touch.time,
            release=release.time,
            q=touch.q,
            dq_before=touch.dq,
            normal=surface.normal,
            approach_speed=float(-touch.velocity[2]),
            dq_after=release.dq,
            impulse=impulse,
            normal_impulse=float(p[2]),
            friction=float(np.hypot(p[0], p[1]) / p[2]),
            slides=all(slides for *_, slides in self._pushes),
            restitution=float(-release.velocity[2] / touch.velocity[2]),
            mass=float(1.0 / (J @ np.linalg.solve(M_x, J))),
            peak_force=float(max(np.linalg.norm(force) for _, force, _ in self._pushes)),
            contacts=tuple(self._contacts),
        )

    @staticmethod
    def _now(arm: ForeignArm) -> _Instant:
        return _Instant(arm.time, arm.q, arm.dq, arm.contact_velocity())
