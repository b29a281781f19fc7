# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The impulse of a palm's impact, without the motors that press on."""

import numpy as np
import pytest
from hrp4_grab import grab_posture, palm_arrivals

from impact_qp.body.palms.coupled_palms import standing_inverse
from impact_robots import ArmDynamics, load_robot
from impact_sim.humanoid.plant import STEP
from impact_trials.grab.palm_truth import PalmTruth
from impact_trials.grab.total_impulse import total_impulse

BOX, PUSH, STEPS = 1.08, 20.0, 160  # [kg], of each palm by its motors [N], [-]


@pytest.fixture(scope="module")
def pushed():
    """Motor torques at which both palms push on a box at rest, and what there is beside."""
    robot, arrivals = load_robot("hrp4"), palm_arrivals(0.15)
    q = grab_posture(robot, 0.15)
    state = ArmDynamics(robot, "all").state(q, np.zeros(robot.nv))
    inverse = standing_inverse(robot, state)
    normals = [np.asarray(each.contact.normal) for each in arrivals]
    R = np.array([-n @ state.at(a.frame).J[:3] for n, a in zip(normals, arrivals, strict=True)])
    effect = (R @ inverse)[:, 6:]
    # accelerations of palms alone that equal forces on both sides of a box at rest undo
    wanted = R @ inverse @ R.T @ np.array([PUSH, PUSH])
    return robot, arrivals, q, normals, np.linalg.pinv(effect) @ wanted


def truths(pushed, force, torque, late=0.0):
    robot, _, q, normals, _ = pushed

    def one(normal, time):
        forces, motors = [force * normal] * STEPS, [torque] * STEPS
        at = time, q, np.zeros(robot.nv), np.zeros(3)
        return PalmTruth(*at, forces, [0.0] * STEPS, motors)

    return one(normals[0], 1.0), one(normals[1], 1.0 + late)


def test_motors_that_press_are_no_impact(pushed):
    robot, arrivals, _, _, torque = pushed
    both = truths(pushed, PUSH, torque)
    for palm in range(2):
        found = total_impulse(robot, both, arrivals, palm, BOX)
        assert abs(found) < 1e-6 * PUSH * STEPS * STEP


def test_without_motors_every_force_is_the_impacts(pushed):
    robot, arrivals, _, _, torque = pushed
    both = truths(pushed, PUSH, np.zeros_like(torque))
    for palm in range(2):
        found = total_impulse(robot, both, arrivals, palm, BOX)
        assert found == pytest.approx(PUSH * STEPS * STEP, rel=1e-9)


def test_a_palm_alone_moves_the_box_away(pushed):
    """A force that a free box does not hold back: alone, motors need less to press by it."""
    robot, arrivals, q, normals, torque = pushed
    alone = total_impulse(robot, (truths(pushed, PUSH, torque)[0], None), arrivals, 0, BOX)
    state = ArmDynamics(robot, "all").state(q, np.zeros(robot.nv))
    row = -normals[0] @ state.at(arrivals[0].frame).J[:3]
    inverse = standing_inverse(robot, state)
    press = row @ inverse[:, 6:] @ torque / (row @ inverse @ row + 1.0 / BOX)
    assert alone == pytest.approx((PUSH - press) * STEPS * STEP, rel=1e-9)
    later = total_impulse(robot, truths(pushed, PUSH, torque, late=1.0), arrivals, 0, BOX)
    assert later == pytest.approx(alone, rel=1e-12)
