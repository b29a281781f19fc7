# SPDX-License-Identifier: Apache-2.0
"""What every task is: a weighted quadratic cost on the joint accelerations."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from impact_robots.dynamics import ArmState


class Task(ABC):
    r"""A cost :math:`w\,|A\ddot q - b|^2`."""

    def __init__(self, weight: float) -> None:
        """Create the task with weight w, at least 0."""
        self.weight = weight

    @abstractmethod
    def residual(self, state: ArmState) -> tuple[np.ndarray, np.ndarray]:
        """Return A, shape (k, n), and b, shape (k,), of the residual A qddot - b."""

    def objective(self, state: ArmState) -> tuple[np.ndarray, np.ndarray]:
        """Return H, shape (n, n), and c, shape (n,), of the cost 1/2 x^T H x + c^T x."""
        A, b = self.residual(state)
        return self.weight * (A.T @ A), -self.weight * (A.T @ b)
