# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""One step of a robot without contacts, implicit in its springs and dampers.

With motor inertia B, joint dampers D and springs K beside the joints, at rest at 0,

    (M + B + h D + h^2 K)(v_1 - v) = h (\tau - n(q, v) - D v - K (x + h v)) + J^T iota

is the linearly implicit Euler step (Hairer, Wanner 1996, IV.7), stable for dampers as stiff as a
heel spring's, whose link weighs next to nothing. Contacts and loops act through J.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_robots import ArmDynamics, Robot, RobotState, loop_jacobian


@dataclass(frozen=True)
class FreeStep:
    """A step of length ``h`` without contacts and loops."""

    state: RobotState  # at its beginning
    inertia: np.ndarray  # M + B + h D + h^2 K, shape (nv, nv)
    velocity: np.ndarray  # at its end, shape (nv,)
    points: np.ndarray  # where the robot may touch, in the world, shape (k, 3) [m]
    contacts: np.ndarray  # linear Jacobians of these, world axes, shape (k, 3, nv)
    loops: np.ndarray  # rows of closed loops, shape (l, nv)
    h: float  # [s]


class FreeStepper:
    """Makes free steps of one robot; owns the work memory, so one per thread."""

    def __init__(self, robot: Robot, motor_inertia: np.ndarray) -> None:
        """Prepare.

        Args:
            robot: with its contacts, springs and loops.
            motor_inertia: diagonal of B, shape (nv,) [kg.m^2].
        """
        self.robot = robot
        self._dynamics, self._motors = ArmDynamics(robot, "all"), motor_inertia
        self._dampers = np.array(robot.model.damping)
        self._springs = robot.on_velocities(robot.spring_stiffness)  # type: ignore[arg-type]
        self._places = [(each.name, point) for each in robot.contacts for point in each.points]

    def step(self, q: np.ndarray, v: np.ndarray, torque: np.ndarray, h: float) -> FreeStep:
        """Return a step.

        Args:
            q: shape (nq,).
            v: shape (nv,).
            torque: of the motors, shape (n,) [N.m].
            h: its length [s].

        Raises:
            RobotError: positions or velocities of the wrong shape.
        """
        state, robot = self._dynamics.state(q, v), self.robot
        spread = robot.on_velocities(q[len(q) - robot.dof :])
        inertia = state.inertia(self._motors + h * self._dampers + h * h * self._springs)
        force = robot.on_velocities(torque) - state.h - self._dampers * v
        force -= self._springs * (spread + h * v)
        places = [state.at(name, offset) for name, offset in self._places]
        return FreeStep(
            state,
            inertia,
            v + np.linalg.solve(inertia, h * force),
            np.array([each.position for each in places]).reshape(-1, 3),
            np.array([each.J[:3] for each in places]).reshape(-1, 3, len(v)),
            loop_jacobian(robot.loops, state),
            h,
        )
