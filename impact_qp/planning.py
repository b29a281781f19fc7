# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Where to hit: the highest safe speed of a configuration, and the best one for the same point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from impact_qp.exceptions import ControlError
from impact_qp.limits import ImpactLimit, SpeedBound, WorstCaseImpactLimit
from impact_qp.reach import Reach
from impact_robots import ArmDynamics, PointState, Robot

_STARTS, _KEPT, _STEPS = 400, 8, 1000  # drawn and refined configurations, steps
_FIRST_STEP, _LAST_STEP = 0.3, 2e-4  # sizes of a step of the search [rad]
_GROW, _SHRINK = 1.6, 0.9  # after a success, after a failure: balanced at one success in five
_NEAR = 0.3  # loads that may become the largest, over the largest


@dataclass(frozen=True)
class HitConfiguration:
    """A configuration in which the contact point is hit."""

    q: np.ndarray  # shape (n,) [rad]
    bound: SpeedBound  # the highest safe approach speed there


def safe_speed(robot: Robot, limit: ImpactLimit, q: np.ndarray) -> HitConfiguration:
    """Return the highest approach speed at which an impact respects ``limit``.

    The arm's own velocity is left out (qdot = 0), as in the published bounds: limits of the joint
    velocity after the impact then leave their whole range to the jump.

    Args:
        robot: the arm.
        limit: of the impact.
        q: joint positions, shape (n,) [rad].
    """
    state = ArmDynamics(robot).state(q, np.zeros(robot.dof)).at(limit.frame)
    return HitConfiguration(state.q, limit.speed_bound(state))


def bottoming_speed(robot: Robot, limit: ImpactLimit, q: np.ndarray) -> float | None:
    """Return the lowest speed at which the tool's cover bottoms out in the limit's ranges [m/s].

    Args:
        robot: the arm.
        limit: of the impact.
        q: joint positions, shape (n,) [rad].

    Returns:
        None without a cover, and of limits that know no compliance of a contact.
    """
    state = ArmDynamics(robot).state(q, np.zeros(robot.dof)).at(limit.frame)
    return limit.bottoming_speed(state)


class Fastest:
    """Stores the fastest of many configurations; of equal ones the first.

    Attributes:
        hits: fastest first.
    """

    def __init__(self, count: int) -> None:
        """Set the number of stored configurations."""
        self.hits: list[HitConfiguration] = []
        self._count = count

    @property
    def least(self) -> float:
        """Speed that another one must exceed, negative while the list is not full [m/s]."""
        return -1.0 if len(self.hits) < self._count else self.hits[-1].bound.speed

    def add(self, hit: HitConfiguration | None) -> None:
        """Take one that exceeds ``least``; None is ignored."""
        if hit is not None:
            self.hits.append(hit)
            self.hits.sort(key=_speed, reverse=True)
            del self.hits[self._count :]


class Search:
    """Searches the configuration with the highest bound that reaches the same point."""

    def __init__(
        self,
        robot: Robot,
        limit: ImpactLimit,
        q: np.ndarray,
        *,
        tilt: float = 0.5,
        seed: int = 0,
        reach: Reach | None = None,
    ) -> None:
        """Set up.

        Args:
            robot: the arm.
            limit: of the impact.
            q: joint positions with the contact point at its target, shape (n,) [rad].
            tilt: largest rotation of the tool from its direction to the surface in q, >= 0;
                rotation about the normal is free [rad].
            seed: of the random numbers.
            reach: allowed configurations, instead of a ``tilt`` from q.

        Raises:
            ControlError: q is outside of the position limits.
        """
        if wrong := robot.outside_limits(q):
            raise ControlError(wrong)
        self._robot, self._random = robot, np.random.default_rng(seed)
        self._final, self._limit = limit, limit.ranking
        self._dynamics, self._rest = ArmDynamics(robot), np.zeros(robot.dof)
        normal = limit.contact.normal
        place = self._dynamics.state(q, self._rest).at(limit.frame)
        self._point, facing = place.position, place.rotation.T @ normal
        self._reach = reach or Reach(
            robot, limit.frame, facing=facing, normal=normal, tilt=tilt, around=q
        )
        self._start = HitConfiguration(q.copy(), self._limit.speed_bound(place))

    def best(
        self,
        *,
        starts: int = _STARTS,
        steps: int = _STEPS,
        report: Callable[[float], object] | None = None,
    ) -> HitConfiguration:
        """Return the best configuration found; never worse than the start.

        Args:
            starts: number of drawn configurations.
            steps: largest number of steps of each ascent.
            report: called with the fraction that is done, 0 to 1: draws are half of it.
        """
        found, tell = Fastest(_KEPT), report or (lambda fraction: None)
        found.add(self._start)
        for k in range(starts):
            drawn = self._random.uniform(self._reach.low, self._reach.high)
            found.add(self._try(drawn, found.least))
            tell(0.5 * (k + 1) / starts)
        climbed, hits = [], [self._start, *found.hits]
        for k, hit in enumerate(hits):
            climbed.append(self._refine(hit, steps))
            tell(0.5 + 0.5 * (k + 1) / len(hits))
        polished = [each for hit in climbed for each in (hit, self._polish(hit))]
        if self._final is not self._limit:
            polished = [
                safe_speed(self._robot, self._final, hit.q) for hit in [self._start, *polished]
            ]
        return max(polished, key=_speed)

    def _refine(self, hit: HitConfiguration, steps: int) -> HitConfiguration:
        """Ascend in random directions, until only tiny steps succeed."""
        size = _FIRST_STEP
        for _ in range(steps):
            if size < _LAST_STEP:
                break
            step = size * self._random.normal(size=len(hit.q))
            candidate = self._try(hit.q + step, hit.bound.speed)
            if candidate is not None:
                hit, size = candidate, size * _GROW
            else:
                size *= _SHRINK
        return hit

    def _polish(self, hit: HitConfiguration) -> HitConfiguration:
        """Follow the edge between limits: minimise the largest load by SLSQP."""
        from scipy.optimize import minimize  # loads slowly

        limit, reach, speed = self._limit, self._reach, hit.bound.speed
        if not (isinstance(limit, WorstCaseImpactLimit) and 0.0 < speed < np.inf):
            return hit
        near = limit.loads(self._state(hit.q)) > _NEAR / speed
        found = minimize(
            lambda x: x[-1],
            np.append(hit.q, 1.0),
            jac=lambda x: np.append(np.zeros(len(hit.q)), 1.0),
            method="SLSQP",
            bounds=[*zip(reach.low, reach.high, strict=True), (0.0, None)],
            constraints=[
                {"type": "eq", "fun": lambda x: reach.place(x[:-1]).translation - self._point},
                {"type": "ineq", "fun": lambda x: reach.cosine(reach.place(x[:-1])) - reach.least},
                {"type": "ineq", "fun": lambda x: x[-1] - speed * self._loads(x[:-1])[near]},
            ],
            options={"maxiter": 60},
        )
        polished = self._try(np.clip(found.x[:-1], reach.low, reach.high), speed)
        return hit if polished is None else polished

    def _loads(self, q: np.ndarray) -> np.ndarray:
        return self._limit.loads(self._state(q))  # type: ignore[attr-defined]

    def _try(self, q: np.ndarray, above: float) -> HitConfiguration | None:
        """Return the nearest configuration that reaches the point, if allowed and faster [m/s]."""
        reached = self._reach.to(self._point, q)
        bound = None if reached is None else self._limit.bound_above(self._state(reached), above)
        return None if reached is None or bound is None else HitConfiguration(reached, bound)

    def _state(self, q: np.ndarray) -> PointState:
        """Return the state at the point that hits, at rest."""
        return self._dynamics.state(q, self._rest).at(self._limit.frame)


def _speed(hit: HitConfiguration) -> float:
    return hit.bound.speed
