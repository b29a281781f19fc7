# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Measured planar impacts of a rigid body on a fixed surface."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

USUAL_SIGNS = (1, -1)  # of the levers of normal and tangent in a file


@dataclass(frozen=True)
class PlanarImpacts:
    """N impacts; generalised velocities are (vx, vy, w) [m/s, m/s, rad/s].

    Contact velocity is ``normal @ v`` and ``tangent @ v``, each row (x, y, lever) [-, -, m].
    """

    before: np.ndarray  # velocities before, shape (N, 3)
    after: np.ndarray  # velocities after, shape (N, 3)
    normal: np.ndarray  # shape (N, 3)
    tangent: np.ndarray  # shape (N, 3), its lever in the sign of the velocity
    place: np.ndarray  # of the contact along the surface, shape (N,) [m]

    def __len__(self) -> int:
        return len(self.before)

    def take(self, rows: np.ndarray) -> PlanarImpacts:
        """Return the impacts of these rows: numbers or a mask."""
        return PlanarImpacts(*(getattr(self, field.name)[rows] for field in fields(self)))


@dataclass(frozen=True)
class LeverSigns:
    """By which signs the levers of a file's contact rows are multiplied."""

    normal: int
    tangent: int
    residual: float  # robust standard deviation of dw that the balance leaves [rad/s]
    other: float | None  # with the tangent's sign the other way [rad/s]; none for a round body
    clear: bool = True  # whether the data decide

    @property
    def usual(self) -> bool:
        """Whether they are those of the file format."""
        return (self.normal, self.tangent) == USUAL_SIGNS

    @property
    def text(self) -> str:
        """What was done to the file's columns."""
        done = " and ".join(
            f"{name} {'as it stands' if sign > 0 else 'turned'}"
            for name, sign in (("n_lever_m", self.normal), ("d_lever_m", self.tangent))
        )
        rule = "as usual in this format" if self.usual else "NOT as usual in this format"
        return f"{done}, {rule}"

    @property
    def residuals(self) -> str:
        """What the balance of momentum leaves of dw with these signs, and with others."""
        text = f"{self.residual:.3g} rad/s"
        if self.other is None:
            return text
        return f"{text}, and {self.other:.3g} rad/s with d_lever_m the other way"


@dataclass(frozen=True)
class PlanarDataset:
    """The impacts of a file that can be used, and how many cannot."""

    name: str
    impacts: PlanarImpacts
    rows: int  # in the file
    not_finite: int  # rows dropped for an empty field, NaN or infinity
    no_frame: int  # rows dropped because normal and tangent do not span the plane
    not_approaching: int  # rows dropped because the contact point does not approach
    levers: LeverSigns | None = None  # none where the impacts are too few to tell

    @property
    def dropped(self) -> str:
        """How many rows were dropped, and why."""
        return (
            f"{self.not_finite} not finite, {self.no_frame} without a normal and a tangent,"
            f" {self.not_approaching} not approaching"
        )
