# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An arm with joint friction coasts; one whose controller acts does not: simulated hits."""

from dataclasses import replace

import numpy as np
import pytest
from struck_arm import POSE, Hit, simulate, write

from impact_analysis.analyze import analyze
from impact_analysis.analyze.reading.coasting import drive
from impact_detector.signals.buffers import JointRecord
from impact_robots import ArmDynamics

COASTING = {
    "torque before the friction": {"sensor": "motor"},
    "torque behind the friction": {},
    "no friction": {"joint_friction": 0.0},
    "twice the friction": {"joint_friction": 2.0},
    "masses up to 10 % off": {"mass_error": 0.1},
    "heavier motors": {"motors": "M+B_rho"},
    "200 Hz": {"rate": 200},
}
DRIVEN = {
    "retracts 30 ms after contact": {"after": "retract", "after_delay": 0.03},
    "the same, torque before the friction": {
        "after": "retract",
        "after_delay": 0.03,
        "sensor": "motor",
    },
    "is stopped 30 ms after contact": {"after": "hold", "after_delay": 0.03, "sensor": "motor"},
    "is pushed on": {"after": "boost"},
    "is pushed on, 200 Hz": {"after": "boost", "rate": 200},
}


def found(panda, hit):
    """Return what drives the arm after a hit, with torques and without."""
    record = simulate(hit)
    t = record.t - record.touch
    before, after = (record.dq[np.searchsorted(t, time) - 1] for time in (0.0, 0.02))
    time = np.rint(record.t * 1e9).astype(int)
    return [
        drive(panda, t, JointRecord(time, record.q, record.dq, tau), after - before)
        for tau in (record.tau, np.full_like(record.tau, np.nan))
    ]


def hits(**what):
    """Return two hits, at other poses and speeds."""
    turned = POSE + np.array([0.3, 0.2, -0.3, 0.2, 0.3, -0.2, 0.1])
    return (
        Hit(velocity=(0.0, 0.0, -0.5), length=0.15, **what),
        Hit(pose=turned, velocity=(0.15, 0.1, -0.4), length=0.15, seed=1, **what),
    )


@pytest.mark.parametrize("what", COASTING.values(), ids=COASTING)
def test_an_arm_with_friction_that_coasts_is_not_driven(panda, what):
    for hit in hits(**what):
        assert found(panda, hit) == [None, None]


@pytest.mark.parametrize("what", DRIVEN.values(), ids=DRIVEN)
def test_an_arm_whose_controller_acts_is_driven(panda, what):
    for hit in hits(**what):
        assert all(each.torque > 0.0 for each in found(panda, hit))


def test_of_a_joint_whose_torque_limit_is_unknown_nothing_is_said(panda):
    (hit, _) = hits(after="boost")
    unknown = replace(panda.limits, torque=np.full(7, np.nan))
    assert found(replace(panda, limits=unknown), hit) == [None, None]


@pytest.mark.usefixtures("without_contact_laws")
def test_the_report_says_it(tmp_path):
    (hit, _) = hits(after="boost")
    said = {}
    for name, each in (("driven", hit), ("coasts", replace(hit, after="coast"))):
        bag = write(tmp_path / name, simulate(replace(each, length=0.3)))
        (impact,) = analyze(bag, normal=(0, 0, 1)).impacts
        said[name] = [note.text for note in impact.measured.notes if note.key == "driven"]
    assert said["coasts"] == []
    (note,) = said["driven"]
    assert note.startswith("the arm is driven after the impact: from 30 to 100 ms after contact")


@pytest.mark.parametrize("offset", [0.0, 0.1])
def test_friction_of_a_joint_that_turns_around_may_act_either_way(panda, offset):
    """Joint 2 accelerates with 7 N.m from 30 to 65 ms, then brakes; it turns around or does not."""
    dynamics = ArmDynamics(panda)
    t = np.arange(-0.2, 0.15, 1e-3)
    inertia = dynamics(panda.stance, np.zeros(7)).M[1, 1] + panda.apparent_motor_inertia[1]
    speed = 7.0 / inertia * (0.028 - np.abs(t - 0.065)) + offset
    dq = np.zeros((len(t), 7))
    dq[:, 1], dq[:, 6] = speed, 3.0 * t  # what the last joint does is no news
    q = np.tile(panda.stance, (len(t), 1))
    time, jump = np.rint((t + 0.2) * 1e9).astype(int), np.zeros(7)
    found = drive(panda, t, JointRecord(time, q, dq, np.full_like(q, np.nan)), jump)
    assert (found is None) == (offset == 0.0)
