# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Stiffness and restitution of a surface from the force of a hit by a flexible-joint arm.

A free body that stands for the arm does not do: while it contacts a hard surface the motors follow
their springs and drive it again, so such a stiffness is several times too low, and the
restitution of all joints' velocities is that of arm and surface together. Here the flexible-joint
model hits a viscoelastic surface, and must feel the recorded force.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np

from impact_predictor.joint_load.elastic_arm import ElasticArm, drive_of, elastic_arm
from impact_predictor.joint_load.load import joint_load, load_contact
from impact_predictor.joint_load.load_case import STIFFEST, scale_ends, viscoelastic
from impact_predictor.joint_load.motion_records import TICK
from impact_predictor.prediction.model_error import MODEL_ERROR
from impact_robots.robot import Robot
from impact_robots.state.state import PointState
from impact_robots.surface import Surface

FOLLOWED = 0.02  # simulated time after contact [s]
SLOWEST = 2.5e-4  # between samples of a force that pushes [s]
CONTACT_FORCE = 3.0  # above it a force does [N]
SOFTEST, SPRINGIEST = 1e3, 0.95  # searched ranges: stiffness [N/m], restitution [-]
GRID = np.geomspace(1e4, 3e7, 15), (0.05, 0.3, 0.6)  # where the search begins
WIDER = (
    2.0,
    0.08,
)  # error by joints and contact time, measured: factor of stiffness, shift of restitution
EXPLAINED = 0.3  # largest rms of the residual force over that of the force, for an accepted fit


class SurfaceFigures(NamedTuple):
    """Between which figures a surface explains a force."""

    stiffness: tuple[float, float]  # [N/m]
    restitution: tuple[float, float]  # of the contact itself [-]


def identify_surface(
    robot: Robot,
    point: PointState,
    normal: np.ndarray,
    friction: float,
    time: np.ndarray,
    force: np.ndarray,
) -> SurfaceFigures | None:
    """Return which surfaces explain a force; none if none does.

    The figures are found for the nominal arm, for links that are all 10 % lighter or heavier, and
    for the ends of the ranges of the joints' stiffness: the range holds all that explain it, and
    is wider by the error found in hits of drawn arms.

    Args:
        robot: the arm.
        point: that hit, with its velocity before.
        normal: of the surface, outward, base axes, shape (3,).
        friction: coefficient [-].
        time: since contact, increasing, shape (N,) [s].
        force: along the normal, on the robot, shape (N,) [N].

    Raises:
        PredictionError: the robot's YAML does not define the required fields.
    """
    ticks = TICK * np.arange(1, round(FOLLOWED / TICK) + 1)
    if not _is_followed(time, force):
        return None
    recorded, surface = np.interp(ticks, time, force), Surface(None, normal, friction)
    found = [_solved(arm, point, surface, recorded) for arm in _arms(robot, point)]
    explained = [each for each in found if each is not None]
    if not explained:
        return None
    low, high = np.min(explained, axis=0), np.max(explained, axis=0)
    factor, shift = WIDER
    return SurfaceFigures(
        (float(low[0]) / factor, float(high[0]) * factor),
        (max(0.0, float(low[1]) - shift), min(1.0, float(high[1]) + shift)),
    )


def _is_followed(t: np.ndarray, force: np.ndarray) -> bool:
    """Return whether samples follow a force: where it pushes they are close to each other."""
    if len(t) < 2 or t[0] > 0.0 or t[-1] < FOLLOWED or not np.isfinite(force).all():
        return False
    pushing = np.maximum(force[1:], force[:-1]) > CONTACT_FORCE
    pushing &= (t[1:] > 0.0) & (t[:-1] < FOLLOWED)
    return bool(pushing.any() and np.diff(t)[pushing].max() <= 1.01 * SLOWEST)


def _arms(robot: Robot, point: PointState) -> list[ElasticArm]:
    """Return arms as they may be."""
    arm = elastic_arm(robot, point.robot_state, drive_of(robot, "torque"))
    links = [arm.M_inverse / (1.0 + k * MODEL_ERROR.inertia) for k in (-1.0, 1.0)]
    soft, stiff = np.ones((2, 3, robot.dof))
    soft[0], stiff[0] = scale_ends(robot.joint_ranges, robot.dof)[:, 0]
    return [arm, *(arm._replace(M_inverse=each) for each in links), *map(arm.scaled, (soft, stiff))]


def _solved(
    arm: ElasticArm, point: PointState, surface: Surface, recorded: np.ndarray
) -> np.ndarray | None:
    """Return stiffness and restitution with which an arm feels the recorded force."""
    from scipy.optimize import least_squares  # loads slowly

    speed, size = surface.approach_speed(point.velocity), float(np.linalg.norm(recorded))

    def away(at: np.ndarray) -> np.ndarray:
        law = viscoelastic(float(np.exp(at[0])), float(at[1]), speed)
        touch = load_contact(point, surface.rotation, law, surface.friction[1])
        load = joint_load(arm, [touch], duration=FOLLOWED, with_history=True)
        assert load.history is not None
        return np.asarray((load.history.force[:, 0] - recorded) / size)

    starts = [np.array([np.log(k), e]) for k, e in product(*GRID)]
    start = min(starts, key=lambda each: float(np.square(away(each)).sum()))
    bounds = (np.log(SOFTEST), 0.01), (np.log(STIFFEST), SPRINGIEST)
    best = least_squares(
        away, start, bounds=bounds, x_scale=(1.0, 0.2), diff_step=1e-3, max_nfev=30
    )
    if np.linalg.norm(best.fun) > EXPLAINED:
        return None
    return np.array([np.exp(best.x[0]), best.x[1]])
