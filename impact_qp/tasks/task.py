# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Base of every task: a weighted quadratic cost on the joint accelerations."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from impact_robots.state.state import RobotState


class Task(ABC):
    r"""A cost :math:`w\,|A\ddot q - b|^2`.

    Attributes:
        weight: w, at least 0.
        size: number of rows of A.
        frame: of the task's motion; None: the robot's contact frame.
    """

    def __init__(self, weight: float, size: int, frame: str | None = None) -> None:
        """Create the task."""
        self.weight, self.size, self.frame = weight, size, frame

    @abstractmethod
    def fill(self, state: RobotState, A: np.ndarray, b: np.ndarray) -> None:
        """Write A, shape (size, n), and b, shape (size,), of the residual A qddot - b, in place."""

    def residual(self, state: RobotState) -> tuple[np.ndarray, np.ndarray]:
        """Return A and b."""
        A, b = np.zeros((self.size, len(state.dq))), np.zeros(self.size)
        self.fill(state, A, b)
        return A, b

    def objective(self, state: RobotState) -> tuple[np.ndarray, np.ndarray]:
        """Return H, shape (n, n), and c, shape (n,), of the cost 1/2 x^T H x + c^T x."""
        A, b = self.residual(state)
        return self.weight * (A.T @ A), -self.weight * (A.T @ b)
