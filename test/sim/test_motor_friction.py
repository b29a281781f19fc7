# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Motor friction holds, slows and is refused where it makes no sense."""

import numpy as np
import pytest
from cells import ONE, PUSH, plate_robot

from impact_robots import ArmDynamics
from impact_sim.cell.cell_plant import CellPlant
from impact_sim.cell.layout import CellLayout
from impact_sim.exceptions import SimulationError
from impact_sim.plant.motor_friction import MotorFriction


def swung(friction, extra, duration=0.05, dq=None):
    """An arm whose motors get gravity's torque and some more."""
    robot = plate_robot()
    plant = CellPlant(CellLayout(ONE, motor_friction=friction))
    plant.reset([PUSH], None if dq is None else [dq])
    torque = ArmDynamics(robot)(PUSH, np.zeros(7)).g
    plant.arms[0].apply_motor_torque(torque + extra)
    plant.advance_free(duration)
    return plant.arms[0]


def test_motors_at_rest_hold_what_is_below_their_friction():
    still = swung(MotorFriction.of(7, 2.0, 0.0), 1.5)
    moving = swung(MotorFriction.of(7, 2.0, 0.0), 3.0)
    assert np.abs(still.theta - swung(None, 0.0).theta).max() < 1e-4
    assert np.abs(still.dtheta).max() < 1e-3 < 5e-3 < np.abs(moving.dtheta).min()
    assert np.abs(swung(None, 1.5).dtheta).max() > 0.1


def test_coulomb_friction_takes_its_torque_off_a_moving_motor():
    dq = np.full(7, 0.5)
    slowed = swung(MotorFriction.of(7, 2.0, 0.0), 0.0, duration=0.01, dq=dq)
    pushed = swung(None, -2.0, duration=0.01, dq=dq)
    np.testing.assert_allclose(slowed.dtheta, pushed.dtheta, rtol=0.01)
    assert np.abs(slowed.dtheta - swung(None, 0.0, duration=0.01, dq=dq).dtheta).min() > 0.01


def test_viscous_friction_takes_energy():
    dq = np.full(7, 0.3)
    free, slowed = swung(None, 0.0, dq=dq), swung(MotorFriction.of(7, 0.0, 5.0), 0.0, dq=dq)
    assert np.linalg.norm(slowed.dtheta) < 0.9 * np.linalg.norm(free.dtheta)


@pytest.mark.parametrize(
    ("coulomb", "viscous", "message"),
    [
        (-1.0, 0.0, "motor friction, coulomb: expected numbers from 0"),
        (0.0, np.inf, "motor friction, viscous: expected numbers from 0"),
        ([1.0, 2.0], 0.0, "motor friction: expected one number, or 7"),
    ],
)
def test_what_is_no_friction_is_refused(coulomb, viscous, message):
    with pytest.raises(SimulationError, match=message):
        MotorFriction.of(7, coulomb, viscous)
