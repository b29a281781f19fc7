# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What a whole robot is to do in a cycle, and who says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from impact_qp.whole_body.arrival import Arrival
from impact_robots import PointState


@dataclass(frozen=True)
class PalmTarget:
    """What one palm is to do, world axes."""

    normal: np.ndarray  # the axis along which its velocity counts alone, unit, shape (3,)
    velocity: np.ndarray  # set velocity, shape (3,) [m/s]
    position: np.ndarray  # where it is to be across the normal, shape (3,) [m]
    rotation: np.ndarray  # set axes of the palm's frame, shape (3, 3)


@dataclass(frozen=True)
class WholeBodyTargets:
    """What the robot is to do."""

    palms: tuple[PalmTarget, ...]  # in the controller's order of palms
    arrivals: tuple[Arrival, ...] = ()  # contacts that are announced; none: impact-unaware
    com: np.ndarray | None = None  # set centre of mass, world, (3,) [m]; none: that of the start


class Phases(Protocol):
    """Says what to do, cycle by cycle."""

    def targets(
        self, time: float, palms: tuple[PointState, ...], palm_forces: np.ndarray
    ) -> WholeBodyTargets:
        """Return what to do now.

        Args:
            time: [s].
            palms: as the controller has them: its own in position mode, else measured.
            palm_forces: measured, on the robot, world axes, shape (k, 3) [N].
        """
