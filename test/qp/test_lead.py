# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Commanded velocities and positions near the measured ones."""

import numpy as np
import pytest

from impact_qp.interface import INTERFACES, LEAD, VELOCITY_LEAD

LONG = 1.0  # period in which the acceleration limits allow any change [s]


@pytest.mark.parametrize("interface", ["velocity", "position"])
@pytest.mark.parametrize("slowed", range(7))
def test_a_joint_at_its_lead_slows_the_others_too(panda, interface, slowed):
    """Joints that move against each other near a singular configuration must go on doing so."""
    random, limits = np.random.default_rng(slowed), panda.limits
    for _ in range(20):
        wanted = random.uniform(0.4, 0.9, 7) * random.choice([-1.0, 1.0], 7) * limits.velocity
        behind = np.zeros(7)  # one joint follows its command late
        behind[slowed] = np.sign(wanted[slowed]) * limits.velocity[slowed]
        sent = INTERFACES[interface](panda, LONG)
        sent.velocity = wanted
        q, dq = -0.999 * LEAD * behind, wanted - 1.1 * VELOCITY_LEAD * behind
        velocity, _ = sent.next_motion(np.zeros(7), q, dq, LEAD)
        fraction = velocity / wanted
        assert fraction.max() - fraction.min() < 1e-12
        assert 0.0 <= fraction[0] < 1.0
