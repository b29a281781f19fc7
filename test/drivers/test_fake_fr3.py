# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The same loop through official libfranka, with the fake arm at the other end of the network."""

import ctypes
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from direct_arm import DirectArm

from impact_drivers.exceptions import DriverError
from impact_drivers.fake_fr3.fake_process import FakeProcess
from impact_drivers.fake_fr3.fake_setup import FakeSetup
from impact_drivers.fake_fr3.faults import Faults
from impact_drivers.fake_fr3.safety import (
    CARTESIAN_REFLEX,
    COMMUNICATION,
    JOINT_POSITION,
    JOINT_REFLEX,
    JOINT_VELOCITY,
    TAU_J_RANGE,
    TORQUE_DISCONTINUITY,
    ArmSafety,
)
from impact_drivers.franka.arm.arm import ArmStoppedError
from impact_drivers.franka.arm.arm_state import IDLE, MOVE, REFLEX, USER_STOPPED
from impact_drivers.franka.arm.collision_behavior import CollisionBehavior
from impact_drivers.franka.arm.libfranka_arm import LibfrankaArm
from impact_drivers.franka.arm.settings import ArmSettings
from impact_drivers.franka.hit_process import perform
from impact_robots.dynamics import ArmDynamics
from impact_sim.driver.simulation import START_NS

ERRORS = {
    CARTESIAN_REFLEX,
    COMMUNICATION,
    JOINT_POSITION,
    JOINT_REFLEX,
    JOINT_VELOCITY,
    TAU_J_RANGE,
    TORQUE_DISCONTINUITY,
}


@pytest.fixture(scope="module")
def through_libfranka(libfranka, make_job, fr3):
    """A hit through libfranka under low thresholds: the outcome, and what the arm was sent."""
    with FakeProcess(FakeSetup()) as fake:
        arm = LibfrankaArm(fake.address, realtime=False)
        outcome = perform(arm, fr3, make_job(), now=lambda: START_NS)
        return outcome, fake.load, fake.collision_behavior


def test_a_hit_is_the_same_to_the_bit_as_without_a_network(through_libfranka, make_job, fr3):
    outcome = through_libfranka[0]
    direct = perform(DirectArm(FakeSetup().arm()), fr3, make_job(), now=lambda: START_NS)
    assert len(outcome.controlled) == len(direct.controlled) > 400
    for name in ("time", "q", "dq", "tau", "sent", "detections"):
        here, there = (
            np.array([getattr(cycle, name) for cycle in each.controlled])
            for each in (outcome, direct)
        )
        assert np.array_equal(here, there), name
    assert outcome.reflexes == direct.reflexes == (CARTESIAN_REFLEX,)
    assert "motion aborted by reflex" in outcome.fault


def test_the_arm_is_told_its_load_and_what_it_has_to_bear(through_libfranka):
    _, (mass, center), (torque, force) = through_libfranka
    settings = ArmSettings()
    assert mass == settings.load_mass and center == pytest.approx(settings.load_center)
    assert torque == pytest.approx(settings.torque_thresholds)
    assert force == pytest.approx(settings.force_thresholds)


def settled(arm, mode):
    """Return a state of that mode; those on their way may still say what was before."""
    for _ in range(100):
        state = arm.look()
        if state.mode == mode:
            return state
    raise AssertionError(f"expected mode {mode}, got {state.mode} a hundred times")


def test_errors_have_libfrankas_names_and_are_cleared_when_asked(libfranka):
    with FakeProcess(FakeSetup(faults=Faults(errors_at_connect=tuple(sorted(ERRORS))))) as fake:
        arm = LibfrankaArm(fake.address, realtime=False)
        state = arm.look()
        assert state.mode == REFLEX and set(state.errors) == ERRORS
        with pytest.raises(DriverError, match="expected mode Idle without errors, got Reflex"):
            arm.configure(ArmSettings())
        with pytest.raises(DriverError, match="command not possible"):
            arm.start()
        arm.recover()
        assert not settled(arm, IDLE).errors
        _press_the_button(arm, fake)


def _press_the_button(arm, fake):
    """The user's stop ends a motion, and none begins while it is pressed."""
    arm.start()
    arm.read()
    arm.write(np.zeros(7))
    fake.press_button()
    with pytest.raises(ArmStoppedError, match="activated safety function"):
        for _ in range(3):
            arm.read()
            arm.write(np.zeros(7))
    settled(arm, USER_STOPPED)
    with pytest.raises(DriverError, match="command not possible"):
        arm.start()
    fake.release_button()
    settled(arm, IDLE)


@pytest.fixture(scope="module")
def address():
    """The address of an arm whose motions all end well."""
    with FakeProcess(FakeSetup()) as fake:
        yield fake.address


def test_a_rehearsal_sends_the_arm_nothing(libfranka, address):
    """Its time goes on with the commands alone."""
    arm = LibfrankaArm(address, realtime=False)
    arm.start()
    arm.rehearse()
    states = []
    for _ in range(5):
        states.append(arm.read())
        arm.rehearse()
        arm.write(np.zeros(7))
    arm.read()
    arm.finish(np.zeros(7))
    assert [state.period for state in states[1:]] == [1_000_000] * 4
    assert np.diff([state.clock for state in states]).tolist() == [1_000_000] * 4
    assert {(state.mode, state.errors) for state in states} == {(MOVE, ())}


def scheduling():
    """Return policy and priority of this thread: the kernel's, and what the C library remembers.

    Fast DDS gives its threads the latter.
    """
    policy, priority = ctypes.c_int(), ctypes.c_int()
    this = ctypes.c_ulong(threading.get_ident())
    library = ctypes.CDLL(None)
    library.pthread_getschedparam(this, ctypes.byref(policy), ctypes.byref(priority))
    kernel = os.sched_getscheduler(0), os.sched_getparam(0).sched_priority
    return kernel, (policy.value, priority.value)


def test_the_callers_scheduling_is_left_alone(libfranka, address):
    before = scheduling()
    arm = LibfrankaArm(address, realtime=False)
    arm.start()
    arm.read()
    arm.finish(np.zeros(7))
    assert scheduling() == before == (before[0], before[0])


VICTIM = """
import os, signal, sys
import numpy as np
from impact_drivers.franka.arm.collision_behavior import CollisionBehavior
from impact_drivers.franka.arm.libfranka_arm import LibfrankaArm
arm = LibfrankaArm(sys.argv[1], realtime=False)
arm.start()
for cycle in range(1000):
    arm.read()
    if cycle == 40:
        os.kill(os.getpid(), signal.SIGKILL)
    arm.write(np.zeros(7))
"""


def test_the_arm_stops_itself_when_the_loop_is_killed(libfranka):
    with FakeProcess(FakeSetup()) as fake:
        victim = subprocess.run([sys.executable, "-c", VICTIM, fake.address], timeout=60.0)
        assert victim.returncode == -signal.SIGKILL
        arm = LibfrankaArm(fake.address, realtime=False)
        state = arm.look()
        assert state.mode == REFLEX and state.errors == (COMMUNICATION,)
        assert abs(fake.log[-1].dq).max() < 0.05


def test_a_collision_is_felt_by_the_thresholds_that_were_set(fr3):
    safety, q = ArmSafety(fr3), fr3.stance
    gravity = ArmDynamics(fr3)(q, np.zeros(7)).robot_state.g
    push = np.array([0.0, 0.0, 0.0, 15.0, 0.0, 0.0, 0.0])
    for threshold, expected in ((20.0, ()), (10.0, (JOINT_REFLEX,))):
        safety.reset()
        safety.behavior = CollisionBehavior(np.full(7, threshold), np.full(6, 1e3))
        found = ()
        for cycle in range(200):
            found = safety.of_state(cycle * 1_000_000, q, np.zeros(7), gravity - push)
        assert found == expected
    safety.behavior = CollisionBehavior(np.full(7, 100.0), np.full(6, 5.0))
    assert safety.of_state(200_000_000, q, np.zeros(7), gravity - push) == (CARTESIAN_REFLEX,)


def test_no_arm_at_an_address_is_one_line(libfranka):
    with pytest.raises(DriverError, match=r"^arm at 127\.9\.9\.9: [^\n]+$"):
        LibfrankaArm("127.9.9.9", realtime=False)


def test_settings_say_how_many_numbers_they_need():
    with pytest.raises(DriverError, match=r"^load_center: expected 3 numbers, got 2$"):
        ArmSettings(load_center=(0.0, 0.1))
