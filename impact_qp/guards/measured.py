# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Refuses states that no arm has, before anything is computed from them."""

from __future__ import annotations

import numpy as np

from impact_qp.exceptions import ControlError
from impact_robots.compiling.direct_call import direct

PLAUSIBLE = 1e3  # above all positions [rad; m] and velocities [rad/s; m/s] of arms


class PlausibleState:
    """Returns positions and velocities as arrays of plausible numbers."""

    def __init__(self, n: int) -> None:
        """Expect ``n`` joints."""
        from impact_qp.compiled.guards import usable  # loads slowly

        self._n, self._shape, self._usable = n, (n,), direct(usable)

    def __call__(self, q: np.ndarray, dq: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return both as arrays of floats, ``q`` copied.

        Args:
            q: joint positions, shape (n,) [rad].
            dq: joint velocities, shape (n,) [rad/s].

        Raises:
            ControlError: they are not n finite numbers, or implausible for any arm.
        """
        try:
            q, dq = np.array(q, float), np.asarray(dq, float)
            if q.shape == dq.shape == self._shape and self._usable(q, dq, PLAUSIBLE):
                return q, dq
        except (TypeError, ValueError):  # not numeric, or ragged
            pass
        raise ControlError(
            f"state: expected {self._n} finite positions and velocities below {PLAUSIBLE:g}"
        )
