# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A Panda's run-up at a box beside it, with references that spread."""

import numpy as np
from moving_arms import moving

from impact_qp.references import impact_motion
from impact_robots import ArmDynamics

NOMINAL, DT = 0.6, 1e-3  # time of the impact [s], a cycle [s]
Q = np.array([0.4, 0.4904, 0.0958, -1.8512, -1.2484, 1.1998, -0.7298])  # at the impact
START = np.array([0.6424, 0.8887, 0.2079, -1.2, -1.2433, 0.8406, -0.8717])
INTO, AFTER = np.array([0.0, -1.0, 0.0]), 0.8  # of the velocities, what an impact leaves


def run_up(panda, speed):
    """A reference of 0.6 s from rest to a speed [m/s], of which an impact leaves four fifths."""
    dynamics = ArmDynamics(panda)
    dq = moving(panda, speed * INTO, q=Q)
    contact, start = dynamics(Q, dq), dynamics(START, np.zeros(7))
    return impact_motion(start, contact, AFTER * np.append(contact.velocity, dq[0]), NOMINAL)
