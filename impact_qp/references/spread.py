# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Two references that overlap at an impact, the second one coupled to the first by a map."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from impact_qp.references.quintics import Knot, Quintics
from impact_robots.exceptions import OutOfRangeError
from impact_robots.validation import finite_array

# velocity of the reference right before the impact, shape (m,), to that right after it
VelocityMap = Callable[[np.ndarray], ArrayLike]
TASK = 4  # position of the contact point and the redundancy, which is the first joint
_CLOSE = 1e-6  # largest mismatch of a file's references at the impact [m] and [m/s]


@dataclass(frozen=True, eq=False)
class SpreadReference:
    """References of [p; xi], shape (4,): contact point in base axes [m] and first joint [rad].

    Both are defined at all times: the ante-impact reference continues after the nominal time, as if
    there was no object, and the post-impact reference begins before it.
    """

    ante: Quintics
    post: Quintics
    nominal_time: float  # of the impact [s]
    rotation: np.ndarray  # R_d, wanted of the contact frame's axes in base axes, shape (3, 3)

    def __post_init__(self) -> None:
        """Check consistency.

        Raises:
            OutOfRangeError: references not of four numbers, no rotation, or positions that do not
                meet at the nominal time.
        """
        finite_array(self.nominal_time, (), "nominal_time")
        for name, reference in (("ante", self.ante), ("post", self.post)):
            if reference.size != TASK:
                raise OutOfRangeError(name, "knots of x, y, z and the first joint", reference.size)
        R = finite_array(self.rotation, (3, 3), "rotation")
        if not np.allclose(R @ R.T, np.eye(3), atol=1e-6) or np.linalg.det(R) < 0.0:
            raise OutOfRangeError("rotation", "a rotation matrix", R)
        ante, post = (each(self.nominal_time).position for each in (self.ante, self.post))
        if np.any(np.abs(post - ante) > _CLOSE):
            raise OutOfRangeError("post", f"the ante position {ante} at the impact", post)

    @property
    def jump(self) -> tuple[np.ndarray, np.ndarray]:
        """Velocities of [p; xi] before and after the nominal impact, shape (4,) each."""
        T = self.nominal_time
        return self.ante(T).velocity, self.post(T).velocity

    def slowed(self, factor: float) -> SpreadReference:
        """Return both at ``factor`` times the speed: the same paths, the impact later.

        The map of the velocity at the impact must be homogeneous, as impact maps are for arms and
        objects that are at rest or scaled by the same factor.

        Raises:
            OutOfRangeError: the factor is not above 0.
        """
        slow = self.ante.slowed(factor), self.post.slowed(factor)
        return SpreadReference(*slow, self.nominal_time / factor, self.rotation)


def couple(
    ante: Sequence[Knot],
    nominal_time: float,
    velocity_map: VelocityMap,
    post: Sequence[Knot] = (),
    *,
    rotation: ArrayLike,
) -> SpreadReference:
    """Return references of which the second begins at the map of the first (van Steen, 14).

    Args:
        ante: knots of [p; xi], shape (4,); they may continue after the impact.
        nominal_time: of the impact [s].
        velocity_map: from the reference's velocity before the impact to the one after it.
        post: knots after the nominal time; None: constant post-impact velocity.
        rotation: R_d, constant, shape (3, 3).

    Raises:
        OutOfRangeError: inconsistent knots, or a map whose result is not of shape (4,).
    """
    before = Quintics(ante)
    here = before(nominal_time)
    after = finite_array(velocity_map(here.velocity.copy()), (TASK,), "velocity map")
    first = Knot(nominal_time, here.position, after, np.zeros(TASK))
    return SpreadReference(
        before, Quintics([first, *post]), nominal_time, finite_array(rotation, (3, 3), "rotation")
    )
