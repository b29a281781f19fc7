# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Arms compared at the points of a surface that all of them reach.

Speeds and configurations are those of `map`, hence of `plan`; what an impact at that speed does is
what `predict` says of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import NamedTuple

import numpy as np

from impact_bags.exceptions import AnalysisError
from impact_cli.maps.surface_map import MapTask, Row, map_surface
from impact_cli.options.impact_options import approach_velocities
from impact_cli.options.limit_options import limit_of
from impact_predictor import predict
from impact_predictor.inertia.inertia_models import effective_masses, normal_impulse
from impact_qp.limits import ImpactLimit
from impact_qp.planning import HitConfiguration, bottoming_speed
from impact_robots import ArmDynamics, Robot, Surface

PERCENTILES = 5.0, 95.0
MODEL = "M+B_theta"  # impact map


class ArmHit(NamedTuple):
    """The fastest safe hit that was found at a point, and what it does."""

    safe_speed: float  # [m/s]
    impulse: float  # (1 + e) m v along the normal, e in the middle of its range [N.s]
    effective_mass: float  # m along the normal, of links and motors [kg]
    rotation_after: float  # angular speed of the contact body right after the impact [rad/s]
    critical_joint: str  # whose limit sets the speed
    limit: str  # its name, as `plan` prints it
    q: np.ndarray  # joint positions, shape (n,) [rad]
    bottoms: float  # lowest speed at which a cover bottoms out; NaN: not in the limits [m/s]


@dataclass(frozen=True)
class ComparedArm:
    """One arm at the common points."""

    task: MapTask
    turn: float  # of the wrist, from the direction of ``--axis`` [rad]
    reached: int  # points that it reaches, common or not
    hits: tuple[ArmHit, ...]  # one per common point

    def values(self, name: str) -> np.ndarray:
        """Return a number of each hit by its field's name, shape (points,)."""
        return np.array([getattr(hit, name) for hit in self.hits])

    def summary(self, name: str) -> tuple[float, float, float]:
        """Return median, 5th and 95th percentile of a number of the hits."""
        values = self.values(name)
        low, high = np.percentile(values, PERCENTILES)
        return float(np.median(values)), float(low), float(high)

    @property
    def critical_joint(self) -> tuple[str, float]:
        """The most frequent critical joint, and its fraction of the points."""
        ((name, count),) = Counter(hit.critical_joint for hit in self.hits).most_common(1)
        return name, count / len(self.hits)


@dataclass(frozen=True)
class Comparison:
    """Arms at the points that all reach; at least one."""

    surface: Surface
    common: np.ndarray  # bool: which points of the grid all reach, shape (rows, columns)
    points: np.ndarray  # those, base axes of each arm, shape (points, 3) [m]
    arms: dict[str, ComparedArm]  # by what they are called


def compare(
    tasks: Mapping[str, MapTask],
    turns: Mapping[str, float],
    surface: Surface,
    jobs: int,
    progress: Callable[[float], None],
) -> Comparison:
    """Return the comparison of arms over the same grid.

    Args:
        tasks: of the map of each arm, by what it is called; their grids are equal.
        turns: of the wrist of each [rad].
        surface: that is hit.
        jobs: number of processes, at least 1.
        progress: called with the fraction done.

    Raises:
        AnalysisError: no point is reached by all, or a process died.
    """
    maps: dict[str, list[Row]] = {}
    for done, (name, task) in enumerate(tasks.items()):

        def update(fraction: float, done: int = done) -> None:
            progress((done + fraction) / len(tasks))

        maps[name] = map_surface(task, jobs, update)
    reached = {name: np.array([[*map(_is_bounded, row)] for row in maps[name]]) for name in maps}
    common = np.logical_and.reduce([*reached.values()])
    if not common.any():
        counts = ", ".join(f"{name} reaches {each.sum()}" for name, each in reached.items())
        raise AnalysisError(f"no point of {common.size} is reached by all arms: {counts}")
    arms = {}
    for name, task in tasks.items():
        found = [
            hit
            for row, line in zip(maps[name], common, strict=True)
            for hit, both in zip(row, line, strict=True)
            if hit is not None and both
        ]
        limit = limit_of(task.plan, task.robot)
        hits = tuple(arm_hit(limit, surface, hit) for hit in found)
        arms[name] = ComparedArm(task, turns[name], int(reached[name].sum()), hits)
    grid = next(iter(tasks.values())).grid
    return Comparison(surface, common, grid.points()[common], arms)


def arm_hit(limit: ImpactLimit, surface: Surface, hit: HitConfiguration) -> ArmHit:
    """Return what an impact at the highest safe speed of a configuration does.

    The arm approaches along the normal without turning the tool; restitution and, for the rotation,
    friction are in the middle of their ranges. The impulse is that without friction.

    Args:
        limit: of the arm.
        surface: that is hit.
        hit: a configuration, and its finite bound.
    """
    robot, bottoms = limit.robot, bottoming_speed(limit.robot, limit, hit.q)
    dynamics, speed = ArmDynamics(robot), max(hit.bound.speed, 0.0)
    still = dynamics(hit.q, np.zeros(robot.nv))
    state = dynamics(hit.q, approach_velocities(still, surface.rotation, speed, robot))
    prediction = predict(state, surface, robot, inertia=MODEL)
    mass = effective_masses(state, robot, surface.rotation)[MODEL]
    return ArmHit(
        safe_speed=hit.bound.speed,
        impulse=normal_impulse(mass, -speed, surface.middle[1])[1],
        effective_mass=mass,
        rotation_after=float(np.linalg.norm(state.J[3:] @ prediction.dq_after)),
        critical_joint=_joint(hit.bound.name, robot),
        limit=hit.bound.name,
        q=hit.q,
        bottoms=np.nan if bottoms is None else bottoms,
    )


def _joint(limit: str, robot: Robot) -> str:
    """Return the joint that a limit's name begins with, else that name."""
    return next((name for name in robot.joint_names if limit.split(" ")[0] == name), limit)


def _is_bounded(hit: HitConfiguration | None) -> bool:
    return hit is not None and isfinite(hit.bound.speed)
