# SPDX-License-Identifier: Apache-2.0
"""What every limit is: named rows ``G x <= h``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from impact_robots.dynamics import ArmState


@dataclass(frozen=True)
class Rows:
    """Rows ``G qddot + E y <= h``, with ``y`` the limit's own variables."""

    G: np.ndarray  # shape (m, n), on the joint accelerations [rad/s^2]
    h: np.ndarray  # shape (m,)
    names: tuple[str, ...]  # shape (m,)
    E: np.ndarray | None = None  # shape (m, ny); None without variables of its own


class Limit(ABC):
    """A set of rows; ``yields`` says whether they may give way to the hardware's."""

    yields = False

    @abstractmethod
    def rows(self, state: ArmState) -> Rows:
        """Return the rows at a state."""


def no_rows(dof: int) -> Rows:
    """Return zero rows for ``dof`` joints."""
    return Rows(np.zeros((0, dof)), np.zeros(0), ())
