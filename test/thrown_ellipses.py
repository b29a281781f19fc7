# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Simulated impacts of an ellipse thrown on a table, and their file."""

import numpy as np

from impact_analysis.planar.planar_impact_file import COLUMNS
from impact_analysis.planar.planar_impacts import PlanarImpacts
from impact_analysis.planar.planar_models import planar_models

AXES = (0.035, 0.025)
NOISE = np.array([0.02, 0.02, 1.0])


def thrown(count, seed=0):
    """Impacts of an ellipse thrown on a table, without an outcome yet."""
    rng = np.random.default_rng(seed)
    a, b = AXES
    angle = rng.uniform(-np.pi, np.pi, count)
    height = np.hypot(a * np.sin(angle), b * np.cos(angle))
    beside = (b * b - a * a) * np.sin(angle) * np.cos(angle) / height
    before = rng.normal([0.6, -2.6, -2.0], [0.2, 0.3, 6.0], (count, 3))
    ones, none = np.ones(count), np.zeros(count)
    return PlanarImpacts(
        before=before,
        after=np.full((count, 3), np.nan),
        normal=np.stack([none, ones, beside], axis=1),
        tangent=np.stack([ones, none, -height], axis=1),
        place=rng.uniform(0.25, 0.5, count),
    )


def simulated(name, parameters, count=300, seed=0):
    """Impacts whose outcome a model predicts, with noise of the size of a camera's."""
    impacts = thrown(count, seed)
    model = named(name, impacts)
    exact = model.predict(np.array(parameters), impacts)
    noise = np.random.default_rng(seed + 1).normal(size=exact.shape) * NOISE
    return model, PlanarImpacts(**(vars(impacts) | {"after": exact + noise}))


def named(name, impacts):
    return next(model for model in planar_models(impacts) if model.name == name)


def write(path, impacts, drop=()):
    """Write a data set, its d_lever with the sign turned."""
    columns = {
        "x0_m": impacts.place - np.sign(impacts.tangent[:, 2]) * impacts.normal[:, 2],
        "y0_m": np.abs(impacts.tangent[:, 2]),
    }
    for names, values in (
        (COLUMNS[2:5], impacts.before),
        (COLUMNS[5:8], impacts.after),
        (COLUMNS[8:11], impacts.normal),
        (COLUMNS[11:], impacts.tangent * [1, 1, -1]),
    ):
        columns |= dict(zip(names, values.T, strict=True))
    kept = [name for name in columns if name not in drop]
    rows = np.stack([columns[name] for name in kept], axis=1)
    np.savetxt(path, rows, delimiter=",", header=",".join(kept), comments="", fmt="%.12g")
    return path
