# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""The whole impulse of a palm's impact, without what the motors press on with.

Announced sets are of free bodies: their impulses last until separation. Servos press a palm on, so
that it never separates. With G the effect of the palms' normal forces on their closing speeds
(robot with motors and held soles, free box) and :math:`\Delta\tau` the motors' torques beyond those
before the first contact, a constant contact needs :math:`p_m = G^{-1} R M^{-1} \int\Delta\tau`. The
rest is what changes the velocities, as in the sets. Of palms in contact only; own derivation.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from impact_predictor.sets.coupled_bounds import mobility
from impact_qp.body.palms.coupled_palms import standing_inverse
from impact_qp.whole_body import Arrival
from impact_robots import ArmDynamics, Robot
from impact_sim.humanoid.plant import STEP
from impact_trials.grab.palm_truth import PalmTruth


def total_impulse(
    robot: Robot,
    truths: Sequence[PalmTruth | None],
    arrivals: Sequence[Arrival],
    palm: int,
    box_mass: float,
) -> float:
    """Return the largest impulse along the normal while it was watched, without motors [N.s].

    Args:
        robot: of the trial.
        truths: of both palms; None: did not touch.
        arrivals: of both palms as announced.
        palm: which of them; it touched.
        box_mass: [kg].
    """
    truth, other = truths[palm], truths[1 - palm]
    assert truth is not None
    state = ArmDynamics(robot, "all").state(truth.q, truth.v)
    normals = [np.asarray(each.contact.normal) for each in arrivals]
    rows = [-n @ state.at(a.frame).J[:3] for n, a in zip(normals, arrivals, strict=True)]
    R = np.array(rows)
    effect = R @ standing_inverse(robot, state)
    own = effect @ R.T
    G = mobility(1.0 / np.diag(own), box_mass, own[0, 1])
    pressed = effect[:, -robot.dof :] @ np.array(truth.motors).T
    alone, both = pressed[palm] / G[palm, palm], np.linalg.solve(G, pressed)[palm]
    times = truth.time + STEP * np.arange(len(truth.forces))
    touched = np.inf if other is None else other.time
    motors = np.where(times >= touched, both, alone)
    forces = np.array(truth.forces) @ normals[palm]
    return float(np.max(np.cumsum(forces - motors)) * STEP)
