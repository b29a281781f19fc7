# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The equations of motion of a standing robot: base, motors, fixed soles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from impact_predictor.sets.feasible_sets import friction_pyramid
from impact_qp.exceptions import ControlError
from impact_qp.limits import Limit
from impact_robots import Robot, RobotState
from impact_robots.compiling.direct_call import direct

Forces = tuple[tuple[str, np.ndarray], ...]
_SIDES = 4  # edges of the friction pyramid at each corner of a sole


class _Dynamics(NamedTuple):
    """Terms of the equations of motion, and their state."""

    state: RobotState
    forces: Forces
    inertia: np.ndarray  # M + B, shape (nv, nv)
    bias: np.ndarray  # h minus the effect of other forces, shape (nv,)
    pushes: np.ndarray  # J^T G of the soles, shape (nv, ny)
    soles: tuple[np.ndarray, ...]  # G of each sole, shape (6, ny of it)


class StandingLimit(Limit):
    r"""Whole-body dynamics with sustained contacts, Wang 2023 (1), (2) with corrected signs.

    The variables ``y >= 0`` are forces along the edges of the friction pyramids, inside the cones,
    at the soles' corners, ``F = G y``; so no sole pulls, slides or tips. Equalities: the
    base's rows :math:`M_b\ddot q + h_b = J_b^T F + J_{p,b}^T f_p`, and soles without acceleration
    but for the damping of what velocity they have. Rows:
    :math:`|(M_a + B)\ddot q + h_a - J_a^T F - J_{p,a}^T f_p| \le \tau_{max}`.
    """

    bounded = True
    variable_weight = 1e-4  # more edges than the soles' wrenches need: one of many solutions

    def __init__(
        self,
        robot: Robot,
        soles: Sequence[str],
        *,
        friction: float = 0.7,
        damping: float = 20.0,
    ) -> None:
        """Set up.

        Args:
            robot: with a floating base and limits of its torques.
            soles: names of its fixed contacts on a level floor, each with an extent.
            friction: of the floor, a lower bound [-].
            damping: of a sole's velocity [1/s].

        Raises:
            ControlError: a sole is not a contact of the robot, or is a point.
            RobotError: the YAML lacks the torque limits.
        """
        from impact_qp.compiled.sole_wrench import write_sole_wrench  # loads slowly

        self._write_wrench = direct(write_sole_wrench)
        robot.require("whole-body control", "torque")
        self.robot, self.damping = robot, damping
        self._corners = [(name, _corners(robot, name)) for name in soles]
        self._K = friction_pyramid(friction, _SIDES)
        self.variables = _SIDES * sum(len(corners) for _, corners in self._corners)
        motors = robot.motor_inertias
        self._motors = motors.get("M+B_rho", motors["M"])
        self.forces: Forces = ()  # elsewhere: frame, world axes (3,) [N]
        ends = ("upper", "lower")
        self.names = tuple(f"{name} torque {end}" for end in ends for name in robot.joint_names)
        rows = [f"base {axis}" for axis in ("x", "y", "z", "roll", "pitch", "yaw")]
        rows += [f"{name} {axis}" for name in soles for axis in ("x", "y", "z", "rx", "ry", "rz")]
        self.equalities = tuple(rows)
        self._last: _Dynamics | None = None

    def fill(self, state: RobotState, G: np.ndarray, E: np.ndarray, h: np.ndarray) -> None:
        """Write the rows of the torques."""
        n, highest = self.robot.dof, self.robot.limits.torque
        _, _, inertia, bias, pushes, _ = self._dynamics(state)
        G[:n], E[:n] = inertia[6:], -pushes[6:]
        G[n:], E[n:] = -G[:n], -E[:n]
        h[:n], h[n:] = highest - bias[6:], highest + bias[6:]

    def equate(self, state: RobotState, A: np.ndarray, E: np.ndarray, b: np.ndarray) -> None:
        """Write the base's rows and the soles'."""
        _, _, inertia, bias, pushes, _ = self._dynamics(state)
        A[:6], E[:6], b[:6] = inertia[:6], -pushes[:6], -bias[:6]
        E[6:] = 0.0
        for i, (name, _) in enumerate(self._corners):
            rows, sole = slice(6 + 6 * i, 12 + 6 * i), state.at(name)
            A[rows], b[rows] = sole.J, -sole.drift - self.damping * sole.twist

    def narrow(self, state: RobotState, ddq: np.ndarray, y: np.ndarray) -> None:
        """Bound the forces of the soles from below by zero."""
        y[0] = 0.0

    def torques(self, state: RobotState, ddq: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the motors' torques, shape (n,) [N.m].

        Args:
            state: that the program was built at.
            ddq: accelerations, shape (nv,).
            y: forces along the pyramids' edges, shape (ny,) [N].
        """
        _, _, inertia, bias, pushes, _ = self._dynamics(state)
        torque: np.ndarray = (inertia @ ddq + bias - pushes @ y)[6:]
        return torque

    def wrenches(self, state: RobotState, y: np.ndarray) -> np.ndarray:
        """Return each sole's force and moment about its own origin, world axes, (k, 6) [N; N.m].

        Arguments as of :meth:`torques`.
        """
        parts, shares = self._dynamics(state), y.reshape(len(self._corners), -1)
        return np.array([sole @ own for sole, own in zip(parts.soles, shares, strict=True)])

    def _dynamics(self, state: RobotState) -> _Dynamics:
        """Return the terms of the equations of motion."""
        last = self._last  # called three times a cycle
        if last is not None and last.state is state and last.forces is self.forces:
            return last
        bias = state.h.copy()
        for frame, force in self.forces:
            bias -= force.dot(state.at(frame).J[:3])
        feet = [state.at(name) for name, _ in self._corners]
        maps = [
            self._wrench_map(foot.rotation, corners)
            for foot, (_, corners) in zip(feet, self._corners, strict=True)
        ]
        pushes = [foot.J.T.dot(each) for foot, each in zip(feet, maps, strict=True)]
        inertia = state.inertia(self._motors)
        self._last = _Dynamics(state, self.forces, inertia, bias, np.hstack(pushes), tuple(maps))
        return self._last

    def _wrench_map(self, rotation: np.ndarray, corners: np.ndarray) -> np.ndarray:
        """Return the map from forces along a sole's edges to its wrench, world axes, (6, ny)."""
        found = np.empty((6, _SIDES * len(corners)))
        self._write_wrench(rotation.dot(corners.T), self._K, found)
        return found


def _corners(robot: Robot, name: str) -> np.ndarray:
    """Return a sole's corners in its own frame, shape (4, 3) [m]."""
    faces = {each.name: each for each in robot.contacts if each.half_extents is not None}
    if name not in faces:
        raise ControlError(f"sole: expected one of {', '.join(faces) or 'none'}, got {name!r}")
    return faces[name].points
