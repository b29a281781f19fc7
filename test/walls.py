# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The wall in front of a Panda that many tests hit."""

from impact_robots import Surface

NORMAL = (-1.0, 0.0, 0.0)


def a_wall(friction=0.0, restitution=0.0):
    """A wall that faces the robot, with these coefficients or ranges of them."""
    return Surface(None, NORMAL, friction, restitution)
