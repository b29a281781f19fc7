# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Base of every limit: named rows ``G x <= h``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from impact_robots.state.state import RobotState

NO_EFFECT = 1.0  # bound of a row of zeros


@dataclass(frozen=True)
class Rows:
    """Rows ``G qddot + E y <= h``, with ``y`` the limit's own variables."""

    G: np.ndarray  # shape (m, n), on the joint accelerations [rad/s^2]
    h: np.ndarray  # shape (m,)
    names: tuple[str, ...]  # shape (m,)
    E: np.ndarray  # shape (m, ny)


class Limit(ABC):
    """A fixed number of rows; ``yields``: they may be relaxed for the hardware's limits.

    A limit may also demand equalities, and bound the accelerations and its own variables y; these
    are never relaxed.

    Attributes:
        names: of the m rows; may change with each ``fill``.
        variables: number of the limit's own variables, ny.
        variable_weight: of their squares in the cost, beside the regularisation of all variables.
        equalities: names of the p equalities.
        bounded: whether there are bounds.
    """

    yields = False
    names: tuple[str, ...] = ()
    variables = 0
    variable_weight = 0.0
    equalities: tuple[str, ...] = ()
    bounded = False

    @abstractmethod
    def fill(self, state: RobotState, G: np.ndarray, E: np.ndarray, h: np.ndarray) -> None:
        """Write the rows at a state: G (m, n), E (m, ny) and h (m,), all of them, in place."""

    def equate(self, state: RobotState, A: np.ndarray, E: np.ndarray, b: np.ndarray) -> None:
        """Write the equalities A qddot + E y = b: A (p, n), E (p, ny) and b (p,), in place."""
        raise NotImplementedError

    def narrow(self, state: RobotState, ddq: np.ndarray, y: np.ndarray) -> None:
        """Narrow the bounds: of qddot, shape (2, n), and of y, (2, ny), in place."""
        raise NotImplementedError

    def rows(self, state: RobotState) -> Rows:
        """Return the rows at a state."""
        m, n = len(self.names), len(state.dq)
        G, E, h = np.zeros((m, n)), np.zeros((m, self.variables)), np.zeros(m)
        self.fill(state, G, E, h)
        return Rows(G, h, self.names, E)


class RateLimit(Limit):
    """A limit on changes from one cycle to the next."""

    @abstractmethod
    def reset(self) -> None:
        """Forget the last cycle: no rate is limited in the next one."""

    @abstractmethod
    def remember(self, ddq: np.ndarray, torque: np.ndarray) -> None:
        """Store the command of this cycle, shape (n,) each.

        Args:
            ddq: joint accelerations [rad/s^2].
            torque: beyond gravity [N.m].
        """
