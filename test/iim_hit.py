# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A Panda in the first configuration of the inverse-inertia experiments hits a wall."""

import numpy as np
from moving_arms import moving

Q = np.array([0.43, -0.61, 0.18, -2.16, 0.04, 3.13, -0.73])  # iim_cfg_1
NORMAL = np.array([-1.0, 0.0, 0.0])


def iim_hit(panda, speed, stiffness=1.2e5, damping=8e6, **options):
    """Return the velocities before the hit and the run without driver and noise."""
    from impact_predictor.contact_force.laws import Viscoelastic
    from impact_sim.arm.passive_impact import passive_impact

    dq = moving(panda, -speed * NORMAL, q=Q)
    return dq, passive_impact(panda, Q, dq, NORMAL, Viscoelastic(stiffness, damping), **options)


def led(dq, run, lead):
    """Return q, dq, tau of a run behind ``lead`` milliseconds of steady motion."""
    t = np.arange(-lead, 0)[:, None] * 1e-3
    velocity, tau = np.tile(dq, (lead, 1)), np.tile(run.tau[0], (lead, 1))
    return [np.vstack(pair) for pair in ((Q + t * dq, run.q), (velocity, run.dq), (tau, run.tau))]
