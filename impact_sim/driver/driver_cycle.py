# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One driver cycle: desired torques are held for 1 ms, with torque loops and plant below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from impact_sim.plant.flexible_arm import FlexibleArm
from impact_sim.plant.torque_loop import LOOPS, PERIOD, MotorLoop

CLEARANCE = 2e-3  # distance that excludes contact within a period of the torque loop [m]


Drive = tuple[FlexibleArm, MotorLoop, np.ndarray]  # an arm, its loop, its desired torque (n,)


class Integrable(Protocol):
    """A plant: one arm in front of a surface, or a cell."""

    contact_step: float  # integration step near a contact [s]

    def advance_free(self, duration: float) -> None:
        """Integrate ``duration`` [s] without contacts."""


def integrate_cycle(
    plant: Integrable,
    drives: Sequence[Drive],
    *,
    is_near: Callable[[], bool],
    contact_steps: Callable[[int], None],
) -> None:
    """Integrate a plant and its torque loops for one cycle.

    Args:
        plant: the plant.
        drives: its arms, with desired torques, gravity included [N.m].
        is_near: called once per period of the torque loop: whether a contact is possible in it.
        contact_steps: integrates small steps if it is, with ``plant.advance_contact``.
    """
    for _ in range(LOOPS):
        for arm, loop, desired in drives:
            arm.apply_motor_torque(loop.update(desired, arm.joint_torque))
        if not is_near():
            plant.advance_free(PERIOD)
            continue
        contact_steps(round(PERIOD / plant.contact_step))
