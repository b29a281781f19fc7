# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Which impact laws a body's tosses are compared with, and what each identifies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from impact_analysis.planar.planar_model import Parameter
from impact_analysis.tosses.convex_body import ConvexBody
from impact_analysis.tosses.corner_laws import (
    COULOMB,
    PATH,
    POISSON,
    SPRINGS,
    TOLERANCE,
    BodyShape,
    CornerLaw,
    velocities_after,
)
from impact_analysis.tosses.toss_impacts import TossImpacts

ONE = -1.0  # tolerance: the lowest corner alone
STIFF = 50.0  # tangential over normal stiffness that stands for a rigid contact
_AXES = "xyz"
FRICTION = Parameter("friction", (0.1, 0.3), 0.0, 1.5)
RESTITUTION = Parameter("restitution", (0.2, 0.5), 0.03, 1.0)
INITIAL = Parameter("initial_fraction", (0.5,), 0.0, 1.5)
RATIO = Parameter("stiffness_ratio", (2.0,), 0.1, STIFF)
COMPRESSION = Parameter("compression_s", (1e-3, 3e-3), 1e-4, 5e-3)
_COMPONENTS = tuple(f"centre_of_mass_{axis}_m" for axis in _AXES)
_INERTIAS = tuple(f"inertia_{axis}{axis}_m2" for axis in _AXES)
ROUNDING = "rounding_m"


@dataclass(frozen=True)
class TossModel:
    """A law of a body's corners, and what of both is identified."""

    name: str
    summary: str
    law: CornerLaw  # with the declared coefficients
    shape: BodyShape  # declared
    parameters: tuple[Parameter, ...] = field(default=())

    def predict(self, parameters: np.ndarray, impacts: TossImpacts) -> np.ndarray:
        """Return velocities after, shape (..., N, 6).

        Args:
            parameters: in the order of ``self.parameters``, shape (..., m).
            impacts: N impacts.
        """
        rows = np.reshape(parameters, (-1, len(self.parameters))) if self.parameters else [()]
        found = [
            velocities_after(*self.with_values(row), impacts.rotation, impacts.before)
            for row in rows
        ]
        return np.reshape(found, (*np.shape(parameters)[:-1], len(impacts), 6))

    def with_values(self, row: Iterable[float]) -> tuple[BodyShape, CornerLaw]:
        """Return the body and the law with identified values, shape (m,)."""
        values = {item.name: float(x) for item, x in zip(self.parameters, row, strict=True)}
        shape = self.shape
        if _COMPONENTS[0] in values:
            shape = shape._replace(centre=np.array([values[name] for name in _COMPONENTS]))
        if _INERTIAS[0] in values:
            shape = shape._replace(inertia=np.array([values[name] for name in _INERTIAS]))
        law = self.law._replace(
            friction=values.get(FRICTION.name, self.law.friction),
            restitution=values.get(RESTITUTION.name, self.law.restitution),
            initial=values.get(INITIAL.name, self.law.initial),
            ratio=values.get(RATIO.name, self.law.ratio),
            compression=values.get(COMPRESSION.name, self.law.compression),
        )
        return shape._replace(rounding=values.get(ROUNDING, shape.rounding)), law


def declared_shape(body: ConvexBody, scale: float = 1.0) -> BodyShape:
    """Return the declared geometry, lengths times ``scale``."""
    return BodyShape(
        scale * body.centre_of_mass,
        scale**2 * body.inertia / body.mass,
        scale * body.corners,
        body.insets,
        scale * body.rounding,
    )


def fixed_models(body: ConvexBody) -> tuple[TossModel, TossModel]:
    """Return the models of which nothing is fitted: no impact, and the authors' parameters."""
    shape, nothing = declared_shape(body), CornerLaw(COULOMB, ONE, 0.0, -1.0)
    authors = CornerLaw(COULOMB, TOLERANCE, body.friction, body.restitution)
    return (
        TossModel("nothing", "no impact: velocities stay", nothing, shape),
        TossModel("authors", "coulomb_all, geometry and coefficients declared", authors, shape),
    )


def toss_models(body: ConvexBody) -> tuple[TossModel, ...]:
    """Return the models that are fitted; of all but the first the geometry too."""
    shape, law = declared_shape(body, body.length_scale), CornerLaw(COULOMB, TOLERANCE, 0.0, 0.0)
    geometry = tuple(_geometry(body, shape))
    plain = (*geometry, FRICTION, RESTITUTION)
    mixed = (*plain, INITIAL)
    declared = TossModel(
        "declared",
        "coulomb_all, geometry declared",
        law,
        declared_shape(body),
        (FRICTION, RESTITUTION),
    )
    coulomb = TossModel("coulomb", "friction by the slip after, Newton's e", law, shape, plain)
    poisson = replace(
        coulomb,
        name="poisson",
        summary="friction by the slip after compression, Poisson's e",
        law=law._replace(kind=POISSON),
    )
    initial = replace(
        coulomb,
        name="mixed",
        summary="friction by the slip after plus a fraction of that before, Newton's e",
        parameters=mixed,
    )
    springs = law._replace(kind=SPRINGS, ratio=STIFF)
    pairs = (pair for model in (coulomb, poisson, initial) for pair in _one_and_all(model))
    return (
        declared,
        *pairs,
        TossModel(
            "path_one",
            "friction by the path of the slip, Poisson's e, lowest corner",
            law._replace(kind=PATH, tolerance=ONE),
            shape,
            plain,
        ),
        TossModel(
            "path_all",
            "friction by the path of the slip, energetic e, all corners pressed at once",
            springs,
            shape,
            plain,
        ),
        TossModel(
            "springs",
            "springs along the normal and the surface, corners touch one after the other",
            springs,
            shape,
            (*plain, RATIO, COMPRESSION),
        ),
    )


def _one_and_all(model: TossModel) -> tuple[TossModel, TossModel]:
    """Return a model at the lowest corner, and at all that touch."""
    name, summary = model.name, model.summary
    one = model.law._replace(tolerance=ONE)
    return (
        replace(model, name=f"{name}_one", summary=f"{summary}, lowest corner", law=one),
        replace(model, name=f"{name}_all", summary=f"{summary}, all corners"),
    )


def _geometry(body: ConvexBody, shape: BodyShape) -> Iterator[Parameter]:
    """Yield what is identified of the body, from the declared values on."""
    size = body.length_scale * body.width
    if "centre_of_mass" in body.identify:
        for name, at in zip(_COMPONENTS, shape.centre.tolist(), strict=True):
            yield Parameter(name, (at,), at - size / 4, at + size / 4)
    if "inertia" in body.identify:
        for name, value in zip(_INERTIAS, shape.inertia.tolist(), strict=True):
            yield Parameter(name, (value,), value / 4, value * 4)
    if "rounding" in body.identify:
        yield Parameter(ROUNDING, (max(shape.rounding, 0.02 * size),), 0.0, size / 4)
