# SPDX-License-Identifier: Apache-2.0
"""What an announced impact may do to the arm: bounds that are linear in the impulse."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from impact_predictor.exceptions import UnboundedSetError
from impact_predictor.feasible_sets import friction_pyramid, unit_impulses
from impact_predictor.inverse_inertia import crb, effective_mass
from impact_predictor.speed_bound import existential_speed
from impact_qp.limits.limit import Limit, Rows, no_rows
from impact_robots.contact_frame import contact_rotation
from impact_robots.dynamics import ArmState
from impact_robots.robot import Robot


@dataclass(frozen=True)
class Contact:
    """An announced contact: where the surface is and what is known of it; base axes."""

    point: np.ndarray  # any point of the surface, shape (3,) [m]
    normal: np.ndarray  # outward, towards the robot, shape (3,)
    friction: float
    restitution: tuple[float, float]
    peak_factor: float = 3.0  # a, peak over mean force
    impact_duration: float = 0.018  # delta_t [s]
    rotation: np.ndarray = field(init=False)  # from contact axes to base axes, shape (3, 3)

    def __post_init__(self) -> None:
        """Work out the contact axes, z the unit normal."""
        object.__setattr__(self, "rotation", contact_rotation(self.normal))

    def gap(self, position: np.ndarray) -> float:
        """Return the distance [m] of a point, base axes, to the surface."""
        return float(self.rotation[:, 2] @ (position - self.point))


@dataclass(frozen=True)
class SpeedBound:
    """The highest admissible approach speed at a state and the limit that sets it."""

    speed: float  # [m/s]; negative: the arm must retreat
    name: str


def impact_rows(
    robot: Robot, contact: Contact, state: ArmState
) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """Return what an impulse does that is bounded.

    Returns:
        rows of shape (4 n, 3) that map an impulse on the robot, contact axes [N.s], to impulsive
        joint torques [N.m] and jumps of joint velocity [rad/s], both signs; their bounds, shape
        (4 n,); their names.
    """
    limits = robot.limits
    J = contact.rotation.T @ state.J[:3]
    torque = contact.peak_factor / contact.impact_duration * J.T
    jump = np.linalg.solve(state.M + np.diag(robot.apparent_motor_inertia), J.T)
    rows = np.vstack([torque, -torque, jump, -jump])
    bounds = np.concatenate(
        [
            limits.impulsive_torque,
            limits.impulsive_torque,
            limits.velocity - state.dq,
            limits.velocity + state.dq,
        ]
    )
    kinds = ("impulsive torque", "impulsive torque", "velocity after", "velocity after")
    names = tuple(f"{joint} {kind}" for kind in kinds for joint in robot.joint_names)
    return rows, bounds, names


class ImpactLimit(Limit):
    r"""Base of the impact limits: the preview of the approach velocity.

    :math:`v_n^- = J_n(\dot q + \ddot q T_p) + \dot J_n\dot q T_p` (specification, section 10).
    """

    yields = True

    def __init__(
        self,
        robot: Robot,
        contact: Contact,
        *,
        preview: float = 0.02,
        margin: float = 0.0,
        generators: int = 8,
        circumscribed: bool = True,
    ) -> None:
        """Create the limit; ``preview`` is T_p [s], ``margin`` the share kept in reserve."""
        self.robot, self.contact = robot, contact
        self.preview, self.margin = preview, margin
        self.generators, self.circumscribed = generators, circumscribed
        self.bound = SpeedBound(float("nan"), "")  # of the last ``rows``, where there is one

    def speed_bound(self, state: ArmState) -> SpeedBound:
        """Return the highest admissible approach speed at a state, margin included."""
        raise NotImplementedError

    def approach(self, state: ArmState) -> tuple[np.ndarray, float]:
        """Return gradient, shape (n,), and offset of the previewed v_n^- as a map of qddot."""
        z = self.contact.rotation[:, 2]
        J_n = z @ state.J[:3]
        return self.preview * J_n, float(J_n @ state.dq + self.preview * (z @ state.dJ_dq[:3]))


class WorstCaseImpactLimit(ImpactLimit):
    """Bounds that hold for every impulse of a finite set that scales with the approach speed.

    The worst vertex of each bound is worked out first and clipped at zero, because the zero impulse
    is admissible; what remains is one row: a bound on the approach speed.
    """

    def unit_impulses(self, state: ArmState) -> np.ndarray:
        """Return the impulses at an approach speed of 1 m/s, contact axes, shape (3, k) [N.s]."""
        raise NotImplementedError

    def loads(self, state: ArmState) -> np.ndarray:
        """Return what each impulse takes up of each bound at 1 m/s, margin included, (4 n, k).

        Raises:
            UnboundedSetError: an impulse may grow without end.
        """
        rows, bounds, _ = impact_rows(self.robot, self.contact, state)
        return (rows @ self.unit_impulses(state)) / ((1.0 - self.margin) * bounds[:, None])

    def speed_bound(self, state: ArmState) -> SpeedBound:
        """Return the closed-form bound, margin included."""
        rows, bounds, names = impact_rows(self.robot, self.contact, state)
        try:
            impulses = self.unit_impulses(state)
        except UnboundedSetError:  # friction so high that an impulse may grow without end
            return SpeedBound(0.0, "unbounded impulses")
        worst = np.maximum(0.0, np.max(rows @ impulses, axis=1))
        bounds = bounds * (1.0 - self.margin)
        with np.errstate(divide="ignore", invalid="ignore"):
            speeds = np.where(worst > 0.0, bounds / worst, np.inf)
        limiting = int(np.argmin(speeds))
        return SpeedBound(float(speeds[limiting]), names[limiting])

    def rows(self, state: ArmState) -> Rows:
        """Return the one row: approach speed at most the bound."""
        self.bound = self.speed_bound(state)
        if not np.isfinite(self.bound.speed):
            return no_rows(self.robot.dof)
        gradient, offset = self.approach(state)
        h = np.array([self.bound.speed + offset])
        return Rows(-gradient[None, :], h, (f"impact: {self.bound.name}",))


class RobustImpactLimit(WorstCaseImpactLimit):
    """Every admissible impulse respects the bounds (specification, section 10, `robust`)."""

    def __init__(
        self, robot: Robot, contact: Contact, *, margin: float = 0.01, **options: Any
    ) -> None:
        """Create the limit with the margin that makes the promise hold."""
        super().__init__(robot, contact, margin=margin, **options)

    def unit_impulses(self, state: ArmState) -> np.ndarray:
        """Return the vertices of the impulse set."""
        W = crb(state, self.contact.rotation)
        return unit_impulses(
            W,
            self.contact.friction,
            self.contact.restitution,
            generators=self.generators,
            circumscribed=self.circumscribed,
        )


class NominalImpactLimit(WorstCaseImpactLimit):
    """One impulse along the normal with the upper restitution respects the bounds."""

    def unit_impulses(self, state: ArmState) -> np.ndarray:
        """Return the impulse (1 + c_r) m_W along z."""
        mass = effective_mass(crb(state, self.contact.rotation))
        return np.array([[0.0], [0.0], [(1.0 + self.contact.restitution[1]) * mass]])


class ExistentialImpactLimit(ImpactLimit):
    r"""At least one admissible impulse respects the bounds: the published controller.

    Adds the variables :math:`\lambda \ge 0`, :math:`\iota = K_\mu\lambda`, and rows (33), (29),
    (30) of Wang et al. 2023 with corrected signs. It cannot be met while the arm retreats, so it
    is silent unless the arm approaches faster than ``gate`` [m/s].
    """

    def __init__(
        self,
        robot: Robot,
        contact: Contact,
        *,
        gate: float = 0.01,
        circumscribed: bool = False,
        **options: Any,
    ) -> None:
        """Create the limit with the inscribed cone, as published."""
        super().__init__(robot, contact, circumscribed=circumscribed, **options)
        self.gate = gate

    def speed_bound(self, state: ArmState) -> SpeedBound:
        """Return the speed of the published linear programme; takes milliseconds."""
        contact = self.contact
        K = friction_pyramid(contact.friction, self.generators, self.circumscribed)
        rows, bounds, names = impact_rows(self.robot, contact, state)
        finite = np.isfinite(bounds)
        rows, bounds = rows[finite], (1.0 - self.margin) * bounds[finite]
        W = crb(state, contact.rotation)
        speed, impulse = existential_speed(W, K, rows, bounds, contact.restitution)
        if impulse is None:
            return SpeedBound(speed, "")
        used = np.divide(rows @ impulse, bounds, out=np.zeros(len(bounds)), where=bounds > 0.0)
        return SpeedBound(speed, np.array(names)[finite][int(np.argmax(used))])

    def rows(self, state: ArmState) -> Rows:
        """Return the rows on (qddot, lambda)."""
        gradient, offset = self.approach(state)
        n, N = self.robot.dof, self.generators
        if offset > -self.gate:
            return no_rows(n)
        contact = self.contact
        K = friction_pyramid(contact.friction, N, circumscribed=self.circumscribed)
        normal = (crb(state, contact.rotation) @ K)[2]
        low, high = (1.0 + bound for bound in contact.restitution)
        bounded, bounds, names = impact_rows(self.robot, contact, state)
        G = np.vstack([high * gradient, -low * gradient, np.zeros((N + len(bounds), n))])
        E = np.vstack([normal, -normal, -np.eye(N), bounded @ K])
        h = np.concatenate(
            [[-high * offset, low * offset], np.zeros(N), (1.0 - self.margin) * bounds]
        )
        restitution = ("impact: restitution upper", "impact: restitution lower")
        cone = tuple(f"impact: lambda {j + 1}" for j in range(N))
        return Rows(
            G,
            h,
            (*restitution, *cone, *(f"impact: {name}" for name in names)),
            E,
        )
