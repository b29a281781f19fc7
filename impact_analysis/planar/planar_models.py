# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The models of planar impacts that `impact evaluate` compares, simplest first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np

from impact_analysis.planar.ellipse_contact import known_axes, turned
from impact_analysis.planar.planar_impacts import PlanarImpacts
from impact_analysis.planar.planar_model import (
    INERTIA,
    Law,
    Model,
    Parameter,
    Pose,
    Values,
    as_given,
)
from impact_predictor.contact_force.laws import Viscoelastic, viscoelastic_restitution
from impact_predictor.laws.planar_impact import planar_impulse
from impact_predictor.laws.planar_law import PLANAR_LAWS
from impact_predictor.laws.tangential_compliance import compliant_impulse

STEPS = 30  # of each phase of a compliant contact: errors far below those of the measurement
_FRICTIONS = (0.03, 0.07, 0.12, 0.2, 0.3, 0.45, 0.7)
FRICTION = Parameter("friction", _FRICTIONS, 0.0, 1.5)
RESTITUTION = Parameter("restitution", (0.3, 0.7), 0.0, 1.0)
DAMPING = Parameter("damping_over_stiffness_spm", (0.1, 0.3, 1.0), 0.0, 20.0)
BACKWARD = Parameter("friction_backward", _FRICTIONS, 0.0, 1.5)
STIFFNESS = Parameter("stiffness_ratio", (5.0, 15.0), 0.1, 200.0)
LAG = Parameter("contact_lag_s", (0.0,), -0.02, 0.02)
OFFSET = Parameter("angle_offset_rad", (0.0,), -0.2, 0.2)


def baseline(inertia: float) -> Model:
    """Return a rigid map of which only friction and restitution are fitted.

    Args:
        inertia: I/m of the body [m^2].
    """
    return Model(
        "baseline",
        "coulomb, only friction and e fitted",
        (FRICTION, RESTITUTION),
        _law("coulomb"),
        _constant,
        fixed={INERTIA: inertia},
    )


def planar_models(
    impacts: PlanarImpacts, inertia: float | None = None, judged: PlanarImpacts | None = None
) -> tuple[Model, ...]:
    """Return the models; bounds and starts that have a length come from these impacts.

    The one called ``pose`` needs an elliptic body and is left out for another.

    Args:
        impacts: N impacts.
        inertia: I/m of the body, if it is known and not to be fitted [m^2].
        judged: impacts that will be judged; only their contact rows are looked at, for ``pose``.
    """
    models = _models(impacts, judged)
    return models if inertia is None else tuple(_with_inertia(x, inertia) for x in models)


def _with_inertia(model: Model, inertia: float) -> Model:
    """Return a model whose inertia is not fitted."""
    fitted = tuple(item for item in model.parameters if item.name != INERTIA)
    return replace(model, parameters=fitted, fixed={INERTIA: inertia})


def _models(impacts: PlanarImpacts, judged: PlanarImpacts | None) -> tuple[Model, ...]:
    """Return the models, all of them with the inertia fitted."""
    inertia = _inertia(impacts)
    plain = (FRICTION, RESTITUTION, inertia)
    return (
        Model("frictionless", "no friction, Newton's e", plain[1:], _frictionless, _constant),
        *_closed_forms(plain),
        *_refinements(plain, impacts, judged),
    )


def _closed_forms(plain: tuple[Parameter, ...]) -> Iterator[Model]:
    """Yield every planar law, and after Coulomb's the same with a restitution by speed."""
    for name, law in PLANAR_LAWS.items():
        yield Model(name, law.description, plain, _law(name), _constant)
        if name == "coulomb":
            damped = (FRICTION, DAMPING, plain[2])
            yield Model("viscoelastic", "coulomb, e by speed", damped, _law(name), _viscoelastic)


def _refinements(
    plain: tuple[Parameter, ...], impacts: PlanarImpacts, judged: PlanarImpacts | None
) -> Iterator[Model]:
    """Yield models each of which adds one idea to the one before."""
    parameters = (*plain, STIFFNESS)
    yield Model(
        "compliant", "energetic, elastic along the surface", parameters, _compliant, _constant
    )
    parameters = (*parameters, *_place_parameters(impacts.place))
    yield Model("place", "compliant, e by place on the surface", parameters, _compliant, _by_place)
    axes, _ = known_axes(impacts, judged)
    pose: Pose = as_given
    if axes is not None:
        parameters, pose = (*parameters, LAG, OFFSET), _turned_pose(axes)
        summary = "place, contact rows turned with the ellipse"
        yield Model("pose", summary, parameters, _compliant, _by_place, pose)
    parameters = (*parameters, BACKWARD)
    summary = f"{'place' if axes is None else 'pose'}, friction by direction"
    yield Model("direction", summary, parameters, _compliant, _by_place, pose)


def _inertia(impacts: PlanarImpacts) -> Parameter:
    """Return I/m of a body as large as its levers: about half their square."""
    square = float(np.median(impacts.tangent[:, 2] ** 2 + impacts.normal[:, 2] ** 2))
    square = max(square, 1e-12)  # a point mass has no lever
    return Parameter(INERTIA, (0.4 * square,), 0.01 * square, 10 * square)


def _place_parameters(place: np.ndarray) -> tuple[Parameter, ...]:
    """Return where restitution is largest, and how far from there it is half."""
    low, high = float(place.min()), float(place.max())
    span = max(high - low, 1e-3)
    return (
        Parameter("best_place_m", (float(np.median(place)),), low - span, high + span),
        Parameter("half_width_m", (span,), 0.05 * span, 100 * span),
    )


def _law(name: str) -> Law:
    """Return a closed form of `planar_impulse`; Coulomb's impulse where it has none (it jams)."""

    def law(G: np.ndarray, velocity: np.ndarray, values: Values, e: np.ndarray) -> np.ndarray:
        mu = values[FRICTION.name]
        impulse = planar_impulse(G, velocity, mu, e, name)
        jams = np.isnan(impulse)
        if not jams.any():
            return impulse
        return np.where(jams, planar_impulse(G, velocity, mu, e), impulse)

    return law


def _frictionless(G: np.ndarray, velocity: np.ndarray, values: Values, e: np.ndarray) -> np.ndarray:
    return planar_impulse(G, velocity, 0.0, e, "coulomb")


def _turned_pose(axes: tuple[float, float]) -> Pose:
    """Return a pose: the contact of an ellipse a little later, its axes at an offset."""

    def pose(impacts: PlanarImpacts, values: Values) -> PlanarImpacts:
        angle = values[LAG.name] * impacts.before[:, 2] + values[OFFSET.name]
        return turned(impacts, axes, angle)

    return pose


def _compliant(G: np.ndarray, velocity: np.ndarray, values: Values, e: np.ndarray) -> np.ndarray:
    ratio, backward = values[STIFFNESS.name], values.get(BACKWARD.name)
    return compliant_impulse(G, velocity, values[FRICTION.name], e, ratio, STEPS, backward)


def _constant(impacts: PlanarImpacts, speed: np.ndarray, values: Values) -> np.ndarray:
    return values[RESTITUTION.name]


def _viscoelastic(impacts: PlanarImpacts, speed: np.ndarray, values: Values) -> np.ndarray:
    """Return e(s), s = c |v_n|/k: the suite's exact law, from a table."""
    return np.interp(values[DAMPING.name] * speed, *_viscoelastic_table())


@cache
def _viscoelastic_table() -> tuple[np.ndarray, np.ndarray]:
    """Return s and e(s) from 0 to 1000, dense where e changes."""
    s = np.concatenate([[0.0], np.geomspace(1e-3, 1e3, 2000)])
    e = [1.0, *(viscoelastic_restitution(Viscoelastic(1.0, float(x)), 1.0) for x in s[1:])]
    return s, np.array(e)


def _by_place(impacts: PlanarImpacts, speed: np.ndarray, values: Values) -> np.ndarray:
    """Return e = e_0/(1 + ((x - x_0)/w)^2): the surface takes energy away from its stiff place."""
    best, width = values["best_place_m"], values["half_width_m"]
    return values[RESTITUTION.name] / (1 + ((impacts.place - best) / width) ** 2)
