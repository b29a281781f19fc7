# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The bound holds for an arm whose friction and gravity no model knows."""

import numpy as np
import pytest

from impact_qp import ImpactController, Plan
from impact_robots import ArmDynamics

# Joint friction of a real Panda: Gaz, Cognetti, Oliva, Robuffo Giordano, De Luca (RA-L 2019).
SIZE = np.array([0.54615, 0.87224, 0.64068, 1.2794, 0.83904, 0.30301, 0.56489])
SHIFT = np.array([0.039533, 0.025882, -0.04607, 0.036194, 0.026226, -0.021047, 0.0035526])
SLOPE = np.array([5.1181, 9.0657, 10.136, 5.5903, 8.3469, 17.133, 10.336])


def gaz(dq):
    return SIZE / (1 + np.exp(-SLOPE * (dq + SHIFT))) - SIZE / (1 + np.exp(-SLOPE * SHIFT))


def coulomb(dq):
    return 0.3 * np.tanh(dq / 0.01) + 0.5 * dq


def nothing(dq):
    return 0.0 * dq


@pytest.mark.parametrize(
    ("friction", "push"),
    [(nothing, 0.0), (coulomb, 0.0), (gaz, 0.0), (nothing, 1.0), (nothing, -1.0)],
)
def test_the_approach_keeps_to_the_bound(panda, scenario, contact, friction, push):
    """``push`` N.m of every joint towards the surface, as of a wrong load: it was 34 % too fast."""
    random, normal = np.random.default_rng(0), contact.rotation[:, 2]
    dynamics, motors = ArmDynamics(panda), np.diag(panda.apparent_motor_inertia)
    controller = ImpactController(panda, Plan(contact, speed=0.5))
    q, dq, ratios = scenario.start(panda), np.zeros(7), []
    for _ in range(3000):
        command = controller.update(
            q + 1e-5 * random.standard_normal(7), dq + 4e-3 * random.standard_normal(7)
        )
        if command.gap < 0.0:
            break
        state = dynamics(q, dq)
        row = normal @ state.J[:3]
        torque = command.torque - state.h - friction(dq) - push * np.sign(row)
        dq = dq + 1e-3 * np.linalg.solve(state.M + motors, torque)
        q = q + 1e-3 * dq
        if command.gap < 0.05:
            ratios.append(-float(row @ dq) / command.speed_bound)
    assert command.gap < 0.0, "the arm never arrived"
    assert max(ratios) <= 1.02
    assert ratios[-1] >= 0.97
