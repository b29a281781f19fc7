# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Effective mass as a hit shows it: impulse over change of velocity, whatever the model thinks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_analysis.analyze.comparing.impacts import mass_interval
from impact_analysis.analyze.reading.collected import AnalyzedImpact
from impact_predictor.inertia.jacobian import contact_jacobian
from impact_predictor.prediction.model_error import (
    MODEL_ERROR,
    QUANTILE,
    friction_scale,
    joint_impulse_effects,
)
from impact_predictor.prediction.predict import map_inertia
from impact_robots import PointState, Robot, Surface

COUPLING_CHANGE = 2.0  # of the same, over the logarithm by which the mass is not the model's
COUPLING_ERROR = 0.3  # of what the impulse along the surface does to the velocity out of it
_SAME_AXES = 1e-6  # by which the impulse along the normal may differ in axes that are the base's


class Mass(NamedTuple):
    """A mass along the normal and its 95 % interval [kg]."""

    value: float
    low: float
    high: float

    @property
    def half(self) -> float:
        """Half of the interval [kg]."""
        return 0.5 * (self.high - self.low)

    def contradicts(self, other: Mass, times: float = 1.0) -> bool:
        """Tell whether they are apart by more than both intervals allow, so many times."""
        return abs(self.value - other.value) > times * float(np.hypot(self.half, other.half))


UNKNOWN = Mass(np.nan, np.nan, np.nan)


def measured_mass(item: AnalyzedImpact, state: PointState, robot: Robot, model: str) -> Mass:
    r"""Return the mass by :math:`p_n (1 + c) / (v_n^+ - v_n^-)`, ``UNKNOWN`` if none shows.

    Velocities of a hit that is neither mixed nor driven; c is what the impulse along the surface
    does to the normal velocity over what the normal one does, by the model. The interval holds the
    errors of impulse, rebound and normal, friction in the joints during the contact, and 30 % of c,
    more where the mass is not the model's.

    Args:
        item: the impact, of a contact point that approaches.
        state: of the arm at the touch.
        robot: the arm.
        model: inertia of the impact map.
    """
    surface = Surface(None, item.normal)
    p, speed = surface.rotation.T @ item.impulse, surface.approach_speed(state.velocity)
    change = speed * (1.0 + item.own_restitution)
    if not abs(p[2] - item.normal_impulse) <= _SAME_AXES * abs(p[2]) or not change > 0.0:
        return UNKNOWN
    M_x, J = map_inertia(state, robot, model), contact_jacobian(state, surface.rotation)
    W = J @ np.linalg.solve(M_x, J.T)
    coupling = float(W[2, :2] @ p[:2] / (W[2, 2] * p[2]))
    value = float(p[2] * (1.0 + coupling) / change)
    unsure = COUPLING_ERROR + COUPLING_CHANGE * abs(np.log(value * W[2, 2]))
    rubbed = friction_scale(item.duration) * joint_impulse_effects(M_x) @ J[2]
    along = J[:2] @ (item.dq_after - item.dq_before)
    parts = (
        (item.normal_impulse_interval[1] - item.normal_impulse) / p[2],
        unsure * coupling / (1.0 + coupling),
        QUANTILE * item.restitution_std / (1.0 + item.own_restitution),
        float(np.linalg.norm(rubbed)) / change,
        MODEL_ERROR.normal * float(np.hypot(*along)) / change,
    )
    half = value * float(np.linalg.norm(np.nan_to_num(parts)))
    return Mass(value, value - half, value + half)


def believed_mass(by_model: Mass, measured: Mass) -> Mass:
    """Return the model's mass with an interval of both; the measured one if that differs."""
    if not np.isfinite(measured.value):
        return by_model
    if measured.contradicts(by_model):
        return measured
    low, high = min(by_model.low, measured.low), max(by_model.high, measured.high)
    return Mass(by_model.value, low, high)


def model_mass(mass: float, state: PointState, surface: Surface, robot: Robot, model: str) -> Mass:
    """Return the mass of a model with its interval.

    Args:
        mass: along the normal [kg].
        state: of the arm at the touch.
        surface: that is hit.
        robot: the arm.
        model: inertia of the impact map.
    """
    return Mass(mass, *mass_interval(state, surface, robot, model))
