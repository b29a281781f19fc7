# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An arm and a wall that share nothing with the plant of this project, to test analyses on.

What an analysis says of data is judged by data whose truth is known. Data of the plant in
``impact_sim`` would only show that the project agrees with itself; here all that can be different
is: joints are rigid with the motors' apparent inertia on them and rub as those of a real Panda do,
links weigh up to 4 % more or less than thought, time is stepped by Moreau's midpoint rule, the wall
yields plastically, friction sticks and slides exactly, controllers know the wrong model.
"""

from studies.foreign.arm import ForeignArm
from studies.foreign.contact import PlasticWall
from studies.foreign.first_contact import Truth
from studies.foreign.hit import SimulatedHit, simulate_hit
from studies.foreign.setups import ForeignSetup, draw_setup

__all__ = [
    "ForeignArm",
    "ForeignSetup",
    "PlasticWall",
    "SimulatedHit",
    "Truth",
    "draw_setup",
    "simulate_hit",
]
