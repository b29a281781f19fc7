# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Tasks of a whole robot: its centre of mass, its angular momentum and its joints."""

from __future__ import annotations

import numpy as np

from impact_qp.tasks import Task
from impact_qp.tasks.floats import Floats
from impact_robots import RobotState, contact_rotation
from impact_robots.compiling.direct_call import direct


class _AlongTask(Task):
    """Motion of a point along axes: unit, world, the rows of ``_axes``, shape (size, 3)."""

    position: np.ndarray = Floats()  # type: ignore[assignment]
    velocity: np.ndarray = Floats()  # type: ignore[assignment]

    def __init__(
        self, frame: str, size: int, stiffness: float, damping: float, weight: float
    ) -> None:
        from impact_qp.compiled.standing_rows import write_along  # loads slowly

        super().__init__(weight, size, frame)
        self._write = direct(write_along)
        self.stiffness, self.damping = stiffness, damping
        self.axis = np.array([0.0, 0.0, 1.0])
        self.position = np.zeros(3)  # p_d [m]
        self.velocity = np.zeros(3)  # v_ref [m/s]

    @property
    def axis(self) -> np.ndarray:
        """n, unit, shape (3,)."""
        return self._axis

    @axis.setter
    def axis(self, axis: np.ndarray) -> None:
        self._axis, self._axes = axis, self._along(axis)

    def _along(self, axis: np.ndarray) -> np.ndarray:
        """Return the axes of the motion, shape (size, 3)."""
        raise NotImplementedError

    def fill(self, state: RobotState, A: np.ndarray, b: np.ndarray) -> None:
        """Write A and b, see :meth:`~impact_qp.tasks.task.Task.fill`."""
        point, wanted = state.at(self.frame).numbers, (self.position, self.velocity)
        self._write(point, self._axes, *wanted, self.stiffness, self.damping, A, b)


class AxialVelocityTask(_AlongTask):
    r"""Residual :math:`n^T(J\ddot q + \dot J\dot q) - k_v(n^T v_{ref} - n^T v)`, world axes."""

    def __init__(self, frame: str, *, gain: float = 15.0, weight: float = 300.0) -> None:
        """Create the task with k_v [1/s] for a frame."""
        super().__init__(frame, 1, 0.0, gain, weight)

    def _along(self, axis: np.ndarray) -> np.ndarray:
        return np.array([axis], dtype=float)


class AcrossPositionTask(_AlongTask):
    r"""Residual :math:`T^T(J\ddot q + \dot J\dot q - k_p(p_d - p) - k_d(v_{ref} - v))`.

    T are two axes across n: the position of a palm in the plane of the target face.
    """

    def __init__(
        self, frame: str, *, stiffness: float = 60.0, damping: float = 15.0, weight: float = 100.0
    ) -> None:
        """Create the task with k_p [1/s^2] and k_d [1/s] for a frame."""
        super().__init__(frame, 2, stiffness, damping, weight)

    def _along(self, axis: np.ndarray) -> np.ndarray:
        return contact_rotation(axis)[:, :2].T


class ComTask(Task):
    r"""Residual :math:`\ddot c - k_p(c_d - c) + k_d\dot c` of the whole robot, world axes."""

    reference: np.ndarray = Floats()  # type: ignore[assignment]

    def __init__(
        self, *, stiffness: float = 50.0, damping: float = 14.0, weight: float = 200.0
    ) -> None:
        """Create the task with k_p [1/s^2] and k_d [1/s]."""
        from impact_qp.compiled.standing_rows import write_com  # loads slowly

        super().__init__(weight, 3)
        self._write = direct(write_com)
        self.stiffness, self.damping = stiffness, damping
        self.reference = np.zeros(3)  # c_d [m]

    def fill(self, state: RobotState, A: np.ndarray, b: np.ndarray) -> None:
        """Write A and b, see :meth:`~impact_qp.tasks.task.Task.fill`."""
        (mass, com), (A_G, drift) = state.whole(), state.momentum()
        wanted = self.stiffness * (self.reference - com) - drift[:3] / mass
        self._write(A_G, mass, state.dq, wanted, self.damping, A, b)


class AngularMomentumTask(Task):
    r"""Residual :math:`\dot L + k L` of the whole robot about its centre of mass, world axes."""

    def __init__(self, *, damping: float = 5.0, weight: float = 1.0) -> None:
        """Create the task with k [1/s]."""
        super().__init__(weight, 3)
        self.damping = damping

    def fill(self, state: RobotState, A: np.ndarray, b: np.ndarray) -> None:
        """Write A and b, see :meth:`~impact_qp.tasks.task.Task.fill`."""
        A_G, drift = state.momentum()
        A[:] = A_G[3:]
        b[:] = -drift[3:] - self.damping * (A @ state.dq)


class JointPostureTask(Task):
    r"""Residual :math:`\ddot q - k_p(q_d - q) + k_d\dot q` of the joints, the base left out."""

    reference: np.ndarray = Floats()  # type: ignore[assignment]

    def __init__(
        self, dof: int, *, stiffness: float = 20.0, damping: float = 9.0, weight: float = 0.5
    ) -> None:
        """Create the task for ``dof`` joints with k_p [1/s^2] and k_d [1/s]."""
        from impact_qp.compiled.task_rows import write_posture  # loads slowly

        super().__init__(weight, dof)
        self._write = direct(write_posture)
        self.stiffness, self.damping = stiffness, damping
        self.reference = np.zeros(dof)  # q_d [rad]

    def fill(self, state: RobotState, A: np.ndarray, b: np.ndarray) -> None:
        """Write A and b, see :meth:`~impact_qp.tasks.task.Task.fill`."""
        self._write(state.q, state.dq, self.reference, self.stiffness, self.damping, A, b)
