# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Limits of a whole robot: its centre of mass over the soles, its momentum."""

from __future__ import annotations

import numpy as np

from impact_qp.limits import Limit
from impact_robots import Robot, RobotState

ACCELERATION = 100.0  # of a joint without a given limit: assumed [rad/s^2]


class JointBounds(Limit):
    r"""Bounds on :math:`\ddot q` from positions, velocities and accelerations over one cycle.

    As bounds of variables; the base is free. A position limit allows the velocity from which half
    the acceleration stops before it, a velocity limit is reached in one cycle. If these contradict
    each other, the acceleration's limit has priority, then the position's: the box is never empty.
    """

    bounded = True

    def __init__(self, robot: Robot, period: float) -> None:
        """Create the bounds for a control period [s]."""
        from impact_qp.compiled.joint_box import write_reach  # loads slowly

        limits, self._dt, self._write_reach = robot.limits, period, write_reach
        self._first, self._n = robot.nv - robot.dof, robot.dof
        fastest = np.where(np.isnan(limits.velocity), np.inf, limits.velocity)
        highest = np.where(np.isnan(limits.acceleration), ACCELERATION, limits.acceleration)
        self._limits = np.stack([limits.position_lower, limits.position_upper, fastest, highest])

    def fill(self, state: RobotState, G: np.ndarray, E: np.ndarray, h: np.ndarray) -> None:
        """Write no rows."""

    def narrow(self, state: RobotState, ddq: np.ndarray, y: np.ndarray) -> None:
        """Write the joints' box."""
        q, dq = state.q[-self._n :], state.dq[self._first :]
        self._write_reach(q, dq, self._limits, self._dt, ddq[:, self._first :])


GRAVITY = 9.81  # [m/s^2]


class ComVelocityLimit(Limit):
    r""":math:`G_c\,(\dot c + \ddot c\,T_p) \le h_c` of the whole robot; Wang 2023 (3)."""

    yields = True

    def __init__(self, directions: np.ndarray, limits: np.ndarray, preview: float) -> None:
        """Create the limit: G_c, shape (k, 3), world axes; h_c, shape (k,) [m/s]; T_p [s]."""
        self.directions, self.limits, self._preview = directions, limits, preview
        self.names = tuple(f"com velocity {i + 1}" for i in range(len(limits)))

    def fill(self, state: RobotState, G: np.ndarray, E: np.ndarray, h: np.ndarray) -> None:
        """Write the rows."""
        (mass, _), (A_G, drift) = state.whole(), state.momentum()
        rows, T_p = self.directions @ A_G[:3] / mass, self._preview
        G[:] = T_p * rows
        h[:] = self.limits - rows @ state.dq - T_p * (self.directions @ drift[:3]) / mass


class AngularMomentumLimit(Limit):
    r""":math:`|L + \dot L\,T_p| \le L_{max}` about the com; Wang 2023 (4), both signs."""

    yields = True

    def __init__(self, limits: np.ndarray, preview: float) -> None:
        """Create the limit: L_max of each world axis, shape (3,) [N.m.s]; T_p [s]."""
        self.limits, self._preview = limits, preview
        self.names = tuple(f"angular momentum {sign}{axis}" for sign in "+-" for axis in "xyz")

    def fill(self, state: RobotState, G: np.ndarray, E: np.ndarray, h: np.ndarray) -> None:
        """Write the rows."""
        A_G, drift = state.momentum()
        ahead = A_G[3:] @ state.dq + self._preview * drift[3:]
        G[:3], G[3:] = self._preview * A_G[3:], -self._preview * A_G[3:]
        h[:3], h[3:] = self.limits - ahead, self.limits + ahead


class SupportLimit(Limit):
    r"""The capture point stays over the soles.

    :math:`\xi = c + \dot c\sqrt{z/g}`, with z the height of the centre of mass over the floor
    (Pratt, Carff, Drakunov, Goswami, Humanoids 2006), after T_p inside the hull of the soles'
    corners, a margin away from its edge.
    """

    yields = True

    def __init__(self, corners: np.ndarray, preview: float, *, margin: float = 0.01) -> None:
        """Create the limit.

        Args:
            corners: of the soles' contact areas, world axes, shape (k, 3) [m].
            preview: T_p [s].
            margin: to the hull's edge [m].
        """
        from scipy.spatial import ConvexHull  # loads slowly

        edges = ConvexHull(corners[:, :2]).equations
        self.normals, self.reach = edges[:, :2], -edges[:, 2] - margin
        self._floor, self._preview = float(corners[:, 2].mean()), preview
        self.names = tuple(f"support edge {i + 1}" for i in range(len(edges)))

    def capture_point(self, state: RobotState) -> np.ndarray:
        """Return xi, world axes, shape (2,) [m]."""
        (mass, com), (A_G, _) = state.whole(), state.momentum()
        point: np.ndarray = com[:2] + self._fall_time(com) * (A_G[:2] @ state.dq) / mass
        return point

    def fill(self, state: RobotState, G: np.ndarray, E: np.ndarray, h: np.ndarray) -> None:
        """Write the rows."""
        (mass, com), (A_G, drift) = state.whole(), state.momentum()
        moves = (self._fall_time(com) + self._preview / 2) * self._preview / mass
        ahead = self.capture_point(state) + self._preview * (A_G[:2] @ state.dq) / mass
        G[:] = moves * self.normals @ A_G[:2]
        h[:] = self.reach - self.normals @ (ahead + moves * drift[:2])

    def _fall_time(self, com: np.ndarray) -> float:
        return float(np.sqrt((com[2] - self._floor) / GRAVITY))
