# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Impacts that models can be compared with, what models predict of them, and by how much both err.

Each row of a spread is one error of the model at the end of its 95 % interval: links, motors,
payload (within its range) and contact point are the same in all impacts, so one row each; the
surface's tilt and the joints' friction repeat themselves only where the motion does, so a row for
each group (impact_predictor.prediction.model_error).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from impact_analysis.analyze.reading.collected import AnalyzedImpact
from impact_detector.attribution.localization import contact_link
from impact_predictor.inertia.jacobian import contact_jacobian
from impact_predictor.laws.impact_map import map_state
from impact_predictor.prediction.batch import predict_many
from impact_predictor.prediction.model_error import (
    friction_scale,
    inertia_variations,
    joint_impulse_effects,
    place_variations,
)
from impact_predictor.prediction.predict import map_inertia
from impact_robots import ArmDynamics, PointState, Robot, Surface

POINTS, TILTS = 3, 2  # of place_variations


class Impacts:
    """Impacts that models can be compared with, in columns; k impacts, n joints."""

    def __init__(self, robot: Robot, impacts: Sequence[AnalyzedImpact]) -> None:
        """Take the usable ones of ``impacts``."""
        self.robot = robot
        self.items = [
            item
            for item in impacts
            if item.usable and not is_elsewhere(robot, item) and _approaches(robot, item)
        ]
        shape = (len(self.items), robot.dof)
        q = np.array([item.q for item in self.items]).reshape(shape)
        dq = np.array([item.dq_before for item in self.items]).reshape(shape)
        self._states = ArmDynamics(robot).many(q, dq)
        self.measured = np.array([item.dq_after for item in self.items]).reshape(shape)

    def __len__(self) -> int:
        return len(self.items)

    @property
    def groups(self) -> list[str]:
        """Names of the groups, in order of their first impact."""
        return list(dict.fromkeys(item.group for item in self.items))

    def subset(self, most: int, seed: int) -> Impacts:
        """Return at most that many of them, drawn."""
        if len(self) <= most:
            return self
        chosen = np.sort(np.random.default_rng(seed).choice(len(self), most, replace=False))
        return Impacts(self.robot, [self.items[i] for i in chosen])

    def predicted(self, model: str, friction: float, restitution: float, law: str) -> np.ndarray:
        """Return joint velocities after, shape (k, n) [rad/s]."""
        if not self.items:
            return np.zeros_like(self.measured)
        surfaces = [Surface(None, item.normal, friction, restitution) for item in self.items]
        return predict_many(self._states, surfaces, self.robot, inertia=model, law=law).dq_after

    def errors(self, model: str, friction: float, restitution: float, law: str) -> np.ndarray:
        """Return predicted minus measured joint velocities, shape (k, n) [rad/s]."""
        return self.predicted(model, friction, restitution, law) - self.measured


def is_elsewhere(robot: Robot, item: AnalyzedImpact) -> bool:
    """Tell whether another link was hit than that of the contact point: not intended then."""
    return item.expected is False and item.link not in ("", contact_link(robot))


def _approaches(robot: Robot, item: AnalyzedImpact) -> bool:
    """Tell whether the contact point approaches the surface: only then is there an impact."""
    state = ArmDynamics(robot)(item.q, item.dq_before)
    return float(item.normal @ state.velocity) < 0.0


def model_spread(
    impacts: Impacts, model: str, friction: float, restitution: float, law: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return what each error of the model changes.

    Args:
        impacts: that are predicted.
        model: inertia of the impact map.
        friction: coefficient [-].
        restitution: coefficient [-].
        law: of friction.

    Returns:
        Changes of the joint velocities after, shape (v, k, n) [rad/s], and of the measured
        -v_n^+/v_n^-, shape (v, k) [-], by v errors of the model at k impacts of n joints.
    """
    robot, dynamics = impacts.robot, ArmDynamics(impacts.robot)
    groups, n = impacts.groups, impacts.robot.dof
    varied = 2 * n + 1
    common, own = varied + POINTS, TILTS + n
    velocities = np.zeros((common + own * len(groups), len(impacts), n))
    ratios = np.zeros(velocities.shape[:2])
    for k, item in enumerate(impacts.items):
        state, surface = dynamics(item.q, item.dq_before), Surface(None, item.normal)
        M_x = map_inertia(state, robot, model)

        J, dq = contact_jacobian(state, surface.rotation), state.dq

        def after(inertia: np.ndarray, J: np.ndarray, dq: np.ndarray = dq) -> np.ndarray:
            return map_state(
                inertia, J, dq, friction=friction, restitution=restitution, law=law
            ).dq_after

        places = place_variations(state, surface)
        nominal, ratio = after(M_x, J), _ratio(J, dq, item.dq_after)
        moved = [after(each, J) for each in _varied(state, robot, model)]
        moved += [after(M_x, each) for each in places]
        turned = [_ratio(each, dq, item.dq_after) - ratio for each in places]
        first = common + own * groups.index(item.group)
        rows = [*range(common), *range(first, first + own)]
        rubbed = friction_scale(item.duration) * joint_impulse_effects(M_x)
        velocities[rows, k] = np.vstack([np.array(moved) - nominal, rubbed])
        ratios[rows[varied : common + TILTS], k] = turned
    return velocities, ratios


def _varied(state: PointState, robot: Robot, model: str) -> np.ndarray:
    """Return M + B with each link, each motor and then the payload moved alone, (2 n + 1, n, n)."""
    low, high = robot.payload
    more = 0.5 * (high - low) * state.J[:3].T @ state.J[:3]
    heavier = map_inertia(state, robot, model) + more
    return np.concatenate([inertia_variations(state, robot, model), heavier[None]])


def _ratio(J: np.ndarray, before: np.ndarray, after: np.ndarray) -> float:
    """Return -v_n^+/v_n^- of the contact point [-]."""
    return -float(J[2] @ after) / float(J[2] @ before)


def mass_interval(
    state: PointState, surface: Surface, robot: Robot, model: str
) -> tuple[float, float]:
    """Return the 95 % interval of the effective mass along the normal [kg].

    Args:
        state: of the arm at contact.
        surface: that is hit.
        robot: the arm.
        model: inertia of the impact map.
    """

    def mass(inertia: np.ndarray, J: np.ndarray) -> float:
        return 1.0 / float(J[2] @ np.linalg.solve(inertia, J[2]))

    M_x, J = map_inertia(state, robot, model), contact_jacobian(state, surface.rotation)
    nominal = mass(M_x, J)
    moved = [mass(each, J) for each in _varied(state, robot, model)]
    moved += [mass(M_x, each) for each in place_variations(state, surface)]
    half = float(np.linalg.norm(np.array(moved) - nominal))
    return nominal - half, nominal + half
