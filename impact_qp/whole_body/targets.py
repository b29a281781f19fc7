# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Targets of a whole robot in a cycle, and their source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from impact_qp.whole_body.arrival import Arrival
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
        """Return the targets; arguments as of ``Phases``."""
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


@dataclass(frozen=True)
class PalmTarget:
    """Target of one palm, world axes."""

    normal: np.ndarray  # the only axis along which its velocity is controlled, unit, shape (3,)
    velocity: np.ndarray  # set velocity, shape (3,) [m/s]
    position: np.ndarray  # target across the normal, shape (3,) [m]
    rotation: np.ndarray  # set axes of the palm's frame, shape (3, 3)


@dataclass(frozen=True)
class WholeBodyTargets:
    """Targets of the robot."""

    palms: tuple[PalmTarget, ...]  # in the controller's order of palms
    arrivals: tuple[Arrival, ...] = ()  # announced contacts; none: impact-unaware
    com: np.ndarray | None = None  # set centre of mass, world, (3,) [m]; none: that of the start


class Phases(Protocol):
    """Source of the targets of each cycle."""

    def targets(
        self, time: float, palms: tuple[PointState, ...], palm_forces: np.ndarray
    ) -> WholeBodyTargets:
        """Return the targets.

        Args:
            time: [s].
            palms: in position mode the controller's own states, else measured.
            palm_forces: measured, on the robot, world axes, shape (k, 3) [N].
        """
