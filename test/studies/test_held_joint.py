# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A joint whose motor is held by friction: it does not jump, in the model and as published."""

import numpy as np

from studies.flexible_joints.held_motors import rubbed_hits
from studies.flexible_joints.prediction_errors import apparent, held, reflected

FR3_FRICTION = np.array([1.137, 1.137, 1.137, 1.137, 0.763, 0.44, 0.248])  # at the joints [N.m]


def errors(hits, where, name):
    """Error of a map at some joints of all hits [deg/s]."""
    found = [(each.maps[name] - each.jump)[getattr(each, where)] for each in hits]
    return np.degrees(np.abs(np.concatenate(found)))


def test_a_held_motor_locks_its_joint(panda):
    """Its inertia is neither B_theta nor B_rho; where no motor rubs M + B_theta holds."""
    loop = panda.reflected_motor_inertia / panda.apparent_motor_inertia
    hits = rubbed_hits(panda, 3.0 * loop * FR3_FRICTION, 8)
    locked, rotor, apparent_error = (
        errors(hits, "held", name) for name in ("locked", "M+B_rho", "M+B_theta")
    )
    assert len(locked) >= 5
    assert locked.max() < 0.1 < 0.2 < rotor.mean() < apparent_error.mean()
    told = np.concatenate([each.told for each in hits])
    assert np.concatenate([each.told & each.held for each in hits]).sum() >= 0.7 * len(locked)
    assert told.sum() > len(locked)  # some of them slip, and jump less than M+B_theta says
    assert errors(hits, "told", "told").mean() < 0.6 * errors(hits, "told", "M+B_theta").mean()
    without = rubbed_hits(panda, np.zeros(panda.dof), 2)
    assert not any(each.held.any() for each in without)
    assert errors(without, "still", "M+B_theta").max() < 0.5


def test_joint_5_hardly_jumps():
    """Without a jump joint 5 is predicted best: .3 deg/s, where B_rho leaves 1.1, B_theta 2.0."""
    joint_5 = [each[:, 4] for each in (held(), reflected(), apparent())]
    without_jump, with_rotor, with_loop = joint_5
    assert without_jump.mean() < 0.31 < 1.0 < with_rotor.mean() < 1.1 < 2.0 < with_loop.mean()
    assert (without_jump < with_loop).all()
    assert (without_jump < with_rotor).sum() == 9


def test_joints_that_carry_the_motion_do_jump():
    """Joints 2, 4 and 6 are not held: their jumps exceed the errors of both maps on average."""
    jumps = held().mean(axis=0)
    for joint in (1, 3, 5):
        assert jumps[joint] > 1.5 * max(each[:, joint].mean() for each in (apparent(), reflected()))
