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
_new = tuple.__new__  # half the time of the constructor
_SIDES = 4  # edges of the friction pyramid at each corner of a sole


class _Dynamics(NamedTuple):
    """Terms of the equations of motion, and their state."""

    state: RobotState
    forces: Forces
    bias: np.ndarray  # h minus the effect of other forces, shape (nv,)
    pushes: np.ndarray  # J^T G of the soles, shape (nv, ny)
    soles: np.ndarray  # G of each sole, shape (k, 6, ny / k)


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
        from impact_qp.compiled import standing_rows as rows  # loads slowly

        self._write_sole, self._write_still = direct(rows.write_sole), direct(rows.write_still_rows)
        self._write_motors = direct(rows.write_motor_rows)
        self._write_base = direct(rows.write_base_rows)
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
        held = [f"base {axis}" for axis in ("x", "y", "z", "roll", "pitch", "yaw")]
        held += [f"{name} {axis}" for name in soles for axis in ("x", "y", "z", "rx", "ry", "rz")]
        self.equalities = tuple(held)
        self._last: _Dynamics | None = None

    def fill(self, state: RobotState, G: np.ndarray, E: np.ndarray, h: np.ndarray) -> None:
        """Write the rows of the torques."""
        _, _, bias, pushes, _ = self._dynamics(state)
        self._write_motors(state.M, self._motors, bias, pushes, self.robot.limits.torque, G, E, h)

    def equate(self, state: RobotState, A: np.ndarray, E: np.ndarray, b: np.ndarray) -> None:
        """Write the base's rows and the soles'."""
        _, _, bias, pushes, _ = self._dynamics(state)
        self._write_base(state.M, self._motors, bias, pushes, A, E, b)
        E[6:] = 0.0
        for i, (name, _) in enumerate(self._corners):
            rows, (_, _, J, twist, drift, *_) = slice(6 + 6 * i, 12 + 6 * i), state.at(name)
            self._write_still(J, twist, drift, self.damping, A[rows], b[rows])

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
        _, _, bias, pushes, _ = self._dynamics(state)
        torque: np.ndarray = state.M.dot(ddq) + self._motors * ddq + bias - pushes.dot(y)
        return torque[6:]

    def wrenches(self, state: RobotState, y: np.ndarray) -> np.ndarray:
        """Return each sole's force and moment about its own origin, world axes, (k, 6) [N; N.m].

        Arguments as of :meth:`torques`.
        """
        shares = y.reshape(len(self._corners), -1, 1)
        wrenches: np.ndarray = (self._dynamics(state).soles @ shares)[:, :, 0]
        return wrenches

    def _dynamics(self, state: RobotState) -> _Dynamics:
        """Return the terms of the equations of motion."""
        last = self._last  # called three times a cycle
        if last is not None and last.state is state and last.forces is self.forces:
            return last
        bias = state.h.copy()
        for frame, force in self.forces:
            bias -= force.dot(state.at(frame).J[:3])
        soles, own = len(self._corners), self.variables // len(self._corners)
        maps, pushes = np.empty((soles, 6, own)), np.empty((len(bias), self.variables))
        for i, (name, corners) in enumerate(self._corners):
            foot, columns = state.at(name), pushes[:, i * own : (i + 1) * own]
            self._write_sole(foot.rotation, corners, self._K, foot.J, maps[i], columns)
        self._last = _new(_Dynamics, (state, self.forces, bias, pushes, maps))
        return self._last


def _corners(robot: Robot, name: str) -> np.ndarray:
    """Return a sole's corners in its own frame, shape (4, 3) [m]."""
    faces = {each.name: each for each in robot.contacts if each.half_extents is not None}
    if name not in faces:
        raise ControlError(f"sole: expected one of {', '.join(faces) or 'none'}, got {name!r}")
    return faces[name].points
