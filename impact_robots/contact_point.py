# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Which point of a robot is in contact."""

from __future__ import annotations

from typing import NamedTuple


class ContactPoint(NamedTuple):
    """A point that moves with a frame; what :meth:`~impact_robots.RobotState.at` takes."""

    frame: str | None = None  # of the model; none: the robot's contact frame
    offset: tuple[float, float, float] | None = None  # in that frame [m]; none: its origin


OWN = ContactPoint()  # the robot's contact frame
