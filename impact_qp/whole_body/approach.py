# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The phase before an impact: palms come to the faces that they are to hit, at a set speed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from impact_qp.whole_body.arrival import Arrival
from impact_qp.whole_body.targets import PalmTarget, WholeBodyTargets
from impact_robots import PointState


class PalmApproach:
    """Palms move against the normals of their faces, ramped up; across them they stay.

    A palm holds the orientation that it has in the first cycle, and goes to its contact's point
    across the normal.
    """

    def __init__(self, arrivals: Sequence[Arrival], speed: float, *, ramp: float = 4.0) -> None:
        """Set up.

        Args:
            arrivals: one per palm, in the controller's order.
            speed: set speed against the normals [m/s].
            ramp: of the speed [m/s^2].
        """
        self.arrivals, self.speed, self.ramp = tuple(arrivals), speed, ramp
        self._start: float | None = None
        self._rotations: tuple[np.ndarray, ...] = ()

    def targets(
        self, time: float, palms: tuple[PointState, ...], palm_forces: np.ndarray
    ) -> WholeBodyTargets:
        """Return what to do now; arguments as of ``Phases``."""
        if self._start is None:
            self._start, self._rotations = time, tuple(palm.rotation for palm in palms)
        speed = min(self.speed, self.ramp * (time - self._start))
        wanted = tuple(
            PalmTarget(
                arrival.contact.normal,
                -speed * arrival.contact.normal,
                np.array(arrival.contact.point),
                rotation,
            )
            for arrival, rotation in zip(self.arrivals, self._rotations, strict=True)
        )
        return WholeBodyTargets(wanted, self.arrivals)
