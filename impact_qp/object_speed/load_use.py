# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Joint loads when plates hit an object, relative to their limits."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from itertools import product

import numpy as np

from impact_predictor.joint_load.load import warm_up
from impact_predictor.joint_load.load_case import joint_ends
from impact_predictor.joint_load.load_limits import CHANGE, RANGE
from impact_predictor.joint_load.object_load import ArmLoad, FaceContact, ObjectLoad
from impact_qp.object_speed.delays import DelayedBound, DelayedUse, delayed_bound
from impact_qp.object_speed.object_hit import ObjectHit, joint_limits

MARGIN = 0.05  # model error of some 4 %, and arms hit up to 1.5 % too fast
SETTLED = 0.015  # after the last contact, when clamping begins: the impact's peak is over [s]


class LoadUse(DelayedUse):
    """Torque of each joint: its change by the impact, and its range, with gravity.

    In the range is also what the arm exerts on the object afterwards, from ``SETTLED`` on. All ends
    of the ranges of mass and contact count, and joints that make loads high and low.
    """

    def __init__(
        self,
        hit: ObjectHit,
        *,
        joint_ranges: str = "announced",
        margin: float = MARGIN,
        delays: Mapping[str, float] | None = None,
    ) -> None:
        """Build the systems.

        Args:
            hit: arms and box.
            joint_ranges: "announced", the robot's, or "nominal".
            margin: fraction of every limit kept in reserve [-].
            delays: of arms that are late, by name [s].

        Raises:
            PredictionError: the robot's YAML lacks required values.
        """
        warm_up()
        names, self._hit = tuple(hit.plates), hit
        self._delays = dict(delays or {})
        self._systems = [
            ObjectLoad(hit.robots, hit.plates, hit.body(mass), scales, hit.interface)
            for mass, scales in product(hit.masses, _joint_ends(hit, joint_ranges))
        ]
        self._contacts = [FaceContact(*corner) for corner in hit.corners()]
        self._before = {
            name: hit.plates[name].arm.state.g[-hit.robots[name].dof :] for name in names
        }
        self._forces = {name: _torque(hit, name) for name in names}
        limits = {name: hit.robots[name].limits for name in names}
        self._change = {n: (1.0 - margin) * each.impulsive_torque for n, each in limits.items()}
        self._range = {n: (1.0 - margin) * each.torque_range for n, each in limits.items()}
        self._find()
        self.names = sum((joint_limits(hit, name, (CHANGE, RANGE)) for name in names), ())

    def delayed(self, delays: Mapping[str, float]) -> LoadUse:
        """Return the same with other delays, by the arms' names [s]."""
        other = copy(self)
        other._delays = dict(delays)
        other._find()
        return other

    def delayed_bound(self, scale: float) -> DelayedBound:
        """Return the bound at the worst delay."""
        return delayed_bound(self.delayed, self._hit.plates, scale)

    def _find(self) -> None:
        self._still = None if self._hit.moves else self._loads(1.0)

    def _loads(self, scale: float) -> list[dict[str, ArmLoad]]:
        """Return the loads of all cases."""
        return [
            system.loads(contact, scale, SETTLED, self._delays)
            for system in self._systems
            for contact in self._contacts
        ]

    def used(self, scale: float) -> np.ndarray:
        """Return the fractions; for a box at rest loads are proportional to the scale."""
        if self._still is None:
            cases, factor = self._loads(scale), 1.0
        else:
            cases, factor = self._still, scale
        shares = [
            np.concatenate([self._of_arm(name, load, factor) for name, load in case.items()])
            for case in cases
        ]
        return np.max(shares, axis=0)

    def _of_arm(self, name: str, load: ArmLoad, factor: float) -> np.ndarray:
        """Return the fractions of one arm in one case, shape (2 n,)."""
        before, force = self._before[name], self._forces[name]
        high, low, later_high, later_low = (factor * each for each in load)
        torques = before + np.array([high, low, later_high + force, later_low + force, 0.0 * force])
        change = np.maximum(high, -low) / self._change[name]
        return np.nan_to_num(
            np.concatenate([change, np.abs(torques).max(axis=0) / self._range[name]]), nan=0.0
        )


def _joint_ends(hit: ObjectHit, joint_ranges: str) -> list[dict[str, np.ndarray]]:
    """Return the joints of all arms that make loads highest and lowest, by the arms' names."""
    ends = {name: joint_ends(hit.robots[name], joint_ranges) for name in hit.plates}
    count = max(map(len, ends.values()))
    return [
        {name: each[min(k, len(each) - 1)] for name, each in ends.items()} for k in range(count)
    ]


def _torque(hit: ObjectHit, name: str) -> np.ndarray:
    """Return J^T f of the wrench of an arm on the box, of its joints, shape (n,) [N.m]."""
    plate = hit.plates[name]
    J = plate.arm.jacobian(plate.center)
    return np.asarray(J.T @ hit.force(name))[-hit.robots[name].dof :]
