# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Options 2 and 4 of Wang 2022, generalised momentum and flexible composite body, agree (H2)."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from impact_predictor.inertia.inertia_models import named_inverse_inertia
from impact_robots import ArmDynamics, ContactDynamics, PointState, Robot, contact_rotation
from studies.row import Row, judged
from studies.wall_configurations import NORMAL, draw

SAMPLES = 200
SIMILAR = 0.10  # largest relative difference that still counts as similar
ROUNDING = 1e-9  # relative difference that counts as none


def row(robot: Robot, seed: int) -> Row:
    """Return the row H2."""
    fixed, floating = fixed_base(robot, seed), floating_base(robot, seed)
    return judged(
        "H2",
        ours=f"fixed base: median {np.median(fixed):.1%}, max {fixed.max():.1%}; floating:"
        f" {floating.max():.0e}",
        difference="similar" if fixed.max() < SIMILAR else "NOT similar",
        holds=bool(fixed.max() < SIMILAR and floating.max() < ROUNDING),
        note=f"relative difference of flex (its symmetric part) and gm over {SAMPLES} wall"
        " configurations, and with the same arm floating freely, where they are one",
        figures={
            "median_relative_difference": float(np.median(fixed)),
            "largest_relative_difference": float(fixed.max()),
            "largest_relative_difference_floating": float(floating.max()),
        },
    )


def fixed_base(robot: Robot, seed: int) -> np.ndarray:
    """Return relative differences on the arm as it is, shape (SAMPLES,)."""
    dynamics = ArmDynamics(robot)
    configurations = draw(robot, SAMPLES, seed)
    return np.array([_difference(dynamics(q, np.zeros(robot.dof))) for q in configurations])


def floating_base(robot: Robot, seed: int) -> np.ndarray:
    """Return relative differences on the arm without its fixture, shape (SAMPLES,).

    The contact is at the last link; all links count, the base too.
    """
    model = pin.buildModelFromXML(robot.urdf, pin.JointModelFreeFlyer())
    dynamics = ContactDynamics(model, model.frames[-1].name, "all")
    random = np.random.default_rng(seed)
    differences = []
    for joints in draw(robot, SAMPLES, seed):
        q = pin.neutral(model)
        q[7 : 7 + robot.dof] = joints
        q[3:7] = _quaternion(random)
        differences.append(_difference(dynamics(q, np.zeros(model.nv))))
    return np.array(differences)


def _quaternion(random: np.random.Generator) -> np.ndarray:
    """Draw a unit quaternion, shape (4,)."""
    draw = random.normal(size=4)
    return draw / np.linalg.norm(draw)


def _difference(state: PointState) -> float:
    """Return the norm of the difference of both matrices over that of gm."""
    rotation = contact_rotation(NORMAL)
    gm, flex = (named_inverse_inertia(state, rotation, name).W for name in ("gm", "flex"))
    return float(np.linalg.norm(flex - gm) / np.linalg.norm(gm))
