# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Load of every joint in an impact ahead: expected value and range."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import sqrt
from typing import NamedTuple

import numpy as np

from impact_predictor.exceptions import PredictionError, UnknownNameError
from impact_predictor.joint_load.drive import drive_of
from impact_predictor.joint_load.elastic_arm import ElasticArm, elastic_arm
from impact_predictor.joint_load.load import (
    DURATION,
    JointLoad,
    joint_load,
    load_contact,
    window,
)
from impact_predictor.joint_load.load_case import (
    STIFFEST,
    joint_ends,
    normal_law,
    normal_mobility,
    stiffness_grid,
    viscoelastic,
)
from impact_predictor.prediction.robot_contacts import RobotContact
from impact_robots.description.joint_ranges import ANNOUNCED, JOINT_RANGES
from impact_robots.robot import Robot
from impact_robots.surface import Surface

SLOWEST = 1e-9  # smallest approach speed [m/s]
AT_REST = 0.01  # velocity of a joint up to which dry friction may hold its motor [rad/s]
LEAST_SHARE = 0.1  # of the highest approach speed, which every contact's restitution is taken at

Coefficients = tuple[float, float, float]  # stiffness [N/m], restitution, friction [-]


class CoverUse(NamedTuple):
    """Largest compression of a tool's cover, at its thickness: it bottoms out."""

    expected: float  # [m]
    low: float  # lowest and highest in the ranges [m]
    high: float
    thickness: float  # [m]


class PredictedLoad(NamedTuple):
    """Peaks of the torque K (theta - q) of each joint's spring; arrays of shape (n,).

    Without parameters of the joints all is NaN, and ``note`` names the missing fields.
    """

    change: np.ndarray  # largest change since contact [N.m]
    change_low: np.ndarray  # lowest and highest of these in the ranges [N.m]
    change_high: np.ndarray
    torque: np.ndarray  # largest magnitude, gravity included [N.m]
    torque_low: np.ndarray
    torque_high: np.ndarray
    time: np.ndarray  # of the largest change, since contact; NaN without impact [s]
    note: str  # why there are no loads; else empty
    cover: CoverUse | None = None  # of the tool, if that hits and has one


def predicted_load(
    contacts: Sequence[RobotContact], robot: Robot, *, joints: str = ANNOUNCED
) -> PredictedLoad:
    """Return the loads of an impact at all contacts at once, with the velocity of the state.

    Expected is the middle of all ranges, of the stiffness on its logarithm. The interval is that
    of the cases at the ends of the ranges and at every decade of stiffness, joints at the ends
    that make loads high and low; several contacts are at the same ends together. Where a load
    changes its sign between the ends, the lowest one may be lower still.

    Args:
        contacts: at least one, all in the same state.
        robot: the arm, commanded by torques.
        joints: "announced", the robot's ranges, or "nominal".

    Raises:
        UnknownNameError: no such ranges of the joints.
    """
    if joints not in JOINT_RANGES:
        raise UnknownNameError("joint ranges", joints, JOINT_RANGES)
    impact = _Impact(contacts, robot)
    try:
        state = contacts[0].state.robot_state
        arm = elastic_arm(robot, state, drive_of(robot, "torque"), covered=True)
        expected = impact.load(arm, [_middle(each.surface) for each in contacts])
        surfaces = [each.surface for each in contacts]
        cases = [expected]
        for scale in joint_ends(robot, joints):
            other = arm.scaled(scale)
            cases += [impact.load(other, ends) for ends in _ends(surfaces)]
    except PredictionError as error:
        return _unknown(robot.dof, str(error))
    change = np.array([each.change for each in cases])
    torque = np.array([each.absolute(impact.before) for each in cases])
    return PredictedLoad(
        *(change[0], change.min(axis=0), change.max(axis=0)),
        *(torque[0], torque.min(axis=0), torque.max(axis=0)),
        expected.time if impact.speeds.max() > SLOWEST else np.full(robot.dof, np.nan),
        "",
        impact.cover_use([each.compression for each in cases]),
    )


def held_joints(
    contacts: Sequence[RobotContact], robot: Robot, *, joints: str = ANNOUNCED
) -> np.ndarray:
    """Return the joints that do not jump as friction holds their motors, shape (n,).

    Those at rest whose load stays below their dry friction anywhere in the ranges; see
    :meth:`.Robot.with_held_joints`. Own derivation (doc/reproduce.md, H13).

    Args:
        contacts: as of :func:`predicted_load`.
        robot: the arm, with ``coulomb_friction``.
        joints: as of :func:`predicted_load`.

    Raises:
        PredictionError: the robot's YAML lacks required values.
        UnknownNameError: no such ranges of the joints.
    """
    if robot.coulomb_friction is None:
        raise PredictionError(f"held joints: robot {robot.name} does not give 'coulomb_friction'")
    load = predicted_load(contacts, robot, joints=joints)
    if load.note:
        raise PredictionError(load.note)
    at_rest = np.abs(contacts[0].state.dq) <= AT_REST
    return np.asarray(at_rest & (load.change_high <= robot.coulomb_friction))


class _Impact:
    """Points of an arm that hit at once."""

    def __init__(self, contacts: Sequence[RobotContact], robot: Robot) -> None:
        """Keep the points, how fast they approach, and the torques before."""
        self._points = [
            (each.state, each.surface.rotation, normal_mobility(each.state, each.surface.normal))
            for each in contacts
        ]
        self._covers = [robot.cover_at(each.state.frame) for each in contacts]
        self.before = contacts[0].state.g
        self.speeds = np.array(
            [each.surface.approach_speed(each.state.velocity) for each in contacts]
        )
        self._zero = np.zeros(robot.dof)

    def load(self, arm: ElasticArm, surfaces: Sequence[Coefficients]) -> JointLoad:
        """Return the loads with coefficients of every surface; None without approach."""
        fastest = float(self.speeds.max())
        if not fastest > SLOWEST:
            return self._nothing()
        speeds = np.maximum(self.speeds, LEAST_SHARE * fastest).tolist()
        given = zip(self._points, self._covers, surfaces, speeds, strict=True)
        contacts = []
        for (point, rotation, mobility), cover, (k, e, friction), speed in given:
            if cover is None:
                law = normal_law(k, e, speed, mobility)
            else:  # which takes no rigid law
                law = viscoelastic(min(k, STIFFEST), e, speed)
            contacts.append(load_contact(point, rotation, law, friction, cover=cover))
        windows = [
            window(arm.mass(contact.J[2]), contact.cover.stiffness)
            for contact in contacts
            if contact.cover is not None
        ]
        return joint_load(arm, contacts, duration=max([DURATION, *windows]))

    def cover_use(self, compressions: Sequence[np.ndarray]) -> CoverUse | None:
        """Return the use of the tool's cover of cases, the expected one first, shape (c,) each."""
        found = [(cover, i) for i, cover in enumerate(self._covers) if cover is not None]
        if not found:
            return None
        cover, i = found[0]
        own = [float(each[i]) for each in compressions]
        return CoverUse(own[0], min(own), max(own), cover.thickness)

    def _nothing(self) -> JointLoad:
        """Return the loads of no impact."""
        zero, of_each = self._zero, np.zeros(len(self._points))
        impulse = np.zeros((len(of_each), 3))
        return JointLoad(zero, -zero, zero, zero, impulse, of_each, of_each, of_each, of_each, None)


def _middle(surface: Surface) -> Coefficients:
    """Return the expected parameters of a surface."""
    low, high = surface.stiffness
    friction, restitution = surface.middle
    return sqrt(low) * sqrt(min(high, max(STIFFEST, low))), restitution, friction


def _ends(surfaces: Sequence[Surface]) -> Iterator[list[Coefficients]]:
    """Yield coefficients of all surfaces, which go through their ranges together."""
    grids = [stiffness_grid(*each.stiffness) for each in surfaces]
    levels = max(map(len, grids))
    restitutions = _sides([each.restitution for each in surfaces])
    frictions = _sides([each.friction for each in surfaces])
    for level, e, mu in product(range(levels), restitutions, frictions):
        yield [
            (
                grid[level * (len(grid) - 1) // max(levels - 1, 1)],
                each.restitution[e],
                each.friction[mu],
            )
            for grid, each in zip(grids, surfaces, strict=True)
        ]


def _sides(bounds: Sequence[tuple[float, float]]) -> tuple[int, ...]:
    """Return the sides of ranges that differ: both, or one."""
    return (0, 1) if any(low < high for low, high in bounds) else (0,)


def _unknown(n: int, note: str) -> PredictedLoad:
    """Return no loads of n joints, and why."""
    nan = np.full(n, np.nan)
    return PredictedLoad(nan, nan, nan, nan, nan, nan, nan, note)
