# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One driver cycle: a desired torque is held for 1 ms, with the torque loop and the plant below."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from impact_sim.plant import FlexibleJointPlant
from impact_sim.torque_loop import PERIOD, TorqueLoop

LOOPS = 4  # of the torque loop in a driver's cycle of 1 ms
CLEARANCE = 2e-3  # of a point that cannot touch within a period of the torque loop [m]


def integrate_cycle(
    plant: FlexibleJointPlant,
    loop: TorqueLoop,
    desired: np.ndarray,
    *,
    is_near: Callable[[], bool],
    contact_step: Callable[[], None],
) -> None:
    """Integrate plant and torque loop for one cycle.

    Args:
        plant: which moves.
        loop: its torque loop.
        desired: torque, gravity included, shape (n,) [N.m].
        is_near: asked once a period of the torque loop: whether the surface may be touched in it.
        contact_step: integrates one small step where it may, by ``plant.advance_contact``.
    """
    for _ in range(LOOPS):
        plant.apply_motor_torque(loop.update(desired, plant.joint_torque))
        if not is_near():
            plant.advance_free(PERIOD)
            continue
        for _ in range(round(PERIOD / plant.contact_step)):
            contact_step()
