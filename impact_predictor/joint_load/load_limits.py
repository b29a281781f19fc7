# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Limits of joint torques and contact force, and the fraction of them that a load uses."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from impact_predictor.joint_load.load import JointLoad
from impact_robots.robot import Robot

CHANGE, RANGE = "torque change", "torque range"


class ImpulseLimits(NamedTuple):
    """Limits on linear functions of the impulse, such as velocities after the impact."""

    rows: np.ndarray  # shape (k, 3), on the impulse in contact axes
    most: np.ndarray  # shape (k,)
    names: tuple[str, ...]


NO_IMPULSE_LIMITS = ImpulseLimits(np.zeros((0, 3)), np.zeros(0), ())


class LoadLimits(NamedTuple):
    """Limits of an impact's load; NaN: there is none."""

    change: np.ndarray  # of each joint's torque, shape (n,) [N.m]
    up: np.ndarray  # from the torque before the impact to the top of its range, shape (n,) [N.m]
    down: np.ndarray  # and to its bottom, shape (n,) [N.m]
    force: tuple[float, ...]  # of the contact [N]
    impulse: ImpulseLimits
    names: tuple[str, ...]  # of the changes, of the ranges, of the forces, of the impulse's

    def used(self, load: JointLoad) -> np.ndarray:
        """Return the used fraction of each limit, in the order of ``names`` [-]."""
        with np.errstate(divide="ignore", invalid="ignore"):
            change = load.change / self.change
            up, down = load.highest / self.up, -load.lowest / self.down
            force = load.peak_force.max() / np.array(self.force)
            after = self.impulse.rows @ load.impulse[0] / self.impulse.most
        range_ = np.where((self.up <= 0.0) | (self.down <= 0.0), np.inf, np.fmax(up, down))
        after = np.where(self.impulse.most <= 0.0, np.inf, after)
        used = np.concatenate([change, range_, force, after])
        used[np.isnan(used)] = 0.0
        return used


def load_limits(
    robot: Robot,
    before: np.ndarray,
    margin: float = 0.0,
    impulse: ImpulseLimits = NO_IMPULSE_LIMITS,
) -> LoadLimits:
    """Return the limits of a robot's YAML: changes and ranges of torque, peaks of force.

    Args:
        robot: whose limits count.
        before: torque of each joint before the impact, gravity included, shape (n,) [N.m].
        margin: fraction of the load allowed to an impact that is reserved [-].
        impulse: limits beside them, as they are.
    """
    keep, limits = 1.0 - margin, robot.limits
    forces = tuple(name for name, _ in robot.force_limits)
    return LoadLimits(
        keep * limits.impulsive_torque,
        keep * (limits.torque_range - before),
        keep * (limits.torque_range + before),
        tuple(keep * most for _, most in robot.force_limits),
        impulse,
        _names(robot.joint_names, forces, impulse.names),
    )


@lru_cache(maxsize=64)
def _names(
    joints: tuple[str, ...], forces: tuple[str, ...], impulse: tuple[str, ...]
) -> tuple[str, ...]:
    torques = [f"{joint} {kind}" for kind in (CHANGE, RANGE) for joint in joints]
    return (*torques, *(f"{name} force" for name in forces), *impulse)
