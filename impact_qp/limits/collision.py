# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Keep links away from obstacles and from each other, by pinocchio's distances (coal)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin

from impact_qp.exceptions import ControlError
from impact_qp.limits.limit import NO_EFFECT, Limit
from impact_robots.robot import Robot
from impact_robots.state.state import RobotState

WORLD = "universe"  # frame of fixed bodies, in base axes


@dataclass(frozen=True)
class Body:
    """A shape that moves with a frame: a sphere, a capsule, a box, anything of coal."""

    frame: str  # of the robot's model, or WORLD
    shape: Any  # of the library coal
    placement: pin.SE3  # in that frame


class CollisionLimit(Limit):
    r"""A velocity damper on the distance d of each pair of bodies.

    :math:`\dot d + T_p\,\ddot d \ge -k\,(d - d_s)`, with :math:`\dot d = J_d\dot q` and
    :math:`\ddot d` taken as :math:`J_d\ddot q`: the nearer, the slower, and at the safe distance
    not nearer at all (Faverjon, Tournassoud, ICRA 1987). Without effect beyond ``influence``.
    """

    yields = True

    def __init__(
        self,
        robot: Robot,
        bodies: Mapping[str, Body],
        pairs: Sequence[tuple[str, str]],
        *,
        safe: float = 0.02,
        influence: float = 0.2,
        gain: float = 5.0,
        preview: float = 0.02,
    ) -> None:
        """Create the limit.

        Args:
            robot: the arm.
            bodies: by name.
            pairs: names of bodies that must not collide.
            safe: distance d_s [m].
            influence: distance beyond which there is no limit, above ``safe`` [m].
            gain: k [1/s].
            preview: T_p [s].

        Raises:
            ControlError: an unknown pair or frame, or a distance out of its range.
        """
        if not 0.0 <= safe < influence:
            raise ControlError(f"safe: expected 0 to influence {influence:g} m, got {safe:g}")
        self._model, self._data = robot.model, robot.model.createData()
        self._geometry, self._frames = pin.GeometryModel(), list[str]()
        indices = {name: self._add(name, body) for name, body in bodies.items()}
        for pair in pairs:
            if missing := [name for name in pair if name not in indices]:
                choices = ", ".join(indices)
                raise ControlError(f"pairs: expected bodies of {choices}, got {missing[0]!r}")
            self._geometry.addCollisionPair(pin.CollisionPair(*(indices[name] for name in pair)))
        self._distances = self._geometry.createData()
        self._safe, self._influence = safe, influence
        self._gain, self._preview = gain, preview
        self.names = tuple(f"collision: {first} - {second}" for first, second in pairs)

    def _add(self, name: str, body: Body) -> int:
        """Add a body; return its index."""
        if not self._model.existFrame(body.frame):
            raise ControlError(f"body {name!r}: no frame {body.frame!r} in the model")
        frame = self._model.frames[self._model.getFrameId(body.frame)]
        placement = frame.placement * body.placement
        self._frames.append(body.frame)
        added = pin.GeometryObject(name, frame.parentJoint, placement, body.shape)
        return int(self._geometry.addGeometryObject(added))

    def distances(self, q: np.ndarray) -> np.ndarray:
        """Return the distance of each pair at ``q`` (n,) [rad], negative in collision, (m,) [m]."""
        pin.computeDistances(self._model, self._data, self._geometry, self._distances, q)
        return np.array([result.min_distance for result in self._distances.distanceResults])

    def fill(self, state: RobotState, G: np.ndarray, E: np.ndarray, h: np.ndarray) -> None:
        """Write one row a pair."""
        distances = self.distances(state.q)
        for k, distance in enumerate(distances):
            if distance >= self._influence:
                G[k], h[k] = 0.0, NO_EFFECT
                continue
            gradient = self._gradient(k, state)
            G[k] = -self._preview * gradient
            h[k] = self._gain * (distance - self._safe) + float(gradient @ state.dq)

    def _gradient(self, pair: int, state: RobotState) -> np.ndarray:
        """Return J_d of a pair, shape (n,)."""
        result = self._distances.distanceResults[pair]
        near = result.getNearestPoint1(), result.getNearestPoint2()
        indices = self._geometry.collisionPairs[pair]
        frames = (self._frames[index] for index in (indices.first, indices.second))
        first, second = (
            _jacobian(state, frame, point) for frame, point in zip(frames, near, strict=True)
        )
        return np.asarray(result.normal @ (second - first))


def _jacobian(state: RobotState, frame: str, point: np.ndarray) -> np.ndarray:
    """Return the linear Jacobian of a point (3,) in base axes that moves with a frame, (3, n)."""
    if frame == WORLD:
        return np.zeros((3, len(state.dq)))
    at = state.at(frame)
    return np.asarray(at.J[:3] - pin.skew(point - at.position) @ at.J[3:])
