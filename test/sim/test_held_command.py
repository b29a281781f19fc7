# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A driver that holds the last command of a dead controller: what doc/ros2_control.md says."""

import numpy as np
from held_command import held_command

from impact_sim import Interface

BOUND = 0.0785  # contact speed of the demo's robust run [m/s]


def test_a_held_torque_goes_on_accelerating():
    held = held_command(Interface.TORQUE, 0.02)
    assert held.contact_speed > 5 * BOUND
    assert held.too_fast_after < 1.0, "within a second a joint is beyond its limit"


def test_a_held_velocity_stays_what_it_was():
    held = held_command(Interface.VELOCITY, 0.1)
    assert BOUND < held.contact_speed < 1.25 * BOUND
    assert held.too_fast_after == np.inf


def test_a_held_position_stops():
    held = held_command(Interface.POSITION, 0.4)
    assert np.isnan(held.contact_speed)
    assert held.velocity_share < 0.2
